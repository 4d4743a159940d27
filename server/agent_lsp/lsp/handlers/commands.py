"""The agent by commands, for clients that can do nothing else. Arguments are strings in order; what is left out is the
one current task and its one waiting ask.
"""

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.errors import BadParams, TaskUnknown
from agent_lsp.domain.messages import Response
from agent_lsp.domain.requests import AskReply, NewTask
from agent_lsp.lsp.server import AgentServer


def register(server: AgentServer) -> None:
    @server.feature(types.WORKSPACE_EXECUTE_COMMAND)
    def execute_command(params: types.ExecuteCommandParams) -> Any:  # Any: what the command's own handler gives.
        command = server.known_commands.get(params.command)
        if command is None:
            known = ", ".join(server.known_commands)
            raise BadParams(f"There is no command {params.command}; there are {known}.")
        return command(params.arguments or ())

    _register_words(server)
    _register_answers(server)


def _register_words(server: AgentServer) -> None:
    @server.command("agent.newTask")
    async def new_task(arguments: Sequence[object]) -> Json:
        await server.until_configured()
        return to_wire(server.hall.new_task(NewTask(_needed_text(arguments, "agent.newTask"))))

    @server.command("agent.send")
    async def send(arguments: Sequence[object]) -> Json:
        return to_wire(await server.hall.send(_current(server), _needed_text(arguments, "agent.send"), (), "queue"))

    @server.command("agent.cancel")
    def cancel(arguments: Sequence[object]) -> None:
        server.cancel_task(_text(arguments, 0) or _current(server))


def _register_answers(server: AgentServer) -> None:
    def answer(response: Response, words: str, ts: int | None) -> Json:
        return to_wire(server.hall.answer(_current(server), ts, AskReply(response.value, words)))

    @server.command("agent.approve")
    def approve(arguments: Sequence[object]) -> Json:
        return answer(Response.YES, "", _ts(arguments, 0))

    @server.command("agent.reject")
    def reject(arguments: Sequence[object]) -> Json:
        return answer(Response.NO, _text(arguments, 0), _ts(arguments, 1))

    @server.command("agent.answer")
    def answer_with_words(arguments: Sequence[object]) -> Json:
        return answer(Response.MESSAGE, _needed_text(arguments, "agent.answer"), _ts(arguments, 1))


def _current(server: AgentServer) -> str:
    task_id = server.hall.current_task()
    if task_id is None:
        raise TaskUnknown("There is no task; start one with agent.newTask.")
    return task_id


def _text(arguments: Sequence[object], index: int) -> str:
    value = arguments[index] if index < len(arguments) else None
    if value is None:
        return ""
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise BadParams("The arguments of agent commands are strings.")
    return str(value)


def _needed_text(arguments: Sequence[object], command: str) -> str:
    text = _text(arguments, 0)
    if not text.strip():
        raise BadParams(f"Give {command} the words as its first argument.")
    return text


def _ts(arguments: Sequence[object], index: int) -> int | None:
    text = _text(arguments, index)
    if not text:
        return None
    if not text.isdigit():
        raise BadParams(f"A ts is a number, not {text!r}.")
    return int(text)
