"""Which profile a task runs with, and what is said when there is none."""

from pathlib import Path
from typing import Any

import pytest

from agent_lsp.domain.errors import BadParams, NotConfigured
from agent_lsp.domain.requests import ProfileRow
from agent_lsp.settings.model import Prices, Profile, Settings
from agent_lsp.settings.profiles import check_profile, listed, profile

NO_MODEL = "No model is set up: run `agent-lsp configure` in a terminal, or describe one under `providers`"
WORK, LOCAL, TAPE = Profile(type="anthropic"), Profile(type="openai"), Profile(type="replay")


@pytest.mark.parametrize(
    ("current", "profiles", "name", "chosen"),
    [
        ("work", {"work": WORK, "local": LOCAL}, None, ("work", WORK)),
        ("work", {"work": WORK, "local": LOCAL}, "local", ("local", LOCAL)),
        (None, {"work": WORK}, None, ("work", WORK)),
        ("tape", {"tape": TAPE}, None, ("tape", TAPE)),
        (None, {"tape": TAPE}, "tape", ("tape", TAPE)),
    ],
)
def test_profile_is_chosen(
    current: str | None, profiles: dict[str, Profile], name: str | None, chosen: tuple[str, Profile]
) -> None:
    assert profile(Settings(current_provider=current, providers=profiles), name) == chosen


@pytest.mark.parametrize(
    ("current", "profiles", "name", "sentence"),
    [
        (
            None,
            {},
            None,
            f"{NO_MODEL} in the settings.",
        ),
        (
            None,
            {"b": WORK, "a": LOCAL},
            None,
            "No model is chosen: set `currentProvider` to one of `a`, `b` in the settings.",
        ),
        (None, {"tape": TAPE}, None, "No model is chosen: set `currentProvider` to one of `tape` in the settings."),
        (
            None,
            {"tape": TAPE, "work": WORK},
            None,
            "No model is chosen: set `currentProvider` to one of `tape`, `work` in the settings.",
        ),
        ("x", {}, None, "There is no profile `x`: describe it under `providers` in the settings."),
        (
            "work",
            {"work": WORK, "a": LOCAL},
            "x",
            "There is no profile `x`: choose one of `a`, `work`, or describe it under `providers` in the settings.",
        ),
    ],
)
def test_missing_profile_says_what_to_set(
    current: str | None, profiles: dict[str, Profile], name: str | None, sentence: str
) -> None:
    with pytest.raises(NotConfigured) as caught:
        profile(Settings(current_provider=current, providers=profiles), name)

    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("profiles", "name"), [({}, None), ({}, "x"), ({"a": WORK, "b": LOCAL}, None), ({"a": WORK}, "x")]
)
def test_missing_profile_names_the_file_to_put_it_in(profiles: dict[str, Profile], name: str | None) -> None:
    with pytest.raises(NotConfigured) as caught:
        profile(Settings(providers=profiles), name, Path("/home/u/settings.json"))

    assert str(caught.value).endswith(" in /home/u/settings.json, or in the editor's settings of the agent.")


@pytest.mark.parametrize(
    ("current", "chosen", "marked"), [("work", None, "work"), ("work", "tape", "tape"), (None, None, None)]
)
def test_listed_profiles_mark_the_current_one(current: str | None, chosen: str | None, marked: str | None) -> None:
    settings = Settings(current_provider=current, providers={"work": WORK, "tape": TAPE})

    rows = listed(settings, chosen, lambda name, profile: f"{name} is {profile.type}" if name == "work" else None)

    assert rows == (
        ProfileRow("work", "anthropic", "", is_current=marked == "work", problem="work is anthropic"),
        ProfileRow("tape", "replay", "", is_current=marked == "tape"),
    )


def test_name_that_no_profile_has_is_the_callers_mistake() -> None:
    check_profile(Settings(providers={"work": WORK}), "work")

    with pytest.raises(BadParams, match="There is no profile `x`: choose one of `work`"):
        check_profile(Settings(providers={"work": WORK}), "x")


@pytest.mark.parametrize(
    ("fields", "input_price"),
    [({"model": "m"}, 2.0), ({"model": "other"}, None), ({"model": "m", "prices": {"input": 1, "output": 1}}, 1.0)],
)
def test_prices_by_model_hold_for_profiles_without_their_own(fields: dict[str, Any], input_price: float | None) -> None:
    settings = Settings(providers={"work": Profile.model_validate(fields)}, prices={"m": Prices(input=2.0, output=3.0)})

    _, chosen = profile(settings)

    assert (chosen.prices and chosen.prices.input) == input_price
