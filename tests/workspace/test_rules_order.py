"""Which rules are told, in which order, and when."""

from pathlib import Path

import pytest

from agent_lsp.workspace.rules import MOST_CHARACTERS, MOST_FILES, RuleReading, room_for_rules

IN_ORDER = [
    ".agent-lsp/rules-ask/a.md",
    ".agent-lsp/rules/a.md",
    ".agent-lsp/rules/b/c.txt",
    "AGENTS.md",
    "AGENTS.local.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".roo/rules-ask/a.md",
    ".roo/rules/a.md",
    ".clinerules",
    ".cursor/rules/a.mdc",
    ".cursorrules",
    ".github/copilot-instructions.md",
]


def write(root: Path, *paths: str, text: str = "") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text or f"Rules of {path}.")


def standing(*roots: Path, home: Path | None = None, mode: str = "ask") -> list[str]:
    rules = RuleReading(roots, home, lambda _: False).standing(mode)
    return [
        str(Path(rule.path).relative_to(next(one for one in (*roots, home) if one and one in Path(rule.path).parents)))
        for rule in rules
    ]


def nearby(root: Path, file: str) -> list[str]:
    rules = RuleReading([root], None, lambda _: False).nearby(root / file, "code")
    return [str(Path(rule.path).relative_to(root)) for rule in rules]


def test_files_are_told_in_the_order_of_the_page(tmp_path: Path) -> None:
    write(tmp_path, *reversed(IN_ORDER))

    assert standing(tmp_path) == IN_ORDER


def test_order_is_the_one_that_the_docs_tell() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text().partition("| place |")[2]

    places = [page.index(f"`{name}`") for name in (
        ".agent-lsp/rules-<mode>/", ".agent-lsp/rules/", "AGENTS.md", "AGENTS.local.md", "CLAUDE.md", "CLAUDE.local.md",
        ".roo/rules-<mode>/", ".roo/rules/", ".clinerules", ".cursor/rules/", ".cursorrules",
        ".github/copilot-instructions.md")]  # fmt: skip

    assert places == sorted(places)


def test_rules_of_another_mode_are_not_told(tmp_path: Path) -> None:
    write(tmp_path, *IN_ORDER)

    assert standing(tmp_path, mode="code") == [path for path in IN_ORDER if "-ask" not in path]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (["AGENTS.md", "AGENT.md"], ["AGENTS.md"]),
        (["AGENT.md"], ["AGENT.md"]),
        ([".claude/CLAUDE.md"], [".claude/CLAUDE.md"]),
        ([".roo/rules/a.md", ".roorules"], [".roo/rules/a.md"]),
        ([".roorules"], [".roorules"]),
        ([".clinerules/b.md", ".clinerules/a.md", ".clinerules/run.sh"], [".clinerules/a.md", ".clinerules/b.md"]),
    ],
)
def test_of_several_names_the_first_one_counts(tmp_path: Path, files: list[str], told: list[str]) -> None:
    write(tmp_path, *files)

    assert standing(tmp_path) == told


def test_rules_of_the_user_come_first_and_are_known_as_theirs(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    write(home, "rules/a.md", "rules-ask/b.md", "AGENTS.md")
    write(root, "AGENTS.md", text="Of the project.")

    rules = RuleReading([root], home, lambda _: False).standing("ask")

    assert [(Path(rule.path).name, rule.is_users) for rule in rules] == [
        ("b.md", True), ("a.md", True), ("AGENTS.md", True), ("AGENTS.md", False)]  # fmt: skip


def test_same_text_is_told_once(tmp_path: Path) -> None:
    write(tmp_path, "AGENTS.md", ".cursorrules", text="Be brief.\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")

    assert standing(tmp_path) == ["AGENTS.md"]


def test_what_the_user_keeps_from_the_agent_is_not_told(tmp_path: Path) -> None:
    write(tmp_path, "AGENTS.md", "CLAUDE.md")

    rules = RuleReading([tmp_path], None, lambda path: path.name == "AGENTS.md").standing("code")

    assert [Path(rule.path).name for rule in rules] == ["CLAUDE.md"]


def test_folder_of_rules_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere", "a.md")
    (tmp_path / "root" / ".roo").mkdir(parents=True)
    (tmp_path / "root" / ".roo" / "rules").symlink_to(tmp_path / "elsewhere")

    assert standing(tmp_path / "root") == []


def test_imports_of_claude_files_follow_them_within_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path, "secret.md")
    write(root, "CLAUDE.md", text="See @docs/style.md, `@docs/not.md`, @../secret.md, @~/.ssh/id_rsa and @nowhere.md.")
    write(root, "docs/style.md", text="Tabs. @more.md @../CLAUDE.md")
    write(root, "docs/more.md", "docs/not.md")

    assert standing(root) == ["CLAUDE.md", "docs/style.md", "docs/more.md"]


def test_other_files_import_nothing(tmp_path: Path) -> None:
    write(tmp_path, "AGENTS.md", text="See @docs/style.md")
    write(tmp_path, "docs/style.md")

    assert standing(tmp_path) == ["AGENTS.md"]


def test_rule_that_its_author_describes_is_pointed_to(tmp_path: Path) -> None:
    write(tmp_path, ".cursor/rules/db.mdc", text="---\ndescription: the database\n---\nUse transactions.")

    (rule,) = RuleReading([tmp_path], None, lambda _: False).standing("code")

    assert rule.text == "Read this file where the work is about this: the database"


def test_rule_for_some_files_is_told_with_the_first_of_them(tmp_path: Path) -> None:
    write(tmp_path, ".cursor/rules/ts.mdc", text="---\nglobs: *.ts,src/**/*.tsx\nalwaysApply: false\n---\nNo any.")

    assert standing(tmp_path) == []
    assert [bool(nearby(tmp_path, file)) for file in ("a/b.ts", "src/a/b.tsx", "b.tsx", "a.py")] == [
        True, True, False, False]  # fmt: skip


def test_rules_of_the_folders_of_a_file_are_nearby(tmp_path: Path) -> None:
    write(tmp_path, "AGENTS.md", "a/AGENTS.md", "a/b/CLAUDE.md", "a/b/AGENT.md", "c/AGENTS.md")

    assert nearby(tmp_path, "a/b/x.py") == ["a/AGENTS.md", "a/b/AGENT.md", "a/b/CLAUDE.md"]
    assert nearby(tmp_path, "x.py") == []
    assert nearby(tmp_path / "a", "../x.py") == []


def test_many_rules_are_bounded(tmp_path: Path) -> None:
    write(tmp_path, *(f".roo/rules/{number:03}.md" for number in range(MOST_FILES + 5)))
    write(tmp_path, "AGENTS.md", text="x" * 31_000)
    write(tmp_path, "CLAUDE.md", text="y" * 31_000)
    write(tmp_path, ".cursorrules", text="z" * 31_000)

    rules = RuleReading([tmp_path], None, lambda _: False).standing("code")

    assert sum(len(rule.text) for rule in rules) < MOST_CHARACTERS + 10_000
    assert len(rules) == MOST_FILES + 3
    assert rules[-1].text.startswith("Left out")


@pytest.mark.parametrize(
    ("window", "room"), [(0, MOST_CHARACTERS), (8_192, 9_830), (32_000, 38_400), (200_000, MOST_CHARACTERS)]
)
def test_rules_take_a_third_of_a_small_window(window: int, room: int) -> None:
    assert room_for_rules(window) == room


def test_what_there_is_no_room_for_is_pointed_to_and_the_rest_is_told(tmp_path: Path) -> None:
    write(tmp_path, ".agent-lsp/rules/a.md", text="x" * 10_001)
    write(tmp_path, "AGENTS.md", text="Be brief.")

    long, short = RuleReading([tmp_path], None, lambda _: False, lambda: 10_000).standing("code")

    assert long.text.startswith("Left out for want of room: read this file")
    assert short.text == "Be brief."
