"""The list of tasks, quick to ask for: an sqlite file beside the journals, rebuilt from them when it is not right."""

import json
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from agent_lsp.domain.encoding import to_wire
from agent_lsp.domain.errors import BadParams, TaskUnknown
from agent_lsp.domain.requests import TaskList, TaskSummary
from agent_lsp.domain.status import State
from agent_lsp.storage.deletion import delete_task
from agent_lsp.storage.journal import FILE_NAME
from agent_lsp.storage.places import is_task_id, tasks_folder
from agent_lsp.storage.problems import storage_problem
from agent_lsp.storage.records import usage_from_wire
from agent_lsp.storage.summary import IndexEntry, find_entry

_Found = TypeVar("_Found")
_VERSION = 1
_BUSY_SECONDS = 0.2
_MEMORY = ":memory:"
_SCHEMA = f"""
create table tasks (
    task_id text primary key, title text not null, folded text not null, ts integer not null,
    state text not null, usage text not null, client_request_id text
) without rowid;
create index by_ts on tasks (ts desc, task_id desc);
create index by_request on tasks (client_request_id) where client_request_id is not null;
pragma user_version = {_VERSION};
"""
_PUT = """
insert into tasks values (:task_id, :title, :folded, :ts, :state, :usage, :request) on conflict (task_id)
do update set title = :title, folded = :folded, ts = :ts, state = :state, usage = :usage,
client_request_id = coalesce(:request, client_request_id)
"""
_PUT_IF_UNKNOWN = "insert or ignore into tasks values (:task_id, :title, :folded, :ts, :state, :usage, :request)"
_LIST = """
select task_id, title, ts, state, usage from tasks
where (ts, task_id) < (:ts, :task_id) and instr(folded, :query) > 0 order by ts desc, task_id desc limit :limit
"""


class TaskIndex:
    """What the task list shows of tasks that nobody runs; of a running one its task knows better.

    Safe to use from several threads. A file that is broken is thrown away; where none can be kept, memory serves.
    """

    def __init__(self, state: Path) -> None:
        self._state = state
        self._file = state / "index.sqlite"
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._is_caught_up = False

    def upsert(self, summary: TaskSummary, client_request_id: str | None = None) -> None:
        row = _row(IndexEntry(summary, client_request_id))
        self._ask(lambda connection: connection.execute(_PUT, row))

    def rename(self, task_id: str, title: str) -> None:
        """Rename in the list alone; the journal is told by whoever writes it."""
        values = (title, title.casefold(), task_id)
        self._ask(lambda c: c.execute("update tasks set title = ?, folded = ? where task_id = ?", values))

    def delete(self, task_id: str) -> None:
        """Remove a task's folder, and its row; TaskBusy where a server has it open. For a thread: it may be large."""
        try:
            delete_task(self._state, task_id)
        except TaskUnknown:
            self._forget(task_id)
            raise
        self._forget(task_id)

    def list(self, *, cursor: str | None = None, limit: int = 50, query: str | None = None) -> TaskList:
        """A page of the list, the newest first; `query` looks for words in the titles."""
        ts, task_id = _position(cursor)
        looked_for = _storable((query or "").strip().casefold())
        values = {"ts": ts, "task_id": task_id, "query": looked_for, "limit": limit + 1}
        rows = self._ask(lambda connection: connection.execute(_LIST, values).fetchall())
        if not self._is_caught_up:  # The file was opened, or found broken, by this very question.
            self.catch_up()
            rows = self._ask(lambda connection: connection.execute(_LIST, values).fetchall())
        tasks = tuple(_summary(row) for row in rows[:limit])
        has_more = len(rows) > limit and tasks
        return TaskList(tasks, f"{tasks[-1].ts}:{tasks[-1].task_id}" if has_more else None)

    def find_request(self, client_request_id: str) -> str | None:
        """The task that an earlier request with this id began."""
        select = "select task_id from tasks where client_request_id = ?"
        row = self._ask(lambda connection: connection.execute(select, (_storable(client_request_id),)).fetchone())
        return row[0] if row else None

    def catch_up(self) -> None:
        """Take in tasks that are on the disk and not in the index, and drop those that are gone.

        Reads the journals of unknown tasks: let a thread do it where there may be many.
        """
        self._is_caught_up = True
        known = {row[0] for row in self._ask(lambda c: c.execute("select task_id from tasks").fetchall())}
        stored = _stored_ids(tasks_folder(self._state))
        new = [_row(entry) for task_id in sorted(stored - known) if (entry := self._read(task_id))]
        gone = [(task_id,) for task_id in known - stored]
        self._ask(lambda connection: connection.executemany(_PUT_IF_UNKNOWN, new))
        self._ask(lambda connection: connection.executemany("delete from tasks where task_id = ?", gone))

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def _forget(self, task_id: str) -> None:
        self._ask(lambda connection: connection.execute("delete from tasks where task_id = ?", (task_id,)))

    def _read(self, task_id: str) -> IndexEntry | None:
        try:
            content = (tasks_folder(self._state) / task_id / FILE_NAME).read_bytes()
        except OSError:
            return None  # Not a task, or gone meanwhile; opening it would say so.
        return find_entry(content, task_id)

    def _ask(self, work: Callable[[sqlite3.Connection], _Found]) -> _Found:
        """Do the work on the file; if that is broken on a new one, and where no file can be had in memory."""
        with self._lock:
            for place in (self._file, self._file, _MEMORY):
                try:
                    return work(self._connected(place))
                except sqlite3.DatabaseError as error:
                    failure = error
                    self._retreat(error)
            raise storage_problem("The list of tasks cannot be kept", self._state, OSError(str(failure)))

    def _connected(self, place: Path | str) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _opened(place)
        return self._connection

    def _retreat(self, error: sqlite3.DatabaseError) -> None:
        """Close the file, and throw it away if it is broken; one that is merely locked or full is left alone."""
        self._disconnect()
        self._is_caught_up = False
        if _is_broken(error):
            for name in (self._file.name, f"{self._file.name}-wal", f"{self._file.name}-shm"):
                with suppress(OSError):
                    (self._state / name).unlink(missing_ok=True)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            connection.close()


def _opened(place: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(place, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")
        _prepare(connection)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    match connection.execute("pragma user_version").fetchone()[0]:
        case 0:
            connection.executescript(f"begin immediate; {_SCHEMA} commit;")
        case version if version == _VERSION:
            pass
        case version:
            raise sqlite3.DatabaseError(f"version {version}")


def _is_broken(error: sqlite3.DatabaseError) -> bool:
    return type(error) is sqlite3.DatabaseError or "no such" in str(error)


def _stored_ids(folder: Path) -> set[str]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name for entry in entries if is_task_id(entry.name)}
    except FileNotFoundError:
        return set()


def _row(entry: IndexEntry) -> dict[str, str | int | None]:
    summary = entry.summary
    return {
        "task_id": summary.task_id,
        "title": _storable(summary.title),
        "folded": _storable(summary.title.casefold()),
        "ts": summary.ts,
        # A task that runs now rests once its server is gone.
        "state": State.IDLE if summary.state is State.IDLE else State.RESUMABLE,
        "usage": json.dumps(to_wire(summary.usage)),
        "request": entry.client_request_id and _storable(entry.client_request_id),
    }


def _summary(row: tuple[str, str, int, str, str]) -> TaskSummary:
    task_id, title, ts, state, usage = row
    return TaskSummary(task_id, title, ts, State(state), usage_from_wire(json.loads(usage)))


def _position(cursor: str | None) -> tuple[int, str]:
    """Where a page begins. Without a cursor: before everything, since no `ts` is this large."""
    if cursor is None:
        return (2**63 - 1, "")
    ts, _, task_id = cursor.partition(":")
    if not ts.isdecimal() or len(ts) > 18:
        raise BadParams("The cursor is not one that this server gave out: ask for the list from its beginning.")
    return (int(ts), _storable(task_id))


def _storable(text: str) -> str:
    """Text as the file can hold it: half a surrogate pair, which a client may send, becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
