"""Which files a history has read and changed, as its calls say. Pure."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Words

_READS = frozenset({"read_file"})
_CHANGES = frozenset({"write_to_file", "apply_diff", "edit_file", "apply_patch"})
_IN_PATCH = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
_MOST_TOLD = 100
_CHANGED, _READ = "Files changed so far: ", "Files read so far: "


@dataclass(frozen=True, slots=True)
class Touched:
    """Paths as the model wrote them, each once, those touched last at the end."""

    read: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Say it in lines that are understood again when the history is condensed once more."""
        told = ((_CHANGED, self.changed), (_READ, self.read))
        return [words + json.dumps(paths[-_MOST_TOLD:], ensure_ascii=False) for words, paths in told if paths]


def touched(history: Sequence[HistoryItem]) -> Touched:
    """Look through the calls that did not fail, and through what earlier summaries say."""
    failed = {item.call_id for item in history if isinstance(item, Result) and item.is_error}
    read, changed = list[str](), list[str]()
    for item in history:
        match item:
            case Words(texts, by="summary"):
                read += _told(texts, _READ)
                changed += _told(texts, _CHANGED)
            case Reply(calls=calls):
                done = [call for call in calls if call.id not in failed]
                read += [path for call in done if call.name in _READS for path in _paths(call)]
                changed += [path for call in done if call.name in _CHANGES for path in _paths(call)]
            case _:
                pass
    newest_changed = _newest_last(changed)
    return Touched(tuple(path for path in _newest_last(read) if path not in set(newest_changed)), newest_changed)


def _newest_last(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(reversed(dict.fromkeys(reversed([*paths]))))


def _paths(call: Call) -> list[str]:
    match _json(call.arguments):
        case {"path": str(path)}:
            return [path]
        case {"patch": str(patch)}:
            return _IN_PATCH.findall(patch)
        case _:
            return []


def _told(texts: Iterable[str], words: str) -> list[str]:
    lines = (line for text in texts for line in text.splitlines() if line.startswith(words))
    return [path for line in lines for path in _strings(_json(line.removeprefix(words)))]


def _strings(value: object) -> list[str]:
    items = cast("list[object]", value) if isinstance(value, list) else []  # What they are is looked at next.
    return [item for item in items if isinstance(item, str)]


def _json(text: str) -> Any:  # Any: whatever JSON the model wrote.
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
