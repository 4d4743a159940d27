"""A turn whose history grows past the model's window: what is left out, summarised and cut, and what stays."""

import asyncio
import json
from dataclasses import replace

import pytest
from context_kitchen import (
    SUMMARY,
    Answers,
    NarrowModel,
    assert_pairs_are_whole,
    long_history,
    narrow_kitchen,
    rows,
    run,
    step,
    summary,
    wants_summary,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_lsp.agent.context import NOTHING_TO_CONDENSE
from agent_lsp.agent.sizes import size_of_items
from agent_lsp.domain.condensing import REJECTED, Condensed, ResultsLeftOut
from agent_lsp.domain.errors import ContextOverflow, ModelFault
from agent_lsp.domain.events import CallGrowing, Kept, StepStarted, TextGrew
from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Spoken, Words
from agent_lsp.domain.messages import Say
from agent_lsp.domain.model import StopReason
from agent_lsp.domain.status import Todo
from agent_lsp.domain.turns import After, Completed, LimitReached, Outcome, RequestFailed
from support.kitchen import calls, lasting, words_at

SHORT = 300
"""Characters of a result that it is not worth while to leave out."""
LONG_AGO = 122
"""So many steps with short results fill the window of 20,000 tokens."""


def texts_of(history: list[HistoryItem]) -> str:
    return "\n".join("\n".join(item.texts) for item in history if isinstance(item, Words))


async def test_history_that_fits_is_left_alone() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(10))
    before = [*k.history]

    await run(k)

    assert k.history[: len(before)] == before
    assert not any(isinstance(event, Condensed | ResultsLeftOut) for event in k.events)


async def test_old_long_results_are_left_out_first() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(60))
    before = [*k.history]

    ending = await run(k)

    left_out = [item for item in k.history if isinstance(item, Result) and item.text.startswith("[Left out")]
    assert ending == Completed("all is well")
    assert len(k.narrow.asked_to_summarise) == 0
    assert k.history[:2] == before[:2]
    assert [i for i, item in enumerate(k.history[: len(before)]) if item != before[i]] == [
        i for i, item in enumerate(k.history) if item in left_out
    ]
    assert k.history[len(before) - 2 : len(before)] == before[-2:]
    row = json.loads(rows(k, Say.SLIDING_WINDOW_TRUNCATION)[0])
    assert (row["messagesRemoved"], row["resultsRemoved"]) == (0, len(left_out))
    assert row["newContextTokens"] < row["prevContextTokens"] * 0.7


async def test_what_the_user_answered_is_never_left_out() -> None:
    answer = "blue, " * 300
    asked = step(99, tool="ask_followup_question", arguments='{"question": "Which?"}')
    approved = Result("call-98", "y" * 900 + "\n\nThe user approved this and says:\nmind the tests")
    history = [*long_history(1), asked[0], Result("call-99", answer), step(98)[0], approved, *long_history(60)[1:]]
    k = narrow_kitchen(NarrowModel(), history)

    await run(k)

    results = [item.text for item in k.history if isinstance(item, Result)]
    assert results[1] == answer
    assert results[2].startswith("[Left out")
    assert results[2].endswith("The user approved this and says:\nmind the tests")


async def test_summary_takes_the_place_of_all_but_the_newest_steps() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(LONG_AGO, SHORT))
    before = [*k.history]

    ending = await run(k)

    (condensed,) = [event for event in k.events if isinstance(event, Condensed)]
    kept = before[-condensed.kept :]
    assert ending == Completed("all is well")
    assert k.history[0] is before[0]
    assert SUMMARY in texts_of(k.history[1:2])
    assert k.history[2 : 2 + len(kept)] == kept
    assert len(kept) >= 10
    assert_pairs_are_whole(k.history)


async def test_request_for_the_summary_begins_as_all_others_do() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(LONG_AGO, SHORT))
    before = [*k.history]

    await run(k)

    (asked,) = k.narrow.asked_to_summarise
    assert asked[:-1] == before[: len(asked) - 1]
    assert len(asked) > len(before) * 0.7


async def test_summary_is_shown_with_what_it_cost_and_saved() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(LONG_AGO, SHORT))

    await run(k)

    (text,) = rows(k, Say.CONDENSE_CONTEXT)
    row = json.loads(text)
    (condensed,) = [event for event in k.events if isinstance(event, Condensed)]
    assert (row["summary"], row["cost"]) == (SUMMARY, 0.01)
    assert row["newContextTokens"] == condensed.context.tokens < row["prevContextTokens"] * 0.5
    assert condensed.context.window == 20_000


async def test_summary_itself_is_no_message_of_the_models() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(LONG_AGO, SHORT))

    await run(k)

    assert [event for event in k.events if isinstance(event, TextGrew)] == []
    assert not any(isinstance(event, Kept) and SUMMARY in str(event.item) for event in k.events)
    assert sum(isinstance(event, StepStarted) for event in k.events) == 2


async def test_files_and_todos_are_told_beside_the_summary_and_again_the_next_time() -> None:
    written = step(500, SHORT, "write_to_file", arguments='{"path": "new.py", "content": "x"}')
    patched = step(501, SHORT, "apply_patch", arguments='{"patch": "*** Begin Patch\\n*** Update File: old.py\\n"}')
    k = narrow_kitchen(NarrowModel(), [*long_history(1, SHORT), *written, *patched, *long_history(LONG_AGO, SHORT)[1:]])
    k.surroundings.todos = lambda: (Todo("1", "begin", "completed"), Todo("2", "go on", "in_progress"))
    await run(k)
    k.history += long_history(LONG_AGO, SHORT)[1:]

    await run(k)

    told = texts_of(k.history[:2])
    assert len(k.narrow.asked_to_summarise) == 2
    assert "- [x] begin\n- [-] go on\n" in told
    assert 'Files changed so far: ["new.py", "old.py"]' in told
    assert '"0.py"' in told


async def test_users_newest_words_stay_word_for_word() -> None:
    said = [Words((f"wish {n} " + "w" * 400,), by="user") for n in range(30)]
    history = long_history(LONG_AGO, SHORT)
    for n, words in enumerate(said):
        history.insert(1 + 10 * n, words)
    k = narrow_kitchen(NarrowModel(), history)

    await run(k)

    quoted = [item for item in k.history[1:] if isinstance(item, Words) and item.by == "user"]
    assert quoted == said[-len(quoted) :]
    assert 1 < len(quoted) < len(said)


async def test_pictures_go_with_the_steps_that_they_belong_to() -> None:
    image = "data:image/png;base64,AAAA"
    history = long_history(LONG_AGO - 40, SHORT)
    history[0] = replace(words_at(history, 0), images=(image,) * 9)
    k = narrow_kitchen(NarrowModel(), history)

    await run(k)

    assert words_at(k.history, 0).images == ()
    assert words_at(k.history, 0).texts == (
        "Do it, and never touch main.py.",
        "[9 image(s) were left out to make room.]",
    )


@pytest.mark.parametrize(
    ("answers", "summary_text"),
    [
        pytest.param([calls("read"), summary()], SUMMARY, id="a call first"),
        pytest.param([[*summary("  "), *calls("read")], summary()], SUMMARY, id="a call and blanks"),
        pytest.param([[*summary()[:1], *calls("read")]], SUMMARY, id="a call beside it"),
        pytest.param([summary(f"<analysis>hm</analysis><summary>{SUMMARY}</summary>")], SUMMARY, id="wrapped"),
        pytest.param([summary(f"<summary>\n{SUMMARY}")], SUMMARY, id="half wrapped"),
        pytest.param(
            [summary(f"{SUMMARY}\nAnd half a li", StopReason.LENGTH)],
            f"{SUMMARY}\n[The summary was cut off here.]",
            id="cut off",
        ),
    ],
)
async def test_summary_is_had_from_whatever_the_model_answers(answers: list, summary_text: str) -> None:
    k = narrow_kitchen(NarrowModel(summaries=answers), long_history(LONG_AGO, SHORT))

    ending = await run(k)

    assert ending == Completed("all is well")
    assert [json.loads(row)["summary"] for row in rows(k, Say.CONDENSE_CONTEXT)] == [summary_text]
    assert rows(k, Say.CONDENSE_CONTEXT_ERROR) == []
    assert k.tools.ran == [("finish", False)]
    assert not any(isinstance(event, CallGrowing) and event.name == "read" for event in k.events)


async def test_summary_that_is_too_long_is_cut() -> None:
    k = narrow_kitchen(NarrowModel(summaries=[summary("so much to say " * 5_000)]), long_history(LONG_AGO, SHORT))

    await run(k)

    (row,) = [json.loads(text) for text in rows(k, Say.CONDENSE_CONTEXT)]
    assert len(row["summary"]) < 15_000
    assert "characters are left out" in row["summary"]
    assert row["newContextTokens"] < row["prevContextTokens"] * 0.7


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([calls("read"), calls("read")], "asked twice"),
        ([lasting("no such model")], "no such model"),
        ([ModelFault("declined", is_passing=False)], "declined"),
        ([ContextOverflow("too long", status=400, window=9_000)] * 3, "too long"),
    ],
)
async def test_task_goes_on_where_there_is_no_summary(answers: list, reason: str) -> None:
    k = narrow_kitchen(NarrowModel(summaries=answers), long_history(LONG_AGO, SHORT))

    ending = await run(k)

    assert ending == Completed("all is well")
    (told,) = rows(k, Say.CONDENSE_CONTEXT_ERROR)
    assert reason in told
    assert_pairs_are_whole(k.history)


async def test_without_a_summary_the_oldest_steps_go_only_when_there_is_no_room_left() -> None:
    fault = lasting("no")
    some, more = NarrowModel(summaries=[fault]), NarrowModel(summaries=[fault])
    fitting = narrow_kitchen(some, long_history(LONG_AGO, SHORT))
    overfull = narrow_kitchen(more, long_history(LONG_AGO + 40, SHORT))

    await run(fitting)
    await run(overfull)

    assert rows(fitting, Say.SLIDING_WINDOW_TRUNCATION) == []
    (row,) = [json.loads(text) for text in rows(overfull, Say.SLIDING_WINDOW_TRUNCATION)]
    assert row["messagesRemoved"] > 100
    assert words_at(overfull.history, 0).texts == ("Do it, and never touch main.py.",)
    assert "the oldest steps were left out" in texts_of(overfull.history[1:2])
    assert_pairs_are_whole(overfull.history)


async def test_summary_is_not_asked_for_at_every_step_when_it_cannot_be_had() -> None:
    steps: Answers = [calls("read", arguments=f'{{"n": {n}}}') for n in range(5)]
    model = NarrowModel(summaries=[lasting("no")] * 9, answers=[*steps, calls("finish")])
    k = narrow_kitchen(model, long_history(LONG_AGO, SHORT))

    await run(k)

    assert len(model.asked_to_summarise) == 1
    assert len(model.asked) == 6


async def test_earlier_summary_stays_when_the_oldest_steps_go() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(LONG_AGO, SHORT))
    await run(k)
    k.percent = 0
    for _ in range(3):
        k.history += long_history(LONG_AGO, SHORT)[1:]

        await run(k)

        told = k.history[1]
        assert isinstance(told, Words)
        assert told.texts[0].count(SUMMARY) == 1
        assert "Summary" not in told.texts[0].partition("\n\n")[2]


async def test_without_condensing_nobody_is_asked_for_a_summary() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(LONG_AGO + 40, SHORT), percent=0)

    ending = await run(k)

    assert ending == Completed("all is well")
    assert k.narrow.asked_to_summarise == []
    assert len(rows(k, Say.SLIDING_WINDOW_TRUNCATION)) == 1


async def test_cancel_meanwhile_leaves_the_history_as_it_was() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(LONG_AGO, SHORT))
    before, waiting = [*k.history], asyncio.Event()

    async def hang(request):
        waiting.set()
        await asyncio.Event().wait()
        yield []

    k.narrow.stream = hang
    turn = asyncio.create_task(run(k))
    async with asyncio.timeout(5):
        await waiting.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn

    assert k.history == before


async def test_condensing_is_a_request_that_a_cap_counts() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(LONG_AGO, SHORT))
    cap = LimitReached("requests", 1, 1)
    k.surroundings.limit_reached = lambda _tokens: cap if k.narrow.requests else None

    ending = await run(k)

    assert ending == cap
    assert len(k.narrow.asked) == 0


@pytest.mark.parametrize("steps", [LONG_AGO, LONG_AGO * 3])
@pytest.mark.parametrize("window", [0, 100_000])
async def test_what_a_service_refuses_as_too_long_is_made_shorter(steps: int, window: int) -> None:
    k = narrow_kitchen(NarrowModel(takes=30_000, window=window), long_history(steps, SHORT))

    ending = await run(k)

    assert ending == Completed("all is well")
    assert len(k.narrow.requests) <= 5
    assert_pairs_are_whole(k.history)


async def test_what_was_refused_once_is_not_tried_again() -> None:
    answers: Answers = [calls("read", arguments=f'{{"n": {n}}}') for n in range(200)]
    k = narrow_kitchen(
        NarrowModel(takes=30_000, window=100_000, answers=answers), long_history(1), read=Outcome("r" * 500)
    )

    await run(k)

    refused = [request for request in k.narrow.requests if size_of_items(request) > 30_000]
    assert len(refused) == 1


async def test_service_that_refuses_everything_ends_the_turn() -> None:
    k = narrow_kitchen(NarrowModel(takes=10), long_history(LONG_AGO, SHORT))

    ending = await run(k)

    assert isinstance(ending, RequestFailed)
    assert len(k.narrow.requests) <= 6


@pytest.mark.parametrize(
    ("history", "tokens"),
    [
        ([Words(("d" * 200_000,), by="user")], 66_675),
        ([*long_history(3), Words(("d" * 70_000,), by="user")], 23_342),
    ],
)
async def test_words_that_no_window_has_room_for_are_told_of_and_not_sent(history: list, tokens: int) -> None:
    k = narrow_kitchen(NarrowModel(), history)

    ending = await run(k)

    assert isinstance(ending, RequestFailed)
    assert ending.message.startswith("Your message is too long: it takes some ")
    assert ending.hint is not None
    assert k.narrow.requests == []


async def test_window_too_small_for_the_prompt_is_told_of_with_what_helps() -> None:
    k = narrow_kitchen(NarrowModel(), [Words(("Do it.",), by="user")])
    k.surroundings.system = "rule\n" * 30_000

    ending = await run(k)

    assert isinstance(ending, RequestFailed)
    assert "is too small for instructions, tools and rules." in ending.message
    assert "shorten the rules" in (ending.hint or "")
    assert k.narrow.requests == []


async def test_words_that_were_too_long_hinder_nothing_once_others_are_said() -> None:
    history = [*long_history(3), Words(("d" * 70_000,), by="user"), Words(("Never mind that.",), by="user")]
    k = narrow_kitchen(NarrowModel(), history)

    ending = await run(k)

    assert ending == Completed("all is well")
    assert "Never mind that." in texts_of(k.history)


async def test_results_of_a_step_are_cut_to_what_there_is_room_for() -> None:
    read = Outcome("r" * 30_000, ("data:image/png;base64,AAAA",) * 5)
    model = NarrowModel(answers=[calls("read", "list", "look")], window=6_000)
    k = narrow_kitchen(model, long_history(1), read=read, list=read, look=read)

    ending = await run(k)

    results = [item for item in k.history if isinstance(item, Result)][1:4]
    assert ending == Completed("all is well")
    assert sum(size_of_items([result]) for result in results) < 8_000
    assert all("characters are left out" in result.text for result in results)
    assert all("image(s) are left out" in result.text for result in results)


async def test_what_the_user_says_in_a_result_is_not_cut() -> None:
    said, tool = "w" * 12_000, "ask_followup_question"
    model = NarrowModel(answers=[calls(tool), calls("write")], window=16_000)
    no = Outcome(f"{REJECTED} They say:\n{said}", is_error=True, after=After.REJECTED)
    k = narrow_kitchen(model, long_history(1), ask_followup_question=Outcome(said), write=no)

    await run(k)

    assert [item.text for item in k.history if isinstance(item, Result)][-3:-1] == [said, no.text]


async def test_surroundings_are_cut_to_what_there_is_room_for() -> None:
    k = narrow_kitchen(NarrowModel(window=6_000), long_history(1))
    k.surroundings.environments = ["e" * 30_000]

    await run(k)

    told = next(item for item in k.history if isinstance(item, Words) and item.by == "program")
    assert len(told.texts[0]) < 3_000
    assert told.texts[0].startswith("eee")


async def test_user_can_have_it_condensed_with_words_of_theirs() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(12))
    k.surroundings.wishes = ["Dwell on the API."]

    await run(k)

    (asked,) = k.narrow.asked_to_summarise
    assert words_at(asked, -1).texts[0].endswith("Of this summary the user wants: Dwell on the API.")
    assert len(rows(k, Say.CONDENSE_CONTEXT)) == 1
    assert_pairs_are_whole(k.history)


async def test_wish_that_comes_too_early_is_answered() -> None:
    k = narrow_kitchen(NarrowModel(), long_history(0))
    k.surroundings.wishes = [""]

    await run(k)

    assert rows(k, Say.CONDENSE_CONTEXT_ERROR) == [NOTHING_TO_CONDENSE]
    assert k.narrow.asked_to_summarise == []


ITEMS = st.one_of(
    st.builds(
        lambda size, by: ("words", size, by), st.integers(0, 3_000), st.sampled_from(["user", "program", "summary"])
    ),
    st.builds(
        lambda sizes, said: ("step", sizes, said), st.lists(st.integers(0, 6_000), max_size=4), st.integers(0, 3_000)
    ),
)


def history_of(drawn: list) -> list[HistoryItem]:
    history: list[HistoryItem] = [Words(("Do it.",), by="user")]
    for number, (kind, size, more) in enumerate(drawn):
        if kind == "words":
            history.append(Words((f"{number} " + "w" * size,), by=more))
            continue
        # Services give ids twice: what counts is that a result stands behind its call.
        made = [Call(f"call-{n % 3}", "read_file", '{"path": "a.py"}') for n in range(len(size))]
        history.append(Reply((Spoken("s" * more), *made), "narrow"))
        history += [Result(call.id, "x" * each) for call, each in zip(made, size, strict=True)]
    return history


@given(
    st.lists(ITEMS, max_size=60),
    st.integers(3_000, 30_000),
    st.sampled_from([0, 5, 50, 80, 100]),
    st.integers(6_000, 60_000),
    st.sampled_from(
        [[], [calls("read")] * 2, [lasting("no")], [summary("s" * 90_000)], [summary("", StopReason.LENGTH)]]
    ),
)
@settings(max_examples=150, deadline=None)
def test_whatever_was_said_and_read_pairs_stay_whole_and_the_task_is_remembered(
    drawn: list, window: int, percent: int, takes: int, summaries: list
) -> None:
    history = history_of(drawn)
    newest = next(item for item in reversed(history) if isinstance(item, Words) and item.by == "user")
    k = narrow_kitchen(NarrowModel(takes, window, summaries=[*summaries]), [*history], percent)

    ending = asyncio.run(run(k))

    assert isinstance(ending, Completed | RequestFailed)
    assert len(k.narrow.requests) <= 8
    for request in k.narrow.requests:
        assert_pairs_are_whole(request)
        assert words_at(request, 0).texts == ("Do it.",)
    for request in k.narrow.asked:
        assert newest in request
    assert isinstance(ending, Completed) or takes < 12_000 or window < 6_000
    assert not wants_summary(k.history)
