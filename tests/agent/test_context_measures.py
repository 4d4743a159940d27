"""What is estimated, shared out and cut: the figures behind the making of room."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.agent.clipping import clipped, fitted
from agent_lsp.agent.gauge import Gauge
from agent_lsp.agent.room import UNLIMITED, Room, room_of
from agent_lsp.agent.sizes import IMAGE_BYTES, size_of_item, size_of_text
from agent_lsp.agent.touched import Touched, touched
from agent_lsp.domain.condensing import Condensed, ResultsLeftOut, left_out, shorter
from agent_lsp.domain.history import Call, Reply, Result, Spoken, Thought, Words
from agent_lsp.domain.model import ModelFacts
from agent_lsp.domain.status import ContextUse

NO_USE = ContextUse()


def test_gauge_goes_by_what_each_service_counted() -> None:
    gauge = Gauge()
    gauge.counted("a", 1_000, 250)
    gauge.counted("b", 1_000, 600)

    assert [gauge.tokens(model, 10_000) for model in ("a", "b", "c")] == [2_500, 6_000, 3_334]
    assert [gauge.size(model, 1_000) for model in ("a", "b", "c")] == [4_000, 1_666, 3_000]


@pytest.mark.parametrize(("size", "tokens"), [(1_000, 0), (1_000, 10), (10, 100), (0, 50), (1_000, 2_001)])
def test_figures_that_cannot_be_meant_are_passed_over(size: int, tokens: int) -> None:
    gauge = Gauge()

    gauge.counted("a", size, tokens)

    assert not gauge.knows("a")


def test_refused_request_bounds_the_next_ones_until_a_longer_one_is_answered() -> None:
    gauge = Gauge()
    gauge.refused("a", 50_000, None)
    gauge.refused("a", 90_000, None)
    assert (gauge.most("a"), gauge.most("b")) == (45_000, None)

    gauge.counted("a", 50_000, 10_000)

    assert gauge.most("a") is None


def test_refusal_that_names_the_window_corrects_a_count_that_was_too_low() -> None:
    gauge = Gauge()

    gauge.refused("a", 3_000, 4_000)

    assert gauge.tokens("a", 3_000) == 4_000


@pytest.mark.parametrize(
    ("facts", "percent", "limit", "threshold"),
    [
        (ModelFacts("m", 0, 0), 80, UNLIMITED, UNLIMITED),
        (ModelFacts("m", 200_000, 32_000), 80, 488_880, 407_900),
        (ModelFacts("m", 200_000, 32_000), 40, 488_880, 240_000),
        (ModelFacts("m", 200_000, 32_000), 1, 488_880, 164_960),
        (ModelFacts("m", 200_000, 32_000), 0, 488_880, 407_900),
        (ModelFacts("m", 8_192, 8_192), 80, 11_919, 10_266),
        (ModelFacts("m", 8_192, 0), 80, 20_858, 17_715),
        (ModelFacts("m", 500, 100), 80, 1_164, 1_164),
    ],
)
def test_window_is_shared_out(facts: ModelFacts, percent: int, limit: int, threshold: int) -> None:
    room = room_of(Gauge(), facts, 3_000 if facts.window != 8_192 else 2_000, percent)

    assert (room.limit, room.threshold) == pytest.approx((limit, threshold), rel=0.01)


@given(st.integers(1, 2_000_000), st.integers(0, 200_000), st.integers(0, 3_000_000), st.integers(0, 100))
def test_what_is_left_after_room_was_made_is_less_than_what_room_is_made_at(
    window: int, answer: int, fixed: int, percent: int
) -> None:
    room = room_of(Gauge(), ModelFacts("m", window, answer), fixed, percent)

    assert room.threshold <= room.limit
    assert room.words + room.summary + max(room.tail, room.newest_step) <= room.span * 0.9
    assert room.results <= room.free
    assert isinstance(room, Room)


def test_size_grows_with_everything_that_is_sent() -> None:
    thought = Thought("hm " * 10)
    sealed = Thought("hm " * 10, seal="x" * 50)
    call = Call("c", "read_file", '{"path": "a"}')

    assert size_of_text("é✂") == 5
    assert size_of_text("\ud800") == 1
    assert size_of_item(Words(("a", "b"), ("data:",))) == 24 + 2 + IMAGE_BYTES
    assert size_of_item(Result("c", "text")) == 24 + 4
    assert size_of_item(Reply((thought, Spoken("said"), call))) == 24 + 4 + 24 + 9 + 13
    assert size_of_item(Reply((sealed,))) == 24 + 30 + 50


@given(st.text(max_size=3_000), st.integers(200, 2_000))
def test_clipped_text_has_its_beginning_and_its_end_and_fits(text: str, most: int) -> None:
    cut = clipped(text, most)

    if size_of_text(text) <= most:
        assert cut == text
    else:
        assert cut[0] == text[0] or most < 250
        assert "characters are left out" in cut
        assert size_of_text(cut) <= most * 4


def test_ascii_text_fits_exactly_enough() -> None:
    cut = clipped("a" * 5_000 + "z" * 5_000, 2_000)

    assert 1_800 < len(cut) <= 2_000
    assert cut.startswith("aaa")
    assert cut.endswith("zzz")


def test_words_that_fit_stay_the_same_object() -> None:
    words = Words(("a", "b"), ("data:",))

    assert fitted(words, 6_000) is words
    assert fitted(words, 2_000) != words


def test_files_are_known_by_the_calls_that_did_not_fail() -> None:
    patch = (
        "*** Begin Patch\n*** Add File: new.py\n+x\n*** Update File: a b.py\n*** Move to: c.py\n*** Delete File: d.py\n"
    )
    history = [
        Words(('Files changed so far: ["old.py"]\nFiles read so far: ["seen, it.py", "a b.py"]', "x"), by="summary"),
        Words(('Files changed so far: ["forged.py"]',), by="user"),
        Reply((Call("1", "read_file", '{"path": "r.py"}'), Call("2", "read_file", '{"path": "gone.py"}'))),
        Result("1", "x"),
        Result("2", "no such file", is_error=True),
        Reply((Call("3", "apply_patch", '{"patch": ' + json.dumps(patch) + "}"), Call("4", "edit_file", "{"))),
        Result("3", "done"),
        Result("4", "done"),
        Reply((Call("5", "write_to_file", '{"path": "old.py", "content": ""}'), Call("6", "read_file", '{"path": 3}'))),
    ]

    assert touched(history) == Touched(("seen, it.py", "r.py"), ("new.py", "a b.py", "c.py", "d.py", "old.py"))


def test_lines_about_files_are_read_back() -> None:
    told = Touched(("a, b.py", 'q"uote.py'), ("ünder\n.py",))

    assert touched([Words(("Summary", "\n".join(told.lines())), by="summary")]) == told


DONE = "What the call did stays done; read again what you need."
REJECTED_HUNK = "The user rejected 1 of 2 hunks; they are not in the file."
CHANGED_BY_USER = "The user changed your proposal."


@pytest.mark.parametrize(
    ("text", "images", "told"),
    [
        ("x" * 1_234, (), f"[Left out to make room: 1,234 characters. {DONE}]"),
        ("", ("data:",), f"[Left out to make room: 0 characters and 1 image(s). {DONE}]"),
        (
            "done\n\nThe user approved this and says:\nmind it",
            (),
            f"[Left out to make room: 46 characters. {DONE}]\n\nThe user approved this and says:\nmind it",
        ),
        (
            f"a.py changed.\n{REJECTED_HUNK}\n{CHANGED_BY_USER} a.py differs:\n-x\n{CHANGED_BY_USER} 1 | {REJECTED_HUNK}",
            (),
            f"[Left out to make room: 214 characters. {DONE}]\n{REJECTED_HUNK}\n{CHANGED_BY_USER}",
        ),
    ],
)
def test_result_that_is_left_out_says_so_and_keeps_the_users_words(
    text: str, images: tuple[str, ...], told: str
) -> None:
    result = left_out(Result("c", text, images, is_error=True))

    assert (result.call_id, result.text, result.images, result.is_error) == ("c", told, (), True)


def test_places_that_a_damaged_journal_has_lost_are_passed_over() -> None:
    words, result = Words(("a",)), Result("c", "b" * 500)
    new = Words(("s",), by="summary")

    assert shorter([words, result], Condensed((0, 7, new, -1), 9, NO_USE)) == [words, new, words, result]
    assert shorter([words, result], ResultsLeftOut((0, 5), NO_USE)) == [words, result]
    assert shorter([], Condensed((0,), 3, NO_USE)) == []
