"""What a task has spent, in all and since the user last let it go on; and whether a cap is reached. No I/O."""

from collections.abc import Iterable

from agent_lsp.domain.events import StepEnded
from agent_lsp.domain.status import ContextUse, ModelUsage, Usage
from agent_lsp.domain.turns import LimitReached
from agent_lsp.settings.model import LimitSettings

_CENTS_LOST = 1e-9
"""What sums of floating-point amounts may be off by."""


NO_PRICE = (
    "What this model costs is not known, so `limits.cost` cannot hold: give its profile `prices`, or set a limit on "
    "requests."
)


class Spending:
    def __init__(
        self,
        total: Usage,
        context: ContextUse,
        requests: int = 0,
        cost: float = 0.0,
        by_model: Iterable[ModelUsage] = (),
    ) -> None:
        self.total = total
        self._by_model = {one.model: one.usage for one in by_model}
        self.context = context
        self._requests = requests
        self._cost = cost
        self._newest_cost = 0.0
        self._is_unpriced = self._is_told = False

    @property
    def by_model(self) -> tuple[ModelUsage, ...]:
        """The total, model by model, in the order they were first asked."""
        return tuple(ModelUsage(model, usage) for model, usage in self._by_model.items())

    def count(self, ended: StepEnded, window: int, model: str = "") -> None:
        """Count one request. What it used is unknown where the service did not say."""
        self._requests += 1
        if ended.usage:
            self._add(ended.usage, model)
            self._count_usage(ended.usage, window)
        elif not ended.cancel_reason:
            self._add(Usage(cost=None), model)

    def _add(self, usage: Usage, model: str) -> None:
        self.total += usage
        self._by_model[model] = self._by_model.get(model, Usage()) + usage

    def _count_usage(self, usage: Usage, window: int) -> None:
        self._cost += usage.cost or 0.0
        self._newest_cost = usage.cost or 0.0
        self._is_unpriced |= usage.cost is None
        self.context = ContextUse.of(usage.tokens_in + usage.tokens_out, window)

    def see_window(self, window: int) -> None:
        """Take another model's window for a measure; one that is not known leaves things as they are."""
        if window and window != self.context.window:
            self.context = ContextUse.of(self.context.tokens, window)

    def reset(self) -> None:
        """Start counting anew: the user let the task go on."""
        self._requests, self._cost = 0, 0.0

    def limit_reached(self, limits: LimitSettings) -> LimitReached | None:
        """Tell the cap that one more request would pass, as far as the ones before tell what it will cost."""
        if limits.requests and self._requests >= limits.requests:
            return LimitReached("requests", self._requests, limits.requests)
        if limits.cost and self._requests and self._cost + self._next_cost() > limits.cost + _CENTS_LOST:
            return LimitReached("cost", round(self._cost, 6), limits.cost)
        return None

    def _next_cost(self) -> float:
        """A history grows, and each request costs what the one before did and a little more."""
        return max(self._newest_cost, self._cost / self._requests)

    def is_cap_void(self, limits: LimitSettings) -> bool:
        """Whether the cap on money cannot hold, since a request had no known price. Told once."""
        is_news = bool(limits.cost) and self._is_unpriced and not self._is_told
        self._is_told |= is_news
        return is_news
