"""Requests that are too long, in the words of the services that say so, and what only sounds like it."""

import json

import pytest

from agent_lsp.domain.errors import ContextOverflow
from agent_lsp.providers import faults
from agent_lsp.providers.overflow import Overflow, overflow_of

TOO_LONG = [
    # Anthropic, and where else its models are.
    (400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum", 200_000),
    (400, "invalid_request_error", "prompt is too long", None),
    (
        400,
        "invalid_request_error",
        (
            "input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000, "
            "decrease input length or `max_tokens` and try again"
        ),
        200_000,
    ),
    (413, "request_too_large", "Request exceeds the maximum size", None),
    (400, "ValidationException", "Input is too long for requested model.", None),
    (400, "", "The model returned the following errors: Input is too long for requested model", None),
    # OpenAI, Azure, and who writes as they do.
    (
        400,
        "context_length_exceeded",
        (
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130211 tokens "
            "(129000 in the messages, 1211 in the functions). Please reduce the length of the messages or functions."
        ),
        128_000,
    ),
    (
        400,
        "context_length_exceeded",
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        None,
    ),
    (None, "context_length_exceeded", "Your input exceeds the context window of this model.", None),
    (
        400,
        "string_above_max_length",
        "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576.",
        None,
    ),
    (
        400,
        "array_above_max_length",
        "Invalid 'input': array too long. Expected an array with maximum length 2048.",
        None,
    ),
    (
        400,
        "invalid_request_error",
        (
            "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens "
            "(61808 in the messages, 8192 in the completion). Please reduce the length of the messages or completion."
        ),
        65_536,
    ),
    (
        400,
        "",
        (
            "This endpoint's maximum context length is 32768 tokens. However, you requested about 40213 tokens. "
            'Please reduce the length of either one, or use the "middle-out" transform.'
        ),
        32_768,
    ),
    (400, "", "This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 131_072),
    (400, "", "The prompt is too long: 150000, model maximum context length: 131071", 131_071),
    # Vendors with words of their own.
    (
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        1_048_576,
    ),
    (
        400,
        "",
        "The input token count exceeds the maximum number of tokens allowed 1048576.",
        1_048_576,
    ),
    (
        400,
        "3051",
        "Prompt contains 40213 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        32_768,
    ),
    (
        413,
        "rate_limit_exceeded",
        (
            "Request too large for model `openai/gpt-oss-120b` in organization `o` service tier `on_demand` on tokens per "
            "minute (TPM): Limit 8000, Requested 9213, please reduce your message size and try again."
        ),
        8000,
    ),
    (
        429,
        "rate_limit_exceeded",
        (
            "Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 30000, Requested 40213. "
            "The input or output tokens must be reduced in order to run successfully."
        ),
        30_000,
    ),
    (
        400,
        "context_length_exceeded",
        "Please reduce the length of the messages or completion. Current length is 9213 while limit is 8192",
        None,
    ),
    (
        400,
        "model_max_prompt_tokens_exceeded",
        "prompt token count of 130213 exceeds the limit of 128000",
        128_000,
    ),
    (
        400,
        "invalid_request_error",
        "Invalid request: Your request exceeded model token limit: 8192 (requested: 9213)",
        8192,
    ),
    (400, "", "The maximum context length is 131,072 tokens, but 140,000 were requested.", 131_072),
    (400, "1261", "Prompt exceeds max length", None),
    (400, "", "invalid params, context window exceeds limit (2013)", None),
    (
        400,
        "InvalidParameter",
        "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]",
        98_304,
    ),
    (
        400,
        "",
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.",
        4081,
    ),
    (
        400,
        "invalid_input_argument",
        "the number of input tokens 9213 cannot exceed the total tokens limit 8192 for this model",
        8192,
    ),
    (
        422,
        "validation",
        (
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. "
            "Given: 4088 `inputs` tokens and 512 `max_new_tokens`"
        ),
        4097,
    ),
    # Programs on the user's own machine.
    (
        400,
        "exceed_context_size_error",
        "the request exceeds the available context size (8192 tokens), try increasing it",
        8192,
    ),
    (
        500,
        "server_error",
        "the request exceeds the available context size. try increasing the context size or enable context shift",
        None,
    ),
    (
        400,
        "",
        (
            "Trying to keep the first 5213 tokens when context the overflows. However, the model is loaded with context "
            "length of only 4096 tokens, which is not enough."
        ),
        4096,
    ),
    (
        400,
        "",
        (
            "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the "
            "model with a larger context length, or provide a shorter input"
        ),
        None,
    ),
    (400, "", "Reached context length of 4096 tokens with model, but this model does not support more", 4096),
    (400, "invalid_request_error", "the input length exceeds the context length", None),
    (400, "api_error", "prompt too long; exceeded max context length by 312 tokens", None),
    (
        400,
        "BadRequestError",
        "The decoder prompt (length 5213) is longer than the maximum model length of 4096.",
        4096,
    ),
    (
        400,
        "BadRequestError",
        "The input (5213 tokens) is longer than the model's context length (4096 tokens).",
        4096,
    ),
    (
        400,
        "BadRequestError",
        (
            "You passed 4097 input tokens and requested 0 output tokens. However, the model's context length is only 4096 "
            "tokens, resulting in a maximum input length of 4096 tokens. Please reduce the length of the input prompt."
        ),
        4096,
    ),
    # Whoever stands between.
    (400, "ContextWindowExceededError", "litellm.BadRequestError: the request failed", None),
    (413, "", "", None),
    (413, "", "Payload Too Large", None),
]

SOUNDS_LIKE_IT = [
    (
        429,
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
    ),
    (429, "rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"),
    (
        429,
        "rate_limit_exceeded",
        (
            "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. "
            "Please try again in 2s."
        ),
    ),
    (None, "ThrottlingException", "Too many tokens, please wait before trying again."),
    (429, "", "Too many tokens per day, please wait before trying again."),
    (
        400,
        "invalid_request_error",
        "max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens for this model",
    ),
    (
        400,
        "invalid_request_error",
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
    ),
    (400, "array_above_max_length", "Invalid 'tools': array too long. Expected an array with maximum length 128."),
    (400, "string_too_long", "Invalid 'tools[0].function.name': string too long. Expected maximum length 64."),
    (
        400,
        "invalid_request_error",
        "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6213404 bytes",
    ),
    (401, "authentication_error", "invalid x-api-key"),
    (404, "not_found_error", "model: claude-1"),
    (500, "api_error", "Internal server error"),
    (529, "overloaded_error", "Overloaded"),
]


@pytest.mark.parametrize(("status", "kind", "message", "window"), TOO_LONG)
def test_a_request_that_is_too_long_is_known_as_one(
    status: int | None, kind: str, message: str, window: int | None
) -> None:
    assert overflow_of(kind, message, status) == Overflow(window)


@pytest.mark.parametrize(("status", "kind", "message"), SOUNDS_LIKE_IT)
def test_what_a_shorter_request_would_not_help_is_no_overflow(status: int | None, kind: str, message: str) -> None:
    assert overflow_of(kind, message, status) is None


@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"}}',
        '{"error": {"code": 400, "type": "exceed_context_size_error", "message": "context size (8 tokens)", "n_ctx": 8}}',
        (
            '[{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "The input token count (9) exceeds the '
            'maximum number of tokens allowed (8)."}}]'
        ),
        '{"error": {"code": 400, "message": "Provider returned error", "metadata": {"raw": '
        + json.dumps('{"error": {"message": "maximum context length is 8 tokens"}}')
        + "}}}",
        '{"error": "maximum context length is 8 tokens"}',
        '{"detail": "maximum context length is 8 tokens"}',
        "maximum context length is 8 tokens",
    ],
)
def test_an_answer_that_says_so_is_a_fault_that_a_shorter_request_mends(body: str) -> None:
    fault = faults.refused(400, {}, body.encode())

    assert isinstance(fault, ContextOverflow)
    assert (fault.is_passing, fault.status, fault.hint) == (False, 400, faults.OVERFLOW_HINT)


def test_a_stream_may_say_so_too() -> None:
    fault = faults.in_stream({"code": "context_length_exceeded", "message": "Your input exceeds the context window"})

    assert isinstance(fault, ContextOverflow)
