"""Counts what goes wrong in a row, so that a model that is stuck asks for help instead of burning money. No I/O."""

from agent_lsp.domain.history import Call
from agent_lsp.domain.turns import MistakeLimit, Outcome

REPETITIONS = 3
"""The same call this often in a row is a loop, unless it looks at what goes on by itself."""

LOST = (
    "The model made several mistakes in a row: it may be stuck, or the task too large for one go. "
    "Say what it should do differently, or proceed."
)
LOOPING = "The model makes the same call over and over. Say what it should do differently, or proceed."


class Mistakes:
    """One turn's count. A limit of 0 never stops a turn for mistakes; a loop stops it all the same."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._in_a_row = 0
        self._is_counted = False
        """Whether a mistake of this answer was counted."""
        self._silences = 0
        self._last_call: tuple[str, str] | None = None
        self._repeated = 0
        self._is_looping = False

    def begin_answer(self) -> None:
        """However many mistakes it holds count as one: when it wrote the last, the model had not read of the first."""
        self._is_counted = False

    def is_repetition(self, call: Call) -> bool:
        """Count this call; whether it has now been made so often in a row that it should not run again."""
        same = (call.name, call.arguments)
        self._repeated = self._repeated + 1 if same == self._last_call else 1
        self._last_call = same
        self._is_looping |= self._repeated >= REPETITIONS
        return self._repeated >= REPETITIONS

    def count(self, outcome: Outcome) -> None:
        self._silences = 0
        if outcome.has_news:
            self._repeated = 1
        if not outcome.is_mistake:
            self._in_a_row = 0
        elif not self._is_counted or self._in_a_row == 0:
            self._in_a_row += 1
            self._is_counted = True

    def count_silence(self) -> bool:
        """Count an answer without a call; whether it counts as a mistake (the first one does not)."""
        self._silences += 1
        if self._silences > 1:
            self._in_a_row += 1
        return self._silences > 1

    def limit_reached(self) -> MistakeLimit | None:
        if self._is_looping:
            return MistakeLimit(LOOPING)
        if self._limit and self._in_a_row >= self._limit:
            return MistakeLimit(LOST)
        return None
