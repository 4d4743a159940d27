"""What services say that they counted, as far as it makes sense: anything may stand where a number should."""

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.status import Usage

_MOST_TOKENS = 10**9
"""No request has as many; who says so does not count."""


def figure(counted: Json, *names: str) -> int:
    """Read the first of these figures that is a number of tokens; 0 where none is."""
    return next((number for name in names if (number := _number(counted.get(name)))), 0)


def amount(counted: Json, name: str) -> float | None:
    """Read a sum of dollars; None where there is none."""
    value: object = counted.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST_TOKENS:
        return None
    return float(value)


def usage(
    tokens_in: int, tokens_out: int, *, cache_reads: int = 0, cache_writes: int = 0, cost: float | None = None
) -> Usage | None:
    """Make a usage whose parts fit into its whole; None where nothing was told. `cost` is the service's own figure."""
    if not tokens_in and not tokens_out:
        return None
    reads = min(cache_reads, tokens_in)
    return Usage(tokens_in, tokens_out, reads, min(cache_writes, tokens_in - reads), cost)


def _number(value: object) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _MOST_TOKENS:
        return 0
    return int(value)
