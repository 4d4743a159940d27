"""Rules of a project: read from its root alone, bounded, and as a person sees them."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent_lsp.domain.prompting import RuleText
from agent_lsp.workspace.rule_files import LARGEST, Conditions, split_conditions, without_hidden
from agent_lsp.workspace.rules import RuleReading

TAMPERED = "{} hidden characters were taken out: the file may have been tampered with."


def read_rules(roots: Sequence[Path]) -> tuple[RuleText, ...]:
    return RuleReading(roots, None, lambda _: False).standing("code")


def test_rules_of_all_roots_are_read_in_their_order(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("b", "none", "a")]
    for root in roots:
        root.mkdir()
    (roots[0] / "AGENTS.md").write_bytes("Use tabs ✂.\r\nAlways.\r\n".encode())
    (roots[2] / "AGENTS.md").write_text("Be brief.")

    assert read_rules(roots) == (
        RuleText(str(roots[0] / "AGENTS.md"), "Use tabs ✂.\nAlways.\n"),
        RuleText(str(roots[2] / "AGENTS.md"), "Be brief."),
    )


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", None),
        (b" \n", None),
        (b"\xef\xbb\xbfHi", ("Hi", "")),
        ("Ümläute\n".encode("utf-16"), ("Ümläute\n", "")),
        ("Ümläute\r\n".encode("latin-1"), ("Ümläute\n", "")),
        ("ümläut ".encode() + b"\xff", ("ümläut \N{REPLACEMENT CHARACTER}", "")),
        (b"\x00\x01\x02PNG", None),
        (b"x" * LARGEST, ("x" * LARGEST, "")),
        (b"x" * (LARGEST + 9), ("x" * LARGEST, "Only the first 32,000 bytes were read.")),
        (
            "a\u200bb".encode() + b"x" * LARGEST,
            ("ab" + "x" * (LARGEST - 5), "Only the first 32,000 bytes were read. " + TAMPERED.format(1)),
        ),
    ],
)
def test_file_is_read_as_a_person_sees_it(tmp_path: Path, content: bytes, rule: tuple[str, str] | None) -> None:
    (tmp_path / "AGENTS.md").write_bytes(content)

    assert read_rules([tmp_path]) == ((RuleText(str(tmp_path / "AGENTS.md"), *rule),) if rule else ())


def test_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("key")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "AGENTS.md").symlink_to(tmp_path / "secret")

    assert read_rules([tmp_path / "root"]) == ()


def test_link_within_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("Be brief.")
    (tmp_path / "AGENTS.md").symlink_to("CLAUDE.md")

    assert read_rules([tmp_path])[0].text == "Be brief."


def test_what_is_no_file_is_no_rule(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / "AGENTS.md")
    (tmp_path / "b" / "AGENTS.md").mkdir(parents=True)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "AGENTS.md").symlink_to("AGENTS.md")

    assert read_rules([tmp_path / name for name in "abc"]) == ()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\tb\nc é 漢 ✂️", "a\tb\nc é 漢 ✂️"),
        ("tags \U000e0041\U000e0042", "tags "),
        ("turned \u202e\u2066round\u2069", "turned round"),
        ("no\u200bwidth\u2060 \ufeff\u00ad", "nowidth "),
        ("fillers \u3164\uffa0\u115f", "fillers "),
        ("bits \ufe00\ufe0d\U000e0100", "bits "),
        ("escape \x1b[31m\x00", "escape [31m"),
        ("joined a\u200db\u200c", "joined ab"),
        ("family 👩\u200d👧", "family 👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("é\u200c\u200d\u200cé", "éé"),
    ],
)
def test_hidden_characters_are_taken_out(text: str, seen: str) -> None:
    assert without_hidden(text) == (seen, len(text) - len(seen))


@pytest.mark.parametrize(
    ("text", "conditions", "rest"),
    [
        ("Be brief.", Conditions(), "Be brief."),
        ("---\ntitle: x\n---\nBe brief.", Conditions(), "Be brief."),
        ("---\nalwaysApply: true\nglobs: a\n---\nx", Conditions(("a",), is_always=True), "x"),
        ("---\nglobs: *.ts, src/**/*.{js,jsx}\n---\nx", Conditions(("*.ts", "src/**/*.{js,jsx}"), is_always=False), "x"),
        ('---\npaths:\n  - "a b/*"\n  - c\n---\nx', Conditions(("a b/*", "c"), is_always=False), "x"),
        ('---\nglobs: ["*.py"]\nalwaysApply: false\n---\nx', Conditions(("*.py",), is_always=False), "x"),
        ("---\ndescription: Tests: how\nglobs:\n---\nx", Conditions((), "Tests: how", is_always=False), "x"),
        ("---\nalwaysApply: false\n---\nx", Conditions(is_always=False), "x"),
        ("---\nnot closed", Conditions(), "---\nnot closed"),
        ("---\n---\n---\n", Conditions(), "---\n"),
        ("text\n---\nglobs: a\n---\n", Conditions(), "text\n---\nglobs: a\n---\n"),
    ],
)  # fmt: skip
def test_front_matter_says_when_rules_hold(text: str, conditions: Conditions, rest: str) -> None:
    assert split_conditions(text) == (conditions, rest)
