"""An editor with one file open: it takes edits into its buffer and saves when asked, as editors with windows do."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent_lsp.domain.encoding import Json

CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-8"]},
    "textDocument": {"synchronization": {"didSave": True}},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
    "experimental": {"agent": {"protocolVersion": 1, "messages": {}, "save": {}}},
}


class Server(Protocol):
    """Who hears what happens to the file."""

    def notify(self, method: str, params: Json | None = None) -> None: ...


@dataclass(slots=True)
class OpenFile:
    """A buffer: what the user sees, be it on the disk yet or not."""

    path: Path
    text: str
    version: int = 1

    @property
    def uri(self) -> str:
        return self.path.as_uri()


class DemoEditor:
    """The file that is open, and what the server did to it."""

    def __init__(self, file: OpenFile) -> None:
        self.file = file
        self.edits_taken = 0

    def open_in(self, server: Server) -> None:
        document = {"uri": self.file.uri, "languageId": "python", "version": 1, "text": self.file.text}
        server.notify("textDocument/didOpen", {"textDocument": document})

    def apply(self, params: Json, server: Server) -> Json:
        """Take a `workspace/applyEdit` into the buffer. Nothing is saved."""
        changes: list[Json] = params["edit"].get("documentChanges", [])
        if [_uri_of(change) for change in changes] != [self.file.uri]:
            return {"applied": False, "failureReason": "This editor edits the open file only."}
        if changes[0]["textDocument"]["version"] != self.file.version:
            return {"applied": False, "failureReason": "The file has changed meanwhile."}
        self._change(edited(self.file.text, changes[0]["edits"]), server)
        return {"applied": True}

    def save(self, params: Json, server: Server) -> Json:
        """Answer an `agent/save`."""
        saved = [uri for uri in params["uris"] if uri == self.file.uri]
        failed = [{"uri": uri, "reason": "It is not open."} for uri in params["uris"] if uri != self.file.uri]
        if saved:
            self.file.path.write_text(self.file.text, encoding="utf-8")
            server.notify("textDocument/didSave", {"textDocument": {"uri": self.file.uri}})
        return {"saved": saved, "failed": failed}

    def _change(self, text: str, server: Server) -> None:
        self.edits_taken += 1
        self.file.text = text
        self.file.version += 1
        document = {"uri": self.file.uri, "version": self.file.version}
        server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})


def _uri_of(change: Json) -> str | None:
    """The document whose text a change is about; None for other operations on files."""
    return change["textDocument"]["uri"] if "textDocument" in change else None


def edited(text: str, edits: list[Json]) -> str:
    """Apply text edits, all of them meant for the text as it is. Positions count bytes of UTF-8."""
    content = text.encode()
    line_starts = [0, *(place + 1 for place, byte in enumerate(content) if byte == ord("\n"))]

    def offset(position: Json) -> int:
        return line_starts[int(position["line"])] + int(position["character"])

    spans = [(offset(edit["range"]["start"]), offset(edit["range"]["end"]), edit["newText"]) for edit in edits]
    for start, end, new_text in sorted(spans, reverse=True):
        content = content[:start] + new_text.encode() + content[end:]
    return content.decode()
