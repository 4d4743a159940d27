"""The output of one command as it grows, in bounded memory: its head and tail, what is yet to be shown, and to be kept.

Sans-I/O: bytes go in, texts come out. Writing the kept text to a file is the business of `commands.py`.
"""

import codecs
from collections import deque

from agent_lsp.domain.commands import Excerpt
from agent_lsp.workspace.commands_screen import ScreenText

PART_LIMIT = 10_000
"""Characters of the head, and of the tail, that a model reads."""
LIVE_LIMIT = 65_536
"""Characters that are shown as they come; of what follows only the end is shown, at the end."""
_SAMPLE_BYTES = 8_192
_LINE_SEARCH = 2_000
_ODD_ALLOWED = 8
_ODD_BYTES = bytes(set(range(32)) - set(b"\t\n\r\b\x1b\x0c")) + b"\x7f"


class Transcript:
    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._screen = ScreenText()
        self._live = LiveText(LIVE_LIMIT)
        self._ends = Ends(PART_LIMIT)
        self._unkept: list[str] = []
        self._sample = b""
        self._is_known_binary = False
        self._read_bytes = 0
        self.unkept_size = 0
        """Characters that `take_unkept` would give."""

    def feed(self, output: bytes) -> None:
        self._read_bytes += len(output)
        if self._is_known_binary:
            return  # It is counted alone: to read it like text would hold up whoever writes gigabytes of it.
        if len(self._sample) < _SAMPLE_BYTES:
            self._sample += output[: _SAMPLE_BYTES - len(self._sample)]
            self._is_known_binary = len(self._sample) == _SAMPLE_BYTES and is_binary(self._sample)
        self._add(self._screen.feed(self._decoder.decode(output)))

    def finish(self) -> None:
        self._add(self._screen.feed(self._decoder.decode(b"", final=True)) + self._screen.finish())

    def excerpt(self) -> Excerpt:
        """The output so far, its middle left out where it is long."""
        if is_binary(self._sample):
            return Excerpt("", total_bytes=self._read_bytes, is_binary=True)
        return self._ends.excerpt(self._screen.unfinished)

    @property
    def is_cut(self) -> bool:
        return self._ends.is_cut

    def take_live(self) -> str:
        """What is new for whoever watches; nothing of what is no text."""
        if is_binary(self._sample):
            return ""
        return self._live.take(self._screen.unfinished if self._screen.is_steady else "")

    def take_last(self) -> str:
        """What a watcher still lacks now that the output is whole."""
        return "" if is_binary(self._sample) else self._live.finish(self._ends.excerpt("").tail)

    def take_unkept(self) -> str:
        """Whole lines that are not in the file yet."""
        text = "".join(self._unkept)
        self._unkept.clear()
        self.unkept_size = 0
        return text

    def _add(self, text: str) -> None:
        if text:
            self._ends.feed(text)
            self._live.feed(text)
            self._unkept.append(text)
            self.unkept_size += len(text)


class Ends:
    """The first and the last `limit` characters of a text of any length."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._head: list[str] = []
        self._head_room = limit
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._dropped_bytes = 0
        self.total_bytes = 0

    @property
    def is_cut(self) -> bool:
        return self._dropped_bytes > 0 or self._tail_size > self._limit

    def feed(self, text: str) -> None:
        self.total_bytes += byte_length(text)
        if self._head_room:
            self._head.append(text[: self._head_room])
            text, taken = text[self._head_room :], len(self._head[-1])
            self._head_room -= taken
        if text:
            self._tail.append(text)
            self._tail_size += len(text)
        # A whole piece at a time, so that many small ones stay cheap; never less than the limit is kept.
        while self._tail and self._tail_size - len(self._tail[0]) >= self._limit:
            piece = self._tail.popleft()
            self._tail_size -= len(piece)
            self._dropped_bytes += byte_length(piece)

    def excerpt(self, unfinished: str) -> Excerpt:
        head, rest = "".join(self._head), "".join(self._tail) + unfinished
        total_bytes = self.total_bytes + byte_length(unfinished)
        if not self._dropped_bytes and len(rest) <= self._limit:
            return Excerpt(head + rest, total_bytes=total_bytes)
        head, tail = _to_line_end(head), _from_line_start(rest[-self._limit :])
        cut_bytes = total_bytes - byte_length(head) - byte_length(tail)
        return Excerpt(head, tail, cut_bytes, total_bytes)


class LiveText:
    """What a watcher is shown: only ever added to, at most `limit` characters and then nothing until the end."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._room = limit
        self._pending: list[str] = []
        self._shown_start = ""
        """The part of an unfinished line that is shown already."""
        self._skipped = 0

    def feed(self, text: str) -> None:
        kept = text[: self._room]
        self._room -= len(kept)
        self._skipped += len(text) - len(kept)
        if kept:
            self._pending.append(kept)

    def take(self, unfinished: str) -> str:
        """What is new, an unfinished line included as far as it is certain to stay."""
        whole = self._continued("".join(self._pending))
        self._pending.clear()
        if self._skipped or not unfinished:
            return whole
        start = self._continued(unfinished)
        self._shown_start = unfinished
        return whole + start

    def finish(self, tail: str) -> str:
        """What is still to be shown, given the last part of the whole text. From here on there is room again."""
        news = self.take("")
        skipped, self._skipped, self._room = self._skipped, 0, self._limit
        if not skipped:
            return news
        last = tail[-skipped:]
        left_out = skipped - len(last)
        marker = f"\n[… {left_out} characters are not shown …]\n" if left_out else ""
        return news + marker + last

    def _continued(self, text: str) -> str:
        if not text:
            return ""
        shown, self._shown_start = self._shown_start, ""
        return text[len(shown) :] if text.startswith(shown) else "\n" + text


def is_binary(sample: bytes) -> bool:
    """Whether more than a tenth of an output is no text in any way a terminal knows; a few odd bytes do not count."""
    odd = len(sample) - len(sample.translate(None, _ODD_BYTES))
    odd += sample.decode("utf-8", "replace").count("�")
    return odd > _ODD_ALLOWED and odd * 10 > len(sample)


def byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _to_line_end(head: str) -> str:
    end = head.rfind("\n", len(head) - _LINE_SEARCH)
    return head[: end + 1] if end >= 0 else head


def _from_line_start(tail: str) -> str:
    start = tail.find("\n", 0, _LINE_SEARCH)
    return tail[start + 1 :]
