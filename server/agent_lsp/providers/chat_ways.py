"""What vendors want of a Chat Completions request beyond the API that they all speak. Known by the model's name.

By the name, since the same models are offered by many: their rules stand in their templates and travel with them.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from agent_lsp.domain.encoding import Json
from agent_lsp.providers.encoding import fresh_id_of

_MISTRAL = re.compile(r"mistral|ministral|mixtral|devstral|codestral|magistral|pixtral", re.IGNORECASE)
_GEMINI = re.compile(r"gemini", re.IGNORECASE)

LONGEST_ID = 40
"""What OpenAI takes as the id of a call in this API; others take more."""


@dataclass(frozen=True, slots=True)
class ChatWays:
    """How a vendor's requests differ."""

    call_id: Callable[[str], str]
    """Makes an id, which another service may have made, one that this one takes."""
    bridge: str | None = None
    """What the model is made to say between results and the user's words, where a vendor wants them apart."""
    unsigned_call: Json | None = None
    """What a call is sent with that another model made, where a vendor wants calls signed."""


def ways_of(model: str) -> ChatWays:
    if _MISTRAL.search(model):
        return ChatWays(_nine_letters, bridge="I have read the results.")
    if _GEMINI.search(model):
        # The vendor's own word for calls that it has not made itself.
        signature = {"google": {"thought_signature": "skip_thought_signature_validator"}}
        return ChatWays(_short_id, unsigned_call={"extra_content": signature})
    return ChatWays(_short_id)


def _short_id(id_: str) -> str:
    """Leave an id alone that is short and plain: some models write sense into theirs, as in `functions.f:0`."""
    return id_ if re.fullmatch(rf"[!-~]{{1,{LONGEST_ID}}}", id_) else fresh_id_of(id_)


def _nine_letters(id_: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9]{9}", id_):
        return id_
    return sha256(id_.encode("utf-8", "replace")).hexdigest()[:9]
