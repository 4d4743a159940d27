"""Contents that leave out what they should hold: a comment stands for the lines of the file that it would replace."""

import re

from agent_lsp.tools.matching.lines import read_lines
from agent_lsp.tools.matching.revision import Refusal

_COMMENT = r"[ \t]*(?:#|//|/\*|--|<!--|\{/\*|;|%)[ \t]*[\[(]?"
_ELLIPSIS = r"(?:\.{3}|\u2026)"
_LEFT = r"(?:the )?(?:rest|remaining|remainder|existing|other|previous|unchanged|same)\b"
_PARTS = r"(?:code|file|contents?|class|functions?|methods?|implementation|component|module|imports|tests?)\b"
_STAYS = rf"(?:unchanged|(?:the )?same|as (?:before|is)|{_ELLIPSIS})"
_STANDS_FOR_LINES = re.compile(
    rf"{_COMMENT}(?:{_ELLIPSIS}[ \t]*[\[(]?{_LEFT}|(?:the )?(?:rest|remainder) of (?:\w+ ){{0,2}}{_PARTS}.*{_STAYS}).*",
    re.IGNORECASE,
)


def refuse_left_out(before: str, content: str) -> None:
    """Refuse a shorter text with such a comment. One that the file has already is a comment like any other."""
    lines, old_lines = read_lines(content).texts, read_lines(before).texts
    if len(lines) >= len(old_lines):
        return
    known = {line.strip() for line in old_lines}
    for number, line in enumerate(lines, 1):
        if _STANDS_FOR_LINES.fullmatch(line[:200]) and line.strip() not in known:
            raise Refusal(
                f"Line {number} of content stands for text that is left out: {line.strip()[:100]} "
                "The file would lose it, so nothing was changed. "
                "Write the whole file, or change parts of it with apply_diff or edit_file."
            )
