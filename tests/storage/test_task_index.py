"""The index lists what the journals say, whatever becomes of its file."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from storage_samples import EVERY_KIND, STARTED, journal_of, put_journal
from storage_strategies import Memory, lives

from agent_lsp.domain.errors import BadParams, StorageProblem, TaskBusy, TaskUnknown
from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.requests import TaskList, TaskSummary
from agent_lsp.domain.status import State, Usage
from agent_lsp.storage.index import TaskIndex
from agent_lsp.storage.journal import Journal
from agent_lsp.storage.lines import read_lines
from agent_lsp.storage.records import MessageAdded, Renamed, UsageCounted
from agent_lsp.storage.restore import restore
from agent_lsp.storage.summary import entry_of, find_entry

USAGE = Usage(1, 2, 3, 4, None)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TaskIndex]:
    index = TaskIndex(tmp_path)
    yield index
    index.close()


def summary(number: int, title: str = "Task", state: State = State.IDLE) -> TaskSummary:
    return TaskSummary(f"task-{number}", title, number, state, USAGE)


def store(state: Path, task: TaskSummary) -> TaskSummary:
    """Put a task on the disk that the index should list in this way."""
    ask = Ask.COMPLETION_RESULT if task.state is State.IDLE else Ask.TOOL
    records = (
        replace(STARTED, task_id=task.task_id, client_request_id=f"request-{task.ts}"),
        MessageAdded(Message(task.ts, "ask", ask, text="x")),
        UsageCounted(task.usage),
        Renamed(task.title),
    )
    put_journal(state / "tasks" / task.task_id, journal_of(records))
    return task


def ids(page: TaskList) -> list[str]:
    return [task.task_id for task in page.tasks]


def test_tasks_are_listed_newest_first(tmp_path: Path, index: TaskIndex) -> None:
    tasks = [store(tmp_path, summary(number)) for number in (3, 1, 2)]

    assert index.list() == TaskList((tasks[0], tasks[2], tasks[1]))


def test_empty_state_lists_nothing(index: TaskIndex) -> None:
    assert index.list() == TaskList(())


def test_pages_follow_one_another_without_gap_or_overlap(tmp_path: Path, index: TaskIndex) -> None:
    for number in range(7):
        store(tmp_path, replace(summary(number), ts=number // 3))  # Several have the same time.

    pages = [index.list(limit=3)]
    while cursor := pages[-1].cursor:
        pages.append(index.list(cursor=cursor, limit=3))

    assert [ids(page) for page in pages] == [
        ["task-6", "task-5", "task-4"],
        ["task-3", "task-2", "task-1"],
        ["task-0"],
    ]


@pytest.mark.parametrize("cursor", ["", "x", "x:y", "-1:a", "9" * 19 + ":a"])
def test_cursor_of_someone_else_is_refused(index: TaskIndex, cursor: str) -> None:
    with pytest.raises(BadParams):
        index.list(cursor=cursor)


@pytest.mark.parametrize(
    ("query", "found"),
    [(None, ["task-2", "task-1"]), ("ÜBER", ["task-1"]), (" 100% ", ["task-2"]), ("_", []), ("", ["task-2", "task-1"])],
)
def test_query_looks_for_words_in_titles(tmp_path: Path, index: TaskIndex, query: str, found: list[str]) -> None:
    store(tmp_path, summary(1, "über the top"))
    store(tmp_path, summary(2, "100% done"))

    assert ids(index.list(query=query)) == found


@pytest.mark.parametrize(
    ("state", "listed"),
    [
        (State.IDLE, State.IDLE),
        (State.RUNNING, State.RESUMABLE),
        (State.STREAMING, State.RESUMABLE),
        (State.WAITING_FOR_INPUT, State.RESUMABLE),
        (State.RESUMABLE, State.RESUMABLE),
    ],
)
def test_stored_task_is_listed_at_rest(tmp_path: Path, index: TaskIndex, state: State, listed: State) -> None:
    store(tmp_path, summary(1))
    index.list()

    index.upsert(summary(1, state=state))

    assert index.list().tasks[0].state is listed


def test_upsert_replaces_and_keeps_the_request(tmp_path: Path, index: TaskIndex) -> None:
    store(tmp_path, summary(1))
    index.upsert(summary(1), "request-1")
    index.upsert(summary(1, "New title"))

    assert index.list() == TaskList((summary(1, "New title"),))
    assert (index.find_request("request-1"), index.find_request("request-2")) == ("task-1", None)


def test_rename_is_found_by_its_new_words(tmp_path: Path, index: TaskIndex) -> None:
    store(tmp_path, summary(1, "Old"))
    index.list()

    index.rename("task-1", "Éclair")

    assert index.list(query="éclair").tasks == (summary(1, "Éclair"),)


def test_rebuilt_index_equals_the_one_that_was_kept(tmp_path: Path) -> None:
    tasks = [store(tmp_path, summary(n, f"Task {n}", [State.IDLE, State.RESUMABLE][n % 2])) for n in range(20)]
    kept = TaskIndex(tmp_path)
    for task in tasks:
        kept.upsert(task, f"request-{task.ts}")
    before = kept.list()
    kept.close()
    (tmp_path / "index.sqlite").unlink()

    rebuilt = TaskIndex(tmp_path)

    assert rebuilt.list() == before
    assert rebuilt.find_request("request-7") == "task-7"
    rebuilt.close()


def damage_noise(file: Path) -> None:
    file.write_bytes(b"noise" * 1_000)


def damage_head(file: Path) -> None:
    file.write_bytes(bytes(20) + file.read_bytes()[20:])


def damage_middle(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


def damage_version(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("pragma user_version = 99")
    connection.close()


def damage_tables(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("drop table tasks")
    connection.close()


def damage_empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize(
    "damage", [damage_noise, damage_head, damage_middle, damage_version, damage_tables, damage_empty]
)
def test_broken_file_is_made_anew_from_the_journals(tmp_path: Path, damage: object) -> None:
    task = store(tmp_path, summary(1))
    first = TaskIndex(tmp_path)
    first.list()
    first.close()
    assert callable(damage)
    damage(tmp_path / "index.sqlite")

    index = TaskIndex(tmp_path)

    assert index.list() == TaskList((task,))
    index.close()
    again = TaskIndex(tmp_path)
    assert again.list() == TaskList((task,))
    again.close()


def test_file_that_breaks_while_it_is_open_is_made_anew(tmp_path: Path, index: TaskIndex) -> None:
    task = store(tmp_path, summary(1))
    index.list()
    with sqlite3.connect(tmp_path / "index.sqlite") as connection:
        connection.execute("drop table tasks")
    connection.close()

    index.upsert(task)

    assert index.list() == TaskList((task,))


def test_state_folder_that_takes_no_index_is_listed_from_memory(tmp_path: Path, index: TaskIndex) -> None:
    task = store(tmp_path, summary(1))
    (tmp_path / "index.sqlite").mkdir()

    assert index.list() == TaskList((task,))


def test_index_locked_by_another_server_does_no_harm_to_it(tmp_path: Path, index: TaskIndex) -> None:
    task = store(tmp_path, summary(1))
    first = TaskIndex(tmp_path)
    first.list()
    other = sqlite3.connect(tmp_path / "index.sqlite", isolation_level=None)
    other.execute("begin exclusive")

    assert index.list() == TaskList((task,))

    other.execute("rollback")
    other.close()
    assert first.list() == TaskList((task,))
    first.close()


def test_tasks_of_another_server_and_deleted_folders_are_caught_up_with(tmp_path: Path, index: TaskIndex) -> None:
    store(tmp_path, summary(1))
    index.upsert(summary(2))
    index.list()
    store(tmp_path, summary(3))

    index.catch_up()

    assert ids(index.list()) == ["task-3", "task-1"]


def test_folders_that_hold_no_task_are_not_listed(tmp_path: Path, index: TaskIndex) -> None:
    put_journal(tmp_path / "tasks" / "empty", b"")
    put_journal(tmp_path / "tasks" / "noise", b"noise\n")
    put_journal(tmp_path / "tasks" / "odd name", journal_of(EVERY_KIND))
    (tmp_path / "tasks" / "nothing").mkdir()

    assert index.list() == TaskList(())


def test_index_serves_several_threads(tmp_path: Path, index: TaskIndex) -> None:
    for number in range(40):
        (tmp_path / "tasks" / f"task-{number}").mkdir(parents=True)
    threads = [threading.Thread(target=index.upsert, args=(summary(number),)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(index.list().tasks) == 40


def test_deleted_task_is_gone_from_list_and_disk(tmp_path: Path, index: TaskIndex) -> None:
    store(tmp_path, summary(1))
    (tmp_path / "tasks" / "task-1" / "artifacts").mkdir()
    index.list()

    index.delete("task-1")

    assert index.list() == TaskList(())
    assert list((tmp_path / "tasks").iterdir()) == []


def test_task_that_is_open_is_not_deleted(tmp_path: Path, index: TaskIndex) -> None:
    task = store(tmp_path, summary(1))
    journal, _ = Journal.open(tmp_path / "tasks" / "task-1")

    with pytest.raises(TaskBusy):
        index.delete("task-1")

    journal.close()
    assert index.list() == TaskList((task,))


@pytest.mark.parametrize("task_id", ["", ".", "..", "../x", "a/b", "/etc", "task-9", "a\0b", "x" * 65, "task-1\n"])
def test_deleting_reaches_only_tasks(tmp_path: Path, index: TaskIndex, task_id: str) -> None:
    store(tmp_path, summary(1))
    (tmp_path / "x").mkdir()

    with pytest.raises(TaskUnknown):
        index.delete(task_id)

    assert ids(index.list()) == ["task-1"]
    assert (tmp_path / "x").is_dir()


def test_link_in_place_of_a_task_is_not_followed(tmp_path: Path, index: TaskIndex) -> None:
    precious = put_journal(tmp_path / "precious", journal_of(EVERY_KIND))
    store(tmp_path, summary(1))
    (tmp_path / "tasks" / "task-1" / "link").symlink_to(precious)
    (tmp_path / "tasks" / "task-2").symlink_to(precious)

    index.delete("task-1")
    with pytest.raises(TaskUnknown):
        index.delete("task-2")

    assert len(list(precious.iterdir())) == 1


def test_remains_of_a_deletion_are_swept_up_by_the_next(tmp_path: Path, index: TaskIndex) -> None:
    (tmp_path / "tasks" / ".deleted-task-9-abcd" / "artifacts").mkdir(parents=True)
    store(tmp_path, summary(1))

    index.delete("task-1")

    assert list((tmp_path / "tasks").iterdir()) == []


def test_deletion_that_the_disk_refuses_says_so(
    tmp_path: Path, index: TaskIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path, summary(1))

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refuse)

    with pytest.raises(StorageProblem, match=r"^The task cannot be deleted \(Permission denied\): make "):
        index.delete("task-1")


@given(lives())
def test_line_of_the_list_is_found_without_reading_all_of_a_journal(memory: Memory) -> None:
    content = journal_of(memory.records)

    assert find_entry(content, "task-1") == entry_of(restore(read_lines(content), "task-1"))


def test_line_of_the_list_is_found_behind_damage() -> None:
    content = journal_of([Renamed("lost")]) + journal_of([STARTED, Renamed("Sums")])[:-9]

    entry = find_entry(content, "task-1")

    assert entry is not None
    assert (entry.summary.title, entry.client_request_id) == ("lost", None)


def test_line_of_the_list_is_found_in_a_moment() -> None:
    message = MessageAdded(Message(5, "say", say=Say.TEXT, text="word " * 200))
    content = journal_of([STARTED, *[message] * 20_000])
    began = time.perf_counter()
    find_entry(content, "task-1")
    found = time.perf_counter() - began
    restore(read_lines(content), "task-1")
    restored = time.perf_counter() - began - found

    assert found < restored / 5, f"{found * 1e3:.1f} ms against {restored * 1e3:.1f} ms for {len(content)} bytes"
