"""Keys in the system's key ring, by a package of that name that stands in for the real one."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_lsp.domain.errors import ModelFault, NotConfigured
from agent_lsp.providers import key_ring
from agent_lsp.providers.build import build_model, problem_of
from agent_lsp.settings.model import Profile
from support.model_server import Say, scripted_model
from support.models import events_of, profile_for

RING = """
kept = {}
def set_password(service, name, password): kept[service, name] = password
def get_password(service, name): return kept.get((service, name))
"""
LOCKED = """
def set_password(service, name, password): raise RuntimeError("locked\\nfor good.")
get_password = set_password
"""
FORGETFUL = """
def set_password(service, name, password): pass
def get_password(service, name): return None
"""


Install = Callable[[str], object]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Make a program the package `keyring`."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "keyring", raising=False)
    return (tmp_path / "keyring.py").write_text


async def test_key_in_the_ring_is_used_and_learned(install: Install) -> None:
    install(RING)
    learned: list[str] = []
    async with scripted_model([[Say("x")]]) as server:
        profile = profile_for(server, "openai", api_key=key_ring.keep("work", "open-sesame"))
        model = build_model(profile, name="work", environment={}, learn=learned.append)
        before = (model.origin, model.facts.name, list(learned))
        await events_of(model)
        await model.aclose()

    assert before == ("openai/test-model", "test-model", [])
    assert learned == ["open-sesame"]
    assert server.requests[0].headers["authorization"] == "Bearer open-sesame"


async def test_key_that_the_ring_does_not_have_is_a_fault_of_the_request(install: Install) -> None:
    install(RING)
    profile = Profile(type="anthropic", model="m", api_key="$KEYRING:work")
    model = build_model(profile, name="work", environment={})

    with pytest.raises(ModelFault, match="has no key work: `agent-lsp configure` puts one there") as caught:
        await events_of(model)
    await model.aclose()

    assert (caught.value.is_passing, problem_of(profile, name="work", environment={})) == (False, None)


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (LOCKED, "The system's key ring cannot be used: locked for good."),
        (FORGETFUL, "The system's key ring takes keys, but does not give them back."),
        ("import no_such_backend", "The system's key ring cannot be used: No module named 'no_such_backend'."),
        ("", "The system's key ring cannot be used: module 'keyring' has no attribute 'set_password'."),
    ],
)
def test_ring_that_does_not_keep_a_key_says_why(install: Install, program: str, sentence: str) -> None:
    install(program)

    with pytest.raises(NotConfigured) as caught:
        key_ring.keep("work", "open-sesame")

    assert str(caught.value) == sentence


def test_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)

    with pytest.raises(NotConfigured, match="the package `keyring` is not installed"):
        key_ring.keep("work", "open-sesame")
