"""A history as a model reads it that writes its calls as text: calls are prose of its own, results the user's words.

The history itself keeps calls and results as such, so that a task can change between models of either kind. No I/O.
"""

import json
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.history import Call, HistoryItem, Part, Reply, Result, Spoken, Thought, Words
from agent_lsp.domain.model import ModelRequest, ToolSpec
from agent_lsp.providers.xml_prompt import with_tools, written

_SHOWN = 80
"""Characters of an argument by which a result is told from others."""
_NOT_WHOLE = (
    "not run: the call had no end. Write it again, whole, with all closing tags. If it was cut off for its length, do "
    "the work in smaller parts."
)


class PlainHistory:
    """Turns requests with tools into requests without. Each item is turned once: writers keep what they made of it."""

    def __init__(self) -> None:
        self._turned: WeakKeyDictionary[HistoryItem, HistoryItem] = WeakKeyDictionary()
        self._prompt: tuple[str, tuple[ToolSpec, ...], str] | None = None

    def request(self, request: ModelRequest) -> ModelRequest:
        return ModelRequest(self._system(request), (), self._history(request.history))

    def _system(self, request: ModelRequest) -> str:
        if self._prompt is None or self._prompt[:2] != (request.system, request.tools):
            self._prompt = (request.system, request.tools, with_tools(request.system, request.tools))
        return self._prompt[2]

    def _history(self, history: Sequence[HistoryItem]) -> list[HistoryItem]:
        plain: list[HistoryItem] = []
        reply: Reply | None = None
        for item in history:
            if isinstance(item, Reply):
                reply = item
            turned = self._turned.get(item)
            if turned is None:
                turned = self._turned[item] = _plain(item, reply)
            plain.append(turned)
        return plain


def _plain(item: HistoryItem, reply: Reply | None) -> HistoryItem:
    match item:
        case Words(texts, images):
            # A copy: writers keep what they know of a history for as long as its first item lives.
            return Words(texts, images)
        case Reply():
            return Reply(_plain_parts(item), item.origin)
        case Result(call_id, _, images):
            call = next((call for call in reply.calls if call.id == call_id), None) if reply else None
            return Words((_told(item, call),), images)


def _plain_parts(reply: Reply) -> tuple[Part, ...]:
    """Thoughts stay what they are: their seals are checked by whoever made them."""
    thoughts = [part for part in reply.parts if isinstance(part, Thought)]
    text = "\n\n".join(said for part in reply.parts if (said := _said(part)))
    return (*thoughts, Spoken(text)) if text else tuple(thoughts)


def _said(part: Part) -> str:
    match part:
        case Thought():
            return ""
        case Spoken(text):
            return text.strip()
        case Call(name=name):
            arguments = _arguments(part)
            return f"[A call of {name}, which had no end]" if arguments is None else written(name, arguments)


def _told(result: Result, call: Call | None) -> str:
    if call is None:
        return f"[tool] Result:\n{result.text}"
    arguments = _arguments(call)
    if arguments is None:
        return f"[{call.name}] Error: {_NOT_WHOLE}"
    word = "Error" if result.is_error else "Result"
    return f"[{call.name}{_shown(arguments)}] {word}:\n{result.text.strip() or '(nothing)'}"


def _shown(arguments: Json) -> str:
    """The first argument, as far as it is short: what a path or a command is told by."""
    first = next(iter(arguments.values()), None)
    if not isinstance(first, str) or not first.strip():
        return ""
    line = first.strip().splitlines()[0]
    return f" for '{line if len(line) <= _SHOWN else line[:_SHOWN] + '…'}'"


def _arguments(call: Call) -> Json | None:
    try:
        value: object = json.loads(call.arguments or "{}", strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType] - JSON of a model's
