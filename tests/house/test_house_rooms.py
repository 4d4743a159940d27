"""docs/architecture.md, held to the code: the rooms, who may import whom, and what start-up may load."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_tree import PACKAGE, ROOT, Source, page, section, sources_of_server, table_rows

ARCHITECTURE = page("architecture.md")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PARTS_OF_OTHERS = {"pydantic_core", "cattrs"}  # of pydantic; of pygls
STARTING_PROCESSES = {
    "create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell", "Popen", "posix_spawn",
    "posix_spawnp", "forkpty", "execv", "execve", "execvp", "execvpe",
}  # fmt: skip
ROOMS_WITH_PROCESSES = {"workspace", "storage", "headless"}
# All that an editor waits for: json and what json itself needs, and waiting for input.
LOADED_BY_BOOT = {
    "agent_lsp", "collections", "copyreg", "enum", "functools", "gc", "itertools", "json", "keyword", "operator",
    "re", "reprlib", "select", "types",
}  # fmt: skip
TOO_DEAR_FOR_START_UP = {
    "anthropic", "argparse", "asyncio", "cattrs", "httpx2", "logging", "lsprotocol", "openai", "pathlib", "pydantic",
    "pygls", "sqlite3", "subprocess", "typing",
}  # fmt: skip


def rooms_on_disk() -> set[str]:
    rooms = {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    return rooms | {path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("__")}


def imported(source: Source) -> Iterator[tuple[str, int]]:
    """What a module imports anywhere in it, whole names."""
    for node in source.nodes(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        else:
            yield node.module or "", node.lineno


def loaded_by(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has after this statement and would not have without it."""
    report = "print(*{name.partition('.')[0] for name in sys.modules})"
    before, after = (_run(f"import sys; {report}"), _run(f"import sys; {statement}; {report}"))
    return {name for name in after - before if not name.startswith("_")}


def _run(code: str) -> set[str]:
    # Measuring coverage would load half the library into the child.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    command = [sys.executable, "-c", code]
    return set(subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout.split())


def test_page_lists_exactly_the_rooms_there_are() -> None:
    listed = [row[0].strip("`") for row in table_rows(section(ARCHITECTURE, "The rooms"))]

    assert sorted(listed) == sorted(rooms_on_disk())


def test_page_tells_the_same_layers_as_the_import_rules() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    there = [" | ".join(room for room in layer.split(" | ") if "(" not in room) for layer in layers]

    assert f"`{' › '.join(there)}`" in ARCHITECTURE


def test_every_line_of_the_page_that_names_a_file_names_one_that_exists() -> None:
    rows = table_rows(section(ARCHITECTURE, "Where would a line of code go?"))
    named = [name for row in rows for name in re.findall(r"`([\w/.]+(?:\.py|\.md|\.lua|/))`", row[1])]

    missing = [name for name in named if not (PACKAGE / name).exists() and not (ROOT / name).exists()]

    assert len(rows) >= 20
    assert missing == []


def test_every_invariant_names_tests_that_exist() -> None:
    rows = table_rows(section(ARCHITECTURE, "What always holds"))
    cited = [
        (name, test) for row in rows for name, test in re.findall(r"`(tests/[\w/]+(?:\.py|/))(?:::(\w+))?`", row[-1])
    ]

    missing = [
        (name, test)
        for name, test in cited
        if not (ROOT / name).exists() or (test and f"def {test}(" not in (ROOT / name).read_text("utf-8"))
    ]

    assert all("`tests/" in row[-1] for row in rows)
    assert missing == []


def test_pages_link_only_to_what_exists() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "editors").glob("*/README.md")]

    missing = [(str(path), link) for path in pages for link in links_of(path) if not (path.parent / link).exists()]

    assert missing == []


def test_pages_of_the_extension_link_only_to_what_is_packed_with_it() -> None:
    extension = ROOT / "editors" / "vscode"
    links = [(path.parent / link).resolve() for path in (extension / "media").glob("*.md") for link in links_of(path)]
    links += [(extension / link).resolve() for link in links_of(extension / "README.md")]

    assert [link for link in links if not link.is_relative_to(extension / "media")] == []


def links_of(page: Path) -> list[str]:
    """The links to files."""
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    return [link for link in links if not link.startswith(("http:", "https:", "mailto:", "command:"))]


@pytest.mark.parametrize("room", ["domain", "agent"])
def test_room_needs_nothing_but_the_standard_library_and_the_domain(room: str) -> None:
    found = [
        (source.name, name)
        for source in sources_of_server()
        if source.room == room
        for name, _ in imported(source)
        if name.partition(".")[0] not in sys.stdlib_module_names
        if not name.startswith(("agent_lsp.domain", f"agent_lsp.{room}"))
    ]

    assert found == []


def test_server_imports_only_itself_and_what_it_declares() -> None:
    declared = {re.split(r"[<>=\[]", requirement)[0] for requirement in PROJECT["project"]["dependencies"]}
    allowed = declared | sys.stdlib_module_names | PARTS_OF_OTHERS | {"agent_lsp"}

    found = [
        (source.name, name)
        for source in sources_of_server()
        for name, _ in imported(source)
        if name.partition(".")[0] not in allowed
    ]

    assert found == []


def test_processes_are_started_only_where_they_may_be() -> None:
    found = [
        (source.name, node.lineno)
        for source in sources_of_server()
        if source.room not in ROOMS_WITH_PROCESSES
        for node in source.nodes(ast.Attribute)
        if node.attr in STARTING_PROCESSES or ast.unparse(node) in {"os.system", "os.popen", "os.fork"}
    ]

    assert found == []


def test_answering_initialize_loads_little_more_than_json() -> None:
    loaded = loaded_by("import agent_lsp.lsp.boot")

    assert loaded <= LOADED_BY_BOOT


@pytest.mark.parametrize("module", ["agent_lsp.cli", "agent_lsp.lsp.boot", "agent_lsp.providers", "agent_lsp.headless"])
def test_start_up_loads_nothing_dear(module: str) -> None:
    loaded = loaded_by(f"import {module}")

    assert loaded & TOO_DEAR_FOR_START_UP == set()


def test_providers_load_no_library_before_a_request() -> None:
    loaded = loaded_by("import agent_lsp.providers.build")

    assert loaded & {"anthropic", "httpx2", "openai"} == set()
