"""The protected set: names whose files make programs or agents do things. Pure; judged by spelling at any depth."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

_NAMES = frozenset(
    (
        # Version control: hooks and filters run programs.
        *(".git", ".gitmodules", ".gitconfig", ".hg", ".jj", ".svn", ".husky", ".pre-commit-config.yaml"),
        # Editors read settings, tasks and scripts from the folder they open.
        *(".vscode", ".vs", ".idea", ".fleet", ".zed", ".helix", ".nvim.lua", ".nvimrc", ".vimrc", ".exrc"),
        *(".dir-locals.el", ".devcontainer", ".devcontainer.json"),
        # Agents take these as instructions or as servers to start.
        *(".mcp.json", ".cursor", ".cursorrules", ".cursorignore", ".roo", ".rooignore", ".roomodes", ".clineignore"),
        *(".claude", ".codex", ".gemini", ".windsurf", ".windsurfrules", ".kiro", ".amazonq", ".opencode", ".continue"),
        *("agents.md", "agents.override.md", "agent.md", "claude.md", "claude.local.md", "gemini.md"),
        *(".agent-lsp", ".agents", ".agentignore"),
        # Shells and tools run or obey these when they start.
        *(".envrc", ".npmrc", ".pypirc", ".netrc", ".ripgreprc", ".inputrc", ".bashrc", ".bash_profile"),
        *(".bash_login", ".bash_logout", ".bash_aliases", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"),
        *(".profile", ".ssh", ".gnupg"),
        # Build services run these with credentials.
        *(".gitlab-ci.yml", ".gitlab-ci.yaml", ".circleci", ".travis.yml"),
    )
)
_BEGINNINGS = (".clinerules", ".yarnrc")
_ENDINGS = (".code-workspace",)
_PAIRS = frozenset(
    {
        (".github", "workflows"),
        (".github", "actions"),
        (".github", "copilot-instructions.md"),
        (".github", "instructions"),
    }
)

_IGNORABLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]")


def is_protected(parts: Sequence[str]) -> bool:
    """Whether a path of these parts names something protected, or lies in it."""
    names = [_plain(part) for part in parts]
    return any(map(_is_protected_name, names)) or any(pair in _PAIRS for pair in pairwise(names))


def _is_protected_name(name: str) -> bool:
    if name in _NAMES or name.startswith(_BEGINNINGS) or name.endswith(_ENDINGS):
        return True
    return "~" in name and _is_short_for_protected(name)


def _is_short_for_protected(name: str) -> bool:
    """Tell the short names that some file systems give to long ones: `GIT~1`, and `GI1A2B~1` when many collide."""
    stem, _, extension = name.partition(".")
    begin, _, number = stem.rpartition("~")
    if not number.isdigit():
        return False
    is_hashed = len(begin) == 6 and all(digit in "0123456789abcdef" for digit in begin[2:])
    return begin in _SHORT_STEMS or extension == "cod" or (is_hashed and begin[:2] in _SHORT_BEGINNINGS)


def _short_stem(name: str) -> str:
    text = name.lstrip(".")
    return (text.rpartition(".")[0] or text).replace(".", "")[:6]


_SHORT_STEMS = frozenset(map(_short_stem, (*_NAMES, *_BEGINNINGS, ".github")))
_SHORT_BEGINNINGS = frozenset(stem[:2] for stem in _SHORT_STEMS)


def _plain(part: str) -> str:
    """Undo what file systems let pass for the same name: case, stream names, trailing dots and blanks, ignorables."""
    if not part.isascii():
        part = "".join(mark for mark in part if unicodedata.category(mark) != "Cf")
        part = _IGNORABLE.sub("", unicodedata.normalize("NFKC", part))
    return part.partition(":")[0].casefold().rstrip(". \t\n\r\v\f")
