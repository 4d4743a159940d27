"""What a turn does with a model's answers: results for calls, nudges, limits, faults, cancels."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.agent import mistakes, nudges, settle
from agent_lsp.agent.loop import run_turn
from agent_lsp.domain.events import CallGrowing, Kept, RetryDelayed, Said, StepEnded, StepStarted, TextGrew
from agent_lsp.domain.history import HistoryItem, Reply, Result, Spoken, Words
from agent_lsp.domain.model import CallBegan, CallGrew, Stopped, StopReason, TextDelta
from agent_lsp.domain.turns import After, Completed, LimitReached, MistakeLimit, Outcome, RequestFailed
from support.kitchen import Kitchen, ScriptedModel, ScriptedTools, Surroundings, calls, lasting, passing, says, words_at

DONE = Outcome("shown", after=After.COMPLETED, completion="all is well")


def kitchen(*answers, **outcomes) -> Kitchen:
    return Kitchen(ScriptedModel([*answers]), ScriptedTools({"finish": DONE, **outcomes}))


async def run(k: Kitchen):
    async with asyncio.timeout(10):
        return await run_turn(k.history, k.ports, k.emit)


def results(k: Kitchen) -> list[tuple[str, str, bool]]:
    return [(item.call_id, item.text, item.is_error) for item in k.history if isinstance(item, Result)]


async def test_calls_of_one_message_get_their_results_in_order() -> None:
    k = kitchen(calls("read", "list"), calls("finish"))

    ending = await run(k)

    assert ending == Completed("all is well")
    assert results(k) == [("read-0", "read done", False), ("list-1", "list done", False), ("finish-0", "shown", False)]


async def test_calls_after_a_rejected_one_are_not_run() -> None:
    k = kitchen(calls("write", "read"), calls("finish"), write=Outcome("no: ask first", after=After.REJECTED))

    await run(k)

    assert [name for name, _ in k.tools.ran] == ["write", "finish"]
    assert results(k)[1] == ("read-1", settle.AFTER_REJECTION, True)


async def test_calls_after_completion_are_not_run() -> None:
    k = kitchen(calls("finish", "write"))

    ending = await run(k)

    assert ending == Completed("all is well")
    assert results(k)[1] == ("write-1", settle.AFTER_COMPLETION, True)


async def test_a_tool_learns_that_an_earlier_one_of_its_message_failed() -> None:
    k = kitchen(calls("bad", "good"), calls("finish"), bad=Outcome("broken", is_error=True))

    await run(k)

    assert k.tools.ran == [("bad", False), ("good", True), ("finish", False)]


async def test_a_failed_call_is_shown_to_the_user_in_one_line() -> None:
    k = kitchen(
        calls("bad", "begun", "denied", "good"),
        calls("finish"),
        bad=Outcome("There is no file x.\nTry y.", is_error=True),
        begun=Outcome("It ended with 1:\nlines", is_error=True),
        denied=Outcome("Not allowed.", is_error=True, is_shown=True),
    )

    await run(k)

    assert [event.text for event in k.events if isinstance(event, Said)] == [
        "bad: There is no file x.",
        "begun: It ended with 1…",
    ]


async def test_an_answer_without_a_call_is_nudged_quietly_once_then_counted() -> None:
    k = kitchen(says("Hello."), says("Hm."), says("Well."), says("So."))
    k.mistakes = 2

    ending = await run(k)

    assert ending == MistakeLimit(mistakes.LOST)
    assert [item.texts[0] for item in k.history[1:] if isinstance(item, Words)] == [nudges.NO_CALL] * 3
    assert sum(1 for event in k.events if not isinstance(event, Kept) and "Said" in type(event).__name__) == 2


NO_SUCH_TOOL = "There is no tool 'make_coffee' here. Available: read_file, finish. Go on with a tool call; "


@pytest.mark.parametrize(
    "answer",
    [
        "<make_coffee>\n<cups>2</cups>\n</make_coffee>\n",
        "<make_coffee></make_coffee>",
        "```xml\n<make_coffee><cups>2</cups></make_coffee>\n```",
    ],
)
async def test_who_writes_a_call_of_no_tool_is_told_those_there_are(answer: str) -> None:
    k = kitchen(says(answer), calls("finish"))
    k.tools.names = ("read_file", "finish")

    await run(k)

    assert words_at(k.history, 2).texts[0].startswith(NO_SUCH_TOOL)


@pytest.mark.parametrize(
    "answer",
    [
        "I could <make_coffee>now</make_coffee>",
        "<make_coffee>now</make_coffee> is what I would do.",
        "<make_coffee>now</make_tea>",
        "<read_file>",
        "<read_file>a</read_file>",
        "<" * 100_000,
    ],
)
async def test_prose_with_tags_stays_prose(answer: str) -> None:
    k = kitchen(says(answer), calls("finish"))
    k.tools.names = ("read_file", "finish")

    await run(k)

    assert words_at(k.history, 2).texts == (nudges.NO_CALL,)


async def test_an_answer_cut_off_at_the_output_limit_is_told_so() -> None:
    k = kitchen([TextDelta("and then"), Stopped(StopReason.LENGTH)], calls("finish"))

    await run(k)

    assert isinstance(nudge := k.history[2], Words)
    assert nudge.texts == (nudges.CUT_OFF,)


async def test_mistakes_in_a_row_stop_the_turn_and_a_success_starts_anew() -> None:
    bad = Outcome("no path", is_error=True, is_mistake=True)
    outcomes = iter([bad, bad, Outcome("ok"), bad, bad, bad])
    k = kitchen(*[calls("tool", arguments=f'{{"n": {n}}}') for n in range(6)], tool=lambda: next(outcomes))

    ending = await run(k)

    assert ending == MistakeLimit(mistakes.LOST)
    assert len(k.tools.ran) == 6


async def test_mistakes_of_one_answer_count_once_as_the_model_has_read_none_of_them() -> None:
    bad = Outcome("no path", is_error=True, is_mistake=True)
    answers = [calls("one", "two", "one", "two", arguments=f'{{"n": {n}}}') for n in range(3)]
    k = kitchen(*answers, one=bad, two=bad)

    ending = await run(k)

    assert ending == MistakeLimit(mistakes.LOST)
    assert len(k.tools.ran) == 3 * 4


async def test_the_same_call_is_made_again_as_long_as_it_tells_something_new() -> None:
    outcomes = iter([*[Outcome("more", has_news=True)] * 5, Outcome("the same")])
    k = kitchen(*[calls("read")] * 7, read=lambda: next(outcomes))

    ending = await run(k)

    assert ending == MistakeLimit(mistakes.LOOPING)
    assert len(k.tools.ran) == 6
    assert results(k)[-1] == ("read-0", settle.REPEATED, True)


async def test_a_limit_of_zero_mistakes_never_stops_a_turn() -> None:
    bad = Outcome("no", is_error=True, is_mistake=True)
    k = kitchen(*[calls("tool", arguments=str(n)) for n in range(9)], calls("finish"), tool=bad)
    k.mistakes = 0

    ending = await run(k)

    assert ending == Completed("all is well")


async def test_the_same_call_three_times_over_is_not_run_again() -> None:
    k = kitchen(calls("read"), calls("read"), calls("read"))

    ending = await run(k)

    assert ending == MistakeLimit(mistakes.LOOPING)
    assert [name for name, _ in k.tools.ran] == ["read", "read"]
    assert results(k)[-1] == ("read-0", settle.REPEATED, True)


async def test_other_arguments_are_no_repetition() -> None:
    k = kitchen(*[calls("read", arguments=f'{{"path": "{n}"}}') for n in range(5)], calls("finish"))

    ending = await run(k)

    assert ending == Completed("all is well")


async def test_a_passing_fault_is_retried_and_counted_down() -> None:
    k = kitchen(passing("busy"), calls("finish"))

    ending = await run(k)

    assert ending == Completed("all is well")
    delays = [(event.attempt, event.seconds) for event in k.events if isinstance(event, RetryDelayed)]
    assert delays[0][0] == 1
    assert delays[-1] == (1, 0)
    assert 1.0 <= sum(k.surroundings.paused) <= 1.25


async def test_retry_after_is_kept() -> None:
    k = kitchen(passing(retry_after=7), calls("finish"))

    await run(k)

    assert sum(k.surroundings.paused) == 7


async def test_waits_grow_and_end_in_a_failure_that_tells_the_attempts() -> None:
    k = kitchen(*[passing("busy") for _ in range(9)])

    ending = await run(k)

    assert ending == RequestFailed("busy", 5, 529, None)
    assert 15 <= sum(k.surroundings.paused) <= 15 * 1.25


@pytest.mark.parametrize(
    ("fault", "ending"),
    [
        (lasting("bad key"), RequestFailed("bad key", 1, 401, "check it")),
        (
            passing("later", retry_after=4000),
            RequestFailed("later", 1, 529, "The service asks for a pause of 4000 s; retry after that."),
        ),
    ],
)
async def test_a_fault_that_will_not_pass_is_not_retried(fault, ending) -> None:
    k = kitchen(fault)

    assert await run(k) == ending
    assert len(k.model.histories) == 1


async def test_a_refusal_is_told_to_the_user() -> None:
    k = kitchen([TextDelta("I can't."), Stopped(StopReason.REFUSAL)])

    ending = await run(k)

    assert isinstance(ending, RequestFailed)
    assert "declined" in ending.message


async def test_a_reached_limit_stops_before_the_request() -> None:
    k = Kitchen(ScriptedModel([]), surroundings=Surroundings(limit=LimitReached("requests", 5, 5)))

    assert await run(k) == LimitReached("requests", 5, 5)
    assert k.model.histories == []


async def test_steering_and_news_reach_the_model_with_the_next_request() -> None:
    k = kitchen(calls("read"), calls("finish"))
    k.surroundings.environments = ["you are here"]
    k.surroundings.steering = [Words(("mind the gap",))]

    await run(k)

    assert [item.texts for item in k.model.histories[0] if isinstance(item, Words)] == [
        ("do it",),
        ("mind the gap",),
        ("you are here",),
    ]
    assert len(k.model.histories[1]) == len(k.model.histories[0]) + 2


async def test_a_cancelled_stream_keeps_what_was_said_and_drops_the_calls() -> None:
    held = asyncio.Event()
    k = kitchen()

    async def stream(request):
        del request
        yield [TextDelta("half a "), TextDelta("word"), CallBegan(0, "x", "read"), CallGrew(0, "{")]
        held.set()
        await asyncio.Event().wait()

    k.model.stream = stream
    turn = asyncio.create_task(run_turn(k.history, k.ports, k.emit))
    await held.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn

    (ended,) = [event for event in k.events if isinstance(event, StepEnded)]
    assert (ended.cancel_reason, ended.is_estimated) == ("user_cancelled", True)
    assert isinstance(reply := k.history[-1], Reply)
    assert [part.text for part in reply.parts if isinstance(part, Spoken)] == ["half a word"]
    assert reply.calls == ()


async def test_a_cancelled_tool_settles_every_call_of_its_message() -> None:
    k = kitchen(calls("first", "second", "third"))
    k.tools.hangs_on = "second"
    turn = asyncio.create_task(run_turn(k.history, k.ports, k.emit))
    await k.tools.reached.wait()

    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn

    assert results(k) == [
        ("first-0", "first done", False),
        ("second-1", settle.INTERRUPTED, True),
        ("third-2", settle.NOT_STARTED, True),
    ]


async def test_a_name_no_service_would_take_back_is_made_speakable() -> None:
    k = kitchen([CallBegan(0, "a", "read file!"), CallBegan(1, "b", ""), Stopped(StopReason.CALLS)], calls("finish"))

    await run(k)

    assert isinstance(reply := k.history[1], Reply)
    assert [call.name for call in reply.calls] == ["read_file_", "unnamed"]


async def test_a_step_starts_and_ends_around_its_text() -> None:
    k = kitchen([TextDelta("a"), TextDelta("b"), *calls("finish")])

    await run(k)

    assert [type(event) for event in k.events[:5]] == [StepStarted, TextGrew, TextGrew, CallGrowing, StepEnded]


async def test_calls_are_told_as_they_are_written() -> None:
    k = kitchen([CallBegan(0, "c", "finish"), CallGrew(0, '{"a'), CallGrew(0, '": 1}'), *calls("finish")[2:]])

    await run(k)

    growing = [event for event in k.events if isinstance(event, CallGrowing)]
    assert growing == [CallGrowing("c", "finish", '{"a'), CallGrowing("c", "finish", '": 1}')]


MOVES = st.sampled_from(["ok", "fail", "reject", "mistake", "silence", "cut"])


@given(st.lists(st.lists(MOVES, min_size=1, max_size=4), min_size=1, max_size=6))
def test_every_call_has_exactly_one_result_directly_after_its_message(script: list[list[str]]) -> None:
    table = {
        "ok": Outcome("ok"),
        "fail": Outcome("bad", is_error=True),
        "reject": Outcome("no", after=After.REJECTED),
        "mistake": Outcome("what?", is_error=True, is_mistake=True),
        "silence": Outcome(""),
        "cut": Outcome("x" * 40),
    }
    answers = [says("Hm.") if "silence" in step else calls(*step, arguments=str(n)) for n, step in enumerate(script)]
    k = kitchen(*answers, calls("finish"), **table)

    asyncio.run(run(k))

    assert_paired(k.history)


def assert_paired(history: list[HistoryItem]) -> None:
    """Each reply's calls are followed, directly and in order, by one result each; no result stands elsewhere."""
    rest = list(history)
    while rest:
        item = rest.pop(0)
        assert not isinstance(item, Result)
        if isinstance(item, Reply):
            following = [rest.pop(0) for _ in item.calls]
            assert [r.call_id for r in following if isinstance(r, Result)] == [call.id for call in item.calls]


async def test_a_loop_within_one_message_is_seen_though_another_call_follows() -> None:
    kitchen = Kitchen(ScriptedModel([calls("read", "read", "read", "list")]))

    ending = await run_turn(kitchen.history, kitchen.ports, kitchen.emit)

    assert ending == MistakeLimit(mistakes.LOOPING)
