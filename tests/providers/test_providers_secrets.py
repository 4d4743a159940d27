"""Secrets in text, whole and in pieces."""

import json
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.providers.secrets import MARK, Secrets

KEY = "open-sesame-42"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"key {KEY}.", f"key {MARK}."),
        (f"{KEY}{KEY}", f"{MARK}{MARK}"),
        ("Authorization: Bearer abcdef.123456", f"Authorization: Bearer {MARK}"),
        ('curl -H "x-api-key: abcdefgh1234"', f'curl -H "x-api-key: {MARK}"'),
        ("sk-" + "ab12" * 6, MARK),
        ("ghp_abcdefghijklmnopqrstuvwx", MARK),
        ("AKIAABCDEFGHIJKLMNOP", MARK),
        ("the bearer of news", "the bearer of news"),
        ("task-oriented, disk-based", "task-oriented, disk-based"),
        ("none", "none"),
        ("", ""),
    ],
)
def test_secrets_are_taken_out(text: str, clean: str) -> None:
    assert Secrets([KEY, "none", ""]).removed_from(text) == clean


def test_a_value_that_is_part_of_another_does_not_spare_the_rest() -> None:
    assert Secrets(["sesame", "open-sesame"]).removed_from("open-sesame") == MARK


@pytest.mark.parametrize(
    ("pieces", "clean"),
    [
        (["a open-", "sesame-42 b"], [f"a {MARK}", " b"]),
        ([*KEY], [MARK, *[""] * (len(KEY) - 1)]),
        (["x", KEY, "y"], ["x", MARK, "y"]),
        ([f"{KEY}-{KEY}"], [f"{MARK}-{MARK}"]),
        ([f"{KEY}{KEY[:3]}", KEY[3:]], [f"{MARK}{MARK}", ""]),
        (["a", "", "b"], ["a", "", "b"]),
        ([], []),
    ],
)
def test_a_secret_across_pieces_is_found_and_the_pieces_stay(pieces: list[str], clean: list[str]) -> None:
    assert Secrets([KEY]).removed_from_pieces(pieces) == clean


@given(st.lists(st.one_of(st.text(max_size=6), st.just(KEY)), max_size=8), st.lists(st.integers(1, 7), max_size=20))
def test_pieces_joined_are_the_cleaned_text(texts: list[str], sizes: list[int]) -> None:
    left = "".join(texts)
    pieces: list[str] = []
    for size in sizes:
        pieces.append(left[:size])
        left = left[size:]
    pieces.append(left)

    clean = Secrets([KEY]).removed_from_pieces(pieces)

    assert "".join(clean) == Secrets([KEY]).removed_from("".join(texts))
    assert len(clean) == len(pieces)


SPELLINGS = {
    "as JSON": lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
    "as JSON of ASCII": lambda value: json.dumps(value)[1:-1],
    "in a query": lambda value: quote(value, safe=""),
    "in a path": quote,
}


@pytest.mark.parametrize("spelled", SPELLINGS.values(), ids=SPELLINGS)
def test_a_value_is_found_as_others_spell_it(spelled: Callable[[str], str]) -> None:
    value = 'päss"word\\with\t/tricks'

    assert Secrets([value]).removed_from(f"a={spelled(value)}&b") == f"a={MARK}&b"
