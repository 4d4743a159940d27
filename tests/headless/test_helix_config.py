"""`agent-lsp helix-config` as its user meets it, with a program in Helix's place that answers as Helix does."""

import tomllib
from pathlib import Path

import pytest

from agent_lsp.cli import main
from agent_lsp.headless.helix_config import servers_in

Captured = pytest.CaptureFixture[str]

HX = """\
#!/bin/sh
case "$*" in
--version) echo "helix 25.07.1 (079a789e)" ;;
"--health markdown") printf 'Configured language servers:\\n  \\033[31m✘\\033[m marksman: not found in $PATH\\n' ;;
"--health python") printf 'Configured language servers:\\n  ✓ ruff: /bin/ruff\\n  ✘ agent-lsp: not found\\nConfigured debug adapter:\\n  ✓ lldb: /bin/lldb\\n' ;;
"--health diff") echo 'Configured language servers: None' ;;
*) echo "Language '$2' not found" ;;
esac
"""
OURS = {"name": "agent-lsp", "only-features": ["code-action", "workspace-command", "diagnostics"]}


@pytest.fixture
def hx(tmp_path: Path) -> str:
    program = tmp_path / "hx"
    program.write_text(HX)
    program.chmod(0o755)
    return str(program)


def run(hx: str, folder: Path, *words: str) -> int:
    return main(["helix-config", *words, "--hx", hx, "--folder", str(folder)])


def languages_in(folder: Path) -> dict[str, list[object]]:
    read = tomllib.loads((folder / "languages.toml").read_text())
    return {each["name"]: each["language-servers"] for each in read["language"]}


def test_servers_are_read_from_what_helix_says() -> None:
    row = "Configured language servers:\n  ✘ ty: no\n  ✓ ruff: /bin/ruff\n  ✓ agent-lsp: /x\n"

    assert servers_in(f"{row}Configured debug adapter:\n  ✓ lldb: /bin/lldb\n") == ("ty", "ruff")


def test_without_write_everything_is_only_printed(hx: str, tmp_path: Path, capsys: Captured) -> None:
    code = run(hx, tmp_path / "helix", "python")

    printed = capsys.readouterr().out
    assert (code, (tmp_path / "helix").exists()) == (0, False)
    assert 'language-servers = ["ruff", { name = "agent-lsp"' in printed
    assert tomllib.loads(printed)["keys"]["normal"]["space"]["A"]["y"] == ":lsp-workspace-command agent.approve"


def test_files_are_written_and_the_second_time_stay(hx: str, tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "helix"

    codes = [run(hx, folder, "python", "--write"), run(hx, folder, "python", "--write")]

    assert codes == [0, 0]
    assert languages_in(folder) == {
        "markdown": ["marksman", "agent-lsp"],
        "diff": ["agent-lsp"],
        "python": ["ruff", OURS],
    }
    assert sorted(path.name for path in folder.iterdir()) == ["config.toml", "languages.toml"]
    assert capsys.readouterr().out.endswith(f"{folder / 'config.toml'} stays as it is.\n")


def test_what_the_user_had_is_kept_beside_it(hx: str, tmp_path: Path) -> None:
    texts = ["# first\n", "# second\n"]
    for text in texts:
        (tmp_path / "config.toml").write_text(text)
        run(hx, tmp_path, "python", "--write")

    assert [(tmp_path / f"config.toml.bak{number}").read_text() for number in ("", "1")] == texts
    assert (tmp_path / "config.toml").read_text().startswith("# second\n")


def test_diff_shows_and_changes_nothing(hx: str, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "config.toml").write_text("# mine\n")

    code = run(hx, tmp_path, "python", "--diff")

    assert (code, (tmp_path / "config.toml").read_text()) == (0, "# mine\n")
    assert "+[keys.normal.space.A]\n" in capsys.readouterr().out
    assert not (tmp_path / "languages.toml").exists()


def test_link_into_a_folder_of_dotfiles_stays_one(hx: str, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("# mine\n")
    (tmp_path / "config.toml").symlink_to(kept)

    run(hx, tmp_path, "python", "--write")

    assert (tmp_path / "config.toml").is_symlink()
    assert "[keys.normal.space.A]" in kept.read_text()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("config.toml", b"a = \n", "config.toml is malformed, so it stays as it is"),
        ("languages.toml", b"[[language]\n", "languages.toml is malformed, so it stays as it is"),
        ("config.toml", b"# \xff\n", "is not UTF-8, so it stays as it is"),
        ("config.toml", b"editor = 1\n", "Your own settings are in the way of this"),
    ],
)
def test_what_cannot_be_done_is_said(
    hx: str, tmp_path: Path, capsys: Captured, name: str, text: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(text)

    code = run(hx, tmp_path, "python", "--diff")

    assert code == 1
    assert said in capsys.readouterr().err


def test_language_that_helix_does_not_know_is_named(hx: str, tmp_path: Path, capsys: Captured) -> None:
    code = run(hx, tmp_path, "python", "klingon", "--write")

    assert (code, (tmp_path / "config.toml").exists()) == (1, False)
    assert "Helix knows no language klingon" in capsys.readouterr().err


def test_without_helix_the_user_is_asked_for_it(tmp_path: Path, capsys: Captured) -> None:
    code = run(str(tmp_path / "none"), tmp_path)

    assert (code, "name your Helix by --hx" in capsys.readouterr().err) == (1, True)


def test_other_programs_are_not_taken_for_helix(tmp_path: Path, capsys: Captured) -> None:
    code = run("true", tmp_path)

    assert (code, "is not Helix" in capsys.readouterr().err) == (1, True)
