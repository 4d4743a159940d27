"""Long tasks, long answers and slow clients: nothing grows that need not, nothing stalls, nothing is lost."""

import itertools
import json
from pathlib import Path

from story import story

from support.model_server import Answer, CallTool, Hold, Say, SeenRequest

STEPS = 200


def reads(index: int, request: SeenRequest) -> list:
    del request
    if index == STEPS:
        return [CallTool("attempt_completion", result="Read it all.")]
    return [CallTool("read_file", path="a.txt", offset=index + 1, limit=1)]


async def test_two_hundred_steps_write_little_and_evenly(tmp_path: Path) -> None:
    async with story(tmp_path, reads) as s:
        s.file("a.txt", "".join(f"line {n}\n" for n in range(STEPS)))
        await s.new_task()
        await s.ask("completion_result")

        journal = (s.state / "tasks" / s.task_id / "journal.jsonl").read_bytes().splitlines()
        sizes = [len(line) for line in journal]
        early, late = sum(sizes[100:300]), sum(sizes[-300:-100])
        assert late <= early * 1.2
        assert sum(sizes) < 600 * STEPS * 4
        notified = [len(json.dumps(params)) for _, params in s.client.notifications]
        assert sum(notified[-300:-100]) <= sum(notified[100:300]) * 1.2


async def test_the_prompt_of_a_step_is_the_start_of_the_next_ones(tmp_path: Path) -> None:
    async with story(
        tmp_path,
        [
            *[[CallTool("list_files", path=f"d{n}", recursive=False)] for n in range(3)],
            [CallTool("attempt_completion", result="x")],
        ],
        api="openai",
    ) as s:
        for n in range(3):
            s.file(f"d{n}/f.txt", "x")
        await s.new_task()
        await s.ask("completion_result")

        bodies = [request.body for request in s.model.requests]
        for before, after in itertools.pairwise(bodies):
            assert after["messages"][: len(before["messages"])] == before["messages"]
            assert after["tools"] == before["tools"]


async def test_twenty_thousand_chunks_reach_the_client_merged(tmp_path: Path) -> None:
    answer = Answer((Say("word ", times=20_000), CallTool("attempt_completion", result="x")), piece=5)
    async with story(tmp_path, [answer]) as s:
        await s.new_task()
        await s.ask("completion_result")

        texts = [m for m in s.picture.update().messages.values() if m.get("say") == "text"]
        assert texts[1]["text"] == "word " * 20_000
        assert len(s.client.named("agent/messageDelta")) < 1_000
        sent = sum(len(json.dumps(params)) for _, params in s.client.notifications)
        assert sent <= 3 * 100_000


async def test_a_client_that_stops_reading_does_not_stall_the_task(tmp_path: Path) -> None:
    hold = Hold()
    answer = Answer((Say("word ", times=60_000), hold, CallTool("attempt_completion", result="x")), piece=5)
    async with story(tmp_path, [answer]) as s:
        await s.new_task()
        s.client.is_reading.clear()
        await hold.reached.wait()
        hold.release.set()
        journal = s.state / "tasks" / s.task_id / "journal.jsonl"
        while b"completion_result" not in journal.read_bytes():
            await s.model.arrived(1)
            await settle_down()
        s.client.is_reading.set()
        await s.ask("completion_result")

        texts = [m for m in s.picture.update().messages.values() if m.get("say") == "text"]
        assert texts[1]["text"] == "word " * 60_000
        assert s.picture.seqs == list(range(1, len(s.picture.seqs) + 1))


async def settle_down() -> None:
    """Give the other process a moment of this machine's time."""
    import asyncio

    await asyncio.to_thread(lambda: None)
