"""A run whose hall never gets done with cancelling: a process for a test of the second ^C."""

import asyncio
import sys

from headless_hall import ROOT, ScriptedConsole, ScriptedHall

from agent_lsp.domain.status import Status
from agent_lsp.headless.interruptions import Interruptions
from agent_lsp.headless.options import RunOptions
from agent_lsp.headless.run import run_at


class StubbornHall(ScriptedHall):
    async def cancel(self, task_id: str) -> Status:
        print("cancelling", flush=True)
        await asyncio.Event().wait()
        return await super().cancel(task_id)


async def main() -> int:
    with Interruptions() as interruptions:
        asyncio.get_running_loop().call_soon(lambda: print("running", flush=True))
        return await run_at(ScriptedConsole(), StubbornHall([]), RunOptions("Wait.", ROOT), interruptions)


sys.exit(asyncio.run(main()))
