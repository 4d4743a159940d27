"""With what `agent-lsp configure` asks: a person at a terminal, and services that are really there."""

import asyncio
import getpass
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_lsp.domain.errors import AgentError
from agent_lsp.headless.paint import clean
from agent_lsp.headless.profile_drafts import profiles_in
from agent_lsp.headless.profile_trial import answered_in
from agent_lsp.providers import key_ring
from agent_lsp.providers.build import resolved_profile
from agent_lsp.providers.definitions import ProviderType
from agent_lsp.providers.listing import ListedModel
from agent_lsp.providers.probing import FoundServer, found_servers, models_of
from agent_lsp.settings.model import Profile
from agent_lsp.settings.sources import USER_FILE
from agent_lsp.storage.user_settings import read_user_settings


class TerminalPerson:
    """Whoever sits at the terminal. EOFError once they have gone."""

    def tell(self, text: str) -> None:
        print(clean(text))

    def ask(self, prompt: str) -> str:
        return input(clean(prompt)).strip()

    def ask_secret(self, prompt: str) -> str:
        return getpass.getpass(prompt).strip()


@dataclass(frozen=True, slots=True)
class World:
    """The services, the key ring and the settings, each asked when it is needed."""

    environment: Mapping[str, str]
    home: Path

    @property
    def file(self) -> Path:
        return self.home / USER_FILE

    def profile_names(self) -> tuple[str, ...]:
        return tuple(profiles_in(read_user_settings(self.file)))

    def found(self) -> tuple[FoundServer, ...]:
        return asyncio.run(found_servers(self.environment))

    def models(self, provider: ProviderType, profile: Profile) -> tuple[ListedModel, ...]:
        """List the models of a service; AgentError where it does not tell them."""
        needed = profile.model_copy(update={"model": profile.model or "any"})
        resolved = resolved_profile(needed, name=provider.name, environment=self.environment)
        return asyncio.run(models_of(provider, resolved))

    def problem(self, profile: Profile) -> str | None:
        """Ask the model something; why it does not answer."""
        try:
            asyncio.run(answered_in(profile, profile.type, self.environment))
        except AgentError as problem:
            return str(problem)
        return None

    def keep_key(self, name: str, key: str) -> str:
        """Put the key into the system's ring; the reference to it. NotConfigured where that cannot be."""
        return key_ring.keep(name, key)
