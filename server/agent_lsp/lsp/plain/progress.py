"""What a task is doing, as `$/progress` in the status line of a plain client."""

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from agent_lsp.domain.status import State, Status
from agent_lsp.lsp.plain.bell import Spawn

_ACTIVE = frozenset({State.RUNNING, State.STREAMING})


class ActivityProgress:
    """One progress for each task that is at work; it ends when the task rests."""

    def __init__(self, server: LanguageServer, spawn: Spawn) -> None:
        self._server = server
        self._spawn = spawn
        self._count = 0
        self._tokens: dict[str, str] = {}
        self._activities: dict[str, str] = {}
        """By token, and only of those that the client has begun to show."""
        self._latest: dict[str, str] = {}

    def update(self, status: Status) -> None:
        if status.state not in _ACTIVE:
            self.end(status.task_id)
            return
        self._latest[status.task_id] = status.activity
        token = self._tokens.get(status.task_id)
        if token is None:
            self._count += 1
            token = self._tokens[status.task_id] = f"agent-{self._count}"
            self._spawn(self._begin(status.task_id, token))
        elif self._activities.get(token, status.activity) != status.activity:
            self._activities[token] = status.activity
            self._send(token, types.WorkDoneProgressReport(message=status.activity))

    def task_of(self, token: int | str) -> str | None:
        """The task whose progress this is."""
        return next((task_id for task_id, known in self._tokens.items() if known == token), None)

    def end(self, task_id: str) -> None:
        """The task rests, or is just about to."""
        token = self._tokens.pop(task_id, None)
        if token and self._activities.pop(token, None) is not None:
            self._send(token, types.WorkDoneProgressEnd())

    async def _begin(self, task_id: str, token: str) -> None:
        params = types.WorkDoneProgressCreateParams(token=token)
        try:
            await self._server.window_work_done_progress_create_async(params)
        except JsonRpcException:
            # The token stays taken: a client that refuses one progress is not asked for another of this task.
            return
        if self._tokens.get(task_id) == token:
            self._activities[token] = self._latest[task_id]
            begin = types.WorkDoneProgressBegin(title="Agent", message=self._latest[task_id], cancellable=True)
            self._send(token, begin)

    def _send(
        self,
        token: str,
        value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd,
    ) -> None:
        self._server.progress(types.ProgressParams(token=token, value=value))
