"""The table of edits: what the edit tools make of a call, byte for byte, however the files are reached."""

import json
import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_editor import SmallEditor
from tool_fakes import FakeGate, FakeScreen

from agent_lsp.domain.documents import Documents
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.history import Call
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.apply_diff import ApplyDiff
from agent_lsp.tools.apply_patch import ApplyPatch
from agent_lsp.tools.edit_file import EditFile
from agent_lsp.tools.editing import Editing
from agent_lsp.tools.toolbox import Toolbox
from agent_lsp.tools.write_to_file import WriteToFile
from agent_lsp.workspace.files import WorkspaceFiles
from agent_lsp.workspace.opened import NoDocuments

ROWS = (Path(__file__).parent.parent / "cases" / "edits.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [json.loads(row) for row in ROWS]


def content(text: Any) -> bytes:
    match text:
        case str():
            return text.encode()
        case {"b64": encoded}:
            return b64decode(encoded)
        case {"gen": "lines", "n": count, **more}:
            lines = [more.get("line", "line {i}").replace("{i}", str(number)) for number in range(1, count + 1)]
            for number, line in more.get("set", {}).items():
                lines[int(number) - 1] = line
            return "".join(line + "\n" for line in lines).encode()
        case _:
            raise AssertionError(f"no such kind of text: {text}")


def mentions(outcome: Outcome, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return any(mentions(outcome, one) for one in wanted)
    pattern = rf"(?<!\d){wanted}(?!\d)" if isinstance(wanted, int) else wanted
    return re.search(pattern, outcome.text, re.IGNORECASE) is not None


def on_disk(_: Path) -> Documents:
    return NoDocuments()


def through_the_editor(_: Path) -> Documents:
    return SmallEditor()


def with_the_files_open(root: Path) -> Documents:
    editor = SmallEditor()
    for path in filter(Path.is_file, root.rglob("*")):
        try:
            editor.open(path)
        except FileProblem:
            continue  # No editor shows it as text.
    return editor


def toolbox(root: Path, documents: Documents) -> Toolbox:
    files = WorkspaceFiles([root], documents, environment={})
    editing = Editing(files, FakeGate(), FakeScreen())
    return Toolbox([ApplyDiff(editing), EditFile(editing), WriteToFile(editing), ApplyPatch(editing)])


def write(root: Path, files: dict[str, bytes]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text)


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def expected(before: dict[str, bytes], changed: dict[str, Any]) -> dict[str, bytes]:
    kept = {path: text for path, text in before.items() if changed.get(path, "") is not None}
    return kept | {path: content(text) for path, text in changed.items() if text is not None}


@pytest.mark.parametrize("documents", [on_disk, through_the_editor, with_the_files_open])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['class']}")
async def test_edit_does_what_the_table_says(
    case: dict[str, Any], documents: Callable[[Path], Documents], tmp_path: Path
) -> None:
    before = {path: content(text) for path, text in case["files"].items()}
    write(tmp_path, before)
    editor = documents(tmp_path)
    call = Call("c1", case["tool"], json.dumps(case["args"]))

    outcome = await toolbox(tmp_path, editor).run(call, has_failed_before=False)

    if isinstance(editor, SmallEditor):
        editor.save_all()
    expect = case["expect"]
    assert tree(tmp_path) == expected(before, expect.get("files", {}))
    assert outcome.is_error == bool(expect.get("error") or expect.get("partial")), outcome.text
    assert all(mentions(outcome, wanted) for wanted in expect.get("mentions", ())), outcome.text
