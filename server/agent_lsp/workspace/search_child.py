"""A search engine for machines without ripgrep: a program of its own, so that no pattern can hold up the server.

Called as `python -I -S search_child.py REGEX MOST_MATCHES FILE...`; `-` is the standard input. It prints what
`rg --json --context 1 --crlf` prints, as far as it is read. It imports nothing of ours.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 50_000_000

REGEX_FAULT = 2


def main(arguments: list[str]) -> int:
    regex, most_matches, *names = arguments
    try:
        pattern = re.compile(regex)
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(f"regex parse error: {error}\n")
        return REGEX_FAULT
    for name in names:
        for event in search(pattern, name, int(most_matches)):
            sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    return 0


def search(pattern: re.Pattern[str], name: str, most_matches: int) -> Iterator[dict[str, object]]:
    """Search one file; nothing comes of one that is binary, giant, gone, or has no match."""
    text = read(name)
    if text is None:
        return
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    matches = first_matches(pattern, lines, most_matches)
    if not matches:
        return
    path = {"text": name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")}
    yield {"type": "begin", "data": {"path": path}}
    shown = {near for number in matches for near in (number - 1, number, number + 1)}
    for number in sorted(shown):
        if 0 <= number < len(lines):
            yield line_event(lines[number], number, matches.get(number))
    yield {"type": "end", "data": {"path": path, "binary_offset": None}}


def first_matches(pattern: re.Pattern[str], lines: list[str], most: int) -> dict[int, int]:
    """The numbers of the lines that match, and how many bytes before the match."""
    matches = dict[int, int]()
    for number, line in enumerate(lines):
        if match := pattern.search(line):
            matches[number] = len(line[: match.start()].encode("utf-8", "replace"))
            if len(matches) >= most:
                break
    return matches


def line_event(line: str, number: int, start: int | None) -> dict[str, object]:
    return {
        "type": "context" if start is None else "match",
        "data": {
            "lines": {"text": line},
            "line_number": number + 1,
            "submatches": [] if start is None else [{"start": start}],
        },
    }


def read(name: str) -> str | None:
    try:
        if name == "-":
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(MOST_BYTES + 1)
    except OSError:
        return None
    if len(content) > MOST_BYTES:
        return None
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    return None if b"\0" in content else content.decode("utf-8", "replace").removeprefix("\ufeff")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
