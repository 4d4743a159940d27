"""How many tokens a request takes: estimated from its bytes, and corrected by what each service counted. No I/O."""

import math

_GUESS = 1 / 3
"""Tokens a byte, before a service has counted any: more than text and code mostly take."""
_LEAST, _MOST = 0.05, 2.0
"""What a service counts outside of this is no count of these bytes."""
_AFTER_REFUSAL = 0.9
"""How much of a request that was refused as too long may be sent again."""


class Gauge:
    """What one task knows of the models it asked, by their names."""

    def __init__(self) -> None:
        self._tokens_a_byte: dict[str, float] = {}
        self._refused_bytes: dict[str, int] = {}

    def tokens(self, model: str, size: int) -> int:
        return math.ceil(size * self._tokens_a_byte.get(model, _GUESS))

    def size(self, model: str, tokens: float) -> int:
        """How many bytes so many tokens are."""
        return int(tokens / self._tokens_a_byte.get(model, _GUESS))

    def most(self, model: str) -> int | None:
        """The most bytes that a request may have, as far as a refusal has shown it."""
        refused = self._refused_bytes.get(model)
        return None if refused is None else int(refused * _AFTER_REFUSAL)

    def knows(self, model: str) -> bool:
        return model in self._tokens_a_byte

    def counted(self, model: str, size: int, tokens: int) -> None:
        """Learn from a request that was answered."""
        if size <= 0 or not _LEAST <= tokens / size <= _MOST:
            return
        self._tokens_a_byte[model] = tokens / size
        if size >= self._refused_bytes.get(model, size + 1):
            del self._refused_bytes[model]

    def refused(self, model: str, size: int, window: int | None) -> None:
        """Learn from a request that was too long, for a window of so many tokens where the service said that."""
        self._refused_bytes[model] = min(size, self._refused_bytes.get(model, size))
        if window and self.tokens(model, size) < window:
            self._tokens_a_byte[model] = min(_MOST, window / max(1, size))

    def forgive(self, model: str) -> None:
        """Forget that a request was too long: it may have been for another reason, or be so no more."""
        self._refused_bytes.pop(model, None)
