"""How long the server waits for its client, thing by thing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """All in seconds."""

    edit: float = 10.0
    """For the answer to an edit; a client that asks its user first is not waited for longer."""
    proof: float = 2.0
    """For the document to show an edit that the client says it made; some tell of changes only after a pause."""
    save: float = 30.0
    diagnostics: float = 1.5
    """For language servers to look at an edit: the model waits for no longer than that."""
    known_diagnostics: float = 0.3
    """For what they found before the edit, and know already."""
    configuration: float = 2.0
    """What a new task waits for settings that were asked for."""
    settling: float = 3.0
    """For running tasks to be settled at the end."""
