"""How tests read calls that a model writes as text: tools, the reader fed in pieces, and what came of it."""

from collections.abc import Sequence
from typing import Any

from agent_lsp.domain.model import CallBegan, CallGrew, ModelEvent, StopReason, TextDelta, ThoughtDelta, ToolSpec
from agent_lsp.providers.answer import Answer, CallIds
from agent_lsp.providers.xml_calls import CallReader

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def tool(name: str, **properties: Any) -> ToolSpec:
    return ToolSpec(name, f"Does {name}.", {"type": "object", "properties": properties, "required": [*properties][:1]})


SUGGESTIONS = {"type": "array", "items": {"type": "object", "properties": {"text": TEXT, "mode": TEXT}}}
TOOLS = (
    tool("read_file", path=TEXT, offset=NUMBER),
    tool("write_to_file", path=TEXT, content=TEXT),
    tool("apply_diff", path=TEXT, diff=TEXT),
    tool("edit_file", path=TEXT, old_string=TEXT, new_string=TEXT),
    tool("execute_command", command=TEXT, background={"type": "boolean"}),
    tool("ask_followup_question", question=TEXT, follow_up=SUGGESTIONS),
    tool("tag_files", paths={"type": "array", "items": TEXT}),
)

Told = list[tuple[str, ...]]


def told(events: Sequence[ModelEvent]) -> Told:
    """What an answer says, thinks and calls, in order, however it was cut into events."""
    rows: list[list[str]] = []
    places: dict[int, int] = {}
    for event in events:
        match event:
            case TextDelta(text):
                _grow(rows, "say", text)
            case ThoughtDelta(text):
                _grow(rows, "think", text)
            case CallBegan(key, _, name):
                places[key] = len(rows)
                rows.append(["call", name, ""])
            case CallGrew(key, arguments):
                rows[places[key]][2] += arguments
            case _:
                pass
    return [tuple(row) for row in rows]


def read(text: str, size: int | None = None, *, is_strict: bool = False) -> Told:
    """Read a whole answer, in pieces of that many characters."""
    return told(events_of_text(text, size, is_strict=is_strict))


def events_of_text(text: str, size: int | None = None, *, is_strict: bool = False) -> list[ModelEvent]:
    answer = Answer(CallIds(()), lambda usage: usage)
    reader = CallReader(TOOLS, answer, is_strict=is_strict)
    events: list[ModelEvent] = []
    step = size or max(1, len(text))
    for start in range(0, len(text), step):
        reader.feed(text[start : start + step])
        events += answer.take()
    reader.end()
    answer.stop(StopReason.END)
    return [*events, *answer.take()]


def said_so_far(text: str, size: int, *, is_strict: bool) -> list[str]:
    """What is told of an answer before its end is."""
    answer = Answer(CallIds(()), lambda usage: usage)
    reader = CallReader(TOOLS, answer, is_strict=is_strict)
    for start in range(0, len(text), size):
        reader.feed(text[start : start + size])
    return [event.text for event in answer.take() if isinstance(event, TextDelta)]


def _grow(rows: list[list[str]], kind: str, text: str) -> None:
    if rows and rows[-1][0] == kind:
        rows[-1][1] += text
    else:
        rows.append([kind, text])
