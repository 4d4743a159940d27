import asyncio
import os
import resource
import signal
import time
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
from command_processes import mark, running, sleeping, until_begun
from command_shapes import SHAPES

from agent_lsp.domain.commands import CommandEnd, Excerpt
from agent_lsp.domain.errors import FileProblem
from agent_lsp.workspace.commands import COMMAND_LIMIT, Commands, find_bash
from agent_lsp.workspace.commands_running import FOLDER_LIMIT

HERE = Path(__file__).parent


async def run(commands: Commands, command: str, artifact: Path, cwd: Path = HERE) -> tuple[CommandEnd, Excerpt]:
    async with asyncio.timeout(30):
        started = commands.start(command, cwd, artifact)
        return await started.ended(), started.excerpt()


async def text_of(commands: Commands, command: str, artifact: Path) -> str:
    return (await run(commands, command, artifact))[1].head


async def until_output(started, wanted: str) -> None:
    async with asyncio.timeout(10):
        while wanted not in started.excerpt().head:
            await started.news()


ENDS = {
    "success": ("true", CommandEnd(0)),
    "an exit code": ("exit 3", CommandEnd(3)),
    "the last part's exit code": ("false; true", CommandEnd(0)),
    "no such program": ("no-such-program-here", CommandEnd(127)),
    "not bash": ("if", CommandEnd(2)),
    "what looks like an option of bash is no option": ("-c exit 3", CommandEnd(127)),
    "what looks like the end of options": ("-- exit 3", CommandEnd(127)),
    "killed": ("kill -KILL $$", CommandEnd(signal="SIGKILL")),
    "terminated": ("kill -TERM $$", CommandEnd(signal="SIGTERM")),
    "a signal without a name": ("kill -40 $$", CommandEnd(signal="signal 40")),
    "a broken pipe ends the writer": ("yes | head -1 >/dev/null; exit ${PIPESTATUS[0]}", CommandEnd(141)),
}


@pytest.mark.parametrize(("command", "end"), ENDS.values(), ids=ENDS)
async def test_the_end_of_a_command_is_told(commands, artifact, command, end):
    assert (await run(commands, command, artifact))[0] == end


OUTPUTS = {
    "both streams in order": ("echo a; echo b >&2; echo c", "a\nb\nc\n"),
    "nothing": ("true", ""),
    "no newline at the end": ("printf x", "x"),
    "input is empty, not waiting": ("cat; read line; echo $?", "1\n"),
    "no terminal": ("test -t 1 || echo no; cat /dev/tty 2>/dev/null || echo none", "no\nnone\n"),
    "progress bars end as they look": ("for i in 1 50 100; do printf '\\r%3d%%' $i; done; echo", "100%\n"),
    "colours are gone": ("printf '\\033[31mred\\033[0m\\n'", "red\n"),
    "it is bash": ("echo ${BASH_VERSION:+bash}", "bash\n"),
    "neither login nor interactive": ("shopt -q login_shell || echo plain; echo $-", "plain\nhBc\n"),
    "its own process group": ('test "$(ps -o pgid= -p $$ | tr -d " ")" = $$ && echo own', "own\n"),
    "letters of any script": ("echo 'é語🙂'", "é語🙂\n"),
    "a newline in the command": ("echo a\necho b", "a\nb\n"),
    "signals have their usual effect": ("trap", ""),
}


async def test_signals_that_the_server_was_started_without_reach_commands(commands, artifact):
    before = signal.signal(signal.SIGQUIT, signal.SIG_IGN)
    try:
        assert await text_of(commands, "trap", artifact) == ""
    finally:
        signal.signal(signal.SIGQUIT, before)


@pytest.mark.parametrize(("command", "output"), OUTPUTS.values(), ids=OUTPUTS)
async def test_output_is_what_a_person_would_see(commands, artifact, command, output):
    assert await text_of(commands, command, artifact) == output


async def test_a_command_runs_where_it_is_told_to(commands, artifact, tmp_path):
    place = tmp_path / "a folder's $name"
    place.mkdir()

    assert (await run(commands, "pwd", artifact, place))[1].head == f"{place}\n"


async def test_a_folder_that_is_gone_is_told_as_the_end(commands, artifact, tmp_path):
    end, _ = await run(commands, "true", artifact, tmp_path / "gone")

    assert end == CommandEnd(problem="It could not be started: No such file or directory.")


REFUSED = {
    "a NUL": ("echo a\0b", "NUL"),
    "half of a character": ("echo \ud800", "half of a character"),
    "more than an argument can hold": ("#" * (COMMAND_LIMIT + 1), "128 kB"),
}


@pytest.mark.parametrize(("command", "problem"), REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_a_command_is_refused(commands, artifact, command, problem):
    with pytest.raises(FileProblem, match=problem):
        commands.start(command, HERE, artifact)


async def test_the_longest_command_runs(commands, artifact):
    end, excerpt = await run(commands, "echo x" + " " * (COMMAND_LIMIT - 6), artifact)

    assert (end, excerpt.head) == (CommandEnd(0), "x\n")


async def test_no_output_of_quick_commands_is_lost(commands, artifact):
    async def one(number: int) -> bool:
        return await text_of(commands, f"echo x{number}", artifact) == f"x{number}\n"

    outcomes = [await asyncio.gather(*(one(batch * 10 + place) for place in range(10))) for batch in range(100)]

    assert sum(sum(batch) for batch in outcomes) == 1_000


async def test_a_flood_is_read_in_bounded_memory_and_kept_up_to_a_limit(commands, artifact):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    end, excerpt = await run(commands, "head -c 300M /dev/zero | tr '\\0' '\\n'", artifact)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    assert end == CommandEnd(0)
    assert excerpt.total_bytes == 300 * 1024 * 1024
    assert excerpt.problem == "only the first 100 MB are kept"
    assert artifact.stat().st_size == 100_000_000
    assert grown_kb < 20_000


async def test_the_loop_goes_on_while_output_floods(commands, artifact):
    started = commands.start("yes 'a line of output' | head -c 50M", HERE, artifact)
    began, worst = time.perf_counter(), 0.0
    ending = asyncio.ensure_future(started.ended())

    while not ending.done():
        before = time.perf_counter()
        await asyncio.sleep(0)
        worst = max(worst, time.perf_counter() - before)

    assert worst * 2 < time.perf_counter() - began


async def test_the_loop_has_a_turn_within_what_is_slow_to_read(commands, artifact):
    started = commands.start(r"yes $'\rx\b' | tr -d '\n' | head -c 2M", HERE, artifact)
    ending = asyncio.ensure_future(started.ended())
    read_bytes = [0]

    while not ending.done():
        await asyncio.sleep(0)
        read_bytes.append(started._transcript._read_bytes)

    assert max(later - sooner for sooner, later in pairwise(read_bytes)) < 48 * 1024


async def test_short_output_is_kept_nowhere(commands, artifact):
    await run(commands, "echo x", artifact)

    assert not artifact.exists()


async def test_long_output_is_kept_whole(commands, artifact):
    await run(commands, "seq 20000", artifact)

    assert artifact.read_text() == "".join(f"{number}\n" for number in range(1, 20_001))


async def test_output_that_is_to_be_kept_as_it_comes_is_whole_at_the_end(commands, artifact):
    started = commands.start("echo first; sleep 0.05; echo second; printf third", HERE, artifact)
    await until_output(started, "first")
    await started.keep_all()
    await started.ended()

    assert artifact.read_text() == "first\nsecond\nthird"


async def test_the_outputs_of_a_task_share_what_there_is_to_fill(commands, artifact):
    artifact.parent.mkdir()
    with (artifact.parent / "cmd-0.txt").open("wb") as other:
        other.truncate(FOLDER_LIMIT - 2_000_000)

    _, excerpt = await run(commands, "yes 'a line of output' | head -c 5M", artifact)

    assert excerpt.problem == "only the first 2 MB are kept"
    assert artifact.stat().st_size == 2_000_000


async def test_what_is_kept_is_measured_in_bytes_and_ends_with_a_whole_character(commands, artifact):
    artifact.parent.mkdir()
    with (artifact.parent / "cmd-0.txt").open("wb") as other:
        other.truncate(FOLDER_LIMIT - 2_000_000)

    _, excerpt = await run(commands, "yes '€€€€€€€€' | head -c 5M", artifact)

    assert excerpt.problem == "only the first 2 MB are kept"
    assert 1_999_997 <= artifact.stat().st_size <= 2_000_000
    assert artifact.read_text().startswith("€€€€€€€€\n")


async def test_output_that_cannot_be_kept_is_said(commands, tmp_path):
    (tmp_path / "file").touch()

    _, excerpt = await run(commands, "seq 20000", tmp_path / "file" / "artifacts" / "cmd-1.txt")

    assert excerpt.problem == "not all of it could be kept (Not a directory)"


async def test_output_is_seen_while_the_command_runs(commands, artifact):
    started = commands.start(f"echo early; printf part; sleep {mark()}", HERE, artifact)
    async with asyncio.timeout(10):
        seen = await started.news()
        while "part" not in seen:
            seen += await started.news()
    await started.abort()

    assert (seen, started.rest()) == ("early\npart", "")


async def test_a_daemon_that_holds_the_output_does_not_hold_the_result(commands, artifact):
    number = mark()
    began = time.monotonic()

    end, excerpt = await run(commands, f"sleep {number} & echo started", artifact)

    assert (end, excerpt.head) == (CommandEnd(0, has_left_processes=True), "started\n")
    assert time.monotonic() - began < 2
    assert running(number) == 1


async def test_what_is_written_just_after_the_end_still_counts(commands, artifact):
    assert await text_of(commands, "(sleep 0.02; echo late) & echo early", artifact) == "early\nlate\n"


async def until_sleeping(number: str) -> None:
    async with asyncio.timeout(10):
        while not sleeping(number):  # noqa: ASYNC110  no event tells that a process of another has begun
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
async def test_an_abort_ends_the_whole_tree_soon(commands, artifact, shape):
    number = mark()
    started = commands.start(shape.format(number), HERE, artifact)
    await until_begun([number])

    await started.abort()

    assert (running(number), started.is_gone) == (0, True)


async def test_what_a_finished_command_left_is_ended_too(commands, artifact):
    number = mark()
    started = commands.start(f"setsid sleep {number} >/dev/null & echo x", HERE, artifact)
    await started.ended()
    await until_sleeping(number)

    await started.abort()

    assert running(number) == 0


async def test_closing_ends_every_command(artifact):
    commands = Commands(os.environ)
    numbers = [mark() for _ in range(3)]
    for number in numbers:
        commands.start(f"setsid sleep {number} & sleep {number}", HERE, artifact)
    for number in numbers:
        await until_sleeping(number)

    await commands.aclose()

    assert [running(number) for number in numbers] == [0, 0, 0]


async def test_closing_leaves_no_keeper(artifact):
    commands = Commands(os.environ)
    await run(commands, "true", artifact)

    await commands.aclose()

    assert psutil.Process().children(recursive=True) == []


async def test_a_command_ended_before_it_began_runs_nothing(commands, artifact, tmp_path):
    started = commands.start(f"touch {tmp_path}/ran", HERE, artifact)

    await started.abort()

    assert started.is_gone
    assert not (await started.ended()).exit_code or (tmp_path / "ran").exists()


async def test_ending_a_command_twice_does_no_harm(commands, artifact):
    started = commands.start("true", HERE, artifact)
    await started.ended()

    await asyncio.gather(started.abort(), started.abort())

    assert started.is_gone


async def test_a_keeper_killed_from_outside_is_told(commands, artifact):
    end, _ = await run(commands, "kill -KILL $PPID; sleep 1000", artifact)

    assert end == CommandEnd(problem="It was ended from outside.")


async def test_what_kills_its_keeper_does_not_outlive_it(commands, artifact):
    number = mark()
    left = (
        f"setsid sleep {number} & trap '' TERM; (setsid sleep {number} &); until [ -e {artifact} ]; do sleep 0.01; done"
    )
    started = commands.start(f"{left}; kill -KILL $PPID; sleep {number}", HERE, artifact)
    await until_begun([number])
    artifact.parent.mkdir()
    artifact.touch()

    await started.ended()

    async with asyncio.timeout(30):
        while running(number):  # noqa: ASYNC110  no event tells that a process of another has ended
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("name", ["STOP", "TERM", "HUP", "INT"])
async def test_no_signal_keeps_a_keeper_from_ending_its_command(commands, artifact, name):
    number = mark()
    started = commands.start(f"kill -{name} $PPID; (setsid sleep {number} &); sleep {number}", HERE, artifact)
    await until_sleeping(number)

    await started.abort()

    assert (running(number), (await started.ended()).signal) == (0, "SIGTERM")


async def test_commands_run_again_after_the_keepers_were_killed(commands, artifact):
    await run(commands, "true", artifact)
    for process in psutil.Process().children():
        process.send_signal(signal.SIGKILL)
        process.wait()

    assert await text_of(commands, "echo again", artifact) == "again\n"


def test_bash_is_found_by_an_absolute_path():
    assert find_bash().startswith("/")
