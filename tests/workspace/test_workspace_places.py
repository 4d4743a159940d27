import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import Standing
from agent_lsp.workspace.places import Places, judge_path

CASES = [
    json.loads(line)
    for name in ("paths.jsonl", "paths_more.jsonl")
    for line in (Path(__file__).parent.parent / "cases" / name).read_text().splitlines()
]


def filled(text: str, base: Path) -> str:
    for mark, folder in (("{T}", base), ("{W}", base / "W"), ("{O}", base / "O"), ("{H}", base / "H")):
        text = text.replace(mark, str(folder))
    return text


def build(base: Path, steps: Sequence[dict[str, str]]) -> None:
    for step in steps:
        match step:
            case {"dir": name}:
                (base / name).mkdir(parents=True, exist_ok=True)
            case {"file": name}:
                (base / name).parent.mkdir(parents=True, exist_ok=True)
                (base / name).write_text("original\n")
            case {"link": name, "to": target}:
                (base / name).symlink_to(filled(target, base))
            case {"hardlink": name, "to": target}:
                (base / name).hardlink_to(base / target)
            case {"rename": name, "to": target}:
                (base / name).rename(base / target)
            case {"remove": name}:
                (base / name).unlink()
            case _:
                assert "ignore" in step


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['why']}")
def test_path_leads_where_the_case_says(case: dict, tmp_path: Path) -> None:
    build(tmp_path, [{"dir": "W"}, *case["setup"]])
    lines = [line for step in case["setup"] for line in step.get("ignore", ())]
    path = filled(case["path"], tmp_path)
    roots = [tmp_path / root for root in case.get("roots", ["W"])]

    def judged() -> Standing:
        return judge_path(path, roots=roots, home=tmp_path / "H", ignore_lines=lines, use=case["op"])

    before = judged()
    build(tmp_path, case.get("race", ()))

    assert judged() == case["expect"]
    assert "race" in case or before == case["expect"]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    steps = ["W/src/b.py", "W/a.txt", "O/secret.txt", "H/h.txt", "W/private/a", "W2/only.txt", "W2/a.txt"]
    build(tmp_path, [{"file": name} for name in steps])
    (tmp_path / "W" / ".agentignore").write_text("private/\n*.key\n!ok.key\n/top.txt\n")
    return tmp_path


@pytest.fixture
def places(base: Path) -> Places:
    return Places((base / "W", base / "W2"), home=base / "H")


NOWHERE = {
    "empty": "",
    "blank": "  ",
    "nul": "a\0b",
    "half a surrogate pair": "a\ud800",
    "variable": "$HOME/x",
    "drive": "C:/x",
    "drive, relative": "c:x",
    "share": "\\\\host\\share\\x",
    "share with slashes": "//host/share/x",
    "share in an address": "file:////host/share",
    "address with a host": "file://host/x",
    "address without slashes": "file:/etc/passwd",
    "address with a drive": "file:///C:/x",
    "address with an encoded drive": "file:///c%3A/x",
    "address with nul": "file:///a%00b",
    "address with a query": "file:///a?b",
    "another address": "https://example.org/x",
    "a document that is no file": "untitled:Untitled-1",
    "another's home": "~root/x",
    "proc": "/proc/self/environ",
    "dev": "/dev/zero",
    "sys": "/sys/kernel",
    "proc by dots": "../../../../../../../../../proc/1/mem",
    "a way through proc": "/proc/self/root{W}/a.txt",
    "a name that is too long": "x" * 300,
}


@pytest.mark.parametrize("path", NOWHERE.values(), ids=NOWHERE)
def test_path_that_names_no_file_is_outside_and_says_why(path: str, base: Path, places: Places) -> None:
    place = places.locate(filled(path, base), "write")

    assert (place.standing, place.root, place.uri) == (Standing.OUTSIDE, None, "")
    assert place.problem.endswith(".")


SPELLINGS = {
    "relative": ("src/b.py", "src/b.py"),
    "dots": ("./src/../src//b.py", "src/b.py"),
    "backslashes": ("src\\b.py", "src/b.py"),
    "absolute": ("{W}/src/b.py", "src/b.py"),
    "address": ("file://{W}/src/b.py", "src/b.py"),
    "address in capitals": ("FILE://{W}/src/b.py", "src/b.py"),
    "encoded address": ("file://{W}/%73rc/b%2Epy", "src/b.py"),
    "encoded twice stays encoded": ("file://{W}/%2573rc", "%73rc"),
    "percents in a path are themselves": ("%2e%2e/x", "%2e%2e/x"),
    "not there yet": ("new/folder/c.txt", "new/folder/c.txt"),
    "dots behind what is not there": ("new/../a.txt", "a.txt"),
    "dots behind a file": ("a.txt/../src/b.py", "src/b.py"),
    "the top": (".", "."),
    "a folder with a slash": ("src/", "src"),
    "only in the second root": ("only.txt", "only.txt"),
}


@pytest.mark.parametrize(("path", "shown"), SPELLINGS.values(), ids=SPELLINGS)
def test_spellings_of_a_path_lead_to_one_place(path: str, shown: str, base: Path, places: Places) -> None:
    place = places.locate(filled(path, base), "write")

    assert (place.path, place.standing, place.problem) == (shown, Standing.INSIDE, "")
    assert place.root is not None
    assert place.absolute == (place.root / shown)
    assert place.uri == place.absolute.as_uri()


def test_relative_path_means_the_first_root_that_has_it(base: Path, places: Places) -> None:
    assert places.locate("a.txt", "read").root == base / "W"
    assert places.locate("only.txt", "read").root == base / "W2"
    assert places.locate("nowhere.txt", "read").root == base / "W"


def test_without_a_root_relative_paths_lead_nowhere(tmp_path: Path) -> None:
    place = Places((), home=tmp_path).locate("a.txt", "read")

    assert (place.standing, place.problem) == (Standing.OUTSIDE, "No folder is open; give an absolute path.")


def test_place_outside_names_the_resolved_path(base: Path, places: Places) -> None:
    (base / "W" / "notes.md").symlink_to(base / "O" / "secret.txt")

    place = places.locate("notes.md", "write")

    assert (place.path, place.standing) == (str(base / "O" / "secret.txt"), Standing.OUTSIDE)


def test_home_is_outside_even_where_a_root_holds_it(base: Path) -> None:
    place = Places((base,), home=base / "H").locate("~/h.txt", "read")

    assert (place.absolute, place.standing, place.problem) == (base / "H" / "h.txt", Standing.OUTSIDE, "")


def test_root_reached_by_a_link_holds_its_files_under_either_name(base: Path) -> None:
    (base / "link").symlink_to("W")
    places = Places((base / "link",), home=base / "H")

    assert places.locate(f"{base}/link/a.txt", "read") == places.locate(f"{base}/W/a.txt", "read")
    assert places.locate("a.txt", "read").standing is Standing.INSIDE


def test_what_the_ignore_file_is_a_link_to_is_protected_as_well(base: Path, places: Places) -> None:
    (base / "W" / ".agentignore").unlink(missing_ok=True)
    (base / "W" / "lines").write_text("private/\n")
    (base / "W" / ".agentignore").symlink_to("lines")

    assert places.locate("lines", "write").standing is Standing.PROTECTED
    assert places.locate("lines", "read").standing is Standing.INSIDE
    assert places.locate("a.txt", "write").standing is Standing.INSIDE


@pytest.mark.parametrize("folder", ["", "sub"])
def test_an_ignore_file_that_is_a_pipe_keeps_all_back(base: Path, places: Places, folder: str) -> None:
    (base / "W" / folder).mkdir(exist_ok=True)
    (base / "W" / folder / ".agentignore").unlink(missing_ok=True)
    os.mkfifo(base / "W" / folder / ".agentignore")

    assert places.locate(f"{folder}/new.txt".lstrip("/"), "read").standing is Standing.IGNORED


def test_links_in_a_circle_lead_nowhere(base: Path, places: Places) -> None:
    (base / "W" / "one").symlink_to("two")
    (base / "W" / "two").symlink_to("one")

    place = places.locate("one/x", "write")

    assert (place.standing, "circle" in place.problem) == (Standing.OUTSIDE, True)


def test_protected_counts_for_writes_by_either_form(base: Path, places: Places) -> None:
    (base / "W" / "AGENTS.md").symlink_to("a.txt")

    assert places.locate("AGENTS.md", "write").standing is Standing.PROTECTED
    assert places.locate("AGENTS.md", "read").standing is Standing.INSIDE
    assert places.locate("a.txt", "write").standing is Standing.INSIDE


def test_file_with_other_names_is_read_and_not_written(base: Path, places: Places) -> None:
    (base / "W" / "linked.txt").hardlink_to(base / "O" / "secret.txt")

    read, written = places.locate("linked.txt", "read"), places.locate("linked.txt", "write")

    assert (read.standing, read.problem) == (Standing.INSIDE, "")
    assert written.standing is Standing.OUTSIDE
    assert "other names (hard links)" in written.problem


def test_place_outside_can_be_protected_too(base: Path, places: Places) -> None:
    place = places.locate(str(base / "O" / ".git" / "config"), "write")

    assert (place.standing, place.is_protected) == (Standing.OUTSIDE, True)


def test_where_the_root_lies_protects_nothing_in_it(base: Path) -> None:
    root = base / ".claude" / "worktrees" / "x"
    root.mkdir(parents=True)

    assert Places((root,), home=base).locate("a.txt", "write").standing is Standing.INSIDE


def test_root_within_another_is_protected_as_that_one_has_it(base: Path) -> None:
    inner = base / "W" / ".vscode"
    inner.mkdir()

    places = Places((base / "W", inner), home=base)

    assert places.locate(f"{inner}/tasks.json", "write").standing is Standing.PROTECTED


IGNORED = ["private", "private/a", "private/new/b", "x/private/y", "z.key", "top.txt", "src/../private/a", "{W}/z.key"]
SEEN = ["ok.key", "privates", "sub/top.txt", "src", "a.key.txt"]


@pytest.mark.parametrize("path", IGNORED)
def test_ignore_file_keeps_a_path_back(path: str, base: Path, places: Places) -> None:
    assert places.locate(filled(path, base), "read").standing is Standing.IGNORED


@pytest.mark.parametrize("path", SEEN)
def test_other_paths_are_not_kept_back(path: str, places: Places) -> None:
    assert places.locate(path, "read").standing is Standing.INSIDE


def test_ignore_file_is_read_again_when_it_changes(base: Path, places: Places) -> None:
    before = places.locate("a.txt", "read").standing

    (base / "W" / ".agentignore").write_text("a.txt # and more\na.txt\n")

    assert (before, places.locate("a.txt", "read").standing) == (Standing.INSIDE, Standing.IGNORED)


def test_ignore_file_that_is_gone_keeps_nothing_back(base: Path, places: Places) -> None:
    places.locate("z.key", "read")
    (base / "W" / ".agentignore").unlink()

    assert places.locate("z.key", "read").standing is Standing.INSIDE


def test_ignore_file_that_cannot_be_read_keeps_all_back(base: Path) -> None:
    (base / "W" / ".agentignore").unlink()
    (base / "W" / ".agentignore").mkdir()

    assert Places((base / "W",), home=base).locate("a.txt", "read").standing is Standing.IGNORED


def test_outer_root_keeps_back_what_lies_in_an_inner_one(base: Path) -> None:
    (base / ".agentignore").write_text("W2/only.txt\n")
    places = Places((base, base / "W2"), home=base)

    assert places.locate(str(base / "W2" / "only.txt"), "read").standing is Standing.IGNORED
    assert places.locate(str(base / "W2" / "a.txt"), "read").root == base / "W2"


def swap_for_link(path: Path, target: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    path.symlink_to(target)


@pytest.mark.parametrize(("swapped", "target"), [("a.txt", "O/secret.txt"), ("src", "O"), ("a.txt", "W/src/b.py")])
def test_place_that_leads_elsewhere_by_now_is_refused(swapped: str, target: str, base: Path, places: Places) -> None:
    place = places.locate("src/b.py" if swapped == "src" else "a.txt", "write")
    swap_for_link(base / "W" / swapped, base / target)

    with pytest.raises(FileProblem, match="leads elsewhere than when it was judged"):
        places.locate_again(place, "write")


def test_place_that_is_ignored_by_now_is_refused(base: Path, places: Places) -> None:
    place = places.locate("a.txt", "read")
    (base / "W" / ".agentignore").write_text("a.txt\n")

    with pytest.raises(FileProblem, match=r"kept from you by \.agentignore"):
        places.locate_again(place, "read")


def test_place_judged_for_reading_is_not_written_if_protected(places: Places) -> None:
    place = places.locate("AGENTS.md", "read")

    with pytest.raises(FileProblem, match="is protected by now"):
        places.locate_again(place, "write")


@pytest.mark.parametrize("path", ["a.txt", "new.txt", ".git/config", "{O}/secret.txt", "{O}/.git/x", "~/h.txt"])
def test_place_that_stands_as_it_was_judged_may_be_used(path: str, base: Path, places: Places) -> None:
    place = places.locate(filled(path, base), "write")

    assert places.locate_again(place, "write").absolute == place.absolute


NESTED = {
    "its own lines": ("src/x.log", Standing.IGNORED),
    "not beside it": ("x.log", Standing.INSIDE),
    "deeper": ("src/deep/x.log", Standing.IGNORED),
    "relative to its folder": ("src/gen/x", Standing.IGNORED),
    "not so elsewhere": ("gen/x", Standing.INSIDE),
    "taken back from the root": ("src/b.key", Standing.INSIDE),
    "not taken back elsewhere": ("b.key", Standing.IGNORED),
    "below a folder that the root ignores": ("src/private/ok", Standing.IGNORED),
}


@pytest.mark.parametrize(("path", "standing"), NESTED.values(), ids=NESTED)
def test_ignore_files_in_folders_add_to_the_roots(path: str, standing: Standing, base: Path, places: Places) -> None:
    (base / "W" / "src" / ".agentignore").write_text("*.log\n/gen/\n!*.key\n!private/ok\n")

    assert places.locate(path, "read").standing is standing


def test_ignore_file_of_a_folder_is_read_anew_each_time(base: Path, places: Places) -> None:
    ignore_file = base / "W" / "src" / ".agentignore"

    ignore_file.write_text("b.py\n")
    before = places.locate("src/b.py", "read").standing
    ignore_file.unlink()

    assert (before, places.locate("src/b.py", "read").standing) == (Standing.IGNORED, Standing.INSIDE)
