"""Markdown prose for places that show plain text: marks that only a renderer understands are left out. Pure."""

import re

_FENCE = re.compile(r"^ {0,3}(?:`{3,}|~{3,}).*\n?", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6} +", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]+)\]\(<?([^\s()<>]+)>?\)")
_EMPHASIS = re.compile(r"""(?<![^\s("'“])(\*{1,3})(?=[^\s*])([^\n]{1,500}?)(?<=[^\s*])\1(?![^\s.,;:!?)"'”])""")
"""By asterisks, with words around it: `src/**/*.py` is none, and underscores are parts of names."""
_CODE = re.compile(r"(`[^`\n]*`)")


def plain(text: str) -> str:
    """Leave out fences, the marks of headings and emphasis, and what only says that something is a link."""
    text = _HEADING.sub("", _FENCE.sub("", text))
    return "".join(part if part.startswith("`") else _without_marks(part) for part in _CODE.split(text))


def _without_marks(text: str) -> str:
    return _EMPHASIS.sub(r"\2", _LINK.sub(_linked, text))


def _linked(link: re.Match[str]) -> str:
    words, target = link.groups()
    return words if words == target else f"{words} ({target})"
