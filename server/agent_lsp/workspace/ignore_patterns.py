"""Patterns of ignore files in time that grows with the path and no faster: a repository's lines must stall nobody.

Works on the regular expressions that the library makes of them, which try every way to share a path among the stars.
Of two stars the first may as well take as little as it can: what is left, the second one takes. So it need not be tried
anew. And a class of characters never means the slash, as git has it.
"""

import re

_CLASS = re.compile(r"(?<!\\)\[(?!\^/\])")
_STAR = r"\[\^/\]\*"
_ONE_CHARACTER = r"(?:\\.|(?:\(\?!/\))?\[\^?\]?(?:\\.|[^\]\\])*\](?![*+])|[^\\/\[\](){}*+?.^$|])"
_STAR_BEFORE_ANOTHER = re.compile(rf"{_STAR}({_ONE_CHARACTER}*)(?={_STAR})")
_FROM_ANYWHERE, _AT_ANY_DEPTH = "(?:.+/)?", "(?:/.+)?/"
_DEPTHS = re.compile(f"({re.escape(_FROM_ANYWHERE)}|{re.escape(_AT_ANY_DEPTH)})")
_SHORTEST = {_FROM_ANYWHERE: "(?:.+?/)??", _AT_ANY_DEPTH: "(?:/.+?)??/"}


def in_linear_time(expression: str) -> str:
    """Rewrite the expression of one pattern; it matches the same paths."""
    text = _STAR_BEFORE_ANOTHER.sub(r"(?>[^/]*?\1)", _CLASS.sub("(?!/)[", expression))
    first, *rest = _DEPTHS.split(text)
    pieces = list(zip(rest[::2], rest[1::2], strict=True))
    shortest = [f"(?>{_SHORTEST[depth]}{piece}(?=/))" for depth, piece in pieces[:-1]]
    return first + "".join(shortest) + "".join("".join(pair) for pair in pieces[-1:])
