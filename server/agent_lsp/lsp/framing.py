"""The frames of JSON-RPC over a stream of bytes: headers, a blank line, a body. Imports nothing, since start-up waits
for it; what is in a body is not its business.
"""

MAX_BODY_BYTES = 256 * 1024 * 1024
"""No editor sends more in one message; a larger length is a mistake or an attack."""

MAX_HEADER_BYTES = 8 * 1024
MAX_GARBAGE_BYTES = 1024 * 1024

_LENGTH = b"content-length"


class FramingError(Exception):
    """The stream is no longer one of frames; nothing after this point can be trusted."""


class Frames:
    """An incremental decoder: fed pieces of any size, looks at no byte twice.

    A spoilt header costs its message only: reading goes on at the next `Content-Length`. A strict decoder, for streams
    that strangers can reach, raises instead, so that no HTTP request is ever read as frames.
    """

    def __init__(self, *, is_strict: bool = False) -> None:
        self._is_strict = is_strict
        self._buffer = bytearray()
        self._searched = 0
        self._header_bytes = 0
        self._garbage_bytes = 0
        self._length: int | None = None
        self._is_body = False

    def feed(self, piece: bytes) -> list[bytes]:
        """Take a piece of the stream and give back the bodies it completes."""
        self._buffer += piece
        bodies: list[bytes] = []
        while (body := self._next_body()) is not None:
            bodies.append(body)
        return bodies

    def _next_body(self) -> bytes | None:
        while not self._is_body:
            line = self._take_line()
            if line is None:
                return None
            self._read_header(line)
        length = self._length or 0
        if len(self._buffer) < length:
            return None
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._start_header()
        self._garbage_bytes = 0
        return body

    def _take_line(self) -> bytes | None:
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            if self._searched > MAX_HEADER_BYTES:
                self._drop_long_line()
            return None
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def _drop_long_line(self) -> None:
        # The next header may stand right behind a spoilt body, without a line break: its beginning is kept.
        kept = len(_LENGTH) + 32
        self._count_garbage(len(self._buffer) - kept)
        del self._buffer[:-kept]
        self._searched = kept
        self._length = None

    def _read_header(self, line: bytes) -> None:
        if not line.strip():
            self._end_header()
            return
        self._header_bytes += len(line)
        name, colon, value = line.partition(b":")
        name = name.strip().lower()
        at = _last_header(line)
        if at > 0:
            # Behind a spoilt body, the next header stands on the same line.
            self._spoil(line[:at])
            self._read_header(line[at:])
        elif name == _LENGTH:
            self._read_length(value)
        elif not (colon and _is_token(name)) or self._header_bytes > MAX_HEADER_BYTES:
            self._count_garbage(len(line))

    def _end_header(self) -> None:
        if self._length is None:
            self._header_bytes = 0
            return
        self._is_body = True

    def _read_length(self, value: bytes) -> None:
        digits = value.strip()
        length = int(digits) if digits.isdigit() and len(digits) < 20 else -1
        is_contradiction = self._length is not None and self._length != length
        if 0 <= length <= MAX_BODY_BYTES and not is_contradiction:
            self._length = length
        else:
            self._spoil(value)

    def _spoil(self, garbage: bytes) -> None:
        self._start_header()
        self._count_garbage(len(garbage))

    def _start_header(self) -> None:
        self._header_bytes, self._length, self._is_body = 0, None, False

    def _count_garbage(self, count: int) -> None:
        self._garbage_bytes += count
        if self._is_strict or self._garbage_bytes > MAX_GARBAGE_BYTES:
            raise FramingError("The input is not made of Content-Length frames.")


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _last_header(line: bytes) -> int:
    """Where the last header of a length begins in a line; 0 where nothing stands before it, or there is none."""
    at = line.lower().rfind(_LENGTH)
    before = line[: max(at, 0)].strip()
    # `X-Content-Length` is a field of another name.
    return 0 if not before or before.endswith(b"-") else at


def _is_token(name: bytes) -> bool:
    return bool(name) and not name.strip(b"-_abcdefghijklmnopqrstuvwxyz0123456789")
