"""How a user runs a command, in words: by the keys that they were given for it, else by its name. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

HELIX_KEYS = {
    "agent.approve": ("y",),
    "agent.reject": ("x", "X"),
    "agent.answer": ("a",),
    "agent.acceptHunk": ("h",),
    "agent.rejectHunk": ("H",),
    "agent.showDiff": ("d",),
    "agent.showPrompt": ("p",),
    "agent.resume": ("g",),
}
"""Behind `space A`, as `agent-lsp helix-config` binds them."""


@dataclass(frozen=True, slots=True)
class Ways:
    """`keys`: by command, all keys that run it, each as the user knows it."""

    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def marked(self, command: str) -> str:
        """For a Markdown page."""
        return ", ".join(f"`{way}`" for way in self.keys.get(command, (command,)))

    def short(self, command: str) -> str:
        """For plain text."""
        return ", ".join(self.keys.get(command, (command,)))


BY_NAME = Ways()
BY_HELIX_KEYS = Ways({command: tuple(f"space A {key}" for key in keys) for command, keys in HELIX_KEYS.items()})
