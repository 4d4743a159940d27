import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_fakes import NEVER, NO, Bench, FakeCommand, FakeGate

from agent_lsp.domain.approvals import Action, Decision, Deed
from agent_lsp.domain.commands import CommandEnd
from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import Place
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.turns import After, Outcome
from agent_lsp.tools.execute_command import ExecuteCommand

SUCCESS = CommandEnd(0)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def unsaved(bench: Bench) -> Place:
    place = bench.files.locate("a.py", "read")
    bench.files.unsaved = [place]
    return place


RESULTS = {
    "output": ("hello\n", SUCCESS, "Exit code: 0\nhello"),
    "no output": ("", SUCCESS, "Exit code: 0\n(no output)"),
    "a failure is no error of the tool": ("bad\n", CommandEnd(2), "Exit code: 2\nbad"),
    "a signal": ("", CommandEnd(signal="SIGSEGV"), "Killed by SIGSEGV.\n(no output)"),
    "a signal within": ("", CommandEnd(139), "Exit code: 139 (a program was killed by SIGSEGV)\n(no output)"),
    "no signal's number": ("", CommandEnd(255), "Exit code: 255\n(no output)"),
    "processes left": (
        "up\n",
        CommandEnd(0, has_left_processes=True),
        "Exit code: 0\nProcesses that it started still run.\nup",
    ),
}


@pytest.mark.parametrize(("output", "end", "text"), RESULTS.values(), ids=RESULTS)
async def test_the_model_is_told_the_end_and_the_output(bench, output, end, text):
    assert await bench.run(output, end) == Outcome(text)


async def test_a_command_that_could_not_start_is_an_error(bench):
    outcome = await bench.run("", CommandEnd(problem="It could not be started."))

    assert outcome == Outcome("It could not be started.\n(no output)", is_error=True)


async def test_long_output_says_what_is_left_out_and_where_it_is(bench):
    call = bench.call()
    running, _ = await bench.started()
    running.write("head\n")
    running.cut_bytes = 12_345
    running.end(SUCCESS)

    assert "[… 12345 bytes left out; read_command_output has them as cmd-1 …]" in (await call).text


async def test_the_user_is_asked_with_the_command_and_its_folder(bench, tmp_path):
    await bench.run("", SUCCESS, "ls -l")

    assert [(a.deed, a.ask, a.say, a.command, a.body, a.call_id) for a in bench.gate.actions] == [
        (Deed.EXECUTE, Ask.COMMAND, Say.COMMAND, "ls -l", {"command": "ls -l", "cwd": str(tmp_path)}, "call-1")
    ]


async def test_a_rejected_command_does_not_run_and_the_words_reach_the_model(tmp_path):
    bench = Bench(tmp_path, NO)

    outcome = await bench.call()

    assert (outcome.after, outcome.is_error, bench.commands.started) == (After.REJECTED, True, [])
    assert "not that" in outcome.text


async def test_a_denied_command_does_not_run_and_the_calls_behind_it_go_on(tmp_path):
    bench = Bench(tmp_path, NEVER)

    outcome = await bench.call()

    assert (outcome.after, outcome.is_error, bench.commands.started) == (After.GO_ON, True, [])
    assert "`x` is denied." in outcome.text


async def test_words_of_an_approval_reach_the_model(tmp_path):
    bench = Bench(tmp_path, Decision(is_approved=True, by="user", text="only this once"))

    assert "only this once" in (await bench.run("", SUCCESS)).text


async def test_a_command_runs_in_the_folder_it_names(bench, tmp_path):
    (tmp_path / "sub").mkdir()

    await bench.run("", SUCCESS, cwd="sub")

    assert bench.commands.started == [("make", tmp_path / "sub")]


async def test_a_folder_that_does_not_exist_is_told_before_anybody_is_asked(bench):
    with pytest.raises(FileProblem, match="There is no folder gone"):
        await bench.call(cwd="gone")

    assert bench.gate.actions == []


@dataclass
class Swapping(FakeGate):
    """Says yes, and meanwhile the folder has become a link."""

    folder: Path = Path()

    async def decide(self, action: Action) -> Decision:
        self.folder.rmdir()
        self.folder.symlink_to("/")
        return await super().decide(action)


async def test_a_folder_that_was_swapped_for_a_link_is_not_run_in(tmp_path):
    (tmp_path / "sub").mkdir()
    bench = Bench(tmp_path, gate=Swapping(folder=tmp_path / "sub"))

    with pytest.raises(FileProblem, match="sub leads elsewhere than when it was judged"):
        await bench.call(cwd="sub")

    assert bench.commands.started == []


ARGUMENTS = {
    "a number as text": ({"command": "x", "timeout": "2.5"}, 2.5),
    "no timeout": ({"command": "x"}, None),
    "unknown fields": ({"command": "x", "requires_approval": False}, None),
}


@pytest.mark.parametrize(("arguments", "timeout"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_are_read_tolerantly(arguments, timeout):
    assert ExecuteCommand.Arguments.model_validate(arguments).timeout == timeout


async def test_the_row_shows_output_while_the_command_runs(bench):
    call = bench.call()
    running, row = await bench.started()
    running.write("first\n")
    async with asyncio.timeout(5):
        await row.has_grown.wait()
    seen_while_running = list(row.grown)
    running.write("second\n")
    running.end(SUCCESS)
    await call

    assert (seen_while_running, row.grown, row.is_over) == (["first\n"], ["first\n", "second\n"], True)


async def test_a_flood_of_output_grows_the_row_seldom(bench):
    call = bench.call()
    running, row = await bench.started()
    async with asyncio.timeout(5):
        for number in range(2_000):
            running.write(f"{number}\n")
            await asyncio.sleep(0)
    running.end(SUCCESS)
    await call

    assert len(row.grown) <= 5
    assert "".join(row.grown) == "".join(f"{number}\n" for number in range(2_000))


async def test_an_abort_ends_the_command_and_the_model_is_told(bench):
    call = bench.call()
    running, row = await bench.started()
    running.write("so far\n")

    row.wish.set_result("abort")

    assert (await call).text == "The user aborted the command.\nKilled by SIGTERM.\nso far"
    assert (running.aborts, row.is_over) == (1, True)


async def test_a_cancelled_call_ends_its_command_first(bench):
    call = bench.call()
    running, row = await bench.started()

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert (running.aborts, row.is_over) == (1, True)


async def in_background(bench: Bench) -> tuple[FakeCommand, Outcome]:
    call = bench.call()
    running, row = await bench.started()
    running.write("up\n")
    row.wish.set_result("continue")
    return running, await call


async def test_the_user_can_send_a_command_to_the_background(bench):
    running, outcome = await in_background(bench)

    assert outcome.text.startswith("The user let it go on in the background")
    assert outcome.text.endswith("as cmd-1. The output so far:\nup")
    assert (running.aborts, running.is_kept, bench.screen.rows[0].is_over, bench.tool.background_count) == (
        0,
        True,
        True,
        1,
    )


async def test_after_its_timeout_a_command_goes_on_in_the_background(bench):
    outcome = await bench.call(timeout=0.01)

    assert outcome.text.startswith("It takes longer than the timeout and will go on in the background")
    assert (bench.commands.running[0].aborts, bench.tool.background_count) == (0, 1)


async def test_later_output_of_the_background_is_shown_once_it_has_ended(bench):
    running, _ = await in_background(bench)
    running.write("late\n")
    running.end(SUCCESS)
    async with asyncio.timeout(5):
        await bench.screen.has_said.wait()

    assert bench.screen.said == ["late\n\n[make: Exit code: 0]"]


async def test_the_model_is_told_once_of_what_happens_in_the_background(bench):
    running, _ = await in_background(bench)
    reports = [bench.tool.background_report()]
    running.write("more\n")
    reports += [bench.tool.background_report(), bench.tool.background_report()]
    running.end(CommandEnd(1))
    async with asyncio.timeout(5):
        await bench.screen.has_said.wait()
    reports += [bench.tool.background_report(), bench.tool.background_report()]

    assert reports == [
        None,
        "cmd-1 (`make`) still runs; 5 bytes of new output.",
        None,
        "cmd-1 (`make`) has ended. Exit code: 1\nup\nmore",
        None,
    ]


async def test_the_users_limit_ends_a_command(tmp_path):
    bench = Bench(tmp_path, limit_seconds=0.01)

    outcome = await bench.call(timeout=60)

    assert outcome.text.startswith("Ended after 0.01 s, the user's limit for commands.\nKilled by SIGTERM.")
    assert bench.commands.running[0].aborts == 1


async def test_the_users_limit_ends_a_command_in_the_background_too(tmp_path):
    bench = Bench(tmp_path, limit_seconds=0.05)
    await bench.call(timeout=0.01)
    async with asyncio.timeout(5):
        await bench.screen.has_said.wait()

    assert (bench.commands.running[0].aborts, bench.screen.said) == (1, ["[make: Killed by SIGTERM.]"])


async def test_stopping_ends_what_runs_and_what_was_left(bench):
    await in_background(bench)
    bench.commands.has_started.clear()
    await bench.run("", CommandEnd(0, has_left_processes=True), "serve &")

    await bench.tool.stop()

    assert [running.is_gone for running in bench.commands.running] == [True, True]
    assert bench.tool.background_count == 0


async def test_unsaved_edits_are_asked_about_first(bench):
    place = unsaved(bench)
    await bench.run("", SUCCESS)

    first = bench.gate.actions[0]
    assert (first.deed, first.ask, first.body, first.places) == (
        Deed.SAVE,
        Ask.TOOL,
        {"tool": "saveFiles", "paths": ["a.py"]},
        (place,),
    )


async def test_what_a_command_did_not_see_is_told_with_the_words_of_who_let_it_run(tmp_path):
    bench = Bench(tmp_path, Decision(is_approved=True, by="user", text="as it is"))
    unsaved(bench)

    outcome = await bench.run("", SUCCESS)

    assert outcome.text.splitlines()[:3] == [
        "Exit code: 0",
        "(no output)",
        "It saw the files as they are on the disk, without the unsaved edits of a.py.",
    ]
    assert "The user approved this and says:\nas it is" in outcome.text


async def test_without_a_yes_to_unsaved_files_nothing_runs(tmp_path):
    bench = Bench(tmp_path, NO)
    unsaved(bench)

    outcome = await bench.call()

    assert (outcome.after, bench.commands.started, len(bench.gate.actions)) == (After.REJECTED, [], 1)
    assert outcome.text.startswith("Edited files are unsaved, so the command was not run.")


async def test_the_question_settles_by_itself_once_the_files_are_saved(bench):
    unsaved(bench)
    bench.gate.waits = True
    call = bench.call()
    async with asyncio.timeout(5):
        await bench.gate.has_asked.wait()

    bench.files.saved.set()
    running, _ = await bench.started()
    running.end(SUCCESS)

    assert (await call).text == "Exit code: 0\n(no output)"
    assert bench.gate.was_given_up


async def test_a_call_cancelled_while_it_waits_for_saving_leaves_no_question(bench):
    unsaved(bench)
    bench.gate.waits = True
    call = bench.call()
    async with asyncio.timeout(5):
        await bench.gate.has_asked.wait()

    call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call

    assert (call.cancelled(), bench.gate.was_given_up, bench.commands.started) == (True, True, [])
