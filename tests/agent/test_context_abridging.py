"""A history that is too long to be summarised as it is: what goes first, what never goes, and that a summary is had."""

from itertools import pairwise

import pytest
from context_kitchen import NarrowModel, assert_pairs_are_whole, narrow_kitchen, rows, run, step
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.agent.abridging import abridged
from agent_lsp.agent.sizes import size_of_items
from agent_lsp.domain.errors import ContextOverflow
from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Spoken, Words
from agent_lsp.domain.messages import Say
from agent_lsp.domain.turns import Completed
from support.kitchen import calls

TASK = Words(("do it",), by="user")
SUMMARY = Words(("so far: half of it",), by="summary")


def told(number: int, size: int) -> list[HistoryItem]:
    """A step in which the model says much."""
    call = Call(f"call-{number}", "read_file", "{}")
    return [Reply((Spoken(f"{number} " + "p" * size), call)), Result(call.id, f"{number} done")]


def prose(steps: int, size: int) -> list[HistoryItem]:
    return [TASK, *(item for number in range(steps) for item in told(number, size))]


MESSY: list[HistoryItem] = [
    TASK,
    Reply((Call("1", "write_to_file", '{"path": "a.py", "content": "' + "x" * 9_000 + '", "lines": [1]}'),)),
    Result("1", "y" * 9_000),
    Reply((Spoken("z" * 9_000), Call("2", "write_to_file", '{"content": "' + "x" * 9_000))),
    Result("2", "bad", is_error=True),
    Words(("e" * 9_000,)),
    Words(("u" * 900,), by="user"),
]


@pytest.mark.parametrize(
    ("most", "sizes"),
    [
        (60_000, [9_060, 9_000, 18_000, 9_000]),
        (40_000, [9_060, 80, 18_000, 9_000]),
        (20_000, [100, 80, 9_000, 9_000]),
        (3_000, [100, 80, 600, 600]),
    ],
)
def test_what_says_least_goes_first(most: int, sizes: list[int]) -> None:
    short = abridged(MESSY, most)

    assert short
    assert [size_of_items([item]) for item in (*short[1:4], short[5])] == pytest.approx(sizes, rel=0.35, abs=50)
    assert (short[0], short[-1]) == (MESSY[0], MESSY[-1])


def test_what_fits_is_the_same_items() -> None:
    assert abridged(MESSY, 60_000) == MESSY


def test_arguments_that_are_no_json_are_none() -> None:
    short = abridged(MESSY, 20_000) or ()

    assert [call.arguments for item in short if isinstance(item, Reply) for call in item.calls] == [
        '{"path": "a.py", "content": "[9,000 characters]", "lines": [1]}',
        "{}",
    ]


def test_the_first_and_the_newest_steps_stay_where_not_all_do() -> None:
    short = abridged(prose(40, 500), 6_000) or ()

    numbers = [int(item.text.split()[0]) for item in short if isinstance(item, Reply)]
    assert (numbers[0], numbers[-1]) == (0, 39)
    assert sum(after - before > 1 for before, after in pairwise(numbers)) == 1
    assert sum(isinstance(item, Words) and "left out here" in item.texts[0] for item in short) == 1


def test_words_of_the_users_stay_before_any_step_does() -> None:
    said = Words(("not main.py",), by="user")
    history = [*prose(20, 500), said, *prose(20, 500)[1:]]

    assert said in (abridged(history, 3_000) or ())


def test_where_the_users_words_are_too_much_the_task_and_the_summary_stay() -> None:
    history = [TASK, SUMMARY, *(Words(("w" * 900,), by="user") for _ in range(20)), *prose(3, 500)[1:]]

    short = abridged(history, 3_000) or ()

    assert short[:2] == [TASK, SUMMARY]
    assert len(short) > 3


def test_a_task_that_is_too_long_itself_cannot_be_summarised() -> None:
    assert abridged([Words(("w" * 9_000,), by="user"), *prose(3, 500)[1:]], 3_000) is None


ITEMS = st.lists(
    st.one_of(
        st.builds(told, st.integers(0, 9), st.integers(0, 3_000)),
        st.builds(step, st.integers(0, 9), st.integers(0, 3_000)),
        st.builds(
            lambda by, size: [Words(("w" * size,), by=by)],
            st.sampled_from(("user", "program", "summary")),
            st.integers(0, 2_000),
        ),
    ),
    max_size=30,
)


@given(ITEMS, st.integers(0, 40_000))
def test_it_is_never_longer_than_it_may_be_and_calls_keep_their_results(
    steps: list[list[HistoryItem]], most: int
) -> None:
    history = [TASK, *(item for items in steps for item in items)]

    short = abridged(history, most)

    if short is None:
        assert most < 1_000 + sum(size_of_items(items) for items in steps if isinstance(items[0], Words))
        return
    assert size_of_items(short) <= most
    assert short[0] is TASK
    assert_pairs_are_whole(short)


@pytest.mark.parametrize("size", [300, 1_500, 4_000, 9_000])
@pytest.mark.parametrize("window", [0, 100_000])
async def test_a_task_of_much_prose_that_is_refused_as_too_long_is_summarised(size: int, window: int) -> None:
    model = NarrowModel(takes=30_000, window=window)
    kitchen = narrow_kitchen(model, prose(40_000 // size, size))

    ending = await run(kitchen)

    assert ending == Completed("all is well")
    assert len(rows(kitchen, Say.CONDENSE_CONTEXT)) == 1
    assert (rows(kitchen, Say.SLIDING_WINDOW_TRUNCATION), rows(kitchen, Say.CONDENSE_CONTEXT_ERROR)) == ([], [])


async def test_a_summary_that_is_refused_as_too_long_is_asked_for_again_of_less() -> None:
    model = NarrowModel(summaries=[ContextOverflow("too long", status=400), ContextOverflow("too long", status=400)])
    kitchen = narrow_kitchen(model, prose(122, 300))

    await run(kitchen)

    sizes = list(map(size_of_items, model.asked_to_summarise))
    assert len(sizes) == 3
    assert sizes[0] > sizes[1] > sizes[2]
    assert len(rows(kitchen, Say.CONDENSE_CONTEXT)) == 1


async def test_a_summary_that_is_refused_however_short_is_given_up() -> None:
    model = NarrowModel(answers=[calls("finish")], summaries=[ContextOverflow("too long", status=400)] * 9)
    kitchen = narrow_kitchen(model, prose(122, 300))

    ending = await run(kitchen)

    assert (ending, len(model.asked_to_summarise)) == (Completed("all is well"), 3)
    assert rows(kitchen, Say.CONDENSE_CONTEXT_ERROR) == ["too long"]
