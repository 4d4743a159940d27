"""The real front door in a process of its own, with a fake hall behind it: `python fake_server.py [--tcp … | --log FILE]`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_lsp.lsp import boot


def load() -> Callable[[Any], Any]:
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from support.fake_hall import FakeHall

    return FakeHall


if __name__ == "__main__":
    if "--tcp" in sys.argv:
        from agent_lsp.lsp.tcp import run_tcp

        sys.exit(run_tcp(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None, load))
    if "--log" in sys.argv:
        from agent_lsp.lsp.logs import LogOptions

        sys.exit(boot.run_stdio(load, LogOptions(Path(sys.argv[2]), "debug")))
    sys.exit(boot.run_stdio(load))
