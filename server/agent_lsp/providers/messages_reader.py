"""Reads the events of the Messages API (anthropic)."""

import json

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.model import StopReason
from agent_lsp.providers import faults
from agent_lsp.providers.answer import Answer
from agent_lsp.providers.figures import figure, usage
from agent_lsp.providers.inner import inner

IGNORED = frozenset({b"ping"})

_STOPS = {
    "tool_use": StopReason.CALLS,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "refusal": StopReason.REFUSAL,
}


class MessagesReader:
    """Blocks come one after another, each with its start, deltas and stop."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._calls: dict[int, int] = {}
        """The call of each open block, by the block's index."""
        self._whole_inputs: dict[int, str] = {}
        """Arguments that came with a block's start, until its deltas say otherwise, by the block's index."""
        self._signature: list[str] = []
        self._figures: dict[str, int] = {}
        self._stop: StopReason | None = None
        self._begun: set[int] = set()
        """The blocks that were begun, by their indexes."""

    def read(self, event: Json) -> None:
        match event.get("type"):
            case "content_block_delta":
                self._grow(event.get("index", 0), inner(event, "delta"))
            case "content_block_start":
                self._begin(event.get("index", 0), inner(event, "content_block"))
            case "content_block_stop":
                self._finish(event.get("index", 0))
            case "message_start":
                self._count(inner(inner(event, "message"), "usage"))
            case "message_delta":
                self._count(inner(event, "usage"))
                if reason := inner(event, "delta").get("stop_reason"):
                    self._end_with(reason)
            case "message_stop":
                self._answer.has_ended = self.end(is_marked=True)
            case _ if event.get("error") or event.get("type") == "error":
                raise faults.in_stream(event.get("error"))
            case _:
                pass

    def read_whole(self, answer: Json) -> bool:
        blocks: object = answer.get("content")
        if answer.get("error") or not isinstance(blocks, list):
            return False
        self.read({"type": "message_start", "message": answer})
        for index, block in enumerate(answer["content"]):
            self._begin(index, block)
            self._finish(index)
        self.read({"type": "message_delta", "delta": {"stop_reason": answer.get("stop_reason")}})
        return self.end(is_marked=True)

    def _end_with(self, reason: str) -> None:
        if reason == "model_context_window_exceeded" and not self._begun:
            raise faults.out_of_window()
        self._stop = _STOPS.get(reason, StopReason.END)

    def end(self, *, is_marked: bool) -> bool:
        if self._stop is None and not is_marked:
            return False
        for index in tuple(self._calls):
            self._finish(index)
        if self._answer.has_open_thought:
            self._seal()
        self._answer.stop(self._stop or StopReason.END)
        return True

    def _begin(self, index: int, block: Json) -> None:
        self._begun.add(index)
        match block.get("type"):
            case "text":
                self._answer.text(block.get("text") or "")
            case "thinking":
                self._signature = [block.get("signature") or ""]
                self._answer.thought(block.get("thinking") or "")
            case "redacted_thinking":
                seal = json.dumps({"type": "redacted_thinking", "data": block.get("data") or ""})
                self._answer.seal_thought(lambda _: seal, text="")
            case "tool_use":
                self._calls[index] = self._answer.begin_call(block.get("id") or "", block.get("name") or "")
                if given := block.get("input"):
                    self._whole_inputs[index] = json.dumps(given, ensure_ascii=False)
            case _:
                pass

    def _grow(self, index: int, delta: Json) -> None:
        match delta.get("type"):
            case "text_delta":
                self._answer.text(delta.get("text") or "")
            case "input_json_delta":
                self._grow_call(index, delta.get("partial_json") or "")
            case "thinking_delta":
                self._answer.thought(delta.get("thinking") or "")
            case "signature_delta":
                self._signature.append(delta.get("signature") or "")
            case _:
                pass

    def _grow_call(self, index: int, arguments: str) -> None:
        if index not in self._begun:
            raise faults.unreadable("the arguments of a call that it had not begun")
        if arguments and index in self._calls:
            self._whole_inputs.pop(index, None)
            self._answer.grow_call(self._calls[index], arguments)

    def _finish(self, index: int) -> None:
        if (key := self._calls.pop(index, None)) is not None:
            self._answer.grow_call(key, self._whole_inputs.pop(index, ""))
            self._answer.end_call(key)
        elif any(self._signature) or self._answer.has_open_thought:
            self._seal()

    def _seal(self) -> None:
        signature = "".join(self._signature)
        self._signature = []
        seal = json.dumps({"type": "thinking", "signature": signature}) if signature else None
        self._answer.seal_thought(lambda _: seal)

    def _count(self, counted: Json) -> None:
        """Later figures replace earlier ones; those that are left out stand."""
        self._figures |= {name: number for name in counted if (number := figure(counted, name))}
        reads = figure(self._figures, "cache_read_input_tokens")
        writes = figure(self._figures, "cache_creation_input_tokens")
        tokens_in = figure(self._figures, "input_tokens") + reads + writes
        tokens_out = figure(self._figures, "output_tokens")
        if counted:
            self._answer.count(usage(tokens_in, tokens_out, cache_reads=reads, cache_writes=writes))
