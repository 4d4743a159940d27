"""Takes secrets out of text: the values that are known, and whatever has the shape of a credential."""

import re
from collections.abc import Iterable, Sequence

MARK = "[secret]"

_SHORTEST = 6
"""Shorter values ("none", "test") are no secrets, and would riddle the text with marks."""

_SHAPES = (
    r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{8,}",
    r"(?<=[Bb]asic )[A-Za-z0-9+/=]{12,}",
    r"(?i:(?<=x-api-key: )|(?<=api-key: )|(?<=authorization: ))[^\s\"'\\,]{8,}",
    r"\bsk-[A-Za-z0-9_-]{16,}",
    r"\b(?:gh[opsu]|github_pat)_[A-Za-z0-9_]{20,}",
    r"\bAKIA[A-Z0-9]{16}\b",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
)


_HINTS = (
    "earer ",
    "asic ",
    "api-key: ",
    "uthorization: ",
    "sk-",
    "gho_",
    "ghp_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "akia",
    "aiza",
    "xox",
    "-----begin ",
)
"""What a text must hold, in lower case, to hold any of the shapes: looking for these first is twenty times as quick."""


class Secrets:
    """What must never be shown, logged or recorded."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        known = sorted({value for value in values if len(value) >= _SHORTEST}, key=len, reverse=True)
        self._known = tuple(known)
        self._pattern = re.compile("|".join([*map(re.escape, known), *_SHAPES]))

    def removed_from(self, text: str) -> str:
        return self._pattern.sub(MARK, text) if self._may_hold_one(text) else text

    def _may_hold_one(self, text: str) -> bool:
        folded = text.lower()
        return any(hint in folded for hint in _HINTS) or any(value in text for value in self._known)

    def removed_from_pieces(self, pieces: Sequence[str]) -> list[str]:
        """Clean a text that came in pieces, and keep the pieces: a secret may lie across several of them."""
        spans = [match.span() for match in self._pattern.finditer("".join(pieces))]
        cleaned: list[str] = []
        start = 0
        for piece in pieces:
            end = start + len(piece)
            touching = [span for span in spans if span[0] < end and span[1] > start]
            cleaned.append(_without(piece, start, touching) if touching else piece)
            start = end
        return cleaned


def _without(piece: str, start: int, spans: list[tuple[int, int]]) -> str:
    """Cut spans out of a piece that begins at `start`; the mark stands where a span begins."""
    kept: list[str] = []
    at = 0
    for first, last in spans:
        kept.append(piece[at : max(first - start, 0)])
        kept.append(MARK if first >= start else "")
        at = last - start
    return "".join([*kept, piece[at:]])
