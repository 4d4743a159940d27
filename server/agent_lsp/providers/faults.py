"""What goes wrong with a model's service, as a ModelFault: one sentence, whether it may pass, and what helps."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import cast

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import ContextOverflow, ModelFault
from agent_lsp.providers import pauses
from agent_lsp.providers.overflow import overflow_of

LONGEST_BODY_BYTES = 64 * 1024
"""No error needs more words than this."""

_LONGEST_MESSAGE = 600

_PASSING = frozenset({408, 409, 425, 429})
_ADVICE = {"true": True, "false": False}

_LASTING_KINDS = frozenset(
    {
        "invalid_request_error",
        "authentication_error",
        "permission_error",
        "billing_error",
        "not_found_error",
        "insufficient_quota",
        "invalid_api_key",
        "invalid_prompt",
        "model_not_found",
    }
)
"""The kinds of error, of either vendor, that the same request would meet again. All others may pass."""

_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|credit balance|billing", re.IGNORECASE)

_QUOTA_HINT = "The account has no credit or quota left: check its plan and billing."
_HINTS = {
    401: "Check the profile's apiKey.",
    402: _QUOTA_HINT,
    403: "The apiKey is known, but may not do this: check its rights and the model's name.",
    404: "Check the profile's model and baseURL (with /v1 for the OpenAI types, without for anthropic).",
    413: "The task has outgrown what the model takes in one request: start a new task, or condense this one.",
}
OVERFLOW_HINT = _HINTS[413]


@dataclass(frozen=True, slots=True)
class _Told:
    """What a service says of an error, as far as it does."""

    kind: str
    message: str
    status: int | None = None
    pause: float | None = None
    """Seconds for which it wants to be left alone."""


def refused(status: int, headers: Mapping[str, str], body: bytes) -> ModelFault:
    """Make a fault of an answer that is no stream."""
    told = _told(body, headers.get("content-type", ""))
    if 300 <= status < 400:
        told = _Told(
            "", "it redirects elsewhere, which is not followed, lest the key go with it; set the right baseURL"
        )
    # The header by which both vendors tell their own clients.
    advice = _ADVICE.get(headers.get("x-should-retry", "").lower())
    fault = _fault(told, status, is_passing=_may_pass(status) if advice is None else advice)
    fault.retry_after_seconds = _pause(headers, told)
    return fault


def not_a_stream(content_type: str, body: bytes) -> ModelFault:
    """Status 200, and yet no events: a web page, or one JSON object."""
    told = _told(body, content_type)
    if told.status or overflow_of(told.kind, told.message, None):
        # An error that came too late for a status of its own.
        return _in_answer(told)
    words = f": {told.message or told.kind}" if told.message or told.kind else ""
    hint = "Check the profile's baseURL: what answers there is not this API."
    text = f"The model's service answered with {content_type} instead of a stream{words}"
    return ModelFault(text, is_passing=False, status=200, hint=hint)


def no_stream(body: bytes) -> ModelFault:
    """Make a fault of a body without a single event, of which nobody said what it is."""
    is_page = body[:1] == b"<"
    fault = not_a_stream("text/html" if is_page else "plain text", body)
    # Words may be those of a gateway that is about to find its service again; a page is another place.
    fault.is_passing = not is_page and not isinstance(fault, ContextOverflow)
    fault.has_begun = False
    return fault


def in_stream(error: object) -> ModelFault:
    """Make a fault of an error that the service sent among its events."""
    told = _of_error(error)
    if not told.message:
        told = replace(told, message="the service gave up in the middle of its answer")
    return _in_answer(told)


def cut_off() -> ModelFault:
    return ModelFault("The model's answer was cut off before its end.", is_passing=True)


def out_of_window() -> ModelFault:
    """The window was full before there was a word of the answer."""
    return ContextOverflow("The model's window is full: there is no room for an answer.", hint=OVERFLOW_HINT)


def stalled(seconds: float, *, has_begun: bool) -> ModelFault:
    what = "stopped in the middle of its answer" if has_begun else "did not answer"
    return ModelFault(f"The model's service {what}: nothing came for {seconds:g} s.", is_passing=True)


def unreadable(what: str) -> ModelFault:
    return ModelFault(f"The model's service sent {what}.", is_passing=False)


def garbled() -> ModelFault:
    """What was spoilt on its way may well come whole the next time."""
    return ModelFault("The model's service sent an event that is not JSON.", is_passing=True)


def only_keep_alives(seconds: float) -> ModelFault:
    return ModelFault(f"The model's service said nothing but that it is there, for {seconds:g} s.", is_passing=True)


def unreachable(address: str, error: Exception) -> ModelFault:
    """No connection, or one that broke."""
    reason = str(error) or type(error).__name__
    is_passing = "CERTIFICATE_VERIFY_FAILED" not in reason
    hint = f"Check that {address} is right and can be reached from here." if is_passing else "Check the certificate."
    return ModelFault(f"The connection to {address} failed: {reason}", is_passing=is_passing, hint=hint)


def no_address(base_url: str) -> ModelFault:
    """What no request can be sent to."""
    return ModelFault(
        f"The profile's baseURL is no address: {base_url!r}.", is_passing=False, hint="Correct the baseURL."
    )


def not_signed_in(address: str, error: Exception, hint: str) -> ModelFault:
    """The vendor's own client found no credentials that it could use."""
    reason = _clipped(str(error)).rstrip(".")
    return ModelFault(f"Signing in to {address} failed: {reason}.", is_passing=False, hint=hint)


def _in_answer(told: _Told) -> ModelFault:
    is_passing = _may_pass(told.status) if told.status else told.kind not in _LASTING_KINDS
    fault = _fault(told, told.status, is_passing=is_passing)
    fault.retry_after_seconds = _pause({}, told)
    fault.has_begun = False  # Nobody pays for what a service gave up by itself, but for what it said before.
    return fault


def _pause(headers: Mapping[str, str], told: _Told) -> float | None:
    now = datetime.now(UTC)
    for asked in (pauses.retry_after(headers, now), told.pause, pauses.until_allowed(headers, now)):
        if asked is not None:
            return asked
    return None


def _may_pass(status: int) -> bool:
    return status in _PASSING or status >= 500


def _fault(told: _Told, status: int | None, *, is_passing: bool) -> ModelFault:
    hint = _HINTS.get(status or 0)
    answered = f"answered {status}" if status else "reported an error"
    text = f"The model's service {answered}: {told.message or told.kind or 'it gave no reason'}"
    if overflow := overflow_of(told.kind, told.message, status):
        return ContextOverflow(text, status=status, hint=OVERFLOW_HINT, window=overflow.window)
    if _QUOTA.search(f"{told.kind} {told.message}") and status in (None, 400, 402, 403, 429):
        is_passing, hint = False, _QUOTA_HINT
    return ModelFault(text, is_passing=is_passing, status=status, hint=hint)


def _told(body: bytes, content_type: str) -> _Told:
    """Find what a body says of an error: the vendors' shapes, plain text, or nothing of a web page."""
    text = body.decode("utf-8", "replace").strip()
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        is_no_words = "html" in content_type or text[:1] == "<" or "\0" in text
        return _Told("", "" if is_no_words else _clipped(text))
    if isinstance(value, list) and value:
        # Gemini puts its one error into a list.
        value = cast("list[object]", value)[0]  # What it is, is looked at next.
    if not isinstance(value, dict):
        return _Told("", "")
    shape = cast("Json", value)  # A JSON object has strings for keys.
    return _of_error(shape["error"] if shape.get("error") else shape)


def _of_error(error: object) -> _Told:
    if isinstance(error, str):
        return _Told("", _clipped(error))
    if not isinstance(error, dict):
        return _Told("", "")
    shape = cast("Json", error)  # As above.
    code, kind = shape.get("code"), shape.get("type")
    status = _status_of(code)
    # A code is the finer word of the two ("insufficient_quota" of type "requests"), where it is a word.
    name = kind if (code in (None, "") or status) and kind else code
    words = shape.get("message") or shape.get("detail") or ""
    message = _with_reason(words, shape.get("metadata"))
    pause = pauses.in_details(shape.get("details"))
    return _Told(
        _clipped(str(name or "")), _clipped(message), status, pauses.in_words(message) if pause is None else pause
    )


def _status_of(code: object) -> int | None:
    """Read a code that is a status of HTTP: some services send numbers for words, also as text."""
    is_status = isinstance(code, int | str) and re.fullmatch(r"[45]\d\d", str(code))
    return int(str(code)) if is_status else None


def _with_reason(words: object, metadata: object) -> str:
    """Add what a service said that stands behind this one, which OpenRouter passes on beside its own words."""
    text = words if isinstance(words, str) else json.dumps(words, ensure_ascii=False)
    reason = cast("Json", metadata).get("raw") if isinstance(metadata, dict) else None  # As above.
    return f"{text}: {_told(reason.encode(), '').message or reason}" if isinstance(reason, str) and reason else text


def _clipped(text: str) -> str:
    """Make it one line of bearable length, without what would steer a terminal or turn the text around."""
    text = "".join(char for char in " ".join(text.split()) if char.isprintable())
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"
