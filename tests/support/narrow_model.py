"""A model with a small window: it counts tokens in its own way, and refuses what is too long in its vendor's words."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from support.model_requests import SeenReply, SeenRequest, SeenResult, SeenWords
from support.model_script import Answer, Figures, Part, Refusal, Say, Turn

SUMMARY_WANTED = "Write the summary now"
SUMMARY = "The user wants the files looked through. Nothing was decided. Next: read on where it stopped. " * 4

Count = Callable[[str], int]


def words_and_marks(text: str) -> int:
    """As tokenizers do it: short words are one token, long ones several, and so is each mark."""
    return len(re.findall(r"\w{1,6}|[^\w\s]", text))


def three_bytes(text: str) -> int:
    return len(text.encode()) // 3


def single_characters(text: str) -> int:
    """A tokenizer that knows no words at all."""
    return len(text) * 2 // 3


@dataclass
class NarrowModel:
    """Makes the answers of `step`, one after another; summarises when it is asked to."""

    window: int
    step: Callable[[int], Sequence[Part]]
    count: Count = words_and_marks
    summary: Callable[[int], Sequence[Part]] = lambda _number: [Say(SUMMARY)]
    tells_figures: bool = True
    done: int = 0
    refused: int = 0
    summaries: int = 0
    tokens_in: int = 0
    requests: list[SeenRequest] = field(default_factory=list)

    def play(self, index: int, request: SeenRequest) -> Turn:
        self.requests.append(request)
        tokens = self.tokens_of(request)
        answer = request.body.get("max_tokens") or request.body.get("max_output_tokens") or 0
        if tokens + answer > self.window:
            self.refused += 1
            return overflow(request.api, tokens, answer, self.window)
        self.tokens_in += tokens
        if wants_summary(request):
            self.summaries += 1
            parts = self.summary(self.summaries)
        else:
            parts = self.step(self.done)
            self.done += 1
        return Answer(tuple(parts), Figures(tokens, 50) if self.tells_figures else None, piece=400)

    def tokens_of(self, request: SeenRequest) -> int:
        tools = json.dumps(request.body.get("tools", []))
        return sum(map(self.count, (request.system, tools, *map(_text_of, request.items))))


def wants_summary(request: SeenRequest) -> bool:
    newest = request.items[-1] if request.items else None
    return isinstance(newest, SeenWords) and any(SUMMARY_WANTED in text for text in newest.texts)


def overflow(api: str, tokens: int, answer: int, window: int) -> Refusal:
    """What each vendor says of a request that is too long."""
    if api == "anthropic":
        told = f"prompt is too long: {tokens} tokens > {window} maximum"
        if tokens <= window:
            told = f"input length and `max_tokens` exceed context limit: {tokens} + {answer} > {window}, decrease input length"
        body = {"type": "error", "error": {"type": "invalid_request_error", "message": told}}
    else:
        told = f"This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens. Please reduce the length of the messages."
        if api == "openai-responses":
            told = "Your input exceeds the context window of this model. Please adjust your input and try again."
        error = {
            "message": told,
            "type": "invalid_request_error",
            "param": "messages",
            "code": "context_length_exceeded",
        }
        body = {"error": error}
    return Refusal(400, body=json.dumps(body).encode())


def _text_of(item: SeenWords | SeenReply | SeenResult) -> str:
    match item:
        case SeenWords(texts, images):
            return " ".join(texts) + " image" * 1_000 * images
        case SeenReply(text, calls):
            return " ".join([text, *(f"{call.name} {json.dumps(call.arguments)}" for call in calls)])
        case SeenResult(_, text, images):
            return text + " image" * 1_000 * images
