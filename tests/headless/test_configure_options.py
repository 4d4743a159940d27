"""`agent-lsp configure` with options: nothing is asked, and the user's settings get one profile more."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent_lsp.cli import main
from agent_lsp.providers.definitions import key_variables

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in (*key_variables(), "OLLAMA_HOST", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("AGENT_LSP_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "settings.json"


def read(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


@pytest.mark.parametrize(
    ("words", "profile"),
    [
        ("--type anthropic --model m", {"type": "anthropic", "model": "m"}),
        ("--type claude --provider x --model m", None),
        ("--type Ollama --model qwen3:8b", {"type": "ollama", "model": "qwen3:8b"}),
        ("--type lmstudio --model m", {"type": "lm-studio", "model": "m"}),
        (
            "--type openai --model m --base-url https://a.example/v1 --api-key-env MY_KEY",
            {"type": "openai", "model": "m", "baseURL": "https://a.example/v1", "apiKey": "$ENV:MY_KEY"},
        ),
        (
            "--type openai --model m --base-url http://127.0.0.1:8080/v1",
            {"type": "openai", "model": "m", "baseURL": "http://127.0.0.1:8080/v1", "apiKey": "none"},
        ),
        (
            "--type vertex --model m --project p --region eu",
            {"type": "anthropic-vertex", "model": "m", "project": "p", "region": "eu"},
        ),
        (
            "--type openai --model m --base-url $ENV:PLACE --api-key-env MY_KEY",
            {"type": "openai", "model": "m", "baseURL": "$ENV:PLACE", "apiKey": "$ENV:MY_KEY"},
        ),
        ("--type replay --file /recorded.jsonl", {"type": "replay", "file": "/recorded.jsonl"}),
    ],
)
def test_options_are_a_profile(file: Path, words: str, profile: Any) -> None:
    code = main(["configure", *words.split()])

    assert (code, file.exists()) == ((0, True) if profile else (2, False))
    if profile:
        assert read(file) == {"currentProvider": profile["type"], "providers": {profile["type"]: profile}}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--provider", "x"], "Say which type of provider it is, with --type."),
        (["--type", "bard", "--model", "m"], "There is no type 'bard': choose one of anthropic, "),
        (["--type", "", "--model", "m"], "Say which type of provider it is"),
        (["--type", "anthropic"], "Type anthropic needs --model, e.g. claude-sonnet-5-5."),
        (["--type", "ollama"], "Type ollama needs --model."),
        (["--type", "azure", "--model", "m"], "Type azure needs --base-url."),
        (["--type", "replay"], "Type replay needs --file."),
        (["--type", "bedrock", "--model", "m"], "Type anthropic-bedrock needs --region."),
        (
            ["--type", "openai", "--model", "m", "--base-url", "https://a.example/v1"],
            "Type openai needs --api-key-env: the variable that has the key.",
        ),
        (["--type", "openai", "--model", "m", "--base-url", "a.example"], "The base URL begins with http:// or"),
        (["--type", "openai", "--model", "m", "--base-url", "https://"], "The base URL begins with http:// or"),
        (["--type", "openai", "--model", "m", "--base-url", "https://a\n.example"], "The base URL begins with"),
        (
            ["--type", "openai", "--model", "m", "--base-url", "https://a b.example"],
            "The base URL is no address: look at",
        ),
        (
            ["--type", "openai", "--model", "m", "--base-url", "http://a:99999/v1"],
            "The base URL is no address: look at",
        ),
        (
            ["--type", "openai", "--model", "m", "--base-url", "https://me:sk-123@a/v1"],
            "There is a password in the base",
        ),
        (["--type", "openai", "--model", "m", "--base-url", "$ENV:sk-123"], "The base URL begins with http:// or"),
        (["--type", "openai", "--model", "m", "--api-key-env", "sk-123"], "That is no name of a variable: name the"),
        (["--type", "openai", "--model", "m", "--api-key-env", ""], "That is no name of a variable"),
        (["--type", "openai", "--model", "m", "--provider", " "], "A profile's name is one to 60 characters"),
        (["--type", "openai", "--model", "m", "--provider", "a\x1bb"], "A profile's name is one to 60 characters"),
        (["--type", "openai", "--model", "m", "--provider", "x" * 61], "A profile's name is one to 60 characters"),
        ([], "`agent-lsp configure` asks, and nobody can answer here: say --type and --model."),
    ],
)
def test_what_makes_no_sense_is_said_and_nothing_written(
    file: Path, capsys: Captured, words: list[str], sentence: str
) -> None:
    code = main(["configure", *words])

    told = capsys.readouterr().err
    assert (code, told.startswith(f"agent-lsp: {sentence}"), file.exists()) == (2, True, False), told
    assert "sk-123" not in told


def test_everything_else_in_the_settings_stays(file: Path) -> None:
    file.parent.mkdir()
    other = {"type": "anthropic", "model": "m", "future": [1]}
    before = {"limits": {"cost": 1.5}, "unknown": {"é": None}, "currentProvider": "x", "providers": {"x": other}}
    file.write_text(json.dumps(before), "utf-8")
    file.chmod(0o640)

    assert main(["configure", "--type", "ollama", "--model", "m", "--keep-current"]) == 0

    assert read(file) == {**before, "providers": {"x": other, "ollama": {"type": "ollama", "model": "m"}}}
    assert list(read(file)) == list(before)
    assert file.stat().st_mode & 0o777 == 0o640


def test_profile_of_the_same_type_keeps_what_is_not_said(file: Path) -> None:
    main(["configure", "--provider", "x", "--type", "openai", "--model", "m", "--api-key-env", "K"])
    main(["configure", "--provider", "x", "--model", "n"])

    assert read(file)["providers"] == {"x": {"type": "openai", "model": "n", "apiKey": "$ENV:K"}}


def test_profile_that_is_called_as_its_type_keeps_what_is_not_said(file: Path) -> None:
    file.parent.mkdir()
    before = {"type": "ollama", "model": "m", "window": 9000, "prices": "free", "headers": {"x": "y"}, "future": [1]}
    file.write_text(json.dumps({"providers": {"ollama": before}}), "utf-8")

    assert main(["configure", "--type", "ollama", "--model", "n"]) == 0

    assert read(file)["providers"] == {"ollama": {**before, "model": "n"}}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--model", "n"], ["It keeps what was said of its model before: window, prices. Look whether that holds."]),
        (["--model", "m"], []),
        (["--api-key-env", "HOME"], []),
        (["--type", "llamacpp", "--model", "n"], []),
    ],
)
def test_what_was_said_of_another_model_is_told(
    file: Path, capsys: Captured, words: list[str], told: list[str]
) -> None:
    file.parent.mkdir()
    before = {"type": "ollama", "model": "m", "window": 9000, "prices": {"input": 1, "output": 2}, "timeoutSeconds": 5}
    file.write_text(json.dumps({"providers": {"x": before}}), "utf-8")

    assert main(["configure", "--provider", "x", *words]) == 0

    assert capsys.readouterr().out.splitlines()[1:-1] == told


def test_profile_of_another_type_is_made_anew(file: Path) -> None:
    main(["configure", "--provider", "x", "--type", "openai", "--model", "m", "--api-key-env", "K"])
    main(["configure", "--provider", "x", "--type", "ollama", "--model", "n"])

    assert read(file)["providers"] == {"x": {"type": "ollama", "model": "n"}}


@pytest.mark.parametrize("content", ["{", "[]", "\xff", '"x"', "[" * 100_000])
def test_settings_that_are_not_understood_are_left_as_they_are(file: Path, capsys: Captured, content: str) -> None:
    file.parent.mkdir()
    file.write_text(content, "latin-1")

    code = main(["configure", "--type", "ollama", "--model", "m"])

    assert (code, file.read_text("latin-1")) == (1, content)
    assert "repair it first, so that nothing in it is lost" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "\ufeff{}", "{}\n"])
def test_empty_settings_are_filled(file: Path, content: str) -> None:
    file.parent.mkdir()
    file.write_text(content, "utf-8")

    assert main(["configure", "--type", "ollama", "--model", "m"]) == 0
    assert list(read(file)) == ["currentProvider", "providers"]


def test_settings_that_are_a_link_stay_one(file: Path) -> None:
    elsewhere = file.parent.parent / "dotfiles.json"
    elsewhere.write_text("{}")
    file.parent.mkdir()
    file.symlink_to(elsewhere)

    assert main(["configure", "--type", "ollama", "--model", "m"]) == 0

    assert (file.is_symlink(), read(elsewhere)["currentProvider"]) == (True, "ollama")


def test_place_that_cannot_be_written_to_is_said(file: Path, capsys: Captured) -> None:
    file.parent.write_text("no folder")

    assert main(["configure", "--type", "ollama", "--model", "m"]) == 1

    told = capsys.readouterr().err
    assert f"{file} cannot be read" in told
    assert "or set AGENT_LSP_HOME to another folder" in told


def test_key_that_is_not_there_yet_is_said(file: Path, capsys: Captured) -> None:
    main(["configure", "--type", "groq", "--model", "m", "--api-key-env", "MY_KEY"])

    assert capsys.readouterr().out.splitlines() == [
        f"Profile groq (groq, m) is set up in {file}; new tasks use it.",
        "Not yet, though: Profile groq takes its apiKey from MY_KEY, which is not set in the environment.",
        "Try it: agent-lsp providers test groq",
    ]
