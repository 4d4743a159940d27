"""The user's words that wait for a task to take them. No I/O."""

from collections import deque
from dataclasses import dataclass
from typing import Literal

Delivery = Literal["queue", "steer"]


@dataclass(frozen=True, slots=True)
class WaitingWords:
    """`queue`d words wait until the turn rests, `steer`ing ones reach the model with the next request."""

    message_id: str
    text: str
    images: tuple[str, ...]
    delivery: Delivery


class Queue:
    def __init__(self) -> None:
        self._waiting: deque[WaitingWords] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, words: WaitingWords) -> None:
        self._waiting.append(words)

    def take_all(self) -> list[WaitingWords]:
        taken = list(self._waiting)
        self._waiting.clear()
        return taken

    def take_steering(self) -> list[WaitingWords]:
        """Take the words that are due with the next request."""
        taken = [words for words in self._waiting if words.delivery == "steer"]
        self._waiting = deque(words for words in self._waiting if words.delivery == "queue")
        return taken
