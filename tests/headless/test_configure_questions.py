"""The questions of `agent-lsp configure`: what each answer leads to, and that a key is only where it may be."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from run_process import Place, terminal

from agent_lsp.domain.errors import ModelFault, NotConfigured
from agent_lsp.headless.configure_questions import asked_draft
from agent_lsp.headless.profile_drafts import Draft, keep
from agent_lsp.providers.definitions import TYPES, ProviderType, type_named
from agent_lsp.providers.listing import ListedModel
from agent_lsp.providers.probing import FoundServer
from agent_lsp.settings.model import Profile
from support.model_server import scripted_model
from support.stand_in import listing, speaking, stand_in

NUMBER = {known.name: str(number) for number, known in enumerate(TYPES, 1)}
LISTED = (ListedModel("one"), ListedModel("two", 4096))


@dataclass
class ScriptedPerson:
    """Answers in turn, and is gone after the last answer."""

    answers: list[str]
    told: list[str] = field(default_factory=list[str])
    prompts: list[str] = field(default_factory=list[str])

    def tell(self, text: str) -> None:
        self.told.append(text)

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)

    def ask_secret(self, prompt: str) -> str:
        return self.ask(prompt)


@dataclass
class ScriptedWorld:
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    names: tuple[str, ...] = ()
    servers: tuple[FoundServer, ...] = ()
    listed: tuple[ListedModel, ...] | None = LISTED
    fault: str | None = None
    ring: dict[str, str] | None = None
    file: Path = Path("/home/u/settings.json")
    tried: list[Profile] = field(default_factory=list[Profile])

    def profile_names(self) -> tuple[str, ...]:
        return self.names

    def found(self) -> tuple[FoundServer, ...]:
        return self.servers

    def models(self, provider: ProviderType, profile: Profile) -> tuple[ListedModel, ...]:
        if self.listed is None:
            raise ModelFault(f"{provider.name} is silent.", is_passing=True)
        return self.listed

    def problem(self, profile: Profile) -> str | None:
        self.tried.append(profile)
        return self.fault

    def keep_key(self, name: str, key: str) -> str:
        if self.ring is None:
            raise NotConfigured("There is no ring.")
        self.ring[name] = key
        return f"$KEYRING:{name}"


def fields_of(draft: Draft | None) -> Any:
    return draft and (draft.name, draft.fields)


@pytest.mark.parametrize(
    ("answers", "name", "fields"),
    [
        (
            ["anthropic", "", "", "2", ""],
            "anthropic",
            {"type": "anthropic", "apiKey": "$ENV:ANTHROPIC_API_KEY", "model": "two"},
        ),
        (
            [NUMBER["anthropic"], "", "MY", "other", "work"],
            "work",
            {"type": "anthropic", "apiKey": "$ENV:MY", "model": "other"},
        ),
        (["ollama", "", "", ""], "ollama", {"type": "ollama", "model": "one"}),
        (
            ["lmstudio", "http://gpu:1/v1", "two", ""],
            "lm-studio",
            {"type": "lm-studio", "baseURL": "http://gpu:1/v1", "model": "two"},
        ),
        (
            ["azure", "https://r.openai.azure.com/openai/v1", "", "K", "one", ""],
            "azure",
            {"type": "azure", "baseURL": "https://r.openai.azure.com/openai/v1", "apiKey": "$ENV:K", "model": "one"},
        ),
        (
            ["vertex", "p", "eu", "one", ""],
            "anthropic-vertex",
            {"type": "anthropic-vertex", "project": "p", "region": "eu", "model": "one"},
        ),
        (
            ["bedrock", "eu-west-1", "", "one", ""],
            "anthropic-bedrock",
            {"type": "anthropic-bedrock", "region": "eu-west-1", "model": "one"},
        ),
        (["replay", "/r.jsonl", ""], "replay", {"type": "replay", "file": "/r.jsonl"}),
    ],
)
def test_answers_are_a_profile(answers: list[str], name: str, fields: dict[str, Any]) -> None:
    person, world = ScriptedPerson(answers), ScriptedWorld()

    draft = asked_draft(person, world)

    # The window is known of a model that the catalogue does not know.
    window = {"window": 4096} if fields.get("model") == "two" else {}
    assert (fields_of(draft), person.answers) == ((name, fields | window), [])
    assert [profile.model for profile in world.tried] == [fields.get("model", "")]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (["0"], f"The list ends at {len(NUMBER)}."),
        (["99"], f"The list ends at {len(NUMBER)}."),
        (["bard"], "There is no type 'bard'"),
        ([""], "Something has to be said here; ^C ends this without a change."),
        (["openai", "a.example"], "The base URL begins with http:// or https://."),
        (["openai", "", "", "sk-123"], "That is no name of a variable"),
        (["ollama", "", "3"], "The list ends at 2."),
        (["ollama", "", "", "x" * 61], "A profile's name is one to 60 characters"),
    ],
)
def test_answer_that_makes_no_sense_is_asked_again(wrong: list[str], words: str) -> None:
    person = ScriptedPerson(wrong)

    assert asked_draft(person, ScriptedWorld()) is None
    assert any(text.startswith(words) for text in person.told)
    assert person.prompts[-1] == person.prompts[-2]


def test_key_of_the_environment_is_offered_first() -> None:
    person = ScriptedPerson(["", "", "", ""])

    draft = asked_draft(person, ScriptedWorld({"OPENAI_API_KEY": "k"}))

    assert person.prompts[:2] == ["Type [openai-responses]: ", "Use the key in OPENAI_API_KEY? [Y/n] "]
    assert fields_of(draft) == ("openai-responses", {"type": "openai-responses", "model": "one"})


def test_server_that_runs_here_is_offered_first() -> None:
    ollama = type_named("ollama")
    assert ollama
    person = ScriptedPerson(["", "", "", ""])

    asked_draft(person, ScriptedWorld(servers=(FoundServer(ollama, "http://127.0.0.1:11434/v1", LISTED),)))

    assert person.prompts[0] == "Type [ollama]: "
    assert any(text.endswith("Ollama (runs here, with one, two)") for text in person.told)


def test_key_goes_into_the_ring_where_there_is_one() -> None:
    world = ScriptedWorld(ring={})

    draft = asked_draft(ScriptedPerson(["groq", "open-sesame", "one", "work"]), world)

    assert fields_of(draft) == ("work", {"type": "groq", "apiKey": "$KEYRING:work", "model": "one"})
    assert world.ring == {"work": "open-sesame"}


@pytest.mark.parametrize(
    ("answers", "key", "holds_key"),
    [(["y"], "open-sesame", True), (["", "MY"], "$ENV:MY", False), (["n", ""], "$ENV:GROQ_API_KEY", False)],
)
def test_without_a_ring_the_key_is_written_only_on_a_yes(answers: list[str], key: str, holds_key: bool) -> None:
    person = ScriptedPerson(["groq", "open-sesame", "one", "", *answers])

    draft = asked_draft(person, ScriptedWorld())

    assert draft
    assert (draft.fields["apiKey"], draft.holds_key) == (key, holds_key)
    assert "Keep the key in /home/u/settings.json, which only you can read? [y/N] " in person.prompts
    assert "open-sesame" not in repr((person.told, person.prompts))


def test_file_that_gets_a_key_is_closed_to_others(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{}")
    file.chmod(0o644)
    groq = type_named("groq")
    assert groq

    keep(Draft("work", groq, {"type": "groq", "model": "m", "apiKey": "open-sesame"}), tmp_path, is_current=True)

    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("answer", "is_kept"), [("y", True), ("", False), ("n", False)])
def test_profile_whose_model_does_not_answer_is_kept_only_on_a_yes(answer: str, is_kept: bool) -> None:
    person = ScriptedPerson(["ollama", "", "", "", answer])

    draft = asked_draft(person, ScriptedWorld(fault="It is silent."))

    assert (draft is not None, person.told[-1]) == (is_kept, "It is silent.")


def test_profile_of_the_same_name_is_replaced_only_on_a_yes() -> None:
    person = ScriptedPerson(["ollama", "", "", "", "n", "ollama", "y"])

    draft = asked_draft(person, ScriptedWorld(names=("ollama",)))

    assert (draft is not None, person.answers) == (True, [])


def test_suggestions_stand_in_for_a_list_that_cannot_be_had() -> None:
    person = ScriptedPerson(["anthropic", "", "", "", ""])

    draft = asked_draft(person, ScriptedWorld(listed=None))

    assert draft
    assert (draft.fields["model"], "Its models cannot be listed. anthropic is silent." in person.told) == (
        "claude-sonnet-5-5",
        True,
    )


def test_long_list_is_cut_and_every_model_can_be_named() -> None:
    many = tuple(ListedModel(f"m{number}") for number in range(50))
    person = ScriptedPerson(["ollama", "", "m49", ""])

    draft = asked_draft(person, ScriptedWorld(listed=many))

    assert draft
    assert (draft.fields["model"], person.told[-4:-2]) == (
        "m49",
        [" 20  m19", "     … and 30 more, which can be named"],
    )


async def test_key_is_never_on_the_screen(tmp_path: Path) -> None:
    pages = {"/v1/models": listing("one"), "/v1/chat/completions": speaking("OK")}
    async with scripted_model([]) as unused, stand_in(pages) as server:
        place = Place.make(tmp_path, unused)
        async with terminal(place, "configure") as screen:
            for prompt, answer in (
                ("Type", "openai"),
                ("Base URL", f"{server.address}/v1"),
                ("Key (not shown", "open-sesame"),
                ("Model [", ""),
                ("Name of the profile [", "mine"),
                ("which only you can read? [y/N]", "y"),
            ):
                await screen.until(prompt)
                screen.type(f"{answer}\n")
            code = await asyncio.wait_for(screen.exit_code(), 30)

    settings = json.loads((place.home / "settings.json").read_text())
    assert (code, settings["currentProvider"]) == (0, "mine")
    assert settings["providers"]["mine"]["apiKey"] == "open-sesame"
    assert "open-sesame" not in screen.text
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer open-sesame"] * 2
