"""Answers that are nothing but calls as JSON, as some models write them that were trained so. No I/O."""

import json
import re
from collections.abc import Sequence
from typing import cast

from agent_lsp.domain.encoding import Json
from agent_lsp.providers.answer import Answer
from agent_lsp.providers.xml_openings import Openings
from agent_lsp.providers.xml_tags import Tag, Token
from agent_lsp.providers.xml_values import dumped

_BEGINNING = re.compile(r'(?:```(?:json)?\s*)?(?:\[\s*)?\{\s*"(?:name|arguments|parameters|function|type|id)"')
_MAY_BEGIN = re.compile(r'`{0,3}|```(?:j|js|jso)|(?:```(?:json)?\s*)?(?:\[\s*)?(?:\{\s*(?:"\w{0,10})?)?')
"""What may become such a beginning."""
_FENCE = re.compile(r"```(?:json)?\s*(?P<inner>.*?)\s*```", re.DOTALL)
_MOST_BEFORE = 64
"""Tokens of white space that are waited behind."""
_MOST_CALLS = 64


class BareCalls:
    """Holds an answer that begins like calls in JSON back until it is whole; gives any other back at once."""

    def __init__(self, answer: Answer, openings: Openings) -> None:
        self._answer = answer
        self._openings = openings
        self._tokens: list[Token] = []
        self._is_json = False

    def take(self, token: Token) -> Sequence[Token] | None:
        """Take the next token; give back all where this is no such answer."""
        self._tokens.append(token)
        if self._is_json:
            return None
        head = self._text().lstrip()
        self._is_json = bool(_BEGINNING.match(head))
        may_begin = _MAY_BEGIN.fullmatch(head) and len(self._tokens) <= _MOST_BEFORE
        return None if self._is_json or may_begin else self._tokens

    def end(self) -> Sequence[Token]:
        """Make the calls; give back what is none."""
        calls = _calls(self._text().strip()) if self._is_json else None
        if not calls or not all(name in self._openings.parameters for name, _ in calls):
            return self._tokens
        for name, arguments in calls:
            key = self._answer.begin_call("", name)
            self._answer.grow_call(key, dumped(arguments))
            self._answer.end_call(key)
        return ()

    def _text(self) -> str:
        return "".join(token.raw if isinstance(token, Tag) else token for token in self._tokens)


def _calls(text: str) -> list[tuple[str, Json]] | None:
    """Read calls, one or several, in a list or one behind the other; None where anything else is there."""
    match = _FENCE.fullmatch(text)
    rest = match["inner"] if match else text
    calls: list[tuple[str, Json]] = []
    while rest and len(calls) < _MOST_CALLS:
        try:
            value, end = json.JSONDecoder(strict=False).raw_decode(rest)
        except (ValueError, RecursionError):
            return None
        for each in cast("list[object]", value) if isinstance(value, list) else [cast("object", value)]:  # JSON
            if (call := _call(each)) is None:
                return None
            calls.append(call)
        rest = rest[end:].lstrip(" \t\r\n;,")
    return None if rest else calls


def _call(value: object) -> tuple[str, Json] | None:
    if not isinstance(value, dict):
        return None
    shape = cast("Json", value)  # JSON of a model
    inner = cast("Json", shape["function"]) if isinstance(shape.get("function"), dict) else shape
    name, arguments = inner.get("name"), inner.get("arguments", inner.get("parameters"))
    return (name, cast("Json", arguments)) if isinstance(name, str) and isinstance(arguments, dict) else None
