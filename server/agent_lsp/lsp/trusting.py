"""Asks the user, once, whether a folder may loosen their settings: one pop-up at a time, the harmless answer first.

A pop-up that is closed, refused or never answered decides nothing: the folder is not trusted, as before. Nor can a
folder be trusted by a pop-up that does not show all that it asks for.
"""

import logging
from collections.abc import Callable, Coroutine

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.trust import FolderTrust, Trust
from agent_lsp.lsp.ports import FolderTrusting

logger = logging.getLogger(__name__)

LATER, DECLINE, TRUST = "Not now", "Never allow this", "Trust this folder"
FEW_LINES, MANY_LINES = 3, 30
"""Few, with what stands around them, are no taller than a pop-up may be in any editor."""
_COLUMNS = 72


class TrustQuestions:
    """The questions of one client. None is put twice."""

    def __init__(
        self,
        server: LanguageServer,
        trust: FolderTrusting,
        spawn: Callable[[Coroutine[None, None, None]], object],
        most_lines: int,
    ) -> None:
        self._server = server
        self._trust = trust
        self._spawn = spawn
        self._most_lines = most_lines
        self._asked: set[tuple[str, str]] = set()
        self._waiting: list[FolderTrust] = []
        self._is_asking = False

    def look(self) -> None:
        """Ask about every open folder that is undecided and was not asked about before."""
        for folder in self._trust.listed().folders:
            name = folder.root, folder.digest
            if folder.trust is Trust.UNDECIDED and name not in self._asked:
                self._asked.add(name)
                self._waiting.append(folder)
        if self._waiting and not self._is_asking:
            self._is_asking = True
            self._spawn(self._ask_all())

    async def _ask_all(self) -> None:
        try:
            while self._waiting:
                await self._ask(self._waiting.pop(0))
        finally:
            self._is_asking = False

    async def _ask(self, folder: FolderTrust) -> None:
        try:
            answer = await self._server.window_show_message_request_async(_question(folder, self._most_lines))
            if answer and answer.title in (TRUST, DECLINE):
                await self._trust.decide(folder.root, folder.digest, is_trusted=answer.title == TRUST)
        except (JsonRpcException, AgentError) as error:
            logger.info("Whether a folder is trusted stays undecided: %s", error)


def _question(folder: FolderTrust, most_lines: int) -> types.ShowMessageRequestParams:
    answers = (LATER, DECLINE, TRUST) if is_shown_whole(folder, most_lines) else (LATER, DECLINE)
    return types.ShowMessageRequestParams(
        type=types.MessageType.Warning,
        message=question(folder, most_lines),
        actions=[types.MessageActionItem(title=title) for title in answers],
    )


def is_shown_whole(folder: FolderTrust, most_lines: int) -> bool:
    """Whether the pop-up has room for all that the user would say yes to."""
    return len(folder.asks) <= most_lines and all(len(_visible(line)) <= _COLUMNS for line in folder.asks)


def question(folder: FolderTrust, most_lines: int) -> str:
    """The words of the pop-up."""
    shown = [f"  {_ending(line)}" for line in folder.asks[:most_lines]]
    left_out = len(folder.asks) - len(shown)
    if left_out:
        shown[-1] = f"  ... and {left_out + 1} more"
    if not is_shown_whole(folder, most_lines):
        shown.append("To see it all, and to trust the folder: agent-lsp trust add")
    return "\n".join(
        ("The settings of this folder ask for more than yours allow:", f"  {_beginning(folder.root)}", *shown)
    )


def _ending(text: str) -> str:
    text = _visible(text)
    return text if len(text) <= _COLUMNS else f"{text[: _COLUMNS - 1]}…"


def _beginning(text: str) -> str:
    text = _visible(text)
    return text if len(text) <= _COLUMNS else f"…{text[1 - _COLUMNS :]}"


def _visible(text: str) -> str:
    """Text with whatever is invisible or wide spelled out."""
    return "".join(c if c.isascii() and c.isprintable() else f"\\u{ord(c):04x}" for c in text)
