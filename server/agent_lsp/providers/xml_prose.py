"""What a model says beside its calls: passed on as it comes, but for the fences and blank lines around calls."""

import re
from collections.abc import Callable

_FENCE = re.compile(r"[ \t]*`{1,3}[\w-]{0,16}[ \t]*")
_LONGEST_FENCE = 40
_CLOSING_FENCE = re.compile(r"\s*```[ \t]*(?:\n|\Z)")


class Prose:
    """Holds back only what may yet turn out to belong to a call: white space, and a line that opens a fence."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._held: list[str] = []
        self._is_fence_open = False
        self._is_line_start = True
        self._is_behind_call = False
        self._last = ""

    def feed(self, piece: str) -> None:
        if not piece:
            return
        self._last = piece[-1]
        if piece.isspace():
            self._held.append(piece)
            return
        text = "".join([*self._held, piece])
        start = self._end_of_settled(text)
        self._held = [text[start:]] if start < len(text) else []
        self._say(text[:start])

    def is_quoting(self) -> bool:
        """Whether what follows stands in code that is shown within a line."""
        return self._last == "`" and not "".join(self._held[-1:]).lstrip().startswith("```")

    def begin_call(self) -> None:
        """Drop what only leads up to a call."""
        self._is_fence_open = "```" in "".join(self._held)
        self._held.clear()
        self._is_behind_call = True
        self._last = ""
        self._is_line_start = True

    def release(self) -> None:
        """Say what is held back: no call follows. Blank lines behind a call say nothing."""
        held = "".join(self._held)
        self._held.clear()
        if held.strip() or not self._is_behind_call:
            self._say(held)

    def _end_of_settled(self, text: str) -> int:
        core = text.rstrip()
        line = core.rfind("\n") + 1
        is_at_start = line > 0 or self._is_line_start
        if is_at_start and len(core) - line <= _LONGEST_FENCE and _FENCE.fullmatch(core, line):
            return len(core[:line].rstrip())
        return len(core)

    def _say(self, text: str) -> None:
        if self._is_fence_open and text.strip():
            self._is_fence_open = False
            text = _CLOSING_FENCE.sub("", text, count=1) if _CLOSING_FENCE.match(text) else text
        if text:
            self._is_behind_call = False
            self._is_line_start = text.endswith("\n")
            self._write(text)
