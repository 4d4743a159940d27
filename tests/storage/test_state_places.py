"""Where things lie: chosen by the environment, private to the user, and named by plain ids alone."""

from pathlib import Path

import platformdirs
import pytest

from agent_lsp.domain.errors import StorageProblem, TaskUnknown
from agent_lsp.storage.places import home_folder, private_folder, state_folder, task_folder


def test_state_folder_is_made_for_this_user_alone(tmp_path: Path) -> None:
    folder = state_folder({"AGENT_LSP_STATE": str(tmp_path / "a" / "b")})

    assert folder == tmp_path / "a" / "b"
    assert [oct(f.stat().st_mode & 0o777) for f in (folder, folder.parent)] == ["0o700", "0o700"]


def test_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)

    private_folder(tmp_path)

    assert oct(tmp_path.stat().st_mode & 0o777) == "0o750"


def test_home_folder_is_named_and_not_made(tmp_path: Path) -> None:
    assert home_folder({"AGENT_LSP_HOME": str(tmp_path / "none")}) == tmp_path / "none"
    assert not (tmp_path / "none").exists()


def test_tilde_and_relative_paths_are_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/ada")

    assert home_folder({"AGENT_LSP_HOME": "~/agent"}) == Path("/home/ada/agent")
    assert home_folder({"AGENT_LSP_HOME": "here"}) == tmp_path / "here"


@pytest.mark.parametrize("environment", [{}, {"AGENT_LSP_STATE": "  ", "AGENT_LSP_HOME": ""}])
def test_platform_decides_where_nothing_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    monkeypatch.setattr(platformdirs, "user_state_path", lambda name, **_: tmp_path / "state" / name)
    monkeypatch.setattr(platformdirs, "user_config_path", lambda name, **_: tmp_path / "config" / name)

    assert state_folder(environment) == tmp_path / "state" / "agent-lsp"
    assert home_folder(environment) == tmp_path / "config" / "agent-lsp"


def test_state_folder_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StorageProblem, match=r"^The state folder cannot be made \(Not a directory\): check "):
        state_folder({"AGENT_LSP_STATE": str(tmp_path / "file" / "state")})


@pytest.mark.parametrize("task_id", ["", "..", "a/b", "a\\b", "a.b", "ä", "a b", "a\n"])
def test_task_id_that_is_no_plain_name_is_unknown(task_id: str) -> None:
    with pytest.raises(TaskUnknown):
        task_folder(Path("/state"), task_id)


def test_task_lies_in_a_folder_of_its_own() -> None:
    assert task_folder(Path("/state"), "0b7-X_1") == Path("/state/tasks/0b7-X_1")
