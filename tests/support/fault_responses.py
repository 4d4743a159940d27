"""How the Responses API tells a case's steps."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from support.fault_teller import Step, Teller


class ResponsesTeller(Teller):
    """Items one after another, each added, grown and done; the last event says how it ended, and what was used."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__(names)
        self._numbers = count()
        self._next = 0
        self._open: dict[int, Step] = {}
        """The items that are not done, by their places."""
        self._newest = -1
        self._usage: Step | None = {"in": 1, "out": 1}

    def _typed(self, kind: str, **fields: Any) -> bytes:
        return self.event({"type": kind, "sequence_number": next(self._numbers), **fields}, kind)

    def _add(self, item: Step, place: int | None) -> Iterator[bytes]:
        if place is None:
            yield from self._done_all()
        self._newest = self._next if place is None else place
        self._next = max(self._next, self._newest + 1)
        self._open[self._newest] = item
        yield self._typed("response.output_item.added", output_index=self._newest, item=dict(item))

    def _done(self, place: int) -> Iterator[bytes]:
        if item := self._open.pop(place, None):
            yield self._typed("response.output_item.done", output_index=place, item={**item, "status": "completed"})

    def _done_all(self) -> Iterator[bytes]:
        for place in tuple(self._open):
            yield from self._done(place)

    def text(self, text: str) -> Iterator[bytes]:
        if self._open.get(self._newest, {}).get("type") != "message":
            message = {"type": "message", "id": f"msg_{self._next}", "role": "assistant", "content": []}
            yield from self._add(message, None)
        yield self._typed("response.output_text.delta", output_index=self._newest, content_index=0, delta=text)

    def open(self, call: Step, place: int | None = None) -> Iterator[bytes]:
        head = self.head(call, "call_id")
        item = {"type": "function_call", "id": f"fc_{self._next}", "arguments": "", **head}
        yield from self._add(item, place)

    def grow(self, arguments: str, place: int | None = None) -> Iterator[bytes]:
        at = self._newest if place is None else place
        if at in self._open:
            self._open[at]["arguments"] += arguments
        yield self._typed("response.function_call_arguments.delta", output_index=at, delta=arguments)

    def close(self, place: int | None = None) -> Iterator[bytes]:
        yield from self._done(self._newest if place is None else place)

    def own(self, step: Step) -> Iterator[bytes]:
        match step:
            case {"split_name": call} | {"repeat_name": call}:
                # Names come whole here, and once.
                yield from self.tell({"tool": call})
            case {"usage": usage}:
                self._usage = usage
            case {"finish": finish}:
                yield from self._finish(finish)
            case {"end": _}:
                # The finish is the end mark.
                yield b""
            case {"stream_error": error}:
                yield self._typed("response.failed", response={"status": "failed", "error": error})
            case {"empty_choices": _} | {"null_content": _}:
                yield self._typed("response.in_progress", response={"status": "in_progress", "output": None})
            case _:
                raise ValueError(f"no such step: {step}")

    def _finish(self, finish: str) -> Iterator[bytes]:
        yield from self._done_all()
        counted = self._usage and {"input_tokens": self._usage["in"], "output_tokens": self._usage["out"]}
        reasons = {"length": "max_output_tokens", "filter": "content_filter"}
        status = "incomplete" if finish in reasons else "completed"
        details = {"incomplete_details": {"reason": reasons[finish]}} if finish in reasons else {}
        yield self._typed(f"response.{status}", response={"status": status, "usage": counted, **details})
