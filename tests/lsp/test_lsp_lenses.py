from dataclasses import replace

import pytest
from test_lsp_waiting import CHANGE, FIRST, SECOND, URI, command, propose, settle

from agent_lsp.lsp.capabilities import initialize_result
from support.front_door import FrontDoor
from support.lsp_client import Json


async def shown(door: FrontDoor, uri: str = URI) -> list[tuple[int, str, str, list[str]]]:
    """Each lens: its line, its title, and what it does."""
    found: list[Json] = await door.client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return [
        (lens["range"]["start"]["line"], *(lens["command"][key] for key in ("title", "command", "arguments")))
        for lens in found
    ]


async def test_each_hunk_can_be_decided_above_the_lines_it_changes(plain: FrontDoor) -> None:
    propose(plain)

    assert await shown(plain) == [
        (1, "Agent: approve all 2 hunks", "agent.approve", ["7", "t1"]),
        (1, "Reject all 2 hunks", "agent.reject", ["", "7", "t1"]),
        (1, "Show diff", "agent.showDiff", ["t1"]),
        (1, "Approve this hunk", "agent.acceptHunk", [FIRST, "7", "t1"]),
        (1, "Reject this hunk", "agent.rejectHunk", [FIRST, "7", "t1"]),
        (28, "Approve this hunk", "agent.acceptHunk", [SECOND, "7", "t1"]),
        (28, "Reject this hunk", "agent.rejectHunk", [SECOND, "7", "t1"]),
    ]
    assert await shown(plain, "file:///w/other.txt") == []


async def test_lenses_go_with_what_they_decided(plain: FrontDoor) -> None:
    propose(plain)
    await command(plain, "agent.rejectHunk", FIRST)
    after_one = await shown(plain)
    settle(plain)

    assert {line for line, *_ in after_one} == {28}
    assert await shown(plain) == []


async def test_a_single_hunk_is_decided_as_a_whole(plain: FrontDoor) -> None:
    propose(plain, change=replace(CHANGE, hunks=CHANGE.hunks[:1]))

    assert [title for _, title, *_ in await shown(plain)] == [
        "Agent: approve the change",
        "Reject the change",
        "Show diff",
    ]


@pytest.mark.parametrize(
    ("capabilities", "are_announced"),
    [
        ({"textDocument": {"codeLens": {}}}, True),
        ({}, False),
        ({"textDocument": {"codeLens": {}}, "experimental": {"agent": {"protocolVersion": 1}}}, False),
    ],
)
def test_lenses_are_for_clients_that_draw_them_and_have_no_plugin(capabilities: Json, *, are_announced: bool) -> None:
    announced = initialize_result({"capabilities": capabilities})["capabilities"]

    assert isinstance(announced, dict)
    assert ("codeLensProvider" in announced) == are_announced


async def test_lenses_are_drawn_anew_when_something_is_decided(door: FrontDoor) -> None:
    await door.client.initialize(agent=None, capabilities={"workspace": {"codeLens": {"refreshSupport": True}}})

    def refreshes() -> int:
        return [method for method, _ in door.client.questions].count("workspace/codeLens/refresh")

    propose(door)
    await door.client.until(lambda: refreshes() == 1)
    settle(door)
    await door.client.until(lambda: refreshes() == 2)
