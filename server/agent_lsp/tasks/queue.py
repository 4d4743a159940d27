"""The user's words that wait for a task to take them. Every change is journaled first: nothing they said is lost."""

from agent_lsp.domain.errors import BadParams, Overloaded
from agent_lsp.domain.moments import fresh_id
from agent_lsp.domain.requests import QueuedWords, QueueEdit
from agent_lsp.storage.folding import queue_after
from agent_lsp.storage.records import QueueOrdered, WordsQueued
from agent_lsp.tasks.ports import Ledger

MOST_WAITING = 100


class Queue:
    """In the order in which the model is going to hear them. What comes to a full queue is refused."""

    def __init__(self, ledger: Ledger, words: tuple[QueuedWords, ...]) -> None:
        self._ledger = ledger
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, message_id: str) -> bool:
        return any(words.message_id == message_id for words in self.words)

    def add(self, text: str, images: tuple[str, ...], delivery: str = "queue") -> str:
        """Take words in, and give them the id by which they can be changed as long as they wait."""
        if len(self.words) >= MOST_WAITING:
            raise Overloaded(f"{MOST_WAITING} messages wait already: let the task take them, or remove some.")
        words = QueuedWords(fresh_id(), text, images, "steer" if delivery == "steer" else "queue")
        self._change(WordsQueued(words))
        return words.message_id

    def edit(self, wish: QueueEdit) -> None:
        index = next((index for index, words in enumerate(self.words) if words.message_id == wish.message_id), None)
        if index is None:
            raise BadParams(f"No words {wish.message_id} wait (any more): agent/queue list tells those that do.")
        match wish.op:
            case "edit":
                self._change(WordsQueued(_edited(self.words[index], wish)))
            case "remove":
                self._change(QueueOrdered(tuple(self._ids_without(wish.message_id))))
            case "move":
                ids = self._ids_without(wish.message_id)
                ids.insert(wish.position, wish.message_id)
                self._change(QueueOrdered(tuple(ids)))

    def steering(self) -> tuple[QueuedWords, ...]:
        """The words that are due with the next request."""
        return tuple(words for words in self.words if words.delivery == "steer")

    def taken(self, message_id: str) -> None:
        """Let go of words that are in the history now; the record that put them there says so, too."""
        self.words = tuple(words for words in self.words if words.message_id != message_id)

    def _change(self, record: WordsQueued | QueueOrdered) -> None:
        self._ledger.append(record)
        self.words = queue_after(self.words, record)

    def _ids_without(self, message_id: str) -> list[str]:
        return [words.message_id for words in self.words if words.message_id != message_id]


def _edited(words: QueuedWords, wish: QueueEdit) -> QueuedWords:
    text = words.text if wish.text is None else wish.text
    images = words.images if wish.images is None else wish.images
    if not text.strip() and not images:
        raise BadParams("A message needs words: remove it instead.")
    return QueuedWords(words.message_id, text, images, words.delivery)
