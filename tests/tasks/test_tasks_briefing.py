"""What a task's model is told of its surroundings, and when."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agent_lsp.domain.documents import EditorContext
from agent_lsp.domain.files import Base, FileText, Listing, Place, Standing
from agent_lsp.domain.requests import ContextReference
from agent_lsp.domain.status import PermissionMode
from agent_lsp.tasks.briefing import TaskBriefing
from agent_lsp.tasks.ports import TaskFacts


@dataclass
class OneFile:
    """A workspace with one file, which is read when the disk lets it."""

    is_there: asyncio.Event = field(default_factory=asyncio.Event)
    is_wanted: asyncio.Event = field(default_factory=asyncio.Event)

    def roots(self) -> tuple[Path, ...]:
        return (Path("/w"),)

    def locate(self, path: str, use: Literal["read", "write"]) -> Place:
        del use
        return Place(path, Path("/w") / path, path, Standing.INSIDE, Path("/w"))

    async def read(self, place: Place) -> FileText:
        del place
        self.is_wanted.set()
        await self.is_there.wait()
        return FileText("one\ntwo\nthree\n", Base(None, ""), is_open=False)

    async def list_folder(self, place: Place, *, is_recursive: bool, limit: int) -> Listing:
        del place, is_recursive, limit
        return Listing(("a.txt",), 0)


def briefing(files: OneFile) -> TaskBriefing:
    context = (ContextReference("a.txt", 2, 3),)
    facts = TaskFacts("1", Path("/s"), "p", lambda: "code", lambda: PermissionMode.DEFAULT, context)
    return TaskBriefing(facts, files, (), EditorContext, lambda: None)


async def test_attached_lines_and_the_tree_are_told_once() -> None:
    files = OneFile()
    files.is_there.set()
    told = briefing(files)

    first, second = await told.environment(), await told.environment()

    assert first is not None
    assert first.texts[0] == '<attached path="a.txt" lines="2-3">\ntwo\nthree\n</attached>'
    assert "Files in /w:\na.txt" in first.texts[1]
    assert second is None


async def test_what_a_cancelled_turn_did_not_tell_is_told_by_the_next() -> None:
    files = OneFile()
    told = briefing(files)
    first = asyncio.create_task(told.environment())
    await files.is_wanted.wait()
    first.cancel()
    await asyncio.wait([first])

    files.is_there.set()

    words = await told.environment()

    assert words is not None
    assert words.texts[0].startswith("<attached")
