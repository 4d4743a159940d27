"""`agent-lsp helix-config`: prints what Helix has to be told of the agent, or merges it into the user's own files."""

import difflib
import os
import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from agent_lsp.domain.errors import AgentError, BadParams
from agent_lsp.headless.helix_config_parts import (
    COMMON_LANGUAGES,
    OWN_LANGUAGES,
    SERVER,
    Helix,
    merged_config,
    merged_languages,
    printed,
)
from agent_lsp.headless.helix_config_toml import Merged

_PAINT = re.compile(r"\x1b\[[\d;]*m")
_VERSION = re.compile(r"helix (\d+)\.(\d+)")
_SERVER_ROW = re.compile(r"^ +[✓✘] ([^\s:]+): ", re.MULTILINE)
_PROGRAMS = ("hx", "helix")
_AT_ONCE = 8


def add_helix_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "languages", nargs="*", metavar="LANGUAGE", help="as Helix names it; without any: the common ones"
    )
    parser.add_argument(
        "--write", action="store_true", help="merge it into your files; they are kept beside them as .bak"
    )
    parser.add_argument("--diff", action="store_true", help="show what --write would change")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where languages.toml and config.toml are")
    parser.add_argument("--hx", metavar="PROGRAM", help="the Helix to ask, where it is not on the PATH")


def run_helix_config(options: Namespace) -> int:
    try:
        return _run(options)
    except BrokenPipeError:
        raise
    except (AgentError, OSError) as error:
        print(f"agent-lsp: {error}", file=sys.stderr)
        return 1


def _run(options: Namespace) -> int:
    folder = options.folder or _folder()
    helix = ask_helix(_program(options.hx), options.languages)
    command = _command()
    if not (options.write or options.diff):
        print(printed(helix, command), end="")
        return 0
    files: dict[str, Callable[[str], Merged]] = {
        "languages.toml": lambda text: merged_languages(text, helix, command),
        "config.toml": lambda text: merged_config(text, helix),
    }
    # All is worked out before anything is written: what is malformed leaves both as they are.
    merges = [(folder / name, text := _read(folder / name), merge(text)) for name, merge in files.items()]
    left_out = [each for path, text, merged in merges for each in _take(path, text, merged, writes=options.write)]
    if left_out:
        listed = "\n".join(left_out)
        print(
            f"agent-lsp: Your own settings are in the way of this; add by hand what you want of it:\n{listed}",
            file=sys.stderr,
        )
    return 1 if left_out else 0


def ask_helix(program: str, languages: Sequence[str]) -> Helix:
    """Ask Helix for its version, and for the servers of each language: a list of the user's replaces its own."""
    found = _VERSION.match(_output([program, "--version"]))
    if found is None:
        raise BadParams(f"{program} is not Helix; name it by --hx.")
    names = list(dict.fromkeys([*OWN_LANGUAGES, *(languages or COMMON_LANGUAGES)]))
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        told = threads.map(_output, ([program, "--health", name] for name in names))
        reports = dict(zip(names, told, strict=True))
    unknown = [name for name in languages if not _is_known(reports[name])]
    if unknown:
        raise BadParams(f"Helix knows no language {', '.join(unknown)}; `{program} --health languages` lists them.")
    servers = {name: servers_in(report) for name, report in reports.items() if _is_known(report)}
    return Helix((int(found[1]), int(found[2])), servers)


def servers_in(report: str) -> tuple[str, ...]:
    """The servers that `hx --health LANGUAGE` names, ours left out."""
    servers = report.partition("Configured debug adapter")[0]
    return tuple(name for name in _SERVER_ROW.findall(servers) if name != SERVER)


def _is_known(report: str) -> bool:
    return "Configured language server" in report


def _output(words: list[str]) -> str:
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return _PAINT.sub("", ended.stdout.decode(errors="replace"))


def _program(named: str | None) -> str:
    found = next((path for name in ([named] if named else _PROGRAMS) if (path := shutil.which(name))), None)
    if found is None:
        raise BadParams(f"{named or 'hx'} was not found; name your Helix by --hx, since it knows what servers it has.")
    return found


def _folder() -> Path:
    # As Helix does it, on Linux and on macOS.
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "helix"


def _command() -> str:
    """How Helix can start us: by name where that is found, else by the path of what runs now."""
    own = Path(sys.argv[0])
    return SERVER if shutil.which(SERVER) or own.name != SERVER else str(own.resolve())


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise BadParams(f"{path} is not UTF-8, so it stays as it is. Correct it and try again.") from error


def _take(path: Path, text: str, merged: Merged, *, writes: bool) -> Sequence[str]:
    """Show what changes in a file, and write it where that is wanted; gives what has to be added by hand."""
    if merged.text == text:
        print(f"{path} stays as it is.")
        return merged.left_out
    old, new = text.splitlines(keepends=True), merged.text.splitlines(keepends=True)
    sys.stdout.writelines(difflib.unified_diff(old, new, str(path), str(path), n=1))
    if writes:
        kept = _keep(path)
        _write(path, merged.text)
        print(f"{path} is written." + (f" What it was is in {kept}." if kept else ""))
    return merged.left_out


def _keep(path: Path) -> Path | None:
    """Copy a file beside itself, over no earlier copy."""
    if not path.exists():
        return None
    names = (path.with_name(f"{path.name}.bak{number or ''}") for number in range(1_000))
    kept = next(name for name in names if not name.exists())
    shutil.copy2(path, kept)
    return kept


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Where it is a link, into a folder of dotfiles for instance, it stays one.
    target = path.resolve()
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8", newline="")
    if target.exists():
        shutil.copymode(target, unfinished)
    unfinished.replace(target)
