"""The event loop goes on while large texts are compared, merged and written: no turn of it costs what the work costs."""

import asyncio
import time
from collections.abc import Coroutine
from typing import TypeVar

import pytest
from workspace_editor import FakeEditor
from workspace_garden import ALL, Garden

from agent_lsp.domain.files import Applied, Moved, Selection
from agent_lsp.workspace.diffs import compare
from support.timing import cpu_seconds

T = TypeVar("T")
LARGE = "".join(f"line {number} of many\n" for number in range(100_000))
CHANGED = LARGE.replace("line 77 ", "changed ").replace("line 50000 ", "changed too ")
TYPED = LARGE.replace("line 30000 ", "typed ")
MUCH = 0.3
"""Of what one comparison of the texts costs. What the loop really has to do with them is a small part of it."""


async def longest_turn(work: Coroutine[None, None, T]) -> tuple[T, float]:
    """Do the work, and tell the CPU time of the loop's longest turn meanwhile."""
    task, longest, began = asyncio.ensure_future(work), 0.0, time.thread_time()
    while not task.done():
        await asyncio.sleep(0)
        now = time.thread_time()
        longest, began = max(longest, now - began), now
    return task.result(), longest


@pytest.fixture(scope="module")
def limit() -> float:
    return MUCH * cpu_seconds(lambda: compare("a.txt", LARGE, CHANGED))


async def test_loop_turns_while_a_large_change_is_worked_out(garden: Garden, limit: float) -> None:
    (garden.root / "a.txt").write_text(LARGE)
    edit = await garden.edit("a.txt", CHANGED)

    proposal, turn = await longest_turn(garden.files.propose([edit]))

    assert proposal.changes[0].added == CHANGED.count("changed")
    assert turn < limit


async def test_loop_turns_while_hunks_of_a_large_change_are_left_out(garden: Garden, limit: float) -> None:
    (garden.root / "a.txt").write_text(LARGE)
    proposal = await garden.propose({"a.txt": CHANGED})
    first = proposal.changes[0].hunks[0].id

    outcome, turn = await longest_turn(garden.files.apply(proposal, Selection(frozenset({first}))))

    assert isinstance(outcome, Applied)
    assert turn < limit


async def test_loop_turns_while_typing_in_a_large_document_is_merged(
    garden: Garden, editor: FakeEditor, limit: float
) -> None:
    uri = editor.open(garden.root / "a.txt", LARGE)
    proposal = await garden.propose({"a.txt": CHANGED})
    editor.type(uri, TYPED)

    outcome, turn = await longest_turn(garden.files.apply(proposal, ALL))

    assert isinstance(outcome, Applied | Moved)
    assert turn < limit
