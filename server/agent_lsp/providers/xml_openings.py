"""Which tags may begin a call, and what has to follow them so that they do. No I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.model import ToolSpec
from agent_lsp.providers.xml_tags import Tag, Token

_WRAPPERS = ("function_calls", "tool_calls", "tool_call", "tool_use")
"""Elements that models put around calls."""
_GENERIC = ("invoke", "function")
"""Tags that tell the tool's name as an attribute."""


@dataclass(frozen=True, slots=True)
class Openings:
    """`parameters` are those of each tool. `is_strict`: only what can be nothing else is taken for a call."""

    parameters: Mapping[str, Json]
    is_strict: bool = False

    @staticmethod
    def of(tools: Sequence[ToolSpec], *, is_strict: bool) -> "Openings":
        return Openings({tool.name: tool.parameters.get("properties") or {} for tool in tools}, is_strict)

    def may_begin(self, tag: Tag) -> bool:
        return not tag.is_closing and (is_wrapper(tag) or self.is_call(tag))

    def is_call(self, tag: Tag) -> bool:
        if tag.is_closing:
            return False
        if tag.key:
            return tag.name in _GENERIC and self.is_callable(tag.key)
        return tag.name in self.parameters

    def is_callable(self, name: str) -> bool:
        """Whether a call of this name is one; the model is told when there is no such tool."""
        return not self.is_strict or name in self.parameters

    def begins_arguments(self, opening: Tag, token: Token) -> bool:
        """Whether what follows an opening directly makes a call of it."""
        if isinstance(token, str):
            return token.lstrip().startswith("{") and opening.name not in _WRAPPERS[:2]
        if is_wrapper(opening):
            return False
        if token.is_closing:
            return token.name == opening.name
        is_known = bool(token.key) or token.name in self.parameters.get(opening.name, {})
        return is_known or not (self.is_strict or self.is_call(token))


def is_wrapper(tag: Tag) -> bool:
    return not tag.key and tag.name in _WRAPPERS


def is_space(token: Token) -> bool:
    return isinstance(token, str) and token.isspace()
