"""Which files a model has seen, and how each was then: so that it can be told of those that have changed since.

What the model's own edits made of a file it knows. Asking costs a look at each file's status, and reads only those
that were touched.
"""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agent_lsp.domain.documents import Documents, OpenDocument
from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.files import FileEdit, FileText, Place
from agent_lsp.workspace.reading import text_on_disk

MOST_SEEN = 200
"""Files that are watched over; of those seen longest ago nothing is told any more."""
MOST_EACH_STEP = 40
"""That are looked at between the user's words: a step is to cost the same in a long task."""


_Stamp = tuple[int, int, int]
_NEVER: _Stamp = (0, 0, 0)
_CHANGED = -1
"""No text has this hash."""


@dataclass(slots=True)
class _Seen:
    """A file as the model knows it."""

    place: Place
    text: int | None
    """The text's hash: the text itself may be large. None where it is to be taken as it is next found."""
    version: int | None = None
    """Of the open document that was compared last."""
    stamp: _Stamp | None = _NEVER
    """The status on disk when that was compared last; None where there was no file."""


@dataclass(frozen=True, slots=True)
class FileNews:
    """Paths of files that changed since the model saw them."""

    by_user: tuple[str, ...] = ()
    by_commands: tuple[str, ...] = ()
    """Commands of the agent's own ran meanwhile, which may well have done it."""
    by_tasks: tuple[str, ...] = ()
    """They read as another task of this server has left them."""


class TasksEdits:
    """What edits of a server's tasks last made of files, and whose they were; of the newest files only."""

    def __init__(self) -> None:
        self._made: OrderedDict[str, tuple[object, int | None]] = OrderedDict()

    def note(self, owner: object, uri: str, text: str | None) -> None:
        self._made[uri] = owner, None if text is None else hash(text)
        self._made.move_to_end(uri)
        if len(self._made) > MOST_SEEN:
            self._made.popitem(last=False)

    def is_anothers(self, owner: object, uri: str, text: str | None) -> bool:
        """Whether the file reads as another task has left it; None: it is gone."""
        made = self._made.get(uri)
        return made is not None and made[0] is not owner and made[1] == (None if text is None else hash(text))


class SeenFiles:
    """One task's. `has_run` tells whether commands of the task have run since it was last asked."""

    def __init__(self, documents: Documents, has_run: Callable[[], bool], edits: TasksEdits) -> None:
        self._documents = documents
        self._has_run = has_run
        self._edits = edits
        self._me = object()
        """Whose edits these are: nothing that would keep a task that is over."""
        self._seen: OrderedDict[str, _Seen] = OrderedDict()
        self.on_seen: Callable[[Place], None] = lambda _place: None
        """Told of each file that the model sees or edits."""

    def saw(self, place: Place, text: FileText) -> None:
        """Note what the model is shown of a file."""
        stamp = _NEVER if text.is_open else _stamp(place)
        self._note(_Seen(place, hash(text.text), text.base.version if text.is_open else None, stamp))

    def edited(self, edits: Sequence[FileEdit]) -> None:
        """Note what the model's edits have made of files. One that had changed before stays to be told of."""
        for edit in edits:
            known = self._seen.pop(edit.place.uri, None)
            self._note_made(edit)
            if edit.after is None:
                continue
            has_changed = known and edit.before and known.text != hash(edit.before.text)
            self._note(_Seen(edit.move_to or edit.place, known.text if known and has_changed else hash(edit.after)))

    def _note_made(self, edit: FileEdit) -> None:
        if edit.move_to:
            self._edits.note(self._me, edit.place.uri, None)
        self._edits.note(self._me, (edit.move_to or edit.place).uri, edit.after)

    def recall(self, places: Iterable[Place], since_ms: int) -> None:
        """Note what the model saw before the server was started anew; of newer files, that they have changed."""
        for place in places:
            stamp = _stamp(place)
            has_changed = stamp is None or stamp[0] > since_ms * 1_000_000
            self._keep(_Seen(place, _CHANGED if has_changed else None))

    async def news(self, most: int = MOST_SEEN) -> FileNews:
        """Tell what has changed since it was last told. What is told once is known from then on.

        `most`: so many of those seen last are looked at, unless commands have run; the others' turn comes later.
        """
        has_run = self._has_run()
        latest = list(self._seen.values())[0 if has_run else -most :]
        touched = [seen for seen in latest if self._is_touched(seen)]
        texts = await asyncio.to_thread(_texts, touched) if touched else []
        by_user, by_commands, by_tasks = list[str](), list[str](), list[str]()
        for seen, (stamp, text) in zip(touched, texts, strict=True):
            seen.stamp = stamp
            is_anothers = self._edits.is_anothers(self._me, seen.place.uri, text)
            self._tell(seen, text, by_tasks if is_anothers else by_commands if has_run else by_user)
        for seen in latest:
            if document := self._newer_document(seen):
                is_anothers = self._edits.is_anothers(self._me, seen.place.uri, document.text)
                self._tell(seen, document.text, by_tasks if is_anothers else by_user)
        return FileNews(tuple(sorted(by_user)), tuple(sorted(by_commands)), tuple(sorted(by_tasks)))

    def _note(self, seen: _Seen) -> None:
        self._keep(seen)
        self.on_seen(seen.place)

    def _keep(self, seen: _Seen) -> None:
        self._seen[seen.place.uri] = seen
        self._seen.move_to_end(seen.place.uri)
        if len(self._seen) > MOST_SEEN:
            self._seen.popitem(last=False)

    def _is_touched(self, seen: _Seen) -> bool:
        return self._documents.get(seen.place.uri) is None and _stamp(seen.place) != seen.stamp

    def _tell(self, seen: _Seen, text: str | None, told: list[str]) -> None:
        if text is None:
            self._seen.pop(seen.place.uri, None)
            told.append(f"{seen.place.path} (it is gone)")
            return
        if seen.text not in (None, hash(text)):
            told.append(seen.place.path)
        seen.text = hash(text)

    def _newer_document(self, seen: _Seen) -> OpenDocument | None:
        document = self._documents.get(seen.place.uri)
        if document is None or document.version == seen.version:
            return None
        seen.version, seen.stamp = document.version, _NEVER
        return document


def _texts(touched: Sequence[_Seen]) -> list[tuple[_Stamp | None, str | None]]:
    return [(_stamp(seen.place), _text(seen.place)) for seen in touched]


def _text(place: Place) -> str | None:
    try:
        return text_on_disk(place).text
    except FileMissing:
        return None
    except FileProblem:
        return ""  # Something else than it was: no text any more, or not to be read.


def _stamp(place: Place) -> _Stamp | None:
    try:
        stat = os.stat(place.absolute)  # noqa: PTH116 - half the time of Path.stat, at each step for each file
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
