"""A simulated editor behind an LspClient: documents, a disk, edits and saves, and the ways in which editors lie.

Its arithmetic of positions is written on purpose in the plainest way, and shares nothing with the server's.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from support.lsp_client import Json, LspClient, NoAnswer, RpcError

_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Manner(Enum):
    """How the editor takes `workspace/applyEdit`."""

    HONEST = auto()
    REFUSES = auto()
    FAILS = auto()
    """Answers with an error."""
    CLAIMS_ONLY = auto()
    """Says yes and does nothing, as Neovim does for a stale version."""
    MANGLES = auto()
    """Says yes, and its document becomes something else."""
    NEVER_ANSWERS = auto()
    ANSWERS_FIRST = auto()
    """Does it, but tells of the change after it answered."""
    HALF = auto()
    """Says no after it made the first of several changes, or as many as `part` says."""
    LATE = auto()
    """Says yes, and makes the edit only when `catch_up` is called."""
    DENIES = auto()
    """Makes the edit and says that it did not."""
    BUMPS = auto()
    """Counts a version up without a change before it looks at the edit, as editors do for a change and its undoing."""
    MISCOUNTS = auto()
    """Takes the positions for those of another encoding, and says yes."""
    REOPENS = auto()
    """Closes and opens the document before it makes the edit."""
    CLOSES = auto()
    """Closes the document, drops the edit, and says yes."""
    RENAMES = auto()
    """Has the document under another name by the time the edit comes."""


@dataclass
class EditorDocument:
    text: str
    version: int = 1
    is_dirty: bool = False


@dataclass(eq=False)
class FakeEditor:
    client: LspClient
    encoding: str = "utf-16"
    manner: Manner = Manner.HONEST
    saves_refactorings: bool = False
    documents: dict[str, EditorDocument] = field(default_factory=dict[str, EditorDocument])
    applied: list[Json] = field(default_factory=list[Json])
    saved: list[str] = field(default_factory=list[str])
    unsavable: set[str] = field(default_factory=set[str])
    part: int = 1
    late: list[Json] = field(default_factory=list[Json])
    past: list[str] = field(default_factory=list[str])
    """Every text that a document came to have by a change."""

    def __post_init__(self) -> None:
        self.client.use(self)

    def answers(self) -> Mapping[str, Callable[[Json], Any]]:
        return {"workspace/applyEdit": self.apply, "agent/save": self.save_for_agent}

    # What the user does

    def open(self, uri: str, text: str, language: str = "plaintext") -> None:
        self.documents[uri] = EditorDocument(text)
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def type(self, uri: str, text: str) -> None:
        """Replace the whole text, as typing would in the end."""
        self._change(uri, text, [{"text": text}])

    def insert(self, uri: str, index: int, text: str) -> None:
        """Type at a place, as a change of that place alone."""
        before = self.documents[uri].text
        at = position(before, index, self.encoding)
        self._change(uri, before[:index] + text + before[index:], [{"range": {"start": at, "end": at}, "text": text}])

    def catch_up(self) -> None:
        """Make the edits that were put off."""
        late, self.late = self.late, []
        for params in late:
            self._apply_all(_changes(params))

    def save(self, uri: str) -> None:
        document = self.documents[uri]
        document.is_dirty = False
        path = _path(uri)
        if path.parent.is_dir():
            path.write_bytes(document.text.encode())
        self.saved.append(uri)
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, uri: str) -> None:
        del self.documents[uri]
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    # What the server asks for

    def save_for_agent(self, params: Json) -> Json:
        failed = [uri for uri in params["uris"] if uri in self.unsavable or uri not in self.documents]
        saved = [uri for uri in params["uris"] if uri not in failed]
        for uri in saved:
            self.save(uri)
        return {"saved": saved, "failed": [{"uri": uri, "reason": "cannot"} for uri in failed]}

    async def apply(self, params: Json) -> Json:
        self.applied.append(params)
        match self.manner:
            case Manner.REFUSES:
                return {"applied": False, "failureReason": "no"}
            case Manner.FAILS:
                raise RpcError({"code": -32603, "message": "it broke"})
            case Manner.CLAIMS_ONLY:
                return {"applied": True}
            case Manner.NEVER_ANSWERS:
                raise NoAnswer
            case Manner.MANGLES:
                self._mangle(params)
                return {"applied": True}
            case Manner.ANSWERS_FIRST:
                asyncio.get_running_loop().call_soon(self._apply_all, _changes(params))
                return {"applied": True}
            case Manner.HALF:
                self._apply_all(_changes(params)[: self.part])
                return {"applied": False, "failureReason": "half of it"}
            case Manner.LATE:
                self.late.append(params)
                return {"applied": True}
            case Manner.DENIES:
                self._apply_all(_changes(params))
                return {"applied": False, "failureReason": "never"}
            case Manner.MISCOUNTS:
                self._apply_miscounting(params)
                return {"applied": True}
            case Manner.BUMPS | Manner.REOPENS | Manner.CLOSES | Manner.RENAMES:
                return self._apply_elsewhere(params)
            case Manner.HONEST:
                return self._apply_honestly(params)

    def _apply_elsewhere(self, params: Json) -> Json:
        """Do something to the documents first."""
        for uri in [change["textDocument"]["uri"] for change in _changes(params)]:
            text = self.documents[uri].text
            if self.manner is Manner.BUMPS:
                self._change(uri, text, [])
                continue
            self.close(uri)
            if self.manner is Manner.REOPENS:
                self.open(uri, text)
            elif self.manner is Manner.RENAMES:
                self.open(f"{uri}.renamed", text)
        if self.manner is Manner.CLOSES:
            return {"applied": True}
        if self.manner is Manner.RENAMES:
            return {"applied": False, "failureReason": "no such document"}
        return self._apply_honestly(params)

    def _apply_miscounting(self, params: Json) -> None:
        encoding, self.encoding = self.encoding, "utf-8" if self.encoding == "utf-16" else "utf-16"
        for change in _changes(params):
            uri = change["textDocument"]["uri"]
            after = apply_edits(self.documents[uri].text, change["edits"], self.encoding)
            self.type(uri, after)
        self.encoding = encoding

    def _apply_honestly(self, params: Json) -> Json:
        changes = _changes(params)
        for change in changes:
            document = self.documents.get(change.get("textDocument", {}).get("uri", ""))
            version = change.get("textDocument", {}).get("version")
            if document and version is not None and version != document.version:
                return {"applied": False, "failureReason": "document has changed"}
        self._apply_all(changes)
        if self.saves_refactorings and (params.get("metadata") or {}).get("isRefactoring"):
            for change in changes:
                uri = change.get("textDocument", {}).get("uri")
                if uri in self.documents:
                    self.save(uri)
        return {"applied": True}

    def _apply_all(self, changes: list[Json]) -> None:
        for change in changes:
            match change.get("kind"):
                case "create":
                    self._create(change)
                case "rename":
                    self._rename(change["oldUri"], change["newUri"])
                case "delete":
                    _path(change["uri"]).unlink(missing_ok=True)
                    if change["uri"] in self.documents:
                        self.close(change["uri"])
                case _:
                    self._edit(change["textDocument"]["uri"], change["edits"])

    def _create(self, change: Json) -> None:
        options: Json = change.get("options") or {}
        path = _path(change["uri"])
        # As two real editors do: without `ignoreIfExists`, what is there is lost.
        if not (path.exists() and options.get("ignoreIfExists")):
            path.write_bytes(b"")

    def _rename(self, old: str, new: str) -> None:
        if _path(old).exists():
            _path(old).rename(_path(new))
        if old in self.documents:
            text = self.documents[old].text
            self.close(old)
            self.open(new, text)

    def _edit(self, uri: str, edits: list[Json]) -> None:
        if uri not in self.documents:
            self.open(uri, _path(uri).read_bytes().decode())
        before = self.documents[uri].text
        after = apply_edits(before, edits, self.encoding)
        # From the end to the beginning, so that each range holds in the text as the ones before left it.
        ordered = sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]))
        events = [{"range": e["range"], "text": e["newText"]} for e in reversed(ordered)]
        self._change(uri, after, events)

    def _mangle(self, params: Json) -> None:
        for change in _changes(params):
            uri = change["textDocument"]["uri"]
            self.type(uri, self.documents[uri].text + "?")

    def _change(self, uri: str, text: str, events: list[Json]) -> None:
        document = self.documents[uri]
        document.text, document.is_dirty = text, True
        self.past.append(text)
        document.version += 1
        identifier = {"uri": uri, "version": document.version}
        self.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": events})


def apply_edits(text: str, edits: list[Json], encoding: str) -> str:
    """Apply LSP text edits, all of which count in the text as it was; they must not overlap."""
    spans = sorted(
        (offset(text, e["range"]["start"], encoding), offset(text, e["range"]["end"], encoding), e["newText"])
        for e in edits
    )
    pieces: list[str] = []
    at = 0
    for start, end, new in spans:
        assert at <= start <= end, "edits overlap or run backwards"
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def position(text: str, index: int, encoding: str) -> Json:
    """The position of a place that is not within an ending, nor within a character of the encoding."""
    codec, width = _CODECS[encoding]
    before = text[:index].replace("\r\n", "\n").replace("\r", "\n")
    lines = before.split("\n")
    return {"line": len(lines) - 1, "character": len(lines[-1].encode(codec)) // width}


def offset(text: str, position: Json, encoding: str) -> int:
    """Where a position is; one past the end of its line or of the document fails the test."""
    codec, width = _CODECS[encoding]
    starts = [0]
    for index, char in enumerate(text):
        if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    assert position["line"] < len(starts), "a line past the end"
    start = starts[position["line"]]
    rest = text[start:].encode(codec, "surrogatepass")
    units = position["character"] * width
    assert units <= len(rest), "a column past the end"
    index = start + len(rest[:units].decode(codec, "surrogatepass"))
    assert not any(start < other <= index for other in starts), "a column past the end of its line"
    return index


def _changes(params: Json) -> list[Json]:
    edit: Json = params["edit"]
    if "documentChanges" in edit:
        return edit["documentChanges"]
    return [{"textDocument": {"uri": uri, "version": None}, "edits": edits} for uri, edits in edit["changes"].items()]


def _path(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))
