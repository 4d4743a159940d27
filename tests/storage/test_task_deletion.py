"""Deleting reaches the task that is meant, and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from storage_samples import EVERY_KIND, ids, journal_of, put_journal, store, summary

from agent_lsp.domain.errors import StorageProblem, TaskBusy, TaskUnknown
from agent_lsp.domain.requests import TaskList
from agent_lsp.storage.index import TaskIndex
from agent_lsp.storage.journal import Journal


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TaskIndex]:
    index = TaskIndex(tmp_path)
    yield index
    index.close()


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


def test_folder_whose_journal_is_gone_is_deleted_like_any_other(tmp_path: Path, index: TaskIndex) -> None:
    (tmp_path / "tasks" / "task-1" / "artifacts").mkdir(parents=True)

    index.delete("task-1")

    assert list((tmp_path / "tasks").iterdir()) == []
