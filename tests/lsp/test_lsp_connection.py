import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_lsp.domain.errors import NotConfigured, Overloaded, TaskBusy
from agent_lsp.lsp.capabilities import COMMANDS, METHODS
from agent_lsp.lsp.framing import frame
from agent_lsp.lsp.wire.methods import CLIENT_METHODS
from support.front_door import FrontDoor, front_door
from support.lsp_client import Json, NoAnswer, RpcError


async def test_initialize_tells_what_the_server_can(door: FrontDoor) -> None:
    answer = await door.client.initialize(capabilities={"general": {"positionEncodings": ["utf-16", "utf-8"]}})

    agent = answer["capabilities"]["experimental"]["agent"]
    assert answer["capabilities"]["positionEncoding"] == "utf-8"
    assert (agent["protocolVersion"], agent["methods"]) == (1, list(METHODS))
    assert answer["capabilities"]["executeCommandProvider"]["commands"] == list(COMMANDS)


async def test_what_is_announced_is_what_is_registered(door: FrontDoor) -> None:
    features = set(door.server.connection.fm.features)

    assert {name for name in features if name.startswith("agent/")} == set(METHODS) == set(CLIENT_METHODS)
    assert set(door.server.known_commands) == set(COMMANDS)
    assert "workspace/textDocumentContent" in features


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-16"], "utf-16"),
        (["utf-32", "utf-16", "utf-8"], "utf-8"),
        (["utf-32"], "utf-32"),
        (["utf-7"], "utf-16"),
        ("utf-8", "utf-16"),
    ],
)
async def test_position_encoding_is_negotiated(door: FrontDoor, offered: object, chosen: str) -> None:
    answer = await door.client.initialize(capabilities={"general": {"positionEncodings": offered}})

    assert answer["capabilities"]["positionEncoding"] == chosen


@pytest.mark.parametrize("params", [None, [], {}, {"capabilities": 7}, {"capabilities": {}, "processId": "x"}])
async def test_wrong_initialize_leaves_room_for_a_right_one(door: FrontDoor, params: object) -> None:
    with pytest.raises(RpcError) as error:
        await door.client.request("initialize", params)

    assert error.value.code == -32602
    assert await door.client.initialize()


async def test_request_before_initialize_is_refused(door: FrontDoor) -> None:
    with pytest.raises(RpcError) as error:
        await door.client.request("agent/state", {})

    assert error.value.code == -32002


async def test_second_initialize_is_refused(ready: FrontDoor) -> None:
    with pytest.raises(RpcError) as error:
        await ready.client.initialize()

    assert error.value.code == -32600


async def test_request_after_shutdown_is_refused(ready: FrontDoor) -> None:
    await ready.client.request("shutdown")

    with pytest.raises(RpcError) as error:
        await ready.client.request("agent/state", {})

    assert error.value.code == -32600
    assert ready.hall.is_closed


@pytest.mark.parametrize(("does_shut_down", "code"), [(True, 0), (False, 1)])
async def test_exit_code_says_whether_the_end_was_announced(ready: FrontDoor, does_shut_down: bool, code: int) -> None:
    if does_shut_down:
        await ready.client.request("shutdown")

    ready.client.notify("exit", None)

    async with asyncio.timeout(5):
        assert await ready.server.ending == code


@pytest.mark.parametrize(
    ("method", "params", "names"),
    [
        ("agent/newTask", {}, "text"),
        ("agent/newTask", {"text": ""}, "text"),
        ("agent/newTask", {"text": 7}, "text"),
        ("agent/newTask", [1], "dictionary"),
        ("agent/newTask", {"text": "x", "permissionMode": "yolo"}, "permissionMode"),
        ("agent/newTask", {"text": "x", "context": [{"range": {}}]}, "context.0.uri"),
        ("agent/askResponse", {"taskId": "t", "response": "maybe"}, "response"),
        ("agent/askResponse", {"taskId": "t", "response": "yesButtonClicked", "hunks": {"h": "x"}}, "hunks.h"),
        ("agent/state", {"limit": 0}, "limit"),
        ("workspace/executeCommand", {"command": None}, "command"),
        ("workspace/executeCommand", None, "workspace/executeCommand"),
        ("workspace/executeCommand", {"command": "agent.send", "arguments": "hello"}, "arguments"),
        ("workspace/executeCommand", {"command": "agent.send", "arguments": {"a": 1}}, "arguments"),
        ("workspace/textDocumentContent", {}, "uri"),
    ],
)
async def test_bad_params_are_answered_and_the_field_named(
    ready: FrontDoor, method: str, params: object, names: str
) -> None:
    with pytest.raises(RpcError) as error:
        await ready.client.request(method, params)

    assert (error.value.code, error.value.kind) == (-32602, "BadParams")
    assert names in error.value.message


async def test_null_counts_as_absent(ready: FrontDoor) -> None:
    answer = await ready.client.request("agent/newTask", {"text": "x", "images": None, "mode": None, "later": 1})

    assert answer == {"taskId": "t1", "instanceId": "i1"}


async def test_unknown_method_is_refused(ready: FrontDoor) -> None:
    with pytest.raises(RpcError) as error:
        await ready.client.request("no/such")

    assert error.value.code == -32601


async def test_payload_with_a_jsonrpc_key_is_data(ready: FrontDoor) -> None:
    params = {"text": "x", "extra": {"jsonrpc": "2.0", "id": 1, "method": "exit"}}

    assert await ready.client.request("agent/newTask", params)


async def test_id_in_use_is_refused_without_an_answer_to_it(ready: FrontDoor) -> None:
    ready.client.send_request("agent/cancelTask", {"taskId": "t1"}, request_id=900)
    ready.client.send({"jsonrpc": "2.0", "id": 900, "method": "agent/state"})

    refusal = await ready.client.until(lambda: next((r for r in ready.client.responses if r["id"] is None), None))
    ready.hall.may_cancel.set()
    answer = await ready.client.response(900)

    assert refusal["error"]["code"] == -32600
    assert answer["result"]["taskId"] == "t1"
    assert sum(response["id"] == 900 for response in ready.client.responses) == 1


async def test_cancelled_request_is_answered_as_such(ready: FrontDoor) -> None:
    request_id = ready.client.send_request("agent/cancelTask", {"taskId": "t1"})

    ready.client.notify("$/cancelRequest", {"id": request_id})
    response = await ready.client.response(request_id)

    assert response["error"]["code"] == -32800


@pytest.mark.parametrize("params", [{"id": "none"}, {"id": 7}, {}, None, [], {"id": {}}])
async def test_cancelling_what_does_not_run_does_nothing(ready: FrontDoor, params: object) -> None:
    ready.client.notify("$/cancelRequest", params)

    assert await ready.client.request("agent/debugReport") == "All is well."


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (TaskBusy("It runs already."), "TaskBusy"),
        (NotConfigured("Set a provider."), "NotConfigured"),
        (Overloaded("Later."), "Overloaded"),
    ],
)
async def test_error_names_its_kind(ready: FrontDoor, failure: Exception, kind: str) -> None:
    ready.hall.failure = failure

    with pytest.raises(RpcError) as error:
        await ready.client.request("agent/newTask", {"text": "x"})

    assert (error.value.code, error.value.kind, error.value.message) == (-32803, kind, str(failure))


@pytest.mark.parametrize("method", ["agent/state", "agent/cancelTask"])
async def test_bug_is_answered_without_its_traceback(
    ready: FrontDoor, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    ready.hall.failure = ZeroDivisionError("secret /path")

    with pytest.raises(RpcError) as error:
        await ready.client.request(method, {"taskId": "t1"})

    assert error.value.code == -32603
    assert "secret" not in str(ready.client.responses[-1])
    assert "ZeroDivisionError" in caplog.text
    assert ready.client.notifications == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/didClose", {"textDocument": {"uri": "file:///nobody"}}),
        ("textDocument/didChange", {"textDocument": {"uri": "file:///nobody", "version": 2}, "contentChanges": []}),
        ("textDocument/didOpen", {"textDocument": None}),
        ("agent/editorContext", {"visible": 7}),
        ("$/murmur", None),
        ("no/such", {}),
    ],
)
async def test_notification_never_does_harm(ready: FrontDoor, method: str, params: object) -> None:
    ready.client.notify(method, params)

    assert await ready.client.request("agent/debugReport") == "All is well."
    assert ready.client.notifications == []


async def test_failing_notification_is_only_logged(ready: FrontDoor, caplog: pytest.LogCaptureFixture) -> None:
    ready.hall.failure = ZeroDivisionError()

    ready.client.notify("agent/editorContext", {})
    ready.hall.failure = None

    assert await ready.client.request("agent/listTasks") is not None
    assert ready.client.notifications == []


async def test_nothing_is_kept_of_requests_and_notifications(ready: FrontDoor) -> None:
    for _ in range(50):
        ready.client.notify("agent/editorContext", {})
        await ready.client.request("agent/newTask", {"text": "x"})

    assert vars(ready.server.connection)["_running"] == {}
    assert vars(ready.server.connection)["_request_futures"] == {}


async def test_late_answer_to_a_question_given_up_is_ignored(ready: FrontDoor) -> None:
    question = asyncio.ensure_future(ready.server.connection.send_request_async("agent/save", {"uris": []}))
    await asyncio.sleep(0)

    question.cancel()
    await asyncio.wait((question,))
    ready.client.send({"jsonrpc": "2.0", "id": 1, "result": {}})

    assert await ready.client.notification("$/cancelRequest") == {"id": 1}
    assert await ready.client.request("agent/debugReport") == "All is well."


async def test_answer_cannot_settle_a_request_of_the_clients_own(ready: FrontDoor) -> None:
    request_id = ready.client.send_request("agent/cancelTask", {"taskId": "t1"})
    ready.client.send({"jsonrpc": "2.0", "id": request_id, "result": "mine"})

    ready.hall.may_cancel.set()
    response = await ready.client.response(request_id)

    assert response["result"]["taskId"] == "t1"


async def test_shutdown_cancels_what_runs(ready: FrontDoor) -> None:
    request_id = ready.client.send_request("agent/cancelTask", {"taskId": "t1"})

    await ready.client.request("shutdown")
    response = await ready.client.response(request_id)

    assert response["error"]["code"] == -32800


@pytest.mark.parametrize(("level", "has_size"), [("messages", False), ("verbose", True)])
async def test_trace_tells_of_messages_but_not_what_is_in_them(ready: FrontDoor, level: str, has_size: bool) -> None:
    ready.client.notify("$/setTrace", {"value": level})

    await ready.client.request("agent/newTask", {"text": "a secret"})
    trace = await ready.client.notification("$/logTrace", lambda p: "agent/newTask" in p["message"])

    assert ("verbose" in trace) == has_size
    assert "secret" not in str(ready.client.notifications)


async def test_trace_can_be_switched_off(ready: FrontDoor) -> None:
    ready.client.notify("$/setTrace", {"value": "messages"})
    ready.client.notify("$/setTrace", {"value": "off"})

    await ready.client.request("agent/debugReport")

    assert len(ready.client.named("$/logTrace")) <= 1


@pytest.mark.parametrize("refusal", [NotConfigured("The state folder cannot be written."), OSError("No space left.")])
async def test_hall_that_cannot_be_opened_is_named_in_every_answer(refusal: Exception) -> None:
    async with front_door(refusal=refusal) as door:
        await door.client.initialize()
        with pytest.raises(RpcError) as error:
            await door.client.request("agent/newTask", {"text": "x"})
        await door.client.request("shutdown")

    assert (error.value.code, error.value.kind, error.value.message) == (-32803, "NotConfigured", str(refusal))


async def test_whoever_waits_for_a_client_that_goes_is_told(ready: FrontDoor) -> None:
    ready.client.answers["agent/save"] = never
    left = asyncio.create_task(ready.hall.documents.save(["file:///a"]))
    await ready.client.question("agent/save")

    await ready.server.stop()

    async with asyncio.timeout(5):
        assert list(await left) == ["file:///a"]
        assert list(await ready.hall.documents.save(["file:///a"])) == ["file:///a"]


@pytest.mark.parametrize("answer", [7, "yes", {"saved": 1}, None])
async def test_answer_that_makes_no_sense_is_no_answer(ready: FrontDoor, answer: object) -> None:
    ready.client.answers["agent/save"] = lambda _: answer

    left = await ready.hall.documents.save(["file:///a"])

    assert list(left) == ["file:///a"]


BODY = (
    b'{"jsonrpc":"2.0","id":1,"method":"agent/askResponse","params":{"taskId":"t","ts":5,"response":"yesButtonClicked",'
    b'"hunks":{"h":"accept"},"edited":[{"uri":"file:///a","text":"x"}],"images":[]}}'
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutations=st.lists(st.tuples(st.integers(0, len(BODY) - 1), st.binary(max_size=3)), max_size=4))
async def test_mutated_message_is_answered_or_ignored_and_nothing_else(
    ready: FrontDoor, mutations: list[tuple[int, bytes]]
) -> None:
    body = BODY
    for at, piece in mutations:
        body = body[:at] + piece + body[at + 1 :]

    ready.client.write(frame(body))

    assert await ready.client.request("agent/debugReport", request_id=77) == "All is well."


async def never(_: Json) -> None:
    raise NoAnswer
