"""How tests decode a vendor's stream without a network."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

from agent_lsp.domain.model import ModelEvent
from agent_lsp.providers import chat_reader, messages_reader, responses_reader
from agent_lsp.providers.answer import Answer, CallIds
from agent_lsp.providers.decoder import Decoder
from support import model_script as script
from support.model_wires import STREAMS, Stream

READERS = {
    "anthropic": (messages_reader.MessagesReader, messages_reader.IGNORED),
    "openai": (chat_reader.ChatReader, chat_reader.IGNORED),
    "openai-responses": (responses_reader.ResponsesReader, responses_reader.IGNORED),
}


def decoder_of(api: str) -> Decoder:
    reader, ignored = READERS[api]
    minted = (f"minted_{n}" for n in count())
    answer = Answer(CallIds((), lambda: next(minted)), lambda usage: usage)
    return Decoder(reader(answer), answer, ignored)


def decoded(api: str, *pieces: bytes) -> list[ModelEvent]:
    decoder = decoder_of(api)
    events = [event for piece in pieces for event in decoder.feed(piece)]
    decoder.end()
    return events + decoder.take()


def stream_of(api: str, answer: script.Answer, model: str = "m") -> bytes:
    wires = STREAMS[api](Stream(answer, model, (f"id_{n}" for n in count())))
    return b"".join(wire for wire in wires if isinstance(wire, bytes))


def sse(*events: Any) -> bytes:
    return b"".join(b"data: " + (e if isinstance(e, bytes) else json.dumps(e).encode()) + b"\n\n" for e in events)


def shown(events: Sequence[ModelEvent]) -> list[str]:
    """Events as they print: a thought has no equality of its own."""
    return [repr(event) for event in events]
