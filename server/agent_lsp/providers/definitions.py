"""The types of provider there are. Each is one object in the table; nothing elsewhere asks for a type's name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import NotConfigured
from agent_lsp.providers import catalog, chat_reader, messages_reader, responses_reader
from agent_lsp.providers.chat_writer import ChatWriter
from agent_lsp.providers.direct import DirectTransport
from agent_lsp.providers.encoding import BodyWriter, Writer
from agent_lsp.providers.messages_writer import MessagesWriter
from agent_lsp.providers.recording import Streaming
from agent_lsp.providers.replay import ReplayModel
from agent_lsp.providers.responses_writer import ResponsesWriter
from agent_lsp.providers.sdk import Opened, SdkTransport, open_anthropic, open_openai
from agent_lsp.providers.secrets import Secrets
from agent_lsp.providers.service import Listening, Patience, ServiceModel
from agent_lsp.providers.transport import Endpoint, Transport
from agent_lsp.settings.model import Profile


@dataclass(frozen=True, slots=True)
class ProviderType:
    """A kind of provider: what a profile of it must say, and how a model is made of it.

    `build` is given a profile whose references are resolved and whose needed fields are there.
    """

    name: str
    needs: tuple[str, ...]
    build: Callable[[Profile, Secrets], Streaming]
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Service:
    """A vendor's API. `parameters` are the fields of a request that a profile decides."""

    name: str
    base_url: str
    path: str
    signing: Callable[[str], Mapping[str, str]]
    """The headers by which the API knows a key."""
    parameters: Callable[[Profile], Json]
    writer: Callable[[Json, str, bool], Writer]
    listening: Listening
    open_client: Callable[[Endpoint], Opened] = field(repr=False)

    def build(self, profile: Profile, secrets: Secrets) -> Streaming:
        facts = catalog.facts(profile)
        tariff = catalog.tariff(profile)
        origin = f"{self.name}/{profile.model}"
        return ServiceModel(
            facts=facts,
            origin=origin,
            bodies=BodyWriter(self.writer(self.parameters(profile), origin, facts.sees_images)),
            listening=self.listening,
            transport=self._transport(profile),
            patience=Patience(profile.first_byte_seconds, profile.between_bytes_seconds),
            price=lambda usage: catalog.priced(usage, tariff),
            secrets=secrets,
        )

    def _transport(self, profile: Profile) -> Transport:
        key = profile.api_key or ""
        endpoint = Endpoint(profile.base_url or self.base_url, self.path, key, profile.headers)
        if profile.transport == "sdk":
            return SdkTransport(endpoint, self.open_client)
        return DirectTransport(endpoint, self.signing(key))


def _bearer(key: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {key}"}


def _anthropic_signing(key: str) -> Mapping[str, str]:
    # The version that every gateway to this API knows; the key's own header, for the same reason.
    return {"x-api-key": key, "anthropic-version": "2023-06-01"}


def _messages_parameters(profile: Profile) -> Json:
    most = catalog.facts(profile).max_output
    parameters: Json = {"model": profile.model, "max_tokens": most}
    if profile.thinking_budget:
        if profile.thinking_budget >= most:
            raise NotConfigured(f"thinkingBudget must be below maxOutput, which is {most}.")
        parameters["thinking"] = {"type": "enabled", "budget_tokens": profile.thinking_budget}
    elif profile.effort:
        parameters["thinking"] = {"type": "adaptive", "display": "summarized"}
    if profile.effort:
        parameters["output_config"] = {"effort": profile.effort}
    return parameters


def _chat_parameters(profile: Profile) -> Json:
    parameters: Json = {"model": profile.model}
    if profile.max_output:
        # OpenAI's own models want the new name of this field, compatible servers know the old one.
        name = "max_tokens" if profile.base_url else "max_completion_tokens"
        parameters[name] = profile.max_output
    return parameters | ({"reasoning_effort": profile.effort} if profile.effort else {})


def _responses_parameters(profile: Profile) -> Json:
    parameters: Json = {"model": profile.model}
    if profile.max_output:
        parameters["max_output_tokens"] = profile.max_output
    if profile.effort:
        parameters["reasoning"] = {"effort": profile.effort, "summary": "auto"}
    if profile.effort or catalog.known(profile.model).has_reasoning:
        # Refused for models that do not reason.
        parameters["include"] = ["reasoning.encrypted_content"]
    return parameters


def _build_replay(profile: Profile, _: Secrets) -> Streaming:
    return ReplayModel(Path(profile.file or "").expanduser())


_ANTHROPIC = Service(
    name="anthropic",
    base_url="https://api.anthropic.com",
    path="/v1/messages",
    signing=_anthropic_signing,
    parameters=_messages_parameters,
    writer=lambda parameters, origin, sees: MessagesWriter(parameters, origin, sees_images=sees),
    listening=Listening(messages_reader.MessagesReader, messages_reader.IGNORED),
    open_client=open_anthropic,
)

_CHAT = Service(
    name="openai",
    base_url="https://api.openai.com/v1",
    path="/chat/completions",
    signing=_bearer,
    parameters=_chat_parameters,
    writer=lambda parameters, origin, sees: ChatWriter(parameters, origin, sees_images=sees),
    listening=Listening(chat_reader.ChatReader, chat_reader.IGNORED),
    open_client=open_openai,
)

_RESPONSES = Service(
    name="openai-responses",
    base_url="https://api.openai.com/v1",
    path="/responses",
    signing=_bearer,
    parameters=_responses_parameters,
    writer=lambda parameters, origin, sees: ResponsesWriter(parameters, origin, sees_images=sees),
    listening=Listening(responses_reader.ResponsesReader, responses_reader.IGNORED),
    open_client=open_openai,
)

_SERVICE_NEEDS = ("model", "api_key")

TYPES = (
    ProviderType(_ANTHROPIC.name, _SERVICE_NEEDS, _ANTHROPIC.build),
    ProviderType(_CHAT.name, _SERVICE_NEEDS, _CHAT.build, aliases=("openai-compatible",)),
    ProviderType(_RESPONSES.name, _SERVICE_NEEDS, _RESPONSES.build),
    ProviderType("replay", ("file",), _build_replay),
)
