"""The index of a workspace on the disk, which spares the next server to read all files again. It is never the truth."""

import json
import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_lsp.storage.checkpoints_index import Index, Kept, all_puts
from agent_lsp.storage.checkpoints_objects import Names, write_whole
from agent_lsp.storage.checkpoints_trees import Folders, changed
from agent_lsp.storage.checkpoints_walk import Marks

_NAME = "index.json"


def load(folder: Path) -> Index:
    """Read an index back; the empty one where there is none that can be read."""
    try:
        index = _from_wire(json.loads((folder / _NAME).read_bytes()))
        return replace(index, folders=changed(Folders(), (), all_puts(index, Names()), Names()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return Index()


def save(index: Index, folder: Path) -> None:
    """Write an index down, whole or not at all."""
    wire = {
        "files": {os.fsdecode(path): [kept.id, kept.mode, _marks(index, path)] for path, kept in index.files.items()},
        "unsaved": {os.fsdecode(name): text for name, text in index.unsaved.items()},
        "leftOut": sorted(map(os.fsdecode, index.left_out)),
        "empty": sorted(map(os.fsdecode, index.empty)),
    }
    write_whole(folder, folder / _NAME, json.dumps(wire).encode())


def drop(folder: Path) -> None:
    (folder / _NAME).unlink(missing_ok=True)


def _marks(index: Index, path: bytes) -> Marks | None:
    within, _, name = path.rpartition(b"/")
    return index.marks.get(within, {}).get(os.fsdecode(name))


def _from_wire(wire: Any) -> Index:  # Whatever a file has; what does not fit raises.
    files, marks = dict[bytes, Kept](), defaultdict[bytes, dict[str, Marks | None]](dict)
    for spelled, (id_, mode, known) in wire["files"].items():
        path = os.fsencode(spelled)
        within, _, name = path.rpartition(b"/")
        files[path] = Kept(id_, mode)
        marks[within][os.fsdecode(name)] = (known[0], known[1], known[2], known[3], known[4]) if known else None
    left_out, empty = (frozenset(map(os.fsencode, wire[name])) for name in ("leftOut", "empty"))
    return Index(files, dict(marks), {os.fsencode(name): id_ for name, id_ in wire["unsaved"].items()}, left_out, empty)
