"""Which commands stand for a text, and what words become that begin with one."""

from pathlib import Path

import pytest

from agent_lsp.domain.slash import Expansion, SlashCommand
from agent_lsp.extensions.commands import TextCommands


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


@pytest.fixture
def commands(home: Path, root: Path) -> TextCommands:
    return TextCommands(home, [root], lambda text: (text, 0))


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def told(text: str, name: str = "fix", source: str = "project") -> str:
    return f'<command name="{name}" source="{source}">\n{text}\n</command>'


def own(commands: TextCommands) -> list[SlashCommand]:
    return [command for command in commands.all() if command.source != "built-in"]


def test_one_command_comes_with_the_program(commands: TextCommands) -> None:
    assert [(command.name, command.kind) for command in commands.all()] == [("init", "text")]


@pytest.mark.parametrize("folder", [".agent-lsp/commands", ".roo/commands", ".claude/commands", ".claude/commands/sub"])
def test_command_of_a_project_is_read_in_each_folder(commands: TextCommands, root: Path, folder: str) -> None:
    text = "---\ndescription: Mend it\nargument-hint: [issue] [how]\nmode: debug\nmodel: strong\n---\nFix $ARGUMENTS.\n"
    write(root / folder / "fix.md", text)

    assert own(commands) == [SlashCommand("fix", "Mend it", "text", "project", "[issue] [how]", "debug")]
    assert commands.expanded("/fix it all") == Expansion(told("Fix it all."), "debug", None)


def test_command_of_the_user_may_name_a_profile(commands: TextCommands, home: Path) -> None:
    write(home / "commands" / "fix.md", "---\nmodel: strong\n---\nFix.")

    assert commands.expanded("/fix") == Expansion(told("Fix.", source="user"), None, "strong")


@pytest.mark.parametrize(
    ("text", "words", "expanded"),
    [
        ("Fix $ARGUMENTS.", "/fix a b", "Fix a b."),
        ("Fix $ARGUMENTS.", "/fix", "Fix ."),
        ("Fix $ARGUMENTS, $ARGUMENTS.", "  /fix\n$ARGUMENTS $1 ", "Fix $ARGUMENTS $1, $ARGUMENTS $1."),
        ("Move $1 to $2; not $3 or $10.", "/fix 'a b' c", "Move a b to c; not  or $10."),
        ("Move $1.", "/fix it's", "Move it's."),
        ("Fix.", "/fix a\nb", "Fix.\n\nArguments: a\nb"),
        ("Fix $HOME for $5.00", "/fix", "Fix $HOME for .00"),
    ],
)
def test_arguments_stand_where_the_text_has_a_place(
    commands: TextCommands, root: Path, text: str, words: str, expanded: str
) -> None:
    write(root / ".agent-lsp/commands/fix.md", text)

    assert commands.expanded(words) == Expansion(told(expanded))


@pytest.mark.parametrize(
    "words", ["fix it", "please /fix", "/fixed", "/fix/it", "/etc/hosts is wrong", "/", "", "//fix"]
)
def test_other_words_stand_for_themselves(commands: TextCommands, root: Path, words: str) -> None:
    write(root / ".agent-lsp/commands/fix.md", "Fix.")

    assert commands.expanded(words) is None


def test_own_command_of_the_user_comes_before_a_projects(commands: TextCommands, home: Path, root: Path) -> None:
    write(home / "commands/fix.md", "Mine.")
    theirs = write(root / ".claude/commands/fix.md", "Theirs.")

    assert commands.expanded("/fix") == Expansion(told("Mine.", source="user"))
    assert commands.problems() == (f"{theirs}: it is ignored: you have another command `/fix`.",)


def test_project_may_replace_a_command_that_is_built_in(commands: TextCommands, root: Path) -> None:
    write(root / ".agent-lsp/commands/init.md", "# How we begin\nBegin.")

    assert commands.all() == (SlashCommand("init", "How we begin", "text", "project"),)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a b.md", "x", "a command's name is made of letters, digits, `-` and `_`, at most 64"),
        ("a.md", "---\ndescription: x\n---\n", "it has no words"),
        ("a.md", " \n", "it has no words"),
    ],
)
def test_file_that_makes_no_command_is_said(
    commands: TextCommands, root: Path, name: str, text: str, problem: str
) -> None:
    path = write(root / ".roo/commands" / name, text)

    assert commands.problems() == (f"{path}: it is no command: {problem}.",)
    assert own(commands) == []


def test_command_that_changes_holds_at_once(commands: TextCommands, root: Path) -> None:
    path = write(root / ".roo/commands/fix.md", "One.")
    assert commands.expanded("/fix") == Expansion(told("One."))

    path.write_text("Another.")

    assert commands.expanded("/fix") == Expansion(told("Another."))
