"""A model service for benchmarks: blocking sockets, canned Anthropic streams, and the moments when things happened."""

import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

Answer = Callable[[int], bytes]


@dataclass
class BenchServer:
    """Answers request n with `answer(n)`, and notes when each request was whole and each answer was sent."""

    answer: Answer
    requests: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def gaps(self) -> list[float]:
        """Milliseconds from an answer's last byte to the next request's."""
        return [(after - before) * 1000 for before, after in zip(self.answers, self.requests[1:], strict=False)]

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._answer_all, args=(connection,), daemon=True).start()

    def _answer_all(self, connection: socket.socket) -> None:
        with connection:
            while self._read(connection):
                self.requests.append(time.perf_counter())
                body = self.answer(len(self.requests) - 1)
                head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                connection.sendall(head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
                self.answers.append(time.perf_counter())

    def _read(self, connection: socket.socket) -> bool:
        received = b""
        while (end := received.find(b"\r\n\r\n")) < 0:
            if not (piece := connection.recv(1 << 16)):
                return False
            received += piece
        length = int(received[:end].lower().split(b"content-length:")[1].split(b"\r\n")[0])
        missing = length - (len(received) - end - 4)
        while missing > 0:
            missing -= len(connection.recv(1 << 16))
        return True


def event(name: str, **fields: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()


def stream(*blocks: bytes, stop: str) -> bytes:
    usage = {"input_tokens": 100, "output_tokens": 1}
    start = event("message_start", message={"id": "m", "role": "assistant", "content": [], "usage": usage})
    end = event("message_delta", delta={"stop_reason": stop}, usage={"output_tokens": 20}) + event("message_stop")
    return start + b"".join(blocks) + end


def tool_block(index: int, call_id: str, name: str, arguments: dict[str, object]) -> bytes:
    block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    return (
        event("content_block_start", index=index, content_block=block)
        + event("content_block_delta", index=index, delta=delta)
        + event("content_block_stop", index=index)
    )


def text_block(index: int, piece: str, times: int) -> bytes:
    delta = event("content_block_delta", index=index, delta={"type": "text_delta", "text": piece})
    start = event("content_block_start", index=index, content_block={"type": "text", "text": ""})
    return start + delta * times + event("content_block_stop", index=index)
