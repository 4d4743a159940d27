"""A task that is condensed: by the user or by itself; killed, rewound, forked and exported with that in it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from hall import WORDS, YES, House, open_house
from test_tasks_restart import assert_valid, copy_at
from test_tasks_rewinding import heard, restores, rewind, ts_of, until_completed_after

from agent_lsp.domain.errors import BadParams, TaskBusy
from agent_lsp.domain.history import Words
from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest, Stopped, StopReason, TextDelta, UsageKnown
from agent_lsp.domain.status import ContextUse, State, Usage
from agent_lsp.tasks import endings
from support.kitchen import Answer, calls, lasting, words_at

SUMMARY = "It is to be done, and is nearly so."
SUMMARISED = [TextDelta(SUMMARY), UsageKnown(Usage(50, 9, cost=0.5)), Stopped(StopReason.END)]
THREE_STEPS = [calls("read", arguments=f'{{"path": "{n}"}}') for n in range(3)]


async def until_condensed(house: House) -> Message:
    await house.watcher.until(lambda: house.watcher.said(Say.CONDENSE_CONTEXT) and house.status.ask)
    return next(m for m in house.watcher.messages.values() if m.say is Say.CONDENSE_CONTEXT)


async def done(state: Path, *more: Answer) -> tuple[House, str]:
    """A task that took four steps and has completed."""
    house = open_house(state, [*THREE_STEPS, calls("finish"), *more])
    task_id = house.new_task("do it")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    return house, task_id


async def go_on(house: House, words: str) -> None:
    asked = house.waiting.ts
    house.answer(WORDS, words)
    await until_completed_after(house, asked)


async def test_task_at_rest_is_condensed_at_once_and_asks_how_to_go_on(tmp_path) -> None:
    house, task_id = await done(tmp_path, SUMMARISED, calls("finish"))
    asked = house.waiting

    house.tasks.condense(task_id, "mind the tests")
    row = json.loads((await until_condensed(house)).text or "")

    assert (row["summary"], row["cost"]) == (SUMMARY, 0.5)
    assert house.watcher.messages[asked.ts].state == "interrupted"
    assert (house.waiting.kind, house.status.state) == (Ask.RESUME_COMPLETED_TASK, State.IDLE)
    assert words_at(house.histories()[-1], -1).texts[0].endswith("the user wants: mind the tests")
    house.assert_consistent()
    house.answer(WORDS, "and now in red")
    await until_completed_after(house, asked.ts)
    told = house.histories()[-1]
    assert words_at(told, 0).texts == ("do it",)
    assert SUMMARY in words_at(told, 1).texts[0]
    assert heard(house)[-1] == "and now in red"
    assert len(told) < len(house.histories()[-2])
    assert_valid(house)


async def test_status_tells_the_context_right_after_it(tmp_path) -> None:
    house, task_id = await done(tmp_path, SUMMARISED)

    house.tasks.condense(task_id, "")
    row = json.loads((await until_condensed(house)).text or "")

    assert house.status.context == ContextUse.of(row["newContextTokens"], 100_000)
    assert house.status.usage.cost == 0.01 * 4 + 0.5


async def test_task_at_work_is_condensed_before_its_next_step(tmp_path) -> None:
    answers = [calls("read"), calls("read", "write"), SUMMARISED, calls("finish")]
    house = open_house(tmp_path, answers)
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    house.tasks.condense(task_id, "")
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    kinds = [kind for kind in house.watcher.kinds() if kind in ("tool", "condense_context", "completion_result")]
    assert kinds == ["tool", "condense_context", "completion_result"]
    assert SUMMARY in words_at(house.histories()[-1], 1).texts[0]
    assert_valid(house)


async def test_wish_that_the_last_step_outran_is_fulfilled_at_rest(tmp_path) -> None:
    house = open_house(tmp_path, [*THREE_STEPS, calls("write", "finish"), SUMMARISED])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    house.tasks.condense(task_id, "")
    house.answer(YES)
    await until_condensed(house)

    assert house.waiting.kind is Ask.RESUME_COMPLETED_TASK


async def test_words_that_come_meanwhile_are_worked_on_after_it(tmp_path) -> None:
    house, task_id = await done(tmp_path, SUMMARISED, calls("finish"))

    house.tasks.condense(task_id, "")
    sent = await house.tasks.send(task_id, "and in red", (), "queue")
    with pytest.raises(TaskBusy):
        await rewind(house, ts_of(house, Say.TEXT))
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert sent.disposition == "queued"
    assert heard(house)[-1] == "and in red"
    assert SUMMARY in words_at(house.histories()[-1], 1).texts[0]


async def test_nothing_to_condense_is_refused(tmp_path) -> None:
    house = open_house(tmp_path, [lasting("no")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.API_REQ_FAILED)

    with pytest.raises(BadParams, match="nothing to condense yet"):
        house.tasks.condense(task_id, "")

    assert house.waiting.kind is Ask.API_REQ_FAILED


async def test_fault_leaves_everything_as_it_was_and_is_told(tmp_path) -> None:
    house, task_id = await done(tmp_path, lasting("no key"), calls("finish"))
    before = len(house.histories()[-1])

    house.tasks.condense(task_id, "")
    await house.watcher.until_ask(Ask.RESUME_COMPLETED_TASK)

    assert house.watcher.said(Say.CONDENSE_CONTEXT_ERROR) == ["no key"]
    house.answer(WORDS, "go on")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    assert len(house.histories()[-1]) == before + 3


async def test_cancel_meanwhile_leaves_everything_as_it_was(tmp_path) -> None:
    house, task_id = await done(tmp_path)
    waiting = asyncio.Event()

    async def hang(request):
        waiting.set()
        await asyncio.Event().wait()
        yield []

    house.model.stream = hang
    house.tasks.condense(task_id, "")
    async with asyncio.timeout(5):
        await waiting.wait()
    await house.tasks.cancel(task_id)

    assert house.waiting.kind is Ask.RESUME_COMPLETED_TASK
    assert house.watcher.said(Say.CONDENSE_CONTEXT) == []
    house.assert_consistent()


async def test_going_back_to_before_the_summary_takes_it_back(tmp_path) -> None:
    house, task_id = await done(tmp_path, SUMMARISED, calls("finish"), calls("finish"))
    house.tasks.condense(task_id, "")
    condensed = await until_condensed(house)
    before = house.histories()[-1][:-1]

    undone = await rewind(house, condensed.ts)

    assert house.watcher.said(Say.CONDENSE_CONTEXT) == []
    assert house.waiting.kind is Ask.RESUME_COMPLETED_TASK
    await go_on(house, "go on")
    assert [type(item) for item in house.histories()[-1][: len(before)]] == [type(item) for item in before]
    assert not any(SUMMARY in text for text in heard(house))
    await rewind(house, checkpoint=undone.undo)
    await go_on(house, "on with it")
    assert SUMMARY in words_at(house.histories()[-1], 1).texts[0]
    assert_valid(house)


async def test_point_before_a_summary_has_the_whole_history_of_then(tmp_path) -> None:
    house, task_id = await done(tmp_path, SUMMARISED, calls("finish"), calls("finish"))
    house.tasks.condense(task_id, "")
    await until_condensed(house)
    house.answer(WORDS, "more")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    await rewind(house, ts_of(house, Say.API_REQ_STARTED, 2))
    await go_on(house, "another way")

    assert heard(house) == ["do it", endings.RESUMED, "another way"]
    assert len(house.histories()[-1]) == 7
    assert_valid(house)


async def test_fork_and_document_have_what_the_user_sees(tmp_path) -> None:
    house, task_id = await done(tmp_path, SUMMARISED, calls("finish"))
    house.tasks.condense(task_id, "")
    await until_condensed(house)

    document = await house.tasks.export(task_id)
    await house.tasks.fork(task_id, None, None)
    house.answer(WORDS, "the other way")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert SUMMARY in document.text
    assert '{"summary"' not in document.text
    assert document.text.index("do it") < document.text.index(SUMMARY)
    assert SUMMARY in words_at(house.histories()[-1], 1).texts[0]
    await house.tasks.close()


async def test_a_kill_after_any_record_leaves_a_task_that_is_condensed_or_not(tmp_path) -> None:
    whole, task_id = await done(tmp_path / "whole", SUMMARISED, calls("finish"))
    whole.tasks.condense(task_id, "")
    await until_condensed(whole)
    whole.answer(WORDS, "more")
    await whole.watcher.until_ask(Ask.COMPLETION_RESULT)
    lines = len((tmp_path / "whole" / "tasks" / task_id / "journal.jsonl").read_bytes().splitlines())

    lengths = []
    for count in range(2, lines + 1):
        house = open_house(copy_at(tmp_path / "whole", task_id, count, tmp_path / str(count)), [calls("finish")])
        await house.tasks.resume(task_id)
        assert house.answer(WORDS, "go on").accepted
        await house.watcher.until_ask(Ask.COMPLETION_RESULT)
        assert_valid(house)
        told = house.histories()[-1]
        assert isinstance(told[0], Words)
        assert told[0].texts[0] == "do it" or len(told) == 1
        lengths.append((any(SUMMARY in text for text in heard(house)), len(told)))
        await house.tasks.close()
    is_condensed = [condensed for condensed, _ in lengths]
    assert is_condensed == sorted(is_condensed)
    assert sum(is_condensed) > 5
    await whole.tasks.close()


class Summarising:
    """Answers a request for a summary with one, and all others in their order."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._stream = house.model.stream

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        newest = request.history[-1]
        if isinstance(newest, Words) and "Write the summary now" in newest.texts[0]:
            self._house.model.answers.insert(0, SUMMARISED)
        async for events in self._stream(request):
            yield events


async def test_task_condenses_itself_before_its_window_is_full(tmp_path) -> None:
    steps = [calls("read", arguments=json.dumps({"path": f"{n}", "why": "w" * 400})) for n in range(50)]
    house = open_house(tmp_path, [*steps, calls("finish")])
    house.model.facts = ModelFacts("scripted", 8_000, 500)
    house.model.stream = Summarising(house).stream

    house.new_task("do it")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert len(house.watcher.said(Say.CONDENSE_CONTEXT)) >= 1
    assert house.status.context.window == 8_000
    assert_valid(house)


async def test_profile_with_another_window_is_the_new_measure(tmp_path) -> None:
    house, task_id = await done(tmp_path)
    house.model.facts = ModelFacts("scripted", 30, 5)

    house.tasks.set_profile(task_id, "scripted")

    status = house.tasks.snapshot(task_id, instance_id=None, since=None, limit=1, before=None).status
    assert status is not None
    assert status.context == ContextUse(15, 30, 50.0)


async def test_task_that_comes_back_measures_by_the_window_of_now(tmp_path) -> None:
    house, task_id = await done(tmp_path)
    await house.tasks.close()
    again = open_house(tmp_path, [])
    again.model.facts = ModelFacts("scripted", 60, 5)

    status = await again.tasks.resume(task_id)

    assert status.context == ContextUse(15, 60, 25.0)


async def test_dry_run_tells_how_much_a_step_back_hides(tmp_path) -> None:
    house, task_id = await done(tmp_path, SUMMARISED)
    house.tasks.condense(task_id, "")
    condensed = await until_condensed(house)

    told = await restores(house).restore(task_id, None, condensed.ts, is_dry_run=True, what="conversation")

    assert told.rewind is not None
    assert told.rewind.hidden == 3
