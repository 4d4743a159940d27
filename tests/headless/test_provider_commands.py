"""`agent-lsp providers`: profiles listed, chosen and tested, against services that stand in for real ones."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agent_lsp.cli import main
from agent_lsp.providers.definitions import key_variables
from support.stand_in import Page, page, speaking, stand_in

Captured = pytest.CaptureFixture[str]
NOWHERE = "http://127.0.0.1:1/v1"
LOCAL = {"type": "openai", "model": "m", "apiKey": "open-sesame", "baseURL": NOWHERE}
NO_KEY = "Profile far has no apiKey, which type groq needs: run `agent-lsp configure`, or set GROQ_API_KEY in the environment."
KEYLESS = {"type": "groq", "model": "g"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in key_variables():
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("AGENT_LSP_HOME", str(tmp_path))
    monkeypatch.setenv("OLLAMA_HOST", "192.0.2.1")
    return tmp_path


def settle(home: Path, **settings: Any) -> None:
    (home / "settings.json").write_text(json.dumps(settings))


def test_profiles_are_listed_with_the_current_one_and_what_is_wrong(home: Path, capsys: Captured) -> None:
    cloud = {"type": "anthropic-bedrock", "model": "c", "region": "eu"}
    settle(home, currentProvider="near\x1b", providers={"near\x1b": LOCAL, "far": KEYLESS, "cloud": cloud})

    assert main(["providers", "list"]) == 0

    told = capsys.readouterr().out
    assert told.splitlines() == [
        "* near\\x1b  openai             m",
        f"  far       groq               g  ({NO_KEY})",
        "  cloud     anthropic-bedrock  c",
    ]
    assert "open-sesame" not in told


def test_without_a_profile_the_way_to_one_is_told(home: Path, capsys: Captured) -> None:
    assert main(["providers", "list"]) == 0
    assert capsys.readouterr().out.startswith("No model is set up: `agent-lsp configure` asks for one.\n")


async def test_server_that_runs_here_is_offered(home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    async with stand_in({"/api/tags": page({"models": [{"name": "qwen3:8b"}, {"name": "b"}]})}) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.host)
        await asyncio.to_thread(main, ["providers", "list"])

    assert (
        "Ollama runs here with 2 models: `agent-lsp configure --type ollama --model qwen3:8b` sets it up."
        in capsys.readouterr().out
    )


def test_profile_is_chosen_for_new_tasks(home: Path, capsys: Captured) -> None:
    settle(home, limits={"cost": 1}, currentProvider="near", providers={"near": LOCAL, "far": KEYLESS})

    assert main(["providers", "use", "far"]) == 0

    changed = json.loads((home / "settings.json").read_text())
    assert (changed["currentProvider"], changed["limits"]) == ("far", {"cost": 1})
    assert capsys.readouterr().out == "New tasks use far.\n"


@pytest.mark.parametrize("words", [["use", "x"], ["test", "x"]])
def test_profile_that_there_is_not_is_said(home: Path, capsys: Captured, words: list[str]) -> None:
    settle(home, providers={"near": LOCAL})

    assert main(["providers", *words]) == 2
    assert capsys.readouterr().err.startswith("agent-lsp: There is no profile `x`: choose one of `near`")


async def tried(home: Path, answer: Page | None, *words: str) -> int:
    async with stand_in({"/v1/chat/completions": answer} if answer else {}) as server:
        settle(home, providers={"near": {**LOCAL, "baseURL": f"{server.address}/v1"}})
        return await asyncio.to_thread(main, ["providers", "test", *words])


@pytest.mark.parametrize("words", [[], ["near"]])
async def test_model_that_answers_is_said_to(home: Path, capsys: Captured, words: list[str]) -> None:
    assert await tried(home, speaking("OK"), *words) == 0
    assert capsys.readouterr().out.startswith("near (openai, m) answered in ")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            page({"error": {"message": "bad key open-sesame"}}, 401),
            "answered 401: bad key [secret]. Check the profile's",
        ),
        (Page(b"<html>", content_type="text/html"), "answered with text/html instead of a stream. Check the profile's"),
        (None, "answered 404: nothing here. Check the profile's model and baseURL"),
    ],
)
async def test_model_that_does_not_answer_says_why(
    home: Path, capsys: Captured, answer: Page | None, words: str
) -> None:
    assert await tried(home, answer) == 1
    told = capsys.readouterr().err
    assert told.startswith("near (openai, m) does not answer. The model's service ")
    assert words in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"providers": {"near": LOCAL}}, "The connection to 127.0.0.1:1 failed"),
        ({"providers": {"far": KEYLESS}}, "has no apiKey, which type groq needs"),
        ({}, "No model is set up"),
        ({"providers": {"a": LOCAL, "b": LOCAL}}, "No model is chosen"),
    ],
)
def test_what_cannot_be_tested_is_said(home: Path, capsys: Captured, settings: Any, words: str) -> None:
    settle(home, **settings)

    assert main(["providers", "test"]) == 1
    assert words in capsys.readouterr().err
