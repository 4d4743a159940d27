import io
import json
from pathlib import Path

import pytest

from agent_lsp.cli import main


@pytest.fixture(autouse=True)
def settings_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("AGENT_LSP_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    return home


COMMANDS = {
    "allowed": (
        ["--allow", "ls", "--", "ls -l"],
        0,
        "auto_approve: Every part of it is allowed.\n  auto_approve  ls -l\n",
    ),
    "asked about": (
        ["--allow", "ls", "--", "pwd"],
        1,
        (
            "ask: Asked, since `pwd` is not covered by an allowed command.\n"
            "  ask           pwd\n                Asked, since `pwd` is not covered by an allowed command.\n"
        ),
    ),
    "denied": (
        ["--deny", "rm", "--", "sudo rm"],
        3,
        (
            "auto_deny: `rm` is denied by the rule `rm`.\n"
            "  ask           sudo rm\n                Asked, since `sudo rm` is not covered by an allowed command.\n"
            "  auto_deny     rm\n                `rm` is denied by the rule `rm`.\n"
        ),
    ),
    "nothing to judge": ([], 2, ""),
}


@pytest.mark.parametrize(("words", "code", "shown"), COMMANDS.values(), ids=COMMANDS)
def test_check_tells_verdict_and_reason_of_every_part(words, code, shown, capsys) -> None:
    assert main(["permissions", "check", *words]) == code

    assert capsys.readouterr().out == shown


def test_check_shows_what_would_hide_in_a_terminal(capsys) -> None:
    main(["permissions", "check", "--allow", "ls", "--", "ls \x1b[8m \u202ex \udcff"])
    main(["permissions", "check-path", "--write", "../a\x1b[8m"])

    shown = capsys.readouterr().out
    assert "ls \\x1b[8m \\u202ex \\udcff" in shown
    assert "a\\x1b[8m" in shown
    assert "\x1b" not in shown


def test_check_takes_this_folder_for_the_workspace(tmp_path: Path, capsys) -> None:
    words = ["permissions", "check", "--allow", "cd", "--allow", "ls", "--", f"cd {tmp_path}/sub && ls"]

    assert main(words) == 0
    assert capsys.readouterr().out.startswith("auto_approve: ")


def test_check_answers_in_json_where_asked_to(capsys) -> None:
    main(["permissions", "check", "--json", "--allow", "ls", "--", "ls > x"])

    reason = "Asked, since it writes to `x`."
    segments = [{"text": "ls > x", "verdict": "ask", "reason": reason}]
    assert json.loads(capsys.readouterr().out) == {"verdict": "ask", "reason": reason, "segments": segments}


def test_check_without_rules_takes_those_of_the_settings(settings_home: Path, capsys) -> None:
    (settings_home / "settings.json").write_text('{"allowedCommands": ["ls"], "deniedCommands": ["rm"]}')

    codes = [main(["permissions", "check", "--", command]) for command in ("ls", "rm", "pwd")]

    assert codes == [0, 3, 1]


def answers(operation: str, lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys) -> list[str]:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    assert main(["permissions", operation, "--batch"]) == 0
    return capsys.readouterr().out.splitlines()


def test_check_answers_a_batch_line_by_line(monkeypatch, capsys) -> None:
    questions = [{"command": command, "allow": ["ls"], "deny": ["rm"]} for command in ("ls", "rm", "pwd")]
    lines = [*map(json.dumps, questions), "{}", "no json", '{"command": 1}', '{"command": "ls", "allow": 3}']

    assert answers("check", lines, monkeypatch, capsys) == ["auto_approve", "auto_deny", *["ask"] * 5]


def test_check_path_answers_a_batch_line_by_line(tmp_path: Path, monkeypatch, capsys) -> None:
    root = {"roots": [str(tmp_path)], "home": str(tmp_path), "ignore": ["*.key"], "op": "write", "use": False}
    lines = [json.dumps(root | {"path": path}) for path in ("a", "../a", ".git/config", "a.key", 1)]

    verdicts = answers("check-path", [*lines, "[]"], monkeypatch, capsys)

    assert verdicts == ["inside", "outside", "protected", "ignored", "outside", "outside"]


@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        (["a.txt"], 0, "inside: {folder}/a.txt\n"),
        ([".vscode/x"], 0, "inside: {folder}/.vscode/x\n"),
        (["--write", ".vscode/x"], 1, "protected: {folder}/.vscode/x\n"),
        (["$HOME/x"], 1, "outside: Variables in paths are not filled in; write $HOME/x out.\n"),
        ([], 2, ""),
    ],
)
def test_check_path_tells_where_a_path_leads(words, code, shown, tmp_path: Path, capsys) -> None:
    assert main(["permissions", "check-path", *words]) == code

    assert capsys.readouterr().out == shown.format(folder=tmp_path)
