"""What services keep of a prompt stays good: each request begins as the one before it, whatever happens in a task."""

import asyncio
import os
import random
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from prompt_prefix import cacheable_share, has_same_beginning, is_start, marks
from story import NO, YES, Story, story

from support.model_requests import SeenRequest
from support.model_server import APIS, Answer, CallTool, Say, ScriptedServer

STEPS = 50
TASKS = int(os.environ.get("AGENT_LSP_TEST_TASKS", "1"))


def answer(number: int, dice: random.Random) -> Answer:
    """What a model might do: read, look, edit, run something, talk; at the end it is done."""
    if number >= STEPS - 1:
        return Answer((CallTool("attempt_completion", result="done"),))
    name = f"src/{dice.randrange(5)}.py"
    parts = [
        (CallTool("read_file", path=name, limit=200 + number),),
        (
            Say("Looking."),
            CallTool("list_files", path=f"src/{number}"),
            CallTool("search_files", path=".", regex=f"{number}"),
        ),
        (CallTool("write_to_file", path=name, content=f"x = {number}\n" * 30),),
        tuple(CallTool("read_file", path=name, limit=100 + at) for at in range(dice.randrange(1, 24))),
        (CallTool("execute_command", command=f"echo {number}; sleep 0.1; echo two", timeout=0.02),),
        (Say(f"I think about {number}."),),
        (CallTool("no_such_tool", number=number), CallTool("read_file", path="../outside")),
    ]
    weights = (6, 3, 3, 2, 1, 1, 1)
    return Answer(dice.choices(parts, weights)[0])


async def act(s: Story, number: int, dice: random.Random) -> None:
    """What a user might do while a task runs."""
    match dice.randrange(8):
        case 0:
            await s.client.request(
                "agent/sendMessage", {"taskId": s.task_id, "text": f"see @/src/{number % 5}.py", "delivery": "steer"}
            )
        case 1:
            s.file("AGENTS.md", f"Rule {number}.")
        case 2:
            s.file(f"src/{number % 5}.py", f"typed = {number}\n")
        case 3:
            await s.client.request("agent/setMode", {"taskId": s.task_id, "mode": dice.choice(["code", "debug"])})
        case 4:
            active = {"uri": (s.workspace / f"src/{number % 5}.py").as_uri()}
            s.client.notify("agent/editorContext", {"active": active, "terminals": [{"name": f"zsh {number}"}]})
        case 5:
            s.file(f"src/{number}/AGENTS.md", "Of a folder.")
        case _:
            return


async def decide(s: Story, dice: random.Random) -> None:
    """Answer whatever is asked, with a no now and then, and words beside."""
    answered = set[int]()

    def asked():
        waiting = s.picture.ask()
        return waiting if waiting and waiting["ask"] in ("tool", "command") and waiting["ts"] not in answered else None

    while True:
        with suppress(TimeoutError):
            ask = await s.client.until(asked)
            answered.add(ask["ts"])
            is_no = dice.random() < 0.3
            await s.answer(NO if is_no else YES, ts=ask["ts"], **({"text": "not @/src/1.py"} if is_no else {}))


async def play(s: Story, model: ScriptedServer, dice: random.Random) -> list[SeenRequest]:
    for number in range(5):
        s.file(f"src/{number}.py", f"y = {number}\n" * 100)
    await s.new_task("Work on @/src/ and @/src/0.py")
    deciding = asyncio.create_task(decide(s, dice))
    try:
        for number in range(1, STEPS + 1):
            async with asyncio.timeout(60):
                await model.arrived(number)
            if number < STEPS:
                await act(s, number, dice)
        await s.ask("completion_result")
    finally:
        deciding.cancel()
        with suppress(asyncio.CancelledError):
            await deciding
    return model.requests


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("seed", range(TASKS))
async def test_each_request_begins_as_the_one_before(tmp_path: Path, api: str, seed: int) -> None:
    dice, user = random.Random(seed), random.Random(seed + 1)
    async with story(
        tmp_path, lambda number, _: answer(number, dice), api=api, settings={"limits": {"consecutiveMistakes": 0}}
    ) as s:
        requests = await play(s, s.model, user)

    assert [number for number, (before, after) in enumerate(pairwise(requests)) if not is_start(before, after)] == []
    assert all(has_same_beginning(before, after) for before, after in pairwise(requests))
    assert cacheable_share(requests) > 0.95
    if api == "anthropic":
        marked = list(map(marks, requests))
        assert max(found.count for found in marked) <= 4
        assert all(before.reach(after) for before, after in pairwise(marked))
