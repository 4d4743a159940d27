"""Whether an error says that a request was too long for the model. Each service has words of its own for that."""

import re
from dataclasses import dataclass

_KINDS = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "exceed_context_size_error",
        "model_max_prompt_tokens_exceeded",
        "request_too_large",
    }
)

_LIMIT = r"\D{0,40}?(\d[\d,]*)"
# The one group of a pattern is the window.
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Anthropic, also on Bedrock and Vertex.
        r"prompt is too long(?:: \d+ tokens > (\d[\d,]*))?",
        r"input length and `?max_tokens`? exceed context limit: \d+ \+ \d+ > (\d[\d,]*)",
        r"input is too long for (?:the )?requested model",
        r"request exceeds the maximum size",
        # OpenAI, and who writes as they do: DeepSeek, OpenRouter, vLLM, SGLang, Fireworks.
        r"maximum (?:context|prompt) length(?: is| of|:)" + _LIMIT,
        r"exceeds? the (?:model'?s? )?context (?:window|length)",
        r"reduce the length of (?:the |your |either )?(?:messages|input|prompt|one)",
        r"messages?\b.{0,60}(?:string|array) too long|'(?:input|messages)[^']*': (?:string|array) too long",
        # Gemini.
        r"input token count(?: \(\d+\))? exceeds the maximum number of tokens allowed(?: \(?(\d[\d,]*))?",
        # Mistral.
        r"too large for model with (\d[\d,]*) maximum context length",
        # Groq and OpenAI, where one request alone is more than a minute's allowance: waiting does not help it.
        r"request too large for .*?tokens per min.*?limit (\d[\d,]*), requested \d+",
        # Copilot; Moonshot; Zhipu; MiniMax; Qwen; Cohere; watsonx.
        r"prompt token count of \d+ exceeds the limit of (\d[\d,]*)",
        r"exceeded model token limit(?:: (\d[\d,]*))?",
        r"prompt exceeds (?:the )?max(?:imum)? length",
        r"context window exceeds limit",
        r"range of input length should be \[\d+, (\d[\d,]*)\]",
        r"total number of tokens in the prompt cannot exceed (\d[\d,]*)",
        r"number of input tokens \d+ cannot exceed the total tokens limit (\d[\d,]*)",
        # Hugging Face, also Together.
        r"`?inputs`? tokens \+ `?max_new_tokens`? must be <= (\d[\d,]*)",
        # Programs on the user's own machine: llama.cpp, LM Studio, Ollama, vLLM, SGLang.
        r"exceeds the available context size(?: \((\d[\d,]*))?",
        r"context (?:length|size) (?:of |is )(?:only )?(\d[\d,]*) tokens",
        r"greater than the context length",
        r"(?:input length|prompt) exceeds (?:the )?(?:maximum )?context length",
        r"prompt too long; exceeded max(?:imum)? context length",
        r"longer than the maximum model length of (\d[\d,]*)",
        r"longer than the model'?s context length \((\d[\d,]*)",
        # Whoever stands between.
        r"ContextWindowExceeded|context_length_exceeded|exceed_context_size|context window (?:is |was )?exceeded",
    )
)

_RATES = re.compile(r"per[ -](?:second|minute|min|hour|day)\b|rate.?limit|please wait|throttl", re.IGNORECASE)
"""Words of a limit over time, which a pause helps."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """`window` is what the model takes, in tokens, where the service says so."""

    window: int | None = None


def overflow_of(kind: str, message: str, status: int | None) -> Overflow | None:
    """Read an error's kind and words; None where it is about something else than the length of the request."""
    text = f"{kind} {message}"
    found = [match for pattern in _PATTERNS if (match := pattern.search(text))]
    if windows := [int(window.replace(",", "")) for match in found for window in match.groups() if window]:
        return Overflow(windows[0])
    if status == 429 or (_RATES.search(text) and kind not in _KINDS):
        return None
    return Overflow() if found or kind in _KINDS or status == 413 else None
