"""The message stream under any order of events: what clients see, what the journal keeps, what it costs."""

import asyncio
import time

import pytest
from hall import Watcher
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_lsp.domain.messages import Answer, Ask, Response, Say
from agent_lsp.domain.moments import entered, played_moments
from agent_lsp.domain.notices import DeltaNotice, StatusNotice
from agent_lsp.domain.status import derive_state
from agent_lsp.storage.records import MessageAdded, MessageChanged, MessageGrew, Record
from agent_lsp.storage.stored import changed
from agent_lsp.tasks.stream import MERGE_SECONDS, MessageStream


class MemoryLedger:
    def __init__(self) -> None:
        self.records: list[Record] = []

    def append(self, record: Record) -> None:
        self.records.append(record)

    async def sync(self) -> None: ...

    def close(self) -> None: ...


def stream_for(watcher: Watcher) -> tuple[MessageStream, MemoryLedger]:
    ledger = MemoryLedger()
    return MessageStream("t", "i", ledger, [watcher], ()), ledger


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(list(Say)), st.sampled_from([None, True])),
        st.tuples(st.just("ask"), st.sampled_from(list(Ask)), st.sampled_from([None, True])),
        st.tuples(st.just("grow"), st.integers(0, 50), st.text(max_size=5)),
        st.tuples(st.just("finish"), st.integers(0, 50), st.none()),
        st.tuples(st.just("answer"), st.integers(0, 50), st.none()),
        st.tuples(st.just("interrupt"), st.integers(0, 50), st.none()),
        st.tuples(st.just("cost"), st.integers(0, 50), st.none()),
        st.tuples(st.just("congest"), st.booleans(), st.none()),
        st.tuples(st.just("wait"), st.none(), st.none()),
    ),
    max_size=40,
)


class Play:
    """Does random things to a stream, as far as they make sense, and checks it after each."""

    def __init__(self) -> None:
        self.watcher = Watcher()
        self.stream, self.ledger = stream_for(self.watcher)

    def partials(self) -> list[int]:
        # The row of a request is JSON, and is replaced whole.
        return [m.ts for m in self.messages() if m.partial and m.say is not Say.API_REQ_STARTED]

    def messages(self):
        return [self.stream.message(ts) for ts in self.watcher.messages]

    async def do(self, what: str, which, extra) -> None:
        match what:
            case "say":
                self.stream.say(which, "{}" if which is Say.API_REQ_STARTED else "s", partial=extra)
            case "ask" if self.stream.standing.waiting is None or which is Ask.COMMAND_OUTPUT:
                self.stream.ask(which, "a", partial=extra)
            case "congest":
                self.watcher.congested = which
            case "wait":
                await asyncio.sleep(0.001)
            case "ask":
                pass
            case _:
                self.change(what, which, extra)

    def change(self, what: str, which: int, extra) -> None:
        partials, every = self.partials(), [m.ts for m in self.messages()]
        waiting = self.stream.standing.waiting
        match what:
            case "grow" if partials:
                self.stream.grow(partials[which % len(partials)], extra)
            case "finish" if partials and waiting is None:
                self.stream.change(MessageChanged(partials[which % len(partials)], partial=False))
            case "answer" if waiting:
                self.stream.change(MessageChanged(waiting.ts, answer=Answer(Response.YES, "user", 1)))
            case "interrupt" if every:
                self.stream.change(MessageChanged(every[which % len(every)], partial=False, state="interrupted"))
            case "cost":
                requests = [m.ts for m in self.messages() if m.say is Say.API_REQ_STARTED]
                if requests:
                    self.stream.change(MessageChanged(requests[-1], text='{"cost": null}', partial=False))
            case _:
                pass


@settings(max_examples=150, deadline=None)
@given(OPERATIONS)
def test_state_text_journal_and_order_hold_whatever_happens(operations) -> None:
    async def run() -> None:
        monkeypatch.setattr("agent_lsp.tasks.stream.MERGE_SECONDS", 0.0005)
        play = Play()
        for what, which, extra in operations:
            await play.do(what, which, extra)
            messages = play.messages()
            assert play.stream.standing.state() is derive_state(messages)
        play.watcher.congested = False
        play.stream.flush()
        assert {m.ts: m.text or "" for m in play.messages()} == play.watcher.texts
        assert [n.seq for n in play.watcher.notices if not isinstance(n, StatusNotice)] == list(
            range(1, play.stream.seq + 1)
        )
        assert replayed(play.ledger.records) == play.messages()
        play.stream.close()

    with pytest.MonkeyPatch.context() as monkeypatch:
        asyncio.run(run())


def replayed(records: list[Record]):
    """The messages as a journal's reader makes them of the records."""
    messages = {}
    for record in records:
        match record:
            case MessageAdded(message):
                messages[message.ts] = message
            case MessageGrew(ts, append):
                messages[ts] = changed(messages[ts], MessageChanged(ts, text=(messages[ts].text or "") + append))
            case MessageChanged(ts):
                messages[ts] = changed(messages[ts], record)
            case _:
                raise AssertionError(f"a stream writes no {record}")
    return list(messages.values())


async def test_deltas_are_merged_to_at_most_one_in_thirty_milliseconds() -> None:
    watcher = Watcher()
    stream, ledger = stream_for(watcher)
    ts = stream.say(Say.TEXT, partial=True)
    started = time.monotonic()

    for number in range(20_000):
        stream.grow(ts, "abcd")
        if number % 500 == 0:
            await asyncio.sleep(0)
    stream.change(MessageChanged(ts, partial=False))

    elapsed = time.monotonic() - started
    deltas = [n for n in watcher.notices if isinstance(n, DeltaNotice)]
    assert 1 <= len(deltas) <= elapsed / MERGE_SECONDS + 2
    assert stream.message(ts).text == "abcd" * 20_000
    assert sum(len(r.append) for r in ledger.records if isinstance(r, MessageGrew)) == 80_000


async def test_a_client_that_lags_gets_the_whole_text_once_and_no_deltas() -> None:
    watcher = Watcher(congested=True)
    stream, _ = stream_for(watcher)
    ts = stream.say(Say.TEXT, partial=True)

    for _ in range(100):
        stream.grow(ts, "x")
    stream.change(MessageChanged(ts, partial=False))

    assert [type(n).__name__ for n in watcher.notices] == ["MessageNotice", "MessageNotice"]
    assert watcher.texts[ts] == "x" * 100


async def test_what_was_missed_can_be_asked_for_by_seq() -> None:
    stream, _ = stream_for(Watcher())
    first, second, third = (stream.say(Say.INFO, str(n)) for n in range(3))
    seen = stream.seq

    stream.change(MessageChanged(first, text="changed"))
    fourth = stream.say(Say.INFO, "new")

    messages, deleted = stream.changed_since(seen)
    assert ([m.ts for m in messages], deleted) == ([first, fourth], ())
    assert [m.ts for m in stream.changed_since(0)[0]] == [first, second, third, fourth]


@pytest.mark.parametrize(
    ("limit", "before", "texts", "more"), [(2, None, ["3", "4"], True), (9, 2, ["0", "1"], False), (1, 2, ["1"], True)]
)
async def test_older_messages_come_in_pages(limit, before, texts, more) -> None:
    stream, _ = stream_for(Watcher())
    ids = [stream.say(Say.INFO, str(n)) for n in range(5)]

    messages, has_more = stream.newest(limit, ids[before] if before is not None else None)

    assert ([m.text for m in messages], has_more) == (texts, more)


async def test_a_ts_rises_even_when_the_clock_goes_back() -> None:
    stream, _ = stream_for(Watcher())
    first = stream.say(Say.INFO, "now")

    with entered(played_moments(0)):
        then = stream.say(Say.INFO, "then")

    assert then == first + 1


async def test_in_a_play_growth_is_journaled_when_it_is_whole() -> None:
    stream, ledger = stream_for(Watcher())

    with entered(played_moments(0)):
        ts = stream.say(Say.TEXT, "a", partial=True)
        for piece in ("b", "c"):
            stream.grow(ts, piece)
            await asyncio.sleep(0)
        stream.change(MessageChanged(ts, partial=False))

    assert [record for record in ledger.records if isinstance(record, MessageGrew)] == [MessageGrew(ts, "bc")]
