import asyncio
import sys
from pathlib import Path

import pytest
from restoring_site import TASK, Desk

from agent_lsp.domain.checkpoints import Reason

CHILD = Path(__file__).with_name("restoring_child.py")


async def killed_at(folder: Path, checkpoint: str, deed: int) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(CHILD), str(folder), checkpoint, str(deed), env={"PATH": "/usr/bin:/bin"}
    )
    async with asyncio.timeout(60):
        return await process.wait()


@pytest.mark.parametrize("deed", range(1, 25, 2))
async def test_restore_that_is_killed_loses_nothing_and_is_finished_by_the_next(tmp_path: Path, deed: int) -> None:
    desk = Desk.at(tmp_path)
    for name in ("a", "b", "sub/c"):
        desk.write(name, f"{name}\n" * 3)
    (desk.root / "link").symlink_to("a")
    before = desk.tree()
    start = await desk.kept.take(TASK, Reason.COMMAND)
    desk.write("a", "changed\n")
    (desk.root / "b").unlink()
    (desk.root / "link").unlink()
    desk.write("link", "a file\n")
    desk.write("new/d", "d\n")
    (desk.root / "sub/c").chmod(0o700)
    await desk.kept.note_changes_since(TASK, start)
    after = desk.tree()

    code = await killed_at(tmp_path, start.id, deed)
    left = {name: state for name, state in desk.tree().items() if not name.rpartition("/")[2].startswith(".agent-lsp-")}

    assert code in (0, -9)
    assert all(state in (before.get(name), after.get(name)) or name == "sub/c" for name, state in left.items())
    await Desk.at(tmp_path).kept.restore(TASK, start.id)
    assert desk.tree() == before
