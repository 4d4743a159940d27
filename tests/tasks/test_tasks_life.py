"""A task from the user's words to its rest, and all the ways on from there."""

import asyncio
import json

import pytest
from hall import NO, WORDS, YES, House, open_house

from agent_lsp.domain.errors import BadParams, TaskUnknown
from agent_lsp.domain.history import Result, Words
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.model import Stopped, StopReason, TextDelta, ThoughtDelta
from agent_lsp.domain.requests import AskReply, NewTask
from agent_lsp.domain.status import PermissionMode, State
from agent_lsp.settings.model import LimitSettings
from agent_lsp.tasks import endings
from support.kitchen import calls, lasting, passing, says


def words(house: House, request: int) -> list[str]:
    return [text for item in house.histories()[request] if isinstance(item, Words) for text in item.texts]


async def test_a_task_runs_to_its_completion(tmp_path) -> None:
    house = open_house(
        tmp_path, [[ThoughtDelta("hm"), TextDelta("I will "), TextDelta("look."), *calls("read")], calls("finish")]
    )

    house.new_task("fix it")
    ask = await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert ask.text == "all done"
    assert house.watcher.kinds() == [
        "text",
        "api_req_started",
        "reasoning",
        "text",
        "api_req_started",
        "completion_result",
    ]
    assert house.watcher.said(Say.TEXT) == ["fix it", "I will look."]
    assert house.status.state is State.IDLE
    house.assert_consistent()


async def test_usage_and_cost_are_summed_and_told_in_the_request_row(tmp_path) -> None:
    house = open_house(tmp_path, [calls("read"), calls("finish")])

    house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert house.status.usage.cost == pytest.approx(0.02)
    rows = [json.loads(text) for text in house.watcher.said(Say.API_REQ_STARTED)]
    assert rows == [{"tokensIn": 10, "tokensOut": 5, "cacheReads": 0, "cacheWrites": 0, "cost": 0.01}] * 2


async def test_an_approved_action_goes_on_and_its_answer_is_on_the_ask(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish")])
    house.new_task()
    ask = await house.watcher.until_ask(Ask.TOOL)

    assert house.answer(YES).accepted
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    answered = house.watcher.messages[ask.ts]
    assert answered.answer is not None
    assert (answered.answer.response, answered.answer.by) == (YES, "user")
    house.assert_consistent()


@pytest.mark.parametrize("response", [NO, WORDS])
async def test_a_rejection_reaches_the_model_with_its_words(tmp_path, response) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish")])
    house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    house.answer(response, "use b instead")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert [item.text for item in house.histories()[1] if isinstance(item, Result)] == ["rejected: use b instead"]
    assert house.watcher.said(Say.USER_FEEDBACK) == ["use b instead"]


async def test_only_the_first_answer_counts(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish")])
    task_id = house.new_task()
    ask = await house.watcher.until_ask(Ask.TOOL)

    first, second = (house.tasks.answer(task_id, ask.ts, AskReply(response)) for response in (YES, NO))

    assert (first.accepted, second.accepted, second.reason) == (True, False, "AskGone")


async def test_an_answer_to_another_ask_changes_nothing(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write")])
    task_id = house.new_task()
    ask = await house.watcher.until_ask(Ask.TOOL)

    answered = house.tasks.answer(task_id, ask.ts - 1, AskReply(YES))

    assert answered.reason == "AskGone"
    assert house.status.state is State.WAITING_FOR_INPUT
    await house.tasks.close()


async def test_feedback_on_a_completion_goes_on(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish"), calls("finish")])
    house.new_task()
    first = await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    house.answer(WORDS, "also the tests")
    await house.watcher.until(lambda: house.status.ask and house.waiting.ts > first.ts)

    assert words(house, 1) == ["do it", "also the tests"]
    house.assert_consistent()


async def test_an_accepted_completion_rests_as_completed(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    house.answer(YES)

    assert house.waiting.kind is Ask.RESUME_COMPLETED_TASK
    house.assert_consistent()


async def test_a_failed_request_is_retried_when_the_user_says_so(tmp_path) -> None:
    house = open_house(tmp_path, [lasting("bad key"), calls("finish")])
    house.new_task()
    failed = await house.watcher.until_ask(Ask.API_REQ_FAILED)

    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert json.loads(failed.text or "") == {"message": "bad key", "status": 401, "attempts": 1, "hint": "check it"}
    assert house.histories()[0] == house.histories()[1]


async def test_what_a_broken_stream_said_is_kept_as_interrupted(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("agent_lsp.agent.retry.ATTEMPTS", 1)
    house = open_house(tmp_path, [])

    async def stream(request):
        del request
        yield [TextDelta("half")]
        raise passing("cut off")

    house.model.stream = stream
    house.new_task()
    await house.watcher.until_ask(Ask.API_REQ_FAILED)

    half = next(m for m in house.watcher.messages.values() if m.text == "half")
    assert (half.state, half.partial) == ("interrupted", False)
    assert json.loads(house.watcher.said(Say.API_REQ_STARTED)[0])["cancelReason"] == "streaming_failed"
    house.assert_consistent()


async def test_a_followup_gets_the_users_words(tmp_path) -> None:
    house = open_house(tmp_path, [calls("question"), calls("finish")])
    house.new_task()
    await house.watcher.until_ask(Ask.FOLLOWUP)

    house.answer(WORDS, "the blue one")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert [item.text for item in house.histories()[1] if isinstance(item, Result)] == ["the blue one"]


@pytest.mark.parametrize("response", [YES, NO, WORDS])
async def test_a_question_is_not_answered_without_words(tmp_path, response: str) -> None:
    house = open_house(tmp_path, [calls("question"), calls("finish")])
    house.new_task()
    question = await house.watcher.until_ask(Ask.FOLLOWUP)

    with pytest.raises(BadParams, match="answered with words, not by yes or no alone: “this”, or your own words"):
        house.answer(response, "  ")

    assert house.watcher.messages[question.ts].waits
    house.assert_consistent()
    house.answer(response, "this")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    assert [item.text for item in house.histories()[1] if isinstance(item, Result)] == ["this"]


async def test_a_reached_request_limit_asks_and_going_on_counts_anew(tmp_path) -> None:
    house = open_house(tmp_path, [calls("a"), calls("b"), calls("finish")], LimitSettings(requests=2))
    house.new_task()
    limit = await house.watcher.until_ask(Ask.AUTO_APPROVAL_MAX_REQ_REACHED)

    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert json.loads(limit.text or "") == {"count": 2, "limit": 2, "type": "requests"}


async def test_stopping_at_a_limit_leaves_the_task_resumable(tmp_path) -> None:
    house = open_house(tmp_path, [calls("a")], LimitSettings(cost=0.01))
    house.new_task()
    await house.watcher.until_ask(Ask.AUTO_APPROVAL_MAX_REQ_REACHED)

    house.answer(NO)

    assert house.status.state is State.RESUMABLE
    house.assert_consistent()


async def test_cancel_stops_a_stream_and_makes_the_task_resumable(tmp_path) -> None:
    house = open_house(tmp_path, [])
    flowing = asyncio.Event()

    async def stream(request):
        del request
        yield [TextDelta("so far")]
        flowing.set()
        await asyncio.Event().wait()

    house.model.stream = stream
    task_id = house.new_task()
    await flowing.wait()

    status = await house.tasks.cancel(task_id)

    assert (status.state, house.waiting.kind) == (State.RESUMABLE, Ask.RESUME_TASK)
    assert next(m for m in house.watcher.messages.values() if m.text == "so far").state == "interrupted"
    house.assert_consistent()


async def test_cancel_keeps_a_waiting_ask_as_interrupted(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write")])
    task_id = house.new_task()
    ask = await house.watcher.until_ask(Ask.TOOL)

    await house.tasks.cancel(task_id)

    assert house.watcher.messages[ask.ts].state == "interrupted"
    assert house.tasks.answer(task_id, ask.ts, AskReply(YES)).reason == "AskGone"
    house.assert_consistent()


async def test_a_cancelled_task_resumes_with_words_for_the_model(tmp_path) -> None:
    house = open_house(tmp_path, [calls("hang"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until(lambda: house.status.activity == "Tools x1")
    await house.tasks.cancel(task_id)

    house.answer(WORDS, "skip that")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert words(house, 1) == ["do it", endings.RESUMED, "skip that"]
    house.assert_consistent()


async def test_a_resume_right_after_a_cancel_waits_for_it(tmp_path) -> None:
    house = open_house(tmp_path, [calls("hang")])
    task_id = house.new_task()
    await house.watcher.until(lambda: house.status.activity == "Tools x1")
    cancelling = asyncio.create_task(house.tasks.cancel(task_id))
    await asyncio.sleep(0)  # so that it has begun

    status = await house.tasks.resume(task_id)

    assert (status.state, house.waiting.kind) == (State.RESUMABLE, Ask.RESUME_TASK)
    assert await cancelling == status


async def test_cancelling_a_task_at_rest_changes_nothing(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    before = house.watcher.kinds()

    status = await house.tasks.cancel(task_id)

    assert status.state is State.IDLE
    assert house.watcher.kinds() == before


async def test_queued_words_wait_for_an_ask_and_answer_nothing(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    sent = await house.tasks.send(task_id, "yes, and more", (), "queue")
    await house.watcher.until(lambda: house.status.queue == 1)

    assert sent.disposition == "queued"
    assert house.status.state is State.WAITING_FOR_INPUT
    house.answer(YES)
    await house.watcher.until(lambda: len(house.histories()) == 3)
    assert words(house, 2)[-1] == "yes, and more"
    await house.tasks.close()


async def test_steering_words_reach_the_model_with_the_next_request(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)

    await house.tasks.send(task_id, "in French", (), "steer")
    house.answer(YES)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert words(house, 1) == ["do it", "in French"]


async def test_an_interrupting_message_stops_the_step_and_goes_on_with_it(tmp_path) -> None:
    house = open_house(tmp_path, [calls("hang"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until(lambda: house.status.activity == "Tools x1")

    sent = await house.tasks.send(task_id, "stop, do this", (), "interrupt")
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert sent.disposition == "delivered"
    assert words(house, 1) == ["do it", endings.RESUMED, "stop, do this"]
    house.assert_consistent()


async def test_a_message_to_a_task_at_rest_goes_on_at_once(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish"), says("Hm."), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    sent = await house.tasks.send(task_id, "more", (), "queue")

    assert sent.disposition == "delivered"
    await house.watcher.until(lambda: len(house.histories()) == 3)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    house.assert_consistent()


@pytest.mark.parametrize(("operation", "response"), [("continue", YES), ("abort", NO)])
async def test_the_user_operates_a_running_command(tmp_path, operation, response) -> None:
    house = open_house(tmp_path, [calls("command"), calls("finish")])
    task_id = house.new_task()
    await house.watcher.until(lambda: "line 1\n" in house.watcher.texts.values())

    assert house.tasks.operate(task_id, None, operation)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    row = next(m for m in house.watcher.messages.values() if m.ask is Ask.COMMAND_OUTPUT)
    assert row.answer is not None
    assert (row.partial, row.answer.response, row.text) == (False, response, "line 1\n")
    assert not house.tasks.operate(task_id, row.ts, operation)


async def test_previews_show_what_an_ask_would_do(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write")])
    task_id = house.new_task()
    ask = await house.watcher.until_ask(Ask.TOOL)

    changes = house.tasks.preview(task_id, ask.ts)

    assert [(change.path, change.before, change.after) for change in changes] == [("a", "", "x")]
    assert house.tasks.preview_text("agent-preview:/1/a") == "x"
    assert house.tasks.preview_text("agent-preview:/2/a") is None
    await house.tasks.close()


async def test_the_same_request_id_gives_the_same_task(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish")])

    first = house.tasks.new_task(NewTask("do it", client_request_id="r1"))
    second = house.tasks.new_task(NewTask("do it", client_request_id="r1"))

    assert first == second
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)


async def test_a_plan_denies_writing_and_says_so_to_the_model(tmp_path) -> None:
    house = open_house(tmp_path, [calls("write"), calls("finish")])

    house.new_task(permission_mode=PermissionMode.PLAN)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    result = next(item for item in house.histories()[1] if isinstance(item, Result))
    assert "plan" in result.text.lower()


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda tasks: tasks.new_task(NewTask("  ")), BadParams),
        (lambda tasks: tasks.new_task(NewTask("x", mode="poet")), BadParams),
        (lambda tasks: tasks.answer("nobody", None, AskReply(YES)), TaskUnknown),
        (lambda tasks: tasks.answer("../../etc", None, AskReply(YES)), TaskUnknown),
        (lambda tasks: tasks.set_mode(None, "poet"), BadParams),
        (lambda tasks: tasks.preview("nobody", 1), TaskUnknown),
    ],
)
async def test_bad_requests_are_refused_with_a_kind(tmp_path, act, error) -> None:
    house = open_house(tmp_path, [])

    with pytest.raises(error):
        act(house.tasks)


async def test_a_bug_in_a_turn_is_told_and_the_task_can_go_on(tmp_path, caplog) -> None:
    house = open_house(tmp_path, [[TextDelta("x"), Stopped(StopReason.END)]])
    house.model.answers = []
    house.new_task()

    failed = await house.watcher.until_ask(Ask.API_REQ_FAILED)

    assert "log" in json.loads(failed.text or "")["message"]
    assert "a turn failed" in caplog.text
    house.assert_consistent()
