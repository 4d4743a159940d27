"""The APIs that models are reached by: what each wants of a request, and how a model is made that speaks it.

Who offers an API, and where, is the table in `definitions.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import NotConfigured
from agent_lsp.providers import catalog, chat_reader, messages_reader, responses_reader
from agent_lsp.providers.chat_ways import ways_of
from agent_lsp.providers.chat_writer import ChatWriter
from agent_lsp.providers.direct import DirectTransport
from agent_lsp.providers.encoding import CACHE_KEY, BodyWriter, Writer
from agent_lsp.providers.messages_writer import MessagesWriter
from agent_lsp.providers.recording import Streaming
from agent_lsp.providers.responses_writer import ResponsesWriter
from agent_lsp.providers.sdk import Opened, SdkTransport, open_anthropic, open_openai
from agent_lsp.providers.secrets import Secrets
from agent_lsp.providers.service import Listening, Patience, ServiceModel
from agent_lsp.providers.transport import Endpoint, Transport
from agent_lsp.settings.model import Profile

ANTHROPIC_URL = "https://api.anthropic.com"
OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Service:
    """An API at one address. `parameters` are the fields of a request that a profile decides."""

    name: str
    """The provider's: thoughts that were sealed by one are not shown to another."""
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
            price=lambda usage: catalog.priced(usage, tariff) if tariff else usage,
            secrets=secrets,
        )

    def _transport(self, profile: Profile) -> Transport:
        key = profile.api_key or ""
        endpoint = Endpoint(profile.base_url or self.base_url, self.path, key, profile.headers)
        if profile.transport == "sdk":
            return SdkTransport(endpoint, self.open_client)
        return DirectTransport(endpoint, self.signing(key))


def bearer(key: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {key}"}


def anthropic_signing(key: str) -> Mapping[str, str]:
    # The version that every gateway to this API knows; the key's own header, for the same reason.
    return {"x-api-key": key, "anthropic-version": "2023-06-01"}


def _azure_signing(key: str) -> Mapping[str, str]:
    return {"api-key": key}


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
    if not _is_vendors_own(profile):
        return compatible_chat_parameters(profile)
    return newest_chat_parameters(profile) | {CACHE_KEY: ""}


def _is_vendors_own(profile: Profile) -> bool:
    """Whether it is OpenAI itself that is asked: others refuse what they do not know."""
    return profile.base_url in (None, OPENAI_URL)


def newest_chat_parameters(profile: Profile) -> Json:
    """What OpenAI's own models want: there the limit of an answer has a new name."""
    return _chat_parameters_with("max_completion_tokens", profile)


def compatible_chat_parameters(profile: Profile) -> Json:
    """What compatible servers know."""
    return _chat_parameters_with("max_tokens", profile)


def _chat_parameters_with(limit: str, profile: Profile) -> Json:
    parameters: Json = {"model": profile.model}
    if profile.max_output:
        parameters[limit] = profile.max_output
    return parameters | ({"reasoning_effort": profile.effort} if profile.effort else {})


def _responses_parameters(profile: Profile) -> Json:
    if not _is_vendors_own(profile):
        return _responses_parameters_with(profile, reasons=catalog.known(profile.model).has_reasoning)
    return _newest_responses_parameters(profile) | {CACHE_KEY: ""}


def _newest_responses_parameters(profile: Profile) -> Json:
    """What OpenAI's own models want: a model that is not known is a newer one, or goes by a name of the user's."""
    model = catalog.known(profile.model)
    return _responses_parameters_with(profile, reasons=model.has_reasoning or model is catalog.UNKNOWN)


def _responses_parameters_with(profile: Profile, *, reasons: bool) -> Json:
    parameters: Json = {"model": profile.model}
    if profile.max_output:
        parameters["max_output_tokens"] = profile.max_output
    if profile.effort:
        parameters["reasoning"] = {"effort": profile.effort, "summary": "auto"}
    if profile.effort or reasons:
        # Where the model does not, this is refused, and then left out.
        parameters["include"] = ["reasoning.encrypted_content"]
    return parameters


ANTHROPIC = Service(
    name="anthropic",
    base_url=ANTHROPIC_URL,
    path="/v1/messages",
    signing=anthropic_signing,
    parameters=_messages_parameters,
    writer=lambda parameters, origin, sees: MessagesWriter(parameters, origin, sees_images=sees),
    listening=Listening(messages_reader.MessagesReader, messages_reader.IGNORED),
    open_client=open_anthropic,
)

CHAT = Service(
    name="openai",
    base_url=OPENAI_URL,
    path="/chat/completions",
    signing=bearer,
    parameters=_chat_parameters,
    writer=lambda parameters, origin, sees: ChatWriter(
        parameters, origin, ways_of(parameters["model"]), sees_images=sees
    ),
    listening=Listening(chat_reader.ChatReader, chat_reader.IGNORED),
    open_client=open_openai,
)

RESPONSES = Service(
    name="openai-responses",
    base_url=OPENAI_URL,
    path="/responses",
    signing=bearer,
    parameters=_responses_parameters,
    writer=lambda parameters, origin, sees: ResponsesWriter(parameters, origin, sees_images=sees),
    listening=Listening(responses_reader.ResponsesReader, responses_reader.IGNORED),
    open_client=open_openai,
)

AZURE_RESPONSES = replace(
    RESPONSES,
    name="azure-responses",
    base_url="",
    signing=_azure_signing,
    parameters=_newest_responses_parameters,
)

AZURE = replace(
    CHAT,
    name="azure",
    base_url="",
    signing=_azure_signing,
    parameters=newest_chat_parameters,
    open_client=open_openai,
)


def compatible(name: str) -> Service:
    """The Chat Completions API as others than OpenAI offer it, at the address that the profile says."""
    return replace(CHAT, name=name, base_url="", parameters=compatible_chat_parameters)
