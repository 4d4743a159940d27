"""The shape of the settings, one pydantic model for every place they come from. Joining them is `sources.py`."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from agent_lsp.domain.modes import DEFAULT_MODE
from agent_lsp.domain.status import PermissionMode

_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Tokens = Annotated[int, Field(gt=0)]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, extra="ignore")


class Prices(_Shape):
    """Dollars for a million tokens; overrides the built-in table."""

    input: _Amount
    output: _Amount
    cache_read: _Amount | None = None
    cache_write: _Amount | None = None


class Profile(_Shape):
    """One way to reach one model. Which fields are needed depends on the type; `$ENV:NAME` is resolved at use."""

    type: str = ""
    model: str = ""
    api_key: str | None = None
    base_url: Annotated[str | None, Field(alias="baseURL")] = None
    transport: Literal["direct", "sdk"] | None = None
    """None: the type's own default."""
    region: str | None = None
    project: str | None = None
    """Where a cloud keeps the model (`anthropic-bedrock`, `anthropic-vertex`)."""
    file: str | None = None
    """The recording to play (`replay`)."""
    exact: bool = False
    """Fail where a request differs from the recorded one (`replay`)."""
    headers: dict[str, str] = Field(default_factory=dict)
    window: _Tokens | None = None
    max_output: _Tokens | None = None
    sees_images: bool | None = None
    """Whether the model is shown pictures; None: as far as is known of it, and until its service refuses them."""
    thinking_budget: Annotated[int, Field(ge=0)] | None = None
    """Tokens the model may think before it answers; None leaves it off (`anthropic`)."""
    effort: str | None = None
    """How hard the model is to think, in the vendor's own words."""
    prices: Prices | None = None
    tool_format: Literal["auto", "native", "xml"] = "auto"
    """How the model calls tools: by its service's own means, or as XML in what it says."""
    first_byte_seconds: _Seconds = 300.0
    between_bytes_seconds: _Seconds = 120.0


class AutoApprove(_Shape):
    """What runs without asking, kind by kind."""

    read: bool = True
    """Read and search in the workspace."""
    read_outside_workspace: bool = False
    """Read anywhere else, too."""
    write: bool = False
    """Edit files of the workspace; protected ones are asked about all the same."""
    write_outside_workspace: tuple[str, ...] = ()
    """Folders: a standing yes always names the place."""
    execute: bool = False
    """Lets run unasked what `allowedCommands` cover."""
    mcp: bool = False
    """Use tools of MCP servers."""
    browser: bool = False
    """Use the browser."""
    mode_switch: bool = False
    """Go on in another mode."""
    subtasks: bool = False
    """Start sub-tasks."""
    followup_seconds: int = Field(default=0, ge=0)
    """After so long a question takes its first suggestion; 0 is never."""


class LimitSettings(_Shape):
    """0 is no limit."""

    requests: int = Field(default=0, ge=0)
    """So many requests to the model, then the user is asked; 0 is no limit."""
    cost: _Amount = 0.0
    """So many dollars, then the user is asked; 0 is no limit."""
    consecutive_mistakes: int = Field(default=3, ge=0)
    """So many in a row, then the user is asked; 0 is no limit."""
    command_seconds: int = Field(default=0, ge=0)
    """So long a command may run before it goes on in the background; 0 is no limit."""


class CondenseSettings(_Shape):
    """When the older part of a task is replaced by a summary, which the model writes."""

    at_percent: int = Field(default=80, ge=0, le=100)
    """So full may the model's window be before the task is condensed; 0 is never: then its oldest steps are cut off."""


class Settings(_Shape):
    """All settings. A value of this type never changes; a change of settings makes a new one."""

    current_provider: str | None = None
    """The profile that new tasks use, by its name under `providers`."""
    providers: dict[str, Profile] = Field(default_factory=dict)
    """Profiles by name: a `type`, a `model`, and where the key comes from."""
    prices: dict[str, Prices] = Field(default_factory=dict)
    """Dollars for a million tokens of models, by their names, where the built-in prices are wrong or lacking."""
    mode: str = DEFAULT_MODE
    """How the agent works in new tasks: `code`, `architect`, `ask`, `debug`, or a mode of your own."""
    mode_profiles: dict[str, str] = Field(default_factory=dict)
    """The profile that each mode asks, by the mode's name, unless you choose one for the task."""
    permission_mode: PermissionMode = PermissionMode.DEFAULT
    """What runs unasked: `plan` reads, `default` asks, `acceptEdits` edits too, `bypassPermissions` nearly all."""
    auto_approve: AutoApprove = AutoApprove()
    allowed_commands: tuple[str, ...] = ()
    """First words of commands that may run unasked, where `autoApprove.execute` is on."""
    denied_commands: tuple[str, ...] = ()
    """First words of commands that never run, wherever they hide."""
    limits: LimitSettings = LimitSettings()
    condense: CondenseSettings = CondenseSettings()
    fuzzy_threshold: float = Field(default=1.0, gt=0.0, le=1.0)
    """How alike a search block of `apply_diff` has to be to a place in the file; 1.0 is exactly."""
    closed_files: Literal["auto", "editor", "disk"] = "auto"
    """How files that are not open are written: through the editor where it can save them, or on the disk."""
    sandbox: Literal["off", "auto", "require"] = "auto"
    """Commands in a sandbox: not at all, where there is one, or only there."""
    language: str = Field(default="", max_length=60)
    """In which language the agent speaks to you, such as `Deutsch`; empty for the one you write."""
    fetch_private_addresses: bool = False
    """Let pages be fetched from this machine and the private network, too."""
