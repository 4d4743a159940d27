"""Markdown files with a head in YAML between two lines of `---`: parted into what the head says, and the text. Pure."""

import re

from agent_lsp.domain.encoding import Json
from agent_lsp.extensions.yaml_text import NotYaml, read_yaml

_HEAD = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def parted(text: str) -> tuple[Json, str]:
    """The head (empty where there is none) and what stands below it. NotYaml where the head cannot be read."""
    head, below = _halves(text)
    held = read_yaml(head)
    if held is not None and not isinstance(held, dict):
        raise NotYaml("its head holds no `key: value` lines")
    return held or {}, below


def parted_loosely(text: str) -> tuple[Json, str]:
    """The same, where a head that is no YAML (`argument-hint: [a] | [b]`) is what its lines say, word by word."""
    try:
        return parted(text)
    except NotYaml:
        head, below = _halves(text)
        pairs = (line.partition(":") for line in head.splitlines() if ":" in line and not line.startswith((" ", "#")))
        return {key.strip(): value.strip() for key, _, value in pairs}, below


def _halves(text: str) -> tuple[str, str]:
    found = _HEAD.match(text)
    return (found[1], text[found.end() :].strip()) if found else ("", text.strip())
