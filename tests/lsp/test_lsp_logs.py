"""What reaches the log, and what does not."""

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_lsp.cli import main
from agent_lsp.lsp import logs
from support.lsp_client import LspClient


@pytest.fixture(autouse=True)
def root_logger() -> Iterator[None]:
    """Leave logging as it was."""
    root = logging.getLogger()
    handlers, level, of_pygls = list(root.handlers), root.level, logging.getLogger("pygls").level
    yield
    for handler in [handler for handler in root.handlers if handler not in handlers]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)
    logging.getLogger("pygls").setLevel(of_pygls)


def test_entries_and_their_tracebacks_are_cleaned(tmp_path: Path) -> None:
    logs.configure(logs.LogOptions(tmp_path / "log", "debug"))
    logs.keep_clean(lambda text: text.replace("open-sesame", "[secret]"))

    try:
        fail()
    except ValueError:
        logging.getLogger("any").exception("He said %s", "open-sesame")

    written = (tmp_path / "log").read_text()
    assert "He said [secret]" in written
    assert "ValueError: it was [secret]" in written
    assert "open-sesame" not in written


@pytest.mark.parametrize("words", [(), ("--log-file", "/dev/full", "--log-level", "debug")], ids=["none", "full"])
async def test_a_client_that_does_not_read_standard_error_stalls_nothing(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "unread")
    unread = os.open(tmp_path / "unread", os.O_RDWR)
    server = [sys.executable, "-m", "agent_lsp", "--stdio", *words]
    environment = {"AGENT_LSP_STATE": str(tmp_path), "AGENT_LSP_HOME": str(tmp_path)}
    client = await LspClient.start(["sh", "-c", f'exec "$0" "$@" 2>{tmp_path}/unread', *server], env=environment)
    try:
        await client.initialize(agent=None)
        for _ in range(2_000):
            client.notify("textDocument/didOpen", 5)

        assert await client.shut_down() == 0
        assert words or b"didOpen" in os.read(unread, 1_000)
    finally:
        await client.aclose()
        os.close(unread)


@pytest.mark.parametrize(
    ("name", "why"),
    [("folder", "Is a directory"), ("file/log", "Not a directory"), ("file/logs/log", "Not a directory")],
)
def test_a_log_that_cannot_be_written_is_told_before_anything_is_served(
    name: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()

    with pytest.raises(SystemExit) as ending:
        main(["--stdio", "--log-file", f"{tmp_path}/{name}"])

    assert ending.value.code == 2
    assert f"the log {tmp_path}/{name} cannot be written: {why}\n" in capsys.readouterr().err


async def test_the_folder_of_a_log_is_made(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "of agents" / "log"
    environment = {"AGENT_LSP_STATE": str(tmp_path), "AGENT_LSP_HOME": str(tmp_path)}
    client = await LspClient.start(
        [sys.executable, "-m", "agent_lsp", "--stdio", "--log-file", str(log)], env=environment
    )
    try:
        await client.initialize(agent=None)

        assert await client.shut_down() == 0
        assert "The connection ends with 0" in log.read_text()
    finally:
        await client.aclose()


def fail() -> None:
    raise ValueError("it was open-sesame")
