"""Where the log goes. What is in messages is never logged; pygls would, so it is not asked."""

import logging
import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LogOptions:
    """`file` None: warnings and worse go to standard error."""

    file: Path | None = None
    level: str = "info"


class _CleanFormatter(logging.Formatter):
    """Takes out of each entry, its traceback too, what must not be written."""

    clean: Callable[[str], str] = staticmethod(str)

    def format(self, record: logging.LogRecord) -> str:
        return self.clean(super().format(record))


class _StandardError(logging.Handler):
    """Writes what standard error takes at once: a client that does not read it stalls nothing, and misses entries."""

    _DESCRIPTOR = 2

    def emit(self, record: logging.LogRecord) -> None:
        content = (self.format(record) + "\n").encode("utf-8", "backslashreplace")
        with suppress(OSError):  # It is closed, or what it leads to is full: there is nowhere to say so.
            # A pipe that can be written to takes so many bytes without a wait.
            for start in range(0, len(content), select.PIPE_BUF):
                _, ready, _ = select.select((), (self._DESCRIPTOR,), (), 0)
                if not ready:
                    return
                os.write(self._DESCRIPTOR, content[start : start + select.PIPE_BUF])


class _LogFile(logging.FileHandler):
    """Leaves out what the disk has no room for: to tell of each such entry would flood standard error."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  the name is logging's own
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def configure(options: LogOptions | None) -> None:
    """Set up logging once, for the whole process."""
    options = options or LogOptions()
    handler = _LogFile(options.file, encoding="utf-8") if options.file else _StandardError()
    handler.setFormatter(_CleanFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(options.level.upper() if options.file else logging.WARNING)
    # pygls logs the parameters of whatever fails, and from INFO on every body: prompts, files and keys.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)


def keep_clean(clean: Callable[[str], str]) -> None:
    """From now on, have every entry cleaned by this before it is written."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler.formatter, _CleanFormatter):
            handler.formatter.clean = clean
