import asyncio
import os
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from workspace_editor import FakeEditor

from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.files import Hit, SearchHits
from agent_lsp.workspace.files import OwnFolders, WorkspaceFiles
from agent_lsp.workspace.globs import Glob
from agent_lsp.workspace.opened import NoDocuments
from agent_lsp.workspace.places import Places
from agent_lsp.workspace.search import BATCH_FILES, Question, Searching
from agent_lsp.workspace.search_engines import OWN_ENGINE, Engine, find_engines, ripgrep
from agent_lsp.workspace.walking import Walk

RIPGREP = shutil.which("rg")
ENGINES: dict[str, Mapping[str, str]] = {"own": {}}
if RIPGREP:
    # The same contract for both; where there is no ripgrep, nothing is left of the product to test with it.
    ENGINES["ripgrep"] = {"PATH": str(Path(RIPGREP).parent)}


@pytest.fixture(params=ENGINES.values(), ids=list(ENGINES))
def files(request: pytest.FixtureRequest, root: Path, editor: FakeEditor) -> WorkspaceFiles:
    return WorkspaceFiles([root], editor, environment=request.param)


def write(root: Path, **contents: str | bytes) -> None:
    for name, content in contents.items():
        path = root / name.replace("__", "/").replace("_py", ".py").replace("_txt", ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


async def search(
    files: WorkspaceFiles, regex: str, *, path: str = ".", glob: str | None = None, limit: int = 300
) -> SearchHits:
    return await files.search(files.locate(path, "read"), regex, glob, limit)


async def found(files: WorkspaceFiles, regex: str, *, path: str = ".", glob: str | None = None) -> list[str]:
    hits = await search(files, regex, path=path, glob=glob)
    return [f"{hit.path}:{number}" for hit in hits.hits for number, _, is_match in hit.lines if is_match]


async def test_match_comes_with_a_line_on_either_side(files: WorkspaceFiles, root: Path) -> None:
    write(root, src__a_py="1\n2\nfoo\n4\n5\nfoo\n")

    hits = await search(files, "fo+")

    assert hits == SearchHits(
        (Hit("src/a.py", ((2, "2", False), (3, "foo", True), (4, "4", False), (5, "5", False), (6, "foo", True))),),
        2,
        is_cut=False,
    )


async def test_hits_stand_in_the_order_of_their_paths(files: WorkspaceFiles, root: Path) -> None:
    write(root, z_txt="x\n", a__b_txt="x\n", a_txt="x\n\n\n\nx\n", B_txt="x\n", a__a__c_txt="x\n")

    assert await found(files, "x") == ["B.txt:1", "a/a/c.txt:1", "a/b.txt:1", "a.txt:1", "a.txt:5", "z.txt:1"]


LINES = {
    "anchors": ("^b$", "a\nb\nbb\n", ["a.txt:2"]),
    "returns are no text": ("b$", "a\r\nb\r\n", ["a.txt:2"]),
    "a last line without its end": ("b", "a\nb", ["a.txt:2"]),
    "case": ("(?i)B", "b\n", ["a.txt:1"]),
    "classes": (r"\bfoo\d+", "xfoo1\nfoo1\n", ["a.txt:2"]),
    "a form feed ends no line": ("b", "a\x0cb\n", ["a.txt:1"]),
    "a look behind": ("(?<=a)b", "ab\n", ["a.txt:1"]),
    "letters beyond ascii": ("ü.€", "ü😀€\n", ["a.txt:1"]),
    "a mark is no text": ("^a", b"\xef\xbb\xbfa\n", ["a.txt:1"]),
    "utf-16": ("^ja$", "ja\n".encode("utf-16"), ["a.txt:1"]),
    "bytes that are no text": ("bl", b"bl\xe9\n", ["a.txt:1"]),
    "binary": ("a", b"a\n\0\n", []),
    "empty": ("x", "", []),
    "a pattern that looks like an option": ("--files", "x --files\n", ["a.txt:1"]),
}


@pytest.mark.parametrize(("regex", "content", "expected"), LINES.values(), ids=LINES)
async def test_patterns_match_line_by_line(
    regex: str, content: str | bytes, expected: list[str], files: WorkspaceFiles, root: Path
) -> None:
    write(root, a_txt=content)

    assert await found(files, regex) == expected


async def test_ignored_hidden_and_linked_files_are_not_searched(files: WorkspaceFiles, root: Path) -> None:
    write(root, a_txt="x", b__kept_txt="x", b__dropped_txt="x", secret__s_txt="x")
    (root / ".hidden").write_text("x")
    (root / "link.txt").symlink_to("/etc/passwd")
    (root / ".gitignore").write_text("dropped.txt\n")
    (root / ".agentignore").write_text("secret/\n")

    assert await found(files, "x") == ["a.txt:1", "b/kept.txt:1"]
    assert await found(files, "x", glob=".h*") == [".hidden:1"]


async def test_pattern_of_names_chooses_files(files: WorkspaceFiles, root: Path) -> None:
    write(root, a_py="x", b_txt="x", src__c_py="x")

    assert await found(files, "x", glob="*.py") == ["a.py:1", "src/c.py:1"]
    assert await found(files, "x", path="src", glob="*.{py,ts}") == ["src/c.py:1"]


async def test_one_file_can_be_searched(files: WorkspaceFiles, root: Path) -> None:
    write(root, a_txt="x\n", b_txt="x\n")

    assert await found(files, "x", path="b.txt") == ["b.txt:1"]


@pytest.mark.parametrize("name", ["-", "--", "-e", "a b", "ü\n.txt", "\udcff.txt"])
async def test_awkward_names_are_only_names(name: str, files: WorkspaceFiles, root: Path) -> None:
    (root / name).write_text("x\n")

    (hit,) = (await search(files, "x")).hits

    assert hit.path == "".join(mark if mark.isprintable() else "\ufffd" for mark in name)


async def test_unsaved_text_is_what_is_searched(files: WorkspaceFiles, editor: FakeEditor, root: Path) -> None:
    write(root, a_txt="old\n", b_txt="old\n", src__c_txt="old\n")
    editor.type(editor.open(root / "b.txt"), "new\n")
    editor.open(root / "new.txt", "old, never saved\n")
    editor.open(root / "a.txt")
    editor.open(root / "x.py", "old, other kind\n")
    editor.open(root / ".hidden", "old\n")
    editor.open(root.parent / "outside.txt", "old\n")

    assert await found(files, "old", glob="*.txt") == ["a.txt:1", "src/c.txt:1", "new.txt:1"]
    assert await found(files, "new", glob="*.txt") == ["b.txt:1"]
    assert await found(files, "new", path="b.txt") == ["b.txt:1"]


async def test_buffer_that_differs_from_the_disk_wins_though_it_counts_as_saved(
    files: WorkspaceFiles, editor: FakeEditor, root: Path
) -> None:
    write(root, a_txt="shown\n")
    editor.open(root / "a.txt")
    write(root, a_txt="written behind the editor\n")

    assert await found(files, "shown|written") == ["a.txt:1"]
    assert (await search(files, "shown")).matches == 1


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
async def test_matches_beyond_the_limit_are_cut(limit: int, files: WorkspaceFiles, root: Path) -> None:
    write(root, a_txt="x\nx\n", b_txt="x\n")

    hits = await search(files, "x", limit=limit)

    assert (hits.matches, hits.is_cut) == (min(limit, 3), limit < 3)
    assert sum(is_match for hit in hits.hits for *_, is_match in hit.lines) == min(limit, 3)


async def test_long_lines_are_cut_around_the_match(files: WorkspaceFiles, root: Path) -> None:
    write(root, a_txt="é" * 5_000 + "needle" + "b" * 5_000 + "\n")

    (hit,) = (await search(files, "needle")).hits

    ((_, text, _),) = hit.lines
    assert len(text) == 500
    assert text.startswith("…é")
    assert text.endswith("b…")
    assert "needle" in text


async def test_giant_line_is_passed_over(files: WorkspaceFiles, root: Path) -> None:
    write(root, a_txt="x" * 10_000_000 + "\n", b_txt="x\n")

    hits = await search(files, "x")

    assert [hit.path for hit in hits.hits if len(hit.lines[0][1]) < 500] == ["b.txt"]


async def test_very_many_files_are_searched_in_order(files: WorkspaceFiles, root: Path) -> None:
    count = 2 * BATCH_FILES + 10
    for number in range(count):
        (root / f"{number:05}.txt").write_text("x\n" if number % 100 == 0 else "y\n")

    assert await found(files, "x") == [f"{number:05}.txt:1" for number in range(0, count, 100)]


@pytest.mark.parametrize("regex", ["(", "[a", "*a", "(?P<x"])
async def test_pattern_that_cannot_be_read_is_told(regex: str, files: WorkspaceFiles, root: Path) -> None:
    with pytest.raises(FileProblem, match="The pattern cannot be read: "):
        await search(files, regex)


async def test_folder_that_is_not_there_is_told(files: WorkspaceFiles) -> None:
    with pytest.raises(FileMissing, match=r"There is no folder b\."):
        await search(files, "x", path="b")


def searching(engine: Engine, seconds: float) -> Searching:
    return Searching(NoDocuments(), (engine,), seconds=seconds)


def asked(root: Path, regex: str) -> tuple[Question, Walk]:
    return Question(root, regex, Glob(None), 10), Walk(Places([root], home=root), root)


async def test_pattern_that_never_ends_is_stopped_and_holds_nothing_up(root: Path) -> None:
    write(root, a_txt="a" * 60 + "!\n")
    pauses = list[float]()

    async def tick() -> None:
        while True:
            start = time.monotonic()
            await asyncio.to_thread(int)
            pauses.append(time.monotonic() - start)

    ticking = asyncio.create_task(tick())
    with pytest.raises(FileProblem, match=r"took more than 0\.5 s"):
        await searching(OWN_ENGINE, 0.5).search(*asked(root, "(a+)+$"))
    ticking.cancel()

    assert max(pauses) < 0.25


def script(folder: Path, text: str) -> Engine:
    """An engine of a few lines, which first writes its own number to a file."""
    program = folder / "engine.py"
    program.write_text(
        f"import os, sys, time, json\nopen({str(folder / 'pid')!r}, 'w').write(str(os.getpid()))\n{text}"
    )
    return Engine((sys.executable, "-I", "-S", str(program)))


FOUND = (
    "print(json.dumps({'type': 'match', 'data': {'lines': {'text': 'x'}, 'line_number': 1, 'submatches': []}}))\n"
    "print(json.dumps({'type': 'end', 'data': {'path': {'text': './a.txt'}, 'binary_offset': None}}), flush=True)\n"
)


def is_alive(folder: Path) -> bool:
    try:
        os.kill(int((folder / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


async def test_what_was_found_in_time_is_kept(tmp_path: Path, root: Path) -> None:
    write(root, a_txt="x\n")

    matches = await searching(script(tmp_path, FOUND + "time.sleep(60)"), 1.0).search(*asked(root, "x"))

    assert (matches.count, matches.is_cut, is_alive(tmp_path)) == (1, True, False)


async def test_engine_that_floods_is_stopped_at_the_limit(tmp_path: Path, root: Path) -> None:
    write(root, a_txt="x\n")
    flood = "while True:\n " + "\n ".join(FOUND.splitlines())

    matches = await searching(script(tmp_path, flood), 20.0).search(*asked(root, "x"))

    assert (matches.count, matches.is_cut, is_alive(tmp_path)) == (10, True, False)


async def test_engine_is_gone_when_nobody_waits_any_more(tmp_path: Path, root: Path) -> None:
    write(root, a_txt="x\n")
    os.mkfifo(tmp_path / "started")
    engine = script(tmp_path, f"open({str(tmp_path / 'started')!r}, 'w').close()\ntime.sleep(60)")

    task = asyncio.create_task(searching(engine, 20.0).search(*asked(root, "x")))
    await asyncio.to_thread((tmp_path / "started").read_bytes)
    task.cancel()
    await asyncio.wait((task,))

    assert task.cancelled()
    assert not is_alive(tmp_path)


def program(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "rg").write_text("#!/bin/sh\n")
    (folder / "rg").chmod(0o755)
    return folder


def test_ripgrep_is_taken_from_an_absolute_folder_outside_the_workspace(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = program(root / "bin"), program(tmp_path / "bin")
    (tmp_path / "link").symlink_to(inside)
    (tmp_path / "folder" / "rg").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    path = f":bin:.:{inside}:{tmp_path / 'link'}:{tmp_path / 'folder'}:{tmp_path / 'none'}:{outside}"

    assert find_engines({"PATH": path}, [root]) == (ripgrep(outside / "rg"), OWN_ENGINE)
    assert find_engines({"PATH": f"bin:{inside}"}, [root]) == find_engines({}, [root]) == (OWN_ENGINE,)


def test_ripgrep_is_told_everything_by_arguments() -> None:
    arguments = ripgrep(Path("/usr/bin/rg")).arguments("-x", 11, ["./a", "-"])

    assert arguments[0] == "/usr/bin/rg"
    assert arguments[-5:] == ["--max-count=11", "--regexp=-x", "--", "./a", "-"]
    assert "--no-config" in arguments


SWAPPING = """#!/bin/sh
mv {name} gone && ln -s {target} {name}
printf '{{"type": "match", "data": {{"lines": {{"text": "%s"}}, "line_number": 1}}}}\\n' "$(cat {file})"
echo '{{"type": "end", "data": {{"path": {{"text": "./{file}"}}, "binary_offset": null}}}}'
"""


@pytest.mark.parametrize(("name", "file"), [("a.txt", "a.txt"), ("sub", "sub/b.txt"), ("", "a.txt")])
async def test_what_an_engine_read_through_a_link_that_came_meanwhile_is_not_told(
    tmp_path: Path, name: str, file: str
) -> None:
    root, outside = tmp_path / "W", tmp_path / "O"
    write(root, a_txt="mine", sub__b_txt="mine")
    write(outside, a_txt="theirs", sub__b_txt="theirs")
    write(tmp_path, bin__rg=SWAPPING.format(name=name, file=file, target=outside / name))
    (tmp_path / "bin" / "rg").chmod(0o700)
    files = WorkspaceFiles([root], NoDocuments(), environment={"PATH": str(tmp_path / "bin")})

    assert await found(files, "mine|theirs") == ([] if name else ["a.txt:1"])


async def test_private_folders_are_not_searched_from_above(root: Path) -> None:
    write(root, state__journal_txt="key\n", src__a_txt="key\n")
    files = WorkspaceFiles([root], NoDocuments(), own=OwnFolders(private=(root / "state",)), environment={})

    assert await found(files, "key") == ["src/a.txt:1"]


async def test_pipes_are_not_waited_for(files: WorkspaceFiles, root: Path) -> None:
    write(root, a_txt="here\n", sub__b_txt="here\n")
    for name in ("pipe.txt", ".gitignore", "sub/.gitignore"):
        os.mkfifo(root / name)

    assert await found(files, "here") == ["a.txt:1", "sub/b.txt:1"]
