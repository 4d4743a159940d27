"""What most tests of the front door begin with."""

from collections.abc import AsyncIterator

import pytest

from support.front_door import FrontDoor, front_door


@pytest.fixture
async def door() -> AsyncIterator[FrontDoor]:
    """Nothing has been said yet."""
    async with front_door() as opened:
        yield opened


@pytest.fixture
async def ready(door: FrontDoor) -> FrontDoor:
    """A client that knows the agent has shaken hands."""
    await door.client.initialize(capabilities={"workspace": {"applyEdit": True}})
    return door


@pytest.fixture
async def plain(door: FrontDoor) -> FrontDoor:
    """A client that does not know the agent has shaken hands."""
    await door.client.initialize(agent=None)
    return door
