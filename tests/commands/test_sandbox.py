"""Whether a command is confined: what the user wants, what the system has, and what is told where it has nothing."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from agent_lsp.domain.commands import CommandEnd, Excerpt
from agent_lsp.workspace.commands import Commands
from agent_lsp.workspace.commands_launch import Launch
from agent_lsp.workspace.sandbox import Confinement, Sandbox, Wanted, is_git_at_work
from agent_lsp.workspace.sandbox_bubblewrap import bubblewrapped, find_bubblewrap, trial_problem
from agent_lsp.workspace.sandbox_places import Confines, Own, find_confines
from agent_lsp.workspace.sandbox_refusals import CONFINED, DENIED, refusal_in
from agent_lsp.workspace.sandbox_rules import landlocked


def planted(folder: Path, script: str) -> Path:
    """A bwrap of the test's own."""
    folder.mkdir(exist_ok=True)
    program = folder / "bwrap"
    program.write_text(f"#!/bin/bash\n{script}\n")
    program.chmod(0o755)
    return program


def sandbox(
    place: Path, search_path: str, word: Literal["off", "auto", "require"] = "auto", *, landlock: int = 0
) -> Sandbox:
    root, own = place / "root", Own(place / "home", (), place / "tmp")
    root.mkdir(exist_ok=True)
    wanted = Wanted(word, (root,))
    return Sandbox(Commands(os.environ), Confinement({"PATH": search_path}, lambda: landlock), own, lambda: wanted)


ABSENT = {
    "nothing is installed": (None, "bubblewrap is not installed"),
    "the system forbids it": (
        "echo bwrap: No permissions to create new namespace >&2; exit 1",
        "bwrap: No permissions",
    ),
    "it is none": ("exit 3", "bubblewrap ended with exit code 3"),
}


@pytest.mark.parametrize(("script", "problem"), ABSENT.values(), ids=ABSENT)
async def test_where_there_is_no_sandbox_that_is_said_once(tmp_path, script, problem):
    if script:
        planted(tmp_path / "bin", script)
    made = sandbox(tmp_path, str(tmp_path / "bin"))

    confined = [await made.around("ls"), await made.around("ls")]
    first, second = made.take_notice(), made.take_notice()

    assert (confined, second) == ([None, None], "")
    assert first.startswith(f"Commands run without a sandbox here: {problem}")


LANDLOCK = {
    0: (False, "without a sandbox"),
    2: (False, "without a sandbox"),
    3: (True, "does not hold"),
    7: (True, "does not hold"),
}


@pytest.mark.parametrize(("version", "found"), LANDLOCK.items())
async def test_landlock_stands_in_and_what_it_lacks_is_said(tmp_path, version, found):
    made = sandbox(tmp_path, "", landlock=version)
    is_confined, words = found

    assert (await made.around("ls") is not None, words in made.take_notice()) == (is_confined, True)


def test_what_landlock_hides_is_what_it_does_not_allow(tmp_path):
    for name in ("home/.ssh/id", "home/other/file", "home/.netrc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    home = tmp_path / "home"
    hiding = Confines((tmp_path / "w",), tmp_path / "tmp", (), (home / ".ssh",), (home / ".netrc",))

    made = landlocked(hiding, Launch(("/bin/ls",), tmp_path, {}))

    assert f"r{home}/other" in made.rules
    assert not {f"r{path}" for path in ("/", *home.parents, home, home / ".ssh", home / ".netrc")} & set(made.rules)
    assert {f"w{tmp_path}/w", f"w{tmp_path}/tmp", "l/", "u/dev/null"} <= set(made.rules)


async def test_what_cannot_be_held_to_its_rules_is_not_started(commands, artifact, tmp_path):
    running = commands.start("touch ran", tmp_path, artifact, lambda launch: replace(launch, rules=("r/nowhere",)))

    assert str((await running.ended()).problem).startswith("It could not be started: ")
    assert not (tmp_path / "ran").exists()


async def test_a_sandbox_is_tried_once_and_not_before_it_is_wanted(tmp_path):
    planted(tmp_path / "bin", f"echo tried >> {tmp_path}/log")
    made = sandbox(tmp_path, str(tmp_path / "bin"))
    was_tried = (tmp_path / "log").exists()

    confined = [await made.around("ls"), await made.around("ls")]

    assert all(confined)
    assert (was_tried, (tmp_path / "log").read_text()) == (False, "tried\n")


WANTED = {
    ("off", "ls"): False,
    ("auto", "ls"): True,
    ("require", "ls"): True,
    ("auto", "git commit -m x"): False,
    ("require", "git commit -m x"): True,
}


@pytest.mark.parametrize(("word", "command", "is_confined"), [(*key, value) for key, value in WANTED.items()])
async def test_the_settings_say_which_commands_are_confined(tmp_path, word, command, is_confined):
    planted(tmp_path / "bin", "true")
    made = sandbox(tmp_path, str(tmp_path / "bin"), word)

    assert (await made.around(command) is not None, made.take_notice()) == (is_confined, "")


NOT_RUN = {
    "in the workspace": "{root}/bin",
    "linked from elsewhere": "{place}/link",
    "relative": "root/bin:.:",
}


@pytest.mark.parametrize("path", NOT_RUN.values(), ids=NOT_RUN)
def test_no_bubblewrap_of_the_workspace_is_run(tmp_path, monkeypatch, path):
    root = tmp_path / "root"
    root.mkdir()
    planted(root / "bin", "true")
    (tmp_path / "link").symlink_to(root / "bin")
    monkeypatch.chdir(tmp_path)

    assert find_bubblewrap(path.format(root=root, place=tmp_path), [root]) is None


def test_a_bubblewrap_that_cannot_be_started_is_a_problem(tmp_path):
    program = planted(tmp_path / "bin", "")
    program.write_text("#!/nowhere\n")

    assert trial_problem(program, "/bin/bash") == "bubblewrap could not be started (No such file or directory)"


GIT = {
    "git commit -m 'a; b'": True,
    'git commit -am "Fix x && y"': True,
    "git add -A && git commit -m x": True,
    "git push origin HEAD:main": True,
    " git stash ": True,
    "git status": False,
    "git -c core.hooksPath=x commit": False,
    'git commit -m "$(rm x)"': False,
    "git commit -m `x`": False,
    "git commit -m x; make": False,
    "git commit -m x && make": False,
    "git commit -m x | cat": False,
    "git commit -m x > y": False,
    "git commit -m x\nmake": False,
    "git add . && GIT_DIR=x git commit": False,
    "git commit & make": False,
    "git commits": False,
    "git commit -m 'foreach and --exec'": True,
    "git cherry-pick -x abc": True,
    "git submodule update --init": True,
    "git submodule foreach 'make x'": False,
    "git rebase -x make HEAD~1": False,
    "git rebase --exec=make HEAD~1": False,
    "git add . && git fetch --upload-pack=./x .": False,
    "git pull ext::./x": False,
    "git apply x.patch": False,
    "git clean -fd": False,
    "git add $HOME": False,
    "git add {a,b}": False,
    "./git add x": False,
    "git add \\\n x": False,
}


@pytest.mark.parametrize(("command", "is_git"), GIT.items())
def test_only_plain_git_is_let_out_to_its_repository(command, is_git):
    assert is_git_at_work(command) is is_git


REFUSALS = {
    "bash: x: Read-only file system": CONFINED,
    "npm ERR! code EROFS": CONFINED,
    "fatal: Unable to create '/w/.git/index.lock': Read-only file system": CONFINED,
    "mv: cannot move '.git' to 'g': Device or resource busy": CONFINED,
    "curl: (6) Could not resolve host: example.com": CONFINED,
    "getaddrinfo EAI_AGAIN registry.example": CONFINED,
    "connect: Network is unreachable": CONFINED,
    "Temporary failure in name resolution": CONFINED,
    "dial tcp: lookup proxy.example: no such host": CONFINED,
    'sudo: The "no new privileges" flag is set': CONFINED,
    "touch: cannot touch 'x': Permission denied": DENIED,
}


@pytest.mark.parametrize(("line", "marks"), REFUSALS.items())
def test_a_refusal_is_told_by_the_line_that_shows_it(line, marks):
    found = refusal_in(CommandEnd(1), Excerpt(f"start\n{line}\n", "end\n"), marks)

    assert found == f"The sandbox seems to have refused it something: “{line}”."


INNOCENT = {
    "success": (CommandEnd(0), "x: Read-only file system"),
    "killed": (CommandEnd(signal="SIGKILL"), "x: Read-only file system"),
    "an ordinary failure": (CommandEnd(1), "AssertionError"),
    "no such file": (CommandEnd(127), "x: command not found"),
}


@pytest.mark.parametrize(("end", "output"), INNOCENT.values(), ids=INNOCENT)
def test_what_shows_no_refusal_is_none(end, output):
    assert refusal_in(end, Excerpt(output), CONFINED) == ""


def test_what_is_protected_is_found_nearest_first_and_the_rest_of_its_folder_is_left_out(tmp_path):
    for name in (".git/hooks/a", "src/.vscode/tasks.json", "AGENTS.md", "src/deep/.envrc", "src/main.py"):
        (tmp_path / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / name).touch()
    (tmp_path / "root" / ".npmrc").symlink_to(tmp_path)

    found = find_confines([tmp_path / "root"], Own(tmp_path / "home", (), tmp_path / "tmp"))

    held = [str(path.relative_to(tmp_path / "root")) for path in found.held]
    assert (sorted(held[:2]), held[2:]) == ([".git", "AGENTS.md"], ["src/.vscode", "src/deep/.envrc"])


def test_keys_and_own_folders_are_hidden_as_far_as_they_exist(tmp_path):
    (tmp_path / "home/.ssh").mkdir(parents=True)
    (tmp_path / "home/.netrc").touch()
    (tmp_path / "state").mkdir()

    found = find_confines([], Own(tmp_path / "home", (tmp_path / "state", tmp_path / "none"), tmp_path / "tmp"))

    assert found.hidden_folders == (tmp_path / "state", tmp_path / "home/.ssh")
    assert tmp_path / "home/.netrc" in found.hidden_files


def test_the_deeper_of_two_places_counts():
    confines = Confines(
        (Path("/h/p"), Path("/tmp/w")),
        Path("/s"),
        (Path("/h/p/.git"),),
        (Path("/h"), Path("/h/p/state"), Path("/tmp/k")),
    )
    launch = Launch(("/bin/bash", "-c", "ls"), Path("/h/p"), {"TMP": "/var/x", "A": "b"})

    made = bubblewrapped(Path("/usr/bin/bwrap"), confines, launch)

    places = made.arguments[made.arguments.index("/proc", made.arguments.index("--proc")) + 1 :]
    assert [
        word for word in places if word in ("/tmp", "/h", "/h/p", "/tmp/w", "/h/p/.git", "/h/p/state", "/tmp/k")
    ] == [
        *("/tmp", "/h", "/h", "/h/p", "/h/p", "/tmp/w", "/tmp/w"),
        *("/h/p/.git", "/h/p/.git", "/h/p/state", "/h/p/state", "/h/p"),
    ]
    assert made.arguments[-4:] == ("--", "/bin/bash", "-c", "ls")
    assert made.environment == {"TMP": "/tmp", "TMPDIR": "/tmp", "A": "b", "XDG_CACHE_HOME": "/tmp/.cache"}
