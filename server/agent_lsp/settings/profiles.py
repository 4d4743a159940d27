"""Choosing a profile by name. What a profile's type means is the business of the providers."""

from collections.abc import Callable
from pathlib import Path

from agent_lsp.domain.errors import BadParams, NotConfigured
from agent_lsp.domain.requests import ProfileRow
from agent_lsp.settings.model import Profile, Settings


def profile(settings: Settings, name: str | None = None, file: Path | None = None) -> tuple[str, Profile]:
    """The profile of this name; without one the current provider, or the only one there is.

    A recording is never chosen without being named. `file` is where the user could put what is missing.
    """
    profiles = settings.providers
    chosen = name or settings.current_provider or _only(profiles)
    where = f"in {file}, or in the editor's settings of the agent" if file else "in the settings"
    if chosen is None and not profiles:
        way = "run `agent-lsp configure` in a terminal"
        raise NotConfigured(f"No model is set up: {way}, or describe one under `providers` {where}.")
    if chosen is None:
        raise NotConfigured(f"No model is chosen: set `currentProvider` to one of {_listed(profiles)} {where}.")
    if chosen not in profiles:
        raise NotConfigured(_unknown(chosen, profiles, where))
    return chosen, _priced(profiles[chosen], settings)


def _priced(profile: Profile, settings: Settings) -> Profile:
    """The profile with what the user says that its model costs, unless it says so itself."""
    prices = profile.prices or settings.prices.get(profile.model)
    return profile.model_copy(update={"prices": prices}) if prices else profile


def check_profile(settings: Settings, name: str) -> None:
    """Raise BadParams for a name that no profile has."""
    if name not in settings.providers:
        raise BadParams(_unknown(name, settings.providers, "in the settings"))


def listed(
    settings: Settings, chosen: str | None, problem: Callable[[str, Profile], str | None]
) -> tuple[ProfileRow, ...]:
    """All profiles, without their secrets; the current one is the chosen one, or what new tasks would use."""
    current = chosen or settings.current_provider or _only(settings.providers)
    return tuple(
        ProfileRow(name, profile.type, profile.model, is_current=name == current, problem=problem(name, profile))
        for name, profile in settings.providers.items()
    )


def _only(profiles: dict[str, Profile]) -> str | None:
    names = [name for name, profile in profiles.items() if profile.type != "replay"]
    return names[0] if len(profiles) == len(names) == 1 else None


def _unknown(name: str, profiles: dict[str, Profile], where: str) -> str:
    if not profiles:
        return f"There is no profile `{name}`: describe it under `providers` {where}."
    return f"There is no profile `{name}`: choose one of {_listed(profiles)}, or describe it under `providers` {where}."


def _listed(profiles: dict[str, Profile]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(profiles))
