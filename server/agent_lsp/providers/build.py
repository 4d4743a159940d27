"""From a profile to a model: references resolved, the type found, what is missing said in one sentence."""

from collections.abc import Callable, Mapping
from pathlib import Path

from agent_lsp.domain.errors import NotConfigured
from agent_lsp.providers import catalog, key_ring
from agent_lsp.providers.adapting import AdaptingModel
from agent_lsp.providers.definitions import TYPES, ProviderType, type_named
from agent_lsp.providers.late import LateModel
from agent_lsp.providers.recorded_requests import RecordedRun
from agent_lsp.providers.recording import RecordingModel, Streaming
from agent_lsp.providers.secrets import Secrets, secrets_in_address
from agent_lsp.providers.seeing import SeeingModel
from agent_lsp.providers.service import ServiceModel
from agent_lsp.providers.transport import is_address, is_loopback
from agent_lsp.providers.windowed import WindowedModel
from agent_lsp.providers.xml_model import XmlModel
from agent_lsp.settings.model import Profile

REFERENCE = "$ENV:"


def build_model(
    profile: Profile,
    *,
    name: str,
    environment: Mapping[str, str],
    record_to: Path | None = None,
    learn: Callable[[str], None] = lambda _key: None,
    run: RecordedRun | None = None,
) -> Streaming:
    """Make the model that a profile describes; `name` is what the user calls the profile. Raises NotConfigured.

    `learn` is told, in any thread, a key that stands neither in the profile nor in the environment. `run` is shared by
    all models of one recording.
    """
    provider, resolved = _complete(profile, name, environment)
    reference = resolved.api_key or ""

    def recorded(model: Streaming, own: Profile) -> Streaming:
        if record_to is None:
            return model
        secrets = Secrets([*_keys(own), *(run.hidden() if run else ())])
        return RecordingModel(model, record_to, secrets, run=run)

    if not reference.startswith(key_ring.REFERENCE):
        return recorded(_built(provider, resolved, name), resolved)

    def make() -> Streaming:
        key = key_ring.key_at(reference)
        learn(key)
        with_key = resolved.model_copy(update={"api_key": key})
        _check(with_key, name)
        return recorded(_built(provider, with_key, name), with_key)

    return LateModel(catalog.facts(resolved), f"{provider.name}/{resolved.model}", make)


def _built(provider: ProviderType, resolved: Profile, name: str) -> Streaming:
    try:
        model = provider.build(resolved, Secrets(_keys(resolved)))
    except NotConfigured as problem:
        raise NotConfigured(f"Profile {name}: {problem}") from problem
    if isinstance(model, ServiceModel) and model.facts.sees_images:
        model = SeeingModel(model)
    if provider.window_sources and resolved.window is None and is_loopback(resolved.base_url or ""):
        model = WindowedModel(model, resolved, provider.window_sources)
    return _calling(provider, resolved, model)


def _keys(profile: Profile) -> tuple[str, ...]:
    return (profile.api_key or "", *profile.headers.values(), *secrets_in_address(profile.base_url or ""))


def _calling(provider: ProviderType, resolved: Profile, model: Streaming) -> Streaming:
    """Have the model call tools in the way that the profile says."""
    match resolved.tool_format:
        case "xml":
            return XmlModel(model)
        case "auto" if not provider.takes_tools(resolved):
            return AdaptingModel(model)
        case _:
            return model


def resolved_profile(profile: Profile, *, name: str, environment: Mapping[str, str]) -> Profile:
    """The profile with all that it need not say and refers to, but for keys in a ring. Raises NotConfigured."""
    return _complete(profile, name, environment)[1]


def problem_of(profile: Profile, *, name: str, environment: Mapping[str, str]) -> str | None:
    """Say why no model can be made of a profile, as far as that can be seen without a file or a network."""
    try:
        _complete(profile, name, environment)
    except NotConfigured as problem:
        return str(problem)
    return None


def _complete(profile: Profile, name: str, environment: Mapping[str, str]) -> tuple[ProviderType, Profile]:
    """Find the profile's type, and fill in what it refers to."""
    provider = _type_of(profile, name)
    resolved = _resolved(provider.completed(profile, environment), name, environment)
    for field in provider.needs:
        if not getattr(resolved, field):
            missing = f"Profile {name} has no {_shown(field)}, which type {provider.name} needs"
            raise NotConfigured(f"{missing}{_or_set(field, provider, profile)}.")
    _check(resolved, name)
    return provider, resolved


def _or_set(field: str, provider: ProviderType, profile: Profile) -> str:
    """Tell where else a field that is missing could have come from."""
    variables = [variable for named, variable in provider.variables if named == field]
    if field == "api_key" and provider.key_variable and profile.base_url is None:
        variables.append(provider.key_variable)
    return f": run `agent-lsp configure`, or set {' or '.join(variables)} in the environment" if variables else ""


def _type_of(profile: Profile, name: str) -> ProviderType:
    if provider := type_named(profile.type):
        return provider
    names = ", ".join(known.name for known in TYPES)
    problem = f"has the unknown type {profile.type}" if profile.type else "has no type"
    raise NotConfigured(f"Profile {name} {problem}; it must be one of {names}.")


def _resolved(profile: Profile, name: str, environment: Mapping[str, str]) -> Profile:
    def resolve(value: str, field: str) -> str:
        if not value.startswith(REFERENCE):
            return value
        variable = value.removeprefix(REFERENCE)
        # A line end that came along from a file is no part of a key.
        if found := environment.get(variable, "").strip():
            return found
        raise NotConfigured(f"Profile {name} takes its {field} from {variable}, which is not set in the environment.")

    fields = ("model", "api_key", "base_url", "region", "project", "file")
    given = {field: value for field in fields if (value := getattr(profile, field))}
    changes: dict[str, object] = {field: resolve(value, _shown(field)) for field, value in given.items()}
    changes["headers"] = {key.lower(): resolve(value, f"header {key}") for key, value in profile.headers.items()}
    return profile.model_copy(update=changes)


def _check(profile: Profile, name: str) -> None:
    if profile.base_url and not profile.base_url.startswith(("http://", "https://")):
        raise NotConfigured(f"Profile {name} has a baseURL that does not begin with http:// or https://.")
    if profile.base_url and not is_address(profile.base_url):
        raise NotConfigured(f"Profile {name} has a baseURL that is no address: look at its host and its port.")
    for field, value in {"apiKey": profile.api_key or "", **profile.headers}.items():
        if not value.isascii() or not value.isprintable():
            raise NotConfigured(f"Profile {name} has characters in its {field} that no HTTP header can carry.")


def _shown(field: str) -> str:
    """The field's name as the settings write it."""
    return Profile.model_fields[field].alias or field
