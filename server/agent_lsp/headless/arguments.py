"""The command lines of `run` and `demo`, and the options made of them."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.status import PermissionMode
from agent_lsp.headless.options import DemoOptions, OutputFormat, RunOptions
from agent_lsp.headless.paint import colours_wanted, is_terminal

RUN_EPILOG = """\
exit codes: 0 the task completed, 1 it did not, 2 the command line makes no sense,
            130 cancelled by ^C (a second ^C ends at once), 143 by SIGTERM

Without --yes every approval is asked on the terminal. Where there is none, it is refused, and
the task does not count as completed. --yes never covers writes outside the working folder or to
protected files, nor commands in which a denied one may hide, nor leaving the mode that --mode
names: those are asked all the same."""


def add_run_arguments(parser: ArgumentParser) -> None:
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = RUN_EPILOG
    parser.add_argument(
        "task", nargs="?", help="what is to be done, in quotes; - or nothing reads it from the standard input"
    )
    parser.add_argument("-y", "--yes", action="store_true", help="approve all that the permission mode allows")
    modes = [mode.value for mode in PermissionMode]
    parser.add_argument("--trust", action="store_true", help="let the folder's own settings loosen yours, this once")
    parser.add_argument(
        "--mode", metavar="SLUG", help="how to work: code, architect, ask, debug, or a mode of your own"
    )
    parser.add_argument("--permission-mode", choices=modes, metavar="MODE", help=", ".join(modes))
    parser.add_argument("--cwd", type=_folder, default=".", metavar="DIR", help="the folder to work in")
    model = parser.add_mutually_exclusive_group()
    model.add_argument("--profile", metavar="NAME", help="the provider profile of the settings to use")
    model.add_argument(
        "--replay", type=existing_file, metavar="FILE", help="play a recording in the model's and the user's place"
    )
    parser.add_argument("--exact", action="store_true", help="with --replay: stop where a request differs from it")
    parser.add_argument("--record", type=absolute_path, metavar="FILE", help="record what the model answers")
    parser.add_argument("--max-requests", type=_count, metavar="N", help="stop after N model requests")
    parser.add_argument("--max-cost", type=_dollars, metavar="X", help="stop after X dollars")
    formats = [each.value for each in OutputFormat]
    parser.add_argument("--output-format", choices=formats, default="text", metavar="FORMAT", help=", ".join(formats))
    parser.add_argument("-q", "--quiet", action="store_true", help="show the result alone")
    _add_colour_argument(parser)


def run_options(namespace: Namespace) -> RunOptions:
    """Make the options; reads the task from the standard input where it is to come from there.

    Raises BadParams where there is no task.
    """
    if namespace.exact and not namespace.replay:
        raise BadParams("--exact says how a recording is played: name one with --replay.")
    return RunOptions(
        task=_task_of(namespace),
        cwd=namespace.cwd,
        approves_all=namespace.yes,
        trusts_folder=namespace.trust,
        mode=namespace.mode,
        permission_mode=PermissionMode(namespace.permission_mode) if namespace.permission_mode else None,
        profile=namespace.profile,
        record=namespace.record,
        replay=namespace.replay,
        is_exact=namespace.exact,
        output_format=OutputFormat(namespace.output_format),
        max_requests=namespace.max_requests,
        max_cost=namespace.max_cost,
        is_quiet=namespace.quiet,
        has_colours=_has_colours(namespace),
    )


def add_demo_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--keep", action="store_true", help="keep the demo's project and say where it is")
    _add_colour_argument(parser)


def demo_options(namespace: Namespace) -> DemoOptions:
    return DemoOptions(is_kept=namespace.keep, has_colours=_has_colours(namespace))


def _task_of(namespace: Namespace) -> str:
    """The task, which a recording that is played may hold itself: then it is empty here."""
    return "" if namespace.replay and namespace.task is None else task_text(namespace.task, sys.stdin)


def task_text(argument: str | None, stdin: TextIO | None) -> str:
    """The user's words: the argument, else the standard input."""
    if argument is not None and argument != "-":
        text = argument
    elif stdin is None or (argument is None and is_terminal(stdin)):
        text = ""
    else:
        text = _read(stdin)
    if not text.strip():
        raise BadParams('There is no task: say it as an argument, e.g. agent-lsp run "fix the tests", or pipe it in.')
    return text.strip()


def _read(stdin: TextIO) -> str:
    try:
        return stdin.read()
    except UnicodeDecodeError as error:
        raise BadParams("The task on the standard input is not valid text: pipe it in as UTF-8.") from error


def _add_colour_argument(parser: ArgumentParser) -> None:
    parser.add_argument("--no-color", action="store_true", help="no colours (also by NO_COLOR=1)")


def _has_colours(namespace: Namespace) -> bool:
    return not namespace.no_color and colours_wanted(os.environ, sys.stdout)


def _folder(text: str) -> Path:
    path = Path(text).resolve()
    if not path.is_dir():
        raise ArgumentTypeError(f"there is no folder {text}")
    return path


def existing_file(text: str) -> Path:
    path = Path(text).absolute()
    if not path.is_file():
        raise ArgumentTypeError(f"there is no file {text}")
    return path


def absolute_path(text: str) -> Path:
    return Path(text).absolute()


def log_file(text: str) -> Path:
    """A log that can be added to; made with its folder, lest it fails once the client was answered."""
    path = Path(text).absolute()
    try:
        with suppress(FileExistsError):  # A file in the folder's place is told of in plainer words below.
            path.parent.mkdir(parents=True, exist_ok=True)
        path.open("ab").close()
    except OSError as error:
        raise ArgumentTypeError(f"the log {text} cannot be written: {error.strerror}") from error
    return path


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def _dollars(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = 0.0
    if not 0 < amount < float("inf"):
        raise ArgumentTypeError(f"{text!r} is no amount above 0")
    return amount
