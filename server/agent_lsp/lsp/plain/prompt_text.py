"""What the user writes into a prompt document: words, `/` words that set something, and `@` mentions. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from agent_lsp.domain.requests import ContextReference
from agent_lsp.domain.status import PermissionMode

NEW = "new"
PERMISSION_MODES = tuple(mode.value for mode in PermissionMode)

_SLASH = re.compile(r"\s*/(\w+)(?=\s|$)")
_MENTION = re.compile(r"(?<!\S)@([^\s:]*[^\s:.,;!?])(?::(\d{1,9})(?:-(\d{1,9}))?)?")
_UNFINISHED_MENTION = re.compile(r"(?<!\S)@(\S*)$")
_UNFINISHED_SLASH = re.compile(r"\s*(?:/\w+\s+)*/(\w*)$")

Locate = Callable[[str], str | None]
"""The uri of a path in the workspace, if there is something."""


@dataclass(frozen=True, slots=True)
class Prompt:
    words: str
    is_new: bool = False
    """The user wants a task of its own for this."""
    mode: str | None = None
    permission_mode: PermissionMode | None = None
    context: tuple[ContextReference, ...] = ()


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A word that the user is just writing: `/` or `@`, and what stands behind it up to the place of the cursor."""

    mark: str
    word: str


def read_prompt(text: str, modes: Sequence[str], locate: Locate) -> Prompt:
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
        context=tuple(_mentions(text[at:], locate)),
    )


def unfinished(text_before: str) -> Unfinished | None:
    """Tell what the user may want completed, from all the text before the cursor."""
    if found := _UNFINISHED_MENTION.search(text_before.rpartition("\n")[2]):
        return Unfinished("@", found[1])
    if found := _UNFINISHED_SLASH.fullmatch(text_before):
        return Unfinished("/", found[1])
    return None


def _mentions(text: str, locate: Locate) -> Iterator[ContextReference]:
    for found in dict.fromkeys(match.groups() for match in _MENTION.finditer(text)):
        path, first, last = found
        if uri := locate(path):
            yield ContextReference(uri, int(first), int(last or first)) if first else ContextReference(uri)
