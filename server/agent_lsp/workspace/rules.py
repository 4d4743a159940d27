"""Which files of rules a project and its user hold ready for agents, in which order, and when each is told.

The order is the rank: where two differ, the earlier one holds. The user's own come first, then root by root.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agent_lsp.domain.mentions import PathMention, mentions
from agent_lsp.domain.prompting import RuleText
from agent_lsp.workspace.globs import Glob
from agent_lsp.workspace.rule_files import Conditions, read_rule, split_conditions

MOST_FILES = 100
"""In one folder of rules; what comes behind in the order of names is not read."""
MOST_SEEN = 2_000
MOST_CHARACTERS = 64_000
"""Of all rules that are told from the beginning; files behind are only named."""
_CHARACTERS_A_TOKEN = 3.6
DEEPEST_IMPORT = 5

_ENDINGS = (".md", ".mdc", ".txt")
_NEAR = (("AGENTS.md", "AGENT.md"), ("CLAUDE.md",))


@dataclass(frozen=True, slots=True)
class _Source:
    """A place for rules. Of several names the first one that is there counts, files or folders of files."""

    names: tuple[str, ...]


def _sources(mode: str) -> tuple[_Source, ...]:
    """The places in a root, the first rank first; `docs/rules.md` shows them to users."""
    return (
        _Source((f".agent-lsp/rules-{mode}",)),
        _Source((".agent-lsp/rules",)),
        _Source(("AGENTS.md", "AGENT.md")),
        _Source(("AGENTS.local.md",)),
        _Source(("CLAUDE.md", ".claude/CLAUDE.md")),
        _Source(("CLAUDE.local.md",)),
        _Source((f".roo/rules-{mode}", f".roorules-{mode}")),
        _Source((".roo/rules", ".roorules")),
        _Source((".clinerules",)),
        _Source((".cursor/rules",)),
        _Source((".cursorrules",)),
        _Source((".github/copilot-instructions.md",)),
    )


def _own_sources(mode: str) -> tuple[_Source, ...]:
    """The places in the user's own folder of settings."""
    return (_Source((f"rules-{mode}",)), _Source(("rules",)), _Source(("AGENTS.md",)))


def room_for_rules(window: int) -> int:
    """How many characters of rules a model is told from the beginning: no more than a third of a small window."""
    return min(MOST_CHARACTERS, int(window * _CHARACTERS_A_TOKEN / 3)) if window else MOST_CHARACTERS


@dataclass(frozen=True, slots=True)
class _Found:
    """A file of rules and when it holds."""

    rule: RuleText
    conditions: Conditions
    root: Path


class RuleReading:
    """Reads rules from the disk. It keeps nothing: what was told already is known to whoever asks."""

    def __init__(
        self,
        roots: Sequence[Path],
        home: Path | None,
        is_kept: Callable[[Path], bool],
        room: Callable[[], int] = lambda: MOST_CHARACTERS,
    ) -> None:
        self._roots = roots
        self._home = home
        self._is_kept = is_kept
        """Whether the user keeps a file from the agent."""
        self._room = room
        """How many characters are told from the beginning."""

    def standing(self, mode: str) -> tuple[RuleText, ...]:
        """The rules that are told from the beginning, each text once."""
        rules = [rule for found in self._found(mode) if (rule := _standing(found))]
        return tuple(_within_bounds(_once(rules), self._room()))

    def nearby(self, file: Path, mode: str) -> tuple[RuleText, ...]:
        """The rules that hold for one file beyond those: of the folders it is in, the outermost first, and by globs."""
        root = next((root for root in self._roots if file.is_relative_to(root)), None)
        if root is None:
            return ()
        by_glob = [found.rule for found in self._found(mode) if _holds_for(found, file)]
        return tuple(_once([*self._of_folders(file.parent, root), *by_glob]))

    def _of_folders(self, folder: Path, root: Path) -> Iterator[RuleText]:
        within = [one for one in (folder, *folder.parents) if one != root and one.is_relative_to(root)]
        for one in reversed(within):
            for names in _NEAR:
                files = self._files_of(one, _Source(names), root)
                yield from (found.rule for path in files for found in self._with_imports(path, root, is_users=False))

    def _found(self, mode: str) -> Iterator[_Found]:
        if self._home:
            for source in _own_sources(mode):
                for path in self._files_of(self._home, source, self._home):
                    yield from self._with_imports(path, self._home, is_users=True)
        for root in self._roots:
            for source in _sources(mode):
                for path in self._files_of(root, source, root):
                    yield from self._with_imports(path, root, is_users=False)

    def _files_of(self, folder: Path, source: _Source, root: Path) -> Sequence[Path]:
        path = next((folder / name for name in source.names if (folder / name).exists()), None)
        if path is None or not path.resolve().is_relative_to(root.resolve()):
            return ()
        if not path.is_dir():
            return (path,)
        inner = sorted(one for one in islice(path.rglob("*"), MOST_SEEN) if one.suffix in _ENDINGS and one.is_file())
        return inner[:MOST_FILES]

    def _with_imports(self, path: Path, root: Path, *, is_users: bool) -> Iterator[_Found]:
        """A file, and behind it the files that it asks for (`@path`, as CLAUDE.md does). None is read twice."""
        pending, seen = [(path, 0)], set[Path]()
        while pending:
            path, depth = pending.pop(0)
            if path in seen or self._is_kept(path) or not (read := read_rule(path, root)):
                continue
            seen.add(path)
            conditions, text = split_conditions(read.text)
            yield _Found(RuleText(str(path), text, read.note, is_users=is_users), conditions, root)
            if path.name.startswith("CLAUDE") or depth:
                imports = _imports(text, path.parent) if depth < DEEPEST_IMPORT else ()
                pending += [(one, depth + 1) for one in imports]


def _standing(found: _Found) -> RuleText | None:
    """The rule as it is told from the beginning; one that holds where its author says so is only pointed to."""
    conditions = found.conditions
    if conditions.is_always:
        return found.rule
    if conditions.globs or not conditions.description:
        return None
    text = f"Read this file where the work is about this: {conditions.description}"
    return RuleText(found.rule.path, text, found.rule.note, is_users=found.rule.is_users)


def _holds_for(found: _Found, file: Path) -> bool:
    if found.conditions.is_always or not file.is_relative_to(found.root):
        return False
    path = str(file.relative_to(found.root))
    return any(Glob(pattern).takes(path) for pattern in found.conditions.globs)


def _imports(text: str, folder: Path) -> tuple[Path, ...]:
    """The files that a text asks for, relative to its own folder. That none leads out of the root is seen to later."""
    paths = [mention.spellings[0].path for mention in mentions(text) if isinstance(mention, PathMention)]
    return tuple(path for name in paths if not name.startswith("~") and (path := folder / name).is_file())


def _once(rules: Sequence[RuleText]) -> list[RuleText]:
    """Each text once, by the name of the file that comes first."""
    by_text = dict[str, RuleText]()
    for rule in rules:
        by_text.setdefault(rule.text.strip(), rule)
    return [rule for text, rule in by_text.items() if text]


def _within_bounds(rules: Sequence[RuleText], room: int) -> Iterator[RuleText]:
    for rule in rules:
        if len(rule.text) <= room:
            room -= len(rule.text)
            yield rule
        else:
            text = "Left out for want of room: read this file before you work on what it is about."
            yield RuleText(rule.path, text, is_users=rule.is_users)
