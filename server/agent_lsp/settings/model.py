"""The shape of the settings, one pydantic model for every place they come from. Joining them is `sources.py`."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

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
    file: str | None = None
    """The recording to play (`replay`)."""
    headers: dict[str, str] = Field(default_factory=dict)
    window: _Tokens | None = None
    max_output: _Tokens | None = None
    thinking_budget: Annotated[int, Field(ge=0)] | None = None
    """Tokens the model may think before it answers; None leaves it off (`anthropic`)."""
    effort: str | None = None
    """How hard the model is to think, in the vendor's own words."""
    prices: Prices | None = None
    first_byte_seconds: _Seconds = 300.0
    between_bytes_seconds: _Seconds = 120.0


class AutoApprove(_Shape):
    """What runs without asking, kind by kind."""

    read: bool = True
    read_outside_workspace: bool = False
    write: bool = False
    write_outside_workspace: tuple[str, ...] = ()
    """Folders: a standing yes always names the place."""
    execute: bool = False
    """Lets run unasked what `allowedCommands` cover."""
    mcp: bool = False
    browser: bool = False
    mode_switch: bool = False
    subtasks: bool = False
    followup_seconds: int = Field(default=0, ge=0)
    """After so long a question takes its first suggestion; 0 is never."""


class LimitSettings(_Shape):
    """0 is no limit."""

    requests: int = Field(default=0, ge=0)
    cost: _Amount = 0.0
    consecutive_mistakes: int = Field(default=3, ge=0)
    command_seconds: int = Field(default=0, ge=0)


class Settings(_Shape):
    """All settings. A value of this type never changes; a change of settings makes a new one."""

    current_provider: str | None = None
    providers: dict[str, Profile] = Field(default_factory=dict)
    permission_mode: PermissionMode = PermissionMode.DEFAULT
    auto_approve: AutoApprove = AutoApprove()
    allowed_commands: tuple[str, ...] = ()
    denied_commands: tuple[str, ...] = ()
    limits: LimitSettings = LimitSettings()
    fuzzy_threshold: float = Field(default=1.0, gt=0.0, le=1.0)
    closed_files: Literal["auto", "editor", "disk"] = "auto"
    sandbox: Literal["off", "auto", "require"] = "auto"
