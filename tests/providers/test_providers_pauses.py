"""How long a service wants to be left alone, read from what it says in many ways."""

from datetime import UTC, datetime

import pytest

from agent_lsp.providers import pauses

NOW = datetime(2026, 11, 18, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 18 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 18 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 18 Nov 2026 12:00:30 -0000"}, 30.0),
        ({"retry-after": "2026-11-18T12:00:30Z"}, 30.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert pauses.retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("2m59.56s", 179.56),
        ("120ms", 0.12),
        ("1h2m3s", 3723.0),
        ("20", 20.0),
        ("2026-11-18T12:00:09Z", 9.0),
        (str(int(NOW.timestamp()) + 30), 30.0),
        (str(int(NOW.timestamp()) * 1000 + 30_000), 30.0),
        ("2026-11-18T11:00:00Z", 0.0),
        ("9999-99-99T00:00:00Z", None),
        ("soon", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("names", ["x-ratelimit-{}-requests", "anthropic-ratelimit-requests-{}"])
def test_moment_at_which_an_allowance_is_filled_again_is_read(names: str, reset: str, seconds: float | None) -> None:
    headers = {names.format("remaining"): "0", names.format("reset"): reset}

    assert pauses.until_allowed(headers, NOW) == seconds


def test_latest_of_all_allowances_that_are_used_up_counts() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "8s",
    }

    assert pauses.until_allowed(headers, NOW) == 8.0


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Please try again in 20s.", 20.0),
        ("please TRY AGAIN IN 6m0s", 360.0),
        ("Retry after 5 seconds", 5.0),
        ("try again in 1 second", 1.0),
        ("Try again in a while", None),
        ("try again in 9999999999999s", None),
        ("", None),
    ],
)
def test_words_that_ask_for_a_pause_are_read(words: str, seconds: float | None) -> None:
    assert pauses.in_words(words) == seconds
