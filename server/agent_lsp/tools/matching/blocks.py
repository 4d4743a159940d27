"""The grammar of apply_diff: blocks of search and replacement. It knows nothing of the file they are for."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import NoReturn

from agent_lsp.tools.matching.lines import read_lines
from agent_lsp.tools.matching.numbers import is_consecutive, without_numbers
from agent_lsp.tools.matching.revision import Malformed


@dataclass(frozen=True, slots=True)
class Block:
    """One search and what is to stand in its place. Numbers count from 1."""

    number: int
    search: tuple[str, ...]
    replacement: tuple[str, ...]
    start_line: int | None = None
    end_line: int | None = None

    @property
    def hint(self) -> int | None:
        """Where the model says that the search text begins."""
        if self.start_line is None and self.end_line is not None:
            return self.end_line - len(self.search) + 1
        return self.start_line

    def without_numbers(self) -> "Block | None":
        """Take off line numbers; None unless every line of the block has one, in order in the search."""
        search = without_numbers(self.search)
        replacement = without_numbers(self.replacement)
        if search is None or replacement is None or not is_consecutive(search[0]):
            return None
        start = self.start_line if self.start_line is not None else search[0][0]
        return replace(self, search=search[1], replacement=replacement[1], start_line=start)


def parse_blocks(diff: str) -> tuple[Block, ...]:
    """Read all blocks. A fault anywhere is Malformed, which names the line of the diff."""
    parser = _Parser()
    for line in read_lines(diff).texts:
        parser.read(line)
    return parser.finished()


class _Kind(Enum):
    TEXT = auto()
    SEARCH = auto()
    SEPARATOR = auto()
    REPLACE = auto()
    CONFLICT = auto()
    HINT = auto()
    DASHES = auto()


_KINDS = (
    (_Kind.SEARCH, re.compile(r"<{7} SEARCH>?[ \t]*")),
    (_Kind.SEPARATOR, re.compile(r"={7}[ \t]*")),
    # A carriage return may end the whole diff, with no line feed behind it.
    (_Kind.REPLACE, re.compile(r">{7} REPLACE[ \t]*\r?")),
    (_Kind.CONFLICT, re.compile(r"(<{7}|>{7}|\|{7})([ \t].*)?", re.DOTALL)),
    (_Kind.HINT, re.compile(r":(start|end)_line:[ \t]*\d*[ \t]*")),
    (_Kind.DASHES, re.compile(r"-{7}[ \t]*")),
)
_MARKERS_WITH_MORE = ("<<<<<<< SEARCH", ">>>>>>> REPLACE")
_HINT = re.compile(r":(start|end)_line:[ \t]*(\d{1,9})[ \t]*")


def _kind(line: str) -> _Kind:
    if not line.startswith(("<", "=", ">", "|", ":", "-")):
        return _Kind.TEXT
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(line)), _Kind.TEXT)


@dataclass(slots=True)
class _Draft:
    """The block that is being read."""

    first_line: int
    search: list[str] = field(default_factory=list[str])
    replacement: list[str] = field(default_factory=list[str])
    hints: dict[str, int] = field(default_factory=dict[str, int])


class _Parser:
    """Reads a diff line by line. What the next line may be is told by the method it goes to."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._line_number = 0
        self._draft = _Draft(0)
        self._read: Callable[[str, _Kind], None] = self._outside

    def read(self, line: str) -> None:
        self._line_number += 1
        self._read(line, _kind(line))

    def finished(self) -> tuple[Block, ...]:
        if self._read != self._outside:
            missing = ">>>>>>> REPLACE" if self._read == self._replacement else "======="
            begun = self._draft.first_line
            raise Malformed(
                f"The diff ends inside the block that begins at its line {begun}: {missing} is missing. "
                "Nothing was changed."
            )
        if not self._blocks:
            raise Malformed(
                "The diff has no block: each begins with a line <<<<<<< SEARCH, unindented and in plain signs."
            )
        return tuple(self._blocks)

    def _outside(self, line: str, kind: _Kind) -> None:
        match kind:
            case _Kind.SEARCH:
                self._draft = _Draft(self._line_number)
                self._read = self._header
            case _Kind.SEPARATOR | _Kind.REPLACE | _Kind.CONFLICT:
                self._refuse(f"{_shown(line)} stands outside of a block. {_BEGINNING}")
            case _:
                pass

    def _header(self, line: str, kind: _Kind) -> None:
        if line.startswith((":start_line:", ":end_line:")):
            self._take_hint(line)
            return
        self._read = self._search
        if kind is not _Kind.DASHES:
            self._search(line, kind)

    def _take_hint(self, line: str) -> None:
        match = _HINT.fullmatch(line)
        if match is None:
            self._refuse(f"{_shown(line)} needs a line number and nothing else, as in :start_line:12.")
        self._draft.hints[match[1]] = int(match[2])

    def _search(self, line: str, kind: _Kind) -> None:
        match kind:
            case _Kind.SEPARATOR:
                self._read = self._replacement
            case _Kind.REPLACE | _Kind.SEARCH:
                self._refuse(f"{_shown(line)} comes before the ======= of this block. {_ESCAPE}")
            case _:
                self._draft.search.append(self._content(line, kind))

    def _replacement(self, line: str, kind: _Kind) -> None:
        match kind:
            case _Kind.REPLACE:
                self._end_block()
            case _Kind.SEPARATOR:
                self._refuse(f"a second ======= in one block. {_ESCAPE}")
            case _Kind.SEARCH:
                self._refuse(f"a new block begins before the >>>>>>> REPLACE of the last one. {_ESCAPE}")
            case _:
                self._draft.replacement.append(self._content(line, kind))

    def _content(self, line: str, kind: _Kind) -> str:
        if line.startswith(_MARKERS_WITH_MORE) and kind is _Kind.CONFLICT:
            self._refuse(f"{_shown(line)} is a marker only with nothing else on its line. {_ESCAPE}")
        if kind is _Kind.CONFLICT:
            self._refuse(f"a merge-conflict marker in the text. {_ESCAPE}")
        if kind is _Kind.HINT:
            self._refuse(f"{_shown(line)} stands only right below <<<<<<< SEARCH. {_ESCAPE}")
        is_escaped = line.startswith("\\") and _kind(line[1:]) is not _Kind.TEXT
        return line[1:] if is_escaped else line

    def _end_block(self) -> None:
        draft = self._draft
        hints = draft.hints
        number = len(self._blocks) + 1
        sides = tuple(draft.search), tuple(draft.replacement)
        self._blocks.append(Block(number, *sides, hints.get("start"), hints.get("end")))
        self._read = self._outside

    def _refuse(self, fault: str) -> NoReturn:
        raise Malformed(f"Line {self._line_number} of the diff: {fault} Nothing was changed.")


def _shown(line: str) -> str:
    return line.rstrip()[:40]


_BEGINNING = "A block begins with a line <<<<<<< SEARCH, and nothing else on it."
_ESCAPE = "Where such a line is text of the file, escape it with one backslash: \\<<<<<<< or \\=======."
