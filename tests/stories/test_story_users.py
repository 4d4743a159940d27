"""What users do: reject with words, type meanwhile, cancel, ask back, queue, resume, look, rename, delete."""

import asyncio
import json
import uuid
from pathlib import Path

import psutil
import pytest
from story import NO, WORDS, YES, Story, story, tool_ask

from support.fake_editor import Manner
from support.lsp_client import RpcError
from support.model_server import CallTool, Hold, Refusal, Say

DONE = [CallTool("attempt_completion", result="Done.")]
EDIT = [CallTool("edit_file", path="a.txt", old_string="two", new_string="2")]


async def test_a_rejected_edit_touches_nothing_and_its_words_reach_the_model(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        path = s.file("a.txt", "one\ntwo\n")
        await s.new_task()
        await s.ask("tool")
        await s.answer(NO, text="not like this")
        await s.ask("completion_result")

        assert path.read_text() == "one\ntwo\n"
        assert "not like this" in s.model.requests[1].results[0].text


async def test_an_edit_of_an_open_document_is_one_edit_of_the_editor(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        path = s.file("a.txt", "on disk\n")
        s.editor.open(path.as_uri(), "one\ntwo\nthree 🦊\n")
        await s.new_task()
        await s.approve("tool")
        await s.ask("completion_result")

        assert s.editor.documents[path.as_uri()].text == "one\n2\nthree 🦊\n"
        assert path.read_text() == "on disk\n"
        assert len(s.editor.applied) == 1
        edits = s.editor.applied[0]["edit"]["documentChanges"][0]
        assert edits["textDocument"]["version"] == 1
        assert len(edits["edits"]) == 1


async def test_what_the_user_types_elsewhere_is_merged(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        uri = s.file("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n").as_uri()
        s.editor.open(uri, "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
        await s.new_task()
        await s.ask("tool")
        s.editor.type(uri, "one\ntwo\nthree\nfour\nfive\nsix\nseven and more\n")
        while s.picture.status["state"] != "idle":
            await s.client.until(s.picture.ask)
            if (s.picture.ask() or {})["ask"] == "tool":
                await s.answer(YES)
            await s.client.until(lambda: s.picture.status["state"] in ("idle", "waiting_for_input"))

        assert s.editor.documents[uri].text == "one\n2\nthree\nfour\nfive\nsix\nseven and more\n"


async def test_what_the_user_changed_in_the_same_place_is_never_overwritten(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        uri = s.file("a.txt", "one\ntwo\n").as_uri()
        s.editor.open(uri, "one\ntwo\n")
        await s.new_task()
        await s.ask("tool")
        s.editor.type(uri, "one\ntwo and a half\n")
        await s.answer(YES)
        await s.ask("completion_result")

        assert s.editor.documents[uri].text == "one\ntwo and a half\n"
        assert "two and a half" in s.model.requests[1].results[0].text
        rows = {message.get("say", message.get("ask")): message for message in s.picture.update().messages.values()}
        assert rows["tool"]["progress"] == {"icon": "error", "text": "conflict, not written"}
        assert rows["error"]["text"].startswith("You changed the same lines of a.txt meanwhile. Nothing was written,")


@pytest.mark.parametrize(
    ("manner", "told"),
    [
        (Manner.REFUSES, "Nothing was written: "),
        (Manner.FAILS, "Nothing was written: "),
        (Manner.CLAIMS_ONLY, "The editor took the edit of a.txt, but the file does not show it"),
    ],
)
async def test_an_edit_that_did_not_happen_is_told_to_the_model(tmp_path: Path, manner: Manner, told: str) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        uri = s.file("a.txt", "one\ntwo\n").as_uri()
        s.editor.open(uri, "one\ntwo\n")
        s.editor.manner = manner
        await s.new_task()
        await s.approve("tool")
        await s.ask("completion_result")

        assert s.editor.documents[uri].text == "one\ntwo\n"
        assert s.model.requests[1].results[0].text.startswith(told)


async def test_rejected_hunks_stay_out(tmp_path: Path) -> None:
    lines = [f"line {n}" for n in range(30)]
    after = "\n".join(["first", *lines[1:29], "last"]) + "\n"
    async with story(tmp_path, [[CallTool("write_to_file", path="a.txt", content=after)], DONE]) as s:
        path = s.file("a.txt", "\n".join(lines) + "\n")
        await s.new_task()
        ask = tool_ask(await s.ask("tool"))
        first, last = ask["changes"][0]["hunks"]
        await s.answer(YES, hunks={first["id"]: "accept", last["id"]: "reject"})
        await s.ask("completion_result")

        assert path.read_text() == "\n".join(["first", *lines[1:]]) + "\n"
        assert "reject" in s.model.requests[1].results[0].text.lower()


async def test_a_preview_shows_what_will_be(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, DONE]) as s:
        s.file("a.txt", "one\ntwo\n")
        await s.new_task()
        ask = await s.ask("tool")

        shown = await s.client.request("agent/preview", {"taskId": s.task_id, "ts": ask["ts"]})

        assert [(c["before"], c["after"]) for c in shown["changes"]] == [("one\ntwo\n", "one\n2\n")]
        uri = shown["changes"][0]["previewUri"]
        content = await s.client.request("workspace/textDocumentContent", {"uri": uri})
        assert content == {"text": "one\n2\n"}


async def test_a_question_is_answered_in_words(tmp_path: Path) -> None:
    follow_up = [{"text": "red"}, {"text": "blue"}]
    question = [CallTool("ask_followup_question", question="Which colour?", follow_up=follow_up)]
    async with story(tmp_path, [question, DONE]) as s:
        await s.new_task()
        ask = await s.ask("followup")
        await s.answer(WORDS, text="green")
        await s.ask("completion_result")

        assert json.loads(ask["text"])["suggest"] == [{"answer": "red"}, {"answer": "blue"}]
        assert "green" in s.model.requests[1].results[0].text


async def test_cancel_stops_a_stream_at_once_and_resume_goes_on(tmp_path: Path) -> None:
    hold = Hold()
    async with story(tmp_path, [[Say("I begin"), hold], DONE]) as s:
        await s.new_task()
        await hold.reached.wait()
        await s.client.until(lambda: "I begin" in [m.get("text") for m in s.picture.update().messages.values()])
        status = await s.client.request("agent/cancelTask", {"taskId": s.task_id})

        assert (status["state"], status["ask"]["kind"]) == ("resumable", "resume_task")
        await s.answer(YES)
        await s.ask("completion_result")
        assert s.model.requests[1].items[1].text == "I begin"  # type: ignore[union-attr]  # the reply that was cut off


async def test_cancel_ends_a_running_command_and_all_it_started(tmp_path: Path) -> None:
    # Told by what they wait for: in a sandbox, processes have numbers of their own.
    seconds = f"300.{uuid.uuid4().int % 10**18}"
    command = f"(sleep {seconds} & echo > child; wait) & until [ -e child ]; do :; done; echo started; wait"
    async with story(tmp_path, [[CallTool("execute_command", command=command)], DONE]) as s:
        await s.new_task()
        await s.approve("command")
        await s.client.until(lambda: "started\n" in [m.get("text") for m in s.picture.update().messages.values()])
        await s.client.request("agent/cancelTask", {"taskId": s.task_id})

        words = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
        assert [line for line in words if seconds in " ".join(line)] == []


async def test_a_running_command_is_sent_to_the_background_and_aborted_by_cancel(tmp_path: Path) -> None:
    command = "echo ready; sleep 300"
    async with story(tmp_path, [[CallTool("execute_command", command=command)], DONE]) as s:
        await s.new_task()
        await s.approve("command")
        await s.client.until(lambda: "ready\n" in [m.get("text") for m in s.picture.update().messages.values()])
        await s.client.request("agent/terminalOperation", {"taskId": s.task_id, "operation": "continue"})
        await s.ask("completion_result")

        assert "background" in s.model.requests[1].results[0].text
        assert s.picture.status["activity"] == "Background x1"


async def test_a_failing_service_is_told_and_retried_by_hand(tmp_path: Path) -> None:
    async with story(tmp_path, [Refusal(401, "bad key"), DONE]) as s:
        await s.new_task()
        failed = json.loads((await s.ask("api_req_failed"))["text"])
        await s.answer(YES)
        await s.ask("completion_result")

        assert (failed["status"], failed["attempts"]) == (401, 1)
        assert "bad key" in failed["message"]


async def test_a_busy_service_is_retried_by_itself_with_a_countdown(tmp_path: Path) -> None:
    async with story(tmp_path, [Refusal(529, "overloaded"), DONE]) as s:
        await s.new_task()
        await s.ask("completion_result")

        delays = [m for m in s.picture.messages.values() if m.get("say") == "api_req_retry_delayed"]
        assert [json.loads(m["text"])["seconds"] for m in delays] == [0]


def idle_tasks(s: Story) -> set[str]:
    return {status["taskId"] for status in s.client.named("agent/state") if status["state"] == "idle"}


async def test_two_tasks_run_beside_each_other(tmp_path: Path) -> None:
    async with story(tmp_path, lambda _i, _r: DONE) as s:
        first, second = await s.new_task("one"), await s.new_task("two")
        await s.client.until(lambda: {first, second} == idle_tasks(s))

        listed = await s.client.request("agent/listTasks", {})
        assert {task["title"] for task in listed["tasks"]} == {"one", "two"}


async def test_a_task_is_renamed_cleared_resumed_and_deleted(tmp_path: Path) -> None:
    async with story(tmp_path, [DONE]) as s:
        await s.new_task("one")
        await s.ask("completion_result")
        await s.client.request("agent/renameTask", {"taskId": s.task_id, "title": "uno"})
        await s.client.request("agent/clearTask", {})
        gone = await s.client.request("agent/state", {})
        back = await s.client.request("agent/resumeTask", {"taskId": s.task_id})
        await s.client.request("agent/deleteTask", {"taskId": s.task_id})

        assert gone["state"] == "no_task"
        assert (back["title"], back["ask"]["kind"]) == ("uno", "resume_completed_task")
        assert (await s.client.request("agent/listTasks", {}))["tasks"] == []
        with pytest.raises(RpcError) as unknown:
            await s.client.request("agent/resumeTask", {"taskId": s.task_id})
        assert unknown.value.kind == "TaskUnknown"


async def test_without_a_provider_a_task_is_refused_with_what_to_set(tmp_path: Path) -> None:
    async with story(tmp_path, [], settings={"providers": {}, "currentProvider": None}) as s:
        with pytest.raises(RpcError) as refused:
            await s.new_task()

        assert refused.value.kind == "NotConfigured"
        assert "providers" in refused.value.message


async def test_no_byte_that_is_written_holds_the_key(tmp_path: Path) -> None:
    key = "sk-planted-0123456789"
    async with story(
        tmp_path, [Refusal(400, f"you sent {key}"), [CallTool("execute_command", command="env"), *DONE]]
    ) as s:
        await s.new_task(f"my key is {key}")
        await s.ask("api_req_failed")
        await s.answer(YES)
        await s.approve("command")
        await s.ask("completion_result")
        report = await s.client.request("agent/debugReport", {})

    written = b"".join(path.read_bytes() for path in s.state.rglob("*") if path.is_file())
    assert key.encode() not in written
    assert key not in json.dumps(report)
    assert key.encode() not in bytes(s.client.stderr)


async def test_an_unsaved_document_is_saved_before_a_command_reads_the_disk(tmp_path: Path) -> None:
    async with story(tmp_path, [EDIT, [CallTool("execute_command", command="cat a.txt")], DONE]) as s:
        path = s.file("a.txt", "one\ntwo\n")
        s.editor.open(path.as_uri(), "one\ntwo\n")
        await s.new_task()
        await s.approve("tool")
        await s.approve("command")
        await s.ask("completion_result")

        assert path.read_text() == "one\n2\n"
        assert "2" in s.model.requests[2].results[1].text


async def test_queued_words_go_on_after_the_completion(tmp_path: Path) -> None:
    hold = Hold()
    async with story(tmp_path, [[hold, *DONE], DONE]) as s:
        await s.new_task()
        await hold.reached.wait()
        sent = await s.client.request("agent/sendMessage", {"taskId": s.task_id, "text": "and then this"})
        hold.release.set()
        await asyncio.wait_for(s.model.arrived(2), 10)
        await s.ask("completion_result")

        assert sent["disposition"] == "queued"
        assert "and then this" in s.model.requests[1].new_texts
