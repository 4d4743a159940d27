"""What is done for each method that clients may send: one file for each subject. Handlers admit and return."""

from agent_lsp.lsp.handlers import asks, checkpoints, commands, documents, lifecycle, previews, settings, tasks
from agent_lsp.lsp.server import AgentServer


def register_all(server: AgentServer) -> None:
    """Register the handlers of every method this server takes."""
    for subject in (lifecycle, documents, settings, tasks, asks, previews, checkpoints, commands):
        subject.register(server)
