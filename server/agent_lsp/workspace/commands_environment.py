"""The environment that commands get: the server's own, without secrets and without what changes how bash reads them."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agent_lsp.domain.secret_names import names_a_secret

_CHANGES_BASH = re.compile(
    r"^(BASH_ENV|ENV|BASHOPTS|SHELLOPTS|BASH_XTRACEFD|BASH_LOADABLES_PATH|EXECIGNORE|PROMPT_COMMAND|PS[0-4]"
    r"|CDPATH|GLOBIGNORE|IFS|POSIXLY_CORRECT|BASH_FUNC_.*)$"
)
_LEADS_GIT_ELSEWHERE = re.compile(
    r"^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX)$"
)
"""Set where a hook of git started the editor: commands would act on another repository than the one they run in."""
_URL_WITH_PASSWORD = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@]*:[^/\s@]+@")
_NEEDED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD")
"""Never dropped for what they hold: a made-up key of a local model may well be part of a path."""
_FIXED = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "AGENT_LSP": "1",
}


def command_environment(
    environment: Mapping[str, str],
    roots: Sequence[Path] = (),
    is_secret: Callable[[str], bool] = lambda _: False,
) -> dict[str, str]:
    """What of an environment a command may see, and the few variables that keep programs from waiting for a person.

    `LD_PRELOAD` and the like are the user's own, and stay.
    """
    passed = {name: value for name, value in environment.items() if _may_pass(name, value)}
    kept = {name: value for name, value in passed.items() if name in _NEEDED or not is_secret(value)}
    if "PATH" in kept:
        kept["PATH"] = _search_path(kept["PATH"], roots, kept.get("VIRTUAL_ENV", ""))
    return kept | _FIXED


def _may_pass(name: str, value: str) -> bool:
    is_out = names_a_secret(name) or _CHANGES_BASH.match(name) or _LEADS_GIT_ELSEWHERE.match(name)
    return not (is_out or _URL_WITH_PASSWORD.match(value))


def _search_path(path: str, roots: Sequence[Path], environment: str) -> str:
    """Absolute folders only, those of the workspace last: an `ls` that lies there is not what a rule allows as `ls`.

    An activated virtual environment stays where the user put it, since `python` has to be its own.
    """
    folders = [folder for folder in path.split(os.pathsep) if folder.startswith("/")]
    real_roots = [os.path.realpath(root) for root in roots]
    chosen = os.path.join(environment, "bin") if environment else None  # noqa: PTH118  compared as text
    last = [folder for folder in folders if folder != chosen and _is_within(folder, real_roots)]
    return os.pathsep.join([*(folder for folder in folders if folder not in last), *last])


def _is_within(folder: str, real_roots: Sequence[str]) -> bool:
    real = Path(os.path.realpath(folder))
    return any(real.is_relative_to(root) for root in real_roots)
