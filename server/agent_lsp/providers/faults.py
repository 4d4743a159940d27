"""What goes wrong with a model's service, as a ModelFault: one sentence, whether it may pass, and what helps."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import ModelFault

LONGEST_BODY_BYTES = 64 * 1024
"""No error needs more words than this."""

_LONGEST_MESSAGE = 600

_PASSING = frozenset({408, 409, 425, 429})

_LASTING_KINDS = frozenset(
    {
        "invalid_request_error",
        "authentication_error",
        "permission_error",
        "billing_error",
        "not_found_error",
        "request_too_large",
        "insufficient_quota",
        "invalid_api_key",
        "invalid_prompt",
        "model_not_found",
        "context_length_exceeded",
        "exceed_context_size_error",
    }
)
"""The kinds of error, of either vendor, that the same request would meet again. All others may pass."""

_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|prompt is too long|context window|maximum context length"
    r"|too many (?:input )?tokens|request_too_large",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|credit balance|billing", re.IGNORECASE)

_HINTS = {
    401: "Check the profile's apiKey.",
    403: "The apiKey is known, but may not do this: check its rights and the model's name.",
    404: "Check the profile's model and baseURL (with /v1 for the OpenAI types, without for anthropic).",
    413: "The task has outgrown what the model takes in one request: start a new task, or condense this one.",
}
_OVERFLOW_HINT = _HINTS[413]
_QUOTA_HINT = "The account has no credit or quota left: check its plan and billing."


def refused(status: int, headers: Mapping[str, str], body: bytes) -> ModelFault:
    """Make a fault of an answer that is no stream."""
    kind, message = _told(body, headers.get("content-type", ""))
    is_redirect = 300 <= status < 400
    if is_redirect:
        message = "it redirects elsewhere, which is not followed, lest the key go with it; set the right baseURL"
    fault = _fault(kind, message, status, is_passing=_may_pass(status))
    fault.retry_after_seconds = retry_after(headers, datetime.now(UTC))
    return fault


def not_a_stream(content_type: str, body: bytes) -> ModelFault:
    """Status 200, and yet no events: a web page, or one JSON object."""
    kind, message = _told(body, content_type)
    words = f": {message or kind}" if message or kind else ""
    hint = "Check the profile's baseURL: what answers there is not this API."
    text = f"The model's service answered with {content_type} instead of a stream{words}"
    return ModelFault(text, is_passing=False, status=200, hint=hint)


def in_stream(error: object) -> ModelFault:
    """Make a fault of an error that the service sent among its events."""
    kind, message = _of_error(error)
    status = int(kind) if kind.isdigit() and 400 <= int(kind) < 600 else None
    is_passing = _may_pass(status) if status else kind not in _LASTING_KINDS
    return _fault(kind, message or "the service gave up in the middle of its answer", status, is_passing=is_passing)


def cut_off() -> ModelFault:
    return ModelFault("The model's answer was cut off before its end.", is_passing=True)


def stalled(seconds: float, *, has_begun: bool) -> ModelFault:
    what = "stopped in the middle of its answer" if has_begun else "did not answer"
    return ModelFault(f"The model's service {what}: nothing came for {seconds:g} s.", is_passing=True)


def unreadable(what: str) -> ModelFault:
    return ModelFault(f"The model's service sent {what}.", is_passing=False)


def unreachable(address: str, error: Exception) -> ModelFault:
    """No connection, or one that broke."""
    reason = str(error) or type(error).__name__
    is_passing = "CERTIFICATE_VERIFY_FAILED" not in reason
    hint = f"Check that {address} is right and can be reached from here." if is_passing else "Check the certificate."
    return ModelFault(f"The connection to {address} failed: {reason}", is_passing=is_passing, hint=hint)


def not_signed_in(address: str, error: Exception) -> ModelFault:
    """The vendor's own client found no credentials that it could use."""
    reason = _clipped(str(error)).rstrip(".")
    return ModelFault(f"Signing in to {address} failed: {reason}.", is_passing=False, hint="Sign in, then try again.")


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Read how long the service wants to be left alone: milliseconds, seconds, or a date."""
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())


def _number(text: str) -> float | None:
    """Read a number of at least 0; what is none, or no finite one, is no number."""
    return float(text) if re.fullmatch(r"\s*\d{1,9}(\.\d*)?\s*", text) else None


def _may_pass(status: int) -> bool:
    return status in _PASSING or status >= 500


def _fault(kind: str, message: str, status: int | None, *, is_passing: bool) -> ModelFault:
    hint = _HINTS.get(status or 0)
    if _OVERFLOW.search(f"{kind} {message}") and status != 429:
        is_passing, hint = False, _OVERFLOW_HINT
    elif _QUOTA.search(f"{kind} {message}") and status in (None, 400, 402, 403, 429):
        is_passing, hint = False, _QUOTA_HINT
    answered = f"answered {status}" if status else "reported an error"
    text = f"The model's service {answered}: {message or kind or 'it gave no reason'}"
    return ModelFault(text, is_passing=is_passing, status=status, hint=hint)


def _told(body: bytes, content_type: str) -> tuple[str, str]:
    """Find the kind and the words of an error in a body: both vendors' shapes, plain text, or nothing of a web page."""
    text = body.decode("utf-8", "replace").strip()
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        is_page = "html" in content_type or text[:1] == "<"
        return "", "" if is_page else _clipped(text)
    if not isinstance(value, dict):
        return "", ""
    shape: Json = value  # pyright: ignore[reportUnknownVariableType] - JSON of unknown shape
    return _of_error(shape["error"] if shape.get("error") else shape)


def _of_error(error: object) -> tuple[str, str]:
    if isinstance(error, str):
        return "", _clipped(error)
    if not isinstance(error, dict):
        return "", ""
    shape: Json = error  # pyright: ignore[reportUnknownVariableType] - JSON of unknown shape
    code, kind = shape.get("code"), shape.get("type")
    # A code is the finer word of the two ("insufficient_quota" of type "requests"), where there is one.
    name = code if code not in (None, "") else kind
    words = shape.get("message") or shape.get("detail") or ""
    return str(name or ""), _clipped(words if isinstance(words, str) else json.dumps(words))


def _clipped(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"
