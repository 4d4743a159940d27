"""`workspace/executeCommand`, and the commands for words: tasks begun, spoken to, stopped, resumed, listed.

What is left out of the arguments is the one current task. Each command answers at once.
"""

import inspect
from collections.abc import Callable
from typing import Any

from lsprotocol import types

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.errors import AgentError, BadParams, TaskUnknown
from agent_lsp.domain.messages import Response
from agent_lsp.domain.requests import AskReply, ContextReference, NewTask
from agent_lsp.domain.status import PermissionMode, Status
from agent_lsp.lsp.arguments import Arguments
from agent_lsp.lsp.capabilities import is_object
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.waiting import GONE

Command = Callable[[Arguments], object]


def register(server: AgentServer) -> None:
    @server.feature(types.WORKSPACE_EXECUTE_COMMAND)
    def execute_command(params: types.ExecuteCommandParams) -> Any:  # Any: what the command's own handler gives.
        command = server.known_commands.get(params.command)
        if command is None:
            known = ", ".join(server.known_commands)
            raise BadParams(f"There is no command {params.command}; there are {known}.")
        arguments = Arguments(params.command, params.arguments or ())
        return _told(server, command, arguments) if server.client.hides_command_results else command(arguments)

    _register_words(server)
    _register_coming_and_going(server)
    _register_modes(server)


async def _told(server: AgentServer, command: Command, arguments: Arguments) -> object:
    """Run a command, and tell the user what their editor would not: that it failed, or came too late."""
    try:
        result = command(arguments)
        if inspect.isawaitable(result):
            result = await result
    except AgentError as error:
        server.tell(str(error))
        raise
    if is_object(result) and result.get("reason") == GONE.reason:
        server.tell("Nothing waits for this answer any more.")
    return result


def current_task(server: AgentServer, named: str = "") -> str:
    """The task that is named, else the current one."""
    task_id = named or server.hall.current_task()
    if task_id is None:
        raise TaskUnknown("There is no task; start one with agent.newTask.")
    return task_id


def _register_words(server: AgentServer) -> None:
    @server.command("agent.newTask")
    async def new_task(arguments: Arguments) -> Json:
        request = NewTask(arguments.needed_text(), context=_place(arguments))
        return to_wire(await server.new_task(request))

    @server.command("agent.send")
    async def send(arguments: Arguments) -> Json:
        words, task_id = arguments.needed_text(), current_task(server, arguments.text(1))
        return to_wire(await server.hall.send(task_id, words, (), "queue"))


def _place(arguments: Arguments) -> tuple[ContextReference, ...]:
    uri = arguments.text(1)
    if "://" not in uri:
        return ()
    lines = arguments.lines(2)
    return (ContextReference(uri, *lines) if lines else ContextReference(uri),)


def _register_coming_and_going(server: AgentServer) -> None:
    @server.command("agent.cancel")
    def cancel(arguments: Arguments) -> None:
        server.cancel_task(current_task(server, arguments.text(0)))

    @server.command("agent.condense")
    async def condense(arguments: Arguments) -> None:
        """Have the older part of a task replaced by a summary; the words say what it should dwell on."""
        await server.until_configured()
        server.hall.condense(current_task(server, arguments.text(1)), arguments.text(0))

    @server.command("agent.clear")
    async def clear(arguments: Arguments) -> None:
        await server.hall.clear(current_task(server, arguments.text(0)))

    @server.command("agent.resume")
    async def resume(arguments: Arguments) -> Json:
        """Load the task, and go on with it where nothing but a yes is asked for that."""
        task_id = arguments.text(0) or server.hall.current_task() or await _newest_task(server)
        await server.until_configured()
        status = await server.hall.resume(task_id)
        return {"taskId": task_id, "isResumed": _go_on(server, status)}

    @server.command("agent.tasks")
    async def tasks(arguments: Arguments) -> Json:
        listed = await server.hall.list_tasks(cursor=None, limit=100, query=arguments.text(0) or None)
        server.parlour.show_tasks(listed)
        return to_wire(listed)


async def _newest_task(server: AgentServer) -> str:
    listed = await server.hall.list_tasks(cursor=None, limit=1, query=None)
    if not listed.tasks:
        raise TaskUnknown("There is no task to resume; start one with agent.newTask.")
    return listed.tasks[0].task_id


def _go_on(server: AgentServer, status: Status) -> bool:
    ask = status.ask
    if ask is None or ask.category == "interactive":
        return False
    if not any(action.response == Response.YES for action in ask.actions):
        return False
    return server.asks.answer(status.task_id, ask.ts, AskReply(Response.YES)).accepted


def _register_modes(server: AgentServer) -> None:
    @server.command("agent.mode")
    def mode(arguments: Arguments) -> Json:
        """Change how the current task works, or how much it may do unasked; without a task, those to come."""
        wanted, task_id = arguments.text(0).strip(), arguments.text(1) or server.hall.current_task()
        if wanted in _permission_modes():
            server.hall.set_permission_mode(task_id, PermissionMode(wanted))
        elif wanted:
            server.hall.set_mode(task_id, wanted)
        choices = [*server.hall.modes, *_permission_modes()]
        if not wanted:
            server.tell(_mode_told(server, task_id, choices))
        return {"modes": choices, **_modes_of(server, task_id)}


def _permission_modes() -> list[str]:
    return [mode.value for mode in PermissionMode]


def _modes_of(server: AgentServer, task_id: str | None) -> Json:
    if task_id is None:
        return {}
    status = server.hall.snapshot(task_id, instance_id=None, since=None, limit=1, before=None).status
    return {"mode": status.mode, "permissionMode": status.permission_mode.value} if status else {}


def _mode_told(server: AgentServer, task_id: str | None, choices: list[str]) -> str:
    modes = _modes_of(server, task_id)
    now = f"The task is in mode {modes['mode']}, {modes['permissionMode']}. " if modes else ""
    return f"{now}agent.mode takes one of: {', '.join(choices)}."
