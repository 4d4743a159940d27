from pathlib import Path
from typing import Any

import pytest

from agent_lsp.domain.documents import EditorContext, Terminal
from agent_lsp.domain.encoding import to_wire
from agent_lsp.domain.errors import NotConfigured
from agent_lsp.domain.files import Change
from agent_lsp.domain.permissions import Grant, PermissionWish, Remember, Scope
from agent_lsp.domain.requests import AskReply, ContextReference, NewTask, QueueEdit
from agent_lsp.domain.status import PermissionMode
from support.fake_hall import PERMISSION, STATUS
from support.front_door import FrontDoor
from support.lsp_client import Json, RpcError

WIRE_STATUS = to_wire(STATUS)
IMAGE = "data:image/png;base64,AA=="


def _range(start: tuple[int, int], end: tuple[int, int]) -> Json:
    return {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
    }


@pytest.mark.parametrize(
    ("method", "params", "asked", "result"),
    [
        ("agent/newTask", {"text": "x"}, ("new_task", NewTask("x")), {"taskId": "t1", "instanceId": "i1"}),
        (
            "agent/newTask",
            {
                "text": "x",
                "images": [IMAGE],
                "mode": "code",
                "profile": "p",
                "permissionMode": "plan",
                "clientRequestId": "c",
            },
            ("new_task", NewTask("x", (IMAGE,), "code", "p", PermissionMode.PLAN, (), "c")),
            {"taskId": "t1", "instanceId": "i1"},
        ),
        (
            "agent/sendMessage",
            {"taskId": "t1", "text": "and"},
            ("send", ("t1", "and", (), "queue")),
            {"messageId": "m1", "disposition": "queued"},
        ),
        (
            "agent/askResponse",
            {"taskId": "t1", "response": "yesButtonClicked"},
            ("answer", ("t1", None, AskReply("yesButtonClicked"))),
            {"accepted": True},
        ),
        (
            "agent/askResponse",
            {
                "taskId": "t1",
                "ts": 5,
                "response": "objectResponse",
                "text": "so",
                "images": [IMAGE],
                "hunks": {"h1": "reject"},
                "edited": [{"uri": "file:///a", "text": "A"}],
            },
            ("answer", ("t1", 5, AskReply("objectResponse", "so", (IMAGE,), {"h1": "reject"}, {"file:///a": "A"}))),
            {"accepted": True},
        ),
        (
            "agent/askResponse",
            {"taskId": "t1", "response": "yesButtonClicked", "remember": {"scope": "project", "rule": "git log"}},
            ("answer", ("t1", None, AskReply("yesButtonClicked", remember=Remember(Scope.PROJECT, "git log")))),
            {"accepted": True},
        ),
        ("agent/permissions", {}, ("permissions", None), {"permissions": [to_wire(PERMISSION)]}),
        (
            "agent/permissions",
            {"op": "add", "scope": "project", "kind": "edit", "rule": "src", "root": "/w"},
            ("add_permission", PermissionWish(Scope.PROJECT, Grant.EDIT, "src", "/w")),
            {"permissions": [to_wire(PERMISSION)]},
        ),
        ("agent/permissions", {"op": "revoke", "id": "p1"}, ("revoke_permission", "p1"), {"permissions": []}),
        (
            "agent/trust",
            {"op": "trust", "root": "/w", "digest": "d"},
            ("trust", ("/w", "d", True)),
            {"folders": []},
        ),
        ("agent/trust", {"op": "decline", "root": "/w", "digest": "d"}, ("trust", ("/w", "d", False)), {"folders": []}),
        ("agent/trust", {"op": "forget", "root": "/w"}, ("forget_trust", "/w"), {"folders": []}),
        ("agent/clearTask", {}, ("clear", None), None),
        ("agent/clearTask", {"taskId": "t1"}, ("clear", "t1"), None),
        ("agent/condense", {"taskId": "t1"}, ("condense", ("t1", "")), None),
        ("agent/condense", {"taskId": "t1", "instructions": "the API"}, ("condense", ("t1", "the API")), None),
        ("agent/resumeTask", {"taskId": "t1"}, ("resume", "t1"), WIRE_STATUS),
        (
            "agent/listTasks",
            {"limit": 5, "query": "fix", "cursor": "c"},
            ("list_tasks", ("c", 5, "fix")),
            {"tasks": [{"taskId": "t1", "title": "Fix it", "ts": 1, "state": "idle", "usage": WIRE_STATUS["usage"]}]},
        ),
        ("agent/renameTask", {"taskId": "t1", "title": "New"}, ("rename", ("t1", "New")), None),
        ("agent/deleteTask", {"taskId": "t1"}, ("delete", "t1"), None),
        (
            "agent/terminalOperation",
            {"taskId": "t1", "operation": "abort"},
            ("operate", ("t1", None, "abort")),
            {"accepted": True},
        ),
        ("agent/preview", {"taskId": "t1", "ts": 4}, ("preview", ("t1", 4)), {"changes": []}),
        (
            "agent/checkpoints",
            {"taskId": "t1"},
            ("checkpoints", "t1"),
            {"checkpoints": [{"id": "c1", "ts": 1, "reason": "command"}]},
        ),
        (
            "agent/checkpointDiff",
            {"taskId": "t1", "checkpoint": "c1", "to": "c2"},
            ("difference", ("t1", "c1", "c2")),
            {"changes": [{"uri": "file:///a", "path": "a", "kind": "delete"}], "leftOut": ["big.bin"]},
        ),
        (
            "agent/restore",
            {"taskId": "t1", "checkpoint": "c1", "what": "files", "dryRun": True},
            ("restore", ("t1", "c1", None, True, "files")),
            {
                "isDone": False,
                "files": [{"uri": "file:///a", "path": "a", "kind": "edit", "isMerged": True}],
                "conflicts": [],
                "undo": "c2",
            },
        ),
        (
            "agent/restore",
            {"taskId": "t1", "ts": 7, "what": "both"},
            ("restore", ("t1", None, 7, False, "both")),
            {
                "isDone": True,
                "files": [{"uri": "file:///a", "path": "a", "kind": "edit", "isMerged": True}],
                "conflicts": [],
                "undo": "c2",
            },
        ),
        (
            "agent/queue",
            {"taskId": "t1", "op": "list"},
            ("queue", ("t1", None)),
            {"words": [{"messageId": "m1", "text": "and", "delivery": "queue"}]},
        ),
        (
            "agent/queue",
            {"taskId": "t1", "op": "edit", "messageId": "m1", "text": "or", "images": []},
            ("queue", ("t1", QueueEdit("edit", "m1", "or", ()))),
            {"words": [{"messageId": "m1", "text": "and", "delivery": "queue"}]},
        ),
        (
            "agent/queue",
            {"taskId": "t1", "op": "move", "messageId": "m1", "position": 2},
            ("queue", ("t1", QueueEdit("move", "m1", position=2))),
            {"words": [{"messageId": "m1", "text": "and", "delivery": "queue"}]},
        ),
        (
            "agent/forkTask",
            {"taskId": "t1", "ts": 7, "title": "Other"},
            ("fork", ("t1", 7, "Other")),
            {"taskId": "t2", "instanceId": "i2", "text": "do it"},
        ),
        (
            "agent/exportTask",
            {"taskId": "t1"},
            ("export", "t1"),
            {"title": "Fix it", "text": "# Fix it\n"},
        ),
        (
            "agent/newTask",
            {"images": [IMAGE]},
            ("new_task", NewTask("", (IMAGE,))),
            {"taskId": "t1", "instanceId": "i1"},
        ),
        (
            "agent/sendMessage",
            {"taskId": "t1", "text": "", "images": [IMAGE]},
            ("send", ("t1", "", (IMAGE,), "queue")),
            {"messageId": "m1", "disposition": "queued"},
        ),
        ("agent/setMode", {"mode": "code"}, ("set_mode", (None, "code")), None),
        ("agent/setProfile", {"taskId": "t1", "profile": "work"}, ("set_profile", ("t1", "work")), None),
        ("agent/setProfile", {"profile": "work"}, ("set_profile", (None, "work")), None),
        (
            "agent/listModes",
            {"taskId": "t1"},
            ("list_modes", "t1"),
            {
                "modes": [
                    {"slug": "ask", "name": "Ask", "description": "Answers", "source": "built-in", "isCurrent": True}
                ]
            },
        ),
        (
            "agent/listCommands",
            None,
            ("list_commands", None),
            {
                "commands": [
                    {
                        "name": "init",
                        "description": "Write AGENTS.md",
                        "kind": "text",
                        "source": "built-in",
                        "argumentHint": "[what]",
                    },
                    {"name": "plan", "description": "Reads only", "kind": "permissionMode", "source": "built-in"},
                ]
            },
        ),
        (
            "agent/listProfiles",
            {"taskId": "t1"},
            ("profiles", "t1"),
            {"profiles": [{"name": "work", "type": "anthropic", "model": "m", "isCurrent": True}]},
        ),
        (
            "agent/setPermissionMode",
            {"taskId": "t1", "permissionMode": "acceptEdits"},
            ("set_permission_mode", ("t1", PermissionMode.ACCEPT_EDITS)),
            None,
        ),
        ("agent/debugReport", None, ("debug_report", None), "All is well."),
        (
            "agent/state",
            {"taskId": "t1", "instanceId": "i1", "since": 2, "limit": 10, "before": 99},
            ("snapshot", ("t1", "i1", 2, 10, 99)),
            {**WIRE_STATUS, "messages": [], "seq": 3, "hasMore": False},
        ),
    ],
)
async def test_method_reaches_the_hall(
    ready: FrontDoor, method: str, params: Json | None, asked: tuple[str, object], result: Any
) -> None:
    answer = await ready.client.request(method, params)

    assert ready.hall.calls[-1] == asked
    assert answer == result


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("agent/newTask", {"text": "x"}),
        ("workspace/executeCommand", {"command": "agent.newTask", "arguments": ["x"]}),
    ],
)
async def test_refused_task_says_what_could_be_done(ready: FrontDoor, method: str, params: Json) -> None:
    ready.hall.failure, ready.hall.advised = NotConfigured("No model is set up."), ("Ollama runs here.",)

    with pytest.raises(RpcError) as refused:
        await ready.client.request(method, params)

    assert (refused.value.kind, refused.value.message) == ("NotConfigured", "No model is set up. Ollama runs here.")


async def test_cancel_answers_once_all_has_stopped(ready: FrontDoor) -> None:
    request_id = ready.client.send_request("agent/cancelTask", {"taskId": "t1"})
    await ready.client.request("agent/debugReport")
    is_early = any(response["id"] == request_id for response in ready.client.responses)

    ready.hall.may_cancel.set()
    response = await ready.client.response(request_id)

    assert (is_early, response["result"]) == (False, WIRE_STATUS)


async def test_state_without_a_task_says_so(ready: FrontDoor) -> None:
    ready.hall.task = None

    assert await ready.client.request("agent/state") == {"state": "no_task", "messages": [], "seq": 3, "hasMore": False}


@pytest.mark.parametrize("nothing", [None, {}, []])
async def test_no_parameters_may_come_as_null_or_empty(ready: FrontDoor, nothing: object) -> None:
    """Lua writes an empty table as a list."""
    assert (await ready.client.request("agent/state", nothing))["taskId"] == "t1"


async def test_empty_task_list_is_a_list(ready: FrontDoor) -> None:
    ready.hall.task = None

    assert await ready.client.request("agent/listTasks") == {"tasks": []}


@pytest.mark.parametrize(
    ("wire_range", "lines"),
    [
        (None, (None, None)),
        (_range((0, 0), (0, 5)), (1, 1)),
        (_range((2, 3), (4, 1)), (3, 5)),
        (_range((2, 0), (4, 0)), (3, 4)),
        (_range((2, 0), (2, 0)), (3, 3)),
    ],
)
async def test_attached_range_becomes_the_lines_it_touches(
    ready: FrontDoor, wire_range: Json | None, lines: tuple[int | None, int | None]
) -> None:
    await ready.client.request("agent/newTask", {"text": "x", "context": [{"uri": "file:///a", "range": wire_range}]})

    assert ready.hall.named("new_task") == [NewTask("x", context=(ContextReference("file:///a", *lines),))]


async def test_preview_has_whole_texts(ready: FrontDoor) -> None:
    change = Change("file:///a", "a", "edit", "@@", 1, 1, "agent-preview:/p/a", 1, (), before="b", after="c")
    ready.hall.changes = (change,)

    assert await ready.client.request("agent/preview", {"taskId": "t1", "ts": 4}) == {"changes": [to_wire(change)]}


async def test_preview_document_is_served(ready: FrontDoor) -> None:
    ready.hall.previews["agent-preview:/p/a"] = "text"

    assert await ready.client.request("workspace/textDocumentContent", {"uri": "agent-preview:/p/a"}) == {
        "text": "text"
    }


async def test_preview_document_that_is_gone_is_an_error(ready: FrontDoor) -> None:
    with pytest.raises(RpcError) as error:
        await ready.client.request("workspace/textDocumentContent", {"uri": "agent-preview:/p/a"})

    assert (error.value.code, error.value.kind) == (-32803, "TaskUnknown")


async def test_editor_context_reaches_the_hall(ready: FrontDoor) -> None:
    context = {
        "visible": [{"uri": "file:///a", "ranges": []}],
        "active": {"uri": "file:///a", "selection": _range((0, 0), (2, 0))},
        "openTabs": ["file:///a", "file:///b"],
        "terminals": [{"name": "zsh", "command": "make", "exitCode": 2, "output": "x" * 20_001, "shell": "ignored"}],
    }

    ready.client.notify("agent/editorContext", context)
    await ready.client.request("agent/debugReport")

    assert ready.hall.named("editor_context") == [
        EditorContext(
            "file:///a",
            ("file:///a",),
            ("file:///a", "file:///b"),
            cursor_line=3,
            selected_lines=(1, 2),
            terminals=(Terminal("zsh", command="make", exit_code=2, output="x" * 20_000),),
        )
    ]


async def test_documents_reach_the_hall_as_they_change(ready: FrontDoor) -> None:
    uri = "file:///w/a.txt"
    item = {"uri": uri, "languageId": "x", "version": 1, "text": "a\n"}
    change = {"range": _range((0, 1), (0, 1)), "text": "b"}

    ready.client.notify("textDocument/didOpen", {"textDocument": item})
    ready.client.notify(
        "textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]}
    )
    await ready.client.request("agent/debugReport")
    changed = ready.hall.documents.get(uri)
    ready.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    await ready.client.request("agent/debugReport")
    saved = ready.hall.documents.open_documents()

    assert changed is not None
    assert (changed.text, changed.version, changed.is_dirty) == ("ab\n", 2, True)
    assert [document.is_dirty for document in saved] == [False]


@pytest.mark.parametrize(
    ("announced", "roots"),
    [
        ({"rootUri": "file:///w"}, (Path("/w"),)),
        ({"rootPath": "/w"}, (Path("/w"),)),
        ({"workspaceFolders": [{"uri": "file:///a%20b", "name": "a"}, {"uri": "x:y"}]}, (Path("/a b"),)),
        ({"workspaceFolders": [{"uri": "file:///a", "name": "a"}], "rootUri": "file:///w"}, (Path("/a"),)),
        ({"workspaceFolders": None, "rootUri": None}, ()),
        ({}, ()),
    ],
)
async def test_roots_come_from_whatever_the_client_names(
    door: FrontDoor, announced: Json, roots: tuple[Path, ...]
) -> None:
    await door.client.request("initialize", {"capabilities": {}, **announced})

    assert door.hall.named("set_roots") == [roots]


async def test_roots_follow_the_workspace_folders(door: FrontDoor) -> None:
    await door.client.initialize(root=Path("/w"))
    event = {"added": [{"uri": "file:///b", "name": "b"}], "removed": [{"uri": "file:///w", "name": "w"}]}

    door.client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    await door.client.request("agent/debugReport")

    assert door.hall.named("set_roots") == [(Path("/w"),), (Path("/b"),)]
