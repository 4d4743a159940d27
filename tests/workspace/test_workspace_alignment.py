from random import Random

import pytest
from hypothesis import given
from workspace_texts import pairs

from agent_lsp.workspace.alignment import MOST_EDITS, Block, Gap, align, gaps
from support.timing import cpu_seconds


def lines(text: str) -> list[str]:
    return text.split()


CASES = {
    "both empty": ("", "", []),
    "equal": ("a b c", "a b c", [Block(0, 0, 3)]),
    "nothing in common": ("a b", "c d", []),
    "one put in": ("a c", "a b c", [Block(0, 0, 1), Block(1, 2, 1)]),
    "one dropped": ("a b c", "a c", [Block(0, 0, 1), Block(2, 1, 1)]),
    "one moved": ("x a b c", "a b c x", [Block(1, 0, 3)]),
    "repeats": ("} } a }", "} } b }", [Block(0, 0, 2), Block(3, 3, 1)]),
    "repeats without anchors": ("a b a b c c", "b a b a c c", [Block(1, 0, 3), Block(4, 4, 2)]),
}


@pytest.mark.parametrize(("before", "after", "blocks"), CASES.values(), ids=CASES)
def test_common_lines_are_matched(before: str, after: str, blocks: list[Block]) -> None:
    assert align(lines(before), lines(after)) == blocks


@given(pairs())
def test_blocks_are_equal_lines_in_rising_order(pair: tuple[str, str]) -> None:
    before, after = pair[0].split("\n"), pair[1].split("\n")

    blocks = align(before, after)

    at_before = at_after = 0
    for block in blocks:
        assert block.size > 0
        assert block.before >= at_before
        assert block.after >= at_after
        kept = before[block.before : block.before + block.size]
        assert kept == after[block.after : block.after + block.size]
        at_before, at_after = block.before + block.size, block.after + block.size


@given(pairs())
def test_blocks_and_gaps_make_up_both_texts(pair: tuple[str, str]) -> None:
    before, after = pair[0].split("\n"), pair[1].split("\n")
    blocks = align(before, after)

    differing = list(gaps(blocks, len(before), len(after)))

    kept = sum(block.size for block in blocks)
    assert kept + sum(gap.before_end - gap.before_start for gap in differing) == len(before)
    assert kept + sum(gap.after_end - gap.after_start for gap in differing) == len(after)


def test_gaps_are_what_lies_between_the_blocks() -> None:
    differing = list(gaps([Block(1, 0, 2), Block(4, 5, 1)], 5, 7))

    assert differing == [Gap(0, 1, 0, 0), Gap(3, 4, 2, 5), Gap(5, 5, 6, 7)]


def hostile_texts() -> dict[str, tuple[list[str], list[str]]]:
    dice = Random(4)
    few = [dice.choice("ab") for _ in range(20_000)]
    other = [dice.choice("ab") for _ in range(20_000)]
    shuffled = list(map(str, range(20_000)))
    dice.shuffle(shuffled)
    return {
        "two lines, repeated": (few, other),
        "all alike, one more": (["a"] * 20_000, ["a"] * 20_001),
        "every line moved": (list(map(str, range(20_000))), shuffled),
        "reversed": (list(map(str, range(20_000))), list(map(str, range(20_000)))[::-1]),
        "nested anchors": ([f"{n}" for n in range(20_000)], [f"{n ^ 1}" for n in range(20_000)]),
    }


@pytest.mark.parametrize(("before", "after"), hostile_texts().values(), ids=hostile_texts())
def test_hostile_texts_take_bounded_time(before: list[str], after: list[str]) -> None:
    """Beside the plain work of looking at every line once."""
    looking = cpu_seconds(lambda: {line: number for number, line in enumerate(before + after)})

    assert cpu_seconds(lambda: align(before, after), rounds=1) < 1_000 * looking


def test_beyond_the_bound_a_gap_counts_as_replaced() -> None:
    dice = Random(1)
    before = [dice.choice("abc") for _ in range(3 * MOST_EDITS)]
    after = [dice.choice("abc") for _ in range(3 * MOST_EDITS)]

    blocks = align(["first", *before, "last"], ["first", *after, "last"])

    # What trimming and unique lines find stays found.
    assert blocks[0].before == 0
    assert blocks[-1].before + blocks[-1].size == len(before) + 2
