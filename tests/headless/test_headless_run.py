import asyncio
import json
import os
import signal
from collections.abc import Sequence

import pytest
from headless_hall import COMMAND, EDIT, ROOT, ScriptedConsole, ScriptedHall, ask, say

from agent_lsp import __version__
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import NotConfigured, StorageProblem
from agent_lsp.domain.messages import Ask, Message, Response, Say
from agent_lsp.domain.requests import AskReply, NewTask
from agent_lsp.domain.status import PermissionMode
from agent_lsp.headless.answers import DECIDE, NOBODY
from agent_lsp.headless.interruptions import Interruptions
from agent_lsp.headless.options import OutputFormat, RunOptions
from agent_lsp.headless.run import run_at

TASK = say(1, Say.TEXT, "Fix it.")
DONE = ask(9, Ask.COMPLETION_RESULT, "All is well.")
EDIT_ASK = ask(2, Ask.TOOL, json.dumps(EDIT))
COMMAND_ASK = ask(3, Ask.COMMAND, json.dumps(COMMAND))
USAGE = {"tokensIn": 1200, "tokensOut": 34, "cacheReads": 0, "cacheWrites": 0, "cost": 0.0125}


async def run(console: ScriptedConsole, hall: ScriptedHall, options: RunOptions | None = None) -> int:
    async with asyncio.timeout(10):
        with Interruptions() as interruptions:
            return await run_at(console, hall, options or RunOptions("Fix it.", ROOT), interruptions)


def options(output_format: OutputFormat, *, is_quiet: bool = False, approves_all: bool = False) -> RunOptions:
    return RunOptions("Fix it.", ROOT, approves_all, output_format=output_format, is_quiet=is_quiet)


async def test_task_is_shown_from_its_words_to_its_cost() -> None:
    hall, console = ScriptedHall([TASK, DONE]), ScriptedConsole()

    code = await run(console, hall)

    assert code == 0
    assert console.shown == "❯ Fix it.\n\n✓ Completed\nAll is well.\n\n1,200 tokens in · 34 out · $0.0125\n"
    assert (console.warned, hall.deeds) == ("", ["close"])


async def test_task_starts_with_what_the_options_say() -> None:
    hall = ScriptedHall([DONE])

    options = RunOptions("Fix it.", ROOT, mode="ask", permission_mode=PermissionMode.PLAN, profile="work")
    await run(ScriptedConsole(), hall, options)

    assert hall.asked_for == [NewTask("Fix it.", mode="ask", profile="work", permission_mode=PermissionMode.PLAN)]


@pytest.mark.parametrize(("mode", "response"), [(None, "yesButtonClicked"), ("ask", "noButtonClicked")])
async def test_mode_that_was_named_is_not_left_unasked(mode: str | None, response: str) -> None:
    switch = ask(2, Ask.TOOL, json.dumps({"tool": "switchMode", "mode": "code"}))
    hall = ScriptedHall([switch, DONE])

    await run(ScriptedConsole(), hall, RunOptions("Fix it.", ROOT, mode=mode, approves_all=True))

    assert [reply.response for reply in hall.replies] == [response]


async def test_person_answers_at_the_terminal() -> None:
    hall = ScriptedHall([EDIT_ASK, COMMAND_ASK, DONE])
    console = ScriptedConsole(["y", "run it in src"])

    code = await run(console, hall)

    assert hall.replies == [AskReply(Response.YES), AskReply(Response.NO, "run it in src")]
    assert (code, console.prompts) == (0, ["[y]es / [n]o / words to say no with: "] * 2)


async def test_empty_line_is_asked_again() -> None:
    hall, console = ScriptedHall([COMMAND_ASK, DONE]), ScriptedConsole(["", " ", "n"])

    await run(console, hall)

    assert (len(console.prompts), hall.replies) == (3, [AskReply(Response.NO)])


async def test_without_a_person_approvals_are_refused_and_the_task_does_not_count_as_done() -> None:
    hall, console = ScriptedHall([EDIT_ASK, DONE]), ScriptedConsole()

    code = await run(console, hall)

    assert hall.replies == [AskReply(Response.NO, NOBODY)]
    assert (code, console.warned) == (
        1,
        "agent-lsp: One approval was refused, since nobody could be asked: run it in a terminal, or with --yes.\n",
    )


async def test_recorded_answer_without_words_leaves_a_question_to_who_is_there() -> None:
    hall = ScriptedHall([ask(2, Ask.FOLLOWUP, "{}"), DONE])

    with Interruptions() as interruptions:
        await run_at(
            ScriptedConsole(),
            hall,
            RunOptions("Fix it.", ROOT),
            interruptions,
            [(Ask.FOLLOWUP, AskReply(Response.MESSAGE))],
        )

    assert hall.replies == [AskReply(Response.MESSAGE, DECIDE)]


async def test_person_who_leaves_is_asked_no_more() -> None:
    hall, console = ScriptedHall([EDIT_ASK, COMMAND_ASK, DONE]), ScriptedConsole(["y"])

    code = await run(console, hall)

    assert hall.replies == [AskReply(Response.YES), AskReply(Response.NO, NOBODY)]
    assert (code, len(console.prompts)) == (1, 2)


async def test_standing_yes_asks_nobody() -> None:
    hall, console = ScriptedHall([EDIT_ASK, COMMAND_ASK, DONE]), ScriptedConsole(["n", "n"])

    code = await run(console, hall, RunOptions("Fix it.", ROOT, approves_all=True))

    assert (code, hall.replies, console.prompts) == (0, [AskReply(Response.YES)] * 2, [])


async def test_what_a_standing_yes_does_not_cover_is_asked() -> None:
    protected = ask(2, Ask.TOOL, json.dumps(EDIT | {"isProtected": True}))
    hall, console = ScriptedHall([protected, DONE]), ScriptedConsole(["y"])

    code = await run(console, hall, RunOptions("Fix it.", ROOT, approves_all=True))

    assert (code, hall.replies, len(console.prompts)) == (0, [AskReply(Response.YES)], 1)


@pytest.mark.parametrize(
    ("last", "sentence"),
    [
        (
            ask(2, Ask.API_REQ_FAILED, json.dumps({"message": "Overloaded.", "status": 529, "attempts": 5})),
            "Overloaded. (status 529) Tried 5 times.",
        ),
        (
            ask(2, Ask.API_REQ_FAILED, json.dumps({"message": "Bad key.", "attempts": 1, "hint": "Set a key."})),
            "Bad key. Set a key.",
        ),
        (ask(2, Ask.MISTAKE_LIMIT_REACHED, "It is stuck."), "It is stuck."),
        (
            ask(2, Ask.AUTO_APPROVAL_MAX_REQ_REACHED, json.dumps({"count": 3, "limit": 3, "type": "requests"})),
            "The request limit is reached: 3 of 3.",
        ),
        (
            ask(2, Ask.AUTO_APPROVAL_MAX_REQ_REACHED, json.dumps({"count": 0.6, "limit": 0.5, "type": "cost"})),
            "The cost limit is reached: $0.6 of $0.5.",
        ),
        (
            ask(2, Ask.AUTO_APPROVAL_MAX_REQ_REACHED, json.dumps({"count": 0.4, "limit": 0.5, "type": "cost"})),
            "One more request would pass the cost limit: $0.4 of $0.5 are spent.",
        ),
        (ask(2, Ask.RESUME_TASK), "The task was stopped before it was done."),
    ],
)
async def test_task_that_stops_early_fails_with_a_sentence(last: Message, sentence: str) -> None:
    console = ScriptedConsole()

    code = await run(console, ScriptedHall([last]), RunOptions("Fix it.", ROOT, approves_all=True))

    assert (code, console.warned) == (1, f"agent-lsp: {sentence}\n")


async def test_person_lets_a_failed_request_be_tried_again() -> None:
    failed = ask(2, Ask.API_REQ_FAILED, json.dumps({"message": "Overloaded.", "attempts": 5}))
    hall = ScriptedHall([failed, DONE])

    code = await run(ScriptedConsole(["y"]), hall)

    assert (code, hall.replies) == (0, [AskReply(Response.YES)])


async def test_task_that_cannot_start_says_why() -> None:
    hall = ScriptedHall([], failure=NotConfigured("No provider is set: set one."))
    console = ScriptedConsole()

    code = await run(console, hall)

    assert (code, console.shown, console.warned) == (1, "", "agent-lsp: No provider is set: set one.\n")
    assert hall.deeds == ["close"]


async def test_task_without_a_model_says_what_could_be_done() -> None:
    hall = ScriptedHall([], failure=NotConfigured("No model is set up."), advised=("Ollama runs here.",))
    console = ScriptedConsole()

    await run(console, hall)

    assert console.warned == "agent-lsp: No model is set up. Ollama runs here.\n"


async def test_task_that_cannot_be_stored_to_its_end_has_failed() -> None:
    console = ScriptedConsole()

    code = await run(console, ScriptedHall([DONE], close_failure=StorageProblem("The disk is full.")))

    assert (code, console.warned) == (1, "agent-lsp: The disk is full.\n")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
async def test_signal_cancels_and_closes(number: signal.Signals, code: int) -> None:
    hall, console = ScriptedHall([TASK]), ScriptedConsole()

    async with asyncio.TaskGroup() as group:
        running = group.create_task(run(console, hall))
        await hall.at_rest.wait()
        os.kill(os.getpid(), number)

    assert (running.result(), hall.deeds) == (code, ["cancel t1", "close"])
    assert console.warned == "agent-lsp: The task was cancelled.\n"


async def test_lost_reader_cancels_and_closes() -> None:
    hall = ScriptedHall([TASK])

    with Interruptions() as interruptions:
        running = asyncio.ensure_future(run_at(ScriptedConsole(), hall, RunOptions("Fix it.", ROOT), interruptions))
        await hall.at_rest.wait()
        interruptions.break_pipe()
        interruptions.break_pipe()
        code = await running

    assert (code, hall.deeds) == (1, ["cancel t1", "close"])


def lines(console: ScriptedConsole) -> list[Json]:
    return [json.loads(line) for line in console.shown.splitlines()]


async def test_json_is_one_object_with_all_messages() -> None:
    console = ScriptedConsole()

    code = await run(console, ScriptedHall([TASK, DONE]), options(OutputFormat.JSON))

    assert code == 0
    assert lines(console) == [
        {
            "type": "result",
            "success": True,
            "ending": "completed",
            "taskId": "t1",
            "result": "All is well.",
            "usage": USAGE,
            "refusals": 0,
            "messages": [
                {"ts": 1, "type": "say", "say": "text", "text": "Fix it."},
                {"ts": 9, "type": "ask", "ask": "completion_result", "text": "All is well."},
            ],
        }
    ]


async def test_stream_of_json_begins_with_init_and_ends_with_the_result() -> None:
    console = ScriptedConsole()

    await run(console, ScriptedHall([TASK, DONE]), options(OutputFormat.STREAM_JSON))

    first, *notices, last = lines(console)
    assert first == {
        "type": "system",
        "subtype": "init",
        "protocolVersion": 1,
        "serverVersion": __version__,
        "cwd": str(ROOT),
    }
    assert [notice["type"] for notice in notices] == ["message", "message", "state"]
    assert notices[0] == {
        "type": "message",
        "taskId": "t1",
        "instanceId": "i1",
        "seq": 1,
        "message": {"ts": 1, "type": "say", "say": "text", "text": "Fix it."},
    }
    assert (last["type"], last["success"], "messages" in last) == ("result", True, False)


@pytest.mark.parametrize(
    ("output_format", "types"),
    [(OutputFormat.JSON, ["result"]), (OutputFormat.STREAM_JSON, ["system", "result"])],
)
async def test_quiet_json_tells_the_result_alone(output_format: OutputFormat, types: Sequence[str]) -> None:
    console = ScriptedConsole()

    await run(console, ScriptedHall([TASK, DONE]), options(output_format, is_quiet=True))

    seen = lines(console)
    assert [line["type"] for line in seen] == types
    assert "messages" not in seen[-1]


async def test_quiet_text_is_the_result_alone() -> None:
    console = ScriptedConsole()

    await run(console, ScriptedHall([TASK, DONE]), options(OutputFormat.TEXT, is_quiet=True))

    assert console.shown == "All is well.\n"


async def test_person_is_shown_beside_the_output_what_a_machine_format_asks() -> None:
    console = ScriptedConsole(["y"])

    await run(console, ScriptedHall([COMMAND_ASK, DONE]), options(OutputFormat.JSON))

    assert console.warned == "? run\n  $ make test\n"


@pytest.mark.parametrize("output_format", [OutputFormat.JSON, OutputFormat.STREAM_JSON])
async def test_failure_is_told_in_the_result_too(output_format: OutputFormat) -> None:
    console = ScriptedConsole()

    await run(console, ScriptedHall([], failure=NotConfigured("Set a key.")), options(output_format))

    last = lines(console)[-1]
    assert (last["success"], last["ending"], last["taskId"], last["error"]) == (False, "failed", None, "Set a key.")


async def test_slow_reader_makes_the_task_hold_back() -> None:
    hall = ScriptedHall([TASK, DONE])
    console = ScriptedConsole(is_slow=True)

    await run(console, hall)

    assert hall._listener is not None
    assert hall._listener.is_congested()
