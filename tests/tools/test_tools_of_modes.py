"""Which tools a mode has, which files it edits, and how a task goes from one mode to another."""

from dataclasses import dataclass, field

import pytest
from tool_fakes import NO, YES, FakeModes, Workshop

from agent_lsp.domain.approvals import Decision, Deed
from agent_lsp.domain.history import Call
from agent_lsp.domain.modes import Mode, ToolGroup
from agent_lsp.domain.slash import Expansion, SlashCommand
from agent_lsp.domain.turns import After, Outcome
from agent_lsp.extensions.builtin_modes import BUILT_IN
from agent_lsp.tools.groups import GROUPS, IN_EVERY_MODE, is_offered
from agent_lsp.tools.run_slash_command import RunSlashCommand
from agent_lsp.tools.switch_mode import SwitchMode
from agent_lsp.tools.toolbox import Toolbox

ALWAYS = {"ask_followup_question", "attempt_completion", "switch_mode", "update_todo_list"}
READING = {"read_file", "list_files", "search_files"}
EDITING = {"write_to_file", "apply_diff", "edit_file", "apply_patch"}


@pytest.mark.parametrize(
    ("slug", "tools"),
    [
        ("code", ALWAYS | READING | EDITING),
        ("architect", ALWAYS | READING | EDITING),
        ("ask", ALWAYS | READING),
        ("debug", ALWAYS | READING | EDITING),
    ],
)
def test_mode_has_the_tools_of_its_groups(slug: str, tools: set[str]) -> None:
    workshop = Workshop()
    workshop.modes.slug = slug

    assert {spec.name for spec in Toolbox(workshop.tools(), workshop.modes.current).specs()} == tools


def test_mode_that_changes_has_other_tools_from_the_next_step_on() -> None:
    workshop = Workshop()
    toolbox = Toolbox(workshop.tools(), workshop.modes.current)
    before = toolbox.specs()

    workshop.modes.slug = "debug"
    same = toolbox.specs()
    workshop.modes.slug = "ask"

    assert same == before
    assert [spec for spec in before if spec.name in ALWAYS | READING] == [*toolbox.specs()]


@pytest.mark.parametrize("name", ["a_new_tool", "mcp--server--tool"])
@pytest.mark.parametrize(
    ("groups", "offered"), [(frozenset(ToolGroup), True), (frozenset(ToolGroup) - {ToolGroup.MCP}, False)]
)
def test_tool_in_no_group_needs_them_all(name: str, groups: frozenset[ToolGroup], *, offered: bool) -> None:
    assert is_offered(name, Mode("m", "M", "R", groups=groups)) is offered


def test_every_tool_there_is_has_its_group() -> None:
    assert {tool.name for tool in Workshop().tools()} <= IN_EVERY_MODE | GROUPS.keys()


PATCH = "*** Begin Patch\n*** Update File: a.md\n*** Move to: a.py\n@@\n-x\n+y\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("write_to_file", {"path": "a.py", "content": "y"}, "a.py"),
        ("edit_file", {"path": "a.py", "old_string": "x", "new_string": "y"}, "a.py"),
        ("apply_diff", {"path": "a.py", "diff": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"}, "a.py"),
        ("apply_patch", {"patch": PATCH}, "a.py"),
    ],
)
async def test_file_that_the_mode_does_not_edit_is_refused_by_name(
    tool: str, arguments: dict[str, str], path: str
) -> None:
    workshop = Workshop({"a.py": "x\n", "a.md": "x\n"})
    workshop.modes.slug = "architect"
    called = {one.name: one for one in workshop.tools()}[tool]

    outcome = await called.run(called.Arguments(**arguments), "c1")

    assert outcome == Outcome(
        f"{path} is not edited in architect mode: that edits only Markdown files (`\\.md$`). Nothing was changed.",
        is_error=True,
        is_mistake=True,
    )
    assert (workshop.log, workshop.text("a.py")) == ([], "x\n")


async def test_file_that_the_mode_edits_is_edited() -> None:
    workshop = Workshop({"a.md": "x\n"}, YES)
    workshop.modes.slug = "architect"

    await workshop.write("a.md", "y\n")

    assert workshop.text("a.md") == "y\n"


async def switched(workshop: Workshop, slug: str, reason: str = "") -> Outcome:
    tool = SwitchMode(workshop.gate, workshop.modes)
    return await tool.run(SwitchMode.Arguments(mode_slug=slug, reason=reason), "c1")


async def test_switch_is_asked_for_and_made() -> None:
    workshop = Workshop({}, Decision(is_approved=True, by="user", text="go"))

    outcome = await switched(workshop, "architect", "A plan first.")

    [action] = workshop.gate.actions
    assert (action.deed, action.body) == (
        Deed.SWITCH_MODE,
        {"tool": "switchMode", "mode": "architect", "reason": "A plan first."},
    )
    assert workshop.modes.slug == "architect"
    assert outcome == Outcome("You work in architect mode from here on.\n\nThe user approved this and says:\ngo")


async def test_switch_that_is_declined_is_not_made() -> None:
    workshop = Workshop({}, NO)

    outcome = await switched(workshop, "ask")

    assert (workshop.modes.slug, outcome.after, outcome.is_error) == ("code", After.REJECTED, True)


@pytest.mark.parametrize(
    ("slug", "outcome"),
    [
        ("code", Outcome("You work in code mode already.")),
        (
            "poet",
            Outcome("There is no mode 'poet'. Modes: code, architect, ask, debug.", is_error=True, is_mistake=True),
        ),
    ],
)
async def test_switch_that_leads_nowhere_asks_nobody(slug: str, outcome: Outcome) -> None:
    workshop = Workshop()

    assert await switched(workshop, slug) == outcome
    assert workshop.gate.actions == []


def test_model_is_told_when_to_use_each_mode() -> None:
    description = SwitchMode(Workshop().gate, FakeModes()).description

    assert [line.partition(":")[0] for line in description.splitlines()[1:]] == [f"- {mode.slug}" for mode in BUILT_IN]


async def test_call_of_a_tool_that_the_mode_lost_meanwhile_is_a_mistake() -> None:
    workshop = Workshop({"a.py": "x\n"})
    toolbox = Toolbox(workshop.tools(), workshop.modes.current)
    workshop.modes.switch("ask")

    outcome = await toolbox.run(
        Call("c1", "write_to_file", '{"path": "a.py", "content": "y"}'), has_failed_before=False
    )

    assert (outcome.is_error, outcome.is_mistake, workshop.text("a.py")) == (True, True, "x\n")


@dataclass
class Written:
    """Commands that somebody wrote, and one that came with the program."""

    names: list[str] = field(default_factory=list[str])

    def all(self) -> tuple[SlashCommand, ...]:
        written = (SlashCommand(name, f"Does {name}", "text", "project") for name in self.names)
        return (SlashCommand("init", "Begin", "text"), *written)

    def expanded(self, text: str) -> Expansion | None:
        name, _, arguments = text[1:].partition(" ")
        return Expansion(f"{name.upper()} {arguments}") if name in ("init", *self.names) else None


def slash_tool(workshop: Workshop, *names: str) -> RunSlashCommand:
    return RunSlashCommand(workshop.gate, Written([*names]))


async def test_words_of_a_command_are_the_result() -> None:
    workshop = Workshop({}, YES)
    tool = slash_tool(workshop, "review")

    outcome = await tool.run(RunSlashCommand.Arguments(command="/review", args="a.py"), "c1")

    [action] = workshop.gate.actions
    assert (action.deed, action.body) == (
        Deed.READ,
        {"tool": "runSlashCommand", "command": "review", "args": "a.py"},
    )
    assert outcome == Outcome("REVIEW a.py")


async def test_command_that_is_declined_says_nothing() -> None:
    workshop = Workshop({}, NO)

    outcome = await slash_tool(workshop, "review").run(RunSlashCommand.Arguments(command="review"), "c1")

    assert (outcome.after, "REVIEW" in outcome.text) == (After.REJECTED, False)


async def test_command_there_is_none_of_is_told_with_those_there_are() -> None:
    workshop = Workshop()

    outcome = await slash_tool(workshop, "review").run(RunSlashCommand.Arguments(command="deploy"), "c1")

    assert outcome == Outcome("There is no command 'deploy'. Commands: init, review.", is_error=True, is_mistake=True)
    assert workshop.gate.actions == []


def test_commands_are_offered_to_the_model_only_where_somebody_wrote_one() -> None:
    written = Written()
    tool = RunSlashCommand(Workshop().gate, written)
    toolbox = Toolbox([tool], useless=lambda: (tool.name,) if tool.is_useless else ())
    before = toolbox.specs()

    written.names.append("review")

    [spec] = toolbox.specs()
    assert before == ()
    assert spec.description.endswith("Commands:\n- init: Begin\n- review: Does review")


def test_list_of_tools_asks_once_what_is_of_no_use() -> None:
    asked: list[str] = []
    toolbox = Toolbox(Workshop().tools(), useless=lambda: asked.append("files are looked at") or ())

    toolbox.specs()

    assert asked == ["files are looked at"]
