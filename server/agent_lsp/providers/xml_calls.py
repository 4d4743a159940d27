"""Finds the tool calls that a model writes as text, while it writes them. No I/O; linear in the text.

`<read_file><path>a</path></read_file>` is the form that models are told of. They know others from their training, and
those are understood as well: `<invoke name="read_file">` with `<parameter name="path">`, `<function=read_file>` with
`<parameter=path>`, JSON between `<tool_call>` tags, and JSON that is the whole answer. What is
none of these stays prose.
"""

from collections.abc import Sequence

from agent_lsp.domain.model import ToolSpec
from agent_lsp.providers.answer import Answer
from agent_lsp.providers.xml_bare import BareCalls
from agent_lsp.providers.xml_bodies import JsonBody, XmlBody
from agent_lsp.providers.xml_openings import Openings, is_space, is_wrapper
from agent_lsp.providers.xml_prose import Prose
from agent_lsp.providers.xml_tags import Tag, TagScanner, Token

_THOUGHTS = ("thinking", "think")


class CallReader:
    """Feed it what the model says; what that is goes to the answer. `end` tells it that no more comes.

    `is_strict`: only what can be nothing else is taken for a call.
    """

    def __init__(self, tools: Sequence[ToolSpec], answer: Answer, *, is_strict: bool = False) -> None:
        self._openings = Openings.of(tools, is_strict=is_strict)
        self._answer = answer
        self._scanner = TagScanner()
        self._prose = Prose(answer.text)
        self._bare = BareCalls(answer, self._openings)
        self._state = self._at_start
        self._opening: Tag | None = None
        """A tag that may begin a call, and what has come since, until that is known."""
        self._pending: list[Token] = []
        self._thought = ""
        self._open_wrappers = 0
        self._body: XmlBody | JsonBody | None = None

    def feed(self, piece: str) -> None:
        for token in self._scanner.feed(piece):
            self._state(token)

    def pause(self) -> None:
        """Something else comes in between: what was said so far is said."""
        self._prose.release()

    def end(self) -> None:
        """Settle what is open. A call without its end was cut off: its arguments stay the broken JSON that they are."""
        if rest := self._scanner.rest():
            self._state(rest)
        if self._state == self._at_start:
            self._leave(self._bare.end())
        while body := self._body:
            self._leave(body.end())
        if self._opening:
            self._give_up_opening()
        self._prose.release()

    # The states: each takes the next token.

    def _at_start(self, token: Token) -> None:
        if (rest := self._bare.take(token)) is not None:
            self._leave(rest)

    def _outside(self, token: Token) -> None:
        match token:
            case str():
                self._prose.feed(token)
            case Tag(is_closing=True) if is_wrapper(token) and self._open_wrappers:
                self._open_wrappers -= 1
            case Tag(name=name, key="", is_closing=False) if name in _THOUGHTS:
                self._thought = name
                self._state = self._thinking
            case Tag() if self._openings.may_begin(token) and not self._prose.is_quoting():
                self._opening, self._pending = token, [token]
                self._state = self._after_opening
            case Tag(raw):
                self._prose.feed(raw)

    def _thinking(self, token: Token) -> None:
        match token:
            case Tag(name=name, is_closing=True) if name == self._thought:
                self._state = self._outside
            case Tag(raw):
                self._answer.thought(raw)
            case str():
                self._answer.thought(token)

    def _after_opening(self, token: Token) -> None:
        """Decide by what follows directly whether a call begins."""
        opening = self._opening
        if opening is None or is_space(token):
            self._pending.append(token)
        elif isinstance(token, Tag) and is_wrapper(opening) and self._openings.is_call(token):
            self._open_wrappers += 1
            self._opening = token
            self._pending.append(token)
        elif self._openings.begins_arguments(opening, token):
            self._begin(opening, token)
        else:
            self._give_up_opening()
            self._state(token)

    def _inside(self, token: Token) -> None:
        if self._body and (rest := self._body.take(token)) is not None:
            self._leave(rest)

    # How it gets from one to another.

    def _begin(self, opening: Tag, token: Token) -> None:
        self._prose.begin_call()
        if isinstance(token, str):
            self._body = JsonBody(self._answer, opening, self._pending, self._openings)
        else:
            self._body = XmlBody(self._answer, opening, self._openings)
        self._opening, self._pending = None, []
        self._state = self._inside
        self._inside(token)

    def _leave(self, rest: Sequence[Token]) -> None:
        """Go on outside, with what turned out to lie behind the call."""
        self._body = None
        self._state = self._outside
        for token in rest:
            self._state(token)

    def _give_up_opening(self) -> None:
        pending, self._opening, self._pending = self._pending, None, []
        self._state = self._outside
        self._prose.feed("".join(token.raw if isinstance(token, Tag) else token for token in pending))
