"""Cuts text that streams in into tags and what stands between them. Which tags mean something is known elsewhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TAG = re.compile(
    r"<(?P<slash>/?)(?:[A-Za-z]{1,16}:)?(?P<name>[A-Za-z_][\w.-]{0,127})"
    r"(?:=[\"']?(?P<key>[\w.-]{1,128})[\"']?"
    r"|\s{1,8}name\s?=\s?[\"'](?P<attribute>[\w.-]{1,128})[\"'](?:\s[^<>]{0,64})?)?\s{0,8}>"
)
_BEGUN = re.compile(r"</?(?:[A-Za-z_][^<>]*)?")
_LONGEST_TAG = 480
"""What is longer is no tag of ours, and is not waited for."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag without attributes, or with a name that it gives: `<invoke name="x">`, `<function=x>`."""

    raw: str
    name: str
    key: str = ""
    is_closing: bool = False


Token = str | Tag


class TagScanner:
    """Takes pieces of any size. Linear: only an unfinished tag, which is short, is looked at again."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> Iterator[Token]:
        if not self._held and "<" not in piece:
            if piece:
                yield piece
            return
        text = self._held + piece
        end = _unfinished(text)
        self._held = text[end:]
        yield from _tokens(text, end)

    def rest(self) -> str:
        """What stands at the end of it all, and is no tag."""
        held, self._held = self._held, ""
        return held


def _unfinished(text: str) -> int:
    """Where a tag begins whose end has not come yet; the length of the text if none does."""
    start = text.rfind("<")
    if start < 0 or len(text) - start > _LONGEST_TAG or not _BEGUN.fullmatch(text, start):
        return len(text)
    return start


def _tokens(text: str, end: int) -> Iterator[Token]:
    at = 0
    for match in _TAG.finditer(text, 0, end):
        if match.start() > at:
            yield text[at : match.start()]
        key = match["key"] or match["attribute"] or ""
        yield Tag(match[0], match["name"], key, is_closing=bool(match["slash"]))
        at = match.end()
    if at < end:
        yield text[at:end]
