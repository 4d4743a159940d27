"""One task played in a server: what happens is shown, and what is asked is approved in plain sight."""

import asyncio
import os

from agent_lsp import __version__
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.messages import Ask, Message, Response
from agent_lsp.domain.notices import MessageNotice, StatusNotice
from agent_lsp.domain.status import Usage
from agent_lsp.headless.answers import wants_answer
from agent_lsp.headless.demo.client import Connection, MethodUnknown
from agent_lsp.headless.demo.editor import CAPABILITIES, DemoEditor
from agent_lsp.headless.demo.wire import notice_from_wire
from agent_lsp.headless.paint import Paint, Tone
from agent_lsp.headless.ports import Console
from agent_lsp.headless.render import Renderer
from agent_lsp.headless.rows import message_rows

_APPROVALS = (Ask.TOOL, Ask.COMMAND)


class DemoFailed(AgentError):
    """Something did not go as the demo claims."""

    kind = "DemoFailed"


class Playing:
    """The client's side of the task: the server's peer, and the person who says yes."""

    def __init__(self, editor: DemoEditor, console: Console, paint: Paint, *, pause_seconds: float) -> None:
        self._folder = editor.file.path.parent
        self.usage = Usage()
        self._editor = editor
        self._console = console
        self._paint = paint
        self._renderer = Renderer(paint, self._folder)
        self._pause_seconds = pause_seconds
        # None once the server has ended.
        self._asks: asyncio.Queue[Message | None] = asyncio.Queue()
        self._connection: Connection | None = None

    async def play(self, connection: Connection, task: str, settings: Json) -> None:
        """Play the task from its words to its completion, and part from the server as one should."""
        self._connection = connection
        await self._shake_hands(connection, settings)
        self._editor.open_in(connection)
        task_id = (await connection.request("agent/newTask", {"text": task}))["taskId"]
        while (message := await self._next_ask()).ask is not Ask.COMPLETION_RESULT:
            await self._approve(connection, task_id, message)
        await connection.request("shutdown")
        connection.notify("exit")

    # What the server says (the Peer).

    def notified(self, method: str, params: Json) -> None:
        notice = notice_from_wire(method, params)
        if notice is None:
            return
        self._console.show(self._renderer.take(notice))
        match notice:
            case MessageNotice(message=message) if wants_answer(message):
                self._asks.put_nowait(message)
            case StatusNotice(status):
                self.usage = status.usage
            case _:
                pass

    def answer(self, method: str, params: Json) -> Json | list[Json] | None:
        if self._connection is None:
            raise MethodUnknown
        match method:
            case "workspace/applyEdit":
                return self._editor.apply(params, self._connection)
            case "agent/save":
                return self._editor.save(params, self._connection)
            case _:
                raise MethodUnknown

    def ended(self) -> None:
        self._asks.put_nowait(None)

    async def _next_ask(self) -> Message:
        message = await self._asks.get()
        if message is None:
            raise DemoFailed("The server ended before the task did.")
        return message

    async def _shake_hands(self, connection: Connection, settings: Json) -> None:
        folder = self._folder
        params: Json = {
            "processId": os.getpid(),
            "clientInfo": {"name": "agent-lsp demo", "version": __version__},
            "rootUri": folder.as_uri(),
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
            "capabilities": CAPABILITIES,
            "initializationOptions": settings,
        }
        answer = await connection.request("initialize", params)
        if answer["capabilities"].get("positionEncoding") != "utf-8":
            raise DemoFailed("The server does not count positions in UTF-8, which is all this editor can.")
        connection.notify("initialized")

    async def _approve(self, connection: Connection, task_id: str, message: Message) -> None:
        if message.ask not in _APPROVALS:
            raise DemoFailed(
                "\n".join(message_rows(message, Paint(is_on=False), self._folder)) or "The task was stopped."
            )
        self._console.show(self._paint(Tone.DIM, "  approving…\n"))
        # For whoever watches: time to read what is approved.
        await asyncio.sleep(self._pause_seconds)
        params = {"taskId": task_id, "ts": message.ts, "response": Response.YES.value}
        answer = await connection.request("agent/askResponse", params)
        if not answer["accepted"]:
            raise DemoFailed("The server did not take the approval.")
