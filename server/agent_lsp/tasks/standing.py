"""A task's state, kept up to date message by message. It always equals `derive_state` of all messages."""

from collections.abc import Iterable

from agent_lsp.domain.messages import Category, Message, Say
from agent_lsp.domain.status import State, is_non_blocking, is_request_finished, state_of_ask


class Standing:
    """Knows the few messages that decide: the waiting ask, the last message, the newest request."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self.waiting: Message | None = None
        self._last: Message | None = None
        self._request: Message | None = None
        self._is_request_open = False
        for message in messages:
            self.note(message)

    def note(self, message: Message) -> None:
        """Take notice of a new or changed message."""
        if self._last is None or message.ts >= self._last.ts:
            self._last = message
        if message.say is Say.API_REQ_STARTED and (self._request is None or message.ts >= self._request.ts):
            self._request = message
            self._is_request_open = not is_request_finished(message.text)
        if message.ask and message.ask.category is not Category.NON_BLOCKING:
            self._note_ask(message)

    def state(self) -> State:
        if self._last is None:
            return State.NO_TASK
        if self.waiting and (state := state_of_ask(self.waiting)):
            return state
        is_growing = self._last.partial and not is_non_blocking(self._last)
        return State.STREAMING if is_growing or self._is_request_open else State.RUNNING

    def _note_ask(self, message: Message) -> None:
        if message.waits:
            self.waiting = message
        elif self.waiting and self.waiting.ts == message.ts:
            self.waiting = None
