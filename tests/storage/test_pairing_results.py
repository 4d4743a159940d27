"""Every call has exactly one result, directly behind its reply, whatever the journal lost, doubled or misplaced."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_samples import item_wires

from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Words
from agent_lsp.storage.pairing import INTERRUPTED, pair

WORDS = Words(("go on",))


def reply(*ids: str) -> Reply:
    return Reply(tuple(Call(call_id, "read_file", "{}") for call_id in ids))


def result(call_id: str, text: str = "ok") -> Result:
    return Result(call_id, text)


def lost(call_id: str) -> Result:
    return Result(call_id, INTERRUPTED, is_error=True)


A, AB, AA, ABA = reply("a"), reply("a", "b"), reply("a", "a"), reply("a", "b", "a")


@pytest.mark.parametrize(
    ("kept", "history"),
    [
        ([], []),
        ([WORDS, A, result("a"), WORDS], [WORDS, A, result("a"), WORDS]),
        ([AB, result("a")], [AB, result("a"), lost("b")]),
        ([AB, result("b")], [AB, lost("a"), result("b")]),
        ([AB, WORDS], [AB, lost("a"), lost("b"), WORDS]),
        ([A, WORDS, A, result("a")], [A, lost("a"), WORDS, A, result("a")]),
        ([A, WORDS, result("a")], [A, result("a"), WORDS]),
        ([AA, result("a", "1"), result("a", "2")], [AA, result("a", "1"), result("a", "2")]),
        (
            [ABA, result("a", "1"), result("b"), result("a", "2")],
            [ABA, result("a", "1"), result("b"), result("a", "2")],
        ),
        ([A, result("a", "1"), result("a", "2")], [A, result("a", "1")]),
        ([result("a"), A], [A, lost("a")]),
        ([result("x"), WORDS], [WORDS]),
    ],
)
def test_history_is_made_whole(kept: list[HistoryItem], history: list[HistoryItem]) -> None:
    assert item_wires(pair(kept).history) == item_wires(history)


ITEMS = st.one_of(
    st.just(WORDS),
    st.lists(st.sampled_from("abc"), max_size=3).map(lambda ids: reply(*ids)),
    st.sampled_from("abc").map(result),
)


@given(st.lists(ITEMS, max_size=20))
def test_each_call_has_one_result_directly_behind_its_reply(kept: list[HistoryItem]) -> None:
    history = list(pair(kept).history)
    while history:
        head = history.pop(0)
        assert not isinstance(head, Result)
        calls = [call.id for call in head.calls] if isinstance(head, Reply) else []
        results = [history.pop(0) for _ in calls]
        assert sorted(item.call_id for item in results if isinstance(item, Result)) == sorted(calls)


@given(st.lists(ITEMS, max_size=20))
def test_what_was_made_up_is_enough_for_next_time(kept: list[HistoryItem]) -> None:
    pairing = pair(kept)

    again = pair([*kept, *pairing.missing])

    assert again.missing == ()
    assert item_wires(again.history) == item_wires(pairing.history)
