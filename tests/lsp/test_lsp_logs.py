"""What reaches the log, and what does not."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_lsp.lsp import logs


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


def fail() -> None:
    raise ValueError("it was open-sesame")
