"""What a run is asked to do, as values. How they are spelled on a command line is `arguments.py`."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.status import PermissionMode

REPLAY_PROFILE = "replay"


class OutputFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    STREAM_JSON = "stream-json"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """One task, run from a terminal or a script."""

    task: str
    cwd: Path
    approves_all: bool = False
    trusts_folder: bool = False
    mode: str | None = None
    permission_mode: PermissionMode | None = None
    profile: str | None = None
    record: Path | None = None
    replay: Path | None = None
    is_exact: bool = False
    """A request that differs from the recorded one fails."""
    output_format: OutputFormat = OutputFormat.TEXT
    max_requests: int | None = None
    max_cost: float | None = None
    is_quiet: bool = False
    has_colours: bool = False
    recorded_mode: str | None = None
    """The mode that a recorded task began in; `mode` goes before it."""

    def as_recorded(self, words: str | None, mode: str | None) -> "RunOptions":
        """Take from a recording what the command line leaves open. Raises BadParams where there are no words."""
        if not self.task and not words:
            raise BadParams(
                f"The recording {self.replay} has no words of a user: say what is to be done as an argument."
            )
        return replace(self, task=self.task or words or "", recorded_mode=mode)

    def chosen_profile(self) -> str | None:
        """The profile that the task is to have, whatever its mode would bring along."""
        return REPLAY_PROFILE if self.replay else self.profile

    def settings(self) -> Json:
        """The settings that these options are, to be laid over those of files."""
        limits = {"requests": self.max_requests, "cost": self.max_cost}
        settings: Json = {"limits": {name: limit for name, limit in limits.items() if limit is not None}}
        if self.replay:
            settings["providers"] = {REPLAY_PROFILE: self._replay_profile()}
        if profile := self.chosen_profile():
            settings["currentProvider"] = profile
        if self.permission_mode:
            settings["permissionMode"] = self.permission_mode.value
        return settings

    def _replay_profile(self) -> Json:
        return {"type": "replay", "file": str(self.replay)} | ({"exact": True} if self.is_exact else {})


@dataclass(frozen=True, slots=True)
class DemoOptions:
    is_kept: bool = False
    """The demo's folder stays."""
    has_colours: bool = False
