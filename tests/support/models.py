"""How tests ask a model: the request, the answer's events, and the reply they make."""

from collections.abc import AsyncIterable, Sequence
from typing import Any, Protocol

from agent_lsp.domain.history import Call, HistoryItem, Part, Reply, Spoken, Thought, Words
from agent_lsp.domain.model import (
    CallBegan,
    CallGrew,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ThoughtSealed,
    ToolSpec,
    UsageKnown,
)
from agent_lsp.domain.status import Usage
from agent_lsp.providers.definitions import type_named
from agent_lsp.providers.secrets import Secrets
from agent_lsp.providers.service import ServiceModel
from agent_lsp.settings.model import Profile
from support.model_server import ScriptedServer

READ_FILE = ToolSpec(
    "read_file",
    "Read a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)


class Streaming(Protocol):
    def stream(self, request: ModelRequest) -> AsyncIterable[Sequence[ModelEvent]]: ...


def profile_for(server: ScriptedServer, api: str, **fields: Any) -> Profile:
    given = {"type": api, "model": "test-model", "api_key": "test-key", "base_url": server.base_url(api)}
    return Profile.model_validate(given | fields)


def service_model(profile: Profile) -> ServiceModel:
    """What speaks to a profile's service, without all that makes up for what a service does not take."""
    provider = type_named(profile.type)
    assert provider
    model = provider.build(provider.completed(profile, {}), Secrets())
    assert isinstance(model, ServiceModel)
    return model


HELLO = Words(("hello",))
"""The first words of the task that requests belong to, unless they say otherwise."""


def request_of(
    *history: HistoryItem, system: str = "Be brief.", tools: tuple[ToolSpec, ...] = (READ_FILE,)
) -> ModelRequest:
    return ModelRequest(system, tools, list(history) or [HELLO])


async def batches_of(model: Streaming, request: ModelRequest | None = None) -> list[Sequence[ModelEvent]]:
    return [batch async for batch in model.stream(request or request_of())]


async def events_of(model: Streaming, request: ModelRequest | None = None) -> list[ModelEvent]:
    return [event for batch in await batches_of(model, request) for event in batch]


def parts_of(events: Sequence[ModelEvent]) -> list[Part]:
    """What an answer says, in order, however it was cut into events. Thoughts are there once they are sealed."""
    parts: list[Part] = []
    places: dict[int, int] = {}
    for event in events:
        match event:
            case TextDelta(text) if parts and isinstance(parts[-1], Spoken):
                parts[-1] = Spoken(parts[-1].text + text)
            case TextDelta(text):
                parts.append(Spoken(text))
            case ThoughtSealed(thought):
                parts.append(thought)
            case CallBegan(key, id_, name):
                places[key] = len(parts)
                parts.append(Call(id_, name, ""))
            case CallGrew(key, arguments):
                call = parts[places[key]]
                assert isinstance(call, Call)
                parts[places[key]] = Call(call.id, call.name, call.arguments + arguments)
            case _:
                pass
    return parts


def reply_of(events: Sequence[ModelEvent], origin: str = "") -> Reply:
    return Reply(tuple(parts_of(events)), origin)


def said(parts: Sequence[Part]) -> list[tuple[str, ...]]:
    """Parts as plain values, which compare whole."""
    plain: list[tuple[str, ...]] = []
    for part in parts:
        match part:
            case Spoken(text):
                plain.append(("say", text))
            case Thought(text):
                plain.append(("think", text))
            case Call(_, name, arguments):
                plain.append(("call", name, arguments))
    return plain


def usage_of(events: Sequence[ModelEvent]) -> Usage | None:
    """The usage as it stands at the end."""
    return next((event.usage for event in reversed(events) if isinstance(event, UsageKnown)), None)
