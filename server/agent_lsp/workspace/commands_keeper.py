"""The keeper: a small program between the server and each command, so that nothing a command starts outlives it.

A keeper adopts the orphans of its command's tree, ends the whole tree when it is told to or when the server goes
(either way its end of a socket closes), and tells how the command ended. Run as a script, it imports nothing of
ours: it starts in some 15 ms, once for a server, and forks a spare of itself ahead of each command.

On Linux the tree is found by descent, which no `setsid` or double fork escapes. Elsewhere orphans cannot be adopted:
the command's process group is all that is ended there.
"""

import ctypes
import errno
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence

LENGTH = struct.Struct("!I")
ENDED = struct.Struct("!ci?")
"""`x` and a wait status or `e` and an errno, then whether processes of the command are left."""
GRACE_SECONDS = 0.8

_COUNTS = 3
_PR_SET_CHILD_SUBREAPER = 36
_RESTORED = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
"""Whatever we, or whoever started us, made of them: a command gets them as a terminal would give them."""


def main(descriptor: int) -> None:
    """Have one spare keeper waiting for the next command at any time, until the server goes."""
    server = socket.socket(fileno=descriptor)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        # Keepers end with what they keep, not with whoever ends all programs of a name.
        signal.signal(number, signal.SIG_IGN)
    _adopt_orphans()
    nursery = _Nursery(server, _wake_on_child())
    while nursery.is_spare_taken():
        pass
    nursery.see_out()


def request(
    arguments: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    *,
    rules: Sequence[str] = (),
    attendants: int = 0,
) -> bytes:
    """Encode what a keeper has to know; none of these can hold a NUL."""
    variables = (f"{name}={value}" for name, value in environment.items())
    counts = (len(arguments), len(rules), attendants)
    fields = [cwd, *map(str, counts), *arguments, *rules, *variables]
    body = b"\0".join(os.fsencode(field) for field in fields)
    return LENGTH.pack(len(body)) + body


def descendants(root: int, besides: Collection[int] = ()) -> list[int]:
    """The processes below one, as far as they exist right now; without those of `besides` and what is below them."""
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and (parent := _parent_of(entry.name)) is not None:
            children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = [child for child in children.get(waiting.pop(), []) if child not in besides]
        found += below
        waiting += below
    return found


def _parent_of(pid: str) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:  # noqa: PTH123  pathlib would double the time to start.
            # The name, in parentheses, may hold blanks and parentheses of its own.
            return int(stat.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return None


class _Nursery:
    """Forks keepers, and sees that none is put out of action.

    One that is stopped goes on at once. What one that was killed leaves behind is killed as well, again whenever some
    of it has ended.
    """

    def __init__(self, server: socket.socket, woken: int) -> None:
        self._server = server
        self._woken = woken
        self._keepers: set[int] = set()

    def is_spare_taken(self) -> bool:
        """Fork a spare and wait until it gets a command (True), or learns that the server is gone."""
        reading, writing = os.pipe()
        if (keeper := os.fork()) == 0:
            os.close(reading)
            _wait_for_command(self._server, writing)
            os._exit(0)
        os.close(writing)
        self._keepers.add(keeper)
        self._tend_until(reading)
        is_over = os.read(reading, 1)
        os.close(reading)
        return not is_over

    def see_out(self) -> None:
        """Wait for the keepers, which end what they keep now that the server is gone."""
        while self._tend():
            self._wait()

    def _tend_until(self, readable: int) -> None:
        while readable not in self._wait(readable):
            self._tend()

    def _wait(self, *others: int) -> Sequence[int]:
        """Wait until a child has ended or was stopped, or another descriptor can be read from; which of those."""
        ready, _, _ = select.select([self._woken, *others], [], [])
        if self._woken in ready:
            os.read(self._woken, 4096)
        return ready

    def _tend(self) -> bool:
        """Take note of how children changed, and kill what has lost its keeper; whether there are any left."""
        is_keeper_lost = False
        while change := _changed_child():
            pid, status = change
            if os.WIFSTOPPED(status):
                _send_signal(os.kill, pid, signal.SIGCONT)
            elif pid:
                is_keeper_lost |= pid not in self._keepers or status != 0
                self._keepers.discard(pid)
            else:
                if is_keeper_lost:
                    self._kill_orphans()
                return True
        return False

    def _kill_orphans(self) -> None:
        if sys.platform == "linux":
            for pid in descendants(os.getpid(), self._keepers):
                _send_signal(os.kill, pid, signal.SIGKILL)


def _changed_child() -> tuple[int, int] | None:
    """A child that has ended or was stopped, and its status; 0 where none did, nothing where there is no child."""
    try:
        return os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
    except ChildProcessError:
        return None


def _wait_for_command(server: socket.socket, taken: int) -> None:
    # The session of its own keeps a terminal's ^C away; the command's group is made within it.
    os.setsid()
    _adopt_orphans()
    message, descriptors, _, _ = socket.recv_fds(server, 1, 2)
    if not message:
        os.write(taken, b"q")
        return
    os.close(taken)
    server.close()
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)  # Else the command would hold the lifeline itself.
    _keep(socket.socket(fileno=descriptors[0]), descriptors[1])


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _keep(control: socket.socket, output: int) -> None:
    woken = _wake_on_child()
    body = _read_request(control)
    if body is None:
        return
    start = _Start(body)
    try:
        child = start.spawn(output)
    except OSError as problem:
        control.send(ENDED.pack(b"e", problem.errno or 0, False))
        return
    os.close(output)
    os.chdir("/")
    watch = _Watch(control, woken, child, start.attendants)
    try:
        watch.run()
    except BaseException:  # A keeper that fails, however it does, takes its command along.
        watch.signal_all(signal.SIGKILL)
        raise


def _wake_on_child() -> int:
    """A descriptor that can be read from whenever a child has ended."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    return reading


def _read_request(control: socket.socket) -> bytes | None:
    header = _read_exactly(control, LENGTH.size)
    return header and _read_exactly(control, LENGTH.unpack(header)[0])


def _read_exactly(control: socket.socket, size: int) -> bytes | None:
    pieces = bytearray()
    while len(pieces) < size:
        piece = _receive(control, size - len(pieces))
        if not piece:
            return None
        pieces += piece
    return bytes(pieces)


def _receive(control: socket.socket, size: int) -> bytes:
    """Read from the server; nothing once it is gone."""
    try:
        return control.recv(size)
    except ConnectionError:
        return b""  # It went with a message of ours unread, which resets the connection.


class _Start:
    """What a request says."""

    def __init__(self, body: bytes) -> None:
        self._cwd, *rest = body.split(b"\0")
        argument_count, rule_count, self.attendants = map(int, rest[:_COUNTS])
        fields = rest[_COUNTS:]
        self._program, *self._arguments = fields[:argument_count]
        self._rules = fields[argument_count : argument_count + rule_count]
        pairs = (field.partition(b"=") for field in fields[argument_count + rule_count :])
        self._environment = {name: value for name, _, value in pairs}

    def spawn(self, output: int) -> int:
        os.chdir(self._cwd)
        nothing = os.open(os.devnull, os.O_RDONLY)
        if self._rules:
            return self._fork(nothing, output)
        return os.posix_spawn(
            self._program,
            self._words(),
            self._environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, nothing, 0),
                (os.POSIX_SPAWN_DUP2, output, 1),
                (os.POSIX_SPAWN_DUP2, output, 2),
            ],
            setpgroup=0,
            setsigdef=_RESTORED,
            setsigmask=(),
        )

    def _words(self) -> list[bytes]:
        return [os.path.basename(self._program), *self._arguments]  # noqa: PTH119  pathlib would double the time to start.

    def _fork(self, nothing: int, output: int) -> int:
        """Spawn what holds itself to rules first. A pipe that exec closes tells why there was no exec."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            self._become_command(nothing, output, writing)
        os.close(writing)
        failure = os.read(reading, 16)
        os.close(reading)
        if failure:
            os.waitpid(child, 0)
            raise OSError(int(failure), "")
        return child

    def _become_command(self, nothing: int, output: int, failing: int) -> None:
        try:
            os.setpgid(0, 0)
            for number in _RESTORED:
                signal.signal(number, signal.SIG_DFL)
            for target, source in enumerate((nothing, output, output)):
                os.dup2(source, target)
            _restrict(self._rules)
            os.execve(self._program, self._words(), self._environment)  # noqa: S606  the shell is what is started
        except OSError as problem:
            os.write(failing, b"%d" % (problem.errno or errno.EPERM))
        finally:
            os._exit(1)


def _restrict(rules: Sequence[bytes]) -> None:
    """Import what only a confined command needs; this program has no path to its own package."""
    sys.path.append(os.path.abspath(f"{__file__}/../../.."))  # noqa: PTH100  pathlib would double the time to start.
    from agent_lsp.workspace import sandbox_landlock

    sandbox_landlock.restrict(rules)


class _Watch:
    """Sees one command to the end of its last process."""

    def __init__(self, control: socket.socket, woken: int, child: int, attendants: int) -> None:
        self._control = control
        self._woken = woken
        self._child = child
        self._attendants = attendants
        self._status: int | None = None
        self._is_reported = False
        self._kill_at: float | None = None
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        self._poll.register(woken, select.POLLIN)

    def run(self) -> None:
        while self._has_children():
            ready = {descriptor for descriptor, _ in self._poll.poll(self._patience())}
            if self._woken in ready:
                os.read(self._woken, 4096)
            if self._control.fileno() in ready:
                self._be_told()
            if self._kill_at is not None and time.monotonic() >= self._kill_at:
                self.signal_all(signal.SIGKILL)

    def _has_children(self) -> bool:
        is_any_left = self._reap()
        if self._status is not None and not self._is_reported:
            self._is_reported = True
            self._tell(ENDED.pack(b"x", self._status, is_any_left and self._is_more_than_attended()))
        return is_any_left

    def _is_more_than_attended(self) -> bool:
        return not self._attendants or len(descendants(os.getpid())) > self._attendants

    def _reap(self) -> bool:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._child:
                self._status = status

    def _tell(self, message: bytes) -> None:
        try:
            self._control.send(message)
        except OSError:
            return  # The server is gone; its closed end of the socket says the rest.

    def _patience(self) -> float | None:
        """Milliseconds until the grace is over. Once it is, each child that ends wakes this up for another round."""
        if self._kill_at is None or (left := self._kill_at - time.monotonic()) <= 0:
            return None
        return left * 1000 + 1

    def _be_told(self) -> None:
        if not _receive(self._control, 1):
            self._poll.unregister(self._control)
        if self._kill_at is None:
            self._kill_at = time.monotonic() + GRACE_SECONDS
            self.signal_all(signal.SIGTERM)
            self.signal_all(signal.SIGCONT)  # A stopped process ends only once it goes on.

    def signal_all(self, number: signal.Signals) -> None:
        if sys.platform == "linux":
            for pid in descendants(os.getpid()):
                _send_signal(os.kill, pid, number)
        elif self._status is None:
            _send_signal(os.killpg, self._child, number)


def _send_signal(send: Callable[[int, int], None], target: int, number: signal.Signals) -> None:
    try:
        send(target, number)
    except (ProcessLookupError, PermissionError):
        return  # It has just ended, or has taken another user's rights.


if __name__ == "__main__":
    main(int(sys.argv[1]))
