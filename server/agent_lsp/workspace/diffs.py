"""Differences as people read them: hunks with stable ids, unified diffs, and the text that a choice of hunks makes.

A hunk is what can be chosen alone, so near ones stay apart; a diff prints them together, as git does.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from agent_lsp.domain.files import Hunk
from agent_lsp.workspace.alignment import Gap, align, gaps
from agent_lsp.workspace.texts import split_lines

CONTEXT_LINES = 3

Kind = Literal["create", "edit", "delete", "rename"]

_WORD = re.compile(r"\w")
_NO_NEWLINE = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class Difference:
    """How one text becomes another. The hunks and the ranges they stand for go pairwise."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    groups: tuple[tuple[Gap, ...], ...]
    hunks: tuple[Hunk, ...]

    @property
    def added(self) -> int:
        return sum(gap.after_end - gap.after_start for group in self.groups for gap in group)

    @property
    def removed(self) -> int:
        return sum(gap.before_end - gap.before_start for group in self.groups for gap in group)

    @property
    def hunk_ids(self) -> tuple[str, ...]:
        return tuple(hunk.id for hunk in self.hunks)


def compare(path: str, before: str, after: str) -> Difference:
    """Find the hunks. The path goes into their ids, so that those of one proposal are told apart."""
    old, new = split_lines(before), split_lines(after)
    groups = tuple(_apart(old, list(gaps(align(old, new), len(old), len(new)))))
    return Difference(tuple(old), tuple(new), groups, tuple(_hunks(path, old, new, groups)))


def select_hunks(difference: Difference, rejected_ids: AbstractSet[str]) -> str:
    """Make the text that has all hunks but the rejected ones."""
    lines, at = list[str](), 0
    for hunk, group in zip(difference.hunks, difference.groups, strict=True):
        if hunk.id in rejected_ids:
            continue
        for gap in group:
            lines += difference.before[at : gap.before_start]
            lines += difference.after[gap.after_start : gap.after_end]
            at = gap.before_end
    lines += difference.before[at:]
    return "".join(lines)


def unified(kind: Kind, path: str, new_path: str | None, difference: Difference) -> str:
    """Print a change the way git does, headers included."""
    together = list(_together([gap for group in difference.groups for gap in group]))
    lines = [*_headers(kind, path, new_path or path, has_hunks=bool(together))]
    for hunk in _hunks(path, difference.before, difference.after, together):
        lines += [hunk.header, *hunk.lines]
    return "".join(line + "\n" for line in lines)


def plain_diff(path: str, before: str, after: str) -> str:
    """Print how one text differs from another; empty where it does not."""
    difference = compare(path, before, after)
    return unified("edit", path, None, difference) if difference.hunks else ""


def _apart(old: Sequence[str], changed: Sequence[Gap]) -> Iterator[tuple[Gap, ...]]:
    """Part changes between which a line with a word in it stands: a brace or an empty line parts nothing."""
    return _parted(changed, lambda last, gap: any(map(_WORD.search, old[last.before_end : gap.before_start])))


def _together(changed: Sequence[Gap]) -> Iterator[tuple[Gap, ...]]:
    """Put changes together whose context would touch."""
    return _parted(changed, lambda last, gap: gap.before_start - last.before_end > 2 * CONTEXT_LINES)


def _parted(changed: Sequence[Gap], is_apart: Callable[[Gap, Gap], bool]) -> Iterator[tuple[Gap, ...]]:
    group = list[Gap]()
    for gap in changed:
        if group and is_apart(group[-1], gap):
            yield tuple(group)
            group = []
        group.append(gap)
    if group:
        yield tuple(group)


def _hunks(path: str, old: Sequence[str], new: Sequence[str], groups: Sequence[Sequence[Gap]]) -> Iterator[Hunk]:
    seen = Counter[str]()
    for group, (start, end) in zip(groups, _extents(groups, len(old)), strict=True):
        lines = tuple(_hunk_lines(old, new, group, start, end))
        key = "\n".join((path, *lines))
        seen[key] += 1
        first, last = group[0], group[-1]
        after = _range(first.after_start - (first.before_start - start), last.after_end + (end - last.before_end))
        yield Hunk(
            _id(key, seen[key]), f"@@ -{_range(start, end)} +{after} @@", min(start + 1, max(len(old), 1)), lines
        )


def _extents(groups: Sequence[Sequence[Gap]], size: int) -> Iterator[tuple[int, int]]:
    """The lines of the old text that each hunk shows. Two that are near share what stands between them."""
    floor = 0
    for at, group in enumerate(groups):
        end = group[-1].before_end
        ceiling = (end + groups[at + 1][0].before_start + 1) // 2 if at + 1 < len(groups) else size
        yield max(group[0].before_start - CONTEXT_LINES, floor), min(end + CONTEXT_LINES, ceiling)
        floor = ceiling


def _hunk_lines(old: Sequence[str], new: Sequence[str], group: Sequence[Gap], start: int, end: int) -> Iterator[str]:
    at = start
    for gap in group:
        yield from _marked(" ", old[at : gap.before_start])
        yield from _marked("-", old[gap.before_start : gap.before_end])
        yield from _marked("+", new[gap.after_start : gap.after_end])
        at = gap.before_end
    yield from _marked(" ", old[at:end])


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line[:-1]
        else:
            yield mark + line
            yield _NO_NEWLINE


def _range(start: int, end: int) -> str:
    """Write a range as diffs do: an empty one stands behind the line it names, and a length of 1 is left out."""
    size = end - start
    if size == 0:
        return f"{start},0"
    return f"{start + 1}" if size == 1 else f"{start + 1},{size}"


def _id(key: str, occurrence: int) -> str:
    # Where the hunk stands is no part of its id: typing elsewhere in the file moves it, and it is still the same hunk.
    return blake2b(f"{occurrence}\n{key}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _headers(kind: Kind, path: str, new_path: str, *, has_hunks: bool) -> Iterator[str]:
    old_name, new_name = _name("a", path), _name("b", new_path)
    yield f"diff --git {old_name} {new_name}"
    match kind:
        case "create":
            yield "new file mode 100644"
        case "delete":
            yield "deleted file mode 100644"
        case "rename":
            yield f"rename from {path}"
            yield f"rename to {new_path}"
        case "edit":
            pass
    if has_hunks:
        yield f"--- {'/dev/null' if kind == 'create' else old_name}"
        yield f"+++ {'/dev/null' if kind == 'delete' else new_name}"


def _name(side: str, path: str) -> str:
    """Name a file in a header: quoted as git does where the plain name would be read wrongly."""
    name = f"{side}/{path.lstrip('/')}"
    if not any(character in name for character in '"\\\n\r\t'):
        return name
    for character, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        name = name.replace(character, escaped)
    return f'"{name}"'
