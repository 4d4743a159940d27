"""Commands whose output is known beforehand to be no option, whatever the folder holds in which they run."""

import re

from agent_lsp.approvals.shell.syntax import Part

KNOWN_PROGRAMS = frozenset({"git", "pwd", "date", "whoami", "nproc"})
"""A function of such a name would make them say something else."""

_KNOWN = re.compile(
    r"git merge-base( [\w/.@^~]+){2}"
    r"|git rev-parse( --short(=[0-9]+)?| --verify)*( [\w/.@^~]+)"
    r"|pwd|whoami|nproc|date \+%[FTYHs][%A-Za-z0-9_:.-]*"
)


def is_one_plain_word(part: Part) -> bool:
    """Whether a command says a single word, or a path, that cannot be taken for an option."""
    is_literal = all(word.is_literal for word in part.words) and not part.assignments
    return is_literal and bool(_KNOWN.fullmatch(" ".join(word.text for word in part.words)))
