"""Ways out of each sandbox this system has, as real commands try them. Each may fail however it likes, and must leave no trace."""

import asyncio
import os
import socket
from collections.abc import Iterator

import pytest
from command_processes import mark, running, until_begun
from command_shapes import SHAPES
from outside import CONFINERS, SECRET, Outside, outside

from agent_lsp.domain.commands import CommandEnd, Excerpt
from agent_lsp.workspace.commands import Commands
from agent_lsp.workspace.sandbox import Confinement, Sandbox, Wanted
from agent_lsp.workspace.sandbox_places import Own

PYTHON = """python3 - <<'END'
import ctypes, os, socket, fcntl, struct
libc = ctypes.CDLL(None, use_errno=True)
{0}
END"""


@pytest.fixture
def world() -> Iterator[Outside]:
    with outside() as made:
        yield made


@pytest.fixture(params=CONFINERS)
def sandbox(world: Outside, commands: Commands, request: pytest.FixtureRequest) -> Sandbox:
    own = Own(world.home, (world.state,), world.state / "tmp")
    search_path = os.environ["PATH"] if request.param == "bubblewrap" else ""
    return Sandbox(commands, Confinement({"PATH": search_path}), own, lambda: Wanted("require", (world.root,)))


async def run(sandbox: Sandbox, world: Outside, command: str) -> Excerpt:
    confined = await sandbox.around(command)
    assert confined
    async with asyncio.timeout(30):
        started = confined.start(command, world.root, world.folder / "artifact")
        await started.ended()
        await started.abort()
    return started.excerpt()


def python(*lines: str) -> str:
    return PYTHON.replace("{0}", "\n".join(lines))


ATTEMPTS = {
    # The disk, by its names.
    "write": "echo x > {file}",
    "append": "echo x >> {file}",
    "up and over": "echo x > ../file",
    "a new file": "touch {out}/new",
    "a new folder": "mkdir -p {out}/new && touch {out}/new/file",
    "a file in the home": "echo x >> {home}/.bashrc",
    "a link to a file": "ln -s {file} link; echo x > link",
    "a link to a folder": "ln -s {out} there; echo x > there/new",
    "a hard link": "ln {file} hard && echo x > hard",
    "rename": "mv {file} here",
    "rename over": "echo x > mine; mv mine {file}",
    "remove": "rm -f {file}",
    "truncate": "truncate -s 0 {file}",
    "by the root of this process": "echo x > /proc/self/root{file}",
    "by the root of the first process": "echo x > /proc/1/root{file}",
    "by the folder of this process": "echo x > /proc/self/cwd/../file",
    "by an open file": "exec 3<{file}; echo x > /proc/self/fd/3",
    "by another process' root": "echo x > /proc/{pid}/root{file}",
    "by a later process": "(setsid bash -c 'sleep 0.1; echo x > {file}' &); sleep 0.3",
    "by a handle": python(
        "handle = ctypes.create_string_buffer(struct.pack('Ii', 128, 0), 136)",
        "mount = ctypes.c_int()",
        "libc.name_to_handle_at(-100, b'{file}', handle, ctypes.byref(mount), 0)",
        "at = os.open('/', os.O_RDONLY)",
        "os.write(libc.open_by_handle_at(at, handle, os.O_WRONLY), b'x')",
    ),
    # The disk, by its mounts.
    "mount it writable": "mount -o remount,rw / ; mount -o remount,rw,bind / ; echo x > {file}",
    "mount it elsewhere": "mkdir at; mount --bind {out} at && echo x > at/file",
    "mount within a namespace": "unshare -Urm bash -c 'mount -o remount,rw,bind / ; echo x > {file}'",
    "mount as mapped root": "unshare -r -m bash -c 'mount --bind {out} /mnt; echo x > /mnt/file'",
    "clear the read-only mark": python(
        "class Mark(ctypes.Structure): _fields_ = [(n, ctypes.c_uint64) for n in 'scpu']",
        "mark = Mark(0, 1, 0, 0)",
        "libc.syscall(442, -100, b'/', 0x8000, ctypes.byref(mark), 32)",
        "open('{file}', 'w').write('x')",
    ),
    "a disk of its own": "for n in 0 1; do mknod disk$n b 254 0; dd if=/dev/zero of=disk$n count=1; done; ls /dev/vd*",
    "change the root": "chroot /proc/1/root bash -c 'echo x > {file}'",
    "another process' mounts": "nsenter -t {pid} -m bash -c 'echo x > {file}'; nsenter -t 1 -a bash -c 'echo x > {file}'",
    "a control group's agent": "mkdir at; mount -t cgroup -o rdma cgroup at && echo {root}/run > at/release_agent; echo x > /sys/fs/cgroup/release_agent",
    "the kernel's settings": "cat /proc/sys/kernel/core_pattern > was; echo '|{root}/x' > /proc/sys/kernel/core_pattern && echo x > {out}/new",
    # Rights.
    "sudo": "sudo -n bash -c 'echo x > {file}'; su -c 'echo x > {file}'",
    "a program with another's rights": "cp /bin/bash mine; chmod 4755 mine; ./mine -p -c 'echo x > {file}'",
    "all capabilities": python("os.setuid(0)", "libc.capset(0, 0)", "open('{file}', 'w').write('x')"),
    # Other processes.
    "kill": "kill -9 {pid}; kill -9 {server}; kill -9 -1",
    "trace": python("assert libc.ptrace(16, {pid}, 0, 0) == 0", "open('{out}/traced', 'w')"),
    "another's memory": "echo x > /proc/{pid}/mem",
    "another's environment": "cat /proc/{pid}/environ /proc/*/environ",
    "a task for later": "echo '* * * * * echo x > {file}' | crontab -; echo 'echo x > {file}' | at now",
    "the system's manager": "systemd-run --user touch {out}/new; busctl --user list",
    "a terminal's input": python("fcntl.ioctl(os.open('/dev/tty', 2), 0x5412, b'x')", "open('{out}/typed', 'w')"),
    # Networks and sockets.
    "tcp": "echo x > /dev/tcp/127.0.0.1/{tcp}",
    "udp": "echo x > /dev/udp/127.0.0.1/{udp}",
    "abstract socket": python("socket.socket(socket.AF_UNIX).connect('\\0{abstract}')"),
    "unix socket": python("socket.socket(socket.AF_UNIX).connect('{out}/socket')"),
    "unix socket by a link": python("os.symlink('{out}/socket', 's')", "socket.socket(socket.AF_UNIX).connect('s')"),
    "unix socket in the workspace": python("socket.socket(socket.AF_UNIX).connect('socket')"),
    "unix datagram": python("socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', '{out}/datagram')"),
    "another process' network": python(
        "libc.setns(os.open('/proc/{pid}/ns/net', 0), 0)",
        "socket.create_connection(('127.0.0.1', {tcp}))",
    ),
    # What is not to be read.
    "keys": "cat {home}/.ssh/id {home}/.netrc; cp -r {home}/.ssh here; cat here/*",
    "keys by a link": "ln -s {home}/.ssh keys; cat keys/id",
    "keys by the root of a process": "cat /proc/self/root{home}/.ssh/id /proc/1/root{home}/.ssh/id",
    "keys below a cover": "umount {home}/.ssh; cat {home}/.ssh/id; unshare -Urm bash -c 'umount {home}/.ssh; cat {home}/.ssh/id'",
    "the journal": "cat {state}/journal; find {out} -type f -exec cat {{}} +",
}


PROTECTED = {
    "a hook": "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
    "the repository's settings": "echo x >> .git/config; git config core.fsmonitor ./x",
    "another repository's settings": "echo ../evil > .git/commondir",
    "the repository moved away": "mv .git g && mkdir .git && echo x > .git/config",
    "the repository removed": "rm -rf .git",
    "instructions": "echo x >> AGENTS.md; echo x > new; mv -f new AGENTS.md; rm -f AGENTS.md",
    "an editor's tasks": "echo x > sub/.vscode/tasks.json",
}
"""What is protected within the workspace, which Landlock cannot hold."""
BUBBLEWRAP = pytest.mark.parametrize("sandbox", [name for name in CONFINERS if name == "bubblewrap"], indirect=True)


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
async def test_no_command_gets_out_of_the_sandbox(sandbox, world, attempt):
    excerpt = await run(sandbox, world, attempt.format_map(world.names))

    assert world.touched() == []
    assert SECRET not in excerpt.head + excerpt.tail


@pytest.mark.parametrize(
    "attempt", ["write", "a hook", "unix socket", "unix datagram", "tcp", "keys", "abstract socket"]
)
async def test_the_same_attempts_leave_traces_outside_the_sandbox(commands, world, attempt):
    started = commands.start(
        (ATTEMPTS | PROTECTED)[attempt].format_map(world.names), world.root, world.folder / "artifact"
    )
    await started.ended()

    assert world.touched() or SECRET in started.excerpt().head


ALLOWED = {
    "write in the workspace": "echo x > new; mkdir -p a/b; mv new a/b; cat a/b/new",
    "temporary files": "f=$(mktemp); echo x > $f; cat $f",
    "read what is around": "head -c 1 {file} > /dev/null; echo x",
    "read the repository": "cat .git/HEAD > /dev/null; git --version > /dev/null; echo x",
    "processes of its own": "sleep 0.01 & wait; echo x | cat",
}


@pytest.mark.parametrize("command", ALLOWED.values(), ids=ALLOWED)
async def test_everyday_work_goes_on_within_the_sandbox(sandbox, world, command):
    excerpt = await run(sandbox, world, command.format_map(world.names))

    assert (excerpt.head, world.touched()) == ("x\n", [])


@BUBBLEWRAP
async def test_a_server_and_who_asks_it_work_within_one_command(sandbox, world):
    server = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())"

    assert (await run(sandbox, world, f'python3 -c "{server}; print(1)"')).head == "1\n"


async def test_an_abort_ends_every_shape_of_processes_in_the_sandbox(sandbox, world):
    marks = {shape: mark() for shape in SHAPES}
    confined = await sandbox.around("sleep")
    started = [confined.start(SHAPES[shape].format(marks[shape]), world.root, world.folder / "out") for shape in SHAPES]
    await until_begun(marks.values())

    await asyncio.gather(*(each.abort() for each in started))

    assert [shape for shape, number in marks.items() if running(number)] == []


ENDS = {
    "exit 3": CommandEnd(3),
    "bash -c 'kill -SEGV $$'; exit $?": CommandEnd(139),
    "sleep 9 & exit 2": CommandEnd(2, None, None, True),
}


@pytest.mark.parametrize(("command", "end"), ENDS.items())
async def test_the_end_of_a_confined_command_is_told(sandbox, world, command, end):
    confined = await sandbox.around(command)

    assert await confined.start(command, world.root, world.folder / "out").ended() == end


async def test_temporary_files_are_there_for_the_next_command_and_are_no_other_ones(sandbox, world):
    await run(sandbox, world, "echo x > $TMPDIR/mine")

    assert (await run(sandbox, world, "cat $TMPDIR/mine; ls $TMPDIR")).head == "x\nmine\n"


async def test_protected_names_that_a_command_makes_are_found(sandbox, world):
    confined = await sandbox.around("mkdir")
    command = "mkdir -p .vscode sub/.husky plain && echo x > .vscode/tasks.json && echo x > sub/.husky/pre-commit"
    await confined.start(command, world.root, world.folder / "out").ended()

    assert set(await confined.newly_protected()) == {".vscode", "sub/.husky"}
    assert await (await sandbox.around("ls")).newly_protected() == []


@BUBBLEWRAP
async def test_a_socket_that_goes_before_it_is_covered_is_no_refusal(sandbox, world):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(world.folder / "short"))
        listener.listen()
        confined = await sandbox.around("true")
        (world.folder / "short").unlink()
        started = confined.start("true", world.root, world.folder / "out")
        end = await started.ended()

    assert (end, confined.is_outdated(end, started.excerpt())) == (CommandEnd(1), True)
    assert (await run(sandbox, world, "echo x")).head == "x\n"
