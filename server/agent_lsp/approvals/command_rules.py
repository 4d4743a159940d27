"""Whether a command may run unasked: prefixes allow narrowly and deny broadly; what is not plain asks. Pure."""

from collections.abc import Iterator, Sequence

from agent_lsp.approvals.builtins import comes_back, goes_into
from agent_lsp.approvals.hidden import hidden_scripts, scripts_fed
from agent_lsp.approvals.options import option_problem
from agent_lsp.approvals.prefixes import (
    Prefix,
    Prefixes,
    as_prefixes,
    denying,
    denying_anywhere,
    denying_by_other_names,
    length_of,
    longest_allowed,
)
from agent_lsp.approvals.runs import Run, runs_of
from agent_lsp.approvals.shell.reading import loose_commands, read_script
from agent_lsp.approvals.shell.syntax import Script
from agent_lsp.approvals.wrappers import may_wrap
from agent_lsp.domain.approvals import Judgement, Segment, Verdict

__all__ = ["Prefixes", "as_prefixes", "is_clear", "judge_command", "judge_parts"]

_HIDDEN_DEPTH = 4
_SEGMENT_LIMIT, _SEGMENT_SIZE = 100, 1_000
"""The user is shown the whole command besides; nested parts repeat each other's text."""
_STRICTNESS = {Verdict.APPROVE: 0, Verdict.ASK: 1, Verdict.DENY: 2}


def judge_command(command: str, allowed: Prefixes, denied: Prefixes, folders: Sequence[str] = ()) -> Judgement:
    """Say what the two lists make of a command; one denied part denies the whole.

    `folders` are those of the workspace, which a command may enter by their whole paths.
    """
    parts = judge_parts(command, allowed, denied, folders)
    strictest = max((found for _, found in parts), key=lambda found: _STRICTNESS[found.verdict])
    shown = [(text, found) for text, found in parts if text][:_SEGMENT_LIMIT]
    segments = tuple(Segment(text[:_SEGMENT_SIZE], found.verdict) for text, found in shown)
    return Judgement(strictest.verdict, strictest.reason, segments or (Segment(command, strictest.verdict),))


def judge_parts(
    command: str, allowed: Prefixes, denied: Prefixes, folders: Sequence[str] = ()
) -> list[tuple[str, Judgement]]:
    """Judge a command part by part; what speaks against the whole has no text and comes first. At least one entry."""
    script = read_script(command)
    runs = list(runs_of(script))
    parts = [(run.text, _judge_run(run, allowed, denied, folders)) for run in runs]
    problem = script.problems[0] if script.problems else "" if parts else "there is nothing to run in it"
    whole = [("", Judgement(Verdict.ASK, _asked(problem)))] if problem else []
    if denied and (rule := next(_denying_elsewhere(command, script, runs, denied), None)):
        whole = [("", Judgement(Verdict.DENY, f"It holds what the rule `{' '.join(rule)}` denies."))]
    return whole + parts


def is_clear(command: str) -> bool:
    """Whether every command word is there to be read, so that no denied one can hide."""
    script = read_script(command)
    return not script.is_broken and all(_is_clear(run) for run in runs_of(script))


def _is_clear(run: Run) -> bool:
    return not run.words or (run.words[0].is_literal and not run.is_unclear)


def _asked(problem: str) -> str:
    return f"Asked, since {problem}."


def _judge_run(run: Run, allowed: Prefixes, denied: Prefixes, folders: Sequence[str]) -> Judgement:
    covered = _covered(run, allowed)
    if denied and (rule := _decisive(run, covered, denied)):
        return Judgement(Verdict.DENY, f"`{run.text}` is denied by the rule `{' '.join(rule)}`.")
    if problem := run.problem or _problem(run, covered, folders):
        return Judgement(Verdict.ASK, _asked(problem))
    return Judgement(Verdict.APPROVE)


def _covered(run: Run, allowed: Prefixes) -> int:
    """How many of its words a rule names; all of them where the rule for a wrapper names the script it stands in."""
    outer = run.outer
    if outer and longest_allowed(outer.all_words, outer.starts, allowed) >= run.reach:
        return len(run.all_words)
    return longest_allowed(run.all_words, run.starts, allowed)


def _decisive(run: Run, covered: int, denied: Prefixes) -> Prefix | None:
    longest = max(_denying_run(run, denied), key=length_of, default=None)
    if longest is not None and length_of(longest) >= covered:
        return longest
    if other := next(denying_by_other_names(run.folded, denied, covered - run.assignments), None):
        return other
    return next(_denying_inside(run, denied, depth=0), None)


def _problem(run: Run, covered: int, folders: Sequence[str]) -> str:
    if covered < 0:
        return f"`{run.text}` is not covered by an allowed command"
    named = max(covered - run.assignments, 1)
    if run.assignments > covered:
        return "it sets a variable"
    if not run.words or goes_into(run.words, folders) or (run.moves and comes_back(run.words, run.moves)):
        return ""
    first, inner = run.words[0], run.inner
    if not first.text or not first.is_literal or first.is_spelled or (not first.text.isascii() and not covered):
        return f"`{first.text}` may be any program"
    if inner and inner.problem:
        return inner.problem
    if inner and any(number >= named for number in inner.assignments):
        return "it sets a variable"
    return option_problem(run.words, named, is_fed=run.is_fed)


def _denying_script(command: str, denied: Prefixes, depth: int) -> Iterator[Prefix]:
    script = read_script(command)
    runs = list(runs_of(script))
    for run in runs:
        yield from _denying_run(run, denied)
        yield from denying_by_other_names(run.folded, denied, covered=0)
        yield from _denying_inside(run, denied, depth)
    yield from _denying_elsewhere(command, script, runs, denied)


def _denying_run(run: Run, denied: Prefixes) -> Iterator[Prefix]:
    """The rules that deny a command by its words, the assignments in front of them seen through or named."""
    yield from denying(run.folded, denied)
    if run.assignments:
        yield from denying([word.text.casefold() for word in (*run.assignments_in_front, *run.words)], denied)


def _denying_elsewhere(command: str, script: Script, runs: Sequence[Run], denied: Prefixes) -> Iterator[Prefix]:
    """The rules that deny what may be run though no part says so."""
    texts = [command] if script.is_broken else []
    for text in (*texts, *scripts_fed(runs)):
        yield from _denying_loosely(text, denied)


def _denying_inside(run: Run, denied: Prefixes, depth: int) -> Iterator[Prefix]:
    """The rules that deny what may be run somewhere in the words of a command, or in its input."""
    if run.is_unclear:
        yield from denying_anywhere(run.folded[1:], denied)
    for text in hidden_scripts(run):
        if run.words and depth < _HIDDEN_DEPTH:
            yield from _denying_script(text, denied, depth + 1)
        else:
            yield from _denying_loosely(text, denied)


def _denying_loosely(command: str, denied: Prefixes) -> Iterator[Prefix]:
    if not denied:
        return
    for words in loose_commands(command):
        yield from (denying_anywhere if may_wrap(words[0]) else denying)(words, denied)
