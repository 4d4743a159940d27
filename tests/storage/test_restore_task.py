"""A task restored from its journal is the task that was in memory; and settled, nothing of it runs or waits."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_samples import EVERY_KIND, REPLY, STARTED, item_wires, journal_of, put_journal
from storage_strategies import Memory, lives

from agent_lsp.domain.events import Kept
from agent_lsp.domain.messages import Answer, Ask, Message, Response, Say
from agent_lsp.domain.status import State, Usage, derive_state
from agent_lsp.storage.lines import read_lines
from agent_lsp.storage.records import (
    Cleared,
    LimitsReset,
    MessageAdded,
    MessageChanged,
    MessageGrew,
    Record,
    Renamed,
    Started,
    UsageCounted,
)
from agent_lsp.storage.restore import load, restore, settle
from agent_lsp.storage.stored import StoredTask, changed

REQUEST = Message(2_001, "say", say=Say.API_REQ_STARTED, text='{"request": "x"}')
FACTS = ("title", "mode", "profile", "permission_mode", "todos", "queue", "usage")


def restored(*records: Record) -> StoredTask:
    return restore(read_lines(journal_of(records)), "task-1")


@given(lives())
def test_restored_task_is_what_was_in_memory(memory: Memory) -> None:
    stored = restored(*memory.records)

    assert stored.messages == tuple(memory.messages.values())
    assert stored.last_ts == max((*memory.messages, *memory.hidden), default=0)
    kept = [item for item in stored.history if item not in stored.missing_results]
    assert item_wires(kept) == item_wires(memory.history)
    assert [result.call_id for result in stored.missing_results] == memory.open_calls
    assert {name: getattr(stored, name) for name in FACTS} == memory.facts


@given(lives())
def test_settled_task_neither_runs_nor_waits(memory: Memory) -> None:
    settled = restored(*memory.records, *settle(restored(*memory.records)))

    assert not any(message.waits or message.partial for message in settled.messages)
    assert derive_state(settled.messages) in {State.RUNNING, State.NO_TASK}
    assert (settled.missing_results, settle(settled)) == ((), ())


@given(lives(), st.data())
def test_task_that_lost_records_anywhere_can_be_settled(memory: Memory, data: st.DataObject) -> None:
    left = [record for record in memory.records if data.draw(st.booleans())]

    settled = restored(*left, *settle(restored(*left)))

    assert not any(message.waits or message.partial for message in settled.messages)
    assert settled.missing_results == ()


@given(lives())
def test_changes_made_in_memory_equal_those_read_back(memory: Memory) -> None:
    stored = restored(*memory.records)
    changes = {record.ts: record for record in settle(stored) if isinstance(record, MessageChanged)}

    in_memory = tuple(changed(m, changes[m.ts]) if m.ts in changes else m for m in stored.messages)

    assert in_memory == restored(*memory.records, *settle(stored)).messages


def test_interrupted_calls_are_told_to_the_model() -> None:
    stored = restored(STARTED, Kept(REPLY))

    assert item_wires(stored.missing_results) == [
        {
            "role": "tool",
            "callId": "c1",
            "text": "Interrupted: the server ended before this call had a result. What it did until then is not known.",
            "isError": True,
        }
    ]
    assert [record for record in settle(stored) if isinstance(record, Kept)] == [Kept(stored.missing_results[0])]


def test_request_that_was_cut_off_says_why_in_its_row() -> None:
    stored = restored(STARTED, MessageAdded(REQUEST))

    (change,) = settle(stored)

    assert change == MessageChanged(2_001, text=json.dumps({"request": "x", "cancelReason": "interrupted"}))


@pytest.mark.parametrize(
    ("message", "change"),
    [
        (
            Message(1, "say", say=Say.TEXT, text="a", partial=True),
            MessageChanged(1, partial=False, state="interrupted"),
        ),
        (Message(1, "ask", Ask.TOOL, partial=True), MessageChanged(1, partial=False, state="interrupted")),
        (Message(1, "ask", Ask.TOOL, partial=False), MessageChanged(1, state="interrupted")),
        (Message(1, "ask", Ask.COMMAND_OUTPUT), MessageChanged(1, state="interrupted")),
        (Message(1, "ask", Ask.RESUME_TASK), MessageChanged(1, state="interrupted")),
        (Message(1, "ask", Ask.TOOL, answer=Answer(Response.NO, "user", 2)), None),
        (Message(1, "ask", Ask.TOOL, state="interrupted"), None),
        (Message(1, "say", say=Say.TEXT, text="a", partial=False), None),
        (Message(1, "say", say=Say.API_REQ_STARTED, text='{"cost": null}'), None),
        (
            Message(1, "say", say=Say.API_REQ_STARTED),
            MessageChanged(1, text='{"cancelReason": "interrupted"}'),
        ),
    ],
)
def test_message_is_settled_if_it_had_not_ended(message: Message, change: MessageChanged | None) -> None:
    assert settle(restored(STARTED, MessageAdded(message))) == ((change,) if change else ())


ANSWER = Answer(Response.MESSAGE, "user", 9, "more")
COMPLETION = Message(1, "ask", Ask.COMPLETION_RESULT, text="done")


@pytest.mark.parametrize(
    ("records", "is_completed"),
    [
        ((), False),
        ((MessageAdded(COMPLETION),), True),
        ((MessageAdded(COMPLETION), MessageAdded(Message(2, "say", say=Say.COMMAND_OUTPUT, text="late"))), True),
        ((MessageAdded(COMPLETION), MessageChanged(1, answer=ANSWER)), False),
        ((MessageAdded(Message(1, "ask", Ask.COMPLETION_RESULT, partial=True)),), False),
        ((MessageAdded(COMPLETION), MessageChanged(1, state="interrupted")), True),
        ((MessageAdded(COMPLETION), MessageAdded(Message(2, "ask", Ask.RESUME_COMPLETED_TASK))), True),
        ((MessageAdded(COMPLETION), MessageAdded(Message(2, "ask", Ask.RESUME_TASK))), False),
    ],
)
def test_task_is_completed_while_its_completion_waits(records: tuple[Record, ...], is_completed: bool) -> None:
    assert restored(STARTED, *records).is_completed is is_completed


def test_limits_count_from_the_last_reset() -> None:
    usage = Usage(tokens_in=5, cost=0.25)
    later = Message(2_002, "say", say=Say.API_REQ_STARTED, text='{"cost": 1}')

    stored = restored(STARTED, MessageAdded(REQUEST), UsageCounted(usage), LimitsReset(), MessageAdded(later))

    assert (stored.requests_since_reset, stored.usage_at_reset) == (1, usage)


def test_task_that_goes_on_is_no_longer_cleared() -> None:
    assert restored(STARTED, Cleared()).is_cleared
    assert not restored(STARTED, Cleared(), MessageAdded(REQUEST)).is_cleared


def test_message_that_comes_again_replaces_the_first() -> None:
    again = Message(2_001, "say", say=Say.API_REQ_STARTED, text='{"cost": 1}')

    stored = restored(STARTED, MessageAdded(REQUEST), MessageAdded(again))

    assert (stored.messages, stored.requests_since_reset) == ((again,), 1)


def test_growth_of_a_lost_message_is_lost_with_it() -> None:
    stored = restored(STARTED, MessageGrew(7, "x"), MessageChanged(7, text="y"))

    assert stored.messages == ()


def test_header_that_is_lost_is_pieced_together() -> None:
    words = Message(2_000, "say", say=Say.TEXT, text="\nMend the roof\nand the door")

    stored = restored(MessageAdded(words))

    assert stored.started == Started("task-1", "", "Mend the roof", 2_000)
    assert stored.title == "Mend the roof"


def test_new_title_outlives_a_lost_header() -> None:
    assert restored(Renamed("Roof")).title == "Roof"


def test_load_reads_a_folder(tmp_path: Path) -> None:
    folder = put_journal(tmp_path / "task-1", journal_of(EVERY_KIND) + b"torn")

    stored = load(folder)

    assert (stored.started, stored.title, len(stored.messages)) == (STARTED, "Sums", 4)
