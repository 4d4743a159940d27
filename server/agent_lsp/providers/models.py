"""The models of the profiles that the settings have now, and what can be told of each."""

from collections.abc import Callable, Mapping
from pathlib import Path

from agent_lsp.domain.requests import ProfileList
from agent_lsp.providers.advice import local_advice
from agent_lsp.providers.build import build_model, problem_of
from agent_lsp.providers.known_secrets import secret_values
from agent_lsp.providers.recorded_requests import RecordedRun
from agent_lsp.providers.recording import Streaming
from agent_lsp.settings.live import LiveSettings
from agent_lsp.settings.model import Profile
from agent_lsp.settings.profiles import check_profile, listed, profile


class Models:
    """Makes the model of a profile once, and again when the profile has changed; keeps each until the end."""

    def __init__(
        self,
        settings: LiveSettings,
        environment: Mapping[str, str],
        record_to: Path | None,
        learn: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._environment = environment
        self._record_to = record_to
        self._learn = learn
        self._made: dict[str, Streaming] = {}
        self._run = RecordedRun(lambda: secret_values(environment, settings.current()))

    def model(self, name: str | None) -> tuple[str, Streaming]:
        """Make the model of a profile, without a name of that which new tasks use. Raises NotConfigured."""
        name, chosen = profile(self._settings.current(), name, self._settings.user_file)
        key = f"{name} {chosen.model_dump_json()}"
        if key not in self._made:
            self._made[key] = build_model(
                chosen,
                name=name,
                environment=self._environment,
                record_to=self._record_to,
                learn=self._learn,
                run=self._run,
            )
        return name, self._made[key]

    def check(self, name: str) -> None:
        """Raise BadParams for a name that no profile has."""
        check_profile(self._settings.current(), name)

    def listed(self, chosen: str | None) -> ProfileList:
        """List the profiles; the current one is the chosen one, or that which new tasks use."""
        return ProfileList(listed(self._settings.current(), chosen, self._problem))

    async def advice(self) -> tuple[str, ...]:
        """Tell what could be done where no profile can be used. Only then anything on this machine is looked for."""
        is_any_usable = any(row.problem is None for row in self.listed(None).profiles)
        return () if is_any_usable else await local_advice(self._environment)

    async def aclose(self) -> None:
        for model in self._made.values():
            await model.aclose()

    def _problem(self, name: str, chosen: Profile) -> str | None:
        return problem_of(chosen, name=name, environment=self._environment)
