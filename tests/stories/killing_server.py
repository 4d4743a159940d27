"""The real server, but killed at its Nth journal write: in the middle of it, or right behind it.

python killing_server.py N torn|after --stdio
"""

import itertools
import os
import signal
import sys

from agent_lsp.cli import main
from agent_lsp.storage.journal import Journal

number, moment = int(sys.argv[1]), sys.argv[2]
write = Journal._write
writes = itertools.count(1)


def write_or_die(self: Journal, line: bytes) -> None:
    if next(writes) < number:
        return write(self, line)
    if moment == "torn":
        write(self, line[: len(line) // 2])
    if moment == "after":
        write(self, line)
    return os.kill(os.getpid(), signal.SIGKILL)


Journal._write = write_or_die
sys.exit(main(sys.argv[3:]))
