"""Rules as words, and which of them a command begins with: narrowly to allow, broadly to deny. Pure."""

from collections.abc import Iterator, Sequence

from agent_lsp.approvals.shell.syntax import Word
from agent_lsp.approvals.wrappers import base_name

Prefix = tuple[str, ...]
Prefixes = Sequence[Prefix]

_ANYTHING = ("*",)


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
    if first not in (words[start], base_name(words[start])):
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
            further = {place + 1, place + 2} - reached
            reached |= further
            waiting += further
    return reached
