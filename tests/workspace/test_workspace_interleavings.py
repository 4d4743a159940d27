"""Any order of typing, saving, opening, proposing and approving: what the user wrote is never lost."""

import asyncio
import shutil
import tempfile
from itertools import count
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from workspace_editor import FakeEditor, Manner

from agent_lsp.domain.files import Applied, FileEdit, Moved, Proposal, Selection
from agent_lsp.workspace.files import WorkspaceFiles

NAMES = st.sampled_from(["a.txt", "b.txt"])
POSITIONS = st.integers(0, 30)


class Interleavings(RuleBasedStateMachine):
    """Two files, an editor, and proposals that wait. Every line that anybody writes is written once."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp()).resolve()
        self.editor = FakeEditor()
        self.files = WorkspaceFiles([self.root], self.editor, environment={})
        self.runner = asyncio.Runner()
        self.proposals = list[Proposal]()
        self.numbers = count()

    def teardown(self) -> None:
        self.runner.close()
        shutil.rmtree(self.root)

    @initialize()
    def start(self) -> None:
        for name in ("a.txt", "b.txt"):
            (self.root / name).write_text("".join(f"{name} {number}\n" for number in range(25)))

    @rule(name=NAMES)
    def open_or_close(self, name: str) -> None:
        uri = self.uri(name)
        if uri not in self.editor.buffers:
            self.editor.open(self.root / name)
            return
        self.editor.write(uri)
        del self.editor.buffers[uri]

    @rule(name=NAMES, at=POSITIONS, replaces=st.booleans())
    def write(self, name: str, at: int, replaces: bool) -> None:
        """The user types, or where the file is not open, another program writes."""
        text = self.changed(self.current(name), at, replaces)
        if self.uri(name) in self.editor.buffers:
            self.editor.type(self.uri(name), text)
        else:
            (self.root / name).write_text(text)

    @rule(name=NAMES)
    def save(self, name: str) -> None:
        if self.uri(name) in self.editor.buffers:
            self.editor.write(self.uri(name))

    @rule(names=st.sets(NAMES, min_size=1), at=st.lists(POSITIONS, min_size=1, max_size=3), replaces=st.booleans())
    def propose(self, names: set[str], at: list[int], replaces: bool) -> None:
        edits = list[FileEdit]()
        for name in sorted(names):
            before = self.runner.run(self.files.read(place := self.files.locate(name, "write")))
            after = before.text
            for position in at:
                after = self.changed(after, position, replaces)
            edits.append(FileEdit(place, before, after))
        self.proposals.append(self.runner.run(self.files.propose(edits)))

    @precondition(lambda self: self.proposals)
    @rule(which=POSITIONS, manner=st.sampled_from([*Manner, *[Manner.HONEST] * 3]), rejects=st.booleans())
    def approve(self, which: int, manner: Manner, rejects: bool) -> None:
        proposal = self.proposals.pop(which % len(self.proposals))
        before = {edit.place.path: self.current(edit.place.path) for edit in proposal.edits}
        self.editor.manner = manner

        outcome = self.apply(proposal, rejects)

        for edit in proposal.edits:
            assert edit.before
            unseen = lines(before[edit.place.path]) - lines(edit.before.text)
            assert unseen <= lines(self.current(edit.place.path))
        if isinstance(outcome, Applied):
            assert all(file.text == self.current(file.path) for file in outcome.files)
            assert self.is_as_before(
                {name: before[name] for name in before if name not in {f.path for f in outcome.files}}
            )
        else:
            # A lying editor may hold a part that cannot be taken back.
            assert manner is Manner.SKIPS_THE_LAST or self.is_as_before(before)
        if isinstance(outcome, Moved):
            self.proposals.append(outcome.proposal)

    @precondition(lambda self: self.proposals and self.editor.buffers)
    @rule(which=POSITIONS, at=POSITIONS)
    def approve_while_typing(self, which: int, at: int) -> None:
        proposal = self.proposals.pop(which % len(self.proposals))
        uri = next(iter(self.editor.buffers))
        typed = self.changed(self.editor.text(uri), at, replaces=False)
        self.editor.manner = Manner.HONEST
        self.editor.before_apply = lambda: self.editor.type(uri, typed)
        asked = len(self.editor.requests)

        self.apply(proposal, rejects=False)

        self.editor.before_apply = None
        touched = [edit.uri for request in self.editor.requests[asked:] for edit in request]
        assert uri not in touched or self.editor.text(uri) == typed

    def apply(self, proposal: Proposal, rejects: bool):
        hunks = [hunk.id for change in proposal.changes for hunk in change.hunks]
        return self.runner.run(self.files.apply(proposal, Selection(frozenset(hunks[:1] if rejects else []))))

    def is_as_before(self, before: dict[str, str]) -> bool:
        return before == {name: self.current(name) for name in before}

    def changed(self, text: str, at: int, replaces: bool) -> str:
        content = text.splitlines(keepends=True)
        at = min(at, len(content))
        content[at : at + replaces] = [f"written {next(self.numbers)}\n"]
        return "".join(content)

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def current(self, name: str) -> str:
        buffer = self.editor.get(self.uri(name))
        return buffer.text if buffer else (self.root / name).read_text()


def lines(text: str) -> set[str]:
    return set(text.splitlines())


TestInterleavings = Interleavings.TestCase
TestInterleavings.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
