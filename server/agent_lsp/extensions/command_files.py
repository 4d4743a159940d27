"""Markdown files that hold words for the agent, to be called by their name. Pure."""

import re
import shlex
from dataclasses import dataclass

from agent_lsp.domain.modes import Source
from agent_lsp.extensions.front_matter import parted_loosely
from agent_lsp.extensions.live_files import FoundFile
from agent_lsp.extensions.yaml_text import Value

SUFFIXES = (".md",)

_NAME = re.compile(r"[\w-]{1,64}")
_PLACE = re.compile(r"\$(ARGUMENTS\b|[1-9](?!\d))")


@dataclass(frozen=True, slots=True)
class CommandFile:
    name: str
    text: str
    source: Source
    description: str = ""
    argument_hint: str = ""
    mode: str = ""
    model: str = ""


class NoCommand(ValueError):
    """The file makes no command; says why."""


def read_command(file: FoundFile) -> CommandFile:
    """Read a file; NoCommand says why that cannot be."""
    name = file.path.stem
    if not _NAME.fullmatch(name):
        raise NoCommand("a command's name is made of letters, digits, `-` and `_`, at most 64")
    head, text = parted_loosely(file.text)
    if not text:
        raise NoCommand("it has no words")
    return CommandFile(
        name,
        text,
        file.source,
        description=_word(head.get("description")) or _first_line(text),
        argument_hint=_hint(head.get("argument-hint") or head.get("argumentHint")),
        mode=_word(head.get("mode")),
        model=_word(head.get("model")) or _word(head.get("profile")),
    )


def filled(text: str, arguments: str) -> str:
    """The words with the arguments in their places, each once over; where there is no place for them, behind."""
    if not _PLACE.search(text):
        return f"{text}\n\nArguments: {arguments}" if arguments else text
    each = _parts(arguments)

    def put(found: re.Match[str]) -> str:
        if found[1] == "ARGUMENTS":
            return arguments
        position = int(found[1]) - 1
        return each[position] if position < len(each) else ""

    return _PLACE.sub(put, text)


def _parts(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError:
        return arguments.split()


def _hint(value: Value) -> str:
    """Read `[path] [words]` too, which YAML takes for a list where nobody quoted it."""
    if isinstance(value, list):
        return " ".join(f"[{_word(item)}]" for item in value)
    return _word(value)


def _word(value: Value) -> str:
    return " ".join(str(value).split())[:300] if isinstance(value, str | int | float) else ""


def _first_line(text: str) -> str:
    line = next((line.strip("# ").strip() for line in text.splitlines() if line.strip("# ").strip()), "")
    return line if len(line) <= 80 else f"{line[:79]}…"
