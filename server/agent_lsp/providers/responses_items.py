"""What an answer of the Responses API is made of, as it comes in: texts and calls, in pieces, whole, or both.

Compatible servers leave out any of an item's events, and number them as they like; whatever comes later says the rest.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent_lsp.domain.encoding import Json
from agent_lsp.providers import faults
from agent_lsp.providers.answer import Answer


@dataclass(slots=True)
class Told:
    """A text that has come so far."""

    pieces: list[str] = field(default_factory=list[str])
    length: int = 0

    def add(self, piece: str) -> str:
        self.pieces.append(piece)
        self.length += len(piece)
        return piece

    def rest_of(self, whole: str) -> str:
        """Give what is new in the whole text; nothing where it is not how the pieces go on."""
        if len(whole) <= self.length:
            return ""
        self.pieces = ["".join(self.pieces)]
        return whole[self.length :] if whole.startswith(self.pieces[0]) else ""


@dataclass(slots=True, eq=False)
class Item:
    """A message, a call or a thought of an answer. A call is announced once its name is known."""

    kind: str
    id: str = ""
    call_id: str = ""
    name: str = ""
    given: str = ""
    """Arguments that came with the call's beginning, and count where no others come."""
    text: Told = field(default_factory=Told)
    """All that a message says, or a call's arguments."""
    parts: dict[int, Told] = field(default_factory=dict[int, Told])
    key: int | None = None
    is_done: bool = False

    def learn(self, item: Json) -> None:
        """Take over what an item says of itself."""
        self.kind = item.get("type") or self.kind
        self.id = item.get("id") or self.id
        self.call_id = item.get("call_id") or self.call_id
        self.name = item.get("name") or self.name
        self.given = as_arguments(item.get("arguments")) or self.given

    def say(self, answer: Answer, piece: str, part: int) -> None:
        answer.text(self.text.add(self.parts.setdefault(part, Told()).add(piece)))

    def say_rest(self, answer: Answer, whole: str, part: int) -> None:
        """Say what is missing of a part, of which this is all."""
        self.say(answer, self.parts.setdefault(part, Told()).rest_of(whole), part)

    def grow(self, answer: Answer, piece: str) -> None:
        self.text.add(piece)
        if self.key is not None:
            answer.grow_call(self.key, piece)
        else:
            self.announce(answer)

    def end(self, answer: Answer, arguments: str = "") -> None:
        """Take it that nothing more comes; of a call, these are all arguments that the service told."""
        if self.kind != CALL or self.is_done:
            return
        whole = arguments or self.given
        self.grow(answer, self.text.rest_of(whole))
        answer.end_call(self._begun(answer) if self.key is None else self.key)
        self.is_done = True

    def announce(self, answer: Answer) -> None:
        """Tell that the call has begun, if its name is known."""
        if self.kind == CALL and self.name:
            self._begun(answer)

    def _begun(self, answer: Answer) -> int:
        self.key = key = answer.begin_call(self.call_id or self.id, self.name)
        answer.grow_call(key, "".join(self.text.pieces))
        return key


MESSAGE, CALL = "message", "function_call"

MOST_ITEMS = 1_000
"""Each is compared with those before; a real answer has a few."""


class Items:
    """The items of one answer, in the order in which they began."""

    def __init__(self) -> None:
        self.all: list[Item] = []
        self._by_place: dict[int, Item] = {}
        self._by_id: dict[str, Item] = {}
        self._current: Item | None = None

    def begin(self, event: Json, item: Json) -> Item:
        if len(self.all) >= MOST_ITEMS:
            raise faults.unreadable("an answer of more items than any has")
        begun = Item(item.get("type") or "")
        self.all.append(begun)
        self._keep(event, begun, item)
        return begun

    def found(self, event: Json, kind: str) -> Item:
        """Find the item that an event belongs to: by its place, by its id, else the newest of its kind."""
        item = self._at(event, event.get("item_id"))
        if item is None and self._current and self._current.kind == kind and not _is_told_apart(event):
            item = self._current
        return item if item and item.kind == kind else self.begin(event, {"type": kind, "id": event.get("item_id")})

    def done(self, event: Json, whole: Json) -> Item:
        """Find the item of which this is all; one that differs from what began there is another."""
        item = self._at(event, whole.get("id"))
        if item is None and self._current and not self._current.is_done and not _is_told_apart(event):
            item = self._current
        if item is None or not _is_same(item, whole) or (item.is_done and not _is_again(item, whole)):
            return self.begin(event, whole)
        self._keep(event, item, whole)
        return item

    def matched(self, output: Sequence[Json]) -> list[Item]:
        """Find for each item of the whole answer the one that came before, or begin it."""
        left = self.all.copy()
        found: dict[int, Item] = {}
        for is_like in (_has_id_of, self._has_place_of, _has_kind_of):
            for place, whole in enumerate(output):
                item = next((item for item in left if place not in found and is_like(item, whole, place)), None)
                if item:
                    found[place] = item
                    left.remove(item)
        return [found.get(place) or self.begin({}, whole) for place, whole in enumerate(output)]

    def _has_place_of(self, item: Item, whole: Json, place: int) -> bool:
        return self._by_place.get(place) is item and _is_same(item, whole)

    def _at(self, event: Json, id_: object) -> Item | None:
        place = event.get("output_index")
        found = self._by_id.get(id_) if isinstance(id_, str) else None
        return found or (self._by_place.get(place) if isinstance(place, int) else None)

    def _keep(self, event: Json, item: Item, whole: Json) -> None:
        item.learn(whole)
        if isinstance(place := event.get("output_index"), int):
            self._by_place[place] = item
        if item.id:
            self._by_id[item.id] = item
        self._current = item


def as_arguments(arguments: Any) -> str:  # Any: JSON as a service sends it
    """Arguments are text; some servers send the object itself."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False)


def _is_told_apart(event: Json) -> bool:
    return isinstance(event.get("output_index"), int) or bool(event.get("item_id"))


def _is_same(item: Item, whole: Json) -> bool:
    """Whether nothing speaks against it."""
    is_other_call = item.call_id and whole.get("call_id") and item.call_id != whole["call_id"]
    return not is_other_call and item.kind == (whole.get("type") or item.kind)


def _is_again(item: Item, whole: Json) -> bool:
    """Whether an item that was told whole is told once more."""
    if _has_id_of(item, whole):
        return True
    is_call = item.kind == CALL and item.name == whole.get("name")
    return is_call and not whole.get("call_id") and item.given == as_arguments(whole.get("arguments"))


def _has_id_of(item: Item, whole: Json, _: int = 0) -> bool:
    if item.kind != whole.get("type"):
        return False
    return bool((item.call_id and item.call_id == whole.get("call_id")) or (item.id and item.id == whole.get("id")))


def _has_kind_of(item: Item, whole: Json, _: int) -> bool:
    return _is_same(item, whole) and (item.kind != CALL or not item.name or item.name == whole.get("name"))
