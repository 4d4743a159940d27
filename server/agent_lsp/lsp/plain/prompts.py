"""Prompt documents, `*.agent.md`: sending what the user wrote there, and completing it while they write."""

import asyncio
import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from lsprotocol import types

from agent_lsp.domain.documents import ApplyResult, DocumentEdit, OpenDocument
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.mentions import NAMES, as_mention
from agent_lsp.domain.messages import Ask, Response
from agent_lsp.domain.requests import Answered, AskReply, NewTask, Sent, TaskReference
from agent_lsp.domain.slash import SlashCommand
from agent_lsp.lsp.client import Encoding
from agent_lsp.lsp.documents import Mirror
from agent_lsp.lsp.editor import Editor
from agent_lsp.lsp.plain.bell import Spawn
from agent_lsp.lsp.plain.prompt_text import NEW, Prompt, Unfinished, read_prompt, unfinished
from agent_lsp.lsp.plain.viewer import write_whole
from agent_lsp.lsp.ports import Hall
from agent_lsp.lsp.positions import index_in_line, split_lines, units_before
from agent_lsp.lsp.waiting import Asks

SUFFIX = ".agent.md"

MAX_TRIES = 3
"""To empty a prompt: an editor may be saving it just then, which adds the end of its last line."""

MOVING_SECONDS = 1.0


def is_prompt(uri: str) -> bool:
    return uri.endswith(SUFFIX)


class Prompts:
    def __init__(self, hall: Hall, asks: Asks, mirror: Mirror, editor: Editor, spawn: Spawn) -> None:
        self._hall = hall
        self._asks = asks
        self._mirror = mirror
        self._editor = editor
        self._spawn = spawn
        self.roots: Callable[[], Sequence[Path]] = tuple

    async def open(self, words: str) -> Path:
        """Give the prompt document of the workspace, with these words added to what stands there."""
        path = self._hall.shown_folder / f"{_name_of(self.roots())}{SUFFIX}"
        uri = self._mirror.uri_of(path)
        document = self._mirror.get(uri) if uri else None
        if document is None:
            written = path.read_text("utf-8", errors="replace") if path.exists() else ""
            write_whole(path, _with_words(written, words))
        elif words:
            after = _with_words(document.text, words)
            await self._editor.apply([DocumentEdit(document.uri, "edit", document.text, after, document.version)])
        return path

    async def send(self, uri: str, ts: int | None) -> TaskReference | Sent | Answered:
        """Send a prompt: as the answer to the ask `ts`, or to a question, else to the current task, else as a new one.

        Without a uri, the one that has words.
        """
        document = self._document(uri) if uri else self._written()
        uri = document.uri
        prompt = read_prompt(document.text, self._hall.modes)
        if not prompt.words and not (prompt.sets_something and self._hall.current_task() and not prompt.is_new):
            raise BadParams("There are no words in this prompt yet.")
        sent = await self._deliver(prompt, ts)
        if not (isinstance(sent, Answered) and not sent.accepted):
            self._spawn(self._clear(uri, document.text))
        return sent

    async def complete(self, uri: str, position: types.Position) -> list[types.CompletionItem]:
        document = self._mirror.get(uri) if is_prompt(uri) else None
        if document is None:
            return []
        lines = split_lines(document.text)
        if position.line >= len(lines):
            return []
        line, encoding = lines[position.line], self._mirror.encoding
        before = line[: index_in_line(line, position.character, encoding)]
        word = unfinished("".join(lines[: position.line]) + before)
        if word is None:
            return []
        place = _range(word, before, position, encoding)
        return [_item(choice, about, place) for choice, about in (await self._choices(word)).items()]

    def _document(self, uri: str) -> OpenDocument:
        document = self._mirror.get(uri) if is_prompt(uri) else None
        if document is None:
            raise BadParams(f"{uri} is no prompt document that is open; its name ends with {SUFFIX}.")
        return document

    def _written(self) -> OpenDocument:
        written = [each for each in self._mirror.all() if is_prompt(each.uri) and each.text.strip()]
        if not written:
            raise BadParams("There are no words in an open prompt document; agent.showPrompt opens one.")
        if len(written) > 1:
            raise BadParams("There are words in several prompt documents; send one from within it, by its code action.")
        return written[0]

    def _question(self) -> int | None:
        task_id = self._hall.current_task()
        waiting = self._asks.of_task(task_id) if task_id else None
        return waiting.ts if waiting and waiting.ask.kind is Ask.FOLLOWUP else None

    async def _deliver(self, prompt: Prompt, ts: int | None) -> TaskReference | Sent | Answered:
        if ts is None and prompt.words and not prompt.is_new:
            ts = self._question()
        waiting = self._asks.find(ts) if ts is not None else None
        if ts is not None:
            reply = AskReply(Response.MESSAGE, prompt.words)
            return (
                self._asks.answer(waiting.task_id, ts, reply) if waiting else Answered(accepted=False, reason="AskGone")
            )
        task_id = self._hall.current_task()
        if task_id is None or prompt.is_new:
            return self._hall.new_task(NewTask(prompt.words, mode=prompt.mode, permission_mode=prompt.permission_mode))
        if prompt.mode:
            self._hall.set_mode(task_id, prompt.mode)
        if prompt.permission_mode:
            self._hall.set_permission_mode(task_id, prompt.permission_mode)
        return await self._hall.send(task_id, prompt.words, (), "queue") if prompt.words else Sent("", "delivered")

    async def _clear(self, uri: str, sent: str) -> None:
        """Empty a prompt, by an edit that one undo takes back, unless the user goes on writing."""
        for _ in range(MAX_TRIES):
            document = self._mirror.get(uri)
            if document is None or document.text.strip() != sent.strip():
                return
            answer = await self._editor.apply([DocumentEdit(uri, "edit", document.text, "", document.version)])
            if answer.result is ApplyResult.APPLIED or not await self._has_moved(document):
                return

    async def _has_moved(self, document: OpenDocument) -> bool:
        """Wait for the change that an edit was refused for, for a moment."""
        try:
            async with asyncio.timeout(MOVING_SECONDS):
                await self._mirror.until(lambda: self._mirror.version(document.uri) != document.version)
        except TimeoutError:
            return False
        return True

    async def _choices(self, word: Unfinished) -> dict[str, str]:
        """What can stand in the place of the word, its mark included, and what each is for."""
        if word.mark == "/":
            commands = self._hall.list_commands().commands
            return {f"/{NEW}": "Begin a task of its own"} | {f"/{one.name}": _about(one) for one in commands}
        folder, slash, _ = word.word.rpartition("/")
        paths = await self._hall.paths_in(f"{folder}{slash}".removeprefix("/"))
        written = (as_mention(path, is_rooted=word.word.startswith("/")) for path in paths)
        names = [f"@{name}" for name in NAMES] if not slash else []
        return dict.fromkeys((*names, *(mention for mention in written if mention)), "")


def _about(command: SlashCommand) -> str:
    hint = f" {command.argument_hint}" if command.argument_hint else ""
    return f"{command.description}{hint}"


def _name_of(roots: Sequence[Path]) -> str:
    """What the prompt document of a workspace is called; others of the same name have other documents."""
    root = str(roots[0]) if roots else ""
    return f"{Path(root).name or 'prompt'}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:8]}"


def _with_words(text: str, words: str) -> str:
    if not words:
        return text
    return f"{text.rstrip()}{' ' if text.strip() else ''}{words} \n"


def _item(choice: str, about: str, place: types.Range) -> types.CompletionItem:
    kinds = types.CompletionItemKind
    is_file = choice.startswith("@") and choice[1:] not in NAMES
    folder_or_file = kinds.Folder if choice.rstrip('"').endswith("/") else kinds.File
    return types.CompletionItem(
        label=choice,
        detail=about or None,
        kind=folder_or_file if is_file else kinds.Keyword,
        # Editors filter by the text in the range, and would not find the mark in a word.
        filter_text=choice,
        text_edit=types.TextEdit(range=place, new_text=choice),
    )


def _range(word: Unfinished, before: str, position: types.Position, encoding: Encoding) -> types.Range:
    return types.Range(
        start=types.Position(line=position.line, character=units_before(before, word.start, encoding)),
        end=position,
    )


REGISTRATION = types.RegistrationParams(
    registrations=[
        types.Registration(
            id="agent-prompt-completion",
            method=types.TEXT_DOCUMENT_COMPLETION,
            register_options={
                "documentSelector": [{"pattern": f"**/*{SUFFIX}"}],
                "triggerCharacters": ["/", "@"],
            },
        )
    ]
)
"""Completion where it is not to get between the user and their language server."""
