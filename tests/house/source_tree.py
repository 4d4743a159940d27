"""The project's own files, as the tests of the house read them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "server" / "agent_lsp"
TOP_LEVEL = (".ci", ".vscode", "docs", "editors", "server", "tests")
NOT_TEXT = {".png", ".ico", ".woff2", ".gz", ".zip", ".docx", ".pyc", ".vsix"}
NOT_OURS = {"__pycache__", "node_modules", ".hypothesis", ".pytest_cache", ".ruff_cache"}

T = TypeVar("T", bound=ast.AST)


@dataclass(frozen=True)
class Source:
    """One Python file."""

    path: Path
    text: str
    all_nodes: tuple[ast.AST, ...]

    @classmethod
    def of(cls, path: Path, text: str) -> "Source":
        return cls(path, text, tuple(ast.walk(ast.parse(text))))

    @property
    def tree(self) -> ast.Module:
        module = self.all_nodes[0]
        assert isinstance(module, ast.Module)
        return module

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def room(self) -> str:
        """The package inside `agent_lsp`, or the module's own name where it stands in none."""
        return self.path.relative_to(PACKAGE).parts[0].removesuffix(".py")

    def nodes(self, *kinds: type[T]) -> Iterator[T]:
        return (node for node in self.all_nodes if isinstance(node, kinds))


def _sources(folder: Path) -> tuple[Source, ...]:
    paths = sorted(path for path in folder.rglob("*.py") if not NOT_OURS & set(path.parts))
    return tuple(Source.of(path, path.read_text("utf-8")) for path in paths)


@cache
def sources_of_server() -> tuple[Source, ...]:
    return _sources(PACKAGE)


@cache
def sources_of_tests() -> tuple[Source, ...]:
    return _sources(ROOT / "tests")


def text_files() -> Iterator[tuple[str, str]]:
    """Name and text of every file of the project that a person wrote."""
    for path in _all_files():
        if path.is_file() and path.suffix not in NOT_TEXT and not NOT_OURS & set(path.parts):
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8", errors="replace")


def _all_files() -> Iterator[Path]:
    yield from (ROOT / "pyproject.toml", ROOT / "README.md", ROOT / "LICENSE", ROOT / ".gitignore")
    for folder in TOP_LEVEL:
        yield from sorted((ROOT / folder).rglob("*"))


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def section(text: str, heading: str) -> str:
    """What stands under this heading of a page, up to the next of its kind."""
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def table_rows(text: str) -> list[list[str]]:
    """The cells of all tables in this text, without the tables' heads."""
    lines = text.splitlines()
    heads = {position - 1 for position, line in enumerate(lines) if line.startswith("|---")}
    rows = (line for position, line in enumerate(lines) if line.startswith("| ") and position not in heads)
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in rows]


def words_of(name: str) -> tuple[str, ...]:
    """`HistoryItem_2` is history and item."""
    return tuple(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))
