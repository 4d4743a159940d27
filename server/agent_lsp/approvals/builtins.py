"""Bash's builtins that evaluate text, set variables, leave the folder or change what later words mean. Pure."""

import re
from collections.abc import Sequence

from agent_lsp.approvals.shell.syntax import OPEN, Word
from agent_lsp.approvals.tables import words_of

_CHANGERS = words_of(
    """eval source . exec trap alias unalias enable shopt set unset complete compopt compgen bind fc history disown
    suspend ulimit umask"""
)
_ASSIGNERS = words_of("export declare typeset local readonly read mapfile readarray getopts let")
_WITH_LETTERS = {"hash": "pld", "wait": "p", "jobs": "x"}
BUILTINS = _CHANGERS | _ASSIGNERS | _WITH_LETTERS.keys() | {"cd", "pushd", "printf", "test", "[", "[["}


def builtin_problem(name: str, words: Sequence[Word], named: int) -> str:
    """Why a builtin has to be asked about; `named` of its words stand in a rule."""
    if name in _CHANGERS:
        return f"`{name}` changes what the shell does next"
    if name in _ASSIGNERS:
        return "" if named >= len(words) > 1 else f"`{name}` sets a variable"
    match name:
        case "cd" | "pushd":
            return "" if _stays_below(words[1:]) else "it leaves the folder"
        case "printf":
            option = words[1] if len(words) > 1 else Word("")
            is_named = named > 2 or (named == 2 and option.text not in ("-v", "--"))
            sets = option.text.startswith("-v") or option.may_be_option
            return "`printf -v` sets a variable" if sets and not is_named else ""
        case "test" | "[":
            if name == "[" and words[-1].text != "]":
                return "`[` has no end"
            return "" if named >= len(words) > 1 else _test_problem(words[1:])
        case "[[":
            return ""
        case _:
            letters = _WITH_LETTERS[name]
            changes = any(word.text[:1] == "-" and set(letters) & set(word.text) for word in words)
            is_plain = named >= len(words) or (not changes and all_literal(words))
            return "" if is_plain else f"`{name}` changes what the shell does next"


def all_literal(words: Sequence[Word]) -> bool:
    return all(word.is_literal for word in words)


def _test_problem(words: Sequence[Word]) -> str:
    if any(word.text in ("-v", "-R") for word in words):
        return "`test -v` evaluates what it looks up"
    if any(OPEN in word.outline for word in words):
        return "what is filled in may become more than one word of the test"
    return ""


def _stays_below(words: Sequence[Word]) -> bool:
    """Whether `cd` is given one place that is below the current folder, as far as its name says."""
    path = _destination(words)
    return bool(path) and path[0] not in "/-~+" and not _climbs(path)


def goes_into(words: Sequence[Word], folders: Sequence[str]) -> bool:
    """Whether a command is a `cd` that names, by its whole path, one of these folders or a place below."""
    path = _destination(words[1:]) if words[0].text in ("cd", "pushd") else ""
    return any(
        path == folder or (path.startswith(f"{folder}/") and not _climbs(path[len(folder) :])) for folder in folders
    )


def comes_back(words: Sequence[Word], moves: Sequence[Sequence[Word]]) -> bool:
    """Whether a `cd` that climbs gets no higher than where others in front of it began, which led down for certain."""
    depth = 0
    for move in moves:
        path = _destination(move[1:]) if len(move) == 2 else ""
        depth = _depth_behind(path, depth) if path and path[0] not in "/-~+" else 0
        depth = max(depth, 0)
    path = _destination(words[1:]) if words[0].text == "cd" and len(words) == 2 else ""
    return bool(path) and path[0] not in "/-~+" and _depth_behind(path, depth) >= 0


def _destination(words: Sequence[Word]) -> str:
    """The one place that `cd` is given; nothing where there may be another.

    Where links are seen through, `..` may lead anywhere; a name with an option in it would come back as `$PWD`.
    """
    operands = [word for word in words if word.text not in ("-P", "-L", "-e", "-@", "--")]
    if len(operands) != 1 or not operands[0].is_literal:
        return ""
    path = operands[0].text
    is_strange = re.search(r"\s-", path) or (".." in path and any(word.text == "-P" for word in words))
    return "" if is_strange else path


def _climbs(path: str) -> bool:
    return _depth_behind(path, 0) < 0


def _depth_behind(path: str, depth: int) -> int:
    """How deep a path leads, seen from some depth; less than nothing where it gets above that on its way."""
    for part in path.split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return depth
    return depth
