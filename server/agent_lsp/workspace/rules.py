"""The project's rules for agents (AGENTS.md), read with care: whoever wrote the repository wrote them."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from agent_lsp.domain.prompting import RuleText

FILE_NAME = "AGENTS.md"
LARGEST = 32_000
"""Bytes of a file that are read; rules are paid for on every request."""

# What a reader does not see and a model does: controls, directions, blanks without width, fillers, tags, variation
# selectors but for the two that pictures are drawn with. Joiners stay where scripts and pictures need them: one at a
# time, between characters beyond ASCII.
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    r"|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])|[\u200c\u200d]{2,}"
)


def read_rules(roots: Sequence[Path]) -> tuple[RuleText, ...]:
    """The rules of each root that has any. What cannot be read, or leads out of its root, is not there."""
    return tuple(rule for root in roots if (rule := _read(root)))


def without_hidden(text: str) -> tuple[str, int]:
    """The text as a person sees it, and how many characters were taken out."""
    seen = _HIDDEN.sub("", text)
    return seen, len(text) - len(seen)


def _read(root: Path) -> RuleText | None:
    path = root / FILE_NAME
    try:
        if not (path.is_file() and path.resolve().is_relative_to(root.resolve())):
            return None
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError:
        return None
    text, hidden = without_hidden(content[:LARGEST].decode("utf-8-sig", "replace").replace("\r\n", "\n"))
    notes = _notes(is_cut=len(content) > LARGEST, hidden=hidden)
    return RuleText(str(path), text, " ".join(notes)) if text.strip() else None


def _notes(*, is_cut: bool, hidden: int) -> Iterable[str]:
    if is_cut:
        yield f"Only the first {LARGEST:,} bytes were read."
    if hidden:
        yield f"{hidden:,} hidden characters were taken out: the file may have been tampered with."
