"""Markdown prose for places that show plain text: marks that only a renderer understands are left out. Pure.

In doubt a mark stays: what is asked must never read differently.
"""

import re

_BLOCK = re.compile(
    r"^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*\n?(.*?)(?:^ {0,3}\1[`~]*[ \t]*(?:\n|\Z)|\Z)", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"^ {0,3}#{1,6} +", re.MULTILINE)
_SPAN = r"`[^`\n]*`|\"[^\"\n]*\"|“[^“”\n]*”"
"""Code and quoted words, within which nothing is a mark: `glob "*.py" or "*.js"`."""
_LEFT = rf"{_SPAN}|(?<!\w)'[^'\n]*'(?!\w)"
_LINK = re.compile(rf"{_LEFT}|(?<![^\s(*,;:—–])!?\[([^\[\]\n]+)\]\(<?([^\s()<>]+)>?\)")
"""With blanks or signs before it: `array[i](j)` is none."""
_EMPHASIS = re.compile(
    rf"{_LEFT}|(?<![^\s(—–])(\*{{1,3}})(?=[^\s*./])((?:{_SPAN}|\([^()\n]*\)|[^*`\"“()\n]){{1,500}}?)"
    r"(?<=[^\s*])\1(?![^\s.,;:!?)\"'”—–])"
)
"""By asterisks, with words around it: `src/**/*.py` is none, and underscores are parts of names."""


def plain(text: str) -> str:
    """Leave out fences, the marks of headings and emphasis, and what only says that something is a link."""
    parts = _BLOCK.split(text)
    parts[::3] = map(_without_marks, parts[::3])
    del parts[1::3]
    return "".join(parts)


def _without_marks(text: str) -> str:
    text = _LINK.sub(_linked, _HEADING.sub("", text))
    return _EMPHASIS.sub(_calm, _EMPHASIS.sub(_calm, text))  # One may stand within another.


def _linked(link: re.Match[str]) -> str:
    words, target = link.groups()
    if words is None:
        return link[0]
    return words if words == target else f"{words} ({target})"


def _calm(emphasis: re.Match[str]) -> str:
    return emphasis[0] if emphasis[2] is None else emphasis[2]
