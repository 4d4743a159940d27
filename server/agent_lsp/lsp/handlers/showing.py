"""The commands that open something for the user to look at, that send what they wrote, or that take files back."""

from agent_lsp.domain.checkpoints import Restoration
from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.errors import AgentError, BadParams
from agent_lsp.lsp.arguments import Arguments
from agent_lsp.lsp.handlers.commands import current_task
from agent_lsp.lsp.server import AgentServer


def register(server: AgentServer) -> None:
    _register_files(server)
    _register_restore(server)


def _register_files(server: AgentServer) -> None:
    @server.command("agent.showTranscript")
    async def show_transcript(arguments: Arguments) -> Json:
        path = await server.parlour.show_transcript(current_task(server, arguments.text(0)))
        return {"uri": path.as_uri()}

    @server.command("agent.showDiff")
    def show_diff(arguments: Arguments) -> Json:
        return {"uri": server.parlour.show_diff(arguments.text(0) or None).as_uri()}

    @server.command("agent.showPrompt")
    async def show_prompt(arguments: Arguments) -> Json:
        return {"uri": (await server.parlour.show_prompt(arguments.text(0))).as_uri()}

    @server.command("agent.sendPrompt")
    async def send_prompt(arguments: Arguments) -> Json:
        return to_wire(await server.parlour.prompts.send(arguments.text(0), arguments.ts(1)))


def _register_restore(server: AgentServer) -> None:
    @server.command("agent.restore")
    async def restore(arguments: Arguments) -> Json:
        """Take back what the agent did since a checkpoint, the newest one if none is named."""
        task_id = current_task(server, arguments.text(1))
        known = [row.id for row in (await server.hall.checkpoints.listed(task_id)).checkpoints]
        wanted = arguments.text(0).strip() or next(reversed(known), "")
        if not wanted:
            raise BadParams("There is no checkpoint of this task yet.")
        if wanted not in known:
            raise BadParams(f"There is no checkpoint {wanted}; the newest ones are {', '.join(known[-5:]) or 'none'}.")
        plan = await server.hall.checkpoints.restore(task_id, wanted, None, is_dry_run=True)
        server.tell(_planned(plan))
        if plan.files:
            server.run_errand(_restore(server, task_id, wanted))
        return {"checkpoint": wanted, **to_wire(plan)}


async def _restore(server: AgentServer, task_id: str, checkpoint: str) -> None:
    try:
        done = await server.hall.checkpoints.restore(task_id, checkpoint, None, is_dry_run=False)
    except AgentError as error:
        server.tell(f"Nothing was taken back: {error}")
        return
    undo = f" agent.restore {done.undo} undoes that." if done.undo else ""
    server.tell(f"Taken back: {_names(done)}.{undo}")


def _planned(plan: Restoration) -> str:
    kept = "".join(f" {file.path} stays as it is: {file.reason}" for file in plan.conflicts)
    if not plan.files:
        return f"There is nothing to take back.{kept}"
    return f"What the agent did is taken back in {_names(plan)}.{kept}"


def _names(restoration: Restoration) -> str:
    names = [file.path for file in restoration.files]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
