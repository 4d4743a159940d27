"""What a task has spent, in all and since the user last let it go on; and whether a cap is reached. No I/O."""

from agent_lsp.domain.status import ContextUse, Usage
from agent_lsp.domain.turns import LimitReached
from agent_lsp.settings.model import LimitSettings


class Spending:
    def __init__(self, total: Usage, context: ContextUse) -> None:
        self.total = total
        self.context = context
        self._requests = 0
        self._cost = 0.0

    def count(self, usage: Usage, window: int) -> None:
        """Count one request."""
        self.total += usage
        self._requests += 1
        self._cost += usage.cost or 0.0
        tokens = usage.tokens_in + usage.tokens_out
        self.context = ContextUse(tokens, window, round(100 * tokens / window, 1) if window else 0.0)

    def reset(self) -> None:
        """Start counting anew: the user let the task go on."""
        self._requests, self._cost = 0, 0.0

    def limit_reached(self, limits: LimitSettings) -> LimitReached | None:
        if limits.requests and self._requests >= limits.requests:
            return LimitReached("requests", self._requests, limits.requests)
        if limits.cost and self._cost >= limits.cost:
            return LimitReached("cost", round(self._cost, 6), limits.cost)
        return None
