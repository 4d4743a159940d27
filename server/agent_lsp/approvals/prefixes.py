"""Rules as words, and which of them a command begins with: narrowly to allow, broadly to deny. Pure."""

import re
from collections.abc import Iterator, Sequence

from agent_lsp.approvals.shell.syntax import Word
from agent_lsp.approvals.wrappers import base_name

Prefix = tuple[str, ...]
Prefixes = Sequence[Prefix]

_ANYTHING = ("*",)
_FLAGS = frozenset({"--no-pager", "--paginate", "--bare", "--no-optional-locks", "--silent", "--quiet"})
"""Options without a value in every program that has subcommands; any other may have one."""
_VERSIONED = re.compile(r"(python|pip|pypy|perl|ruby|php|lua|node|gcc|g\+\+|clang|clang\+\+)-?[0-9][0-9.]*")
_OF_MODULE = re.compile(r"-[bdehiopqsuvx0-9.]*m(.*)")
_PYTHONS = ("python", "pypy", "py")


def as_prefixes(rules: Sequence[str]) -> tuple[Prefix, ...]:
    """Read rules as words; one without words matches nothing and is dropped."""
    return tuple(words for rule in rules if (words := tuple(rule.split())))


def length_of(prefix: Prefix) -> int:
    """How much a match counts: its words, and nothing where the rule is `*`."""
    return 0 if prefix == _ANYTHING else len(prefix)


def longest_allowed(words: Sequence[Word], starts: Sequence[int], allowed: Prefixes) -> int:
    """How many words a rule covers of the command that begins at the last of the starts; -1 where none does.

    The starts before it are those of the wrappers around it: a rule for one of these may reach past it.
    """
    own = starts[-1]
    longest = -1
    for prefix in allowed:
        if prefix == _ANYTHING:
            longest = max(longest, 0)
            continue
        for start in starts:
            if _begins_with(words, start, prefix) and start + len(prefix) > own:
                longest = max(longest, start + len(prefix) - own)
    return longest


def denying(words: Sequence[str], denied: Prefixes) -> Iterator[Prefix]:
    """The rules that deny a command, which is given in small letters; options between the words are seen through."""
    for prefix in denied:
        if prefix == _ANYTHING or _matches(prefix, words, 0):
            yield prefix


def denying_by_other_names(words: Sequence[str], denied: Prefixes, covered: int) -> Iterator[Prefix]:
    """The rules that deny a program without its version or between others: `pip3`, `python -m pip`, `uv pip` are pip.

    What a rule allows by the very name that was given, no shorter rule denies by another.
    """
    name = base_name(words[0]) if words else ""
    plain = match[1] if (match := _VERSIONED.fullmatch(name)) else "python" if name == "py" else name
    if plain != name:
        yield from _longer(denying((plain, *words[1:]), denied), covered)
    if plain in _PYTHONS and (start := _place_of_module(words)) < len(words):
        module = words[start].partition("m")[2] if words[start].startswith("-") else words[start]
        yield from _longer(denying((module, *words[start + 1 :]), denied), covered - start)
    if name == "uv" and "pip" in words[1:4]:
        yield from _longer(denying(words[words.index("pip") :], denied), covered - 1)
    if name in ("docker", "podman") and "container" in words[1:6]:
        rest = tuple(word for word in words if word != "container")
        yield from _longer(denying(rest, denied), covered)


def _longer(prefixes: Iterator[Prefix], covered: int) -> Iterator[Prefix]:
    return (prefix for prefix in prefixes if length_of(prefix) > covered)


def _place_of_module(words: Sequence[str]) -> int:
    """Where the module stands that Python is told to run, alone or in an option; their number for nowhere."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if match := _OF_MODULE.fullmatch(words[at]):
            return at if match[1] else at + 1
        has_value = words[at] in ("-w", "-x") and not "".join(words[at + 1 : at + 2]).startswith("-")
        at += 2 if has_value else 1
    return len(words)


def denying_anywhere(words: Sequence[str], denied: Prefixes) -> Iterator[Prefix]:
    """The rules that deny a command that begins at any of the words."""
    for prefix in denied:
        if prefix == _ANYTHING or any(_matches(prefix, words, start) for start in range(len(words))):
            yield prefix


def _begins_with(words: Sequence[Word], start: int, prefix: Prefix) -> bool:
    if start + len(prefix) > len(words) or words[start].text != prefix[0]:
        return False
    pairs = zip(words[start:], prefix, strict=False)
    return all(word.text == wanted and word.is_literal for word, wanted in pairs) and not words[start].is_spelled


def _matches(prefix: Prefix, words: Sequence[str], start: int) -> bool:
    """Match by base name first; options between the words, and their values, are skipped."""
    if start >= len(words):
        return False
    first, *others = (word.casefold() for word in prefix)
    if first not in (words[start], words[start].rpartition("/")[2], base_name(words[start])):
        return False
    places = {start + 1}
    for wanted in others:
        places = {place + 1 for place in _past_options(words, places) if place < len(words) and words[place] == wanted}
    return bool(places)


def _past_options(words: Sequence[str], places: set[int]) -> set[int]:
    reached, waiting = set(places), list(places)
    while waiting:
        place = waiting.pop()
        if place < len(words) and words[place].startswith(("-", "+")):
            further = ({place + 1} if words[place] in _FLAGS else {place + 1, place + 2}) - reached
            reached |= further
            waiting += further
    return reached
