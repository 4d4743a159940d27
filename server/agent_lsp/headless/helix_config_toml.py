"""Adding to TOML that a person wrote, without losing a character of theirs. Pure.

The text is changed in whichever of a few ways makes it say just what was wanted, as a real parser reads it; where
none does, nothing is changed.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import BadParams

Path = tuple[str, ...]
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"^[ \t]*(\[{1,2})([^\[\]\n]+)\]{1,2}[ \t]*(?:#.*)?\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Setting:
    """A value, as TOML, at a path of keys."""

    path: Path
    literal: str


@dataclass(frozen=True, slots=True)
class Server:
    """A language's servers as Helix would have them without us, and ours, as TOML."""

    language: str
    servers: tuple[str, ...]
    literal: str
    is_wrapped: bool = False
    """Long lines are to be wrapped where the language has no settings of the user's yet."""


@dataclass(frozen=True, slots=True)
class Merged:
    text: str
    left_out: tuple[str, ...] = ()
    """What could not be added, as a user would write it."""


def parse(text: str, name: str) -> Json:
    """Read TOML; BadParams says where it is malformed."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadParams(f"{name} is malformed, so it stays as it is: {error}. Correct it and try again.") from error


def with_setting(text: str, setting: Setting) -> str | None:
    """The text with this setting; the same text where it says something at its path already; None if that cannot be."""
    before = tomllib.loads(text)
    if _is_there(before, setting.path):
        return text
    wanted = _with_value(before, setting.path, tomllib.loads(f"v = {setting.literal}")["v"])
    return _first_that_says(wanted, _with_line(text, setting)) if wanted is not None else None


def with_server(text: str, server: Server, mark: str) -> str | None:
    """The text with our server behind a language's others; the same text where one named `mark` is among them."""
    before = tomllib.loads(text)
    languages = _languages(before)
    found = next((n for n, each in enumerate(languages) if each.get("name") == server.language), None)
    ours = tomllib.loads(f"v = {server.literal}")["v"]
    current = languages[found].get("language-servers") if found is not None else None
    if isinstance(current, list):
        if mark in map(_name_of, cast("list[object]", current)):
            return text
        changed = {**languages[found or 0], "language-servers": [*cast("list[object]", current), ours]}
    else:
        changed = {"name": server.language, "language-servers": [*server.servers, ours]}
        wrapped = {"soft-wrap": {"enable": True}} if server.is_wrapped and found is None else {}
        changed = {**(languages[found] if found is not None else {}), **changed, **wrapped}
    place = len(languages) if found is None else found
    wanted = {**before, "language": [*languages[:place], changed, *languages[place + 1 :]]}
    return _first_that_says(wanted, _with_language(text, server, is_there=found is not None))


def quoted(text: str) -> str:
    """A string as TOML, plain where it can be."""
    if "'" not in text and text.isprintable():
        return f"'{text}'" if '"' in text or "\\" in text else f'"{text}"'
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in escaped) + '"'


def language_block(server: Server) -> str:
    wrapping = "soft-wrap.enable = true\n" if server.is_wrapped else ""
    return f"[[language]]\nname = {quoted(server.language)}\nlanguage-servers = {_array(server)}\n{wrapping}"


def _array(server: Server) -> str:
    return "[" + ", ".join([*map(quoted, server.servers), server.literal]) + "]"


def _first_that_says(wanted: Json, candidates: Iterator[str]) -> str | None:
    return next((text for text in candidates if _says(text) == wanted), None)


def _says(text: str) -> Json | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _is_there(table: object, path: Path) -> bool:
    for key in path:
        if not isinstance(table, dict) or key not in table:
            return False
        table = cast("Json", table)[key]
    return True


def _with_value(table: Json, path: Path, value: object) -> Json | None:
    """The table with the value; None where something that is no table is in the way."""
    key, rest = path[0], path[1:]
    if not rest:
        return {**table, key: value}
    inner = table.get(key, {})
    changed = _with_value(cast("Json", inner), rest, value) if isinstance(inner, dict) else None
    return None if changed is None else {**table, key: changed}


def _with_line(text: str, setting: Setting) -> Iterator[str]:
    """The ways to write a setting down: in its table, in a new one, in a table further out, before all tables."""
    line_end = _line_end(text)
    for depth in range(len(setting.path) - 1, 0, -1):
        line = f"{_dotted(setting.path[depth:])} = {setting.literal}"
        for place in _ends_of_table(text, setting.path[:depth]):
            yield _with_text_at(text, place, line, line_end)
        if depth == len(setting.path) - 1:
            table = f"[{_dotted(setting.path[:depth])}]"
            yield _ended(text, line_end) + f"{table}{line_end}{line}{line_end}"
    yield f"{_dotted(setting.path)} = {setting.literal}{line_end}{text}"


def _with_language(text: str, server: Server, *, is_there: bool) -> Iterator[str]:
    line_end = _line_end(text)
    if not is_there:
        yield _ended(text, line_end) + language_block(server).replace("\n", line_end)
        return
    for start, end in _sections(text, ("language",)):
        section = text[start:end]
        for array in re.finditer(r"^[ \t]*language-servers[ \t]*=[ \t]*\[", section, re.MULTILINE):
            yield from _with_element(text, start + array.end(), end, server.literal)
        yield _with_text_at(text, _last_line_end(text, start, end), f"language-servers = {_array(server)}", line_end)


def _with_element(text: str, start: int, end: int, literal: str) -> Iterator[str]:
    """Put an element last in an array: before each bracket that may be the one that closes it."""
    for bracket in re.finditer(r"\]", text[start:end]):
        head, tail = text[start : start + bracket.start()], text[start + bracket.start() :]
        kept = head.rstrip()
        space = head[len(kept) :]
        for element in _elements(kept, literal, _line_end(text)):
            yield f"{text[:start]}{kept}{element}{space}{tail}"


def _elements(kept: str, literal: str, line_end: str) -> Iterator[str]:
    """The ways to write one more element: behind others, behind a comma, behind a comment."""
    *_, last = kept.splitlines() or [""]
    if "\n" not in kept:
        yield literal if not kept else f" {literal}" if kept.endswith(",") else f", {literal}"
        return
    indent = last[: len(last) - len(last.lstrip())]
    yield f"{line_end}{indent}{literal},"
    yield f",{line_end}{indent}{literal},"
    yield f"{line_end}{indent}, {literal},"


def _ends_of_table(text: str, path: Path) -> list[int]:
    """Where a line can be added to a table that has a header: behind what is in it."""
    return [_last_line_end(text, start, end) for start, end in _sections(text, path)]


def _last_line_end(text: str, start: int, end: int) -> int:
    """Where the last line of a section ends that says something; comments below it belong to what follows."""
    lines = text[start:end].splitlines(keepends=True)
    while lines and (not (line := lines[-1].strip()) or line.startswith("#")):
        lines.pop()
    return start + len("".join(lines).rstrip())


def _sections(text: str, path: Path) -> Iterator[tuple[int, int]]:
    """From each header with this path up to the next header."""
    headers = [*_HEADER.finditer(text)]
    ends = [*(header.start() for header in headers[1:]), len(text)]
    for header, end in zip(headers, ends, strict=False):
        if _says(f"[{header[2]}]") == _with_value({}, path, {}):
            yield header.start(), end


def _with_text_at(text: str, place: int, line: str, line_end: str) -> str:
    return f"{text[:place]}{line_end}{line}{text[place:] or line_end}"


def _ended(text: str, line_end: str) -> str:
    """The text, ready for another table behind it."""
    return f"{text.rstrip()}{line_end}{line_end}" if text.strip() else ""


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _dotted(path: Sequence[str]) -> str:
    return ".".join(key if _BARE.fullmatch(key) else quoted(key) for key in path)


def _languages(table: Json) -> list[Json]:
    languages = table.get("language")
    return cast("list[Json]", languages) if isinstance(languages, list) else []


def _name_of(server: object) -> object:
    return cast("Json", server).get("name") if isinstance(server, dict) else server
