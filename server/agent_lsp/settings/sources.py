"""Where settings come from, and how they are joined: defaults < user < projects < editor < command line.

Whatever is wrong with one of them is remarked upon, in one sentence that names file and key; nothing here fails.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from agent_lsp.domain.encoding import Json
from agent_lsp.settings.checks import checked, shortened
from agent_lsp.settings.model import Settings
from agent_lsp.settings.restraint import restrained, with_denials_kept
from agent_lsp.settings.wording import worded

USER_FILE = "settings.json"
PROJECT_FILE = ".agent-lsp/settings.json"
LARGEST_FILE = 1_000_000


IsTrusted = Callable[[str, str], bool]
"""Whether the user trusts a folder, by its real path, with what the digest stands for."""


@dataclass(frozen=True, slots=True)
class ProjectWish:
    """What a project's settings ask for beyond the user's. The digest stands for this and all that its file sets."""

    root: str
    digest: str
    asks: tuple[str, ...]
    is_trusted: bool = False


@dataclass(frozen=True, slots=True)
class SettingsRead:
    settings: Settings
    remarks: tuple[str, ...]
    """What was ignored and why, to be said once."""
    wishes: tuple[ProjectWish, ...] = ()


def read_settings(
    *,
    home: Path,
    roots: Sequence[Path],
    editor: Json | None,
    command_line: Json | None,
    is_trusted: IsTrusted,
) -> SettingsRead:
    """Read and join all settings. A value that cannot be used leaves the one below it standing."""
    joined = _Joined(Settings().model_dump(by_alias=True), ())
    joined = joined.with_layer(*_read_file(home / USER_FILE))
    for root in roots:
        joined = joined.with_project(os.path.realpath(root), *_read_file(root / PROJECT_FILE), is_trusted)
    joined = joined.with_layer(_Layer("The editor's settings", editor or {}), ())
    joined = joined.with_layer(_Layer("The command line", command_line or {}), ())
    return SettingsRead(Settings.model_validate(joined.values), joined.remarks, joined.wishes)


def settings_files(home: Path, roots: Sequence[Path]) -> tuple[Path, ...]:
    """The files that settings are read from, whether they are there or not."""
    return (home / USER_FILE, *(root / PROJECT_FILE for root in roots))


@dataclass(frozen=True, slots=True)
class _Layer:
    source: str
    values: Json


@dataclass(frozen=True, slots=True)
class _Joined:
    """The settings so far, with a value for every key, and what was remarked."""

    values: Json
    remarks: tuple[str, ...]
    wishes: tuple[ProjectWish, ...] = ()

    def with_layer(self, layer: _Layer, remarks: tuple[str, ...]) -> "_Joined":
        values, more = _checked(layer)
        return _Joined(merged(self.values, values), (*self.remarks, *remarks, *more), self.wishes)

    def with_project(self, root: str, layer: _Layer, remarks: tuple[str, ...], is_trusted: IsTrusted) -> "_Joined":
        values, more = _checked(layer)
        wish = with_denials_kept(values, self.values)
        granted, refused = restrained(wish, self.values)
        remarks = (*self.remarks, *remarks, *more)
        if not refused:
            return _Joined(merged(self.values, wish), remarks, self.wishes)
        asks, digest = worded(refused), _digest({"sets": values, "asks": refused})
        if asks is None:
            remarks = (*remarks, f"{layer.source}: it asks for more than can be shown, and gets nothing of it.")
            return _Joined(merged(self.values, granted), remarks, self.wishes)
        asked = ProjectWish(root, digest, asks, is_trusted(root, digest))
        if not asked.is_trusted:
            wish = granted
            remarks += shortened([_refusal(layer.source, path) for path in refused], layer.source)
        return _Joined(merged(self.values, wish), remarks, (*self.wishes, asked))


def _refusal(source: str, path: str) -> str:
    return f"{source}: `{path}` is ignored: only a folder that you trust may set it so."


def _digest(values: Json) -> str:
    """A name for exactly these settings, however they are laid out in their file.

    What is asked for is more than what the file says where the user's own settings have become stricter since. The
    whole hash: of a part, a project could find harmless settings and others that go by the same name.
    """
    return sha256(json.dumps(values, sort_keys=True, default=str).encode(errors="surrogatepass")).hexdigest()


def merged(below: Json, above: Json) -> Json:
    """Objects are joined key by key, at every depth; anything else from above replaces what is below."""
    return below | {
        key: merged(cast("Json", below[key]), cast("Json", value))  # Checked by the condition.
        if isinstance(value, dict) and isinstance(below.get(key), dict)
        else value
        for key, value in above.items()
    }


def _checked(layer: _Layer) -> tuple[Json, tuple[str, ...]]:
    try:
        return checked(layer.values, layer.source)
    except RecursionError:
        return {}, (f"{layer.source}: all of it is ignored: it is nested too deeply.",)


def _read_file(path: Path) -> tuple[_Layer, tuple[str, ...]]:
    try:
        return _Layer(str(path), _parsed(path)), ()
    except FileNotFoundError:
        return _Layer(str(path), {}), ()
    except (OSError, TypeError, ValueError, RecursionError) as error:
        return _Layer(str(path), {}), (f"{path}: all of it is ignored: {_reason(error)}.",)


def _parsed(path: Path) -> Json:
    if not path.is_file() and path.exists():
        raise ValueError("it is not a file")
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ValueError(f"it is larger than {LARGEST_FILE} bytes")
    value: Any = json.loads(content.decode("utf-8-sig"))  # Any: JSON that nobody has looked at yet.
    if not isinstance(value, dict):
        raise TypeError("it does not hold an object in braces")
    return cast("Json", value)  # A JSON object has strings for keys.


def _reason(error: Exception) -> str:
    match error:
        case json.JSONDecodeError():
            return f"line {error.lineno}, column {error.colno} is not JSON ({error.msg})"
        case UnicodeDecodeError():
            return "it is not UTF-8 text"
        case RecursionError():
            return "it is nested too deeply"
        case OSError():
            return error.strerror or "it cannot be read"
        case _:
            return str(error)
