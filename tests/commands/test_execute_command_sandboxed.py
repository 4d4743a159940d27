"""The tool where a sandbox is: what is asked, what runs where, and what the model is told."""

import asyncio

import pytest
from command_fakes import NEVER, NO, YES, Bench, FakeConfined

from agent_lsp.domain.commands import CommandEnd
from agent_lsp.domain.turns import After, Outcome

REFUSED = "The sandbox refused it."
FAILED = CommandEnd(1)
INSIDE = "Exit code: 1\nno"


async def ran(bench: Bench, end: CommandEnd, refused: str = REFUSED) -> "asyncio.Task[Outcome]":
    """A call whose command has ended in the sandbox."""
    bench.sandbox.inside = inside = FakeConfined(refused=refused)
    call = bench.call("make")
    running, _ = await bench.started(inside)
    running.write("no\n")
    running.end(end)
    return call


def asked(bench: Bench) -> list[tuple[bool, bool, str]]:
    return [("isSandboxed" in act.body, act.is_sandboxed, act.refusal) for act in bench.gate.actions]


async def test_a_command_runs_inside_and_whoever_is_asked_sees_that(tmp_path):
    bench = Bench(tmp_path)
    outcome = await (await ran(bench, CommandEnd(0)))

    assert outcome == Outcome("Exit code: 0\nno")
    assert (asked(bench), bench.commands.started) == ([(True, True, "")], [])


async def test_a_failure_that_the_sandbox_has_no_part_in_is_told_as_it_is(tmp_path):
    bench = Bench(tmp_path)
    outcome = await (await ran(bench, FAILED, refused=""))

    assert (outcome, len(bench.gate.actions)) == (Outcome(INSIDE), 1)


async def test_what_was_refused_runs_again_outside_once_that_is_approved(tmp_path):
    bench = Bench(tmp_path)
    call = await ran(bench, FAILED)
    running, _ = await bench.started()
    running.end(CommandEnd(0))

    assert await call == Outcome("Exit code: 0\n(no output)")
    assert asked(bench) == [(True, True, ""), (False, False, REFUSED)]
    assert bench.commands.started == [("make", tmp_path)]


KEPT = {
    "by the user": (
        NO,
        After.REJECTED,
        f"{REFUSED} The user does not let it run outside the sandbox. They say:\nnot that",
    ),
    "by policy": (NEVER, After.GO_ON, f"{REFUSED} It cannot run outside: `x` is denied."),
}


@pytest.mark.parametrize(("decision", "after", "told"), KEPT.values(), ids=KEPT)
async def test_what_is_kept_inside_leaves_the_model_its_first_result(tmp_path, decision, after, told):
    bench = Bench(tmp_path, YES, decision)
    outcome = await (await ran(bench, FAILED))

    assert (outcome.text, outcome.after) == (f"{INSIDE}\n\n{told}", after)
    assert bench.commands.started == []


async def test_a_sandbox_that_was_made_for_what_is_gone_is_made_anew(tmp_path):
    bench = Bench(tmp_path)
    bench.sandbox.inside = inside = FakeConfined(refused=REFUSED, outdated=1)
    call = bench.call("make")
    for end in (FAILED, CommandEnd(0)):
        running, _ = await bench.started(inside)
        inside.has_started.clear()
        running.end(end)

    assert await call == Outcome("Exit code: 0\n(no output)")
    assert (len(inside.started), len(bench.gate.actions), bench.commands.started) == (2, 1, [])


MADE = {
    "one": ([".vscode"], "`.vscode`"),
    "many": ([str(number) for number in range(7)], "`0`, `1`, `2`, `3`, `4` and 2 more"),
}


@pytest.mark.parametrize(("made", "listed"), MADE.values(), ids=MADE)
async def test_protected_files_that_came_with_a_command_are_told(tmp_path, made, listed):
    bench = Bench(tmp_path)
    bench.sandbox.inside = inside = FakeConfined(made=made)
    call = bench.call("make")
    running, _ = await bench.started(inside)
    running.end(CommandEnd(0))

    told = f"Exit code: 0\n(no output)\nProtected files came with it, as the user was told: {listed}."
    assert await call == Outcome(told)
    assert bench.screen.said == [f"A command made {listed}. Other programs act on such files: look there."]


async def test_an_aborted_command_is_not_offered_to_run_outside(tmp_path):
    bench = Bench(tmp_path)
    bench.sandbox.inside = inside = FakeConfined(refused=REFUSED)
    call = bench.call()
    running, row = await bench.started(inside)
    row.wish.set_result("abort")
    await call

    assert (running.aborts, len(bench.gate.actions)) == (1, 1)


async def test_the_user_is_told_once_that_there_is_no_sandbox(tmp_path):
    bench = Bench(tmp_path)
    bench.sandbox.notice = "There is none."
    for _ in range(2):
        bench.commands.has_started.clear()
        await bench.run("", CommandEnd(0))

    assert bench.screen.said == ["There is none."]


async def test_the_users_limit_holds_outside_too(tmp_path):
    bench = Bench(tmp_path, limit_seconds=0.05)
    call = await ran(bench, FAILED)

    assert (await call).text.startswith("Ended after 0.05 s, the user's limit for commands.")
