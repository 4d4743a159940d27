"""Server-sent events: bytes of any split in, the data of whole events out. What the data means is not known here."""

LONGEST_EVENT_BYTES = 16 * 1024 * 1024
"""Far beyond any real event; what is longer is a service gone wrong, and would only eat memory."""


class EventTooLong(Exception):
    """An event outgrew what is kept of one."""


class SseParser:
    """Cuts a stream into events. Linear: a byte is joined once to its line and looked at once.

    Events named in `ignored` are dropped unread.
    """

    def __init__(self, ignored: frozenset[bytes] = frozenset()) -> None:
        self._ignored = ignored
        self._line: list[bytes] = []
        """The pieces of a line whose end has not come yet."""
        self._data: list[bytes] = []
        self._name = b""
        self._held = 0
        self._is_first_line = True
        self._skips_newline = False

    def feed(self, piece: bytes) -> list[bytes]:
        if self._skips_newline and piece:
            # The line ended with the CR of the piece before; a LF that follows belongs to it.
            self._skips_newline = False
            piece = piece.removeprefix(b"\n")
        if b"\n" not in piece and b"\r" not in piece:
            self._hold(piece)
            return []
        self._line.append(piece)
        block = b"".join(self._line)
        self._line.clear()
        self._skips_newline = block.endswith(b"\r")
        lines = block.splitlines()
        rest = b"" if block.endswith((b"\n", b"\r")) else lines.pop()
        events = self._take(lines)
        self._held = sum(map(len, self._data))
        self._hold(rest)
        return events

    def end(self) -> list[bytes]:
        """Take the stream's end for the blank line that a hasty service forgets after its last event."""
        last = b"".join(self._line)
        self._line.clear()
        return self._take([last, b""])

    def _hold(self, piece: bytes) -> None:
        if piece:
            self._line.append(piece)
            self._held += len(piece)
        if self._held > LONGEST_EVENT_BYTES:
            raise EventTooLong

    def _take(self, lines: list[bytes]) -> list[bytes]:
        if self._is_first_line and lines:
            self._is_first_line = False
            lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
        events: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line:
                self._dispatch(events)
            elif line.startswith(b"event:"):
                self._name = line[6:].strip()
        return events

    def _dispatch(self, events: list[bytes]) -> None:
        if self._data:
            if self._name not in self._ignored:
                events.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
            self._data.clear()
        self._name = b""
