from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.encoding import Json
from agent_lsp.headless.demo.editor import DemoEditor, OpenFile, edited


class Outbox:
    """A connection that keeps what it is given to send."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Json]] = []

    def notify(self, method: str, params: Json | None = None) -> None:
        self.sent.append((method, params or {}))


def position(text: str, offset: int) -> Json:
    before = text[:offset]
    line_start = before.rfind("\n") + 1
    return {"line": before.count("\n"), "character": len(before[line_start:].encode())}


def edit(text: str, start: int, end: int, new_text: str) -> Json:
    return {"range": {"start": position(text, start), "end": position(text, end)}, "newText": new_text}


@given(st.text(alphabet="aä😀\n", max_size=20), st.data())
def test_edits_land_where_they_were_meant(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4, unique=len(text) > 3)))
    one, two, three, four = places
    edits = [edit(text, one, two, "X"), edit(text, three, four, "Y")] if two < three else [edit(text, one, two, "X")]

    result = edited(text, edits)

    rest = f"{text[two:three]}Y{text[four:]}" if two < three else text[two:]
    assert result == f"{text[:one]}X{rest}"


@pytest.fixture
def editor(tmp_path: Path) -> DemoEditor:
    path = tmp_path / "a.py"
    path.write_text("old\n")
    return DemoEditor(OpenFile(path, "old\n"))


def change(editor: DemoEditor, **document: object) -> Json:
    named = {"uri": editor.file.uri, "version": 1} | document
    return {"edit": {"documentChanges": [{"textDocument": named, "edits": [edit("old\n", 0, 3, "new")]}]}}


def test_edit_changes_the_buffer_and_not_the_disk(editor: DemoEditor) -> None:
    outbox = Outbox()

    answer = editor.apply(change(editor), outbox)

    assert answer == {"applied": True}
    assert (editor.file.text, editor.file.version, editor.edits_taken) == ("new\n", 2, 1)
    assert editor.file.path.read_text() == "old\n"
    changed = {"textDocument": {"uri": editor.file.uri, "version": 2}, "contentChanges": [{"text": "new\n"}]}
    assert outbox.sent == [("textDocument/didChange", changed)]


@pytest.mark.parametrize("document", [{"uri": "file:///other"}, {"version": 7}, {"version": None}])
def test_edit_of_anything_else_is_refused(editor: DemoEditor, document: Json) -> None:
    outbox = Outbox()

    answer = editor.apply(change(editor, **document), outbox)

    assert (answer["applied"], editor.file.text, outbox.sent) == (False, "old\n", [])


def test_file_operations_are_refused(editor: DemoEditor) -> None:
    answer = editor.apply({"edit": {"documentChanges": [{"kind": "create", "uri": "file:///x"}]}}, Outbox())

    assert answer["applied"] is False


def test_save_writes_the_open_file_and_says_so(editor: DemoEditor) -> None:
    outbox = Outbox()
    editor.apply(change(editor), Outbox())

    answer = editor.save({"uris": [editor.file.uri, "file:///other"]}, outbox)

    assert answer == {
        "saved": [editor.file.uri],
        "failed": [{"uri": "file:///other", "reason": "It is not open."}],
    }
    assert editor.file.path.read_text() == "new\n"
    assert outbox.sent == [("textDocument/didSave", {"textDocument": {"uri": editor.file.uri}})]
