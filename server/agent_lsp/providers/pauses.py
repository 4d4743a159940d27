"""How long a service wants to be left alone, wherever it says so: in its headers, its error's details or its words."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import cast

from agent_lsp.domain.encoding import Json

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_PART = r"(\d{1,9}(?:\.\d{0,9})?)(ms|[smhd])"
_DURATION = re.compile(rf"(?:{_PART})+")
_WORDS = re.compile(
    rf"(?:try again|retry) (?:in|after) ((?:{_PART})+|\d{{1,6}}(?:\.\d{{1,6}})? ?seconds?)", re.IGNORECASE
)

_ALLOWANCES = ("requests", "tokens", "input-tokens", "output-tokens", "requests-minute", "tokens-minute")
_PREFIXES = ("x-ratelimit", "anthropic-ratelimit")


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Read the header of that name: milliseconds, seconds, or a date."""
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    return seconds if (seconds := _number(value)) is not None else _until_date(value, now)


def until_allowed(headers: Mapping[str, str], now: datetime) -> float | None:
    """Read when the allowances that are used up are filled again; the latest of them."""
    waits: list[float] = []
    for prefix in _PREFIXES:
        for name in _ALLOWANCES:
            # The vendors put the allowance's name behind the word, or in the midst of it.
            for left, reset in (
                (f"{prefix}-remaining-{name}", f"{prefix}-reset-{name}"),
                (f"{prefix}-{name}-remaining", f"{prefix}-{name}-reset"),
            ):
                if headers.get(left, "").strip() == "0" and (wait := _span(headers.get(reset, ""), now)) is not None:
                    waits.append(wait)
    return max(waits, default=None)


def in_words(message: str) -> float | None:
    """Read what an error's own words ask for: `Please try again in 1m2.5s`."""
    found = _WORDS.search(message)
    if not found:
        return None
    return _duration(found[1]) or _number(found[1].lower().removesuffix("s").removesuffix("second"))


def in_details(details: object) -> float | None:
    """Read Google's `RetryInfo` among the details of an error."""
    rows = cast("list[object]", details) if isinstance(details, list) else []  # What they are is looked at next.
    delays = (cast("Json", row).get("retryDelay") for row in rows if isinstance(row, dict))  # JSON, with text for keys.
    return next((wait for delay in delays if isinstance(delay, str) and (wait := _duration(delay)) is not None), None)


def _span(text: str, now: datetime) -> float | None:
    """Read a duration, a number of seconds, a moment in seconds or milliseconds since 1970, or a date."""
    text = text.strip()
    if (duration := _duration(text)) is not None:
        return duration
    if re.fullmatch(r"\d{10}|\d{13}", text):
        moment = float(text[:10])
        return max(0.0, moment - now.timestamp())
    if (seconds := _number(text)) is not None:
        return seconds
    return _until_date(text, now)


def _duration(text: str) -> float | None:
    """Read `1h2m3.5s`, `120ms`; None of what is none."""
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in re.findall(_PART, text))


def _until_date(text: str, now: datetime) -> float | None:
    try:
        date = datetime.fromisoformat(text) if text[:4].isdigit() else parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())


def _number(text: str) -> float | None:
    """Read a number of at least 0; what is none, or no finite one, is no number."""
    return float(text) if re.fullmatch(r"\s*\d{1,9}(\.\d*)?\s*", text) else None
