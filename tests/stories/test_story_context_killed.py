"""A server that is killed while a task is condensed, and the next one that goes on with it."""

import contextlib
from pathlib import Path

import pytest
from story import SERVER, Picture, environment, settings_for
from test_story_context import WRITES, Work, prepare_in

from support.lsp_client import Json, LspClient
from support.model_server import APIS, ScriptedServer, scripted_model
from support.narrow_model import NarrowModel

STEPS = 25
YES = "yesButtonClicked"


async def open_client(folder: Path, server: ScriptedServer, api: str) -> LspClient:
    client = await LspClient.start(SERVER, cwd=folder, env=environment(folder / "state"))
    options = settings_for(server, api, **WRITES)
    options["providers"]["test"]["window"] = 8_192
    await client.initialize(capabilities={}, options={"agent": options}, root=folder / "workspace")
    return client


def has_come(moment: str, model: NarrowModel, client: LspClient) -> bool:
    """Whether to kill now: the summary is asked for, was told, or lies some steps back."""
    told = [n for n, (_, params) in enumerate(client.notifications) if is_summary(params or {})]
    match moment:
        case "asked":
            return model.summaries > 0
        case "told":
            return bool(told)
        case _:
            return bool(told) and len(client.notifications) > told[0] + 40


def is_summary(params: Json) -> bool:
    return params.get("message", {}).get("say") == "condense_context"


@pytest.mark.parametrize(("api", "moment"), list(zip(APIS, ("asked", "told", "later"), strict=True)))
async def test_a_task_goes_on_after_a_kill_while_it_was_condensed(tmp_path: Path, api: str, moment: str) -> None:
    model = NarrowModel(8_192, Work(STEPS))
    prepare_in(tmp_path / "workspace")
    async with scripted_model(model.play) as server:
        first = await open_client(tmp_path, server, api)
        task_id = (await first.request("agent/newTask", {"text": "Look, and never touch main.py."}))["taskId"]
        await first.until(lambda: has_come(moment, model, first))
        assert first.process is not None
        first.process.kill()
        await first.aclose()

        client = await open_client(tmp_path, server, api)
        async with contextlib.aclosing(client):
            await client.request("agent/resumeTask", {"taskId": task_id})
            await client.request("agent/askResponse", {"taskId": task_id, "response": YES})
            picture = Picture(client)
            await client.until(lambda: (ask := picture.ask()) and ask["ask"] == "completion_result")

    assert server.problems == []
    assert "api_req_failed" not in picture.kinds()
    assert all("never touch main.py" in str(request.items[0]) for request in model.requests)
    assert model.refused <= 1
