"""Calls seen while the model writes them: one row from the first piece to the decision, and no row left open."""

import json
from collections.abc import Iterator
from pathlib import Path

from hall import NO, YES, House, open_house

from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.model import CallBegan, CallGrew, ModelEvent
from agent_lsp.domain.notices import DeltaNotice, MessageNotice
from agent_lsp.domain.status import PermissionMode
from support.kitchen import calls, passing

WRITING = '{"path": "a.txt", "content": "one\\ntwo"}'
HEAD = '{"tool": "newFileCreated", "path": "a.txt"}\n'


def written(name: str = "write_to_file", arguments: str = WRITING, size: int = 5) -> list[ModelEvent]:
    """One call that comes in small pieces."""
    began, _, *rest = calls(name)
    pieces = [arguments[start : start + size] for start in range(0, len(arguments), size)]
    return [began, *(CallGrew(0, piece) for piece in pieces), *rest]


def forms(house: House, ts: int) -> list[Message]:
    """The whole forms in which the client was sent one message."""
    notices = house.watcher.notices
    return [notice.message for notice in notices if isinstance(notice, MessageNotice) and notice.message.ts == ts]


def rows(house: House) -> list[Message]:
    """The rows of tools, in order."""
    return [row for row in house.watcher.messages.values() if row.ask is Ask.TOOL or row.say is Say.TOOL]


def settled(house: House) -> list[tuple[str, bool | None, str | None]]:
    return [(row.type, row.partial, row.state) for row in rows(house)]


async def test_ask_grows_with_the_call_and_becomes_whole_in_the_same_row(tmp_path: Path) -> None:
    house = open_house(tmp_path, [written(), calls("finish")])

    house.new_task()
    ask = await house.watcher.until_ask(Ask.TOOL)

    first, last = forms(house, ask.ts)
    deltas = [notice for notice in house.watcher.notices if isinstance(notice, DeltaNotice) and notice.ts == ask.ts]
    assert (first.partial, first.text) == (True, HEAD)
    assert "one\ntwo".startswith("".join(delta.append for delta in deltas))
    body = json.loads(last.text or "")
    assert (last.partial, body) == (False, {"tool": "newFileCreated", "remember": body["remember"]})
    house.assert_consistent()
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    assert settled(house) == [("ask", False, None)]
    house.assert_consistent()


async def test_what_policy_approves_grows_as_a_say(tmp_path: Path) -> None:
    house = open_house(tmp_path, [written(), calls("finish")])

    house.new_task(permission_mode=PermissionMode.ACCEPT_EDITS)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    [row] = rows(house)
    assert [form.partial for form in forms(house, row.ts)] == [True, False]
    assert settled(house) == [("say", False, None)]
    house.assert_consistent()


async def test_what_policy_denies_is_not_shown_growing(tmp_path: Path) -> None:
    house = open_house(tmp_path, [written(), calls("finish")])

    house.new_task(permission_mode=PermissionMode.PLAN)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert rows(house) == []


def broken_off(arguments: str) -> Iterator[ModelEvent]:
    yield CallBegan(0, "write_to_file-0", "write_to_file")
    yield CallGrew(0, arguments)
    raise passing(retry_after=0.001)


async def test_row_of_an_answer_that_broke_off_is_interrupted_and_the_next_has_its_own(tmp_path: Path) -> None:
    house = open_house(tmp_path, [broken_off(WRITING[:-4]), written()])

    house.new_task()
    ask = await house.watcher.until_ask(Ask.TOOL)

    assert settled(house) == [("ask", False, "interrupted"), ("ask", False, None)]
    first, second = rows(house)
    assert (house.watcher.texts[first.ts], second.ts) == (HEAD + "one\nt", ask.ts)
    house.assert_consistent()


async def test_call_that_fails_before_its_decision_leaves_no_open_row(tmp_path: Path) -> None:
    house = open_house(tmp_path, [written("edit_file"), calls("finish")])

    house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert settled(house) == [("ask", False, "interrupted")]
    house.assert_consistent()


async def test_calls_behind_a_rejected_one_leave_no_open_row(tmp_path: Path) -> None:
    house = open_house(tmp_path, [calls("write_to_file", "write_to_file", arguments=WRITING), calls("finish")])
    house.new_task()
    await house.watcher.until_ask(Ask.TOOL)
    house.assert_consistent()

    house.answer(NO)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert settled(house) == [("ask", False, None), ("ask", False, "interrupted")]
    house.assert_consistent()


async def test_rows_left_open_by_a_cancel_are_interrupted(tmp_path: Path) -> None:
    house = open_house(tmp_path, [calls("write_to_file", "write_to_file", arguments=WRITING)])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    await house.tasks.cancel(task_id)

    assert settled(house) == [("ask", False, "interrupted")] * 2
    house.assert_consistent()


async def test_row_that_grew_as_an_ask_gives_way_to_a_say_when_the_rules_have_changed(tmp_path: Path) -> None:
    house = open_house(tmp_path, [calls("write_to_file", "write_to_file", arguments=WRITING), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    house.tasks.set_permission_mode(task_id, PermissionMode.ACCEPT_EDITS)
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert settled(house) == [("ask", False, None), ("ask", False, "interrupted"), ("say", None, None)]
    house.assert_consistent()


async def test_long_change_is_sent_once_and_in_few_pieces(tmp_path: Path) -> None:
    content = "a line of text\n" * 4000
    arguments = json.dumps({"path": "a.txt", "content": content})
    house = open_house(tmp_path, [written(arguments=arguments, size=16), calls("finish")])

    house.new_task()
    ask = await house.watcher.until_ask(Ask.TOOL)

    deltas = [notice.append for notice in house.watcher.notices if isinstance(notice, DeltaNotice)]
    assert len(deltas) < len(arguments) // 16 / 4
    assert content.startswith("".join(deltas))
    assert len(ask.text or "") < 200
