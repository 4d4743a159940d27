"""The tools of one mode behind one door: arguments are read here, and whatever goes wrong becomes a result."""

import json
import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol, cast

from pydantic import BaseModel, ValidationError

from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.history import Call
from agent_lsp.domain.model import ToolSpec
from agent_lsp.domain.modes import Mode
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.attempt_completion import AttemptCompletion
from agent_lsp.tools.groups import is_offered
from agent_lsp.tools.matching.revision import Malformed
from agent_lsp.tools.outcomes import capped
from agent_lsp.tools.specs import schema_of

_log = logging.getLogger(__name__)


class Tool(Protocol):
    """One tool. `run` gets what `Arguments` made of the model's JSON; an AgentError it raises is told to the model."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def Arguments(self) -> type[BaseModel]: ...  # noqa: N802  # a class within each tool's class

    async def run(self, arguments: Any, call_id: str) -> Outcome: ...  # Any: each tool has its own Arguments


class Toolbox:
    """Runs the calls of a model, as far as the mode of the moment has these tools."""

    def __init__(
        self,
        tools: Iterable[Tool],
        mode: Callable[[], Mode] | None = None,
        useless: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self._mode = mode
        self._useless = useless
        """The names of tools that there is nothing to do for."""

    def specs(self) -> tuple[ToolSpec, ...]:
        """Describe the tools of the mode, always in the same order and words, so that a service keeps them."""
        return tuple(
            ToolSpec(name, tool.description, schema_of(tool.Arguments)) for name, tool in self._offered().items()
        )

    async def run(self, call: Call, *, has_failed_before: bool) -> Outcome:
        """Settle a call. Only a cancellation comes out as an exception."""
        tool = self._offered().get(call.name)
        if tool is None:
            return self._no_such_tool(call.name)
        if has_failed_before and isinstance(tool, AttemptCompletion):
            return tool.refused()
        try:
            outcome = await tool.run(_read_arguments(call, tool), call.id)
        except AgentError as fault:
            return _failed(str(fault), is_mistake=isinstance(fault, Malformed))
        except Exception:  # noqa: BLE001  # the one boundary behind which a bug must not stop the task
            _log.exception("The tool %s failed", call.name)
            return _failed(f"{call.name} failed by an internal error. Try another way; the log has the details.")
        return replace(outcome, text=capped(outcome.text))

    def _offered(self) -> Mapping[str, Tool]:
        mode = self._mode() if self._mode else None
        useless = self._useless()  # Asked once: it looks at files.
        tools = {name: tool for name, tool in self._tools.items() if name not in useless}
        return {name: tool for name, tool in tools.items() if mode is None or is_offered(name, mode)}

    def _no_such_tool(self, name: str) -> Outcome:
        names = ", ".join(self._offered())
        if self._mode and name in self._tools:
            text = f"{name} is not available in {self._mode().slug} mode. Available: {names}."
            return _failed(text, is_mistake=True)
        return _failed(f"There is no tool {name[:80]!r}. Available: {names}.", is_mistake=True)


def _failed(text: str, *, is_mistake: bool = False) -> Outcome:
    return Outcome(capped(text), is_error=True, is_mistake=is_mistake)


def _read_arguments(call: Call, tool: Tool) -> BaseModel:
    """Read the model's JSON. What was cut off is never repaired: half a file would be written."""
    values = _json_object(call)
    present = {name: value for name, value in values.items() if value is not None}
    try:
        return tool.Arguments.model_validate(present)
    except ValidationError as fault:
        raise Malformed(f"{call.name} was not run: {_faults(fault)}. Call it again.") from None


def _json_object(call: Call) -> Mapping[str, object]:
    try:
        values: object = json.loads(call.arguments or "{}", strict=False, object_pairs_hook=_without_doubles)
    except _GivenTwice as fault:
        told = "Call it once for each value, or with the one that is meant."
        raise Malformed(f"{call.name} was not run: {fault} is given twice, with different values. {told}") from None
    except (ValueError, RecursionError) as fault:
        raise Malformed(
            f"{call.name} was not run: its arguments are no whole JSON ({fault}). "
            "If they were cut off for their length, do the work in smaller parts."
        ) from None
    if not isinstance(values, dict):
        raise Malformed(f"{call.name} was not run: its arguments must be one JSON object.")
    if _HALF_CHARACTER.search(call.arguments):
        _refuse_half_characters(call.name, cast("object", values))  # its type is not known any closer
    return cast("dict[str, object]", values)  # JSON objects have text for keys


class _GivenTwice(Exception):
    """Its text is the name of what has two values: nobody can tell which of them is meant."""


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        for name, value in pairs:
            if value != values[name]:
                raise _GivenTwice(name)
    return values


_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def _refuse_half_characters(name: str, values: object) -> None:
    """Halves of surrogate pairs cannot be written to any file."""
    try:
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Malformed(f"{name} was not run: its arguments hold half a character (a lone \\ud800-\\udfff).") from None


def _faults(fault: ValidationError) -> str:
    rows = fault.errors(include_url=False, include_context=False)
    return "; ".join(f"{_name(row['loc'])} {_wanted(row['type'], row['msg'])}" for row in rows[:5])


def _name(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location) or "the arguments"


def _wanted(kind: str, message: str) -> str:
    match kind:
        case "missing":
            return "is missing"
        case "string_too_short":
            return "is empty"
        case _:
            return f"is wrong: {message[:1].lower()}{message[1:]}"
