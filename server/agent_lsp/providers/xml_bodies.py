"""What stands between the tags of one call: parameters as elements, or JSON. No I/O.

Each token is looked at once or twice. A text may hold the very tags that end it: it ends with
the last closing tags before the next call or the answer's end.
"""

import json
from collections.abc import Sequence
from typing import cast

from agent_lsp.domain.encoding import Json
from agent_lsp.providers.answer import Answer
from agent_lsp.providers.xml_openings import Openings, is_space, is_wrapper
from agent_lsp.providers.xml_tags import Tag, Token
from agent_lsp.providers.xml_values import Value, dumped, is_verbatim, value_of

_BRACKETS = ("args", "arguments", "parameters", "params")
"""Elements that some models put around the parameters."""
_FAMILY = frozenset({"line_count", "requires_approval", "task_progress", "start_line", "end_line"})
"""Parameters of kindred agents, which models add by habit."""
_ATTEMPTS = 8
"""So many closing tags in a JSON text are tried for its end; trying more would cost more than it brings."""


class XmlBody:
    """The parameters of one call, told as the pieces of a JSON object. `take` gives back what follows the call."""

    def __init__(self, answer: Answer, opening: Tag, openings: Openings) -> None:
        name = opening.key or opening.name
        self._answer = answer
        self._opening = opening
        self._openings = openings
        self._schema: Json = openings.parameters.get(name) or {}
        self._call = answer.begin_call("", name)
        self._write("{")
        self._state = self._between
        self._given: set[str] = set()
        self._parameter = opening
        self._value: Value | None = None
        self._quotes_itself = False
        """Whether the text has the tag in it that it stands behind."""
        self._closing: list[Token] = []
        """The closing tags that may be the text's own."""
        self._behind: list[Token] = []
        """What followed closing tags that may be the call's end."""
        self._next_call: Tag | None = None
        self._depth = 0
        """Calls of the same tool that are quoted in the text, and not closed yet."""
        self._may_nest = False

    def take(self, token: Token) -> Sequence[Token] | None:
        """Take the next token; once the call is over, give back all that is not part of it."""
        return self._state(token)

    def end(self) -> Sequence[Token]:
        if self._state in (self._after_call, self._after_quoted_call):
            return self._finish()
        return self._cut_off()

    # The states.

    def _between(self, token: Token) -> Sequence[Token] | None:
        if not isinstance(token, Tag):
            return None
        if self._closes_call(token):
            self._behind = []
            return self._finish()
        if token.is_closing or self._is_bracket(token):
            return None
        if self._is_other_call(token):
            return [*self._cut_off(), token]
        self._begin_value(token)
        return None

    def _in_value(self, token: Token) -> Sequence[Token] | None:
        if isinstance(token, Tag) and token.is_closing and token.name == self._parameter.name:
            self._closing = [token]
            self._state = self._after_value
            return None
        self._quotes_itself |= isinstance(token, Tag) and token.name == self._parameter.name
        self._count_quoted(token)
        self._feed(token)
        return None

    def _after_value(self, token: Token) -> Sequence[Token] | None:
        """Decide by what follows whether a closing tag ends the value."""
        if is_space(token) or (isinstance(token, Tag) and token.is_closing and self._is_bracket(token)):
            self._closing.append(token)
            return None
        if isinstance(token, Tag) and self._closes_call(token):
            self._closing.append(token)
            self._state = self._after_quoted_call if self._depth else self._after_call
            return None
        if isinstance(token, Tag) and not self._depth:
            if self._is_other_call(token) and not is_verbatim(self._parameter_name()):
                return [*self._cut_off(), token]
            if self._is_next_parameter(token):
                self._end_value()
                self._begin_value(token)
                return None
        return self._go_on_in_value([], token)

    def _after_call(self, token: Token) -> Sequence[Token] | None:
        """Wait for the next call, before which the closing tags were the last ones."""
        if self._next_call and self._openings.begins_arguments(self._next_call, token):
            return [*self._finish(), token]
        if not is_space(token):
            self._next_call = token if isinstance(token, Tag) and self._openings.may_begin(token) else None
        if isinstance(token, Tag) and self._closes_call(token) and (start := self._last_value_end()) is not None:
            for text in [*self._closing, *self._behind[:start]]:
                self._feed(text)
            self._closing, self._behind = [*self._behind[start:], token], []
        else:
            self._behind.append(token)
        return None

    def _after_quoted_call(self, token: Token) -> Sequence[Token] | None:
        if is_space(token):
            self._behind.append(token)
            return None
        self._depth -= 1
        behind, self._behind = self._behind, []
        return self._go_on_in_value(behind, token)

    # What they are made of.

    def _begin_value(self, tag: Tag) -> None:
        self._parameter = tag
        self._quotes_itself = False
        name = self._parameter_name()
        comma = "," if self._given else ""
        self._given.add(name)
        self._write(f"{comma}{dumped(name)}:")
        self._value = value_of(name, self._schema.get(name) or {}, self._write)
        self._state = self._in_value

    def _end_value(self) -> None:
        if self._value:
            self._value.end()
        self._value = None

    def _go_on_in_value(self, behind: Sequence[Token], token: Token) -> Sequence[Token] | None:
        """The closing tags were text, and so is what came behind them."""
        for text in [*self._closing, *behind]:
            self._feed(text)
        self._state = self._in_value
        return self._in_value(token)

    def _finish(self) -> Sequence[Token]:
        self._end_value()
        self._write("}")
        self._answer.end_call(self._call)
        return self._behind

    def _cut_off(self) -> Sequence[Token]:
        """Leave the arguments unfinished, so that nobody takes them for whole."""
        self._answer.end_call(self._call)
        return ()

    def _count_quoted(self, token: Token) -> None:
        """Notice a call of the same tool within the text: a tag with another one directly behind it."""
        if is_space(token):
            return
        if isinstance(token, str) or token.is_closing:
            self._may_nest = False
            return
        self._depth += self._may_nest
        opening = self._opening
        self._may_nest = (token.name, token.key) == (opening.name, opening.key)

    def _last_value_end(self) -> int | None:
        """Where the parameter's closing tag stands behind which only space has come."""
        for place in range(len(self._behind) - 1, -1, -1):
            token = self._behind[place]
            if isinstance(token, Tag):
                return place if token.is_closing and token.name == self._parameter.name else None
            if not token.isspace():
                return None
        return None

    def _parameter_name(self) -> str:
        return self._parameter.key or self._parameter.name

    def _is_next_parameter(self, tag: Tag) -> bool:
        if tag.is_closing:
            return False
        is_text = is_verbatim(self._parameter_name())
        if tag.key or tag.name in self._schema:
            # Given once more, it is told once more: whoever reads the arguments says that this makes no sense.
            return (tag.key or tag.name) not in self._given or not (is_text or self._quotes_itself)
        return tag.name in _FAMILY or not is_text

    def _is_bracket(self, tag: Tag) -> bool:
        return tag.name in _BRACKETS and tag.name not in self._schema

    def _is_other_call(self, tag: Tag) -> bool:
        return self._openings.is_call(tag) and tag.name not in self._schema

    def _closes_call(self, tag: Tag) -> bool:
        return tag.is_closing and tag.name == self._opening.name

    def _feed(self, token: Token) -> None:
        if self._value:
            self._value.feed(token.raw if isinstance(token, Tag) else token)

    def _write(self, arguments: str) -> None:
        self._answer.grow_call(self._call, arguments)


class JsonBody:
    """A call whose arguments are JSON: of a named tool, or with the name inside, where the opening tag tells none."""

    def __init__(self, answer: Answer, opening: Tag, before: Sequence[Token], openings: Openings) -> None:
        self._answer = answer
        self._name = opening.key or ("" if is_wrapper(opening) else opening.name)
        self._opening = opening
        self._openings = openings
        self._before = [*before]
        self._pieces: list[str] = []
        self._attempts = 0

    def take(self, token: Token) -> Sequence[Token] | None:
        match token:
            case str():
                self._pieces.append(token)
            case Tag(name=name, is_closing=True) if name == self._opening.name and self._attempts < _ATTEMPTS:
                self._attempts += 1
                if self._make_call():
                    return ()
                self._pieces.append(token.raw)
            case Tag(raw):
                self._pieces.append(raw)
        return None

    def end(self) -> Sequence[Token]:
        """Take what is whole even without its closing tag, which is no part of what some models may say."""
        if self._make_call():
            return ()
        if not self._name:
            text = "".join(token.raw if isinstance(token, Tag) else token for token in self._before)
            self._answer.text(text + "".join(self._pieces))
            return ()
        self._tell(self._name, "".join(self._pieces))
        return ()

    def _make_call(self) -> bool:
        value = _json_object("".join(self._pieces))
        if value is None:
            return False
        if self._name:
            self._tell(self._name, dumped(value))
            return True
        name, arguments = value.get("name"), value.get("arguments", value.get("parameters"))
        if not isinstance(name, str) or not self._openings.is_callable(name):
            return False
        if not isinstance(arguments, dict | str):
            return False
        self._tell(
            name, arguments if isinstance(arguments, str) else dumped(cast("Json", arguments))
        )  # JSON of a model
        return True

    def _tell(self, name: str, arguments: str) -> None:
        call = self._answer.begin_call("", name)
        self._answer.grow_call(call, arguments)
        self._answer.end_call(call)


def _json_object(text: str) -> Json | None:
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType] - JSON of a model's
