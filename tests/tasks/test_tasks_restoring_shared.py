"""The agent and the user change the same files at random; a restore takes back the agent's part and loses none of the user's."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from restoring_site import TASK, Desk

from agent_lsp.domain.checkpoints import FileState, Restoration

NAMES = ("a", "b", "c/d", "c/e", "f g")
RUNS = 20


@dataclass
class Pair:
    """Two who write, each in lines that tell whose they are; and who touched what since the checkpoint."""

    desk: Desk
    chance: random.Random
    agents: set[str] = field(default_factory=set)
    users: set[str] = field(default_factory=set)
    count: int = 0

    def text(self, name: str, who: str) -> str | None:
        """What somebody makes of a file: a line more, a line less, another text, or nothing at all."""
        path, self.count = self.desk.root / name, self.count + 1
        lines = path.read_text().splitlines() if path.is_file() else []
        line, at = f"{who}-{self.count}", self.chance.randint(0, len(lines))
        match self.chance.randrange(8):
            case 0:
                return None if path.is_file() else line + "\n"
            case 1:
                return line + "\n"
            case 2 if at < len(lines):
                lines[at] = line
            case _:
                lines.insert(at, line)
        return "".join(f"{each}\n" for each in lines)

    async def act(self) -> None:
        name = self.chance.choice(NAMES)
        if self.chance.random() < 0.5:
            self.agents.add(name)
            await self.desk.edit(self.desk.root / name, self.text(name, "agent"))
        else:
            self.users.add(name)
            self.put(name, self.text(name, "user"))

    def put(self, name: str, text: str | None) -> None:
        if text is None:
            (self.desk.root / name).unlink()
        else:
            self.desk.write(name, text)


def lines_of(state: FileState | None, who: str) -> set[bytes]:
    return {line for line in state.content.splitlines() if line.startswith(who.encode())} if state else set()


@pytest.mark.parametrize("seed", range(10))
async def test_restore_gives_each_their_own(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for run in range(RUNS):
        folder = tmp_path / str(run)
        folder.mkdir()
        await play(Pair(Desk.at(folder), chance))


async def play(pair: Pair) -> None:
    for name in pair.chance.sample(NAMES, 3):
        pair.desk.write(name, "".join(f"{name}-{number}\n" for number in range(6)))
    start, then = await pair.desk.take(), pair.desk.tree()
    for _ in range(pair.chance.randint(1, 8)):
        await pair.act()
    before = pair.desk.tree()

    done = await pair.desk.kept.restore(TASK, start)

    assert_fair(pair, done, then, before)
    await pair.desk.kept.restore(TASK, done.undo or "")
    assert pair.desk.tree() == before
    await pair.desk.kept.close()


def assert_fair(pair: Pair, done: Restoration, then: Mapping[str, FileState], before: Mapping[str, FileState]) -> None:
    after, conflicts = pair.desk.tree(), {conflict.path for conflict in done.conflicts}
    for name in NAMES:
        if name in conflicts or name not in pair.agents:
            assert after.get(name) == before.get(name)
        elif name not in pair.users:
            assert after.get(name) == then.get(name)
        else:
            assert lines_of(before.get(name), "user") <= lines_of(after.get(name), "user")
            assert lines_of(after.get(name), "agent") == set()
    assert conflicts <= pair.agents & pair.users
