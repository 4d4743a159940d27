"""Whether the words of a command that no rule names make its program do more than its plain use. Pure."""

import re
from collections.abc import Sequence

from agent_lsp.approvals.builtins import BUILTINS, builtin_problem
from agent_lsp.approvals.git_options import git_problem
from agent_lsp.approvals.option_tables import PROGRAMS, Options
from agent_lsp.approvals.program_kinds import (
    ALIASES,
    ALWAYS_ASKING,
    FINE_NAMES,
    HARMLESS,
    INTERPRETERS,
    RISKY_FIRST_WORDS,
    RISKY_LETTERS,
    RISKY_NAMES,
)
from agent_lsp.approvals.project_programs import PROJECT_PROGRAMS
from agent_lsp.approvals.shell.syntax import Word
from agent_lsp.approvals.text_programs import awk_problem, sed_problem
from agent_lsp.approvals.wrapper_tables import SHELLS
from agent_lsp.approvals.wrappers import base_name, may_wrap, unwrap

_VERSION = re.compile(r"[0-9.]+$")
_IDLE = frozenset({"--version", "-V", "-v", "--help", "-h", "-version", "--info", "--test"})
"""Options with which an interpreter needs no program. What none of them knows has been refused before."""
_PATH = re.compile(r"(?!-)[\w./-]*[./][\w./-]*")
_TASK_RUNNERS = frozenset({"manage.py", "artisan"})
"""Scripts of frameworks, which an interpreter runs and which run code that their words give them."""
_INPUT = re.compile(r"-|/+(dev|proc)/.*|(.*/)?\.\./(.*/)?(dev/(stdin|fd/)|proc/).*")
"""What names an input rather than a file with a program."""
_TAR = Options(
    "IFPTC",
    "bfgKLNVX",
    "checkpoint-action to-command use-compress-program info-script new-volume-script rsh-command rmt-command"
    " absolute-names files-from remove-files directory one-top-level listed-incremental volno-file index-file"
    " transform xform recursive-unlink",
    fine=r"--(list|create|file(=[^:]*)?)|(-C|--directory)[ =](?!.*\.\.)[\w.][\w./-]*",
)


def option_problem(words: Sequence[Word], named: int, *, is_fed: bool) -> str:
    """Why a part whose first `named` words a rule names still has to be asked about; else nothing."""
    dashed = next((word.text for word in words[named:] if word.text.startswith("-") and word.has_glob), None)
    if dashed:
        return f"`{dashed}` may become any option"
    name = base_name(words[0].text)
    name = ALIASES.get(name, name)
    if name in BUILTINS:
        return builtin_problem(name, words, named)
    if (interpreter := _interpreter(name)) is not None:
        return _interpreter_problem(interpreter, words, named, is_fed=is_fed)
    return _program_problem(name, words, named)


def _program_problem(name: str, words: Sequence[Word], named: int) -> str:
    match name:
        case "git":
            return git_problem(words, named)
        case "sed" | "gsed":
            return sed_problem(words, named)
        case "awk" | "gawk" | "mawk" | "nawk":
            return awk_problem(words, named)
        case "tar" | "gtar" | "bsdtar":
            return _tar_problem(words, named)
        case "find":
            rest = (word for word in words[named:] if not _is_no_primary(word))
            return _problem_by_table(name, (*words[:named], *rest), named)
        case _:
            return _problem_by_table(name, words, named)


def _problem_by_table(name: str, words: Sequence[Word], named: int) -> str:
    if name in ALWAYS_ASKING:
        if named >= len(words) > 1 or _only_tells_of_itself(words):
            return ""
        return f"`{name}` runs, writes or sends what its words or files say"
    if name in HARMLESS or name in SHELLS:
        return ""
    table = PROGRAMS.get(name) or PROJECT_PROGRAMS.get(name)
    if table is None and may_wrap(name):
        return ""
    own = words[: _own_words(words)]
    risky = _risky_by_name(own, named) if table is None else _risky_by_table(table, own, named)
    return f"`{risky}` may make `{name}` do more than it does by itself" if risky else ""


def _only_tells_of_itself(words: Sequence[Word]) -> bool:
    return len(words) == 2 and words[1].is_literal and words[1].text in ("--version", "--help")


def _is_no_primary(word: Word) -> bool:
    """Whether a pattern for names can match none that `find` takes for an option: those are letters and a dash."""
    return word.has_glob and not word.is_filled_in and not word.text.startswith("-") and "." in word.outline


def _own_words(words: Sequence[Word]) -> int:
    """How many of a program's words are not those of a command that it runs."""
    inner = unwrap(words)
    starts = [start for start, _ in inner.ranges] if inner else []
    return min(starts, default=len(words))


def _risky_by_name(words: Sequence[Word], named: int) -> str:
    if named < len(words) and named == 1 and words[1].text in RISKY_FIRST_WORDS:
        return words[1].text
    for word in words[named:]:
        text = word.text
        if word.may_be_option or text.startswith("@") or (text[:1] == "-" and text[1:2] in RISKY_LETTERS):
            return text
        if text.partition("=")[0] in FINE_NAMES:
            continue
        if text.startswith("-") and RISKY_NAMES.intersection(re.split(r"[-=_.]", text.casefold())):
            return text
    return ""


def _risky_by_table(table: Options, words: Sequence[Word], named: int) -> str:
    if table.subcommands and (unknown := _unknown_subcommand(table, words, named)):
        return unknown
    ends_at = next((at for at, word in enumerate(words) if word.text == "--"), len(words))
    operands, is_first = 0, True
    for at, word in enumerate(words[1:], 1):
        if _is_fine(words, at, table):
            continue
        text = word.text
        is_operand = at > ends_at or text == "-" or not text.startswith("-")
        operands += is_operand
        if table.first and is_first and is_operand:
            if at >= named and re.fullmatch(table.first, text):
                return text
            # What follows an option may be its value.
            is_first = words[at - 1].text.startswith("-")
        is_one_too_many = table.operands == operands > 0
        is_risky = _is_risky(word, table, is_operand=at > ends_at) and not _is_value_of_named(words, at, named, table)
        if at >= named and (is_risky or is_one_too_many):
            return text
    return ""


def _is_fine(words: Sequence[Word], at: int, table: Options) -> bool:
    """Whether a word is harmless for certain: by itself, with its value, or as such a value."""
    if not table.fine:
        return False
    near = (words[at : at + 1], words[at : at + 2], words[max(at - 1, 0) : at + 1])
    return any(
        all(word.is_literal for word in taken) and re.fullmatch(table.fine, " ".join(word.text for word in taken))
        for taken in near
    )


def _is_value_of_named(words: Sequence[Word], at: int, named: int, table: Options) -> bool:
    """Whether a word is the path that follows an option that a rule ends with, one that asks where no rule names it."""
    option, word = words[at - 1], words[at]
    is_option = at == named > 1 and option.text.startswith("-") and _is_risky(option, table, is_operand=False)
    return is_option and word.is_literal and bool(_PATH.fullmatch(word.text))


def _unknown_subcommand(table: Options, words: Sequence[Word], named: int) -> str:
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if len(words[at].text) == 2 and words[at].text[1] in table.valued else 1
    if at >= len(words) or at < named or words[at].text in table.subcommands.split():
        return ""
    return words[at].text


def _is_risky(word: Word, table: Options, *, is_operand: bool) -> bool:
    text = word.text
    if table.words and re.fullmatch(table.words, text):
        return True
    if is_operand:
        return False
    if word.may_be_option:
        return True
    if text.startswith("--"):
        return any(may_mean(text[2:].partition("=")[0], name) for name in table.long.split())
    return text.startswith("-") and _has_letter(text[1:], table)


def _has_letter(letters: str, table: Options) -> bool:
    for letter in letters:
        if letter in table.short:
            return True
        if letter in table.valued:
            return False
    return False


def may_mean(given: str, name: str) -> bool:
    """Whether a long option, which may be cut short, means a name; `name*` is a family of them."""
    if name.endswith("*") and given.startswith(name[:-1]):
        return True
    return bool(given) and name.rstrip("*").startswith(given)


def _tar_problem(words: Sequence[Word], named: int) -> str:
    bundle = words[1].text if len(words) > 1 else ""
    if named <= 1 and not bundle.startswith("-") and set(bundle) & set(_TAR.short):
        return f"`{bundle}` may make `tar` do more than it does by itself"
    if remote := next((word.text for word in words[named:] if re.match(r"(-\w*f|--file=)?[\w.@-]+:", word.text)), ""):
        return f"`{remote}` is an archive elsewhere"
    risky = _risky_by_table(_TAR, words, named)
    return f"`{risky}` may make `tar` do more than it does by itself" if risky else ""


def _interpreter(name: str) -> Options | None:
    return INTERPRETERS.get(name) or INTERPRETERS.get(_VERSION.sub("", name))


def _interpreter_problem(table: Options, words: Sequence[Word], named: int, *, is_fed: bool) -> str:
    """An interpreter is harmless where its program is a file that is named, and no option brings other code."""
    at = 1
    while at < len(words) and words[at].text.startswith("-") and not _INPUT.fullmatch(words[at].text):
        text = words[at].text
        if not _is_harmless(text, table):
            if at >= named:
                return f"`{text}` may bring `{words[0].text}` a program"
            return _module_problem(words, at, named)
        takes_value = not text.startswith("--") and text[-1] in table.valued
        at += 2 if takes_value else 1
    program = words[at] if at < len(words) else None
    if program and program.is_literal and program.text[:1] != "@" and not _INPUT.fullmatch(program.text):
        if base_name(program.text) in _TASK_RUNNERS:
            return option_problem(words[at:], max(named - at, 1), is_fed=False)
        return ""
    if at >= len(words) and not is_fed and any(word.text in _IDLE for word in words[1:]):
        return ""
    return f"`{words[0].text}` gets its program from elsewhere"


def _module_problem(words: Sequence[Word], at: int, named: int) -> str:
    """A module that a rule names is a program with options of its own; code that a rule allows is not looked into."""
    if words[at].text != "-m" or at + 1 >= len(words):
        return ""
    return option_problem(words[at + 1 :], max(named - at - 1, 1), is_fed=False)


def _is_harmless(text: str, table: Options) -> bool:
    if table.words and re.fullmatch(table.words, text):
        return True
    if text.startswith("--"):
        return text[2:].partition("=")[0] in table.long.split()
    for letter in text[1:]:
        if letter in table.valued:
            return True
        if letter not in table.short:
            return False
    return True
