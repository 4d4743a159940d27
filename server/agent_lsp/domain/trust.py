"""Whether the user trusts a folder: what its own settings ask for beyond the user's, and what was decided."""

from dataclasses import dataclass, field
from enum import StrEnum

from agent_lsp.domain.encoding import KEEP


class Trust(StrEnum):
    UNDECIDED = "undecided"
    TRUSTED = "trusted"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True)
class FolderTrust:
    """A folder by its real path. The digest names exactly what it asks for: other wishes are decided anew."""

    root: str
    digest: str
    trust: Trust = Trust.UNDECIDED
    asks: tuple[str, ...] = field(default=(), metadata=KEEP)
    """Settings that would loosen the user's, each as `key = value`."""


@dataclass(frozen=True, slots=True)
class TrustList:
    folders: tuple[FolderTrust, ...] = field(default=(), metadata=KEEP)
    problems: tuple[str, ...] = ()
    """Why some of what is kept counts for nothing; sentences."""
