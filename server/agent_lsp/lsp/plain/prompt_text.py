"""What the user writes into a prompt document: `/` words that set something, and words, mentions among them. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent_lsp.domain.mentions import unfinished_mention
from agent_lsp.domain.status import PermissionMode

NEW = "new"
PERMISSION_MODES = tuple(mode.value for mode in PermissionMode)

_SLASH = re.compile(r"\s*/([\w-]+)(?=\s|$)")
_UNFINISHED_SLASH = re.compile(r"\s*(?:/[\w-]+\s+)*/([\w-]*)$")


@dataclass(frozen=True, slots=True)
class Prompt:
    words: str
    is_new: bool = False
    """The user wants a task of its own for this."""
    mode: str | None = None
    permission_mode: PermissionMode | None = None

    @property
    def sets_something(self) -> bool:
        return self.mode is not None or self.permission_mode is not None


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What the user is just writing: `/` or `@`, what it says so far, and where in the line it begins."""

    mark: str
    word: str
    start: int


def read_prompt(text: str, modes: Sequence[str]) -> Prompt:
    """Read a prompt. Slash words count at its beginning only, and only those there are: `/etc/hosts` is a word."""
    known = {NEW, *modes, *PERMISSION_MODES}
    at, slashes = 0, list[str]()
    while (found := _SLASH.match(text, at)) and found[1] in known:
        slashes.append(found[1])
        at = found.end()
    return Prompt(
        words=text[at:].strip(),
        is_new=NEW in slashes,
        mode=next((word for word in slashes if word in modes), None),
        permission_mode=next((PermissionMode(word) for word in slashes if word in PERMISSION_MODES), None),
    )


def unfinished(text_before: str) -> Unfinished | None:
    """Tell what the user may want completed, from all the text before the cursor."""
    line = text_before.rpartition("\n")[2]
    if mention := unfinished_mention(line):
        return Unfinished("@", mention.path, mention.start)
    if found := _UNFINISHED_SLASH.fullmatch(text_before):
        return Unfinished("/", found[1], len(line) - len(found[1]) - 1)
    return None
