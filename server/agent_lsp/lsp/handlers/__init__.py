"""What is done for each method that clients may send: one file for each subject. Handlers admit and return."""

from agent_lsp.lsp.handlers import (
    actions,
    answers,
    asks,
    checkpoints,
    commands,
    documents,
    lifecycle,
    modes,
    permissions,
    previews,
    settings,
    showing,
    tasks,
)
from agent_lsp.lsp.server import AgentServer


def register_all(server: AgentServer) -> None:
    """Register the handlers of every method this server takes."""
    subjects = (
        *(lifecycle, documents, settings, tasks, modes, asks, permissions, previews),
        *(checkpoints, commands, answers, showing, actions),
    )
    for subject in subjects:
        subject.register(server)
