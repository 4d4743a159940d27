"""A program that changes files in processes of its own, each killed at one system call, and says how the files stood.

Called with an empty folder; prints one JSON line for each kill, and one for the run that was not killed.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import EditOutcome, FileEdit, NotApplied, Selection
from agent_lsp.workspace.files import OwnFolders, WorkspaceFiles
from agent_lsp.workspace.leftovers import Leftovers
from agent_lsp.workspace.opened import NoDocuments

CHANGING = ("open", "write", "fsync", "replace", "link", "unlink", "mkdir", "fchmod", "fchown", "rmdir")


def main(base: Path) -> None:
    calls = 0
    while True:
        shutil.rmtree(base)
        make(base)
        was_killed = run_until(calls, base)
        before = tree(base / "W")
        Leftovers(base / "notes").sweep()
        print(json.dumps({"call": calls, "was_killed": was_killed, "left": before, "swept": tree(base / "W")}))
        if not was_killed:
            return
        calls += 1


def make(base: Path) -> None:
    (base / "W").mkdir(parents=True)
    (base / "W" / "small").write_bytes(b"old\n")
    (base / "W" / "large").write_bytes(b"old\n" * 600)
    (base / "W" / "gone").write_bytes(b"old\n")


def run_until(calls: int, base: Path) -> bool:
    """Change the files in a child that dies at the call with this number; whether it did."""
    pid = os.fork()
    if pid == 0:
        kill_at(calls)
        asyncio.run(change(base))
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status)


def kill_at(number: int) -> None:
    left = [number]

    def counting(call: Callable[..., Any]) -> Callable[..., Any]:  # Any: whatever the calls of the system take.
        def counted(*arguments: Any, **named: Any) -> Any:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            if call is write:
                # Half of it only, as a disk may do.
                arguments = (arguments[0], arguments[1][: max(len(arguments[1]) // 2, 1)])
            return call(*arguments, **named)

        return counted

    write = os.write
    for name in CHANGING:
        setattr(os, name, counting(getattr(os, name)))


async def change(base: Path) -> EditOutcome:
    """Change two files, delete one and make one, all in one edit."""
    files = WorkspaceFiles([base / "W"], NoDocuments(), own=OwnFolders(base / "notes"), environment={})
    texts = {"small": "new\n", "large": "new\n" * 700, "gone": None, "x/y/made": "new\n"}
    edits = list[FileEdit]()
    for name, after in texts.items():
        place = files.locate(name, "write")
        try:
            before = await files.read(place) if place.absolute.exists() else None
        except FileProblem as problem:
            return NotApplied(str(problem))
        edits.append(FileEdit(place, before, after))
    return await files.apply(await files.propose(edits), Selection())


def tree(folder: Path) -> dict[str, str]:
    """Each file with the word it is full of, or `torn`."""
    return {str(path.relative_to(folder)): word(path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


def word(content: bytes) -> str:
    for name, times in (("old", 1), ("new", 1), ("old", 600), ("new", 700)):
        if content == f"{name}\n".encode() * times:
            return name
    return "torn"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
