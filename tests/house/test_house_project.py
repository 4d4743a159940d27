"""The project as a whole: its versions, its one command, and what no file of it may contain."""

import re
import tomllib
from importlib.metadata import distributions

from source_tree import PACKAGE, ROOT, sources_of_server, text_files

import agent_lsp

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
# Put together here, so that this file does not contain what it looks for.
MACHINE_PATHS = re.compile(
    "/" + r"root/|/" + r"work/(?:main|shared)|/" + r"Users/[a-z]|\." + r"pyenv\b|/" + r"tmp/brief"
)
REGISTRIES = re.compile(r"(?i)" + r"py" + r"pi\.org|files\.python" + r"hosted|registry\.npm" + r"js")
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b|(?i:\bfor " + r"now\b)")


def lines_with(pattern: re.Pattern[str]) -> list[tuple[str, int]]:
    return [
        (name, number)
        for name, text in text_files()
        if not name.startswith("tests/cases/")
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_names_a_path_of_a_machine() -> None:
    assert lines_with(MACHINE_PATHS) == []


def test_no_file_names_a_package_registry() -> None:
    assert lines_with(REGISTRIES) == []


def test_nothing_is_left_for_later() -> None:
    assert lines_with(UNFINISHED) == []


def test_version_is_written_in_one_place() -> None:
    holders = [source.name for source in sources_of_server() if f'"{agent_lsp.__version__}"' in source.text]

    assert holders == ["server/agent_lsp/__init__.py"]
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == (PACKAGE / "__init__.py").relative_to(ROOT).as_posix()


def test_lock_file_stays_out_of_the_project() -> None:
    assert "uv.lock" in (ROOT / ".gitignore").read_text("utf-8").splitlines()


def test_every_installed_version_is_pinned() -> None:
    pins = dict(pin.split("==") for pin in PROJECT["tool"]["uv"]["constraint-dependencies"])
    installed = {normal(found.name): found.version for found in distributions()}
    del installed[PROJECT["project"]["name"]]

    assert {name: pins.get(name) for name in installed} == installed


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_direct_dependency_has_a_ceiling() -> None:
    wanted = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]]

    open_ended = [requirement for requirement in wanted if not re.search(r",<|==", requirement)]

    assert open_ended == []


def test_commands_of_the_readme_are_what_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    script = (ROOT / ".ci" / "run").read_text("utf-8")

    assert re.search(r"^pip install uv && uv run agent-lsp demo$", readme, re.MULTILINE)
    assert re.search(r"^uv run pytest$", readme, re.MULTILINE)
    assert "uv run agent-lsp demo" in script
    assert "grep '^uv run pytest' README.md" in script


def test_ci_needs_nobody_and_stops_at_the_first_fault() -> None:
    script = ROOT / ".ci" / "run"

    assert script.stat().st_mode & 0o111
    assert script.read_text("utf-8").splitlines()[2:5] == [
        "set -euo pipefail",
        'cd "$(dirname "${BASH_SOURCE[0]}")/.."',
        "exec </dev/null  # Nobody answers here: what asks is told so at once.",
    ]
