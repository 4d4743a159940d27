"""Checkpoints of one workspace: how its files stood at a moment, and what the agent changed in between.

One repository of our own for all tasks of the workspace; of the user's repositories nothing is read and nothing run.
What a restore makes of it is not decided here.
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import ParamSpec, TypeVar

from agent_lsp.domain.checkpoints import Alterations, Checkpoint, Difference, Reason
from agent_lsp.domain.errors import BadParams, StorageProblem
from agent_lsp.domain.moments import now_ms
from agent_lsp.storage import checkpoints_index_file as index_file
from agent_lsp.storage.checkpoints_index import Index, Look, updated
from agent_lsp.storage.checkpoints_objects import Commit, Deposit, depositing
from agent_lsp.storage.checkpoints_packing import Bounds, forget, is_packing_due, pack
from agent_lsp.storage.checkpoints_reading import CheckpointReader, Entry, Kind, agents_doings, message_of
from agent_lsp.storage.checkpoints_room import (
    LATEST,
    begin_epoch,
    checkpoints_folder,
    epoch,
    is_there,
    prepare,
    read_ref,
    shared,
    sweep,
    task_ref,
    write_ref,
)
from agent_lsp.storage.checkpoints_snapshot import before_and_after, of_changes
from agent_lsp.storage.checkpoints_walk import Deadline, Walk
from agent_lsp.storage.git import EMPTY_TREE, Git, GitFailed
from agent_lsp.storage.places import private_folder
from agent_lsp.storage.problems import storage_problem

SECONDS = 10.0
"""By then a checkpoint is taken or given up: a command may wait for it."""

PACKING_SECONDS = 300.0

_ENTRIES_BETWEEN_LOOKS = 64
P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)


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

    def __init__(self, site: Site, seconds: float = SECONDS, bounds: Bounds | None = None) -> None:
        self._site = site
        self._seconds = seconds
        self._bounds = bounds or Bounds()
        self._git = Git(site.git, site.folder)
        self._packing_git = Git(site.git, site.folder)
        self._reader = CheckpointReader(self._git, seconds)
        self._one_at_a_time = Lock()
        self._deadline: Deadline | None = None
        self._index: Index | None = None
        self._is_index_stale = False
        self._is_swept = False
        self._epoch = ""
        self._tips: dict[str, Entry | None] = {}
        self._entries = 0
        self._entries_looked_at = -_ENTRIES_BETWEEN_LOOKS
        self._packing: asyncio.Task[None] | None = None

    async def take(self, task_id: str, reason: Reason, unsaved: Mapping[Path, str]) -> Checkpoint:
        """Keep all files as they are; where nothing has changed since the task's last checkpoint, that one."""
        checkpoint = await asyncio.to_thread(self._take, task_id, reason, unsaved)
        self._pack_if_due()
        return checkpoint

    async def note_changes(self, task_id: str, reason: Reason, changes: Alterations) -> None:
        """Keep what the agent changed in these files."""
        await asyncio.to_thread(self._note_changes, _Label(task_id, "change", reason), changes)

    async def note_intent(self, task_id: str, changes: Alterations) -> None:
        """Keep what the agent is about to change; `note_changes` follows, with nothing where it came to nothing."""
        await asyncio.to_thread(self._note_changes, _Label(task_id, "intent", Reason.CHANGE), changes)

    async def note_changes_since(self, task_id: str, checkpoint: Checkpoint) -> None:
        """Keep all that changed on the disk since a checkpoint as the agent's doing: a command's."""
        await asyncio.to_thread(self._note_changes_since, task_id, checkpoint)

    async def checkpoints(self, task_id: str) -> tuple[Checkpoint, ...]:
        """A task's checkpoints, the oldest first."""
        chain = await asyncio.to_thread(self._read, self._chain, task_id)
        return tuple(entry.checkpoint() for entry in chain if entry.kind == "checkpoint")

    async def compare(self, older: Checkpoint, newer: Checkpoint) -> Difference:
        return await asyncio.to_thread(self._read, self._reader.compare, older.tree, newer.tree)

    async def compare_shown(self, older: Checkpoint, newer: Checkpoint) -> Difference:
        """The same as the editor showed the files: unsaved texts in place of what was on the disk."""
        return await asyncio.to_thread(self._read, self._reader.compare_shown, older.tree, newer.tree)

    async def unsaved(self, checkpoint: Checkpoint) -> Mapping[Path, str]:
        """The texts that were only in the editor at a checkpoint."""
        return await asyncio.to_thread(self._read, self._reader.unsaved, checkpoint.tree)

    async def changes_since(self, task_id: str, checkpoint_id: str) -> tuple[Difference, ...]:
        """What the agent changed since a checkpoint, the oldest change first."""
        return await asyncio.to_thread(self._read, self._changes_since, task_id, checkpoint_id)

    async def empty_folders(self, task_id: str, checkpoint_id: str) -> frozenset[Path]:
        """The folders that had nothing in them at a checkpoint."""
        return await asyncio.to_thread(self._read, self._empty_folders, task_id, checkpoint_id)

    async def forget(self, task_id: str) -> None:
        """Delete a task's checkpoints, and give back the room they take on the disk."""
        if self._packing:
            await asyncio.shield(self._packing)
        await asyncio.to_thread(self._forget, task_id)

    def give_up(self) -> None:
        """Let whoever takes a checkpoint just now fail soon: the server ends."""
        self._packing_git.stop()
        if deadline := self._deadline:
            deadline.give_up()

    async def close(self) -> None:
        """Write down how the files are known, so that the next server need not read them all again."""
        self._packing_git.stop()
        if self._packing:
            await self._packing
        await asyncio.to_thread(self._save_index)

    def _pack_if_due(self) -> None:
        """Pack while the task goes on, whose turn never waits for it."""
        is_time = self._entries - self._entries_looked_at >= _ENTRIES_BETWEEN_LOOKS
        if is_time and (self._packing is None or self._packing.done()):
            self._entries_looked_at = self._entries
            self._packing = asyncio.create_task(asyncio.to_thread(self._pack), name="packing checkpoints")

    def _take(self, task_id: str, reason: Reason, unsaved: Mapping[Path, str]) -> Checkpoint:
        with self._opened() as deadline, self._deposit() as deposit:
            index = self._updated(unsaved, deposit, deadline)
            tip = self._tip(task_id)
            # Where nothing was known, something may be missing: all is stored again.
            is_known = bool(self._known_index().marks)
            if tip is None or tip.kind != "checkpoint" or tip.tree != index.tree or not is_known:
                tip = self._append(_Label(task_id, "checkpoint", reason), index.tree, deposit)
            self._keep(index)
            return tip.checkpoint()

    def _note_changes_since(self, task_id: str, checkpoint: Checkpoint) -> None:
        with self._opened() as deadline, self._deposit() as deposit:
            # What is unsaved in the editor is the user's: taken out of both sides, it is no part of the change.
            index = self._updated({}, deposit, deadline)
            if index.tree != checkpoint.tree:
                label = _Label(task_id, "change", checkpoint.reason)
                self._append(label, before_and_after(checkpoint.tree, index.tree, deposit), deposit)
                self._keep(index)

    def _note_changes(self, label: _Label, changes: Alterations) -> None:
        with self._opened(), self._deposit() as deposit:
            self._append(label, of_changes(changes, deposit), deposit)

    def _updated(self, unsaved: Mapping[Path, str], deposit: Deposit, deadline: Deadline) -> Index:
        texts = {os.fsencode(path)[1:]: text.encode("utf-8", "surrogatepass") for path, text in unsaved.items()}
        known, now_ns = self._known_index(), time.time_ns()
        found = Walk(self._site.state, known.listings, deadline).over(self._site.roots)
        return updated(known, Look(found, texts, now_ns), deposit, deadline)

    def _append(self, label: _Label, tree: str, deposit: Deposit) -> Entry:
        """Store what was deposited, and a commit of it on the task's chain."""
        tip, ts = self._tip(label.task_id), now_ms()
        message = message_of(label.kind, ts, label.reason)
        name = deposit.commit(Commit(tree, message, ts // 1000, tip.id if tip else None))
        deposit.store()
        write_ref(self._git.folder, task_ref(label.task_id), name)
        entry = self._tips[label.task_id] = Entry(name, tree, label.kind, ts, label.reason)
        self._entries += 1
        return entry

    def _keep(self, index: Index) -> None:
        """Go on from this index next time."""
        is_first = not self._index
        self._index, self._is_index_stale = index, True
        if is_first:
            self._write_index()

    def _deposit(self) -> AbstractContextManager[Deposit]:
        return depositing(self._git.folder, self._known_index().blobs)

    def _changes_since(self, task_id: str, checkpoint_id: str) -> tuple[Difference, ...]:
        chain = self._chain(task_id)
        position = next((at for at, entry in enumerate(chain) if entry.id == checkpoint_id), None)
        if position is None:
            raise BadParams(f"The task has no checkpoint {checkpoint_id!r}: agent/checkpoints tells those there are.")
        return tuple(self._reader.change(entry) for entry in agents_doings(chain[position + 1 :]))

    def _empty_folders(self, task_id: str, checkpoint_id: str) -> frozenset[Path]:
        tree = next((entry.tree for entry in self._chain(task_id) if entry.id == checkpoint_id), EMPTY_TREE)
        return self._reader.empty_folders(tree)

    def _chain(self, task_id: str) -> tuple[Entry, ...]:
        tip = read_ref(self._git.folder, task_ref(task_id))
        return self._reader.chain(tip) if tip else ()

    def _tip(self, task_id: str) -> Entry | None:
        if task_id not in self._tips:
            name = read_ref(self._git.folder, task_ref(task_id))
            try:
                self._tips[task_id] = self._reader.entry(name) if name else None
            except GitFailed as problem:
                log.warning("The checkpoints of task %s cannot be read, and begin anew: %s", task_id, problem)
                self._tips[task_id] = None
        return self._tips[task_id]

    def _read(self, read: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Read what is stored. Where that is damaged, nothing of it is relied on by the checkpoints to come."""
        try:
            return read(*arguments, **named)
        except GitFailed as problem:
            with self._one_at_a_time:
                self._index = None
                index_file.drop(self._git.folder)
            raise StorageProblem(f"The checkpoint is damaged, choose another one. ({problem})") from problem

    def _known_index(self) -> Index:
        return self._index or Index()

    def _save_index(self) -> None:
        with self._one_at_a_time:
            self._write_index()

    def _write_index(self) -> None:
        if self._index and self._is_index_stale:
            with suppress(OSError):  # Without it, the next server reads the files anew.
                self._hold_latest()
                index_file.save(self._index, self._git.folder)
                self._is_index_stale = False

    def _hold_latest(self) -> None:
        """Let the newest tree outlive its task: the next one is made from it."""
        if self._index and is_there(self._git.folder):
            write_ref(self._git.folder, LATEST, self._index.tree)

    def _forget(self, task_id: str) -> None:
        with self._one_at_a_time:
            self._tips.pop(task_id, None)
            self._hold_latest()
        forget(self._packing_git, task_id, PACKING_SECONDS, self._bounds)

    def _pack(self) -> None:
        try:
            if is_there(self._git.folder) and is_packing_due(self._git.folder, self._bounds):
                pack(self._packing_git, PACKING_SECONDS, self._bounds)
        except StorageProblem as problem:
            if not self._packing_git.is_stopped:
                log.warning("The checkpoints take more room than they need: %s", problem)

    @contextmanager
    def _opened(self) -> Generator[Deadline]:
        """Make sure of the repository, and that nobody clears anything away meanwhile."""
        deadline, folder = Deadline(self._seconds), self._git.folder
        with self._one_at_a_time:
            self._deadline = deadline
            private_folder(folder)
            try:
                if not self._is_swept:
                    sweep(folder)
                    self._is_swept = True
                with shared(folder):
                    prepare(self._git, deadline.left_seconds)
                    self._look_again()
                    yield deadline
            except OSError as error:
                raise storage_problem("The checkpoint cannot be stored", folder, error) from error

    def _look_again(self) -> None:
        """Rely on nothing that was cleared away since, by this server or another one, or with the whole folder."""
        folder = self._git.folder
        if (known := epoch(folder)) == self._epoch and known:
            return
        self._tips.clear()
        index = self._index or index_file.load(folder)
        self._index = index if self._reader.has_all(index.folders.ids()) else None
        if not known:
            begin_epoch(folder)
        self._epoch = epoch(folder)
