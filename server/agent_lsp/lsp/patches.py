"""Unified diffs that come back from the user: read, however a hand has edited them, and put on the text they are for.

Pure. Line numbers have to be those of that text, but what a hunk's header says of its length is not believed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from agent_lsp.domain.errors import BadParams
from agent_lsp.workspace.texts import split_lines

if TYPE_CHECKING:
    from unidiff.patch import Hunk, PatchedFile

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,\d+)? @@(.*)", re.DOTALL)
_EXAMPLE = "@@ -1,3 +1,4 @@"


def patched(before: str, diff: str) -> str:
    """Make the text that a diff of one file makes of `before`; BadParams where it does not fit."""
    lines = _split(diff)
    if lines and lines[0].startswith("@@"):
        lines = ["--- a/text\n", "+++ b/text\n", *lines]
    files = [file for file in _parsed(lines) if len(file)]
    if len(files) != 1:
        raise BadParams(f"The diff is to have the hunks of exactly one file, each below a line like {_EXAMPLE}.")
    return _applied(before, files[0])


def patched_files(befores: Mapping[str, str], diff: str) -> Mapping[str, str]:
    """Make the texts, by path, that a diff of several files makes of those it has hunks for."""
    files = [file for file in _parsed(_split(diff)) if len(file)]
    unknown = [file.path for file in files if file.path not in befores]
    if unknown:
        raise BadParams(f"The diff is about {unknown[0]}, which is not among the proposed changes.")
    return {file.path: _applied(befores[file.path], file) for file in files}


def _split(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "\n" else lines


def _parsed(lines: Sequence[str]) -> "Sequence[PatchedFile]":
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    try:
        return PatchSet(_recounted(lines))
    except UnidiffParseError as error:
        raise BadParams(f"The diff cannot be read: {str(error).strip()}.") from error


def _recounted(lines: Sequence[str]) -> Iterator[str]:
    """The lines with the lengths in the headers as they are: whoever edits a diff by hand does not count."""
    at = 0
    while at < len(lines):
        header = _HEADER.match(lines[at])
        if header is None:
            yield lines[at]
            at += 1
            continue
        end = _end_of_hunk(lines, at + 1)
        body = _without_blank_end(lines[at + 1 : end], int(header[2] or 1))
        kept, added = _lengths(body)
        yield f"@@ -{header[1]},{kept} +{header[3]},{added} @@{header[4]}"
        yield from body
        at = end


def _end_of_hunk(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not _begins_something(lines, at):
        if lines[at][0] not in " +-\\\n\r":
            raise BadParams(f"Line {at + 1} of the diff begins with neither a blank nor + nor -: {lines[at][:40]!r}.")
        at += 1
    return at


def _begins_something(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    if line.startswith(("@@ -", "diff --git ")):
        return True
    # A removed line may look like the header of a file; but not with the rest of one behind it.
    following = lines[at + 1 : at + 3]
    return (
        line.startswith("--- ") and len(following) == 2 and following[0].startswith("+++ ") and following[1][:2] == "@@"
    )


def _without_blank_end(body: Sequence[str], stated: int) -> Sequence[str]:
    """Leave out blank lines that stand behind a hunk; those within are kept lines whose blank an editor took away."""
    end = len(body)
    while end and body[end - 1].strip("\r\n") == "" and _lengths(body[:end])[0] > stated:
        end -= 1
    return body[:end]


def _lengths(body: Sequence[str]) -> tuple[int, int]:
    added = sum(line[0] == "+" for line in body)
    removed = sum(line[0] == "-" for line in body)
    common = sum(line[0] in " \r\n" for line in body)
    return common + removed, common + added


def _applied(before: str, file: "PatchedFile") -> str:
    old = split_lines(before)
    new: list[str] = []
    at = 0
    for hunk in file:
        start = hunk.source_start - (1 if hunk.source_length else 0)
        if not at <= start <= len(old):
            raise BadParams(f"The hunk for line {hunk.source_start} overlaps the one above it, or lies past the end.")
        new += old[at:start]
        at = start + hunk.source_length
        new += _changed(old[start:at], hunk)
    return "".join(_with_ends_between([*new, *old[at:]]))


def _changed(old: Sequence[str], hunk: "Hunk") -> Iterator[str]:
    rest = iter(old)
    for mark, text in _marked(hunk):
        if mark == "+":
            yield text
            continue
        original = next(rest, "")
        if original.rstrip("\r\n") != text.rstrip("\r\n"):
            there = f"there it says {original.strip()!r}" if original else "the text has ended there"
            raise BadParams(
                f"The hunk for line {hunk.source_start} does not fit: it expects {text.strip()!r}, and {there}."
            )
        if mark == " ":
            yield original


def _marked(hunk: "Hunk") -> Iterator[tuple[str, str]]:
    """The lines of a hunk with their marks, those that end without a line feed as they are."""
    lines = [(line.line_type, line.value) for line in hunk]
    for index, (mark, text) in enumerate(lines):
        is_last = lines[index + 1 : index + 2] and lines[index + 1][0] == "\\"
        if mark != "\\":
            yield mark, text.rstrip("\r\n") if is_last else text


def _with_ends_between(lines: Sequence[str]) -> Iterator[str]:
    """The line that was the last, without an end, may have others behind it now."""
    for index, line in enumerate(lines):
        yield line if line.endswith("\n") or index == len(lines) - 1 else line + "\n"
