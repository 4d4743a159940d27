"""Commands whose output is known beforehand, or is no option, whatever the folder holds in which they run."""

import re

from agent_lsp.approvals.shell.cursor import Findings
from agent_lsp.approvals.shell.syntax import Part

KNOWN_PROGRAMS = frozenset({"git", "pwd", "date", "whoami", "nproc", "cat"})
"""A function of such a name would make them say something else."""

_KNOWN = re.compile(
    r"git merge-base( [\w/.@^~]+){2}"
    r"|git rev-parse( --short(=[0-9]+)?| --verify)*( [\w/.@^~]+)"
    r"|pwd|whoami|nproc|date \+%[FTYHs][%A-Za-z0-9_:.-]*"
)


_SHOWS_DOCUMENT = re.compile(r"\$\([ \t]*cat[ \t]*<<-?[ \t]*[^\s<>&|;()]+[ \t]*\n")


def document_shown(substitution: str, parts: list[Part], findings: Findings) -> str | None:
    """What a substitution says that only shows a here-document in which nothing is filled in, as messages are given."""
    if len(parts) != 1 or not _SHOWS_DOCUMENT.match(substitution):
        return None
    (number,) = parts[0].documents or (-1,)
    return findings.bodies[number].rstrip("\n") if number in findings.literal_bodies else None


def is_one_plain_word(part: Part) -> bool:
    """Whether a command says a single word, or a path, that cannot be taken for an option."""
    is_literal = all(word.is_literal for word in part.words) and not part.assignments
    return is_literal and bool(_KNOWN.fullmatch(" ".join(word.text for word in part.words)))
