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

FOLDER = Path(__file__).parent.parent / "cases"
TABLES = ("edits.jsonl", "edits_more.jsonl")
CASES = [json.loads(row) for table in TABLES for row in (FOLDER / table).read_text(encoding="utf-8").split("\n") if row]


def content(text: Any) -> bytes:
    match text:
        case str():
            return text.encode()
        case list():
            return b"".join(map(content, text))
        case {"b64": encoded}:
            return b64decode(encoded)
        case {"gen": "repeat", "s": piece, "n": count}:
            return piece.encode() * count
        case {"gen": "lines", "n": count, **more}:
            lines = generated(count, more.get("line", "line {i}"), more.get("set", {}))
            ended = [*lines, ""] if more.get("final", True) else lines
            return more.get("eol", "\n").join(ended).encode()
        case _:
            raise AssertionError(f"no such kind of text: {text}")


def generated(count: int, line: str, changed: dict[str, Any]) -> list[str]:
    lines = [changed.get(str(number), line.replace("{i}", str(number))) for number in range(1, count + 1)]
    return [piece for each in lines if each is not None for piece in (each if isinstance(each, list) else [each])]


def argument(value: Any) -> Any:
    """An argument as it is, or made of parts."""
    parts = value if isinstance(value, list) else [value]
    is_made = any(isinstance(part, dict) and "gen" in part for part in parts)
    return content(value).decode() if is_made else value


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


def fits(outcome: Outcome, expect: dict[str, Any], before: dict[str, bytes], after: dict[str, bytes]) -> bool:
    return (
        after == expected(before, expect.get("files", {}))
        and outcome.is_error == bool(expect.get("error") or expect.get("partial"))
        and all(mentions(outcome, wanted) for wanted in expect.get("mentions", ()))
        and len(outcome.text) <= expect.get("max_chars", len(outcome.text))
    )


@pytest.mark.parametrize("documents", [on_disk, through_the_editor, with_the_files_open])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['class']}")
async def test_edit_does_what_the_table_says(
    case: dict[str, Any], documents: Callable[[Path], Documents], tmp_path: Path
) -> None:
    before = {path: content(text) for path, text in case["files"].items()}
    write(tmp_path, before)
    editor = documents(tmp_path)
    arguments = {name: argument(value) for name, value in case["args"].items()}

    outcome = await toolbox(tmp_path, editor).run(
        Call("c1", case["tool"], json.dumps(arguments)), has_failed_before=False
    )

    if isinstance(editor, SmallEditor):
        editor.save_all()
    after = tree(tmp_path)
    expect = case["expect"]
    assert any(fits(outcome, each, before, after) for each in expect.get("any", [expect])), (outcome.text, after)
