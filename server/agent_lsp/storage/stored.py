"""A task as its journal tells it, and how a patch changes a message. How records become a task is `folding.py`."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from agent_lsp.domain.history import HistoryItem, Result
from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.requests import QueuedWords
from agent_lsp.domain.status import ContextUse, ModelUsage, PermissionMode, State, Todo, Usage, state_of_ask
from agent_lsp.storage.lines import SetAside
from agent_lsp.storage.records import MessageChanged, Started

_COMPLETIONS = (Ask.COMPLETION_RESULT, Ask.RESUME_COMPLETED_TASK)


@dataclass(frozen=True, slots=True, eq=False)
class StoredTask:
    """Everything that is known of a task from its journal alone. What a rewind has hidden is not in it."""

    started: Started
    title: str = ""
    mode: str = "code"
    profile: str = ""
    has_chosen_profile: bool = False
    """The user named it; else it came with the mode or the settings."""
    permission_mode: PermissionMode = PermissionMode.DEFAULT
    messages: tuple[Message, ...] = ()
    last_ts: int = 0
    """The newest of all messages', hidden ones too: no `ts` is ever given twice."""
    history: tuple[HistoryItem, ...] = ()
    missing_results: tuple[Result, ...] = ()
    """Those of the history that the journal does not have yet; `settle` appends them."""
    todos: tuple[Todo, ...] = ()
    queue: tuple[QueuedWords, ...] = ()
    usage: Usage = field(default_factory=Usage)
    context: ContextUse = field(default_factory=ContextUse)
    requests_since_reset: int = 0
    usage_by_model: tuple[ModelUsage, ...] = ()
    usage_at_reset: Usage = field(default_factory=Usage)
    is_cleared: bool = False
    is_rewound: bool = False
    """Nothing has been said or asked since the last rewind."""
    set_aside: tuple[SetAside, ...] = ()

    @property
    def is_completed(self) -> bool:
        """Whether the completion (or the question after it) has no answer, or had none where the task was rewound to.

        One that was interrupted (by a kill, or to condense the task) is still the last word.
        """
        decisive = (message for message in reversed(self.messages) if state_of_ask(message) or is_users_words(message))
        newest = next(decisive, None)
        if newest is None or newest.ask not in _COMPLETIONS:
            return False
        return self.is_rewound or (newest.answer is None and not newest.partial)


def is_users_words(message: Message) -> bool:
    """Whether the user said this; what a model says grows."""
    return message.say is Say.USER_FEEDBACK or (message.say is Say.TEXT and message.partial is None)


def newest_blocking_ask(newest_first: Iterable[Message]) -> Message | None:
    return next((message for message in newest_first if state_of_ask(message)), None)


def state_at_rest(newest_ask: Message | None) -> State:
    """The state to list a task under that nobody runs: idle where an idle ask waits, else resumable."""
    is_idle = newest_ask is not None and newest_ask.waits and state_of_ask(newest_ask) is State.IDLE
    return State.IDLE if is_idle else State.RESUMABLE


def changed(message: Message, change: MessageChanged) -> Message:
    """The message with what the patch names replaced."""
    return replace(
        message,
        text=message.text if change.text is None else change.text,
        partial=message.partial if change.partial is None else change.partial,
        answer=change.answer or message.answer,
        state=change.state or message.state,
        progress=change.progress or message.progress,
        checkpoint=change.checkpoint or message.checkpoint,
    )
