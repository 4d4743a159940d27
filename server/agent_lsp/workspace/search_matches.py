"""What a search engine says, read as it comes: JSON lines in ripgrep's form, gathered into hits. No I/O here."""

import base64
import json
from dataclasses import dataclass, field
from typing import cast

from agent_lsp.domain.encoding import Json

MOST_LINE_BYTES = 4_000_000
"""A longer piece of output is one giant line of some file; it is passed over."""
MOST_CHARACTERS = 500
_LEAD = 200
"""Characters shown before a match in a line that is cut."""

HitLine = tuple[int, str, bool]
"""A line's number, its text, and whether it matches."""


@dataclass(frozen=True, slots=True)
class FileHit:
    """Neighbouring lines of one file, at least one of which matches."""

    name: str
    lines: tuple[HitLine, ...]


class JsonLines:
    """Cuts bytes of any pieces into JSON objects, each byte looked at once; what is too long or no JSON is dropped."""

    def __init__(self) -> None:
        self._pieces = list[bytes]()
        self._size = 0

    def feed(self, content: bytes) -> list[Json]:
        *whole, rest = content.split(b"\n")
        events = list[Json]()
        for piece in whole:
            self._add(piece)
            if (event := self._taken()) is not None:
                events.append(event)
        self._add(rest)
        return events

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= MOST_LINE_BYTES:
            self._pieces.append(piece)
        else:
            self._pieces.clear()

    def _taken(self) -> Json | None:
        line = b"".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        try:
            event = json.loads(line)
        except ValueError:
            return None
        # The cast names the keys, which JSON always has as strings.
        return cast("Json", event) if isinstance(event, dict) else None


@dataclass(slots=True)
class Matches:
    """Gathers hits up to a limit of matching lines. Files that turn out binary are dropped."""

    limit: int
    hits: list[FileHit] = field(default_factory=list[FileHit])
    count: int = 0
    is_cut: bool = False
    """There was a match too many: the search can stop."""
    _lines: list[HitLine] = field(default_factory=list[HitLine])

    def take(self, event: Json, name: str | None = None) -> None:
        """Take what the engine says next. `name`: of a text that was given in place of its file."""
        kind, found = event.get("type"), event.get("data", {})
        if kind in ("match", "context"):
            self._lines.append(_hit_line(found, is_match=kind == "match"))
        elif kind == "end":
            if found["binary_offset"] is None:
                self._settle(name or _text(found["path"]))
            self._lines.clear()

    def _settle(self, name: str) -> None:
        for lines in _runs(self._lines):
            left = self.limit - self.count
            kept = _first_matches(lines, left)
            matches = sum(is_match for _, _, is_match in kept)
            self.is_cut |= matches < sum(is_match for _, _, is_match in lines)
            if matches:
                self.hits.append(FileHit(name, tuple(kept)))
                self.count += matches


def cut(text: str, match_at: int = 0) -> str:
    """Cut a long line to what stands around the match."""
    if len(text) <= MOST_CHARACTERS:
        return text
    start = max(min(match_at - _LEAD, len(text) - MOST_CHARACTERS), 0)
    inner = text[start + bool(start) : start + MOST_CHARACTERS]
    is_end = start + MOST_CHARACTERS >= len(text)
    return ("…" if start else "") + (inner if is_end else inner[:-1] + "…")


def _runs(lines: list[HitLine]) -> list[list[HitLine]]:
    """Put lines whose numbers follow one another together."""
    runs = list[list[HitLine]]()
    for line in lines:
        if runs and line[0] == runs[-1][-1][0] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def _first_matches(lines: list[HitLine], count: int) -> list[HitLine]:
    """Keep the lines up to the match with this number, and its context."""
    kept = list[HitLine]()
    for line in lines:
        count -= line[2]
        if count < 0:
            return kept
        kept.append(line)
    return kept


def _hit_line(found: Json, *, is_match: bool) -> HitLine:
    text = _text(found["lines"]).removesuffix("\n").removesuffix("\r")
    at = 0
    if len(text) > MOST_CHARACTERS and found.get("submatches"):
        # Engines count in bytes.
        at = len(text.encode("utf-8", "replace")[: found["submatches"][0]["start"]].decode("utf-8", "ignore"))
    return found["line_number"], cut(text, at), is_match


def _text(value: Json) -> str:
    """Read a text; what is no UTF-8 comes encoded."""
    if "text" in value:
        return value["text"]
    return base64.b64decode(value["bytes"]).decode("utf-8", "replace")
