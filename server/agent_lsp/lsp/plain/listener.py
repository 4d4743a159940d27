"""The agent for a client that does not know it: one-liners, a doorbell for asks, a progress; no `agent/*` message."""

import time

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.notices import MessageNotice, Notice, StatusNotice
from agent_lsp.domain.status import Status
from agent_lsp.lsp.plain.bell import Bell, Ring, Spawn
from agent_lsp.lsp.plain.doorbell import doorbell, one_line
from agent_lsp.lsp.plain.entries import is_pause
from agent_lsp.lsp.plain.progress import ActivityProgress
from agent_lsp.lsp.plain.prose import plain
from agent_lsp.lsp.plain.ways import BY_NAME, Ways
from agent_lsp.lsp.ports import Hall
from agent_lsp.lsp.waiting import Asks, json_in

LONG_SECONDS = 5
"""A wait that is shorter is over before anybody has read of it."""

COVERED_SECONDS = 1.0
"""An editor that has no pop-ups says of its own saves in the line of ours: so soon after, it was not read."""

_SHOWN = {
    Say.TEXT: types.MessageType.Info,
    Say.INFO: types.MessageType.Info,
    Say.COMPLETION_RESULT: types.MessageType.Info,
    Say.ERROR: types.MessageType.Error,
}


class PlainListener:
    """Shows whole messages only; what streams is not shown at all."""

    def __init__(self, server: LanguageServer, hall: Hall, asks: Asks, spawn: Spawn, *, has_progress: bool) -> None:
        self._server = server
        self.ways = BY_NAME
        self._bell = Bell(server, hall, asks, spawn)
        self.progress = ActivityProgress(server, spawn) if has_progress else None
        self._asks: dict[str, Message] = {}
        self._done: tuple[float, str] | None = None
        """The newest end of a task, and when it was told."""
        self._shown: dict[str, int] = {}

    def notice(self, notice: Notice) -> None:
        match notice:
            case MessageNotice():
                self._take_message(notice.task_id, notice.message)
            case StatusNotice():
                self._take_status(notice.status)
            case _:
                return

    def remind(self, _uri: str) -> None:
        """Tell again what waits, or has just ended, after a document was saved."""
        self._bell.knock_again()
        if self._done and not self._bell.has_pop_ups and time.monotonic() - self._done[0] < COVERED_SECONDS:
            self._show(types.MessageType.Info, self._done[1])

    def is_congested(self) -> bool:
        # Nothing that streams is sent.
        return False

    def _take_message(self, task_id: str, message: Message) -> None:
        if message.say is Say.TEXT and task_id not in self._shown:
            # The user's own words, which come again when something is added to them.
            self._shown[task_id] = message.ts
        if message.ask:
            self._asks[task_id] = message
        if message.partial or message.ts <= self._shown.get(task_id, 0):
            return
        if message.say and message.say in _SHOWN and message.text:
            self._shown[task_id] = message.ts
            self._show(_SHOWN[message.say], _first_paragraph(message.text))
        elif is_pause(message) and json_in(message.text)["seconds"] >= LONG_SECONDS:
            self._shown[task_id] = message.ts
            self._show(types.MessageType.Warning, _pause_told(json_in(message.text), self.ways))
        elif message.ask is Ask.COMPLETION_RESULT and message.waits:
            self._shown[task_id] = message.ts
            if self.progress:
                # Where it ends, Helix 25.01 empties the line that messages are shown in.
                self.progress.end(task_id)
            done = f"Done: {_first_paragraph(message.text or 'the task is complete.')}"
            self._done = time.monotonic(), done
            self._show(types.MessageType.Info, done)

    def _take_status(self, status: Status) -> None:
        if self.progress:
            self.progress.update(status)
        message = self._asks.get(status.task_id)
        if status.ask is None or message is None or message.ts != status.ask.ts:
            self._bell.settle(status.task_id)
        elif words := doorbell(message, status.ask):
            self._bell.ask(Ring(status.task_id, status.ask.ts, words))

    def _show(self, kind: types.MessageType, text: str) -> None:
        self._server.window_show_message(types.ShowMessageParams(type=kind, message=one_line(text)))


def _first_paragraph(text: str) -> str:
    """What fits into a line, if anything does; a table or code would not."""
    return plain(text.strip().partition("\n\n")[0])


def _pause_told(body: Json, ways: Ways) -> str:
    """A wait, told as it begins: its countdown would cover whatever else is told."""
    now, never = ways.short("agent.approve"), ways.short("agent.reject")
    return f"{body.get('reason')} Next try in {body['seconds']} s; {now} tries now, {never} gives up."
