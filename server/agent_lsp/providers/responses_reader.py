"""Reads the events of the Responses API (openai-responses)."""

import json

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.model import StopReason
from agent_lsp.providers import faults
from agent_lsp.providers.answer import Answer
from agent_lsp.providers.figures import amount, figure, usage
from agent_lsp.providers.inner import inner

IGNORED = frozenset(
    {
        b"response.created",
        b"response.queued",
        b"response.in_progress",
        b"response.content_part.added",
        b"response.content_part.done",
        b"response.output_text.done",
        b"response.reasoning_summary_text.done",
        b"response.reasoning_summary_part.done",
        b"keepalive",
    }
)
"""What only repeats: the whole texts behind their deltas among it."""


class ResponsesReader:
    """Items come one after another, each added, grown and done; the last event repeats them all."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._calls: dict[int, int] = {}
        """The call of each item, by the item's place in the output."""
        self._has_arguments: set[int] = set()
        self._has_text: set[int] = set()
        self._is_told = False
        """Whether the items came one by one, and not only in the last event."""
        self._has_refused = False
        self._stop: StopReason | None = None

    def read(self, event: Json) -> None:
        place: int = event.get("output_index", 0)
        match event.get("type"):
            case "response.output_text.delta":
                self._say(place, event.get("delta") or "")
            case "response.refusal.delta":
                self._has_refused = True
                self._say(place, event.get("delta") or "")
            case "response.function_call_arguments.delta":
                self._grow_call(place, event.get("delta") or "")
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                self._answer.thought(event.get("delta") or "")
            case "response.reasoning_summary_part.added" if self._answer.has_open_thought:
                self._answer.thought("\n\n")
            case "response.output_item.added":
                self._begin(place, inner(event, "item"))
            case "response.output_item.done":
                self._finish(place, inner(event, "item"))
            case _:
                self._read_ending(event)

    def end(self, *, is_marked: bool) -> bool:
        if self._stop is None and not is_marked:
            return False
        self._answer.stop(self._stop or StopReason.END)
        return True

    def _read_ending(self, event: Json) -> None:
        response = inner(event, "response")
        match event.get("type"):
            case "response.completed":
                self._complete(response, StopReason.REFUSAL if self._has_refused else StopReason.END)
            case "response.incomplete":
                reason = inner(response, "incomplete_details").get("reason")
                self._complete(response, StopReason.REFUSAL if reason == "content_filter" else StopReason.LENGTH)
            case "response.failed" | "response.cancelled":
                raise faults.in_stream(response.get("error"))
            case "error":
                raise faults.in_stream(
                    event.get("error") or {"code": event.get("code"), "message": event.get("message")}
                )
            case _ if event.get("error"):
                raise faults.in_stream(event["error"])
            case _:
                pass

    def _complete(self, response: Json, stop: StopReason) -> None:
        if not (self._is_told or self._answer.has_open_thought):
            # Some servers stream nothing but this.
            for place, item in enumerate(response.get("output") or ()):
                self._finish(place, item)
        self._count(inner(response, "usage"))
        self._stop = stop
        self._answer.has_ended = self.end(is_marked=True)

    def _say(self, place: int, text: str) -> None:
        self._is_told = True
        self._has_text.add(place)
        self._answer.text(text)

    def _begin(self, place: int, item: Json) -> None:
        self._is_told = True
        if item.get("type") == "function_call":
            self._calls[place] = self._answer.begin_call(item.get("call_id") or "", item.get("name") or "")

    def _grow_call(self, place: int, arguments: str) -> None:
        if arguments and place in self._calls:
            self._has_arguments.add(place)
            self._answer.grow_call(self._calls[place], arguments)

    def _finish(self, place: int, item: Json) -> None:
        self._is_told = True
        match item.get("type"):
            case "message" if place not in self._has_text:
                for part in item.get("content") or ():
                    self._has_refused |= "refusal" in part
                    self._answer.text(part.get("text") or part.get("refusal") or "")
            case "function_call":
                if place not in self._calls:
                    self._begin(place, item)
                if place not in self._has_arguments:
                    self._grow_call(place, item.get("arguments") or "")
                self._answer.end_call(self._calls[place])
            case "reasoning":
                self._seal(item)
            case _:
                pass

    def _seal(self, item: Json) -> None:
        """Keep a reasoning item whole; without its encrypted content it could not be sent back, and is only text."""
        seal = json.dumps(item, ensure_ascii=False) if item.get("encrypted_content") else None
        if self._answer.has_open_thought:
            self._answer.seal_thought(lambda _: seal)
        elif seal or item.get("summary"):
            summary = "\n\n".join(part.get("text") or "" for part in item.get("summary") or ())
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
