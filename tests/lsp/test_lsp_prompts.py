from pathlib import Path

import pytest
from test_lsp_waiting import command

from agent_lsp.domain.messages import Ask, Message
from agent_lsp.domain.notices import MessageNotice, StatusNotice
from agent_lsp.domain.requests import AskReply, NewTask
from agent_lsp.domain.status import ACTIONS, PermissionMode, State, Status, WaitingAsk
from agent_lsp.lsp.client import path_of
from agent_lsp.lsp.plain.prompt_text import Prompt, Unfinished, read_prompt, unfinished
from support.fake_editor import FakeEditor, Manner
from support.front_door import FrontDoor
from support.lsp_client import Json, RpcError

URI = "file:///w/x.agent.md"
MODES = ("code", "ask")


# What is written


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("do it\n", Prompt("do it")),
        ("/new do it", Prompt("do it", is_new=True)),
        ("\n /new\n/ask /plan do it", Prompt("do it", is_new=True, mode="ask", permission_mode=PermissionMode.PLAN)),
        ("/etc/hosts is odd", Prompt("/etc/hosts is odd")),
        ("/news", Prompt("/news")),
        ("do /new", Prompt("do /new")),
        ("/new", Prompt("", is_new=True)),
        ("/plan see @/src/a.py.", Prompt("see @/src/a.py.", permission_mode=PermissionMode.PLAN)),
        ("", Prompt("")),
    ],
)  # fmt: skip
def test_prompt_is_read(text: str, prompt: Prompt) -> None:
    assert read_prompt(text, MODES) == prompt


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/", Unfinished("/", "", 0)),
        ("/pl", Unfinished("/", "pl", 0)),
        ("/new /c", Unfinished("/", "c", 5)),
        ("\n/new\n/", Unfinished("/", "", 0)),
        ("words /", None),
        ("/etc/", None),
        ("see @", Unfinished("@", "", 4)),
        ("see @my\\ src/a", Unfinished("@", "my src/a", 4)),
        ("@a\n@b", Unfinished("@", "b", 0)),
        ("me@", None),
        ("@a ", None),
        ("", None),
    ],
)
def test_word_that_is_being_written(text: str, expected: Unfinished | None) -> None:
    assert unfinished(text) == expected


# Sending


async def begin(door: FrontDoor, text: str, **capabilities: object) -> FakeEditor:
    workspace = {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}
    await door.client.initialize(agent=None, capabilities={"workspace": workspace, **capabilities})
    editor = FakeEditor(door.client)
    editor.open(URI, text)
    return editor


async def test_prompt_begins_a_task_and_is_emptied(door: FrontDoor) -> None:
    editor = await begin(door, "/ask /plan do it")
    door.hall.task = None

    answer = await command(door, "agent.sendPrompt", URI)
    await door.client.until(lambda: editor.documents[URI].text == "")

    assert answer == {"taskId": "t1", "instanceId": "i1"}
    assert door.hall.named("new_task") == [NewTask("do it", mode="ask", permission_mode=PermissionMode.PLAN)]


async def test_prompt_goes_to_the_task_there_is(door: FrontDoor) -> None:
    await begin(door, "/ask and more")

    answer = await command(door, "agent.sendPrompt", URI)

    assert answer == {"messageId": "m1", "disposition": "queued"}
    assert door.hall.named("set_mode") == [("t1", "ask")]
    assert door.hall.named("send") == [("t1", "and more", (), "queue")]


async def test_prompt_that_only_sets_something_sets_it_and_says_nothing(door: FrontDoor) -> None:
    await begin(door, "/ask /plan\n")

    answer = await command(door, "agent.sendPrompt", URI)

    assert answer == {"messageId": "", "disposition": "delivered"}
    assert door.hall.named("set_mode") == [("t1", "ask")]
    assert door.hall.named("set_permission_mode") == [("t1", PermissionMode.PLAN)]
    assert door.hall.named("send") == []


async def test_prompt_answers_the_question_it_names(door: FrontDoor) -> None:
    editor = await begin(door, "red, please")
    ask = WaitingAsk(7, Ask.FOLLOWUP, Ask.FOLLOWUP.category, ACTIONS[Ask.FOLLOWUP])
    for listener in door.hall.listeners:
        listener.notice(MessageNotice("t1", "i1", 1, Message(7, "ask", ask=Ask.FOLLOWUP, text="{}")))
        listener.notice(StatusNotice(Status("t1", "i1", 2, State.WAITING_FOR_INPUT, ask)))

    late = await command(door, "agent.sendPrompt", URI, "6")
    kept = editor.documents[URI].text
    taken = await command(door, "agent.sendPrompt", URI, "7")

    assert (late, kept) == ({"accepted": False, "reason": "AskGone"}, "red, please")
    assert taken == {"accepted": True}
    assert door.hall.named("answer") == [("t1", 7, AskReply("messageResponse", "red, please"))]


async def test_prompt_without_a_place_to_go_answers_the_question_that_waits(door: FrontDoor) -> None:
    await begin(door, "red, please")
    ask = WaitingAsk(7, Ask.FOLLOWUP, Ask.FOLLOWUP.category, ACTIONS[Ask.FOLLOWUP])
    for listener in door.hall.listeners:
        listener.notice(MessageNotice("t1", "i1", 1, Message(7, "ask", ask=Ask.FOLLOWUP, text="{}")))
        listener.notice(StatusNotice(Status("t1", "i1", 2, State.WAITING_FOR_INPUT, ask)))

    taken = await command(door, "agent.sendPrompt")

    assert (taken, door.hall.named("answer")) == (
        {"accepted": True},
        [("t1", 7, AskReply("messageResponse", "red, please"))],
    )


async def test_of_several_prompts_the_one_with_words_is_sent(door: FrontDoor) -> None:
    editor = await begin(door, " \n")
    editor.open("file:///w/y.agent.md", "do it")

    await command(door, "agent.sendPrompt")

    assert door.hall.named("send") == [("t1", "do it", (), "queue")]


async def test_several_prompts_with_words_are_told_apart_by_their_user(door: FrontDoor) -> None:
    editor = await begin(door, "do this")
    editor.open("file:///w/y.agent.md", "do that")

    with pytest.raises(RpcError, match="There are words in several prompt documents"):
        await command(door, "agent.sendPrompt")


# The prompt document of the workspace


async def test_prompt_document_is_made_and_shown(door: FrontDoor, tmp_path: Path) -> None:
    await door.client.initialize(agent=None, name="helix", root=tmp_path)
    door.hall.folder = tmp_path

    first = await command(door, "agent.showPrompt", "@a.py:3-7")
    again = await command(door, "agent.showPrompt", "@b.py")
    shown = await door.client.question("window/showDocument")

    path = path_of(first["uri"])
    assert path
    assert (again, shown["uri"]) == (first, first["uri"])
    assert (path.name.startswith(f"{tmp_path.name}-"), path.read_text()) == (True, "@a.py:3-7 @b.py \n")


async def test_open_prompt_document_gets_words_by_an_edit(door: FrontDoor, tmp_path: Path) -> None:
    editor = await begin(door, "")
    door.hall.folder = tmp_path
    uri = (await command(door, "agent.showPrompt"))["uri"]
    editor.open(uri, "look at\n")

    await command(door, "agent.showPrompt", "@a.py")

    assert editor.documents[uri].text == "look at @a.py \n"


async def test_words_that_are_typed_meanwhile_are_not_emptied(door: FrontDoor) -> None:
    editor = await begin(door, "do it")
    editor.manner = Manner.REFUSES

    await command(door, "agent.sendPrompt", URI)
    await door.client.until(lambda: editor.applied)

    assert editor.documents[URI].text == "do it"


async def test_prompt_is_emptied_also_where_it_is_being_saved(door: FrontDoor) -> None:
    editor = await begin(door, "do it")
    editor.manner = Manner.REFUSES
    honest = editor.apply

    def save_first(params: Json) -> object:
        # What Helix adds when it saves makes the edit one of a text that moved on.
        answer = honest(params)
        editor.manner = Manner.HONEST
        editor.type(URI, "do it\n")
        return answer

    door.client.answers["workspace/applyEdit"] = lambda p: (
        save_first(p) if editor.manner is Manner.REFUSES else honest(p)
    )

    await command(door, "agent.sendPrompt", URI)
    await door.client.until(lambda: editor.documents[URI].text == "")

    assert door.hall.named("send") == [("t1", "do it", (), "queue")]


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (" ", [], "There are no words in an open prompt document; agent.showPrompt opens one."),
        ("do it", ["file:///w/y.agent.md"], "is no prompt document that is open"),
        ("do it", ["file:///w/x.md"], "is no prompt document that is open"),
        ("/new  \n", [URI], "There are no words in this prompt yet."),
        ("do it", [URI, "soon"], "The ts of a message is a number"),
    ],
)
async def test_prompt_that_cannot_be_sent_says_why(
    door: FrontDoor, text: str, arguments: list[str], message: str
) -> None:
    await begin(door, text)

    with pytest.raises(RpcError, match=message) as error:
        await command(door, "agent.sendPrompt", *arguments)

    assert (error.value.code, door.hall.named("new_task"), door.hall.named("send")) == (-32602, [], [])


# Completing


async def complete(door: FrontDoor, line: int, character: int, uri: str = URI) -> list[Json]:
    place = {"line": line, "character": character}
    return await door.client.request("textDocument/completion", {"textDocument": {"uri": uri}, "position": place})


async def test_slash_words_are_offered(door: FrontDoor) -> None:
    await begin(door, "/p")

    items = await complete(door, 0, 2)

    assert [(item["label"], item["detail"]) for item in items] == [
        ("/new", "Begin a task of its own"),
        ("/init", "Write AGENTS.md [what]"),
        ("/plan", "Reads only"),
    ]
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 2}}
    assert items[2] == {
        "label": "/plan",
        "detail": "Reads only",
        "kind": 14,
        "filterText": "/plan",
        "textEdit": {"range": place, "newText": "/plan"},
    }


async def test_files_are_offered_folder_by_folder(door: FrontDoor) -> None:
    await begin(door, "one\n😀 @src/x")
    door.hall.paths = ("src/a.py", "src/sub/")

    items = await complete(door, 1, 9)

    place = {"start": {"line": 1, "character": 3}, "end": {"line": 1, "character": 9}}
    assert [(item["label"], item["kind"], item["textEdit"]) for item in items] == [
        ("@src/a.py", 17, {"range": place, "newText": "@src/a.py"}),
        ("@src/sub/", 19, {"range": place, "newText": "@src/sub/"}),
    ]
    assert door.hall.named("paths_in") == ["src/"]


@pytest.mark.parametrize(
    ("words", "paths", "offered"),
    [
        ("@/my\\ dir/", ("my dir/a b.py", "my dir/c/"), ["@/my\\ dir/a\\ b.py", "@/my\\ dir/c/"]),
        ('@"src/', ("src/v1.", "src/x:1"), ['@"src/v1."', '@"src/x:1"']),
        ("@/src/", ("src/new\nline", "src/a"), ["@/src/a"]),
        ("@", ("problems", "src/"), ["@problems", "@terminal", "@git-changes", '@"problems"', "@src/"]),
    ],
)
async def test_what_is_offered_is_read_back_as_the_file(
    door: FrontDoor, words: str, paths: tuple[str, ...], offered: list[str]
) -> None:
    await begin(door, f"see {words}")
    door.hall.paths = paths

    items = await complete(door, 0, 4 + len(words))

    assert [item["label"] for item in items] == offered
    assert {item["textEdit"]["range"]["start"]["character"] for item in items} == {4}


@pytest.mark.parametrize(
    ("uri", "line", "character"),
    [("file:///w/x.md", 0, 1), ("file:///w/y.agent.md", 0, 1), (URI, 5, 0), (URI, 1, 3)],
)
async def test_nothing_is_offered_elsewhere(door: FrontDoor, uri: str, line: int, character: int) -> None:
    editor = await begin(door, "/\nabc")
    editor.open("file:///w/x.md", "/")

    assert await complete(door, line, character, uri) == []


async def test_completion_is_registered_for_prompts_alone_where_that_can_be(door: FrontDoor) -> None:
    capabilities = {"textDocument": {"completion": {"dynamicRegistration": True}}}

    result = await door.client.initialize(agent=None, capabilities=capabilities)
    editor = FakeEditor(door.client)
    editor.open("file:///w/a.py", "")
    await door.client.request("agent/listTasks", {})
    asked_before = list(door.client.questions)
    editor.open("file:///w/x.agent.md", "")
    editor.open("file:///w/y.agent.md", "")
    asked = await door.client.question("client/registerCapability")

    assert asked_before == []
    assert "completionProvider" not in result["capabilities"]
    (registration,) = asked["registrations"]
    assert (registration["method"], registration["registerOptions"]) == (
        "textDocument/completion",
        {"documentSelector": [{"pattern": "**/*.agent.md"}], "triggerCharacters": ["/", "@"]},
    )


async def test_completion_is_announced_where_it_cannot_be_registered(door: FrontDoor) -> None:
    result = await door.client.initialize(agent=None)

    assert result["capabilities"]["completionProvider"]["triggerCharacters"] == ["/", "@"]
    assert door.client.questions == []
