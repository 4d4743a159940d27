"""What services refuse of a request though they could do without, known by their words, and how it is sent instead.

Bodies are changed when they are finished: a quote that no backslash escapes cannot stand inside of a text. Tools are
not among it: whoever refuses those is told of them in words (`adapting.py`).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from agent_lsp.domain.errors import ContextOverflow, ModelFault

_STATUSES = frozenset({400, 404, 415, 422, 500, 501})
"""By which services say that they do not take a request as it is."""

_UNKNOWN = (
    r"\b(?:un(?:supported|known|recognized|expected)|extra|forbidden|additional propert|use 'max_"
    r"|only (?:allowed|supported)|not[ _](?:\w+ )?(?:supported|permitted|allowed|recognized|known)"
    r"|(?:does not|doesn't|do not|don't|cannot) (?:support|accept|allow))"
)
"""Words for what a service does not take at all; what it takes with another value is for the user to correct."""
_FIELD = r"(?:parameter|param|field|argument|property|key)"
_TOP = re.compile(rb'"(?:tools|messages|input|instructions|system)":')
"""Where the fields of a body end that say how to answer."""
_SYSTEM = re.compile(rb'("messages":\[\{"role":")system(","content":"(?:[^"\\]|\\.)*"\})', re.DOTALL)
_NO_SYSTEM = re.compile(
    r"system role (?:is )?not supported|does not support '?system'?\b"
    r"|(?:unexpected|unsupported|invalid)[^.]{0,30}role[^.]{0,10}system"
    r"|role[^.]{0,10}system[^.]{0,20}not (?:supported|allowed)",
    re.IGNORECASE,
)
_NO_STREAM = re.compile(
    r"'stream' does not support true|stream(?:ing)? is not supported|not support stream(?:ing)?\b", re.IGNORECASE
)
_NO_NULL = re.compile(
    r"\bcontent\b.*(?:\bnull\b|\bNone\b|valid string|a string|required|NoneType)|\b(?:null|None)\b.*\bcontent\b",
    re.IGNORECASE | re.DOTALL,
)
_MARK = b',"cache_control":{"type":"ephemeral"}'


@dataclass(frozen=True, slots=True, eq=False)
class Concession:
    """`said` are the words of a refusal, `change` makes a body that the service may take."""

    said: re.Pattern[str]
    change: Callable[[bytes], bytes]


class Concessions:
    """What was conceded to one service, which holds for as long as its model is used, unless it was of no use."""

    def __init__(self) -> None:
        self._made: list[Concession] = []

    def applied(self, body: bytes) -> bytes:
        for concession in self._made:
            body = concession.change(body)
        return body

    def make(self, refusal: ModelFault, body: bytes, sent: bytes) -> bool:
        """Concede what a refusal of a body is about; tell whether it is sent differently now than it was."""
        if refusal.status not in _STATUSES or isinstance(refusal, ContextOverflow):
            return False
        if self.applied(body) != sent:
            return True  # Another task, which was asking at the same time, has learnt it.
        words = str(refusal)
        for concession in _KNOWN:
            is_new = concession not in self._made
            if is_new and concession.said.search(words) and concession.change(sent) != sent:
                self._made.append(concession)
                return True
        # What is complained of all the same was not meant.
        self._made = [concession for concession in self._made if not concession.said.search(words)]
        return False


def _naming(field: str) -> re.Pattern[str]:
    """Match words that refuse a field and name it; what is a word of English too has to be marked as a field."""
    named = rf"(?<![\w-]){field}(?![\w-])" if "_" in field else _marked(field)
    return re.compile(rf"(?=.*{_UNKNOWN}).*{named}", re.IGNORECASE | re.DOTALL)


def _marked(field: str) -> str:
    quoted = rf"['\"`](?:[\w.\[\]]+\.)?{field}\\?['\"`]"  # In JSON that is quoted whole, a quote has a backslash.
    behind = rf"\b(?:{_FIELD}s?(?: \w+)?:|{_FIELD}|(?:unknown|unsupported|unrecognized|unexpected):) +{field}(?![\w-])"
    before = rf"(?<![\w-]){field} {_FIELD}\b"
    path = rf"(?:^|: |['\".\[(,]){field}:"
    return rf"(?:{quoted}|{behind}|{before}|{path})"


def _replaced(field: bytes, new: bytes, body: bytes) -> bytes:
    """Put something else in place of a field at the top of a body."""
    top = found.start() if (found := _TOP.search(body)) else len(body)
    return re.sub(field, new, body[:top], count=1) + body[top:]


def _without(field: str) -> Concession:
    value = rb'(?:"[^"]*"|\[[^\]]*\]|\{[^}]*\}|[\w.]+)'
    # The first field is the model, so that there is a comma before any other.
    return Concession(_naming(field), partial(_replaced, b',"%s":%s' % (field.encode(), value), b""))


def _renamed(field: str, new: str) -> Concession:
    return Concession(_naming(field), partial(_replaced, b'"%s":' % field.encode(), b'"%s":' % new.encode()))


def _cut(text: bytes, body: bytes) -> bytes:
    return body.replace(text, b"")


def _unstreamed(body: bytes) -> bytes:
    body = _replaced(rb',"stream_options":\{[^}]*\}', b"", body)
    return _replaced(b'"stream":true', b'"stream":false', body)


def _without_system(body: bytes) -> bytes:
    """Let the user say what the system does, and the model agree: such models want both sides to take turns."""
    return _SYSTEM.sub(rb'\1user\2,{"role":"assistant","content":"Understood."}', body, count=1)


def _without_null(body: bytes) -> bytes:
    return body.replace(b'{"role":"assistant","content":null', b'{"role":"assistant","content":""')


_KNOWN = (
    Concession(_NO_STREAM, _unstreamed),
    *map(_without, ("stream_options", "prompt_cache_key", "store", "include")),
    Concession(re.compile("encrypted[ _]content is not supported", re.IGNORECASE), _without("include").change),
    _renamed("max_tokens", "max_completion_tokens"),
    _renamed("max_completion_tokens", "max_tokens"),
    _without("max_output_tokens"),
    Concession(_naming("strict"), partial(_cut, b',"strict":false')),
    Concession(_naming("cache_control"), partial(_cut, _MARK)),
    Concession(_NO_SYSTEM, _without_system),
    Concession(_NO_NULL, _without_null),
)
