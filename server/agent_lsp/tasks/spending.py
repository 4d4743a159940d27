"""What a task has spent, in all and since the user last let it go on; and whether a cap is reached. No I/O."""

from collections.abc import Iterable
from dataclasses import dataclass

from agent_lsp.domain.events import StepEnded
from agent_lsp.domain.model import ModelFacts
from agent_lsp.domain.moments import now_ms
from agent_lsp.domain.status import ContextUse, ModelUsage, Usage
from agent_lsp.domain.tariffs import Tariff
from agent_lsp.domain.turns import LimitReached
from agent_lsp.settings.model import LimitSettings

_CENTS_LOST = 1e-9
"""What sums of floating-point amounts may be off by."""
_FIRST_ANSWER_TOKENS = 500
"""How long an answer is expected to be before there was any: a thought and a call."""
_USUAL_ANSWER_TOKENS = 4_000
"""How long an answer may be, a file written with it, and still be no exception."""
_FAR_LONGER = 4
"""How many times as long as the others are an answer may be, and still be no exception."""
_CACHED_MS = 5 * 60_000
"""How long services keep what they have cached of a prompt, at least."""


NO_PRICE = (
    "What this model costs is not known, so `limits.cost` cannot hold: give its profile `prices`, or set a limit on "
    "requests."
)
ESTIMATED = (
    "The service does not say what a request used: what it cost is an estimate, and `limits.cost` is held by that."
)


@dataclass(frozen=True, slots=True)
class Coming:
    """The next request: how many tokens it is expected to tell which model."""

    tokens_in: int
    facts: ModelFacts
    is_measured: bool = True
    """Its service has counted requests before, so that this one's tokens can be held against theirs."""


@dataclass(frozen=True, slots=True)
class _Newest:
    """The request before it."""

    model: str
    usage: Usage
    ended_ms: int
    reuse: float
    """How much of a prompt its service reads from a cache of its own accord the next time: a share."""

    def is_kept(self, tokens_in: int) -> bool:
        """Whether a request of so many tokens, sent now, finds in the cache what was left there by this one."""
        return tokens_in >= self.usage.tokens_in and now_ms() - self.ended_ms < _CACHED_MS

    def cached(self, tokens_in: int, tariff: Tariff) -> int:
        """How much of the next request its service has cached, as far as it told of this one."""
        if not self.is_kept(tokens_in):
            return 0
        told = self.usage.cache_reads + self.usage.cache_writes
        if self.usage.cache_writes or tariff.cache_write is not None:
            return told
        # Where writing into a cache costs nothing, no service tells of it.
        return max(told, int(self.usage.tokens_in * self.reuse))


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
        self._newest: _Newest | None = None
        self._answers = self._tokens_out = self._longest = 0
        self._is_let_go = False
        """The user has just let it go on: one request at least is theirs to pay."""
        self._is_unpriced = self._is_estimated = False
        self._told = ""

    @property
    def by_model(self) -> tuple[ModelUsage, ...]:
        """The total, model by model, in the order they were first asked."""
        return tuple(ModelUsage(model, usage) for model, usage in self._by_model.items())

    def count(self, ended: StepEnded, window: int, model: str = "") -> None:
        """Count one request. What it used is unknown where nobody can say."""
        self._requests += 1
        if ended.usage or not ended.cancel_reason:
            self._is_let_go = False
        self._is_estimated |= ended.is_estimated
        if ended.usage:
            self._add(ended.usage, model)
            reuse = self._reuse(ended.usage, model, is_estimated=ended.is_estimated)
            self._newest = _Newest(model, ended.usage, now_ms(), reuse)
            self._count_usage(ended.usage, window)
        elif not ended.cancel_reason:
            self._add(Usage(cost=None), model)
            self._is_unpriced = True

    def _add(self, usage: Usage, model: str) -> None:
        self.total += usage
        self._by_model[model] = self._by_model.get(model, Usage()) + usage

    def _count_usage(self, usage: Usage, window: int) -> None:
        self._cost += usage.cost or 0.0
        self._is_unpriced |= usage.cost is None
        self._answers += 1
        self._tokens_out += usage.tokens_out
        self._longest = max(self._longest, usage.tokens_out)
        self.context = ContextUse.of(usage.tokens_in + usage.tokens_out, window)

    def _reuse(self, usage: Usage, model: str, *, is_estimated: bool) -> float:
        """Learn from a request what its service reads again of the one before; all of it, as long as none has shown."""
        before = self._newest_of(model)
        if before is None:
            return 0.0 if is_estimated else 1.0
        if is_estimated or not before.is_kept(usage.tokens_in):
            return before.reuse
        return min(1.0, usage.cache_reads / max(1, before.usage.tokens_in))

    def see_window(self, window: int) -> None:
        """Take another model's window for a measure; one that is not known leaves things as they are."""
        if window and window != self.context.window:
            self.context = ContextUse.of(self.context.tokens, window)

    def reset(self) -> None:
        """Start counting anew: the user let the task go on."""
        self._requests, self._cost, self._is_let_go = 0, 0.0, True

    def limit_reached(self, limits: LimitSettings, coming: Coming | None = None) -> LimitReached | None:
        """Tell the cap that one more request would pass, as far as it can be told what that will cost."""
        if limits.requests and self._requests >= limits.requests:
            return LimitReached("requests", self._requests, limits.requests)
        if not limits.cost or self._is_let_go:
            return None
        if self._cost + self._next_cost(coming) > limits.cost + _CENTS_LOST:
            return LimitReached("cost", round(self._cost, 6), limits.cost)
        return None

    def _next_cost(self, coming: Coming | None) -> float:
        if coming and coming.facts.tariff:
            return self._expected_cost(coming, coming.facts.tariff)
        if self._newest is None or not self._requests:
            return self._cost / max(1, self._requests)
        # Without prices, each request costs what the one before did, and more by as much as the history grew.
        newest, tokens = self._newest.usage, coming.tokens_in if coming and coming.is_measured else 0
        growth = max(1.0, tokens / newest.tokens_in) if newest.tokens_in else 1.0
        return max((newest.cost or 0.0) * growth, self._cost / self._requests)

    def _expected_cost(self, coming: Coming, tariff: Tariff) -> float:
        tokens, newest = coming.tokens_in, self._newest_of(coming.facts.name)
        cached = min(tokens, newest.cached(tokens, tariff)) if newest else 0
        # Who has written nothing into a cache so far does not do so: before there was any answer, that is not known.
        writes = 0 if newest and not newest.usage.cache_writes else tokens - cached
        return tariff.cost(Usage(tokens, self._expected_answer(coming.facts), cached, writes))

    def _newest_of(self, model: str) -> _Newest | None:
        return self._newest if self._newest and self._newest.model == model else None

    def _expected_answer(self, facts: ModelFacts) -> int:
        """Expect an answer like those before. One that is far longer than all others will hardly come again."""
        if self._newest is None:
            return min(_FIRST_ANSWER_TOKENS, facts.max_output or _FIRST_ANSWER_TOKENS)
        others = (self._tokens_out - self._longest) // max(1, self._answers - 1)
        most = max(_USUAL_ANSWER_TOKENS, _FAR_LONGER * others)
        return min(most, max(self._newest.usage.tokens_out, self._tokens_out // self._answers))

    def news_of_cap(self, limits: LimitSettings) -> str | None:
        """Tell why the cap on money does not hold, or only by an estimate; once."""
        told = NO_PRICE if self._is_unpriced else ESTIMATED if self._is_estimated else ""
        if not limits.cost or told in ("", self._told):
            return None
        self._told = told
        return told
