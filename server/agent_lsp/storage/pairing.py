"""Calls and results: in a history made of a journal, each call has one result, behind its reply."""

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from agent_lsp.domain.history import HistoryItem, Reply, Result, Words

INTERRUPTED = "Interrupted: the server ended before this call had a result. What it did until then is not known."


@dataclass(frozen=True, slots=True)
class Pairing:
    """The history in order, and the results in it that had to be made up."""

    history: tuple[HistoryItem, ...]
    missing: tuple[Result, ...]


@dataclass(slots=True)
class _Group:
    """A reply (or words) with the results that came for it, and the ids of the calls still without one."""

    head: Words | Reply
    open_ids: list[str]
    results: list[Result] = field(default_factory=list[Result])

    def take(self, result: Result) -> None:
        self.open_ids.remove(result.call_id)
        self.results.append(result)

    def made_up(self) -> list[Result]:
        return [Result(call_id, INTERRUPTED, is_error=True) for call_id in self.open_ids]

    def items(self, made_up: list[Result]) -> tuple[HistoryItem, ...]:
        """The reply and its results in the order of its calls; of two calls with one id the first ended first."""
        left: defaultdict[str, deque[Result]] = defaultdict(deque)
        for result in (*self.results, *made_up):
            left[result.call_id].append(result)
        calls = self.head.calls if isinstance(self.head, Reply) else ()
        return (self.head, *(left[call.id].popleft() for call in calls))


def pair(items: Iterable[HistoryItem]) -> Pairing:
    """Give every call its one result. A result without a call is left out: no vendor would take it."""
    groups: list[_Group] = []
    waiting: defaultdict[str, list[_Group]] = defaultdict(list)
    for item in items:
        match item:
            case Words():
                groups.append(_Group(item, []))
            case Reply():
                groups.append(_Group(item, [call.id for call in item.calls]))
                for call in item.calls:
                    waiting[call.id].append(groups[-1])
            case Result():
                # Ids may come again in later replies: the newest that waits is the one meant.
                if of_its_id := waiting[item.call_id]:
                    of_its_id.pop().take(item)
    whole = [(group, group.made_up()) for group in groups]
    return Pairing(
        tuple(item for group, made_up in whole for item in group.items(made_up)),
        tuple(result for _, made_up in whole for result in made_up),
    )
