"""A workspace behind the real front door, before it an editor in which a user types whenever anything happens."""

import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agent_lsp.domain.files import EditOutcome, FileEdit, Moved, Proposal, Selection
from agent_lsp.lsp.patience import Patience
from agent_lsp.workspace.files import WorkspaceFiles
from support.fake_editor import FakeEditor
from support.front_door import FrontDoor, front_door
from support.lsp_client import Json

EDITS: Json = {
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
    }
}
ALL = Selection()


@dataclass
class Room:
    door: FrontDoor
    editor: FakeEditor
    files: WorkspaceFiles
    root: Path
    path: Path

    @property
    def uri(self) -> str:
        return self.path.as_uri()

    @property
    def shown(self) -> str:
        """What the user sees."""
        return self.editor.documents[self.uri].text

    @property
    def mirrored(self) -> str | None:
        """What the server takes it for."""
        document = self.door.server.mirror.get(self.uri)
        return document.text if document else None

    async def settled(self) -> None:
        """Let everything sent so far arrive."""
        await self.door.client.request("agent/debugReport")

    async def proposal(self, revise: Callable[[str], str | None], name: str = "") -> Proposal:
        place = self.files.locate(name or self.path.name, "write")
        before = await self.files.read(place)
        return await self.files.propose([FileEdit(place, before, revise(before.text))])

    async def make(self, proposal: Proposal) -> EditOutcome:
        """Approve, and approve again what looks different by now."""
        outcome = await self.files.apply(proposal, ALL)
        while isinstance(outcome, Moved):
            outcome = await self.files.apply(outcome.proposal, ALL)
        return outcome


@asynccontextmanager
async def typing_room(
    root: Path, text: str, encoding: str = "utf-16", capabilities: Json = EDITS
) -> AsyncGenerator[Room]:
    """Open one document, in an editor that counts positions like this."""
    async with front_door(Patience(edit=3, proof=0.3)) as door:
        await door.client.initialize(capabilities={**capabilities, "general": {"positionEncodings": [encoding]}})
        editor = FakeEditor(door.client, encoding)
        path = root / "a.txt"
        path.write_bytes(text.encode())
        files = WorkspaceFiles([root], door.hall.documents, environment={})
        room = Room(door, editor, files, root, path)
        editor.open(room.uri, text)
        await room.settled()
        yield room


@dataclass
class Typist:
    """Types marks that nobody else writes, one character of the user's each, at places chosen by chance."""

    editor: FakeEditor
    uri: str
    chance: random.Random
    typed: list[str] = field(default_factory=list[str])

    def type(self) -> None:
        text = self.editor.documents[self.uri].text
        index = self.chance.randint(0, len(text))
        if text[index - 1 : index + 1] == "\r\n":
            index += 1
        mark = chr(_MARKS + len(self.typed))
        self.editor.insert(self.uri, index, mark + self.chance.choice(["", "", "\n", "🦊", "é"]))
        self.typed.append(mark)

    def maybe(self, likelihood: float = 0.4) -> None:
        while self.chance.random() < likelihood:
            self.type()

    def around(self, answer: Callable[[Json], Awaitable[Json]]) -> Callable[[Json], Awaitable[Json]]:
        """Type before and after an answer of the editor's."""

        async def typing(params: Json) -> Json:
            self.maybe()
            answered = await answer(params)
            self.maybe()
            return answered

        return typing

    def lost(self) -> list[str]:
        text = self.editor.documents[self.uri].text
        return [mark for mark in self.typed if text.count(mark) != 1]


_MARKS = 0xF0000
"""Private characters, outside of the plane that UTF-16 has in one unit."""


def is_typed(text: str) -> bool:
    return any(ord(character) >= _MARKS for character in text)
