"""Searches one kept output by lines. Run as a program, which can be ended where an expression never ends."""

import re
import sys
from collections.abc import Iterable, Iterator

LINE_LIMIT = 500
CUT = "cut"


def matching_lines(lines: Iterable[str], pattern: str, limit: int) -> Iterator[str]:
    """Give `number: line` for each match, `limit` characters at most; then `CUT` if there are more, else nothing."""
    expression = re.compile(pattern)
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\n")
        if not expression.search(text):
            continue
        found = f"{number}: {text[:LINE_LIMIT]}"
        limit -= len(found) + 1
        if limit < 0:
            yield CUT
            return
        yield found
    yield ""


def main(pattern: str, path: str, limit: str) -> None:
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:  # noqa: PTH123  pathlib would double the time to start.
        text = "\n".join(matching_lines(file, pattern, int(limit)))
    sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
