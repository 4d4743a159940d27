"""Whether a command may run unasked: prefixes allow narrowly and deny broadly; what is not plain asks. Pure."""

from collections.abc import Iterator, Sequence

from agent_lsp.approvals.options import RESERVED, SHELL_CHANGERS, WRAPPERS, option_problem
from agent_lsp.approvals.shell import Part, Script, Word, read_script
from agent_lsp.domain.approvals import Judgement, Segment, Verdict

_DEPTH_LIMIT = 4
_SEGMENT_LIMIT, _SEGMENT_SIZE = 100, 1_000
"""The user is shown the whole command besides; nested parts repeat each other's text."""
_OUTER = WRAPPERS | RESERVED | SHELL_CHANGERS
_EXEC_WORDS = {"-exec", "-execdir", "-ok", "-okdir"}
_INNER_SCRIPT_MARKS = frozenset(" \t\n;&|<>()$`")

Prefixes = Sequence[tuple[str, ...]]


def as_prefixes(rules: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Read rules as words; one without words matches nothing and is dropped."""
    return tuple(words for rule in rules if (words := tuple(rule.split())))


def judge_command(command: str, allowed: Prefixes, denied: Prefixes) -> Judgement:
    """Say what the two lists make of a command, part by part; one denied part denies the whole."""
    script = read_script(command)
    judged = [_judge_part(part, allowed, denied) for part in script.parts]
    shown = zip(script.parts[:_SEGMENT_LIMIT], judged, strict=False)
    segments = tuple(Segment(part.text[:_SEGMENT_SIZE], verdict.verdict) for part, verdict in shown)
    for verdict in (*judged, _judge_loose_words(script, denied)):
        if verdict.verdict is Verdict.DENY:
            return Judgement(Verdict.DENY, verdict.reason, segments)
    if script.problem:
        return Judgement(Verdict.ASK, f"Asked, since {script.problem}.", segments or _whole(command))
    if not script.parts:
        return Judgement(Verdict.ASK, "Asked, since there is nothing to run in it.", _whole(command))
    first_asking = next((verdict for verdict in judged if verdict.verdict is Verdict.ASK), None)
    return (
        Judgement(Verdict.ASK, first_asking.reason, segments)
        if first_asking
        else Judgement(Verdict.APPROVE, "", segments)
    )


def find_denied(command: str, denied: Prefixes) -> tuple[str, ...] | None:
    """The rule that denies some part of a command."""
    return _find_denied(read_script(command), denied, depth=0)


def is_clear(command: str) -> bool:
    """Whether every command word is there to be read, so that no denied one can hide."""
    script = read_script(command)
    return not script.loose_words and all(part.words and part.words[0].is_literal for part in script.parts)


def _whole(command: str) -> tuple[Segment, ...]:
    return (Segment(command, Verdict.ASK),)


def _judge_part(part: Part, allowed: Prefixes, denied: Prefixes) -> Judgement:
    deny, deny_length = _longest_denied(part, denied)
    allow_length = _longest_allowed(part, allowed)
    if deny is not None and deny_length >= allow_length:
        return Judgement(Verdict.DENY, f"`{part.text}` is denied by the rule `{' '.join(deny)}`.")
    if problem := _part_problem(part, allow_length):
        return Judgement(Verdict.ASK, f"Asked, since {problem}.")
    return Judgement(Verdict.APPROVE)


def _part_problem(part: Part, allow_length: int) -> str:
    if not part.words or not all(word.is_literal for word in (*part.assignments, *part.words)):
        return f"the words of `{part.text}` are not all there to be read"
    if part.words[0].has_glob:
        return f"`{part.words[0].text}` may be any program"
    if allow_length < 0:
        return f"`{part.text}` is not covered by an allowed command"
    if len(part.assignments) > allow_length:
        return "it sets a variable"
    return option_problem(part.words, max(allow_length - len(part.assignments), 1), is_fed=part.is_fed)


def _longest_allowed(part: Part, allowed: Prefixes) -> int:
    """How many words the longest matching prefix has; `*` has none and matches all, -1 is no match."""
    words = tuple(word.text for word in (*part.assignments, *part.words))
    lengths = [
        0 if prefix == ("*",) else len(prefix)
        for prefix in allowed
        if prefix == ("*",) or words[: len(prefix)] == prefix
    ]
    return max(lengths, default=-1)


def _longest_denied(part: Part, denied: Prefixes) -> tuple[tuple[str, ...] | None, int]:
    matching = [prefix for prefix in denied if _denies(prefix, part, depth=0)]
    if not matching:
        return None, -1
    longest = max(matching, key=_length)
    return longest, _length(longest)


def _length(prefix: tuple[str, ...]) -> int:
    return 0 if prefix == ("*",) else len(prefix)


def _judge_loose_words(script: Script, denied: Prefixes) -> Judgement:
    """Where the text could not be read right, a denied command anywhere in it counts."""
    words = [word.casefold() for word in script.loose_words]
    for prefix in denied:
        if any(_matches_from(prefix, words, start) for start in range(len(words))):
            return Judgement(Verdict.DENY, f"It holds what the rule `{' '.join(prefix)}` denies.")
    return Judgement(Verdict.APPROVE)


def _find_denied(script: Script, denied: Prefixes, depth: int) -> tuple[str, ...] | None:
    parts = (prefix for prefix in denied if any(_denies(prefix, part, depth) for part in script.parts))
    words = [word.casefold() for word in script.loose_words]
    loose = (prefix for prefix in denied if any(_matches_from(prefix, words, at) for at in range(len(words))))
    return next(parts, None) or next(loose, None)


def _denies(prefix: tuple[str, ...], part: Part, depth: int) -> bool:
    """Whether a denied command is run by a part, also through what wraps it."""
    words = [word.text.casefold() for word in part.words]
    if prefix == ("*",) or any(_matches_from(prefix, words, start) for start in _starts(part.words)):
        return True
    if depth >= _DEPTH_LIMIT or not _is_outer(part.words):
        return False
    return any(_find_denied(read_script(text), [prefix], depth + 1) is not None for text in _inner_scripts(part.words))


def _starts(words: Sequence[Word]) -> Iterator[int]:
    """Where in a part a command may begin."""
    yield 0
    if _is_outer(words):
        yield from range(1, len(words))
    yield from (place + 1 for place, word in enumerate(words) if word.text in _EXEC_WORDS)


def _is_outer(words: Sequence[Word]) -> bool:
    return bool(words) and (not words[0].is_literal or _base_name(words[0].text.casefold()) in _OUTER)


def _inner_scripts(words: Sequence[Word]) -> Iterator[str]:
    """Words that a shell may read as a script of their own."""
    yield from (word.text for word in words[1:] if word.is_literal and _INNER_SCRIPT_MARKS.intersection(word.text))


def _matches_from(prefix: tuple[str, ...], words: Sequence[str], start: int) -> bool:
    """Match a prefix to folded words, by base name first; options between the words, and their values, are skipped."""
    if start >= len(words):
        return False
    first, *others = (word.casefold() for word in prefix)
    if first not in (words[start], _base_name(words[start])):
        return False
    places = {start + 1}
    for wanted in others:
        places = {place + 1 for place in _past_options(words, places) if place < len(words) and words[place] == wanted}
    return bool(places)


def _past_options(words: Sequence[str], places: set[int]) -> set[int]:
    reached, waiting = set(places), list(places)
    while waiting:
        place = waiting.pop()
        if place < len(words) and words[place].startswith("-"):
            further = {place + 1, place + 2} - reached
            reached |= further
            waiting += further
    return reached


def _base_name(word: str) -> str:
    return word.rpartition("/")[2]
