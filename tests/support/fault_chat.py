"""How Chat Completions tells a case's steps."""

from collections.abc import Iterator, Mapping

from support.fault_teller import Step, Teller, filled

STOPS = {"stop": "stop", "tool": "tool_calls", "length": "length", "filter": "content_filter"}


class ChatTeller(Teller):
    """Chat Completions."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__(names)
        self._place = -1

    def _delta(self, delta: Step, finish: str | None = None) -> bytes:
        return self.event({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def text(self, text: str) -> Iterator[bytes]:
        yield self._delta({"content": text})

    def open(self, call: Step, place: int | None = None) -> Iterator[bytes]:
        self._place = self._place + 1 if place is None else place
        head = self.head(call)
        function = {"arguments": "", **({"name": head.pop("name")} if "name" in head else {})}
        yield self._delta({"tool_calls": [{"index": self._place, "type": "function", **head, "function": function}]})

    def grow(self, arguments: str, place: int | None = None) -> Iterator[bytes]:
        index = self._place if place is None else place
        yield self._delta({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]})

    def close(self, place: int | None = None) -> Iterator[bytes]:
        del place
        yield from ()

    def own(self, step: Step) -> Iterator[bytes]:
        match step:
            case {"split_name": call}:
                name = filled(call["name"], self.names)
                yield from self.open({**call, "name": name[:3]})
                yield self._delta({"tool_calls": [{"index": self._place, "function": {"name": name[3:]}}]})
                yield from self.grow(self.arguments(call))
            case {"repeat_name": call}:
                yield from self.open(call)
                text, head = self.arguments(call), self.head(call)
                for at in range(0, len(text), 4):
                    function = {"name": head["name"], "arguments": text[at : at + 4]}
                    piece = {"index": self._place, "id": call.get("id"), "function": function}
                    yield self._delta({"tool_calls": [piece]})
            case {"usage": usage}:
                counted = usage and {"prompt_tokens": usage["in"], "completion_tokens": usage["out"]}
                yield self.event({"id": "c", "choices": [], "usage": counted})
            case {"finish": finish}:
                yield self._delta({}, STOPS[finish])
            case {"end": _}:
                yield self.event("[DONE]")
            case {"stream_error": error}:
                yield self.event({"error": error})
            case {"empty_choices": _}:
                yield self.event({"id": "c", "choices": []})
            case {"null_content": _}:
                yield self._delta({"role": "assistant", "content": None, "tool_calls": None})
            case _:
                raise ValueError(f"no such step: {step}")
