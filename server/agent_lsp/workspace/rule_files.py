"""Reading one file of rules with care: whoever wrote the repository wrote it. Which files there are is `rules.py`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.workspace.texts import decode

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
_FRONT = re.compile(r"\s*---[^\S\n]*\n(.*?)^---[^\S\n]*$\n?", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"([A-Za-z]\w*)\s*:\s*(.*?)\s*")
_ENTRY = re.compile(r"\s*-\s+(.*?)\s*")
_IN_BRACES = re.compile(r",(?![^{]*\})")


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the top of a file says of when it holds."""

    globs: tuple[str, ...] = ()
    """It holds once a file of these is looked at."""
    description: str = ""
    """It is to be read where this is what the work is about."""
    is_always: bool = True


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A file as a person sees it, and what was changed in reading it."""

    text: str
    note: str = ""


def read_rule(path: Path, root: Path) -> RuleFile | None:
    """Read a file of rules; None for one that is not there, is no text, cannot be read, or leads out of its root."""
    try:
        if not (path.is_file() and path.resolve().is_relative_to(root.resolve())):
            return None
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, RuntimeError):  # The latter where links go round in a circle.
        return None
    if (decoded := decode(content[:LARGEST])) is None:
        return None
    text, hidden = without_hidden(
        decoded.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\r\n", "\n")
    )
    notes = _notes(is_cut=len(content) > LARGEST, hidden=hidden)
    return RuleFile(text, " ".join(notes)) if text.strip() else None


def without_hidden(text: str) -> tuple[str, int]:
    """The text as a person sees it, and how many characters were taken out."""
    seen = _HIDDEN.sub("", text)
    return seen, len(text) - len(seen)


def split_conditions(text: str) -> tuple[Conditions, str]:
    """Part a file into what its front matter says of when it holds, and the rules. Without one it always holds."""
    front = _FRONT.match(text)
    if front is None:
        return Conditions(), text
    fields = _fields(front[1])
    globs = (*fields.get("globs", ()), *fields.get("paths", ()))
    description = " ".join(fields.get("description", ()))
    always = fields.get("alwaysApply")
    is_always = always == ("true",) if always else not globs and not description
    return Conditions(globs, description, is_always), text[front.end() :]


def _fields(front: str) -> dict[str, tuple[str, ...]]:
    """Read `name: value` lines, lists in brackets, by commas or in lines of their own. Anything else is left aside."""
    fields, name = dict[str, tuple[str, ...]](), ""
    for line in front.splitlines():
        if named := _LINE.fullmatch(line):
            name = named[1]
            fields[name] = _values(named[2], is_list=name in ("globs", "paths"))
        elif name and (entry := _ENTRY.fullmatch(line)):
            fields[name] = (*fields[name], *_values(entry[1], is_list=False))
    return fields


def _values(text: str, *, is_list: bool) -> tuple[str, ...]:
    parts = _IN_BRACES.split(text.removeprefix("[").removesuffix("]")) if is_list else [text]
    return tuple(value for part in parts if (value := part.strip().strip("\"'")))


def _notes(*, is_cut: bool, hidden: int) -> Iterable[str]:
    if is_cut:
        yield f"Only the first {LARGEST:,} bytes were read."
    if hidden:
        yield f"{hidden:,} hidden characters were taken out: the file may have been tampered with."
