"""Listing folders, level by level, so that a cut takes the depths first."""

from collections import deque
from pathlib import Path

from agent_lsp.workspace.walking import Entry, Walk

MOST_SEEN = 50_000
"""Entries that are counted at most; what lies beyond is left out uncounted."""


def list_entries(
    walk: Walk, *, is_recursive: bool, limit: int, most_seen: int = MOST_SEEN
) -> tuple[tuple[str, ...], int]:
    """The entries, `/` behind folders, and how many more there are."""
    shown, seen = list[str](), 0
    folders = deque((walk.start,))
    while folders and seen < most_seen:
        for entry in walk.entries(folders.popleft()):
            seen += 1
            if len(shown) < limit:
                shown.append(_shown(entry, walk))
            if entry.folder and is_recursive:
                folders.append(entry.folder)
    return tuple(shown), seen - len(shown)


def printable(name: str) -> str:
    """A name as it may be shown: what is no character, or none that can be seen, becomes a replacement mark."""
    if name.isprintable():
        return name
    return "".join(character if character.isprintable() else "\ufffd" for character in name)


def _shown(entry: Entry, walk: Walk) -> str:
    is_folder = entry.folder or (entry.is_link and Path(walk.start.absolute, entry.path).is_dir())
    return printable(entry.path) + ("/" if is_folder else "")
