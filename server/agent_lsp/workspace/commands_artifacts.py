"""The kept outputs of one task's commands: their names, and reading them by pages or by search."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

from agent_lsp.domain.commands import Artifact, MatchingLines, Page
from agent_lsp.domain.errors import FileProblem
from agent_lsp.workspace import commands_search

PAGE_BYTES = 28_000
"""What one result can carry to a model, with room for a line about it."""
SEARCH_SECONDS = 10.0
_ID = re.compile(r"cmd-[1-9][0-9]{0,8}")


class Artifacts:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number: int | None = None

    def new(self) -> Artifact:
        """Name the output of one more command; its file is made only if it is needed."""
        if self._number is None:
            self._number = self._highest_number()
        self._number += 1
        artifact_id = f"cmd-{self._number}"
        return Artifact(artifact_id, self._folder / f"{artifact_id}.txt")

    async def page(self, artifact_id: str, offset: int, limit: int) -> Page:
        """Read whole lines from a byte on, `limit` bytes at most; FileProblem where there is no such output."""
        return await asyncio.to_thread(_read_page, self._find(artifact_id), offset, min(limit, PAGE_BYTES))

    async def search(self, artifact_id: str, pattern: str) -> MatchingLines:
        """Find the lines that a Python regular expression matches, as many as a result can carry."""
        path = self._find(artifact_id)
        try:
            re.compile(pattern)
        except re.error as problem:
            raise FileProblem(
                f"The expression cannot be read ({problem}); escape what is meant literally."
            ) from problem
        found = await _search_apart(path, pattern)
        *lines, is_cut = found.split("\n")
        return MatchingLines(tuple(lines), is_cut == commands_search.CUT)

    def _highest_number(self) -> int:
        kept = (path.stem.removeprefix("cmd-") for path in self._folder.glob("cmd-*.txt"))
        return max((int(number) for number in kept if number.isdecimal()), default=0)

    def _find(self, artifact_id: str) -> Path:
        path = self._folder / f"{artifact_id}.txt"
        if not _ID.fullmatch(artifact_id) or path.is_symlink() or not path.is_file():
            raise FileProblem(
                f"There is no kept output {artifact_id[:40]!r}; only output that was cut is kept, under the name in "
                "its result."
            )
        return path


def _read_page(path: Path, offset: int, limit: int) -> Page:
    total_bytes = path.stat().st_size
    with path.open("rb") as file:
        file.seek(offset)
        content = file.read(limit)
    end = offset + len(content)
    if end < total_bytes:
        content = content[: content.rfind(b"\n") + 1] or _whole_characters(content)
        end = offset + len(content)
    text = content.decode("utf-8", "ignore")  # Only an offset within a character leaves anything to ignore.
    return Page(text, offset, total_bytes, end if end < total_bytes else None)


def _whole_characters(content: bytes) -> bytes:
    """Leave out a character that was cut off at the end."""
    return content.decode("utf-8", "ignore").encode() or content


async def _search_apart(path: Path, pattern: str) -> str:
    """Search in a process of its own: an expression may take for ever, and would take all threads with it."""
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-I", "-S", commands_search.__file__, pattern, str(path), str(PAGE_BYTES)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(SEARCH_SECONDS):
            output, _ = await process.communicate()
    except TimeoutError:
        raise FileProblem("The search took too long; use a simpler expression.") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output.decode("utf-8", "replace")
