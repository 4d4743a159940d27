"""What an edit that does not match costs, beside the least that any matcher does: reading the lines of the file.

    uv run python tests/benchmarks/bench_matching.py

Each row is work on a text made to be hard. The ratio is its CPU time to that of splitting 10,000 lines, in the same run.
"""

import random
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from agent_lsp.tools.matching.hunks import apply_hunks
from agent_lsp.tools.matching.passages import Passage, replace_passage
from agent_lsp.tools.matching.patches import UpdatedFile, parse_patch
from agent_lsp.tools.matching.revision import Refusal
from agent_lsp.tools.matching.search_replace import Reading, apply_blocks
from support.timing import cpu_seconds  # the folder of tests comes first

CHOSEN = random.Random(1)
WORDS = [f"{name}{number}" for name in ("call", "name", "value") for number in range(200)]
LINES = [" ".join(CHOSEN.choices(WORDS, k=6)) for _ in range(10_000)]
TEXT = "\n".join(LINES) + "\n"
SAME = "the same line\n" * 10_000
LONG = "x" * 1_000_000
MANY = "".join(f"{line} {number}\n" for number in range(20) for line in LINES)


def block(search: str) -> str:
    return f"<<<<<<< SEARCH\n{search}\n=======\nx\n>>>>>>> REPLACE\n"


def near(start: int, count: int = 12) -> str:
    return "\n".join(line.replace("a", "e", 1) for line in LINES[start : start + count])


def diff(text: str, *searches: str) -> Callable[[], object]:
    return lambda: apply_blocks(text, "".join(map(block, searches)), Reading())


def passage(text: str, old: str) -> Callable[[], object]:
    return lambda: replace_passage(text, Passage(old, "x"))


def patch(text: str, *hunks: str) -> Callable[[], object]:
    whole = "\n".join(["*** Begin Patch", "*** Update File: f", *hunks, "*** End Patch"])

    def apply() -> None:
        for file in parse_patch(whole):
            assert isinstance(file, UpdatedFile)
            apply_hunks(text, file.sections)

    return apply


ROWS = {
    "12 lines missing in 10,000": diff(TEXT, near(500)),
    "20 blocks missing in 10,000 lines": diff(TEXT, *(near(start * 400) for start in range(20))),
    "2,000 blocks in 10,000 lines": diff(TEXT, *LINES[::5]),
    "1 of 10,000 equal lines": diff(SAME, "the same line"),
    "5,000 of 10,000 equal lines": diff(SAME, "\n".join(["the same line"] * 5_000)),
    "5,000 of 10,000 equal lines, shifted": diff(SAME, "\n".join(["  the same line"] * 5_000)),
    "20 equal lines and another": diff(SAME, "the same line\n" * 20 + "another"),
    "a line of 1 MB": diff(LONG, f"{LONG[:-1]}y"),
    "12 lines missing in 200,000": diff(MANY, near(500)),
    "a passage missing in 10,000 lines": passage(TEXT, near(500)),
    "a passage of 1 MB": passage(LONG, f"{LONG[:-1]}y"),
    "a passage of 5,000 equal lines": passage(SAME, "the same line\n" * 5_000),
    "200 hunks in 10,000 equal lines": patch(SAME, *["@@", "-the same line", "+x"] * 200),
    "20 hunks missing in 10,000 lines": patch(
        TEXT, *(line for start in range(20) for line in ("@@", *(f"-{text}" for text in near(start * 400).split("\n"))))
    ),
}


def answered(work: Callable[[], object]) -> None:
    try:
        work()
    except Refusal:
        return


def main() -> None:
    floor = cpu_seconds(lambda: TEXT.split("\n"))
    for name, work in ROWS.items():
        seconds = cpu_seconds(lambda work=work: answered(work))
        print(f"{seconds / floor:8.1f} times  {seconds * 1000:7.1f} ms  {name}")


if __name__ == "__main__":
    main()
