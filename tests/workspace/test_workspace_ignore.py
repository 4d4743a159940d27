from pathlib import Path

import pytest

from agent_lsp.workspace.globs import Glob
from agent_lsp.workspace.ignore import IgnoreRules, IgnoreStack, read_rules

RULES = ["# a comment", "", "private/", "*.key", "!ok.key", "/top", "a/**/z", "\\!odd", "secrets/", "!secrets/keep.pem"]

DECIDED = {
    "a folder": ("private", True, True),
    "a file of a folder's name": ("private", False, False),
    "in an ignored folder": ("private/a/b", False, True),
    "a folder deeper down": ("x/private/a", False, True),
    "by its ending": ("x/y.key", False, True),
    "taken back": ("x/ok.key", False, False),
    "taken back under an ignored folder": ("secrets/keep.pem", False, True),
    "anchored": ("top", False, True),
    "anchored, deeper down": ("x/top", False, False),
    "across folders": ("a/b/c/z", False, True),
    "escaped": ("!odd", False, True),
    "a comment is no pattern": ("# a comment", False, False),
    "nothing says so": ("src/a.py", False, False),
}


@pytest.mark.parametrize(("path", "is_folder", "is_ignored"), DECIDED.values(), ids=DECIDED)
def test_paths_are_ignored_as_git_does_it(path: str, is_folder: bool, is_ignored: bool) -> None:
    assert IgnoreRules(RULES).is_ignored(path.split("/"), is_folder=is_folder) is is_ignored


CLASSES = {
    "named": ("[[:digit:]]x", {"1x": True, "ax": False, ":x": False}),
    "named, among others": ("[[:alpha:]_-]x", {"ax": True, "_x": True, "-x": True, "1x": False}),
    "not the named": ("[^[:digit:]]x", {"1x": False, "ax": True}),
    "punctuation": ("[[:punct:]]x", {"]x": True, "[x": True, "\\x": True, "Zx": False}),
    "a name that there is not": ("[[:foo:]]x", {"fx": False, ":x": False}),
    "a name without brackets around it": ("[:digit:]x", {"dx": True, ":x": True, "1x": False}),
    "an escaped bracket": ("[a\\]b]x", {"ax": True, "]x": True, "bx": True}),
    "a bracket": ("[[]x", {"[x": True, "ax": False}),
    "a bracket at its beginning": ("[]a]x", {"]x": True, "ax": True}),
    "a range between escapes": ("[\\a-\\c]x", {"bx": True, "dx": False}),
    "a range from the wrong end": ("[c-a]x", {"bx": False, "cx": False}),
    "a dash": ("[a-]x", {"-x": True, "ax": True, "bx": False}),
    "without an end": ("[ax", {"ax": False}),
    "escaped": ("\\[a]x", {"[a]x": True, "ax": False}),
}


@pytest.mark.parametrize(("line", "names"), CLASSES.values(), ids=CLASSES)
def test_classes_of_characters_mean_what_git_takes_them_for(line: str, names: dict[str, bool]) -> None:
    rules = IgnoreRules([line])

    assert {name: rules.is_ignored([name], is_folder=False) for name in names} == names


ORDERED = {
    "a folder behind what takes back all below": (["!/src/**", "src/private/"], "src/private/a", True),
    "a name behind what takes back everything": (["!/**", "secret"], "secret/a", True),
    "a folder that is not among what is below it": (["/*", "!/src/**"], "src/a", True),
    "a folder taken back, and what is below it": (["/*", "!/src", "!/src/**"], "src/x/a", False),
    "a folder taken back behind its name": (["secret", "!secret/"], "secret/a", False),
    "nothing taken back": (["secret", "!/"], "secret/a", True),
    "folders taken back, files not": (["*", "!*/"], "x/a", True),
    "all folders": (["**/"], "x/a", True),
    "no file by a line for folders": (["**/"], "a", False),
}


@pytest.mark.parametrize(("lines", "path", "is_ignored"), ORDERED.values(), ids=ORDERED)
def test_last_line_that_names_a_path_decides(lines: list[str], path: str, is_ignored: bool) -> None:
    assert IgnoreRules(lines).is_ignored(path.split("/"), is_folder=False) is is_ignored


def test_stars_before_a_last_slash_are_the_folders_below() -> None:
    rules = IgnoreRules(["a/**/"])

    ignored = {path: rules.is_ignored(path.split("/"), is_folder=True) for path in ("a", "a/b", "a/b/c", "b")}
    assert ignored == {"a": False, "a/b": True, "a/b/c": True, "b": False}
    assert not rules.is_ignored(["a", "b"], is_folder=False)


def test_more_than_two_stars_are_two() -> None:
    rules = IgnoreRules(["a/****/b"])

    assert rules.is_ignored(["a", "x", "y", "b"], is_folder=False)
    assert not rules.is_ignored(["a", "x", "y", "c"], is_folder=False)


def test_lines_that_are_no_pattern_are_passed_over() -> None:
    rules = IgnoreRules(["!", "*.key", "/"])

    assert rules.is_ignored(("z.key",), is_folder=False)
    assert not rules.is_ignored(("a",), is_folder=False)


def test_inner_files_have_the_last_word() -> None:
    outer, inner = IgnoreRules(["*.log", "/src/build"]), IgnoreRules(["!keep.log", "/only"])

    stack = IgnoreStack(((outer, ""),)).entered("src", inner)

    ignored = {name: stack.is_ignored(name, is_folder=False) for name in ("a.log", "keep.log", "build", "only", "b.py")}
    assert ignored == {"a.log": True, "keep.log": False, "build": True, "only": True, "b.py": False}


def test_ignore_files_are_read_in_any_encoding(tmp_path: Path) -> None:
    path = tmp_path / ".gitignore"
    path.write_bytes(b"\xef\xbb\xbf*.log\r\nbl\xe9\r\n")

    rules = read_rules(path, when_unreadable=IgnoreRules(()))

    assert rules.is_ignored(("a.log",), is_folder=False)


GLOBS = {
    "no pattern": (None, {"a.py": True, "src/b.ts": True, ".env": False, "x/.hid/a": False}),
    "blank": (" ", {"a.py": True}),
    "an ending": ("*.py", {"a.py": True, "src/b.py": True, "a.pyc": False, ".hidden.py": False}),
    "alternatives": ("*.{ts,tsx}", {"a.ts": True, "x/a.tsx": True, "a.js": False}),
    "nested alternatives": ("{a,b{1,2}}.c", {"a.c": True, "b1.c": True, "b2.c": True, "b.c": False}),
    "a folder": ("src/**/*.py", {"src/a.py": True, "src/x/y/a.py": True, "a.py": False}),
    "from the top": ("./src/*.py", {"src/a.py": True, "x/src/a.py": False}),
    "all but": ("!*.min.js", {"a.js": True, "a.min.js": False}),
    "hidden by name": (".github/**/*.yml", {".github/workflows/ci.yml": True, "a.yml": False}),
    "unclosed": ("*.{py", {"a.py": False, "a.{py": True}),
}


@pytest.mark.parametrize(("pattern", "expected"), GLOBS.values(), ids=GLOBS)
def test_file_patterns_choose_files(pattern: str | None, expected: dict[str, bool]) -> None:
    glob = Glob(pattern)

    assert {path: glob.takes(path) for path in expected} == expected


def test_pattern_with_very_many_alternatives_stays_cheap() -> None:
    assert not Glob("{a,b}" * 40).takes("ab")
