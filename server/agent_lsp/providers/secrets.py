"""Takes secrets out of text: the values that are known, and whatever has the shape of a credential."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from agent_lsp.providers.secret_shapes import SHAPES

MARK = "[secret]"

_SHORTEST = 6
"""Shorter values ("none", "test") are no secrets, and would riddle the text with marks."""
_SHORTEST_OF_QUERY = 12
"""Shorter ones are versions and the like."""


class Secrets:
    """What must never be shown, logged or recorded."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        known = {value for value in values if len(value) >= _SHORTEST}
        # Texts are cleaned as JSON too, and hold addresses, where a value may be spelled otherwise.
        spelled = known | {
            json.dumps(value, ensure_ascii=is_ascii)[1:-1] for value in known for is_ascii in (True, False)
        }
        spelled |= {quote(value, safe=safe) for value in known for safe in ("", "/")}
        self._known = tuple(sorted(spelled, key=len, reverse=True))
        self._values = re.compile("|".join(map(re.escape, self._known)))

    def removed_from(self, text: str) -> str:
        spans = self._spans(text)
        return _without(text, 0, spans) if spans else text

    def removed_from_pieces(self, pieces: Sequence[str]) -> list[str]:
        """Clean a text that came in pieces, and keep the pieces: a secret may lie across several of them."""
        spans = self._spans("".join(pieces))
        cleaned: list[str] = []
        start = 0
        for piece in pieces:
            end = start + len(piece)
            touching = [span for span in spans if span[0] < end and span[1] > start]
            cleaned.append(_without(piece, start, touching) if touching else piece)
            start = end
        return cleaned

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where secrets lie, in order and apart from each other."""
        merged: list[tuple[int, int]] = []
        for first, last in sorted(self._found(text)):
            if merged and first < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
            else:
                merged.append((first, last))
        return merged

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        if any(value in text for value in self._known):
            yield from (match.span() for match in self._values.finditer(text))
        folded = text.lower()
        for shape in SHAPES:
            # Most texts hold none of them, and looking for a text is twenty times as quick as matching a pattern.
            if shape.hint in folded:
                yield from shape.spans(text)


def _without(piece: str, start: int, spans: list[tuple[int, int]]) -> str:
    """Cut spans out of a piece that begins at `start`; the mark stands where a span begins."""
    kept: list[str] = []
    at = 0
    for first, last in spans:
        kept.append(piece[at : max(first - start, 0)])
        kept.append(MARK if first >= start else "")
        at = last - start
    return "".join([*kept, piece[at:]])


def secrets_in_address(url: str) -> Iterator[str]:
    """The password and the values of the query that an address may hold, as they are written and as they are meant."""
    try:
        parts = urlsplit(url)
        password = parts.password or ""
    except ValueError:
        return
    yield from (password, unquote(password))
    yield from (value for _, value in parse_qsl(parts.query) if len(value) >= _SHORTEST_OF_QUERY)
