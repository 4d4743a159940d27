"""Files that describe modes: Markdown with a head, JSON, and the family's `.roomodes` in YAML. Pure."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.modes import EditScope, Mode, ToolGroup
from agent_lsp.extensions.front_matter import parted
from agent_lsp.extensions.live_files import FoundFile
from agent_lsp.extensions.patterns import problem_of
from agent_lsp.extensions.yaml_text import NotYaml, Value, read_yaml

SUFFIXES = (".md", ".json", ".yaml", ".yml")

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_ALWAYS_THERE = {"modes"}
"""Groups of the family's whose tools every mode has here."""


@dataclass(slots=True)
class ModesRead:
    """What one file describes, and sentences about what of it is ignored."""

    modes: list[Mode] = field(default_factory=list[Mode])
    problems: list[str] = field(default_factory=list[str])


class _Shape(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)

    slug: str
    name: str = ""
    role_definition: str = Field(default="", max_length=20_000)
    description: str = ""
    when_to_use: str = ""
    custom_instructions: str = Field(default="", max_length=50_000)
    groups: list[Any] | None = None  # Any: words, pairs and objects, read one by one below.


class _Refused(ValueError):
    """The description makes no mode; says why."""


def read_modes(file: FoundFile) -> ModesRead:
    """Read what a file describes. What cannot be used costs only itself."""
    read = ModesRead()
    try:
        shapes = list(_shapes(file))
    except (NotYaml, ValueError, RecursionError) as fault:
        read.problems.append(f"{file.path}: it is ignored: {_reason(fault)}.")
        return read
    for number, shape in enumerate(shapes, 1):
        try:
            mode = _mode(shape, file, read)
        except (_Refused, ValidationError) as fault:
            name = shape.get("slug", number) if isinstance(shape, dict) else number
            read.problems.append(f"{file.path}: the mode {_shown(name)} is ignored: {_reason(fault)}.")
            continue
        if any(mode.slug == known.slug for known in read.modes):
            read.problems.append(f"{file.path}: the mode `{mode.slug}` stands there twice; the first one counts.")
        else:
            read.modes.append(mode)
    return read


def _shapes(file: FoundFile) -> Iterator[Value]:
    if file.path.suffix == ".md":
        head, text = parted(file.text)
        yield _of_markdown(head, text, file.path.stem)
        return
    held = _document(file)
    modes = held.get("customModes") if isinstance(held, dict) and "customModes" in held else held
    if isinstance(modes, list):
        yield from modes
    elif modes is not None:
        yield modes


def _document(file: FoundFile) -> Value:
    """Read YAML, or JSON whatever the file is called: the family writes either."""
    if file.path.suffix == ".json" or file.text.lstrip().startswith("{"):
        held: Value = json.loads(file.text)
        return held
    return read_yaml(file.text)


def _of_markdown(head: dict[str, Any], text: str, stem: str) -> dict[str, Any]:  # Any: not looked at yet.
    """Name a mode after its file; what stands below the head are its instructions, or its role where it has none."""
    role = head.get("roleDefinition") or head.get("role")
    words = {"roleDefinition": role, "customInstructions": text} if role else {"roleDefinition": text}
    return {"slug": stem} | head | words


def _mode(held: Value, file: FoundFile, read: ModesRead) -> Mode:
    if not isinstance(held, dict):
        raise _Refused("it is no object")
    shape = _Shape.model_validate({key: value for key, value in held.items() if value is not None})
    if not _SLUG.fullmatch(shape.slug):
        raise _Refused("a slug is made of letters, digits and hyphens, at most 64")
    if not shape.role_definition.strip():
        raise _Refused("it lacks a `roleDefinition`: say what the agent is in this mode")
    groups, scopes, unknown = _groups(shape.groups)
    if unknown:
        read.problems.append(f"{file.path}: of the mode `{shape.slug}`, {_listed(unknown)} is no group of tools.")
    return Mode(
        slug=shape.slug,
        name=shape.name.strip() or shape.slug.replace("-", " ").capitalize(),
        role=shape.role_definition,
        description=shape.description.strip() or shape.when_to_use.strip().partition("\n")[0][:200],
        when_to_use=shape.when_to_use.strip() or shape.description.strip(),
        instructions=shape.custom_instructions,
        groups=groups,
        edit_scopes=scopes,
        source=file.source,
    )


def _groups(held: Sequence[Any] | None) -> tuple[frozenset[ToolGroup], tuple[EditScope, ...], list[str]]:  # Any: above.
    """Read the groups, the files that may be edited, and what is no group. Without any list, a mode has them all."""
    if held is None:
        return frozenset(ToolGroup), (), []
    groups: set[ToolGroup] = set()
    scopes: list[EditScope] = []
    unknown: list[str] = []
    for entry in held:
        name, options = _group(entry)
        if name in set(ToolGroup):
            groups.add(ToolGroup(name))
            scopes += _scopes(name, options)
        elif name not in _ALWAYS_THERE:
            unknown.append(name)
    return frozenset(groups), tuple(scopes), unknown


def _group(entry: Any) -> tuple[str, Any]:  # Any: not looked at yet.
    """Read `edit`, `[edit, {…}]` or `{edit: …}`."""
    match entry:
        case str():
            return entry, None
        case [str(name)] | {"name": str(name)}:
            return name, None
        case [str(name), options]:
            return name, options
        case dict():
            pairs = list(cast("Json", entry).items())  # An object out of a file has texts for keys.
            if len(pairs) == 1:
                return pairs[0]
            raise _Refused(f"{_shown(pairs)} is no group of tools")
        case _:
            raise _Refused(f"{_shown(entry)} is no group of tools")


def _scopes(group: str, options: Any) -> list[EditScope]:  # Any: as above.
    """Read which files a group is about. What is wrong there costs the whole mode, which would edit too much."""
    match options:
        case None:
            return []
        case str(pattern):
            scope = EditScope(pattern)
        case {"fileRegex": str(pattern)}:
            described = options.get("description")
            scope = EditScope(pattern, described.strip() if isinstance(described, str) else "")
        case {"description": str()} if len(options) == 1:
            return []
        case _:
            raise _Refused(f"the group `{group}` takes a `fileRegex`, not {_shown(options)}")
    if group != ToolGroup.EDIT:
        raise _Refused(f"only the group `edit` takes a `fileRegex`, not `{group}`")
    if problem := problem_of(scope.pattern):
        raise _Refused(f"the `fileRegex` {_shown(scope.pattern)} is not taken: {problem}")
    return [scope]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(_shown, names[:5]))


def _shown(value: object) -> str:
    """Something out of a file as it may be shown: on one line, and not too long."""
    text = "".join(character if character.isprintable() else "?" for character in str(value))
    return f"`{text if len(text) <= 80 else text[:80] + '…'}`"


def _reason(fault: Exception) -> str:
    match fault:
        case ValidationError():
            row = fault.errors(include_url=False, include_input=False)[0]
            return f"{'.'.join(map(str, row['loc']))}: {row['msg'][:1].lower()}{row['msg'][1:]}"
        case json.JSONDecodeError():
            return f"line {fault.lineno}, column {fault.colno} is not JSON ({fault.msg})"
        case RecursionError():
            return "it is nested too deeply"
        case _:
            return str(fault)
