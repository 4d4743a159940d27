"""Keys in the system's key ring, by the package `keyring`, which need not be there. Any call here may block."""

from importlib import import_module
from typing import Protocol, cast

from agent_lsp.domain.errors import NotConfigured

REFERENCE = "$KEYRING:"
_SERVICE = "agent-lsp"


class _KeyRing(Protocol):
    def get_password(self, service: str, name: str) -> str | None: ...

    def set_password(self, service: str, name: str, password: str) -> None: ...


def keep(name: str, key: str) -> str:
    """Put a key into the ring; the reference to it. NotConfigured where the ring does not keep it."""
    try:
        ring = _ring()
        ring.set_password(_SERVICE, name, key)
        is_kept = ring.get_password(_SERVICE, name) == key
    except Exception as error:
        raise _unusable(error) from error
    if not is_kept:
        raise NotConfigured("The system's key ring takes keys, but does not give them back.")
    return REFERENCE + name


def key_at(reference: str) -> str:
    """Look up what a reference stands for; NotConfigured where nothing is there."""
    name = reference.removeprefix(REFERENCE)
    try:
        key = _ring().get_password(_SERVICE, name)
    except Exception as error:
        raise _unusable(error) from error
    if not key:
        raise NotConfigured(f"The system's key ring has no key {name}: `agent-lsp configure` puts one there.")
    return key


def _ring() -> _KeyRing:
    return cast("_KeyRing", import_module("keyring"))  # The package is optional, and so are its types.


def _unusable(error: Exception) -> NotConfigured:
    if isinstance(error, ModuleNotFoundError) and error.name == "keyring":
        return NotConfigured("The system's key ring cannot be used: the package `keyring` is not installed.")
    reason = " ".join(str(error).split()) or type(error).__name__
    return NotConfigured(f"The system's key ring cannot be used: {reason[:200].rstrip('.')}.")
