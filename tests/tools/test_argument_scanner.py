"""Arguments read while they stream."""

import json
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.tools.arguments import ArgumentScanner

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), JSON, max_size=5)


def scanned(*pieces: str) -> ArgumentScanner:
    scanner = ArgumentScanner()
    for piece in pieces:
        scanner.feed(piece)
    return scanner


@given(value=OBJECTS, is_ascii=st.booleans(), cuts=st.lists(st.integers(0, 200)), indent=st.none() | st.just(2))
def test_texts_are_those_of_the_whole_json_however_it_is_cut(
    value: dict[str, object], is_ascii: bool, cuts: list[int], indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)

    scanner = scanned(*(text[start:end] for start, end in pairwise([0, *sorted(cuts), len(text)])))

    texts = {key: item for key, item in json.loads(text).items() if isinstance(item, str)}
    assert scanner.values == texts
    assert all(scanner.is_whole(key) for key in texts)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 100])
def test_pieces_may_have_any_size(size: int) -> None:
    text = '{"path": "\\ud83d\\ude00\\"\\\\\\n\\u00e9", "n": [1, {"path": "no", "x": "]}"}], "end": "\\/"}'

    scanner = scanned(*(text[start : start + size] for start in range(0, len(text), size)))

    assert scanner.values == {"path": '😀"\\\né', "end": "/"}


def test_text_grows_before_it_is_whole() -> None:
    scanner = scanned('{"path": "src/a.py", "content": "one\\ntw')

    assert scanner.values == {"path": "src/a.py", "content": "one\ntw"}
    assert (scanner.is_whole("path"), scanner.is_whole("content"), scanner.is_whole("other")) == (True, False, False)


@pytest.mark.parametrize("escape", ["\\", "\\u", "\\u00e", "\\ud83d", "\\ud83d\\", "\\ud83d\\ude0"])
def test_half_an_escape_is_not_shown(escape: str) -> None:
    assert scanned('{"a": "x' + escape).values == {"a": "x"}


LONE_HALVES = ["\\ud83d", "\\ude00", "\\ud83dx", "\\ud83d\\ud83d\\ude00", "\\ude00\\ud83d", "\\ud83d\\n"]


@pytest.mark.parametrize("escapes", LONE_HALVES)
def test_lone_halves_of_pairs_are_read_as_the_parser_does(escapes: str) -> None:
    text = f'{{"a": "{escapes}"}}'

    assert scanned(*text).values == json.loads(text)


@pytest.mark.parametrize(
    "text", ['{"a": "x", "a": "y"}', '{"a": "x", "a": 1}', '{"a": 1, "a": "x"}', '{"a": "x", "a": [2]}']
)
def test_of_a_key_that_comes_twice_the_last_one_counts(text: str) -> None:
    assert scanned(text).values == {key: value for key, value in json.loads(text).items() if isinstance(value, str)}


@given(st.text(st.sampled_from('{}[]":,\\u0d a')))
def test_text_that_is_no_json_does_no_harm(text: str) -> None:
    scanned(*text)


def test_time_grows_with_the_length_and_no_faster() -> None:
    def seconds(length: int) -> float:
        text = json.dumps({"content": 'line "of" text\n' * (length // 15)})
        started = time.perf_counter()
        scanned(*(text[start : start + 16] for start in range(0, len(text), 16)))
        return time.perf_counter() - started

    assert min(seconds(800_000) for _ in range(3)) < 20 * min(seconds(100_000) for _ in range(3))
