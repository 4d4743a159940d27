"""What was new in each request of a recorded task, and in what another request differs from it. No I/O."""

import difflib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from hashlib import sha256
from itertools import count
from weakref import WeakKeyDictionary

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.history import HistoryItem, Reply, Result, Words
from agent_lsp.domain.model import ModelRequest
from agent_lsp.providers.secrets import Secrets

_SHOWN_LINES = 16
_LONGEST_LINE = 200
_DIGITS = 16


class TaskNumbers:
    """Tells the tasks apart that share a model, from 0, by the first item of their histories."""

    def __init__(self) -> None:
        self._numbers: WeakKeyDictionary[HistoryItem, int] = WeakKeyDictionary()
        self._count = 0
        self._newest = 0

    def of(self, history: Sequence[HistoryItem]) -> int:
        first = history[0]
        if first not in self._numbers:
            # A history that begins anew and has replies is one that was condensed: the task is an old one.
            is_old = self._count > 0 and any(isinstance(item, Reply) for item in history)
            self._numbers[first] = self._newest if is_old else self._count
            self._count += not is_old
        self._newest = self._numbers[first]
        return self._newest


class RecordedRun:
    """What all models of a run share that are recorded into one file: a task may go on with another model."""

    def __init__(self, hidden: Callable[[], Collection[str]] = tuple) -> None:
        self.hidden = hidden
        """Secrets beside those of a model's own profile, which no line may hold."""
        self.tasks = TaskNumbers()
        self.told: WeakKeyDictionary[HistoryItem, bool] = WeakKeyDictionary()
        """What any of them was told already."""
        self._requests = count()

    def next_request(self) -> int:
        return next(self._requests)


class RequestNotes:
    """What is written of a task's requests: each item once, with the request that it was new in."""

    def __init__(self, secrets: Secrets, run: RecordedRun) -> None:
        self._secrets = secrets
        self._told = run.told

    def of(self, request: ModelRequest) -> Json:
        """Note a request. What the model said itself stands in the recording as it is."""
        new = [item for item in request.history if item not in self._told]
        for item in new:
            self._told[item] = True
        texts = [_text_of(item, new) for item in new if not isinstance(item, Reply)]
        tools = sorted(tool.name for tool in request.tools)
        return {
            "system": _digest(request.system),
            "tools": _digest(json.dumps(tools)),
            "new": [[title, self._secrets.removed_from(text)] for title, text in texts],
        }


def difference(recorded: Json, now: Json) -> str:
    """Say in what is new a request differs from the recorded one; empty if it does not."""
    for (was_title, was), (title, text) in zip(recorded["new"], now["new"], strict=False):
        if was_title != title:
            return f"there is {title} where {was_title} was"
        if changed := list(_changed(was, text)):
            return "\n".join([f"{title} is another:", *changed])
    if len(recorded["new"]) != len(now["new"]):
        return f"it tells {len(now['new'])} new things instead of {len(recorded['new'])}"
    return ""


def prompt_difference(recorded: Json, now: Json) -> str:
    """Say in what the part of a request differs that is the same from step to step; empty if it does not."""
    names = {"system": "the system prompt is another", "tools": "the tools are others"}
    return " and ".join(words for name, words in names.items() if recorded[name] != now[name])


def _changed(was: str, now: str) -> Iterator[str]:
    """The lines that differ, the first ones of them. When it is, is not compared."""
    before, after = ([line for line in text.splitlines() if not line.startswith("Time: ")] for text in (was, now))
    if before == after:
        return
    lines = [line for line in difflib.unified_diff(before, after, n=0, lineterm="") if line[:3] not in ("---", "+++")]
    for line in lines[:_SHOWN_LINES]:
        yield line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…"
    if len(lines) > _SHOWN_LINES:
        yield f"… {len(lines) - _SHOWN_LINES} more lines"


def _text_of(item: HistoryItem, near: Sequence[HistoryItem]) -> tuple[str, str]:
    match item:
        case Words(texts, images):
            return "what the model is told", "\n\n".join([*texts, *map(_digest, images)])
        case Result(call_id, text, images):
            calls = [call for other in near if isinstance(other, Reply) for call in other.calls]
            name = next((call.name for call in calls if call.id == call_id), "a tool")
            return f"the result of {name}", "\n".join([text, *map(_digest, images)])
        case Reply():
            return "the model's answer", item.text


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
