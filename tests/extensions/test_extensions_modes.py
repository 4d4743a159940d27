"""Which modes there are: built in, the user's, the project's; and what wrong files cost."""

import json
import os
from pathlib import Path

import pytest

from agent_lsp.domain.modes import EditScope, Mode, ToolGroup
from agent_lsp.extensions.live_files import LARGEST
from agent_lsp.extensions.modes import Modes
from agent_lsp.extensions.patterns import problem_of

BUILT_IN = ["code", "architect", "ask", "debug"]
READ, EDIT, COMMAND, MCP = ToolGroup.READ, ToolGroup.EDIT, ToolGroup.COMMAND, ToolGroup.MCP


def clean(text: str) -> tuple[str, int]:
    seen = text.replace("\u200b", "")
    return seen, len(text) - len(seen)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


@pytest.fixture
def modes(home: Path, root: Path) -> Modes:
    return Modes(home, [root], clean)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def slugs(modes: Modes) -> list[str]:
    return [mode.slug for mode in modes.all()]


def test_four_modes_come_with_the_program(modes: Modes) -> None:
    groups = {mode.slug: {*mode.groups} & {EDIT, COMMAND} for mode in modes.all()}

    assert groups == {"code": {EDIT, COMMAND}, "architect": {EDIT}, "ask": set(), "debug": {EDIT, COMMAND}}
    assert [mode.slug for mode in modes.all() if not (mode.role and mode.description and mode.when_to_use)] == []


@pytest.mark.parametrize(
    ("paths", "refused"),
    [
        (["README.md"], None),
        (["docs/a.md", "docs/b.md"], None),
        (["app.py"], "app.py"),
        (["docs/a.md", "src/b.ts"], "src/b.ts"),
        (["notes.md.py"], "notes.md.py"),
        (["x" * 300 + ".md"], "x" * 300 + ".md"),
    ],
)
def test_architect_edits_markdown_alone(modes: Modes, paths: list[str], refused: str | None) -> None:
    architect = modes.find("architect")
    assert architect

    found = architect.refusal_to_edit(paths)

    expected = f"{refused} is not edited in architect mode: that edits only Markdown files (`\\.md$`)."
    assert found == (expected if refused else None)


def test_markdown_file_is_a_mode_of_its_name(modes: Modes, home: Path) -> None:
    text = "---\nname: Docs\ndescription: Writes docs\ngroups:\n  - read\n  - [edit, {fileRegex: '\\.rst$'}]\n---\nYou write docs.\n"
    write(home / "modes" / "docs-writer.md", text)

    assert modes.all()[-1] == Mode(
        "docs-writer", "Docs", "You write docs.", "Writes docs", "Writes docs", "",
        frozenset({READ, EDIT}), (EditScope("\\.rst$"),), "user",
    )  # fmt: skip


def test_markdown_file_with_a_role_has_instructions_below(modes: Modes, home: Path) -> None:
    write(home / "modes" / "poet.md", "---\nrole: You are a poet.\n---\nWrite in verse.\n")

    poet = modes.find("poet")

    assert poet
    assert poet.words() == "You are a poet.\nWrite in verse."
    assert (poet.name, poet.groups) == ("Poet", frozenset(ToolGroup))


FAMILY = {"slug": "t", "name": "T", "roleDefinition": "You test.", "groups": ["read", ["edit", {"fileRegex": "^t/"}]]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".roomodes", json.dumps({"customModes": [FAMILY]})),
        (".roomodes", "customModes:\n- slug: t\n  name: T\n  roleDefinition: You test.\n  groups:\n  - read\n  - - edit\n    - fileRegex: ^t/\n"),
        (".agent-lsp/modes/t.json", json.dumps(FAMILY)),
        (".agent-lsp/modes/other.yaml", "slug: t\nname: T\nroleDefinition: You test.\ngroups: [read, {edit: {fileRegex: ^t/}}]\n"),
        (".agent-lsp/modes/t.md", "---\nname: T\ngroups: [read, {edit: ^t/}]\n---\nYou test.\n"),
    ],
)  # fmt: skip
def test_mode_of_a_project_may_be_written_in_each_form(modes: Modes, root: Path, name: str, text: str) -> None:
    write(root / name, text)

    assert modes.problems() == ()
    assert modes.find("t") == Mode(
        "t", "T", "You test.", groups=frozenset({READ, EDIT}), edit_scopes=(EditScope("^t/"),), source="project"
    )


def test_file_that_changes_holds_at_once(modes: Modes, home: Path) -> None:
    assert modes.find("poet") is None
    path = write(home / "modes" / "poet.md", "You are a poet.")
    assert modes.find("poet")

    path.unlink()

    assert slugs(modes) == BUILT_IN


def test_user_may_replace_a_mode_that_is_built_in(modes: Modes, home: Path) -> None:
    write(home / "modes" / "ask.md", "---\ngroups: [read, command]\n---\nYou answer, and may look by running.")

    ask = modes.find("ask")

    assert slugs(modes) == BUILT_IN
    assert ask
    assert (ask.source, ask.groups) == ("user", frozenset({READ, COMMAND}))


def test_project_can_make_a_known_mode_stricter_and_never_freer(modes: Modes, root: Path) -> None:
    text = "---\ngroups: [read, command, {edit: ^docs/}]\n---\nYou plan, here."
    write(root / ".agent-lsp" / "modes" / "architect.md", text)

    architect = modes.find("architect")

    assert architect
    assert (architect.role, architect.groups) == ("You plan, here.", frozenset({READ, EDIT}))
    assert architect.refusal_to_edit(["docs/a.md"]) is None
    assert architect.refusal_to_edit(["docs/a.py"]) is not None
    assert architect.refusal_to_edit(["a.md"]) is not None


def test_first_of_two_modes_with_one_name_counts(modes: Modes, root: Path) -> None:
    write(root / ".agent-lsp" / "modes" / "t.md", "First.")
    second = write(root / ".roomodes", json.dumps({"customModes": [FAMILY]}))

    found = modes.find("t")

    assert found
    assert found.role == "First."
    assert modes.problems() == (f"{second}: the mode `t` is ignored: the project has one of this name.",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("customModes: [", "it is ignored: line 1: a closing bracket is missing."),
        ("{", "it is ignored: line 1, column 2 is not JSON (Expecting property name enclosed in double quotes)."),
        ("[" * 60_000, "it is ignored: line 1: it is nested too deeply."),
        ('{"customModes": ' + "[" * 60_000, "it is ignored: it is nested too deeply."),
        ("customModes: [1]", "the mode `1` is ignored: it is no object."),
        ("customModes: [{name: X}]", "the mode `1` is ignored: slug: field required."),
        ("customModes: [{slug: ../x, roleDefinition: R}]", "the mode `../x` is ignored: a slug is made of letters, digits and hyphens, at most 64."),
        ("customModes: [{slug: x}]", "the mode `x` is ignored: it lacks a `roleDefinition`: say what the agent is in this mode."),
        ("customModes: [{slug: x, roleDefinition: [R]}]", "the mode `x` is ignored: roleDefinition: input should be a valid string."),
        ("customModes: [{slug: x, roleDefinition: R, groups: [[edit, {fileRegex: '('}]]}]", "the mode `x` is ignored: the `fileRegex` `(` is not taken: it is no regular expression (missing ), unterminated subpattern at position 0)."),
        ("customModes: [{slug: x, roleDefinition: R, groups: [[edit, {fileRegexp: a}]]}]", "the mode `x` is ignored: the group `edit` takes a `fileRegex`, not `{'fileRegexp': 'a'}`."),
        ("customModes: [{slug: x, roleDefinition: R, groups: [[command, {fileRegex: a}]]}]", "the mode `x` is ignored: only the group `edit` takes a `fileRegex`, not `command`."),
        ("customModes: [{slug: x, roleDefinition: R, groups: [7]}]", "the mode `x` is ignored: `7` is no group of tools."),
        ("customModes: [{slug: x, roleDefinition: R, groups: read}]", "the mode `x` is ignored: groups: input should be a valid list."),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_said_and_costs_itself_alone(
    modes: Modes, root: Path, text: str, problem: str
) -> None:
    path = write(root / ".roomodes", text)

    assert modes.problems() == (f"{path}: {problem}",)
    assert slugs(modes) == BUILT_IN


def test_unknown_group_is_said_and_the_rest_of_the_mode_holds(modes: Modes, root: Path) -> None:
    path = write(root / ".roomodes", "customModes: [{slug: x, roleDefinition: R, groups: [read, fly, modes]}]")

    found = modes.find("x")

    assert found
    assert found.groups == frozenset({READ})
    assert modes.problems() == (f"{path}: of the mode `x`, `fly` is no group of tools.",)


def test_mode_that_stands_twice_in_a_file_is_said(modes: Modes, root: Path) -> None:
    path = write(root / ".roomodes", json.dumps({"customModes": [FAMILY, FAMILY | {"name": "U"}]}))

    assert modes.problems() == (f"{path}: the mode `t` stands there twice; the first one counts.",)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff\xfe", "it is ignored: it is not UTF-8 text."),
        (b"x" * (LARGEST + 1), "it is ignored: it is larger than 100,000 bytes."),
    ],
)
def test_file_that_cannot_be_read_is_said(modes: Modes, home: Path, content: bytes, problem: str) -> None:
    path = write(home / "modes" / "x.md", "")
    path.write_bytes(content)

    assert modes.problems() == (f"{path}: {problem}",)


def test_hidden_characters_are_taken_out_and_said(modes: Modes, home: Path) -> None:
    path = write(home / "modes" / "x.md", "You are\u200b kind.")

    found = modes.find("x")

    assert found
    assert found.role == "You are kind."
    assert modes.problems() == (f"{path}: 1 hidden characters were taken out; it may have been tampered with.",)


def test_link_out_of_a_project_is_not_followed(modes: Modes, root: Path, tmp_path: Path) -> None:
    target = write(tmp_path / "elsewhere.md", "Secret.")
    link = root / ".agent-lsp" / "modes" / "x.md"
    link.parent.mkdir(parents=True)
    link.symlink_to(target)

    assert modes.problems() == (f"{link}: it is ignored: it leads out of its folder.",)


def test_pipe_in_the_place_of_a_file_is_not_waited_for(modes: Modes, home: Path) -> None:
    (home / "modes").mkdir(parents=True)
    os.mkfifo(home / "modes" / "x.md")

    assert modes.problems() == (f"{home / 'modes' / 'x.md'}: it is ignored: it is no file.",)


def test_other_folders_have_other_modes(modes: Modes, root: Path) -> None:
    write(root / ".agent-lsp" / "modes" / "x.md", "You are X.")
    assert modes.find("x")

    modes.set_roots([])

    assert modes.find("x") is None


@pytest.mark.parametrize(
    "pattern",
    [
        r"\.md$",
        r"(__tests__/.*|__mocks__/.*|\.test\.(ts|tsx|js|jsx)$|/test/.*|vitest\.config\.(js|ts)$|a.*|b.*|c.*)",
        r"^(?!.*secret).*\.[jt]sx?$",
        r"^docs/[^/]+/[\w.*+-]+\.md$",
        r"^(src|lib)?/a{1,3}$",
    ],
)
def test_pattern_that_people_write_is_taken(pattern: str) -> None:
    assert problem_of(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("", "it has to be 1 to 500 characters long"),
        ("x" * 501, "it has to be 1 to 500 characters long"),
        ("(a+)+$", "it repeats what repeats or chooses in itself"),
        ("(a|a)*$", "it repeats what repeats or chooses in itself"),
        ("((a*)b)+", "it repeats what repeats or chooses in itself"),
        ("(?:a{2,}){3,}", "it repeats what repeats or chooses in itself"),
        ("a*a*a*a*a*b", "it has more than 4 repeats side by side"),
        (r"(a)\1", "references to groups are not taken"),
        ("[", "it is no regular expression (unterminated character set at position 0)"),
    ],
)
def test_pattern_that_could_take_for_ever_is_not_taken(pattern: str, problem: str) -> None:
    assert problem_of(pattern) == problem
