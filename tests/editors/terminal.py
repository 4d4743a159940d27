"""A terminal that a program runs in, and that a test types into and looks at: tmux in its control mode.

tmux tells whenever the program has drawn something. So whoever waits for a screen looks again only then.
"""

import asyncio
import subprocess
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE_SECONDS = 60
"""What is waited for comes in moments; on a busy machine it may take that long."""
_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class Size:
    columns: int = 110
    rows: int = 32


class Terminal:
    """One pane of one tmux server that is nobody else's."""

    def __init__(self, process: asyncio.subprocess.Process, size: Size) -> None:
        self.size = size
        self._process = process
        self._replies: deque[asyncio.Future[list[str]]] = deque()
        self._drawn = asyncio.Event()
        self._attached = asyncio.Event()
        self._is_over = False
        self._reading = asyncio.create_task(self._read())

    async def press(self, *keys: str) -> None:
        """Press keys by their names: `Escape`, `C-s`, `x`."""
        for key in keys:
            await self._tmux(f"send-keys -- {_quoted(key)}")

    async def type(self, text: str) -> None:
        await self._tmux(f"send-keys -l -- {_quoted(text)}")

    async def enter(self, line: str) -> None:
        """Type a line and enter it."""
        await self.type(line)
        await self.press("Enter")

    async def pid(self) -> int:
        """The process that runs in it."""
        return int((await self._tmux("display -p '#{pane_pid}'"))[0])

    async def screen(self) -> list[str]:
        return await self._tmux("capture-pane -p")

    async def painted(self) -> list[str]:
        """The screen with its colours, as a terminal is told them."""
        return await self._tmux("capture-pane -p -e -N")

    async def until(self, holds: Callable[[str], bool], wanted: str) -> str:
        """Wait until this holds of the screen; the screen then."""
        shown = ""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while True:
                    self._drawn.clear()
                    if holds(shown := "\n".join(await self.screen())):
                        return shown
                    assert not self._is_over, f"The program ended.\n{shown}"
                    await self._drawn.wait()
        except TimeoutError:
            raise AssertionError(f"Never seen: {wanted}\n{shown}") from None

    async def until_over(self) -> None:
        """Wait until the program has ended by itself."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._process.wait()
            await self._reading

    async def stop(self) -> None:
        """End it, however far it is."""
        if self._process.returncode is None and self._process.stdin:
            self._process.stdin.write(b"kill-server\n")
        await self.until_over()

    async def resize(self) -> None:
        """Give it its size, as soon as tmux has let us in."""
        await self._attached.wait()
        await self._tmux(f"refresh-client -C {self.size.columns}x{self.size.rows}")

    async def _tmux(self, command: str) -> list[str]:
        assert self._process.stdin
        assert not self._is_over, "The terminal is gone."
        reply = asyncio.get_running_loop().create_future()
        self._replies.append(reply)
        self._process.stdin.write(f"{command}\n".encode())
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await reply

    async def _read(self) -> None:
        assert self._process.stdout
        block: list[str] | None = None
        while line := await self._process.stdout.readline():
            text = line.decode(errors="replace").rstrip("\n")
            if block is not None and text.startswith(("%end ", "%error ")):
                self._take(block, text)
                block = None
            elif block is not None:
                block.append(text)
            elif text.startswith("%begin "):
                block = []
            elif text.startswith("%session-changed "):
                self._attached.set()
            elif text.startswith("%output "):
                self._drawn.set()
        self._is_over = True
        self._drawn.set()
        self._attached.set()
        for reply in self._replies:
            reply.set_exception(ConnectionError("The terminal is gone."))

    def _take(self, block: list[str], end: str) -> None:
        # The flags of a reply to a command of ours end with 1; tmux's first one, to its own command line, has 0.
        if not end.endswith(" 1") or not self._replies:
            return
        reply = self._replies.popleft()
        if end.startswith("%error"):
            reply.set_exception(ValueError("\n".join(block)))
        else:
            reply.set_result(block)


@asynccontextmanager
async def terminal(
    command: Sequence[str], folder: Path, environment: dict[str, str], socket: Path, size: Size = Size()
) -> AsyncGenerator[Terminal]:
    """Run a program in a terminal of its own; the terminal ends with the block."""
    process = await asyncio.create_subprocess_exec(
        *(
            "tmux",
            "-S",
            str(socket),
            "-f",
            "/dev/null",
            "-C",
            "new-session",
            "-x",
            str(size.columns),
            "-y",
            str(size.rows),
        ),
        *command,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        limit=_LIMIT,
    )
    shown = Terminal(process, size)
    try:
        await shown.resize()
        yield shown
    finally:
        await shown.stop()


def _quoted(text: str) -> str:
    """A word of tmux's command language."""
    return "'" + text.replace("'", "'\\''") + "'"
