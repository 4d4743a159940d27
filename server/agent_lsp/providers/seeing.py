"""A model of which nobody knows beforehand whether it sees: pictures that its service refuses are left out.

A task would never go on otherwise, since its history keeps them, and each request would be refused again.
"""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from enum import Enum, auto
from weakref import WeakKeyDictionary

from agent_lsp.domain.errors import ContextOverflow, ModelFault
from agent_lsp.domain.history import HistoryItem, Reply, Result, Words
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest
from agent_lsp.providers.adapting import refuses_tools
from agent_lsp.providers.encoding import IMAGE_LEFT_OUT
from agent_lsp.providers.recording import Streaming

_WORDS = r"(?:image|picture|vision|visual|multi-?modal|mmproj)"
_NAMED = re.compile(rf"(?<![a-z_])(?:input_)?{_WORDS}", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!\w)(['\"`])([^\s'\"`]{1,200})\1(?!\w)")
_PART = re.compile(
    r"(?:^|[.\[])(?:input_)?image(?:s|_urls?)?(?:$|[.\]])|^image/|^(?:vision|visual|multi-?modal)$", re.IGNORECASE
)
"""What is quoted and means a picture; anything else that is quoted is the name of a model or a tool."""
_NAME_OF_A_MODEL = re.compile(
    r"(?<![\w./-])(?!image/)(?=[a-z_./-]*\d)[\w.]+(?:[-/][\w.]+)+(?::[\w.-]+)?", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_ABOUT_ONE = re.compile(
    r"too (?:large|big|small|many|long)|exceed|at most [1-9]|dimension|pixel|resolution|format|media.?type|mime"
    r"|decod|base64|corrupt|damaged|truncated|image/(?:png|jpe?g|webp|gif|avif|heic|bmp|tiff|svg)|image type"
    r"|(?:could not|couldn't|unable to|failed to) (?:process|read|load|open|fetch|download)|invalid image|image data",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"(?:not|n't) (?:be )?(?:\w+ )?(?:support|enabl|available|allow|accept|permit|loaded|see\b|a (?:vision|multi))"
    r"|(?:cannot|can't) (?:be )?(?:process|handle|accept|take|see\b)|(?:no|without) (?:vision|visual|multi)"
    r"|unsupported|text.only|only (?:\w+ )?(?:support|accept|text)|no endpoints|at most 0|unknown variant"
    r"|invalid (?:value|type|content type):|not match any|should be .text\b|mmproj|missing data",
    re.IGNORECASE,
)
_WANTS_TEXT = re.compile(
    # About a message or its content as a whole, not about a field of it, nor what a tool calls so.
    r"(?!.*\btools\W{1,3}\d)(?=.*(?:\bcontent\b|messages\W{1,3}\d+(?:[\])](?![.\[])|:)))"
    r".*(?:must be a string|should be a valid string|invalid type: (?:sequence|list|array)"
    r"|expected (?:a )?string(?!.{0,20}\b(?:number|integer|int|float|bool|boolean|null|none|object)\b))",
    re.IGNORECASE | re.DOTALL,
)
"""Who takes one text alone as content is sent a list of parts for nothing but pictures."""
_OF_OTHER_THINGS = (401, 402, 403, 408, 409, 425, 429, 502, 503, 504, 529)
_REFUSED = "[An image was left out: the service refused it.]"

BLIND = (
    "The service takes no pictures for this model, so they are left out from now on "
    '(a profile with "seesImages": false does so from the start).'
)
SPOILT = "The service refused a picture, so those of the task so far are left out from now on."


class Refused(Enum):
    """What of a request's pictures a service does not take."""

    ALL = auto()
    """The model does not see."""
    THESE = auto()
    """Something is wrong with one of them: it is too large, or spoilt."""


def refused_pictures(fault: ModelFault, model: str = "") -> Refused | None:
    """Whether a service refused a request for its pictures; each has words of its own for it.

    What it calls the `model` says nothing of it: one that sees is refused for other things.
    """
    if isinstance(fault, ContextOverflow) or fault.status in _OF_OTHER_THINGS or refuses_tools(fault):
        return None
    text, is_refusal = _without_names(str(fault), model), fault.status is not None and 400 <= fault.status < 500
    if is_refusal and _WANTS_TEXT.match(text):
        return Refused.ALL
    named = [sentence for sentence in _SENTENCE_END.split(text) if _NAMED.search(sentence)]
    is_unseen = any(map(_UNSEEN.search, named))
    # What is no refusal by its status has to say more: a service may have failed over a picture, and pass.
    if named and (is_refusal or is_unseen) and _ABOUT_ONE.search(text):
        return Refused.THESE
    return Refused.ALL if is_unseen else None


def _without_names(text: str, model: str) -> str:
    if model:
        text = re.sub(rf"(?<!\w){re.escape(model)}(?!\w)", " ", text)
    text = _QUOTED.sub(lambda found: found[0] if _means_pictures(found[2]) else " ", text)
    return _NAME_OF_A_MODEL.sub(" ", text)


def _means_pictures(quoted: str) -> bool:
    return not re.search(_WORDS, quoted, re.IGNORECASE) or _PART.search(quoted) is not None


class SeeingModel:
    """What was learnt of the service holds for as long as this model is used."""

    def __init__(self, model: Streaming) -> None:
        self._model = model
        self._is_blind = False
        self._without: WeakKeyDictionary[HistoryItem, HistoryItem] = WeakKeyDictionary()
        """What is told in place of items whose pictures were refused; writers keep what they made of it."""

    @property
    def facts(self) -> ModelFacts:
        facts = self._model.facts
        return replace(facts, sees_images=False) if self._is_blind else facts

    @property
    def origin(self) -> str:
        return self._model.origin

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        told = self._told(request)
        try:
            async with aclosing(self._model.stream(told)) as batches:
                async for events in batches:
                    yield events
        except ModelFault as fault:
            refused = refused_pictures(fault, self.facts.name) if _pictured(told.history) else None
            if refused is None:
                raise
            # Passing, since the next attempt goes without: that the user sees this, and waits a second, is meant.
            raise ModelFault(
                f"{self._leave_out(refused, told)} {fault}", is_passing=True, status=fault.status
            ) from fault

    async def aclose(self) -> None:
        await self._model.aclose()

    def _leave_out(self, refused: Refused, told: ModelRequest) -> str:
        if refused is Refused.ALL:
            self._is_blind = True
            return BLIND
        for item in _pictured(told.history):
            self._without[item] = _without_pictures(item, _REFUSED)
        return SPOILT

    def _told(self, request: ModelRequest) -> ModelRequest:
        if not self._is_blind and not self._without:
            return request
        return replace(request, history=[self._shown(item) for item in request.history])

    def _shown(self, item: HistoryItem) -> HistoryItem:
        if self._is_blind and item not in self._without and _has_pictures(item):
            self._without[item] = _without_pictures(item, IMAGE_LEFT_OUT)
        return self._without.get(item, item)


def _pictured(history: Sequence[HistoryItem]) -> list[HistoryItem]:
    return [item for item in history if _has_pictures(item)]


def _has_pictures(item: HistoryItem) -> bool:
    return not isinstance(item, Reply) and bool(item.images)


def _without_pictures(item: HistoryItem, note: str) -> HistoryItem:
    match item:
        case Words(texts, images):
            return replace(item, texts=(*texts, *(note for _ in images)), images=())
        case Result(text=text, images=images):
            return replace(item, text="\n\n".join([text, *(note for _ in images)]), images=())
        case Reply():
            return item
