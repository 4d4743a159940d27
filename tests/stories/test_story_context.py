"""Long tasks in small windows: whatever is read and said, each request fits, and the task goes on to its end."""

import os
import random
from pathlib import Path

import pytest
from story import Story, story

from support.model_script import CallTool, Part, Say
from support.model_server import APIS
from support.narrow_model import NarrowModel, single_characters, three_bytes, words_and_marks

STEPS = int(os.environ.get("AGENT_LSP_TEST_STEPS", "60"))
WRITES = {"autoApprove": {"read": True, "write": True}}


class Work:
    """What an agent does all day: reads, much and little, several at once; writes; notes what is to be done."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._random = random.Random(7)

    def __call__(self, number: int) -> list[Part]:
        if number >= self._steps:
            return [CallTool("attempt_completion", result=f"Did {number} steps.")]
        lines = self._random.choice([5, 20, 60, 60, 200, 2_000])
        read = CallTool("read_file", path="long.txt", offset=number % 1_500 + 1, limit=lines)
        match number % 10:
            case 3:
                return [Say("I look at two places. " * 10), read, CallTool("read_file", path=f"small{number % 7}.txt")]
            case 5:
                return [CallTool("write_to_file", path=f"out/{number % 9}.txt", content=f"step {number}\n" * lines)]
            case 8:
                return [CallTool("update_todo_list", todos=f"[x] begin\n[-] step {number}\n[ ] end")]
            case _:
                return [read]


def prepare_in(workspace: Path) -> None:
    workspace.mkdir(exist_ok=True)
    lines = (f"{n}: the value of item {n} is {n * n}, and of its twin {n + 7}\n" for n in range(4_000))
    (workspace / "long.txt").write_text("".join(lines))
    for n in range(7):
        (workspace / f"small{n}.txt").write_text(f"small file {n}\n")


async def until_it_rests(s: Story) -> dict:
    """However long it takes, as long as something comes."""
    while not (ask := s.picture.ask()):
        seen = len(s.client.notifications)
        await s.client.until(lambda seen=seen: len(s.client.notifications) > seen)
    return ask


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("api", "window", "count"),
    [
        ("anthropic", 32_000, words_and_marks),
        ("openai", 32_000, three_bytes),
        ("openai-responses", 32_000, single_characters),
        ("anthropic", 12_000, three_bytes),
        ("openai", 8_192, words_and_marks),
        ("openai-responses", 8_192, words_and_marks),
    ],
)
async def test_a_long_task_ends_in_a_small_window(tmp_path: Path, api: str, window: int, count) -> None:
    model = NarrowModel(window, Work(STEPS), count)
    async with story(tmp_path, model.play, api=api, profile={"window": window}, settings=WRITES) as s:
        prepare_in(s.workspace)
        await s.new_task("Look through all of it, and never touch main.py.")
        completion = await until_it_rests(s)

        kinds = s.picture.kinds()
        assert (completion["ask"], completion.get("text")) == ("completion_result", f"Did {STEPS} steps.")
        assert "api_req_failed" not in kinds
        assert [m["text"] for m in s.picture.messages.values() if m.get("say") == "condense_context_error"] == []
        assert all("never touch main.py" in str(request.items[0]) for request in model.requests)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("counts", [True, False], ids=["counting", "silent"])
async def test_a_window_that_is_smaller_than_was_said_is_found_out(tmp_path: Path, api: str, counts: bool) -> None:
    model = NarrowModel(12_000, Work(STEPS), tells_figures=counts)
    async with story(
        tmp_path, model.play, api=api, profile={"window": 200_000, "maxOutput": 2_000}, settings=WRITES
    ) as s:
        prepare_in(s.workspace)
        await s.new_task("Look through all of it.")
        completion = await until_it_rests(s)

        print(
            api,
            counts,
            "steps",
            STEPS,
            "requests",
            len(model.requests),
            "summaries",
            model.summaries,
            "refused",
            model.refused,
        )
        assert (completion["ask"], completion.get("text")) == ("completion_result", f"Did {STEPS} steps.")
        assert "api_req_failed" not in s.picture.kinds()
        assert 0 < model.refused <= 3
