"""Every field of every method of ours with values that are not what it takes, to the real server with a task at work.

Each is refused in words that name the field, or means what it says; none is a mistake of the server's, and none changes
anything.
"""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from agent_lsp.lsp.wire.methods import CLIENT_METHODS
from support.lsp_client import LspClient
from support.model_server import Hold, Say, ScriptedServer, scripted_model

SERVER = (sys.executable, "-m", "agent_lsp", "--stdio")
VALUES: dict[str, Any] = {
    "truth": True,
    "a number": 5,
    "less than nothing": -1,
    "beyond 64 bits": 2**70,
    "a fraction": 1.5,
    "text": "odd",
    "no text": "",
    "a null character": "\x00",
    "half a character": "\ud83d",
    "long text": "x" * 100_000,
    "an empty list": [],
    "a list of numbers": [5],
    "a list of texts": ["odd"],
    "a list of nothing": [None],
    "lists in lists": [[[]]],
    "an empty object": {},
    "an object": {"odd": {"odd": 1}},
}


def takes(annotation: Any, value: Any) -> bool:
    """Whether a value has the type of a field, whatever it says: then it need not be refused."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return takes(inner[0], value)
    if origin in (Union, UnionType):
        return any(takes(kind, value) for kind in inner if kind is not NoneType)
    if origin is Literal:
        return False
    if origin is tuple:
        return isinstance(value, list) and all(takes(inner[0], item) for item in value)
    if origin is dict:
        return isinstance(value, dict)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return isinstance(value, dict)
    # A truth counts as a number, and the other way round: no client is turned away for that.
    return isinstance(value, (int, bool) if annotation in (int, bool) else annotation)


def fields_of(method: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in CLIENT_METHODS[method].params.model_fields.items():
        yield field.alias or name, field


def good(method: str, task_id: str) -> dict[str, Any]:
    """Parameters that are right, as far as they have to be there."""
    needed = {name: field for name, field in fields_of(method) if field.is_required()}
    given = {name: "list" if name == "op" else "odd" for name in needed}
    given |= {name: 5 for name in needed if name == "ts"}
    chosen = {"response": "yesButtonClicked", "operation": "abort", "permissionMode": "default"}
    words = {"text": "words"} if method == "agent/newTask" else {}
    return {**given, **{name: chosen[name] for name in needed if name in chosen}, "taskId": task_id, **words}


@asynccontextmanager
async def at_work(folder: Path) -> AsyncGenerator[tuple[LspClient, str]]:
    """A server whose one task is in the midst of an answer."""
    hold = Hold()
    async with scripted_model([[Say("so far"), hold]]) as model:
        environment = {"AGENT_LSP_STATE": str(folder / "state"), "AGENT_LSP_HOME": str(folder / "home")}
        client = await LspClient.start(SERVER, cwd=folder, env=environment)
        try:
            await client.initialize(options={"agent": settings(model)}, root=folder)
            task_id = (await client.request("agent/newTask", {"text": "words"}))["taskId"]
            await hold.reached.wait()
            await client.until(lambda: any("so far" in json.dumps(n) for n in client.notifications))
            yield client, task_id
            assert await client.shut_down() == 0
        finally:
            await client.aclose()


def settings(model: ScriptedServer) -> dict[str, Any]:
    profile = {"type": "openai", "model": "m", "apiKey": "key", "baseURL": model.base_url("openai")}
    return {"providers": {"p": profile}}


async def picture(client: LspClient, task_id: str) -> dict[str, Any]:
    """What can be seen of the server's state."""
    task = await client.request("agent/state", {"taskId": task_id})
    permissions = await client.request("agent/permissions", {"op": "list"})
    shown = {name: value for name, value in task.items() if name != "seq"}
    return {"task": shown, "tasks": await tasks(client), "permissions": permissions}


async def tasks(client: LspClient) -> list[str]:
    return [row["taskId"] for row in (await client.request("agent/listTasks", {}))["tasks"]]


async def answer_to(client: LspClient, request_id: str, method: str, params: Any) -> dict[str, Any]:
    client.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
    return (await client.until(lambda: [r for r in client.responses if r["id"] == request_id]))[0]


@pytest.mark.timeout(120)
async def test_wrong_values_are_refused_in_words_and_change_nothing(tmp_path: Path) -> None:
    wrong: list[str] = []
    async with asyncio.timeout(110), at_work(tmp_path) as (client, task_id):
        before = await picture(client, task_id)
        for method, described in CLIENT_METHODS.items():
            if described.is_notification:
                continue
            for name, field in fields_of(method):
                for title, value in VALUES.items():
                    if not takes(field.annotation, value):
                        params = {**good(method, task_id), name: value}
                        reply = await answer_to(client, f"{method} {name} {title}", method, params)
                        wrong += complaints(reply, name)
        after = await picture(client, task_id)

    assert wrong == []
    assert after == before
    assert b"Traceback" not in bytes(client.stderr)


def complaints(reply: dict[str, Any], name: str) -> list[str]:
    error = reply.get("error", {})
    is_clear = error.get("code") == -32602 and error.get("data", {}).get("kind") == "BadParams"
    is_named = name in error.get("message", "")
    return [] if is_clear and is_named else [f"{reply['id']}: {json.dumps(reply)[:200]}"]


@pytest.mark.timeout(120)
async def test_odd_values_of_the_right_type_are_no_mistake_of_the_servers(tmp_path: Path) -> None:
    wrong: list[str] = []
    async with asyncio.timeout(110), at_work(tmp_path) as (client, task_id):
        for method, described in CLIENT_METHODS.items():
            if described.is_notification:
                continue
            for name, field in fields_of(method):
                for title, value in VALUES.items():
                    if takes(field.annotation, value):
                        params = {**good(method, "0" * 20), name: value}
                        reply = await answer_to(client, f"{method} {name} {title}", method, params)
                        wrong += [f"{reply['id']}: {reply}"] if reply.get("error", {}).get("code") == -32603 else []
        assert task_id in await tasks(client)

    assert wrong == []
    assert b"Traceback" not in bytes(client.stderr)


@pytest.mark.timeout(60)
async def test_notifications_of_wrong_values_are_passed_over(tmp_path: Path) -> None:
    async with asyncio.timeout(50), at_work(tmp_path) as (client, task_id):
        before = await picture(client, task_id)
        for name, _ in fields_of("agent/editorContext"):
            for value in VALUES.values():
                client.send({"jsonrpc": "2.0", "method": "agent/editorContext", "params": {name: value}})
        after = await picture(client, task_id)

    assert after == before
