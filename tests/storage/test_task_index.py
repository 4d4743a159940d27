"""The index lists what the journals say, whatever becomes of its file."""

import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from storage_samples import EVERY_KIND, ids, journal_of, put_journal, store, summary

from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.requests import TaskList
from agent_lsp.domain.status import State
from agent_lsp.storage.index import TaskIndex


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TaskIndex]:
    index = TaskIndex(tmp_path)
    yield index
    index.close()


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


def test_half_a_character_is_looked_for_and_not_found(tmp_path: Path, index: TaskIndex) -> None:
    store(tmp_path, summary(1, "über the top"))

    assert ids(index.list(query="\ud83d")) == []
    assert ids(index.list(cursor="5:\ud83d")) == ["task-1"]
    assert index.find_request("\ud83d") is None


def test_task_with_half_a_character_in_its_title_hides_no_other(tmp_path: Path, index: TaskIndex) -> None:
    store(tmp_path, summary(1, "half \ud83d"))
    store(tmp_path, summary(2, "whole"))

    assert [task.title for task in index.list().tasks] == ["whole", "half ?"]


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
