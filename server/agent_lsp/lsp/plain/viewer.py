"""Files made for the user to look at: written whole, and opened in the editor, once for each thing the user does."""

import os
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from agent_lsp.domain.errors import StorageProblem
from agent_lsp.lsp.plain.bell import Spawn


class Viewer:
    def __init__(self, server: LanguageServer, spawn: Spawn, *, shows_documents: bool) -> None:
        self._server = server
        self._spawn = spawn
        self._shows_documents = shows_documents

    def show(self, path: Path) -> None:
        """Open a file. Where the editor cannot, or does not, the user is told where it is."""
        self._spawn(self._show(path))

    async def _show(self, path: Path) -> None:
        if not (self._shows_documents and await self._is_shown(path)):
            message = f"It is in {path}"
            self._server.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=message))

    async def _is_shown(self, path: Path) -> bool:
        params = types.ShowDocumentParams(uri=path.as_uri(), take_focus=True)
        try:
            return (await self._server.window_show_document_async(params)).success
        except JsonRpcException:
            return False


def write_whole(path: Path, text: str) -> None:
    """Write a file that only its user can read; whoever reads it meanwhile sees the old one or the new one."""
    try:
        _write_whole(path, text)
    except OSError as error:
        raise StorageProblem(f"{path} cannot be written ({error.strerror}); make room for it.") from error


def _write_whole(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
        file.write(text)
    unfinished.replace(path)
