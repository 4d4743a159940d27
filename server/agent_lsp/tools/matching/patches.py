"""The grammar of apply_patch: files added, deleted and changed by hunks. It knows nothing of the files themselves."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Literal, NoReturn

from agent_lsp.tools.matching.lines import read_lines
from agent_lsp.tools.matching.revision import Malformed


@dataclass(frozen=True, slots=True)
class PatchLine:
    """One line of a hunk: kept (" "), taken away ("-") or put in ("+")."""

    mark: Literal[" ", "-", "+"]
    text: str
    is_bare: bool = False
    """The model gave it no mark: a kept line, if the file has it."""


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """Lines that stand together in the file, and where the model says that this is."""

    patch_line: int
    """Where the hunk begins in the patch, counted from 1."""
    lines: tuple[PatchLine, ...]
    anchors: tuple[str, ...] = ()
    """The texts of its `@@` lines: lines of the file that stand above it, one behind the other."""
    hint: int | None = None
    """Its first line, counted from 1, by the numbers of a unified diff."""
    insert_at: int | None = None
    """The number that its first new line is to have, by a unified diff that takes no line away."""
    is_at_end: bool = False


@dataclass(frozen=True, slots=True)
class AddedFile:
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class DeletedFile:
    path: str


@dataclass(frozen=True, slots=True)
class UpdatedFile:
    """A file that is changed or moved. Its hunks come in the order of the file within each section."""

    path: str
    sections: tuple[tuple[PatchHunk, ...], ...]
    move_to: str | None = None


FilePatch = AddedFile | DeletedFile | UpdatedFile


def parse_patch(patch: str) -> tuple[FilePatch, ...]:
    """Read all files of a patch, each once. A fault anywhere is Malformed, which names the line of the patch."""
    parser = _Parser()
    for line in read_lines(patch).texts:
        parser.read(line)
    return parser.finished()


class _Header(Enum):
    BEGIN = auto()
    END = auto()
    ADD = auto()
    DELETE = auto()
    UPDATE = auto()
    MOVE = auto()
    END_OF_FILE = auto()
    UNKNOWN = auto()


_HEADERS = (
    (_Header.BEGIN, re.compile(r"\*\*\* Begin Patch()[ \t]*", re.IGNORECASE)),
    # A carriage return may end the whole patch, with no line feed behind it.
    (_Header.END, re.compile(r"\*\*\* End Patch()[ \t]*\r?", re.IGNORECASE)),
    (_Header.ADD, re.compile(r"\*\*\* Add File:(.*)", re.IGNORECASE)),
    (_Header.DELETE, re.compile(r"\*\*\* Delete File:(.*)", re.IGNORECASE)),
    (_Header.UPDATE, re.compile(r"\*\*\* Update File:(.*)", re.IGNORECASE)),
    (_Header.MOVE, re.compile(r"\*\*\* Move to:(.*)", re.IGNORECASE)),
    (_Header.END_OF_FILE, re.compile(r"\*\*\* End of File()[ \t]*", re.IGNORECASE)),
    (_Header.UNKNOWN, re.compile(r"\*\*\* (.*)")),
)
_NUMBERS = re.compile(r"-(?P<start>\d{1,9})(?:,(?P<count>\d{1,9}))? \+\d{1,9}(?:,\d{1,9})?(?: ?@@.*)?")
_NO_ANCHOR = ("", "...", "\u2026")


def _header(line: str) -> tuple[_Header, str] | None:
    if not line.startswith("*** "):
        return None
    return next((header, match[1].strip(" \t")) for header, pattern in _HEADERS if (match := pattern.fullmatch(line)))


@dataclass(slots=True)
class _HunkDraft:
    """The hunk that is being read."""

    patch_line: int
    anchors: list[str] = field(default_factory=list[str])
    hint: int | None = None
    insert_at: int | None = None
    lines: list[PatchLine] = field(default_factory=list[PatchLine])
    is_at_end: bool = False

    def finished(self) -> PatchHunk:
        return PatchHunk(
            self.patch_line, tuple(self.lines), tuple(self.anchors), self.hint, self.insert_at, self.is_at_end
        )


@dataclass(slots=True)
class _FileDraft:
    """The file that is being read."""

    kind: _Header
    path: str
    patch_line: int
    move_to: str | None = None
    added: list[str] = field(default_factory=list[str])
    hunks: list[_HunkDraft] = field(default_factory=list[_HunkDraft])

    def finished(self) -> FilePatch:
        match self.kind:
            case _Header.ADD:
                return AddedFile(self.path, "".join(line + "\n" for line in self.added))
            case _Header.DELETE:
                return DeletedFile(self.path)
            case _:
                hunks = tuple(hunk.finished() for hunk in self.hunks if hunk.lines)
                return UpdatedFile(self.path, (hunks,) if hunks else (), self.move_to)


class _Parser:
    """Reads a patch line by line. What a line without a header means is told by the method it goes to."""

    def __init__(self) -> None:
        self._files: dict[str, FilePatch] = {}
        self._line_number = 0
        self._begun_at = 0
        self._draft = _FileDraft(_Header.UNKNOWN, "", 0)
        self._blank_lines = 0
        self._read: Callable[[str], None] = self._outside

    def read(self, line: str) -> None:
        self._line_number += 1
        if header := _header(line):
            self._take_header(*header)
        else:
            self._read(line)

    def finished(self) -> tuple[FilePatch, ...]:
        if self._read != self._outside:
            raise Malformed(
                f"The patch that begins at line {self._begun_at} has no line *** End Patch; nothing was changed. "
                "If it was cut off for its length, make smaller patches."
            )
        if not self._begun_at:
            raise Malformed("The patch has no line *** Begin Patch; nothing was changed.")
        if not self._files:
            raise Malformed("The patch names no file: *** Add File:, *** Update File: or *** Delete File: is missing.")
        return tuple(self._files.values())

    def _take_header(self, header: _Header, rest: str) -> None:
        if self._read == self._outside:
            self._take_outside(header)
            return
        match header:
            case _Header.BEGIN:
                self._refuse("a second *** Begin Patch before the *** End Patch of the first.")
            case _Header.END:
                self._end_file()
                self._read = self._outside
            case _Header.ADD | _Header.DELETE | _Header.UPDATE:
                self._end_file()
                self._begin_file(header, rest)
            case _Header.MOVE:
                self._take_move(rest)
            case _Header.END_OF_FILE:
                self._take_end_of_file()
            case _Header.UNKNOWN:
                self._refuse(f"*** {rest[:40]} is no header. {_HEADERS_ADVICE}")

    def _take_outside(self, header: _Header) -> None:
        """What a shell or Markdown wraps around a patch is let pass, but no part of a patch."""
        match header:
            case _Header.BEGIN:
                self._begun_at = self._line_number
                self._read = self._between
            case _Header.UNKNOWN:
                pass
            case _:
                self._refuse("it stands outside of a patch: the line *** Begin Patch is missing above it.")

    def _begin_file(self, header: _Header, path: str) -> None:
        if not path:
            self._refuse("the path is missing.")
        self._draft = _FileDraft(header, path, self._line_number)
        self._blank_lines = 0
        match header:
            case _Header.ADD:
                self._read = self._added
            case _Header.UPDATE:
                self._read = self._updated
            case _:
                self._read = self._between

    def _end_file(self) -> None:
        draft = self._draft
        if draft.kind is _Header.UNKNOWN:
            return
        self._draft = _FileDraft(_Header.UNKNOWN, "", 0)
        file = draft.finished()
        if isinstance(file, UpdatedFile) and not (file.sections or file.move_to):
            self._refuse("no hunk and no *** Move to: follow, so nothing would change.", draft.patch_line)
        if draft.hunks and not draft.hunks[-1].lines and draft.hunks[-1].anchors:
            self._refuse("no lines follow this @@.", draft.hunks[-1].patch_line)
        known = self._files.get(file.path)
        self._files[file.path] = file if known is None else self._joined(known, file, draft.patch_line)

    def _joined(self, known: FilePatch, file: FilePatch, patch_line: int) -> FilePatch:
        if not (isinstance(known, UpdatedFile) and isinstance(file, UpdatedFile)) or known.move_to:
            self._refuse(f"{file.path} stands in this patch already; put all of its changes together.", patch_line)
        return UpdatedFile(file.path, known.sections + file.sections, file.move_to)

    def _take_move(self, path: str) -> None:
        draft = self._draft
        if draft.kind is not _Header.UPDATE or draft.hunks or draft.move_to or not path:
            self._refuse("*** Move to: PATH stands right below *** Update File:, once.")
        draft.move_to = path

    def _take_end_of_file(self) -> None:
        if self._draft.kind is _Header.ADD:
            return
        if not (self._draft.hunks and self._draft.hunks[-1].lines):
            self._refuse("*** End of File stands below the lines of a hunk.")
        self._draft.hunks[-1].is_at_end = True

    def _outside(self, line: str) -> None:
        """Let pass what stands around the patch."""

    def _between(self, line: str) -> None:
        if line.strip():
            self._refuse(f"{line[:40]!r} belongs to no file. {_HEADERS_ADVICE}")

    def _added(self, line: str) -> None:
        if not line.strip():
            self._blank_lines += 1
            return
        if not line.startswith("+"):
            self._refuse("each line of an added file begins with +.")
        # Blank lines may have lost their mark; those at the end only set off what follows.
        self._draft.added += [""] * self._blank_lines + [line[1:]]
        self._blank_lines = 0

    def _updated(self, line: str) -> None:
        draft = self._draft
        if line.startswith("@@"):
            self._take_place(line[2:])
        elif not draft.hunks or draft.hunks[-1].is_at_end:
            if line.strip() and not _is_diff_header(line, draft.path):
                self._begin_hunk().lines.append(_patch_line(line))
        elif not line.startswith("\\ No newline"):
            draft.hunks[-1].lines.append(_patch_line(line))

    def _take_place(self, place: str) -> None:
        """Begin a hunk, or say more closely where the one just begun is."""
        hunks = self._draft.hunks
        hunk = hunks[-1] if hunks and not hunks[-1].lines else self._begin_hunk()
        text = place.removeprefix(" ").rstrip(" \t")
        if numbers := _NUMBERS.fullmatch(text):
            hunk.hint = int(numbers["start"])
            # A unified diff names the line before, where it takes none away.
            hunk.insert_at = hunk.hint + 1 if numbers["count"] == "0" else None
        else:
            anchor = text.removesuffix("@@").rstrip(" \t")
            hunk.anchors += [] if anchor.strip() in _NO_ANCHOR else [anchor]

    def _begin_hunk(self) -> _HunkDraft:
        hunk = _HunkDraft(self._line_number)
        self._draft.hunks.append(hunk)
        return hunk

    def _refuse(self, fault: str, patch_line: int | None = None) -> NoReturn:
        raise Malformed(f"Line {patch_line or self._line_number} of the patch: {fault} Nothing was changed.")


_HEADERS_ADVICE = (
    "A file begins with *** Add File:, *** Update File: or *** Delete File:; "
    "in a hunk, lines that stay begin with a blank, others with - or +."
)


def _patch_line(line: str) -> PatchLine:
    match line[:1]:
        case " " | "-" | "+" as mark:
            return PatchLine(mark, line[1:])
        case _:
            return PatchLine(" ", line, is_bare=True)


def _is_diff_header(line: str, path: str) -> bool:
    """Whether a line is one of the two that a unified diff has on top."""
    return line.rstrip(" \t") in (f"--- a/{path}", f"--- {path}", f"+++ b/{path}", f"+++ {path}")
