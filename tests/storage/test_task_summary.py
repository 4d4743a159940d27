"""A line of the list, found in a journal: as if all of it had been read, and much sooner."""

import time

from hypothesis import given
from storage_samples import STARTED, journal_of
from storage_strategies import Memory, lives

from agent_lsp.domain.messages import Message, Say
from agent_lsp.storage.lines import read_lines
from agent_lsp.storage.records import MessageAdded, Renamed
from agent_lsp.storage.restore import restore
from agent_lsp.storage.summary import entry_of, find_entry


@given(lives())
def test_line_of_the_list_is_found_without_reading_all_of_a_journal(memory: Memory) -> None:
    content = journal_of(memory.records)

    assert find_entry(content, "task-1") == entry_of(restore(read_lines(content), "task-1"))


def test_line_of_the_list_is_found_behind_damage() -> None:
    content = journal_of([Renamed("lost")]) + journal_of([STARTED, Renamed("Sums")])[:-9]

    entry = find_entry(content, "task-1")

    assert entry is not None
    assert (entry.summary.title, entry.client_request_id) == ("lost", None)


def test_line_of_the_list_is_found_in_a_moment() -> None:
    message = MessageAdded(Message(5, "say", say=Say.TEXT, text="word " * 200))
    content = journal_of([STARTED, *[message] * 20_000])
    began = time.perf_counter()
    find_entry(content, "task-1")
    found = time.perf_counter() - began
    restore(read_lines(content), "task-1")
    restored = time.perf_counter() - began - found

    assert found < restored / 5, f"{found * 1e3:.1f} ms against {restored * 1e3:.1f} ms for {len(content)} bytes"
