"""What an ask is answered: by a person's line at the prompt, or by the rules of a run that nobody attends. Pure."""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Ask, Category, Message, Response, proposed_files
from agent_lsp.domain.requests import AskReply

NOBODY = (
    "Nobody can be asked in this run. Go on without this if you can; "
    "if not, complete the task by saying what is left to do."
)
NOT_COVERED = (
    "Nobody can be asked in this run, and its standing yes covers no protected file, no write and no command outside "
    "the workspace, and no command in which a denied one may hide. Go on without this if you can; if not, complete the "
    "task by saying what is left to do."
)
DECIDE = "Nobody can be asked in this run. Decide for yourself, and say in the result what you assumed."

ENDINGS = (Ask.COMPLETION_RESULT, Ask.RESUME_TASK, Ask.RESUME_COMPLETED_TASK)
"""Asks that end a run, whoever is there."""

AT_REST = (Ask.API_REQ_FAILED, Ask.MISTAKE_LIMIT_REACHED, Ask.AUTO_APPROVAL_MAX_REQ_REACHED)
"""Asks of a task that stopped before it was done: a person may set it to work again, nothing else does."""

_READS = ("readFile", "listFilesTopLevel", "listFilesRecursive", "searchFiles", "saveFiles")
"""Tools that change no file. Any other is taken to write."""


@dataclass(frozen=True, slots=True)
class Given:
    """An answer. `is_refusal`: the model was refused something for want of a person to ask."""

    reply: AskReply
    is_refusal: bool = False


Recorded = Sequence[tuple[Ask, AskReply]]
"""What the asks of a recorded task were answered, in order."""


class RecordedAnswers:
    """Answers as they were given when the task was recorded, as long as the asks are the same."""

    def __init__(self, recorded: Recorded) -> None:
        self._left = deque(recorded)

    def answer(self, message: Message, root: Path) -> Given | None:
        """Give the recorded answer; None where there is none. Who makes a recording says no yes for the user's own."""
        if not self._left or self._left[0][0] is not message.ask:
            return None
        _, reply = self._left.popleft()
        # Recordings hold no pictures: of an answer that was one alone, nothing is left to tell the model.
        if message.ask in (Ask.FOLLOWUP, *ENDINGS) and not reply.text.strip():
            return None
        is_yes = reply.response in (Response.YES, Response.OBJECT) and message.ask not in AT_REST
        return None if is_yes and needs_person(message, root) else Given(_of_files_here(reply, message))


def _of_files_here(reply: AskReply, message: Message) -> AskReply:
    """A recording calls files by their paths; who proposes a change, by their uris."""
    if not reply.edited:
        return reply
    uris = proposed_files(message)
    return replace(reply, edited={uris.get(path, path): text for path, text in reply.edited.items()})


def wants_answer(message: Message) -> bool:
    """Whether the task waits for the answer of this ask."""
    return message.waits and message.ask is not None and message.ask.category is not Category.NON_BLOCKING


def needs_person(message: Message, root: Path) -> bool:
    """Whether a standing yes (`--yes`) for the folder `root` leaves this ask to a person."""
    match message.ask:
        case Ask.FOLLOWUP | Ask.API_REQ_FAILED | Ask.MISTAKE_LIMIT_REACHED | Ask.AUTO_APPROVAL_MAX_REQ_REACHED:
            return True
        case Ask.TOOL:
            return is_guarded(_body(message))
        case Ask.COMMAND:
            body = _body(message)
            return bool(body.get("mayHideDenied")) or not (root / body.get("cwd", "")).is_relative_to(root)
        case _:
            return False


def switches_mode(message: Message) -> bool:
    return message.ask is Ask.TOOL and _body(message).get("tool") == "switchMode"


def is_guarded(body: Json) -> bool:
    """Whether a tool would write where no standing yes reaches: a protected file, or outside the workspace."""
    return body.get("tool") not in _READS and bool(body.get("isProtected") or body.get("isOutsideWorkspace"))


def unattended_answer(message: Message, root: Path, *, approves_all: bool) -> Given | None:
    """Answer for nobody; None where the task ends with this ask."""
    if message.ask in ENDINGS or message.ask in AT_REST:
        return None
    if message.ask is Ask.FOLLOWUP:
        return Given(AskReply(Response.MESSAGE, DECIDE), is_refusal=not approves_all)
    if approves_all and not needs_person(message, root):
        return Given(AskReply(Response.YES))
    return Given(AskReply(Response.NO, NOT_COVERED if approves_all else NOBODY), is_refusal=True)


def prompt(message: Message) -> str:
    """What a person is asked for."""
    match message.ask:
        case Ask.FOLLOWUP:
            return "a number, or your own words: " if _suggestions(message) else "your answer: "
        case Ask.API_REQ_FAILED:
            return "try again? [y]es / [n]o: "
        case Ask.MISTAKE_LIMIT_REACHED:
            return "go on? [y]es / [n]o / words to go on with: "
        case Ask.AUTO_APPROVAL_MAX_REQ_REACHED:
            return "go on, and count anew? [y]es / [n]o: "
        case _:
            return "[y]es / [n]o / words to say no with: "


def persons_answer(message: Message, line: str) -> AskReply | None:
    """Understand a line typed at the prompt; None where it says nothing, and the prompt comes again."""
    words = line.strip()
    if not words:
        return None
    if message.ask is Ask.FOLLOWUP:
        return AskReply(Response.MESSAGE, _chosen(_suggestions(message), words))
    match words.lower():
        case "y" | "yes":
            return AskReply(Response.YES)
        case "n" | "no":
            return AskReply(Response.NO)
        case _ if message.ask in AT_REST:
            return AskReply(Response.MESSAGE, words) if message.ask is Ask.MISTAKE_LIMIT_REACHED else None
        case _:
            return AskReply(Response.NO, words)


def _suggestions(message: Message) -> list[str]:
    return [str(each.get("answer", "")) for each in _body(message).get("suggest", [])]


def _chosen(suggestions: list[str], words: str) -> str:
    is_number = words.isascii() and words.isdigit() and 1 <= int(words) <= len(suggestions)
    return suggestions[int(words) - 1] if is_number else words


def _body(message: Message) -> Json:
    return json.loads(message.text or "{}")
