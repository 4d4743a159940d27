"""What git reads in ignore patterns and the library does not: classes of characters, and more than two stars. Pure.

The library knows no named classes and no escapes in them. So each class stands as one strange character in the lines
that it is given, and is put back into the regular expressions that it makes of them.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

_FIRST_STAND_IN = 0xF0000
_OUTSIDE = re.compile(r"[^\\\[]+|\\.?", re.DOTALL)
_MANY_STARS = re.compile(r"\*{3,}")
_ALL_BELOW = re.compile(r"(?<=.)/\*\*(/?)(?=\s*$)")
"""To the library that means the folder, too."""
_NAMED = re.compile(r"\[:([a-z]+):\]")
_RANGE = re.compile(r"(\\.|[^\\])-(\\.|[^\\\]])", re.DOTALL)
_SINGLE = re.compile(r"\\.|[^\\]", re.DOTALL)
_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "alnum": "a-zA-Z0-9",
        "alpha": "a-zA-Z",
        "blank": r" \t",
        "cntrl": r"\x00-\x1f\x7f",
        "digit": "0-9",
        "graph": "!-~",
        "lower": "a-z",
        "print": " -~",
        "punct": r"!-/:-@\[-`{-~",
        "space": r"\t-\r ",
        "upper": "A-Z",
        "xdigit": "0-9a-fA-F",
    }
)


class Classes:
    """The classes of one ignore file, each with the character that stands for it."""

    def __init__(self) -> None:
        self._stand_ins: dict[str, str] = {}

    def taken_out(self, line: str) -> str:
        """A line with its classes replaced; one that has no end is left as it is."""
        pieces, at = list[str](), 0
        while at < len(line):
            if plain := _OUTSIDE.match(line, at):
                pieces.append(_MANY_STARS.sub("**", plain[0]))
                at = plain.end()
                continue
            found, end = _read_class(line, at)
            pieces.append(self._stand_in(found) if found else line[at:end])
            at = end
        return _ALL_BELOW.sub(r"/**/*\1", "".join(pieces))

    def put_back(self, expression: str) -> str:
        for text, stand_in in self._stand_ins.items():
            expression = expression.replace(stand_in, text)
        return expression

    def _stand_in(self, text: str) -> str:
        return self._stand_ins.setdefault(text, chr(_FIRST_STAND_IN + len(self._stand_ins)))


def _read_class(line: str, start: int) -> tuple[str, int]:
    """The regular expression of the class that begins here, or nothing, and where reading goes on."""
    is_negated = line[start + 1 : start + 2] in ("!", "^")
    first = at = start + (2 if is_negated else 1)
    members = list[str]()
    while line[at : at + 1] != "]" or at == first:
        if named := _NAMED.match(line, at):
            members.append(_NAMES.get(named[1], ""))
            at = named.end()
        elif between := _RANGE.match(line, at):
            low, high = between[1][-1], between[2][-1]
            members.append(f"{_escaped(low)}-{_escaped(high)}" if low <= high else "")
            at = between.end()
        elif single := _SINGLE.match(line, at):
            members.append(_escaped(single[0][-1]))
            at = single.end()
        else:
            return "", start + 1
    return f"[{_joined(members, is_negated=is_negated)}]", at + 1


def _joined(members: Iterable[str], *, is_negated: bool) -> str:
    text = "".join(members)
    if not text:
        return r"\s\S" if is_negated else r"^\s\S"
    return f"^{text}" if is_negated else text


def _escaped(char: str) -> str:
    return char if char.isalnum() else f"\\{char}"
