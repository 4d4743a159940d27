"""What holds for all edits: any input has an answer, and a change written out from two texts turns one into the other."""

from collections.abc import Callable
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.tools.matching.cleaning import cleaned_content, written_over
from agent_lsp.tools.matching.hunks import apply_hunks
from agent_lsp.tools.matching.passages import Passage, replace_passage
from agent_lsp.tools.matching.patches import UpdatedFile, parse_patch
from agent_lsp.tools.matching.revision import Refusal
from agent_lsp.tools.matching.search_replace import Reading, apply_blocks
from support.timing import cpu_seconds

MARKERS = [
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    ":start_line:2",
    ":end_line:3",
    "-------",
    "\\=======",
    "|||||||",
]
HEADERS = ["*** Update File: f", "*** Move to: g", "*** End of File", "@@", "@@ a", "@@ -1,2 +1,2 @@", "@@ -0,0 +1 @@"]
TEXTS = [
    "a",
    "b",
    " a",
    "  b",
    "",
    " ",
    "a \t",
    "-a",
    "+a",
    "+",
    "1 | a",
    "2 | b",
    "it\u2019s",
    "it's",
    "\r",
    "\x0c",
    "```",
]


def texts(pieces: list[str]) -> st.SearchStrategy[str]:
    lines = st.tuples(st.sampled_from(pieces), st.sampled_from(["\n", "\n", "\r\n", ""]))
    return st.lists(lines, max_size=14).map(lambda rows: "".join(text + ending for text, ending in rows))


def patched(text: str, patch: str) -> None:
    for file in parse_patch(f"*** Begin Patch\n*** Update File: f\n{patch}\n*** End Patch"):
        if isinstance(file, UpdatedFile):
            apply_hunks(text, file.sections)


ANSWERED: dict[str, Callable[[str, str], object]] = {
    "apply_diff": lambda text, diff: apply_blocks(text, diff, Reading()),
    "apply_diff by likeness": lambda text, diff: apply_blocks(text, diff, Reading(0.6)),
    "apply_patch": patched,
    "edit_file": lambda text, old: replace_passage(text, Passage(old or "a", "b\n")),
    "write_to_file": lambda text, content: written_over(text, cleaned_content(content, "a.md")),
}


@pytest.mark.parametrize("apply", ANSWERED.values(), ids=ANSWERED)
@given(text=texts(TEXTS + MARKERS), call=texts(TEXTS + MARKERS + HEADERS))
def test_whatever_the_model_writes_it_gets_a_text_or_a_short_refusal(
    apply: Callable[[str, str], object], text: str, call: str
) -> None:
    told = ""

    try:
        apply(text, call)
    except Refusal as refusal:
        told = str(refusal)

    assert len(told) < 10_000


def escaped(lines: list[str]) -> list[str]:
    return [f"\\{line}" if line in {*MARKERS, "<<<<<<< HEAD"} else line for line in lines]


def block(start: int, old: list[str], new: list[str]) -> str:
    head = ["<<<<<<< SEARCH", f":start_line:{start + 1}", "-------"]
    return "\n".join([*head, *escaped(old), "=======", *escaped(new), ">>>>>>> REPLACE"])


LINES = st.lists(st.sampled_from(["a", "b", " a", "", "c ", "=======", "<<<<<<< HEAD", "-------"]), max_size=12)


@given(LINES, LINES)
def test_blocks_written_out_from_two_texts_turn_one_into_the_other(before: list[str], after: list[str]) -> None:
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    blocks = [block(a, before[a:b], after[c:d]) for tag, a, b, c, d in opcodes if tag != "equal"]

    revised = apply_blocks(ended(before), "\n".join(blocks), Reading()).after if blocks else ended(before)

    assert revised == ended(after)


@given(LINES.filter(bool), LINES.filter(bool), st.integers(1, 3))
def test_content_in_a_fence_or_numbered_is_the_content(before: list[str], after: list[str], fences: int) -> None:
    numbered = ended([f"{number} | {line}" for number, line in enumerate(after, 1)])

    cleaned = cleaned_content(f"{'```' + '`' * fences}py\n{numbered}{'```' + '`' * fences}\n", "a.py")

    assert written_over(ended(before), cleaned) == ended(after)


def ended(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def missed(text: str, search: str) -> None:
    with pytest.raises(Refusal):
        apply_blocks(text, f"<<<<<<< SEARCH\n{search}\n=======\nx\n>>>>>>> REPLACE", Reading())


def missed_hunks(text: str, count: int) -> None:
    with pytest.raises(Refusal):
        patched(text, "@@\n-same\n+x\n" * count)


GROWING: dict[str, Callable[[int], None]] = {
    "many equal lines, half of them wanted": lambda size: missed("same\n" * size, "\n".join(["same"] * (size // 2))),
    "the same, shifted": lambda size: missed("  same\n" * size, "\n".join(["same"] * (size // 2))),
    "equal lines and another": lambda size: missed("same\n" * size, "same\n" * (size // 2) + "other"),
    "one very long line": lambda size: missed("ab" * size * 20 + "\n", "ab" * size * 20 + "c"),
    "hunks of equal lines": lambda size: missed_hunks("same\n" * size, size // 20),
}


@pytest.mark.parametrize("miss", GROWING.values(), ids=GROWING)
def test_text_that_repeats_itself_costs_in_proportion_to_its_length(miss: Callable[[int], None]) -> None:
    assert cpu_seconds(lambda: miss(20_000)) < 40 * cpu_seconds(lambda: miss(2_000))
