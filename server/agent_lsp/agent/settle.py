"""From calls to results: each call gets exactly one, in order, whatever happens."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from agent_lsp.agent.mistakes import Mistakes
from agent_lsp.agent.ports import Emit, Tools
from agent_lsp.domain.events import CallsRunning, Kept, Said
from agent_lsp.domain.history import Call, Result
from agent_lsp.domain.messages import Say
from agent_lsp.domain.turns import After, Completed, Outcome

INTERRUPTED = "Interrupted before it finished: assume that it may have run in part, and check before you rely on it."
NOT_STARTED = "Not run: the task was interrupted before this call."
AFTER_REJECTION = "Not run: the user rejected an earlier call of this message."
AFTER_COMPLETION = "Not run: attempt_completion ended the turn before this call."
REPEATED = "Not run: the same call was made over and over. Do something else, or ask the user."

SHORT = 300
"""Characters of a failure that the user is shown."""


@dataclass(slots=True)
class _Course:
    """How the calls of one message go."""

    has_failed: bool = False
    after: After = After.GO_ON
    completion: str = ""


async def settle(calls: Sequence[Call], tools: Tools, mistakes: Mistakes, emit: Emit) -> Completed | None:
    """Run the calls one after another; tells when one of them completed the task."""
    course = _Course()
    mistakes.begin_answer()
    for position, call in enumerate(calls):
        emit(CallsRunning(len(calls) - position))
        try:
            outcome = await _settle_one(call, course, tools, mistakes)
        except asyncio.CancelledError:
            _settle_rest(calls[position:], emit)
            raise
        emit(Kept(Result(call.id, outcome.text, outcome.images, outcome.is_error)))
        if outcome.is_error and not outcome.is_shown and outcome.after is After.GO_ON:
            emit(Said(Say.ERROR, _in_short(call, outcome)))
    emit(CallsRunning(0))
    return Completed(course.completion) if course.after is After.COMPLETED else None


async def _settle_one(call: Call, course: _Course, tools: Tools, mistakes: Mistakes) -> Outcome:
    match course.after:
        case After.REJECTED:
            return Outcome(AFTER_REJECTION, is_error=True, is_shown=True, after=course.after)
        case After.COMPLETED:
            return Outcome(AFTER_COMPLETION, is_error=True, is_shown=True, after=course.after)
        case After.GO_ON:
            pass
    if mistakes.is_repetition(call):
        return Outcome(REPEATED, is_error=True)
    outcome = await tools.run(call, has_failed_before=course.has_failed)
    mistakes.count(outcome)
    course.has_failed |= outcome.is_error
    course.after = outcome.after
    course.completion = outcome.completion or course.completion
    return outcome


def _in_short(call: Call, outcome: Outcome) -> str:
    """Tell the user what went wrong in one line; the model reads the whole."""
    line = outcome.text.strip().partition("\n")[0]
    is_cut = len(line) > SHORT or line.endswith(":")
    return f"{call.name}: {line[:SHORT].removesuffix(':')}{'…' if is_cut else ''}"


def _settle_rest(calls: Sequence[Call], emit: Emit) -> None:
    emit(Kept(Result(calls[0].id, INTERRUPTED, is_error=True)))
    for call in calls[1:]:
        emit(Kept(Result(call.id, NOT_STARTED, is_error=True)))
    emit(CallsRunning(0))
