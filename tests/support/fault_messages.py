"""How the Messages API tells a case's steps."""

from collections.abc import Iterator, Mapping
from typing import Any

from support.fault_teller import Step, Teller

STOPS = {"stop": "end_turn", "tool": "tool_use", "length": "max_tokens", "filter": "refusal"}


class MessagesTeller(Teller):
    """Messages."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__(names)
        self._next, self._open, self._is_text, self._has_begun = 0, -1, False, False
        self._usage: Step | None = {"in": 1, "out": 1}

    def _typed(self, kind: str, **fields: Any) -> bytes:
        return self.event({"type": kind, **fields}, kind)

    def _begin(self) -> Iterator[bytes]:
        if not self._has_begun:
            self._has_begun = True
            message = {"id": "m", "type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 1}}
            yield self._typed("message_start", message=message)

    def _start(self, block: Step, place: int | None) -> Iterator[bytes]:
        yield from self._begin()
        if place is None:
            yield from self.close()
        self._open = self._next if place is None else place
        self._next = max(self._next, self._open + 1)
        yield self._typed("content_block_start", index=self._open, content_block=block)

    def text(self, text: str) -> Iterator[bytes]:
        if self._open < 0 or not self._is_text:
            yield from self._start({"type": "text", "text": ""}, None)
        self._is_text = True
        yield self._typed("content_block_delta", index=self._open, delta={"type": "text_delta", "text": text})

    def open(self, call: Step, place: int | None = None) -> Iterator[bytes]:
        yield from self._start({"type": "tool_use", "input": {}, **self.head(call)}, place)
        self._is_text = False

    def grow(self, arguments: str, place: int | None = None) -> Iterator[bytes]:
        index = self._open if place is None else place
        delta = {"type": "input_json_delta", "partial_json": arguments}
        yield self._typed("content_block_delta", index=index, delta=delta)

    def close(self, place: int | None = None) -> Iterator[bytes]:
        index = self._open if place is None else place
        if index >= 0:
            yield self._typed("content_block_stop", index=index)
        self._open = -1

    def own(self, step: Step) -> Iterator[bytes]:
        match step:
            case {"split_name": call} | {"repeat_name": call}:
                # Names come whole here, and once.
                yield from self.tell({"tool": call})
            case {"usage": usage}:
                self._usage = usage
            case {"finish": finish}:
                yield from self._begin()
                yield from self.close()
                delta = {"stop_reason": STOPS[finish], "stop_sequence": None}
                usage = self._usage and {"output_tokens": self._usage["out"]}
                yield self._typed("message_delta", delta=delta, usage=usage)
            case {"end": _}:
                yield from self._begin()
                yield self._typed("message_stop")
            case {"stream_error": error}:
                yield self._typed("error", error=error)
            case {"empty_choices": _} | {"null_content": _}:
                yield self._typed("ping")
            case _:
                raise ValueError(f"no such step: {step}")
