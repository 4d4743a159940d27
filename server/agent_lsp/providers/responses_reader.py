"""Reads the events of the Responses API (openai-responses)."""

import json

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.model import StopReason
from agent_lsp.providers import faults
from agent_lsp.providers.answer import Answer
from agent_lsp.providers.figures import amount, figure, usage
from agent_lsp.providers.inner import inner
from agent_lsp.providers.responses_items import CALL, MESSAGE, Item, Items, as_arguments

IGNORED = frozenset(
    {
        b"response.created",
        b"response.queued",
        b"response.in_progress",
        b"response.reasoning_summary_text.done",
        b"response.reasoning_summary_part.done",
        b"keepalive",
    }
)
"""What only repeats: whole thoughts behind their deltas among it."""


class ResponsesReader:
    """Items come one after another, each added, grown and done; the last event repeats them all."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._items = Items()
        self._has_refused = False
        self._stop: StopReason | None = None

    def read(self, event: Json) -> None:
        match event.get("type"):
            case "response.output_text.delta":
                self._items.found(event, MESSAGE).say(self._answer, event.get("delta") or "", _part_of(event))
            case "response.refusal.delta":
                self._has_refused |= bool(event.get("delta"))
                self._items.found(event, MESSAGE).say(self._answer, event.get("delta") or "", _part_of(event))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                self._answer.thought(event.get("delta") or "")
            case "response.reasoning_summary_part.added" if self._answer.has_open_thought:
                self._answer.thought("\n\n")
            case "response.function_call_arguments.delta":
                self._items.found(event, CALL).grow(self._answer, event.get("delta") or "")
            case "error" | "response.failed" | "response.cancelled":
                raise _fault_of(event)
            case _ if event.get("error"):
                raise _fault_of(event)
            case _:
                self._read_whole_part(event)

    def read_whole(self, answer: Json) -> bool:
        if answer.get("object") != "response" and not isinstance(answer.get("output"), list):
            return False
        status = answer.get("status") or "completed"
        self.read({"type": f"response.{status}", "response": answer})
        return self._answer.has_ended

    def end(self, *, is_marked: bool) -> bool:
        if self._stop is None and not is_marked:
            return False
        for item in self._items.all:
            item.end(self._answer)
        self._answer.stop(self._stop or StopReason.END)
        return True

    def _read_whole_part(self, event: Json) -> None:
        """Read what begins, or tells all of something that may have come in pieces."""
        match event.get("type"):
            case "response.output_text.done" | "response.refusal.done":
                self._say_rest(event, event)
            case "response.content_part.done":
                self._say_rest(event, inner(event, "part"))
            case "response.function_call_arguments.done":
                call = self._items.found(event, CALL)
                call.learn({"name": event.get("name"), "arguments": event.get("arguments")})
            case "response.output_item.added":
                self._items.begin(event, inner(event, "item")).announce(self._answer)
            case "response.output_item.done":
                self._finish(self._items.done(event, inner(event, "item")), inner(event, "item"))
            case "response.completed" | "response.done" | "response.incomplete":
                self._complete(inner(event, "response"), is_cut=event["type"] == "response.incomplete")
            case _:
                pass

    def _complete(self, response: Json, *, is_cut: bool) -> None:
        if response.get("status") in ("failed", "cancelled"):
            raise _fault_of({"response": response})
        output: list[Json] = response.get("output") or []
        for item, whole in zip(self._items.matched(output), output, strict=True):
            self._finish(item, whole)
        self._count(inner(response, "usage"))
        reason = inner(response, "incomplete_details").get("reason")
        if reason == "content_filter" or self._has_refused:
            self._stop = StopReason.REFUSAL
        else:
            self._stop = StopReason.LENGTH if is_cut or response.get("status") == "incomplete" else StopReason.END
        self._answer.has_ended = self.end(is_marked=True)

    def _say_rest(self, event: Json, whole: Json) -> None:
        """Say what has not come of a part of a message, now that all of it has."""
        self._has_refused |= bool(whole.get("refusal"))
        if text := _text_of(whole):
            self._items.found(event, MESSAGE).say_rest(self._answer, text, _part_of(event))

    def _finish(self, item: Item, whole: Json) -> None:
        match item.kind:
            case "message":
                parts: list[Json] = whole.get("content") or []
                self._has_refused |= any(part.get("refusal") for part in parts)
                item.say(self._answer, item.text.rest_of("".join(map(_text_of, parts))), max(0, len(parts) - 1))
            case "function_call":
                item.end(self._answer, as_arguments(whole.get("arguments")))
            case "reasoning" if not item.is_done:
                self._seal(whole)
            case _:
                pass
        item.is_done = True

    def _seal(self, item: Json) -> None:
        """Keep a reasoning item whole; without its encrypted content it could not be sent back, and is only text."""
        seal = json.dumps(item, ensure_ascii=False) if item.get("encrypted_content") else None
        if self._answer.has_open_thought:
            self._answer.seal_thought(lambda _: seal)
        elif seal or item.get("summary") or item.get("content"):
            summary = "\n\n".join(part.get("text") or "" for part in item.get("summary") or item.get("content") or ())
            self._answer.seal_thought(lambda _: seal, text=summary)

    def _count(self, counted: Json) -> None:
        details = inner(counted, "input_tokens_details")
        self._answer.count(
            usage(
                figure(counted, "input_tokens"),
                figure(counted, "output_tokens"),
                cache_reads=figure(details, "cached_tokens"),
                cache_writes=figure(details, "cache_write_tokens"),
                cost=amount(counted, "cost"),
            )
        )


def _part_of(event: Json) -> int:
    place = event.get("content_index")
    return place if isinstance(place, int) else 0


def _text_of(part: Json) -> str:
    return part.get("text") or part.get("refusal") or ""


def _fault_of(event: Json) -> ModelFault:
    told = event.get("error") or inner(event, "response").get("error")
    return faults.in_stream(told or {"code": event.get("code"), "message": event.get("message")})
