"""An exercise in a folder of its own, done by `agent-lsp run` as a process; and where recordings of that are kept."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree

from exercises import Exercise

RECORDINGS = Path(__file__).parent.parent / "recordings"
TIMELESS = "python3 -m unittest -q > /dev/null 2>&1 && echo passed || echo failed"


@dataclass(frozen=True, slots=True)
class Ended:
    code: int | None
    output: str
    errors: str


@dataclass(slots=True)
class PlayedTask:
    """Each run begins with the exercise's files, and with a home and a state of its own."""

    root: Path
    exercise: Exercise
    homes: list[Path] = field(default_factory=list[Path])

    @property
    def folder(self) -> Path:
        return self.root / "project"

    async def run(self, *words: str, base_url: str = "") -> Ended:
        rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for path, text in self.exercise.files.items():
            (self.folder / path).write_text(text)
        home = self.root / f"home-{len(self.homes)}"
        self.homes.append(home)
        home.mkdir()
        profile = {"type": "openai", "model": "m", "apiKey": "k", "baseURL": base_url}
        (home / "settings.json").write_text(json.dumps({"currentProvider": "p", "providers": {"p": profile}}))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "agent_lsp", "run", *words),
            cwd=self.folder,
            env={"AGENT_LSP_HOME": str(home), "AGENT_LSP_STATE": str(home / "state"), "PATH": "/usr/bin:/bin"},
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
        )
        async with asyncio.timeout(90):
            output, errors = await process.communicate()
        return Ended(process.returncode, output.decode(), errors.decode())

    def journal(self) -> bytes:
        """The journal of the newest run."""
        (journal,) = self.homes[-1].glob("state/tasks/*/journal.jsonl")
        return journal.read_bytes()
