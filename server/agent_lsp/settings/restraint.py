"""What a project that the user has not trusted may set: it can make things stricter, never looser."""

from collections.abc import Callable, Mapping, Sequence
from operator import ge, le
from typing import Any

from agent_lsp.domain.encoding import Json

_Rule = Callable[[Any, Any], bool]  # Any: each rule knows the type of its own setting.
"""Whether the second value is at least as strict as the first."""


def restrained(wish: Json, base: Json) -> tuple[Json, Json]:
    """Part a project's wishes into what is no looser than the base, and what is, by dotted path.

    Both are checked layers. A setting without a rule is the user's alone.
    """
    granted: Json = {}
    refused: Json = {}
    for path, value in _leaves(wish):
        present, name = _value(base, path), ".".join(path)
        rule = _RULES.get(name)
        if rule and rule(present, value):
            _put(granted, path, value)
        elif value != present:
            refused[name] = value
    return granted, refused


def with_denials_kept(wish: Json, base: Json) -> Json:
    """A project, trusted or not, adds to the denied commands; it never takes one back."""
    if "deniedCommands" not in wish:
        return wish
    denied = dict.fromkeys((*base["deniedCommands"], *wish["deniedCommands"]))
    return wish | {"deniedCommands": tuple(denied)}


def _leaves(layer: Json) -> list[tuple[tuple[str, ...], Any]]:  # Any: as above.
    """Settings with their paths: those of the two groups one by one, anything else whole."""
    leaves: list[tuple[tuple[str, ...], Any]] = []
    for key, value in layer.items():
        if key in ("autoApprove", "limits"):
            leaves += [((key, name), item) for name, item in value.items()]
        else:
            leaves.append(((key,), value))
    return leaves


def _value(base: Json, path: Sequence[str]) -> Any:  # Any: as above.
    value: Any = base
    for key in path:
        value = value[key]
    return value


def _put(layer: Json, path: Sequence[str], value: Any) -> None:  # Any: as above.
    for key in path[:-1]:
        layer = layer.setdefault(key, {})
    layer[path[-1]] = value


def _no_more(order: Sequence[str]) -> _Rule:
    return lambda base, wish: order.index(wish) <= order.index(base)


def _within(base: Sequence[str], wish: Sequence[str]) -> bool:
    return set(wish) <= set(base)


def _no_sooner(base: int, wish: int) -> bool:
    """0 is never."""
    return wish == 0 or (base != 0 and wish >= base)


def _no_higher(base: float, wish: float) -> bool:
    """0 is no limit."""
    return wish == base or (wish != 0 and (base == 0 or wish <= base))


def _adds(base: Sequence[str], wish: Sequence[str]) -> bool:
    return set(base) <= set(wish)


def _either(base: str, wish: str) -> bool:
    return bool(base and wish)


def _if_unset(base: str, wish: str) -> bool:
    del wish
    return not base


# Of switches, `ge` lets through what switches off; of the threshold, `le` what asks for more likeness.
_RULES: Mapping[str, _Rule] = {
    "permissionMode": _no_more(("plan", "default", "acceptEdits", "bypassPermissions")),
    "autoApprove.read": ge,
    "autoApprove.readOutsideWorkspace": ge,
    "autoApprove.write": ge,
    "autoApprove.writeOutsideWorkspace": _within,
    "autoApprove.execute": ge,
    "autoApprove.mcp": ge,
    "autoApprove.browser": ge,
    "autoApprove.modeSwitch": ge,
    "autoApprove.subtasks": ge,
    "autoApprove.followupSeconds": _no_sooner,
    "allowedCommands": _within,
    "deniedCommands": _adds,
    "limits.requests": _no_higher,
    "limits.cost": _no_higher,
    "limits.consecutiveMistakes": _no_higher,
    "limits.commandSeconds": _no_higher,
    "fuzzyThreshold": le,
    "closedFiles": _either,
    "sandbox": _no_more(("require", "auto", "off")),
    "language": _if_unset,
    "fetchPrivateAddresses": ge,
}
