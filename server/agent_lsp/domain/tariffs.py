"""What tokens of a model cost, in dollars for a million, and what a request does by that. The prices are elsewhere."""

from dataclasses import dataclass

from agent_lsp.domain.status import Usage


@dataclass(frozen=True, slots=True)
class Surcharge:
    """A prompt of more tokens than `above` multiplies the prices of the whole request."""

    above: int
    input: float
    output: float


@dataclass(frozen=True, slots=True)
class Tariff:
    """Prices of one model. A cache price of None is the plain input price."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None
    surcharge: Surcharge | None = None

    def cost(self, usage: Usage) -> float:
        """Price one request's usage; the cached parts of `tokens_in` have prices of their own."""
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        plain = usage.tokens_in - usage.cache_reads - usage.cache_writes
        input_cost = plain * self.input + usage.cache_reads * read + usage.cache_writes * write
        output_cost = usage.tokens_out * self.output
        if self.surcharge and usage.tokens_in > self.surcharge.above:
            input_cost, output_cost = input_cost * self.surcharge.input, output_cost * self.surcharge.output
        return (input_cost + output_cost) / 1_000_000
