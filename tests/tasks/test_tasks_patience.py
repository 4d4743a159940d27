"""Questions that are not waited for without end, where the user said so."""

import asyncio
from dataclasses import replace

import hall
import pytest
from hall import WORDS, open_house

from agent_lsp.domain.history import Result
from agent_lsp.domain.messages import Ask, Response
from agent_lsp.domain.status import State
from agent_lsp.settings.model import AutoApprove
from support.kitchen import calls


@pytest.fixture
def patience(monkeypatch) -> float:
    """Have every task wait so long for the answer to a question."""
    seconds, rules = 0.01, hall._rules
    waits = AutoApprove.model_construct(followup_seconds=seconds)
    monkeypatch.setattr(hall, "_rules", lambda mode: replace(rules(mode), auto_approve=waits))
    return seconds


@pytest.mark.usefixtures("patience")
async def test_an_unanswered_question_takes_its_first_suggestion_after_a_while(tmp_path) -> None:
    house = open_house(tmp_path, [calls("question"), calls("finish")])
    house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    question = next(message for message in house.watcher.messages.values() if message.ask is Ask.FOLLOWUP)

    assert question.answer is not None
    assert (question.answer.by, question.answer.response, question.answer.text) == ("timeout", Response.MESSAGE, "this")
    assert [item.text for item in house.histories()[1] if isinstance(item, Result)] == ["this"]
    house.assert_consistent()


@pytest.mark.parametrize(("seconds", "state"), [(0, State.WAITING_FOR_INPUT), (0.02, State.IDLE), (0.001, State.IDLE)])
async def test_patience_is_what_the_settings_say_when_it_ends(tmp_path, monkeypatch, seconds, state) -> None:
    house = open_house(tmp_path, [calls("question"), calls("finish")])
    rules, looked = hall._rules, asyncio.Event()

    def changing_rules(mode):
        is_asked = any(message.ask is Ask.FOLLOWUP for message in house.watcher.messages.values())
        if is_asked:
            looked.set()
        waits = AutoApprove.model_construct(followup_seconds=seconds if is_asked else 0.01)
        return replace(rules(mode), auto_approve=waits)

    monkeypatch.setattr(hall, "_rules", changing_rules)
    house.new_task()
    await looked.wait()
    if state is State.IDLE:
        await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert house.status.state is state
    await house.tasks.close()


@pytest.mark.usefixtures("patience")
async def test_an_approval_is_waited_for_all_the_same(tmp_path) -> None:
    house = open_house(tmp_path, [calls("question", "write"), calls("finish")])
    house.new_task()

    await house.watcher.until_ask(Ask.TOOL)

    assert house.status.state is State.WAITING_FOR_INPUT
    await house.tasks.close()


async def test_a_question_waits_for_ever_by_default(tmp_path) -> None:
    house = open_house(tmp_path, [calls("question"), calls("finish")])
    house.new_task()
    await house.watcher.until_ask(Ask.FOLLOWUP)

    answered = house.answer(WORDS, "that")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert answered.accepted
    assert [item.text for item in house.histories()[1] if isinstance(item, Result)] == ["that"]
