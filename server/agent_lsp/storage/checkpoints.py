"""Checkpoints of one workspace: how its files stood at a moment, and what the agent changed in between.

One repository of our own for all tasks of the workspace; of the user's repositories nothing is read and nothing run.
What a restore makes of it is not decided here.
"""

import asyncio
import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from agent_lsp.domain.checkpoints import Alterations, Checkpoint, Difference, Reason
from agent_lsp.domain.errors import BadParams, StorageProblem
from agent_lsp.storage import checkpoints_index as indexes
from agent_lsp.storage.checkpoints_import import Commit, Committed, Importer, Put
from agent_lsp.storage.checkpoints_index import Index
from agent_lsp.storage.checkpoints_reading import CheckpointReader, Entry, Kind, message_of
from agent_lsp.storage.checkpoints_room import checkpoints_folder, forget, shared, task_ref
from agent_lsp.storage.checkpoints_snapshot import Snapshot, before_and_after, single, whole
from agent_lsp.storage.checkpoints_walk import Deadline, GivenUp
from agent_lsp.storage.git import EMPTY_TREE, Git
from agent_lsp.storage.places import private_folder
from agent_lsp.storage.problems import storage_problem

SECONDS = 10.0
"""By then a checkpoint is taken or given up: a command may wait for it."""

_INDEX = "index.json"

Puts = Callable[[Importer], Sequence[Put] | None]
"""What a commit is to have; None where there is nothing to say."""
TreePuts = Callable[[str], Sequence[Put] | None]
"""The same, of the tree as it is now."""


@dataclass(frozen=True, slots=True)
class Site:
    """Whose files are kept, where, and by which program."""

    roots: tuple[Path, ...]
    state: Path
    git: Path

    @property
    def folder(self) -> Path:
        names = "\0".join(sorted(os.path.realpath(root) for root in self.roots))
        return checkpoints_folder(self.state) / blake2b(os.fsencode(names), digest_size=12).hexdigest()


@dataclass(frozen=True, slots=True)
class _Label:
    """What a commit on a task's chain says of itself."""

    task_id: str
    kind: Kind
    reason: Reason


class Checkpoints:
    """The keeper of one workspace's checkpoints. Every call does its work in a thread; those that write, one by one."""

    def __init__(self, site: Site, seconds: float = SECONDS) -> None:
        self._site = site
        self._seconds = seconds
        self._git = Git(site.git, site.folder)
        self._reader = CheckpointReader(self._git, seconds)
        self._one_at_a_time = Lock()
        self._deadline: Deadline | None = None
        self._index: Index | None = None
        self._is_index_stale = False
        self._tips: dict[str, Entry | None] = {}

    async def take(self, task_id: str, reason: Reason, unsaved: Mapping[Path, str]) -> Checkpoint:
        """Keep all files as they are; where nothing has changed since the task's last checkpoint, that one."""
        return await asyncio.to_thread(self._take, task_id, reason, unsaved)

    async def note_changes(self, task_id: str, reason: Reason, changes: Alterations) -> None:
        """Keep what the agent changed in these files."""
        await asyncio.to_thread(self._note_changes, _Label(task_id, "change", reason), changes)

    async def note_changes_since(self, task_id: str, checkpoint: Checkpoint) -> None:
        """Keep all that changed on the disk since a checkpoint as the agent's doing: a command's."""
        await asyncio.to_thread(self._note_changes_since, task_id, checkpoint)

    async def checkpoints(self, task_id: str) -> tuple[Checkpoint, ...]:
        """A task's checkpoints, the oldest first."""
        chain = await asyncio.to_thread(self._chain, task_id)
        return tuple(entry.checkpoint() for entry in chain if entry.kind == "checkpoint")

    async def compare(self, older: Checkpoint, newer: Checkpoint) -> Difference:
        return await asyncio.to_thread(self._reader.compare, older.tree, newer.tree)

    async def compare_shown(self, older: Checkpoint, newer: Checkpoint) -> Difference:
        """The same as the editor showed the files: unsaved texts in place of what was on the disk."""
        return await asyncio.to_thread(self._reader.compare_shown, older.tree, newer.tree)

    async def unsaved(self, checkpoint: Checkpoint) -> Mapping[Path, str]:
        """The texts that were only in the editor at a checkpoint."""
        return await asyncio.to_thread(self._reader.unsaved, checkpoint.tree)

    async def changes_since(self, task_id: str, checkpoint_id: str) -> tuple[Difference, ...]:
        """What the agent changed since a checkpoint, the oldest change first."""
        return await asyncio.to_thread(self._changes_since, task_id, checkpoint_id)

    async def forget(self, task_id: str) -> None:
        """Delete a task's checkpoints, and give back the room they take on the disk."""
        await asyncio.to_thread(self._forget, task_id)

    def give_up(self) -> None:
        """Let whoever takes a checkpoint just now fail soon: the server ends."""
        if deadline := self._deadline:
            deadline.give_up()

    async def close(self) -> None:
        """Write down how the files are known, so that the next server need not read them all again."""
        await asyncio.to_thread(self._save_index)

    def _take(self, task_id: str, reason: Reason, unsaved: Mapping[Path, str]) -> Checkpoint:
        with self._opened() as deadline:
            snapshot = Snapshot(self._site.roots, self._site.state, unsaved, deadline)
            tip, index = self._tip(task_id), self._known_index()
            if tip and tip.kind == "checkpoint" and tip.tree == index.tree and snapshot.is_same(index):
                return tip.checkpoint()
            # A file that was only touched has been read by then, and may have changed nothing.
            last_tree = tip.tree if tip and tip.kind == "checkpoint" else None
            label = _Label(task_id, "checkpoint", reason)
            self._snap(label, snapshot, lambda tree: None if tree == last_tree else whole(tree))
            return _there(self._tip(task_id)).checkpoint()

    def _note_changes_since(self, task_id: str, checkpoint: Checkpoint) -> None:
        with self._opened() as deadline:
            # What is unsaved in the editor is the user's: taken out of both sides, it is no part of the change.
            snapshot = Snapshot(self._site.roots, self._site.state, {}, deadline)
            index = self._known_index()
            if index.tree == checkpoint.tree and snapshot.is_same(index):
                return
            label, before = _Label(task_id, "change", checkpoint.reason), checkpoint.tree
            self._snap(label, snapshot, lambda tree: None if tree == before else before_and_after(before, tree))

    def _note_changes(self, label: _Label, changes: Alterations) -> None:
        def puts(importer: Importer) -> Sequence[Put]:
            return [
                put
                for path, altered in changes.items()
                for side, state in ((b"before/", altered.before), (b"after/", altered.after))
                for put in single(side, path, state, importer)
            ]

        with self._opened() as deadline:
            self._append(label, deadline, set(), puts)

    def _snap(self, label: _Label, snapshot: Snapshot, puts: TreePuts) -> None:
        """Bring the tree up to date and put a commit made of it on the task's chain."""
        try:
            self._try_snap(label, snapshot, puts)
        except GivenUp:
            raise
        except StorageProblem:
            if self._known_index().tree is None or snapshot.deadline.left_seconds < 0:
                raise
            # Another server may have cleared away what this one still relied on: begin anew.
            self._index = Index()
            self._tips.clear()
            self._try_snap(label, snapshot, puts)

    def _try_snap(self, label: _Label, snapshot: Snapshot, puts: TreePuts) -> None:
        old = new = self._known_index()

        def taken(importer: Importer) -> Sequence[Put] | None:
            nonlocal new
            new = snapshot.taken(old, importer)
            return puts(new.tree or EMPTY_TREE)

        self._append(label, snapshot.deadline, old.blobs(), taken)
        self._index, self._is_index_stale = new, True
        if old.tree is None:
            self._write_index()

    def _append(self, label: _Label, deadline: Deadline, known: set[str], puts: Puts) -> None:
        tip, ts = self._tip(label.task_id), time.time_ns() // 1_000_000
        message, parent = message_of(label.kind, ts, label.reason), tip.id if tip else None
        done: Committed | None = None
        with self._git.importing(deadline.left_seconds) as (into, back):
            importer = Importer(into, back, known)
            if (content := puts(importer)) is not None:
                done = importer.commit(Commit(task_ref(label.task_id), message, ts // 1000, parent, puts=content))
            importer.end()
        if done:
            self._tips[label.task_id] = Entry(done.id, done.tree, label.kind, ts, label.reason)

    def _changes_since(self, task_id: str, checkpoint_id: str) -> tuple[Difference, ...]:
        chain = self._chain(task_id)
        position = next((at for at, entry in enumerate(chain) if entry.id == checkpoint_id), None)
        if position is None:
            raise BadParams(f"The task has no checkpoint {checkpoint_id!r}: agent/checkpoints tells those there are.")
        return tuple(self._reader.change(entry) for entry in chain[position + 1 :] if entry.kind == "change")

    def _chain(self, task_id: str) -> tuple[Entry, ...]:
        is_there = (self._git.folder / "HEAD").exists()
        return self._reader.chain(task_ref(task_id)) if is_there else ()

    def _tip(self, task_id: str) -> Entry | None:
        if task_id not in self._tips:
            chain = self._chain(task_id)
            self._tips[task_id] = chain[-1] if chain else None
        return self._tips[task_id]

    def _known_index(self) -> Index:
        if self._index is None:
            self._index = indexes.load(self._git.folder / _INDEX)
        return self._index

    def _save_index(self) -> None:
        with self._one_at_a_time:
            self._write_index()

    def _write_index(self) -> None:
        if self._index and self._is_index_stale:
            with suppress(OSError):  # Without it, the next server reads the files anew.
                indexes.save(self._index, self._git.folder / _INDEX)
                self._is_index_stale = False

    def _forget(self, task_id: str) -> None:
        with self._one_at_a_time:
            self._tips.pop(task_id, None)
            forget(self._git, task_id, self._seconds)

    @contextmanager
    def _opened(self) -> Generator[Deadline]:
        """Make sure of the repository, and that nobody clears anything away meanwhile."""
        deadline, folder = Deadline(self._seconds), self._git.folder
        with self._one_at_a_time:
            self._deadline = deadline
            private_folder(folder)
            try:
                with shared(folder):
                    self._git.init(deadline.left_seconds)
                    yield deadline
            except OSError as error:
                raise storage_problem("The checkpoint cannot be stored", folder, error) from error


def _there(tip: Entry | None) -> Entry:
    if tip is None:
        raise RuntimeError("what was taken is the tip of its task's chain")
    return tip
