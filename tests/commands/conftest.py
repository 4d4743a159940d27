import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_lsp.workspace.commands import Commands


@pytest.fixture
async def commands() -> AsyncIterator[Commands]:
    made = Commands(os.environ)
    yield made
    async with asyncio.timeout(20):
        await made.aclose()


@pytest.fixture
def artifact(tmp_path: Path) -> Path:
    return tmp_path / "artifacts" / "cmd-1.txt"
