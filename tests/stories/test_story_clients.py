"""The whole path again, before the capabilities that real editors announce."""

import sys
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from story import settings_for

from support.fake_editor import apply_edits
from support.model_server import APIS, CallTool, Say, ScriptedServer, scripted_model

CLIENTS = ["neovim", "visual_studio_code", "emacs"]
TURNS = [
    [Say("Looking."), CallTool("read_file", path="a.txt")],
    [CallTool("edit_file", path="a.txt", old_string="two", new_string="zwei 🦊")],
    [CallTool("attempt_completion", result="Done.")],
]


class Editor:
    """One open document behind a pytest-lsp client, and what the server told of the task."""

    def __init__(self, client: LanguageClient, uri: str, text: str) -> None:
        self.client, self.uri, self.text, self.version = client, uri, text, 1
        self.status: Any = None
        self.messages: dict[int, Any] = {}
        self.edits = 0

    def take_edit(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits = _text_edits(params, self.uri)
        wire = [
            {"range": {"start": vars_of(e.range.start), "end": vars_of(e.range.end)}, "newText": e.new_text}
            for e in edits
        ]
        self.text = apply_edits(self.text, wire, self.encoding)
        self.version += 1
        self.edits += 1
        identifier = types.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        whole = types.TextDocumentContentChangeWholeDocument(text=self.text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [whole]))
        return types.ApplyWorkspaceEditResult(applied=True)

    encoding = "utf-16"


def vars_of(position: types.Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}


def _text_edits(params: types.ApplyWorkspaceEditParams, uri: str) -> list[types.TextEdit]:
    edit = params.edit
    changes: list[Any] = []
    for change in edit.document_changes or []:
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.uri == uri
        changes += change.edits
    return changes or list((edit.changes or {}).get(uri, []))


@pytest_lsp.fixture(
    params=CLIENTS,
    config=ClientServerConfig(server_command=[sys.executable, "-m", "agent_lsp", "--stdio"]),
)
async def client(request, lsp_client: LanguageClient, tmp_path: Path, monkeypatch):
    """A client of pytest-lsp that announces what this editor does; the test initializes it."""
    lsp_client.editor_capabilities = client_capabilities(request.param)  # type: ignore[attr-defined]  # passed on to the test
    yield
    await lsp_client.shutdown_session()


async def open_session(client: LanguageClient, model: ScriptedServer, api: str, folder: Path) -> Editor:
    path = folder / "a.txt"
    path.write_text("one\ntwo\n")
    editor = Editor(client, path.as_uri(), "one 🦊\ntwo\nthree\n")
    listen(client, editor)
    capabilities = client.editor_capabilities  # type: ignore[attr-defined]  # set by the fixture
    capabilities.experimental = {"agent": {"protocolVersion": 1, "messages": {}}}
    result = await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            initialization_options={"agent": settings_for(model, api)},
            workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name="w")],
            client_info=types.ClientInfo(name="test"),
        )
    )
    editor.encoding = str(result.capabilities.position_encoding or "utf-16")
    item = types.TextDocumentItem(uri=editor.uri, language_id="plaintext", version=1, text=editor.text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return editor


def listen(client: LanguageClient, editor: Editor) -> None:
    @client.feature("agent/state")  # pyright: ignore[reportUntypedFunctionDecorator]  # pytest-lsp's own typing
    def on_state(params: Any) -> None:
        editor.status = params

    @client.feature("agent/message")  # pyright: ignore[reportUntypedFunctionDecorator]  # pytest-lsp's own typing
    def on_message(params: Any) -> None:
        editor.messages[params.message.ts] = params.message

    @client.feature("agent/messageDelta")  # pyright: ignore[reportUntypedFunctionDecorator]  # pytest-lsp's own typing
    def on_delta(params: Any) -> None:
        del params

    @client.feature(types.WORKSPACE_APPLY_EDIT)  # pyright: ignore[reportUntypedFunctionDecorator]  # pytest-lsp's own typing
    def on_edit(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        return editor.take_edit(params)


async def ask_of(client: LanguageClient, editor: Editor, kind: str) -> None:
    while editor.status is None or editor.status.ask is None or editor.status.ask.kind != kind:
        await client.wait_for_notification("agent/state")


@pytest.mark.parametrize("api", APIS)
async def test_an_edit_is_approved_and_arrives_in_the_buffer(client: LanguageClient, tmp_path: Path, api: str) -> None:
    async with scripted_model(TURNS) as model:
        editor = await open_session(client, model, api, tmp_path)
        admitted = await client.protocol.send_request_async("agent/newTask", {"text": "translate"})
        await ask_of(client, editor, "tool")
        answer = {"taskId": admitted.taskId, "response": "yesButtonClicked"}
        await client.protocol.send_request_async("agent/askResponse", answer)
        await ask_of(client, editor, "completion_result")

        assert editor.text == "one 🦊\nzwei 🦊\nthree\n"
        assert editor.edits == 1
        assert (tmp_path / "a.txt").read_text() == "one\ntwo\n"
        assert model.problems == []
