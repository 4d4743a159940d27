"""Programs that run what their words say: where in the words the inner command stands. Pure.

An option that no table knows makes a wrapper unclear: then anything in its words may be the command.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent_lsp.approvals.shell.syntax import Word
from agent_lsp.approvals.wrapper_tables import (
    GROUPS,
    NAMESAKES,
    OTHERS,
    PLAIN,
    PLAIN_OR_SHELL,
    SHELLS,
    SUBCOMMANDS,
    UNCLEAR,
    WRAPPERS,
    Wrapper,
)


@dataclass(frozen=True, slots=True)
class Inner:
    """What a wrapper runs: ranges of its words, and words that are scripts of their own."""

    ranges: tuple[tuple[int, int], ...] = ()
    scripts: tuple[tuple[int, str], ...] = ()
    """Texts, each with the number of the word behind the last one that it was made of."""
    problem: str = ""
    """Why it is asked about, whatever it runs."""
    is_unclear: bool = False
    """Any of its words may begin what it runs."""
    gets_more: bool = False
    """Words from its input are added to what it runs."""
    placeholder: str = ""
    """Stands for text from elsewhere."""
    assignments: tuple[int, ...] = ()
    """The numbers of the words that set variables for what it runs."""


_ENDING = re.compile(r"(?<=.)\.(?:exe|cmd|bat|com)$")
_MOST_EXECS = 100
_SHELL_FLAGS = frozenset("efhnuvxaB")
_READ_BY_HAND = frozenset({"find", "fd", "eval", "trap"})
_TABLES = (SHELLS, WRAPPERS, OTHERS, UNCLEAR, SUBCOMMANDS, _READ_BY_HAND)
_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FD_EXEC = frozenset({"-x", "-X", "--exec", "--exec-batch"})


def base_name(word: str) -> str:
    """A program's name as tables have it: without its folders and a program's ending, in small letters."""
    return _ENDING.sub("", word.rpartition("/")[2].casefold())


def unwrap(words: Sequence[Word]) -> Inner | None:
    """Find what a command runs; None for one that is no wrapper."""
    name = base_name(words[0].text)
    name = NAMESAKES.get(name, name)
    if name in SHELLS:
        return _unwrap_shell(words)
    match name:
        case "find":
            return _unwrap_find(words)
        case "fd":
            return _unwrap_fd(words)
        case "eval":
            return _joined(words, 1, Inner(problem="`eval` reads its words as a script"))
        case "trap":
            return _unwrap_trap(words)
        case _:
            return _unwrap_by_table(name, words)


def may_wrap(program: str) -> bool:
    """Whether a program is one that runs others, in some way or other."""
    name = base_name(program)
    name = NAMESAKES.get(name, name)
    return any(name in table for table in _TABLES)


def _unwrap_by_table(name: str, words: Sequence[Word]) -> Inner | None:
    if name in UNCLEAR:
        return _unclear(words[0])
    if name == "git":
        return _unwrap_git(words)
    if name in SUBCOMMANDS:
        return _unwrap_subcommand(name, words)
    if name in WRAPPERS:
        return _Reading(words, WRAPPERS[name], 1).inner()
    return _Reading(words, PLAIN_OR_SHELL, 1).inner() if name in OTHERS else None


def _unwrap_git(words: Sequence[Word]) -> Inner | None:
    for at in range(1, min(len(words) - 1, 9)):
        if wrapper := WRAPPERS.get(f"git {words[at].text} {words[at + 1].text}"):
            return _Reading(words, wrapper, at + 2).inner()
    return None


def _unwrap_subcommand(name: str, words: Sequence[Word]) -> Inner | None:
    at = _place_of_subcommand(words, SUBCOMMANDS[name])
    if not at:
        return None
    wrapper = WRAPPERS.get(f"{name} {words[at].text}", PLAIN)
    return _Reading(words, wrapper, at + 1).inner() if at == 1 else _unclear(words[0])


def _place_of_subcommand(words: Sequence[Word], subcommands: frozenset[str]) -> int:
    """Where a subcommand stands that runs something; options and groups before it may have values. 0 for nowhere."""
    if len(words) < 2 or not (words[1].text in subcommands | GROUPS or words[1].text.startswith(("-", "+"))):
        return 0
    return next((at for at, word in enumerate(words[:8]) if at and word.text in subcommands), 0)


class _Reading:
    """Reads a wrapper's own words, from the left."""

    def __init__(self, words: Sequence[Word], wrapper: Wrapper, start: int) -> None:
        self._words, self._wrapper, self._at = words, wrapper, start
        self._long = {name.partition("=")[0]: "=" in name for name in wrapper.long.split()}
        self._script_options = set(wrapper.script.split())
        self._placeholder = ""
        self._is_idle = False
        self._assignments: list[int] = []

    def inner(self) -> Inner:
        try:
            scripts = self._read_options() or self._read_operands()
        except _UnknownWordError:
            return _unclear(self._words[0])
        if scripts is not None:
            return replace(scripts, assignments=tuple(self._assignments))
        found = Inner(
            gets_more=self._wrapper.gets_more, placeholder=self._placeholder, assignments=tuple(self._assignments)
        )
        if self._at >= len(self._words):
            return _unclear(self._words[0]) if self._wrapper.is_shell and not self._is_idle else found
        if self._wrapper.joins and not self._is_idle:
            return _joined(self._words, self._at, found)
        ranges = () if self._is_idle else ((self._at, len(self._words)),)
        return replace(found, ranges=ranges)

    def _read_options(self) -> Inner | None:
        while self._at < len(self._words):
            text = self._literal()
            if text == "--":
                self._at += 1
                return None
            if text == "-" and self._wrapper.takes_dash:
                self._at += 1
            elif text.startswith("-") and len(text) > 1:
                if script := self._read_option(text):
                    return script
            elif self._wrapper.takes_assignments and "=" in text:
                self._assignments.append(self._at)
                self._at += 1
            else:
                return None
        return None

    def _read_operands(self) -> Inner | None:
        ends = [at for at, word in enumerate(self._words) if word.text == "--"]
        if self._wrapper.ends_operands and ends:
            self._at = ends[0] + 1
            return None
        for _ in range(self._wrapper.operands):
            if self._at < len(self._words):
                self._literal()
                self._at += 1
        if self._wrapper.operands and self._at < len(self._words):
            text = self._literal()
            if self._script_of(text):
                return self._script(self._at + 1)
            if text == "--":
                self._at += 1
            elif text.startswith("-"):
                raise _UnknownWordError
        return None

    def _read_option(self, text: str) -> Inner | None:
        if self._script_of(text):
            return self._script(self._at + 1)
        if text.startswith("--"):
            name, has_value, value = text[2:].partition("=")
            if name not in self._long or (has_value and not self._long[name]):
                raise _UnknownWordError
            self._note_placeholder(name, value)
            self._at += 2 if self._long[name] and not has_value else 1
        else:
            self._read_letters(text[1:])
        return None

    def _read_letters(self, letters: str) -> None:
        self._at += 1
        if self._wrapper.takes_numbers and letters.isdigit():
            return
        for number, letter in enumerate(letters):
            if letter in self._wrapper.idle:
                self._is_idle = True
            elif letter in self._wrapper.valued:
                value = letters[number + 1 :]
                if not value and self._at < len(self._words):
                    value = self._literal()
                    self._at += 1
                self._note_placeholder(letter, value)
                return
            elif letter not in self._wrapper.flags:
                raise _UnknownWordError

    def _note_placeholder(self, option: str, value: str) -> None:
        if self._wrapper.gets_more and option in ("I", "J", "replace"):
            self._placeholder = value or "{}"

    def _script_of(self, text: str) -> bool:
        return text.startswith("-") and text.lstrip("-") in self._script_options

    def _script(self, at: int) -> Inner:
        if at >= len(self._words):
            raise _UnknownWordError
        return _script_at(self._words, at, Inner())

    def _literal(self) -> str:
        word = self._words[self._at]
        if not word.is_literal:
            raise _UnknownWordError
        return word.text


class _UnknownWordError(Exception):
    """A wrapper has a word that may mean anything."""


def _unclear(program: Word) -> Inner:
    return Inner(problem=f"it is not certain what `{program.text}` runs", is_unclear=True)


def _script_at(words: Sequence[Word], at: int, rest: Inner) -> Inner:
    if not words[at].is_literal:
        return Inner(problem=f"the script that `{words[0].text}` runs is not all there to be read", is_unclear=True)
    return replace(rest, scripts=((at + 1, words[at].text),))


def _joined(words: Sequence[Word], start: int, rest: Inner) -> Inner:
    """A wrapper that joins its words to a script."""
    while start < len(words) and words[start].text == "--":
        start += 1
    if not all(word.is_literal for word in words[start:]):
        return _unclear(words[0])
    return replace(rest, scripts=((len(words), " ".join(word.text for word in words[start:])),))


def _unwrap_shell(words: Sequence[Word]) -> Inner | None:
    at = 1
    while at < len(words) and words[at].text[:1] in ("-", "+") and len(words[at].text) > 1:
        letters = words[at].text[1:]
        if not words[at].is_literal or words[at].text.startswith("--"):
            is_harmless = words[at].text in ("--norc", "--noprofile", "--posix", "--verbose")
            if not is_harmless:
                return _unclear(words[0])
        elif "c" in letters:
            strange = set(letters) - _SHELL_FLAGS - {"c", "l"}
            problem = "its options change how the script is run" if strange or "l" in letters else ""
            at = at + 1 + (at + 1 < len(words) and words[at + 1].text == "--")
            return _script_at(words, at, Inner(problem=problem)) if at < len(words) else _unclear(words[0])
        elif letters[-1] == "o" and set(letters[:-1]) <= _SHELL_FLAGS and _is_strict(words[at + 1 : at + 2]):
            at += 1
        elif set(letters) - _SHELL_FLAGS:
            return _unclear(words[0])
        at += 1
    if at >= len(words) or not words[at].is_literal or words[at].text.startswith(("-", "/dev/", "/proc/")):
        return Inner(problem=f"`{words[0].text}` gets its script from elsewhere", is_unclear=True)
    return None


def _is_strict(values: Sequence[Word]) -> bool:
    """Whether the value of `-o` only makes a shell stop sooner."""
    return any(word.is_literal and word.text in ("pipefail", "errexit", "nounset", "noclobber") for word in values)


def _unwrap_find(words: Sequence[Word]) -> Inner | None:
    starts = [at + 1 for at, word in enumerate(words) if word.text in _FIND_EXEC]
    if not starts:
        return None
    if len(starts) > _MOST_EXECS:
        return _unclear(words[0])
    ends = [_end_of_exec(words, start) for start in starts]
    if any(start >= end for start, end in zip(starts, ends, strict=True)):
        return _unclear(words[0])
    return Inner(tuple(zip(starts, ends, strict=True)), placeholder="{}")


def _end_of_exec(words: Sequence[Word], start: int) -> int:
    for at in range(start, len(words)):
        if words[at].text == ";" or (words[at].text == "+" and words[at - 1].text == "{}"):
            return at
    return 0


def _unwrap_fd(words: Sequence[Word]) -> Inner | None:
    start = next((at + 1 for at, word in enumerate(words) if word.text.partition("=")[0] in _FD_EXEC), 0)
    if not start:
        return None
    if start >= len(words) or "=" in words[start - 1].text:
        return _unclear(words[0])
    end = next((at for at in range(start, len(words)) if words[at].text == ";"), len(words))
    return Inner(((start, end),), gets_more=True, placeholder="{}")


def _unwrap_trap(words: Sequence[Word]) -> Inner | None:
    at = 2 if len(words) > 1 and words[1].text == "--" else 1
    return _script_at(words, at, Inner(problem="`trap` runs its script later")) if at < len(words) else None
