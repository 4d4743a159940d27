import asyncio
import os

import pytest

from agent_lsp.lsp.parent import watch_process


async def test_end_of_a_process_is_seen() -> None:
    ended = asyncio.Event()
    process = await asyncio.create_subprocess_exec("sleep", "600")
    watch_process(process.pid, ended.set)
    was_early = ended.is_set()

    process.kill()

    async with asyncio.timeout(10):
        await ended.wait()
        await process.wait()
    assert not was_early


@pytest.mark.parametrize("has_pidfd", [True, False])
async def test_process_that_is_gone_already_is_seen(has_pidfd: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_pidfd:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    ended = asyncio.Event()
    process = await asyncio.create_subprocess_exec("true")
    await process.wait()

    watch_process(process.pid, ended.set)

    async with asyncio.timeout(10):
        await ended.wait()


@pytest.mark.parametrize("process_id", [os.getpid(), 1])
async def test_living_process_is_watched_where_the_system_does_not_tell(
    process_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    polls: list[float] = []
    monkeypatch.setattr(asyncio.get_running_loop(), "call_later", lambda seconds, *_: polls.append(seconds))
    ended = asyncio.Event()

    watch_process(process_id, ended.set)

    assert (len(polls), ended.is_set()) == (1, False)


async def test_number_that_names_no_process_is_not_watched() -> None:
    ended = asyncio.Event()

    watch_process(0, ended.set)
    await asyncio.sleep(0)

    assert not ended.is_set()


async def test_a_number_that_no_process_has_is_not_watched() -> None:
    watch_process(2**70, lambda: pytest.fail("nothing has ended"))
