import io
from argparse import ArgumentParser
from pathlib import Path

import pytest

from agent_lsp.cli import main
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.status import PermissionMode
from agent_lsp.headless.arguments import (
    add_demo_arguments,
    add_run_arguments,
    demo_options,
    run_options,
    task_text,
)
from agent_lsp.headless.options import DemoOptions, OutputFormat, RunOptions
from agent_lsp.headless.paint import colours_wanted


class TerminalInput(io.StringIO):
    def isatty(self) -> bool:
        return True


def parsed(*words: str) -> RunOptions:
    parser = ArgumentParser()
    add_run_arguments(parser)
    return run_options(parser.parse_args(words))


def test_plain_run_has_the_defaults() -> None:
    assert parsed("fix it") == RunOptions("fix it", Path.cwd().resolve())


def test_every_option_is_taken(tmp_path: Path) -> None:
    words = (
        "-y --mode ask --permission-mode acceptEdits --profile mine --record r.jsonl --max-requests 3 --max-cost 0.5 -q"
    )

    options = parsed(*words.split(), "--cwd", str(tmp_path), "--output-format", "stream-json", "fix it")

    assert options == RunOptions(
        task="fix it",
        cwd=tmp_path.resolve(),
        approves_all=True,
        mode="ask",
        permission_mode=PermissionMode.ACCEPT_EDITS,
        profile="mine",
        record=Path("r.jsonl").absolute(),
        output_format=OutputFormat.STREAM_JSON,
        max_requests=3,
        max_cost=0.5,
        is_quiet=True,
    )


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (RunOptions("x", Path()), {"limits": {}}),
        (RunOptions("x", Path(), profile="mine"), {"limits": {}, "currentProvider": "mine"}),
        (
            RunOptions("x", Path(), max_requests=3, max_cost=0.5, permission_mode=PermissionMode.PLAN),
            {"limits": {"requests": 3, "cost": 0.5}, "permissionMode": "plan"},
        ),
        (
            RunOptions("x", Path(), replay=Path("/r")),
            {"limits": {}, "currentProvider": "replay", "providers": {"replay": {"type": "replay", "file": "/r"}}},
        ),
    ],
)
def test_options_become_settings(options: RunOptions, settings: Json) -> None:
    assert options.settings() == settings


@pytest.mark.parametrize(
    ("argument", "stdin", "text"),
    [
        ("fix it", io.StringIO("other"), "fix it"),
        (" fix it \n", None, "fix it"),
        ("-", io.StringIO("from\nthere\n"), "from\nthere"),
        ("-", TerminalInput("typed\n"), "typed"),
        (None, io.StringIO("from there"), "from there"),
    ],
)
def test_task_comes_from_the_argument_or_the_input(argument: str | None, stdin: io.StringIO | None, text: str) -> None:
    assert task_text(argument, stdin) == text


@pytest.mark.parametrize(
    ("argument", "stdin"),
    [(None, None), (None, TerminalInput("typed")), (None, io.StringIO("")), ("-", io.StringIO(" \n")), ("  ", None)],
)
def test_no_task_is_said_to_be_none(argument: str | None, stdin: io.StringIO | None) -> None:
    with pytest.raises(BadParams, match="There is no task"):
        task_text(argument, stdin)


def test_input_that_is_no_text_is_refused() -> None:
    with pytest.raises(BadParams, match="not valid text"):
        task_text("-", io.TextIOWrapper(io.BytesIO(b"\xff\xfe"), "utf-8"))


@pytest.mark.parametrize(
    ("environment", "output", "is_wanted"),
    [
        ({}, TerminalInput(), True),
        ({}, io.StringIO(), False),
        ({}, None, False),
        ({"TERM": "dumb"}, TerminalInput(), False),
        ({"NO_COLOR": "1"}, TerminalInput(), False),
        ({"NO_COLOR": ""}, TerminalInput(), True),
        ({"FORCE_COLOR": "1"}, io.StringIO(), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, TerminalInput(), False),
    ],
)
def test_colours_follow_the_terminal_and_the_environment(
    environment: dict[str, str], output: io.StringIO | None, is_wanted: bool
) -> None:
    assert colours_wanted(environment, output) is is_wanted


def test_demo_keeps_its_folder_when_told_to() -> None:
    parser = ArgumentParser()
    add_demo_arguments(parser)

    assert demo_options(parser.parse_args(["--keep", "--no-color"])) == DemoOptions(is_kept=True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "fix", "the", "tests"], "'the' is not understood: `agent-lsp run --help` says what is."),
        (["run", "x", "--\x1bfoo"], "'--\\x1bfoo' is not understood: `agent-lsp run --help` says what is."),
        (
            ["permissions", "list", "--yaml"],
            "'--yaml' is not understood: `agent-lsp permissions list --help` says what is.",
        ),
        (["--stdio", "--loud"], "'--loud' is not understood: `agent-lsp --help` says what is."),
    ],
)
def test_what_is_not_understood_is_named_with_the_help_to_look_at(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err == f"agent-lsp: {told}\n"
