"""When a failed request is tried again, and how long to wait first. Pure."""

from dataclasses import dataclass

from agent_lsp.domain.errors import ModelFault

ATTEMPTS = 5
"""Requests in all before the user is asked; with the waits between them some 30 s of trying."""

LONGEST_WAIT_SECONDS = 60.0
LONGEST_RETRY_AFTER_SECONDS = 300.0
"""A service that wants a longer pause than this is not waited for: the user is told and decides."""


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    hint: str | None


def after_fault(fault: ModelFault, attempt: int, *, jitter: float) -> Wait | GiveUp:
    """Decide after the `attempt`-th request failed; `jitter` is a random number in 0..1."""
    if not fault.is_passing or attempt >= ATTEMPTS:
        return GiveUp(fault.hint)
    backoff = min(LONGEST_WAIT_SECONDS, 2.0 ** (attempt - 1)) * (1.0 + 0.25 * jitter)
    asked_for = fault.retry_after_seconds or 0.0
    if asked_for > LONGEST_RETRY_AFTER_SECONDS:
        return GiveUp(f"The service asks for a pause of {asked_for:.0f} s; retry after that.")
    return Wait(max(backoff, asked_for))
