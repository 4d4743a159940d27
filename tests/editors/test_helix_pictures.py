"""The task that the pictures of terminals show, played in Helix, and the pictures themselves."""

from pathlib import Path

import pytest
from editors_site import site
from helix_editor import helix_editor
from terminal_scene import FILES, PICTURED, PICTURES, TURNS, play_helix


async def test_the_task_of_the_pictures_is_played_to_its_end(tmp_path: Path) -> None:
    seen: dict[str, str] = {}
    async with helix_editor(site().helix("sid"), tmp_path, TURNS, FILES, "durations.py") as helix:

        async def take(name: str) -> None:
            seen[name] = "\n".join(await helix.terminal.screen())

        await play_helix(helix, take)

    assert list(seen) == ["change", "transcript", "command", "question", "done"]
    assert "- [x] Run the tests" in seen["done"]


@pytest.mark.parametrize("name", sorted(PICTURED))
def test_pictures_are_there_and_small(name: str) -> None:
    picture = PICTURES / f"{name}.png"

    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < 150_000
