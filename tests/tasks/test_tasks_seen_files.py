"""Which files a model is told to read again, and which it is not."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent_lsp.domain.documents import OpenDocument
from agent_lsp.domain.files import Base, FileEdit, FileText, Place, Standing
from agent_lsp.tasks.seen_files import MOST_SEEN, FileNews, SeenFiles, TasksEdits
from agent_lsp.workspace.opened import NoDocuments
from agent_lsp.workspace.reading import text_on_disk


@dataclass
class Desktop(NoDocuments):
    """An editor with documents of these texts."""

    texts: dict[str, tuple[int, str]] = field(default_factory=dict)

    def get(self, uri: str) -> OpenDocument | None:
        if uri not in self.texts:
            return None
        version, text = self.texts[uri]
        return OpenDocument(uri, version, text, is_dirty=True)

    def open_documents(self) -> Sequence[OpenDocument]:
        return [document for uri in self.texts if (document := self.get(uri))]


@dataclass
class Desk:
    """A folder, an editor, and what the model has seen of them."""

    root: Path
    editor: Desktop = field(default_factory=Desktop)
    has_run: bool = False

    def __post_init__(self) -> None:
        self.edits = TasksEdits()
        self.seen = SeenFiles(self.editor, lambda: self.has_run, self.edits)

    def other_task(self) -> "Desk":
        """Another task of the same server."""
        other = Desk(self.root, self.editor)
        other.seen = SeenFiles(self.editor, lambda: other.has_run, self.edits)
        return other

    def place(self, name: str) -> Place:
        path = self.root / name
        return Place(name, path, path.as_uri(), Standing.INSIDE, self.root)

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)

    def type(self, name: str, text: str) -> None:
        uri = self.place(name).uri
        self.editor.texts[uri] = (self.editor.texts.get(uri, (0, ""))[0] + 1, text)

    def show(self, name: str) -> None:
        document = self.editor.get(self.place(name).uri)
        text = FileText(document.text, Base(document.version, ""), is_open=True) if document else None
        self.seen.saw(self.place(name), text or text_on_disk(self.place(name)))

    def edit(self, name: str, before: str | None, after: str | None, move_to: str | None = None) -> None:
        known = FileText(before, Base(None, ""), is_open=False) if before is not None else None
        self.seen.edited([FileEdit(self.place(name), known, after, self.place(move_to) if move_to else None)])


async def test_file_that_the_user_writes_is_told_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a", "one")
    desk.show("a")
    before = await desk.seen.news()

    desk.write("a", "two!")

    assert (before, await desk.seen.news(), await desk.seen.news()) == (FileNews(), FileNews(("a",)), FileNews())


@pytest.mark.parametrize("has_run", [False, True])
async def test_edit_of_another_task_is_told_as_that(tmp_path: Path, has_run: bool) -> None:
    desk = Desk(tmp_path, has_run=has_run)
    desk.write("a", "one")
    desk.write("b", "one")
    desk.show("a")
    desk.show("b")

    desk.other_task().edit("a", "one", "two!")
    desk.other_task().edit("b", "one", None)
    desk.write("a", "two!")
    (tmp_path / "b").unlink()

    assert await desk.seen.news() == FileNews(by_tasks=("a", "b (it is gone)"))


async def test_document_that_another_task_edited_is_told_as_that_until_the_user_types(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.type("a", "one")
    desk.show("a")

    desk.other_task().edit("a", "one", "two")
    desk.type("a", "two")
    of_the_task = await desk.seen.news()
    desk.type("a", "two, typed")

    assert (of_the_task, await desk.seen.news()) == (FileNews(by_tasks=("a",)), FileNews(("a",)))


async def test_file_that_another_task_moved_away_is_gone_by_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a", "one")
    desk.show("a")

    desk.other_task().edit("a", "one", "one", move_to="b")
    (tmp_path / "a").rename(tmp_path / "b")

    assert await desk.seen.news() == FileNews(by_tasks=("a (it is gone)",))


async def test_file_that_is_written_as_it_was_is_no_news(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a", "one")
    desk.show("a")

    desk.write("a", "one")

    assert await desk.seen.news() == FileNews()


async def test_typing_into_a_document_is_told_though_it_is_not_saved(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.type("a", "one")
    desk.show("a")
    before = await desk.seen.news()

    desk.type("a", "two")

    assert (before, await desk.seen.news(), await desk.seen.news()) == (FileNews(), FileNews(("a",)), FileNews())


async def test_document_that_is_opened_or_closed_unchanged_is_no_news(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a", "one")
    desk.show("a")
    desk.type("a", "one")
    opened = await desk.seen.news()

    desk.editor.texts.clear()

    assert (opened, await desk.seen.news()) == (FileNews(), FileNews())


async def test_typing_that_is_closed_without_saving_is_told_as_the_file_is(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a", "one")
    desk.type("a", "typed")
    desk.show("a")

    desk.editor.texts.clear()

    assert await desk.seen.news() == FileNews(("a",))


async def test_file_that_the_model_reads_again_is_no_news(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a", "one")
    desk.show("a")
    desk.write("a", "two!")

    desk.show("a")

    assert await desk.seen.news() == FileNews()


async def test_what_the_model_edits_it_knows(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a", "one")
    desk.show("a")
    desk.write("a", "two!")
    desk.write("b", "new")
    desk.edit("a", "one", "two!")
    desk.edit("b", None, "new")
    edited = await desk.seen.news()

    desk.write("b", "newer")

    assert (edited, await desk.seen.news()) == (FileNews(), FileNews(("b",)))


async def test_edit_on_top_of_what_the_user_changed_does_not_hide_that(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("a", "one")
    desk.show("a")

    desk.write("a", "two, and the model's")
    desk.edit("a", "two", "two, and the model's")

    assert await desk.seen.news() == FileNews(("a",))


async def test_change_while_a_command_ran_is_told_as_such(tmp_path: Path) -> None:
    desk = Desk(tmp_path, has_run=True)
    desk.write("a", "one")
    desk.write("b", "one")
    desk.show("a")
    desk.type("b", "one")
    desk.show("b")

    desk.write("a", "formatted")
    desk.type("b", "typed")

    assert await desk.seen.news() == FileNews(("b",), ("a",))


async def test_file_that_is_gone_is_told_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for name in "ab":
        desk.write(name, "one")
        desk.show(name)
    desk.edit("b", "one", "two")

    (tmp_path / "a").unlink()
    (tmp_path / "b").unlink()

    assert await desk.seen.news() == FileNews(("a (it is gone)", "b (it is gone)"))
    assert await desk.seen.news() == FileNews()


async def test_file_that_the_model_deletes_or_moves_is_no_news(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for name in "ab":
        desk.write(name, "one")
        desk.show(name)
    desk.edit("a", "one", None)
    (tmp_path / "a").unlink()

    (tmp_path / "b").rename(tmp_path / "c")
    desk.edit("b", "one", "one", move_to="c")

    assert await desk.seen.news() == FileNews()


async def test_only_so_many_files_are_watched(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    names = [f"{number:03}" for number in range(MOST_SEEN + 2)]
    for name in names:
        desk.write(name, "one")
        desk.show(name)

    for name in names:
        desk.write(name, "two!")

    assert await desk.seen.news() == FileNews(tuple(names[2:]))


async def test_files_that_are_newer_than_the_task_have_changed(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for name, seconds in (("old", 1_000), ("new", 3_000), ("typed", 1_000)):
        desk.write(name, "one")
        os.utime(tmp_path / name, (seconds, seconds))
    desk.seen.recall([desk.place(name) for name in ("old", "new", "typed", "gone")], since_ms=2_000_000)
    first = await desk.seen.news()

    desk.write("old", "two!")
    desk.type("typed", "typed")

    assert first == FileNews(("gone (it is gone)", "new"))
    assert await desk.seen.news() == FileNews(("old", "typed"))


async def test_between_words_only_the_newest_are_looked_at_unless_commands_ran(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for name in "abc":
        desk.write(name, "one")
        desk.show(name)
        desk.write(name, "two!")

    newest = await desk.seen.news(1)
    desk.has_run = True

    assert (newest, await desk.seen.news(1)) == (FileNews(("c",)), FileNews((), ("a", "b")))
