"""A whole story: the real server process, a simulated editor before it, a scripted model behind it."""

import json
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.fake_editor import FakeEditor
from support.lsp_client import AGENT, Json, LspClient
from support.model_server import ScriptedServer, scripted_model

SERVER = [sys.executable, "-m", "agent_lsp", "--stdio"]
CAPABILITIES: Json = {
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
    }
}
YES, NO, WORDS = "yesButtonClicked", "noButtonClicked", "messageResponse"


@dataclass
class Picture:
    """What a client knows of a task from its notifications alone, in the way any client would build it."""

    client: LspClient
    taken: int = 0
    messages: dict[int, Json] = field(default_factory=dict[int, Json])
    statuses: list[Json] = field(default_factory=list[Json])
    seqs: list[int] = field(default_factory=list[int])

    def update(self) -> "Picture":
        new, self.taken = self.client.notifications[self.taken :], len(self.client.notifications)
        for method, params in new:
            match method:
                case "agent/message" if params["message"].get("deleted"):
                    self.messages.pop(params["message"]["ts"], None)
                case "agent/message":
                    self.messages[params["message"]["ts"]] = dict(params["message"])
                case "agent/messageDelta":
                    message = self.messages[params["ts"]]
                    message["text"] = message.get("text", "") + params["append"]
                case "agent/state":
                    self.statuses.append(params)
                case _:
                    continue
            self.seqs.append(params["seq"])
        return self

    @property
    def status(self) -> Json:
        return self.update().statuses[-1] if self.update().statuses else {}

    def kinds(self) -> list[str]:
        return [m.get("ask") or m["say"] for m in self.update().messages.values()]

    def states(self) -> list[str]:
        """The states one after another, each once."""
        self.update()
        states = [status["state"] for status in self.statuses]
        return [state for index, state in enumerate(states) if index == 0 or states[index - 1] != state]

    def ask(self) -> Json | None:
        """The message of the ask that waits."""
        ask = self.status.get("ask")
        return self.messages[ask["ts"]] if ask else None


@dataclass
class Story:
    model: ScriptedServer
    client: LspClient
    editor: FakeEditor
    workspace: Path
    state: Path
    picture: Picture
    task_id: str = ""

    async def new_task(self, text: str = "do it", **fields: Any) -> str:
        admitted = await self.client.request("agent/newTask", {"text": text, **fields})
        self.task_id = admitted["taskId"]
        return self.task_id

    async def ask(self, kind: str) -> Json:
        """Wait until an ask of this kind waits."""
        return await self.client.until(lambda: (a := self.picture.ask()) and a["ask"] == kind and a)

    async def answer(self, response: str = YES, **fields: Any) -> Json:
        return await self.client.request("agent/askResponse", {"taskId": self.task_id, "response": response, **fields})

    async def approve(self, kind: str, **fields: Any) -> Json:
        """Wait for an ask of this kind and say yes to it."""
        ask = await self.ask(kind)
        answered = await self.answer(YES, ts=ask["ts"], **fields)
        assert answered == {"accepted": True}
        return ask

    async def snapshot(self, **fields: Any) -> Json:
        return await self.client.request("agent/state", {"taskId": self.task_id, **fields})

    def file(self, name: str, text: str) -> Path:
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
        return path


def settings_for(model: ScriptedServer, api: str, **more: Any) -> Json:
    profile = {"type": api, "model": "scripted", "apiKey": "sk-planted-0123456789", "baseURL": model.base_url(api)}
    return {"currentProvider": "test", "providers": {"test": profile}, **more}


def environment(state: Path) -> Mapping[str, str]:
    return {"AGENT_LSP_STATE": str(state), "AGENT_LSP_HOME": str(state / "home")}


@asynccontextmanager
async def story(
    folder: Path,
    turns: Any,
    *,
    api: str = "anthropic",
    capabilities: Json | None = None,
    agent: Json | None = AGENT,
    settings: Json | None = None,
    profile: Json | None = None,
    name: str = "test",
    words: Sequence[str] = (),
) -> AsyncGenerator[Story]:
    """Open a story in a workspace of its own; at its end the server must leave well and have had no complaint."""
    workspace, state = folder / "workspace", folder / "state"
    workspace.mkdir(exist_ok=True)
    async with scripted_model(turns) as model:
        client = await LspClient.start([*SERVER, *words], cwd=folder, env=environment(state))
        try:
            capabilities = CAPABILITIES if capabilities is None else capabilities
            options = {"agent": settings_for(model, api, **(settings or {}))}
            if profile:
                options["agent"]["providers"]["test"] |= profile
            result = await client.initialize(
                capabilities=capabilities, agent=agent, options=options, root=workspace, name=name
            )
            encoding = result["capabilities"].get("positionEncoding", "utf-16")
            editor = FakeEditor(client, encoding)
            yield Story(model, client, editor, workspace, state, Picture(client))
            if client.process and client.process.returncode is None:
                assert await client.shut_down() == 0
            assert model.problems == []
        finally:
            await client.aclose()


def tool_ask(message: Json) -> Json:
    return json.loads(message["text"])
