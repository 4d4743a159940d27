"""Small honest stand-ins for what tools need: files in memory, a gate with decisions laid ready, a screen that remembers."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agent_lsp.domain.approvals import Action, Decision
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.events import Event
from agent_lsp.domain.files import (
    Applied,
    AppliedFile,
    Base,
    Change,
    EditOutcome,
    FileEdit,
    FileText,
    Hunk,
    Listing,
    Place,
    Proposal,
    SearchHits,
    Selection,
    Standing,
)
from agent_lsp.domain.messages import Ask
from agent_lsp.domain.modes import Mode
from agent_lsp.domain.turns import Outcome
from agent_lsp.extensions.builtin_modes import BUILT_IN
from agent_lsp.tools.apply_diff import ApplyDiff
from agent_lsp.tools.apply_patch import ApplyPatch
from agent_lsp.tools.ask_followup_question import AskFollowupQuestion
from agent_lsp.tools.attempt_completion import AttemptCompletion
from agent_lsp.tools.edit_file import EditFile
from agent_lsp.tools.editing import Editing
from agent_lsp.tools.list_files import ListFiles
from agent_lsp.tools.ports import OutputRow
from agent_lsp.tools.read_file import ReadFile
from agent_lsp.tools.search_files import SearchFiles
from agent_lsp.tools.switch_mode import SwitchMode
from agent_lsp.tools.toolbox import Tool
from agent_lsp.tools.update_todo_list import UpdateTodoList
from agent_lsp.tools.write_to_file import WriteToFile

EMPTY = Listing((), 0)
NOTHING = SearchHits((), 0, is_cut=False)
YES = Decision(is_approved=True, by="policy")
NO = Decision(is_approved=False, by="user", text="not like this")


@dataclass
class FakeFiles:
    """Bytes by path. `outcomes` are what the next applies answer, instead of writing."""

    content: dict[str, bytes] = field(default_factory=dict[str, bytes])
    standings: dict[str, Standing] = field(default_factory=dict[str, Standing])
    problems: dict[str, str] = field(default_factory=dict[str, str])
    outcomes: list[EditOutcome] = field(default_factory=list[EditOutcome])
    problems_of_apply: list[FileProblem] = field(default_factory=list[FileProblem])
    listing: Listing = EMPTY
    found: SearchHits = NOTHING
    log: list[str] = field(default_factory=list[str])

    def roots(self) -> Sequence[Path]:
        return [Path("/w")]

    def locate(self, path: str, use: Literal["read", "write"]) -> Place:
        standing = self.standings.get(path, Standing.INSIDE)
        return Place(
            path, Path("/w") / path, f"file:///w/{path}", standing, Path("/w"), problem=self.problems.get(path, "")
        )

    async def read(self, place: Place) -> FileText:
        self.log.append("read")
        encoding, text = decoded(await self.read_bytes(place, 1 << 30), place.path)
        return FileText(text, Base(None, "base"), is_open=False, encoding=encoding)

    async def read_bytes(self, place: Place, limit: int) -> bytes:
        self.log.append("read_bytes")
        if place.path not in self.content:
            raise FileMissing(f"{place.path} does not exist.")
        if len(self.content[place.path]) > limit:
            raise FileProblem(f"{place.path} is too large.")
        return self.content[place.path]

    async def list_folder(self, place: Place, *, is_recursive: bool, limit: int) -> Listing:
        self.log.append(f"list {place.path} {is_recursive} {limit}")
        return self.listing

    async def search(self, place: Place, regex: str, file_pattern: str | None, limit: int) -> SearchHits:
        self.log.append(f"search {place.path} {regex} {file_pattern} {limit}")
        return self.found

    async def propose(self, edits: Sequence[FileEdit]) -> Proposal:
        return Proposal(tuple(edits), tuple(map(change_of, edits)))

    async def apply(self, proposal: Proposal, selection: Selection) -> EditOutcome:
        self.log.append("apply")
        if self.problems_of_apply:
            raise self.problems_of_apply.pop(0)
        if self.outcomes:
            return self.outcomes.pop(0)
        for edit in proposal.edits:
            encoding = edit.before.encoding if edit.before else "utf-8"
            self.content[edit.place.path] = (edit.after or "").encode(encoding)
        return Applied(tuple(AppliedFile(edit.place.path, edit.after, is_open=False) for edit in proposal.edits))

    async def save_edited(self) -> Sequence[Place]:
        return []

    async def until_saved(self, places: Sequence[Place]) -> None:
        return None


def decoded(content: bytes, path: str) -> tuple[str, str]:
    if b"\0" in content and not content.startswith(b"\xff\xfe"):
        raise FileProblem(f"{path} is a binary file.")
    for encoding in ("utf-16" if content.startswith(b"\xff\xfe") else "utf-8-sig", "latin-1"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        is_plain = encoding == "utf-8-sig" and not content.startswith(b"\xef\xbb\xbf")
        return ("utf-8" if is_plain else encoding), text
    raise AssertionError("latin-1 decodes anything")


def change_of(edit: FileEdit) -> Change:
    """One hunk for all: what hunks there are is not the tools' business."""
    before = edit.before.text if edit.before else ""
    lines = list(difflib.ndiff(before.splitlines(), (edit.after or "").splitlines()))
    changed = [line for line in lines if line[0] in "+-"]
    hunk = Hunk("h1", "@@", 1, tuple(changed))
    added = sum(line[0] == "+" for line in changed)
    kind = "edit" if edit.before else "create"
    return Change(
        edit.place.uri,
        edit.place.path,
        kind,
        diff="\n".join(changed),
        added=added,
        removed=len(changed) - added,
        preview_uri="agent-preview:/1",
        hunks=(hunk,),
        before=before,
        after=edit.after,
    )


@dataclass
class FakeGate:
    """Gives the decisions laid ready, then yes."""

    decisions: list[Decision] = field(default_factory=list[Decision])
    actions: list[Action] = field(default_factory=list[Action])
    log: list[str] = field(default_factory=list[str])
    failures: list[str] = field(default_factory=list[str])

    def fail(self, reason: str) -> None:
        self.failures.append(reason)

    async def decide(self, action: Action) -> Decision:
        self.log.append("decide")
        self.actions.append(action)
        return self.decisions.pop(0) if self.decisions else YES


@dataclass
class FakeAsker:
    answer: Decision
    asked: list[tuple[Ask, Json, str]] = field(default_factory=list[tuple[Ask, Json, str]])

    async def ask(self, ask: Ask, body: Json, call_id: str) -> Decision:
        self.asked.append((ask, body, call_id))
        return self.answer


@dataclass
class FakeScreen:
    events: list[Event] = field(default_factory=list[Event])

    def emit(self, event: Event) -> None:
        self.events.append(event)

    def output_row(self) -> OutputRow:
        raise AssertionError("no tool under test runs a command")


@dataclass
class FakeModes:
    """The built-in modes, and which one a task is in."""

    slug: str = "code"

    def current(self) -> Mode:
        return next(mode for mode in BUILT_IN if mode.slug == self.slug)

    def all(self) -> tuple[Mode, ...]:
        return BUILT_IN

    def switch(self, slug: str) -> None:
        self.slug = slug


class Workshop:
    """All the tools that need no process, over one set of fakes."""

    def __init__(self, files: dict[str, str] | None = None, *decisions: Decision) -> None:
        self.log: list[str] = []
        content = {path: text.encode() for path, text in (files or {}).items()}
        self.files = FakeFiles(content, log=self.log)
        self.gate = FakeGate(list(decisions), log=self.log)
        self.asker = FakeAsker(Decision(is_approved=True, by="user", text="blue"))
        self.screen = FakeScreen()
        self.modes = FakeModes()
        refusal = lambda paths: self.modes.current().refusal_to_edit(paths)  # noqa: E731  it is but handed on
        self.editing = Editing(self.files, self.gate, self.screen, None, refusal)

    def tools(self) -> list[Tool]:
        return [
            ReadFile(self.files, self.gate),
            ListFiles(self.files, self.gate),
            SearchFiles(self.files, self.gate),
            WriteToFile(self.editing),
            ApplyDiff(self.editing),
            EditFile(self.editing),
            ApplyPatch(self.editing),
            AskFollowupQuestion(self.asker, self.modes),
            SwitchMode(self.gate, self.modes),
            AttemptCompletion(),
            UpdateTodoList(self.screen),
        ]

    async def write(self, path: str, content: str) -> Outcome:
        arguments = WriteToFile.Arguments(path=path, content=content)
        return await WriteToFile(self.editing).run(arguments, "c1")

    async def read(self, path: str, offset: int = 1, limit: int = 2000) -> Outcome:
        arguments = ReadFile.Arguments(path=path, offset=offset, limit=limit)
        return await ReadFile(self.files, self.gate).run(arguments, "c1")

    def text(self, path: str) -> str:
        return self.files.content[path].decode()
