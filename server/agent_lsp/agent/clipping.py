"""Texts made to fit: what a tool or the editor says must not be more than a model's window has room for."""

from dataclasses import replace

from agent_lsp.agent.ports import Tools
from agent_lsp.agent.sizes import IMAGE_BYTES, size_of_text
from agent_lsp.domain.history import Call, Words
from agent_lsp.domain.model import ToolSpec
from agent_lsp.domain.turns import After, Outcome

ANSWERED = "ask_followup_question"
"""The tool whose results are what the user says."""

_LEAST_BYTES = 1_000
"""What each result may have, however little room there is: a refusal, a line that says what was done."""


def clipped(text: str, most_bytes: int) -> str:
    """Cut the middle out of a text that is too large, and say so."""
    size = size_of_text(text)
    if size <= most_bytes:
        return text
    kept = len(text) * max(0, most_bytes - 160) // size
    head = kept * 2 // 3
    marker = f"\n\n[{len(text) - kept:,} of {len(text):,} characters are left out: the window has no room for more. "
    return f"{text[:head]}{marker}Ask for less at once.]\n\n{text[len(text) - (kept - head) :]}"


def fitted(words: Words, most_bytes: int) -> Words:
    """Words that take no more room than this; what stands first goes first."""
    texts, left = list[str](), most_bytes
    for text in words.texts:
        texts.append(clipped(text, max(left, _LEAST_BYTES)))
        left -= size_of_text(texts[-1])
    images = words.images if len(words.images) * IMAGE_BYTES <= left else ()
    if images != words.images:
        texts.append(f"[{len(words.images)} image(s) are left out: the window has no room for them.]")
    is_same = tuple(texts) == words.texts and images == words.images
    return words if is_same else replace(words, texts=tuple(texts), images=images)


class FittingTools:
    """The tools of one step, whose results together take no more room than this."""

    def __init__(self, tools: Tools, most_bytes: int) -> None:
        self._tools = tools
        self._left = most_bytes

    def specs(self) -> tuple[ToolSpec, ...]:
        return self._tools.specs()

    async def run(self, call: Call, *, has_failed_before: bool) -> Outcome:
        outcome = await self._tools.run(call, has_failed_before=has_failed_before)
        if call.name == ANSWERED or outcome.after is After.REJECTED:
            return outcome  # These are the user's own words.
        told = fitted(Words((outcome.text,), outcome.images), max(self._left, _LEAST_BYTES))
        self._left -= sum(map(size_of_text, told.texts)) + IMAGE_BYTES * len(told.images)
        return (
            outcome
            if told.texts == (outcome.text,)
            else replace(outcome, text=" ".join(told.texts), images=told.images)
        )
