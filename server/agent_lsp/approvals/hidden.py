"""Texts in a command that may be run as scripts though no rule can allow them: they matter for what is denied. Pure.

Too many rather than too few, but only where a command asks anyway: nobody is denied for what only mentions a program.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from agent_lsp.approvals.runs import Run
from agent_lsp.approvals.shell.syntax import HELD, OPEN, Word
from agent_lsp.approvals.tables import words_of
from agent_lsp.approvals.wrapper_tables import SHELLS
from agent_lsp.approvals.wrappers import base_name

_MARKS_OF_SCRIPTS = frozenset(" \t\n;&|<>()$`")
_SCRIPT_NAMES = re.compile(
    r"--?(x|c|exec|execdir|command|cmd|call|program|pager|rsh|shell|eval|to-command|(?:[a-z]+-)*filter|pre)$"
)
_SCRIPT_VALUES = re.compile(
    r"(?:--?[a-z-]*(?:exec|command|cmd|call|program|pager|rsh|shell|eval|filter|pre|action)"
    r"|(?i:alias\.[\w-]+|core\.\w+|ProxyCommand|LocalCommand|SHELL))=(?:exec=|!)?(.+)",
    re.DOTALL,
)
_SCRIPT_LETTERS: Mapping[str, str] = MappingProxyType(
    {
        "rsync": "e", "scp": "S", "sftp": "S", "tar": "IF", "man": "PH",
        "perl": "eE", "ruby": "e", "node": "ep", "php": "r", "lua": "e",
        "vim": "c", "vi": "c", "ex": "c", "nvim": "c", "expect": "c", "gdb": "x", "emacs": "e",
    }
)  # fmt: skip
"""Options of one letter whose value is code, by program; elsewhere these letters mean something else."""
_DEFINERS = words_of("alias mapfile readarray complete compgen bind hash")
_EVALUATORS = words_of("test [ [[ printf read let declare typeset export local readonly unset getopts wait")
_RUNNING_VARIABLE = re.compile(
    r"(?i)(?:PS[0-4]|\w*(?:COMMAND|EDITOR|PAGER|PROGRAM|ASKPASS|BROWSER|SHELL|OPEN|CLOSE))\+?=(.+)"
)
_EDITORS = words_of("vim vi nvim view ex ed red less more")
_READERS = words_of("source . at batch")
_CALLED_BY_EDITOR = re.compile(r"\+?:?!(.+)", re.DOTALL)
_CALLED_BY_SED = re.compile(r"(?:^|[;{}\n])[ \t]*(?:[0-9]+|\$)?[ \t]*e +([^\n]+)")
_AWKS = words_of("awk gawk mawk nawk")
_RUN_BY_AWK = re.compile(r"system|\||getline")
_QUOTED = re.compile(r"[\"'](.+?)[\"']", re.DOTALL)
_VALUE = re.compile(r"-(?:-[\w-]+=|[A-Za-z])(.+)", re.DOTALL)


def hidden_scripts(run: Run) -> Iterator[str]:
    """What one command may run besides what its words say."""
    for word in run.assignments_in_front:
        if match := _RUNNING_VARIABLE.match(word.text):
            yield match[1]
    if not run.words:
        yield from run.inputs
        return
    name = base_name(run.words[0].text)
    if name in SHELLS or run.is_unclear:
        yield from run.inputs
    if run.is_unclear:
        yield from _scripts_in_words(run.words[1:])
    yield from _values_of_options(name, run.words)
    yield from _evaluated(name, run.words[1:])


def scripts_fed(runs: Sequence[Run]) -> Iterator[str]:
    """What a shell may read that gets its script from elsewhere in the same command: any text that stands there."""
    if not any(map(_reads_a_script, runs)):
        return
    for run in runs:
        yield from run.inputs
        yield from (word.text for word in run.words[1:] if word.is_literal)


def _reads_a_script(run: Run) -> bool:
    if not run.words or base_name(run.words[0].text) not in SHELLS | _READERS:
        return False
    return run.is_fed or any(_is_from_elsewhere(word) for word in run.words)


def _is_from_elsewhere(word: Word) -> bool:
    return OPEN in word.outline or HELD in word.outline or (word.is_filled_in and word.text.startswith("<("))


def _scripts_in_words(words: Sequence[Word]) -> Iterator[str]:
    for word in words:
        value = _VALUE.fullmatch(word.text)
        for text in (word.text, value[1] if value else ""):
            if _MARKS_OF_SCRIPTS.intersection(text):
                yield text


def _values_of_options(name: str, words: Sequence[Word]) -> Iterator[str]:
    """The values of options that look as if they were run."""
    letters = _SCRIPT_LETTERS.get(name, "")
    for at, word in enumerate(words):
        following = words[at + 1].text if at + 1 < len(words) else ""
        if match := _SCRIPT_VALUES.fullmatch(word.text):
            yield match[1]
        elif _SCRIPT_NAMES.fullmatch(word.text) or (word.text[:1] == "-" and word.text[1:] in set(letters)):
            yield following.lstrip(":!")
            yield from _QUOTED.findall(following)


def _evaluated(name: str, words: Sequence[Word]) -> Iterator[str]:
    """What builtins run later or evaluate, and what editors, sed and the programs of awk run."""
    if name in _DEFINERS:
        yield from (word.text.partition("=")[2] or word.text for word in words)
    elif name in _EVALUATORS:
        yield from (word.text for word in words if "$(" in word.text or "`" in word.text)
    elif name in _EDITORS:
        yield from (match[1] for word in words if (match := _CALLED_BY_EDITOR.fullmatch(word.text)))
    elif name in ("sed", "gsed"):
        yield from (text for word in words for text in _CALLED_BY_SED.findall(word.text))
    elif name in _AWKS:
        yield from (word.text for word in words if _RUN_BY_AWK.search(word.text))
