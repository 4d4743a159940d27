"""Reads the chunks of Chat Completions (openai), also as the many compatible servers write them."""

import json
from dataclasses import dataclass, field
from typing import Any, cast

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.model import StopReason
from agent_lsp.providers import faults
from agent_lsp.providers.answer import Answer
from agent_lsp.providers.figures import amount, figure, usage
from agent_lsp.providers.inner import inner
from agent_lsp.providers.reasoning_details import joined_details

IGNORED = frozenset({b"ping"})

_STOPS = {
    "tool_calls": StopReason.CALLS,
    "function_call": StopReason.CALLS,
    "length": StopReason.LENGTH,
    "max_tokens": StopReason.LENGTH,
    "model_length": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
    "safety": StopReason.REFUSAL,
    "sensitive": StopReason.REFUSAL,
}

_TEXTS = frozenset({"text", "output_text"})

_UNFINISHED = frozenset({"", "null", "none"})

_FAILURES = frozenset({"abort", "error", "insufficient_system_resource", "malformed_function_call", "network_error"})
"""Reasons by which compatible servers say that an answer came to nothing."""

_CACHE_READS = ("prompt_cache_hit_tokens", "cache_read_input_tokens", "cached_tokens")
"""Not of the vendor's API: what compatible servers call the cached part of a prompt."""

_LEGACY = -1
"""Stands for the index of the one call that an answer could make in the API's first years."""

_THOUGHT_FIELDS = ("reasoning_content", "reasoning")
"""Not of the vendor's API: the two names that compatible servers give to streamed reasoning."""

_SAID = (*_THOUGHT_FIELDS, "content", "refusal", "tool_calls", "function_call")


@dataclass(slots=True)
class _Calling:
    """A call as it comes in. It is announced once its name is whole: some services send names in pieces."""

    id: str
    name: list[str] = field(default_factory=list[str])
    arguments: list[str] = field(default_factory=list[str])
    """What came of them and is not told yet: some services name a call only later."""
    key: int | None = None
    extra: Json = field(default_factory=dict[str, Any])
    """What the service wants to see again with the call: Gemini's signature of the thoughts behind it."""

    @property
    def whole_name(self) -> str:
        return "".join(self.name)

    def taken(self) -> str:
        """Hand over the arguments that are not told yet."""
        arguments = "".join(self.arguments)
        self.arguments.clear()
        return arguments


class ChatReader:
    """A chunk may carry anything at any time; an end of a thought or a call is seen when something else begins."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._calls: dict[int, _Calling] = {}
        """The newest call of each index."""
        self._current: _Calling | None = None
        self._thought_field = ""
        self._has_deltas = False
        self._stop: StopReason | None = None
        self._has_refused = False
        self._details: list[Json] = []

    def read(self, event: Json) -> None:
        if error := _error_of(event):
            raise faults.in_stream(error)
        if event.get("usage") or event.get("x_groq"):
            self._count(inner(event, "usage") or inner(inner(event, "x_groq"), "usage"))
        for choice in event.get("choices") or ():
            if not choice.get("index"):
                self._read_choice(choice)

    def read_whole(self, answer: Json) -> bool:
        if not answer.get("choices"):
            return False
        self.read(answer)
        return self.end(is_marked=True)

    def end(self, *, is_marked: bool) -> bool:
        if self._stop is None and not is_marked:
            return False
        self._end_thought()
        self._end_call()
        for calling in self._calls.values():
            self._announce(calling)
        if self._details:
            self._seal({"reasoning_details": joined_details(self._details)}, text="")
        stop = StopReason.REFUSAL if self._has_refused else self._stop
        self._answer.stop(stop or StopReason.END)
        return True

    def _read_choice(self, choice: Json) -> None:
        if delta := inner(choice, "delta"):
            self._has_deltas |= any(delta.get(name) for name in _SAID)
            self._read_delta(delta)
        elif not self._has_deltas:
            # Behind deltas, a message repeats them; without any, it is what they would be.
            self._read_delta(inner(choice, "message"))
        if choice.get("usage"):
            self._count(inner(choice, "usage"))
        if (reason := str(choice.get("finish_reason") or "").lower()) not in _UNFINISHED:
            self._finish(reason)

    def _read_delta(self, delta: Json) -> None:
        for name in _THOUGHT_FIELDS:
            if thought := delta.get(name):
                self._thought_field = name
                self._answer.thought(thought)
                break
        if text := _as_prose(delta.get("content")):
            self._end_thought()
            self._answer.text(text)
        if refusal := delta.get("refusal"):
            self._has_refused = True
            self._answer.text(refusal)
        for call in delta.get("tool_calls") or ():
            self._end_thought()
            self._read_call(call)
        if function := inner(delta, "function_call"):
            self._end_thought()
            self._read_call({"index": _LEGACY, "function": function})
        self._details.extend(delta.get("reasoning_details") or ())

    def _finish(self, reason: str) -> None:
        if reason in _FAILURES:
            raise faults.in_stream({"type": reason})
        self._stop = _STOPS.get(reason, StopReason.END)

    def _read_call(self, piece: Json) -> None:
        function = inner(piece, "function")
        id_, name = _id_of(piece), function.get("name") or ""
        calling = self._calling(piece.get("index"), id_, name)
        calling.extra = inner(piece, "extra_content") or calling.extra
        if name and calling.key is None and (not calling.name or not id_):
            calling.name.append(name)
        if arguments := _as_text(function.get("arguments")):
            calling.arguments.append(arguments)
        if calling.arguments and calling.name:
            self._announce(calling)

    def _calling(self, index: int | None, id_: str, name: str) -> _Calling:
        """Find the call that a piece belongs to, or begin one."""
        known = self._known(id_) if index is None else self._calls.get(index)
        if known is None or _is_another(known, id_, name, has_index=index is not None):
            self._end_call()
            if known:
                self._announce(known)
            known = self._calls[len(self._calls) if index is None else index] = _Calling(id_)
        elif known is not self._current and self._current and self._current.name:
            self._announce(self._current)
        self._current = known
        return known

    def _known(self, id_: str) -> _Calling | None:
        """Find a call by its id alone: the one of before, unless another is meant."""
        return next((call for call in self._calls.values() if id_ and call.id == id_), self._current)

    def _announce(self, calling: _Calling) -> None:
        """Tell of a call, and what came of its arguments."""
        if calling.key is None:
            if calling.extra:
                self._seal({"extra_content": calling.extra}, text="")
            calling.key = self._answer.begin_call(calling.id, calling.whole_name)
        self._answer.grow_call(calling.key, calling.taken())

    def _end_call(self) -> None:
        # Not told as ended before the answer is: a service may go back to a call after it began another.
        if self._current is not None:
            self._announce(self._current)

    def _end_thought(self) -> None:
        if self._answer.has_open_thought:
            self._seal({"field": self._thought_field})

    def _seal(self, kept: Json, text: str | None = None) -> None:
        seal = json.dumps(kept, ensure_ascii=False)
        self._answer.seal_thought(lambda _: seal, text)

    def _count(self, counted: Json) -> None:
        details = inner(counted, "prompt_tokens_details")
        tokens_in = figure(counted, "prompt_tokens")
        # Gemini and xAI leave thoughts out of the completion, and in the total.
        tokens_out = max(figure(counted, "completion_tokens"), figure(counted, "total_tokens") - tokens_in)
        self._answer.count(
            usage(
                tokens_in,
                tokens_out,
                cache_reads=figure(details, "cached_tokens") or figure(counted, *_CACHE_READS),
                cache_writes=figure(details, "cache_write_tokens") or figure(counted, "cache_creation_input_tokens"),
                cost=amount(counted, "cost"),
            )
        )


def _error_of(event: Json) -> object:
    """Find the error in an event, which compatible servers put in many places."""
    if error := event.get("error"):
        return error
    is_error = "choices" not in event and any(key in event for key in ("detail", "message"))
    return event if is_error or event.get("object") == "error" else None


def _is_another(known: _Calling, id_: str, name: str, *, has_index: bool) -> bool:
    """Whether a piece with this id and name begins a call of its own, though `known` stands at its place."""
    if id_ and known.id:
        return id_ != known.id
    has_begun = known.key is not None
    if has_index:
        return has_begun and bool(name) and name != known.whole_name
    return bool(id_ or name) and (has_begun or bool(id_))


def _id_of(piece: Json) -> str:
    """An id is text; some servers count calls instead."""
    id_: object = piece.get("id")
    return str(id_) if isinstance(id_, int) else piece.get("id") or ""


def _as_prose(content: Any) -> str:  # Any: JSON as a service sends it
    """Content is text, or (with some servers) a list of parts."""
    if isinstance(content, list):
        parts = cast("list[object]", content)  # cast: nothing is known of the parts but that JSON has made them
        return "".join(part if isinstance(part, str) else _text_of(part) for part in parts)
    return content or ""


def _text_of(part: object) -> str:
    if not isinstance(part, dict):
        return ""
    shape = cast("Json", part)  # cast: a JSON object has strings for keys
    return (shape.get("text") or "") if shape.get("type", "text") in _TEXTS else ""


def _as_text(arguments: Any) -> str:  # Any: JSON as a service sends it
    """Arguments are text; some servers send the object itself."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False)
