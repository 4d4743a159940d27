"""Asks the model for a summary of what it was told so far.

The request begins as all others of the task do: what the service has cached of that is used again, and costs little.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent_lsp.agent.ask import CAPPED, Heard, ask
from agent_lsp.agent.clipping import clipped
from agent_lsp.agent.measuring import Measured, expected_tokens, size_of_request
from agent_lsp.agent.ports import Emit, Ports
from agent_lsp.agent.sizes import size_of_text
from agent_lsp.domain.events import Event, RetryDelayed, StepEnded, StepStarted
from agent_lsp.domain.history import HistoryItem, Words
from agent_lsp.domain.model import StopReason
from agent_lsp.domain.status import Usage
from agent_lsp.domain.turns import RequestFailed

WANTED = """\
Stop here for a moment. To make room, all of the above is about to be replaced by a summary, and you will go on from \
that and from the newest steps alone. Write the summary now, for yourself: plain text, no tool call, {words} words at \
most. It must hold
- what the user wants: every wish, correction and limit of theirs, in their own words where those matter;
- what was decided and why, and what was tried and did not work;
- each file that still matters: its path, and what of it you need to go on (names, signatures, places; no whole texts);
- commands that matter and what came of them; errors, and how they were mended;
- how far the work is, what is left, and the very next step.
Write only what you have seen. What is not in it is forgotten."""
ASKED_FOR = "\nOf this summary the user wants: {instructions}"
AGAIN = "\nYou called a tool instead, which was not run. Answer with the summary, as text."

_SHORTEST = 20
"""Fewer characters than this say nothing."""
_BYTES_A_WORD = 7
_WRAPPED = re.compile(r"<summary>(.*?)(?:</summary>|$)", re.DOTALL | re.IGNORECASE)
_THOUGHTS = re.compile(r"<(analysis|thinking)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_CUT = "\n[The summary was cut off here.]"


@dataclass(frozen=True, slots=True)
class Summary:
    text: str
    usage: Usage
    """Of all requests that it took."""


@dataclass(frozen=True, slots=True)
class NoSummary:
    """`is_overflow`: what was to be summarised is itself too long for the model."""

    reason: str
    is_overflow: bool = False
    window: int | None = None


async def summarise(
    history: Sequence[HistoryItem], instructions: str, most_bytes: int, ports: Ports, emit: Emit
) -> Summary | NoSummary:
    """Ask for the summary; once more if the model does something else instead."""
    wanted = WANTED.format(words=max(100, min(2_000, most_bytes // _BYTES_A_WORD)))
    if instructions.strip():
        wanted += ASKED_FOR.format(instructions=instructions.strip())
    quiet = _Quiet(emit)
    for words in (wanted, wanted + AGAIN):
        asked = [*history, Words((words,))]
        heard = await ask(asked, ports, Measured(size_of_request(asked, ports), ports, quiet))
        if isinstance(heard, RequestFailed):
            return NoSummary(heard.message, heard.is_overflow, heard.window)
        text = _text_of(heard, most_bytes)
        if len(text) >= _SHORTEST:
            return Summary(text, quiet.usage)
        if ports.surroundings.limit_reached(expected_tokens(asked, ports)):
            return NoSummary(CAPPED)
    return NoSummary("The model wrote no summary, though it was asked twice.")


def _text_of(heard: Heard, most_bytes: int) -> str:
    text = _THOUGHTS.sub("", heard.reply.text)
    if wrapped := _WRAPPED.search(text):
        text = wrapped[1]
    text = text.strip()
    if heard.stop is StopReason.LENGTH:
        # Half a line may say the opposite of the whole.
        text = (text[: text.rfind("\n")] if "\n" in text else text) + _CUT
    return clipped(text, most_bytes) if size_of_text(text) > most_bytes else text


class _Quiet:
    """Lets a request be seen and counted, but not the text that comes back: that is no message of the model's."""

    def __init__(self, emit: Emit) -> None:
        self.usage = Usage()
        self._emit = emit

    def __call__(self, event: Event) -> None:
        match event:
            case StepEnded(usage=usage):
                self.usage += usage or Usage(cost=None if event.cancel_reason is None else 0.0)
                self._emit(event)
            case StepStarted() | RetryDelayed():
                self._emit(event)
            case _:
                pass
