"""The commands that answer asks, as a whole or hunk by hunk. What is left out is the one ask that waits."""

from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.messages import Response
from agent_lsp.domain.requests import AskReply
from agent_lsp.lsp.arguments import Arguments
from agent_lsp.lsp.handlers.commands import current_task
from agent_lsp.lsp.server import AgentServer
from agent_lsp.lsp.waiting import GONE, Verdict


def register(server: AgentServer) -> None:
    _register_whole(server)
    _register_hunks(server)


def _register_whole(server: AgentServer) -> None:
    def answer(reply: AskReply, ts: int | None, task_id: str) -> Json:
        waiting = server.asks.find(ts, task_id or None)
        if waiting:
            return to_wire(server.asks.answer(waiting.task_id, waiting.ts, reply))
        return to_wire(server.asks.answer(current_task(server, task_id), ts, reply))

    @server.command("agent.approve")
    def approve(arguments: Arguments) -> Json:
        return answer(AskReply(Response.YES), arguments.ts(0), arguments.text(1))

    @server.command("agent.reject")
    def reject(arguments: Arguments) -> Json:
        return answer(AskReply(Response.NO, arguments.text(0)), arguments.ts(1), arguments.text(2))

    @server.command("agent.answer")
    def answer_with_words(arguments: Arguments) -> Json:
        reply = AskReply(Response.MESSAGE, arguments.needed_text())
        return answer(reply, arguments.ts(1), arguments.text(2))


def _register_hunks(server: AgentServer) -> None:
    def decide(arguments: Arguments, verdict: Verdict) -> Json:
        hunk_id, ts, task_id = arguments.text(0) or None, arguments.ts(1), arguments.text(2)
        waiting = server.asks.find(ts, task_id or None)
        if waiting is None:
            current_task(server, task_id)
            return to_wire(GONE)
        return to_wire(server.asks.decide(waiting, hunk_id, verdict))

    @server.command("agent.acceptHunk")
    def accept_hunk(arguments: Arguments) -> Json:
        return decide(arguments, "accept")

    @server.command("agent.rejectHunk")
    def reject_hunk(arguments: Arguments) -> Json:
        return decide(arguments, "reject")
