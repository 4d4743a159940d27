"""Differences as people read them: hunks with stable ids, unified diffs, and the text that a choice of hunks makes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from agent_lsp.domain.files import Hunk
from agent_lsp.workspace.alignment import Gap, align, gaps
from agent_lsp.workspace.texts import split_lines

CONTEXT_LINES = 3

Kind = Literal["create", "edit", "delete", "rename"]

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
    groups = tuple(_grouped(list(gaps(align(old, new), len(old), len(new)))))
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


def unified(kind: Kind, path: str, new_path: str | None, hunks: Sequence[Hunk]) -> str:
    """Print a change the way git does, headers included."""
    lines = [*_headers(kind, path, new_path or path, has_hunks=bool(hunks))]
    for hunk in hunks:
        lines += [hunk.header, *hunk.lines]
    return "".join(line + "\n" for line in lines)


def plain_diff(path: str, before: str, after: str) -> str:
    """Print how one text differs from another; empty where it does not."""
    difference = compare(path, before, after)
    return unified("edit", path, None, difference.hunks) if difference.hunks else ""


def _grouped(changed: Sequence[Gap]) -> Iterator[tuple[Gap, ...]]:
    """Put changes into one hunk whose context would touch."""
    group = list[Gap]()
    for gap in changed:
        if group and gap.before_start - group[-1].before_end > 2 * CONTEXT_LINES:
            yield tuple(group)
            group = []
        group.append(gap)
    if group:
        yield tuple(group)


def _hunks(path: str, old: Sequence[str], new: Sequence[str], groups: Sequence[Sequence[Gap]]) -> Iterator[Hunk]:
    seen = Counter[str]()
    for group in groups:
        lines = tuple(_hunk_lines(old, new, group))
        key = "\n".join((path, *lines))
        seen[key] += 1
        first, last = group[0], group[-1]
        before_start = max(first.before_start - CONTEXT_LINES, 0)
        before_end = min(last.before_end + CONTEXT_LINES, len(old))
        after_start = first.after_start - (first.before_start - before_start)
        after_end = last.after_end + (before_end - last.before_end)
        header = f"@@ -{_range(before_start, before_end)} +{_range(after_start, after_end)} @@"
        yield Hunk(_id(key, seen[key]), header, min(before_start + 1, max(len(old), 1)), lines)


def _hunk_lines(old: Sequence[str], new: Sequence[str], group: Sequence[Gap]) -> Iterator[str]:
    at = max(group[0].before_start - CONTEXT_LINES, 0)
    for gap in group:
        yield from _marked(" ", old[at : gap.before_start])
        yield from _marked("-", old[gap.before_start : gap.before_end])
        yield from _marked("+", new[gap.after_start : gap.after_end])
        at = gap.before_end
    yield from _marked(" ", old[at : at + CONTEXT_LINES])


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
