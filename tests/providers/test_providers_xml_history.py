"""What a model is told that writes its calls as text: its tools, its calls, their results."""

import weakref

import pytest

from agent_lsp.domain.history import Call, HistoryItem, Reply, Result, Spoken, Thought, Words
from agent_lsp.domain.model import ModelRequest
from agent_lsp.providers.xml_history import PlainHistory
from support.models import request_of
from support.written_calls import NUMBER, SUGGESTIONS, TEXT, tool

IMAGE = "data:image/png;base64,AA=="


def plain(*history: HistoryItem) -> list[tuple[str, ...]]:
    """The turned history as plain values."""
    request = PlainHistory().request(request_of(*history))
    return [_row(item) for item in request.history]


def _row(item: HistoryItem) -> tuple[str, ...]:
    match item:
        case Words(texts, images):
            return ("user", *texts, *images)
        case Reply(parts):
            return ("model", *(part.text for part in parts if not isinstance(part, Call)))
        case Result():
            return ("result",)


def calling(name: str, arguments: str) -> Reply:
    return Reply((Call("c", name, arguments),))


def test_tools_stand_in_the_prompt_and_nowhere_else() -> None:
    tools = (
        tool("read_file", path=TEXT, limit=NUMBER | {"default": 2000, "description": "Most lines"}),
        tool("ask", question=TEXT, follow_up=SUGGESTIONS),
        tool("go", kind=TEXT | {"enum": ["up", "down"]}, now={"type": "boolean"}),
    )

    request = PlainHistory().request(request_of(system="Be brief.\n", tools=tools))

    assert request.tools == ()
    assert request.system.startswith("Be brief.\n\n# Tools\nCall a tool by writing its name as a tag")
    assert request.system.endswith(
        "\n\n## read_file\nDoes read_file.\n<path>\n<limit>? Number. Most lines. Default 2000"
        '\n\n## ask\nDoes ask.\n<question>\n<follow_up>? JSON, as [{"text": "…", "mode": "…"}]'
        "\n\n## go\nDoes go.\n<kind> One of up, down\n<now>? true or false"
    )


def test_without_tools_the_prompt_is_as_it_was() -> None:
    assert PlainHistory().request(request_of(system="Be brief.", tools=())).system == "Be brief."


def test_a_call_is_told_as_the_model_is_to_write_it() -> None:
    arguments = '{"path": "a.py", "content": "x\\ny\\n", "count": 2, "items": ["b"]}'
    reply = Reply((Spoken("I write. \n"), Call("c", "write_to_file", arguments)))

    assert plain(Words(("Do it.",)), reply) == [
        ("user", "Do it."),
        (
            "model",
            (
                "I write.\n\n<write_to_file>\n<path>a.py</path>\n<content>\nx\ny\n</content>\n"
                '<count>2</count>\n<items>["b"]</items>\n</write_to_file>'
            ),
        ),
    ]


@pytest.mark.parametrize(
    ("call", "result", "told"),
    [
        (calling("read_file", '{"path": "a"}'), Result("c", "1 | x\n"), "[read_file for 'a'] Result:\n1 | x"),
        (calling("read_file", '{"offset": 3}'), Result("c", "x"), "[read_file] Result:\nx"),
        (calling("read_file", ""), Result("c", ""), "[read_file] Result:\n(nothing)"),
        (
            calling("execute_command", '{"command": "cat <<E\\nx\\nE"}'),
            Result("c", "no", is_error=True),
            "[execute_command for 'cat <<E'] Error:\nno",
        ),
        (calling("say", '{"text": "' + "x" * 99 + '"}'), Result("c", "y"), f"[say for '{'x' * 80}…'] Result:\ny"),
        (Reply(()), Result("other", "y"), "[tool] Result:\ny"),
    ],
)
def test_a_result_is_told_under_the_name_of_its_call(call: Reply, result: Result, told: str) -> None:
    assert plain(call, result)[1:] == [("user", told)]


def test_images_of_a_result_stay_with_it() -> None:
    rows = plain(calling("read_file", '{"path": "a.png"}'), Result("c", "An image.", (IMAGE,)))

    assert rows[1:] == [("user", "[read_file for 'a.png'] Result:\nAn image.", IMAGE)]


def test_a_call_without_its_end_is_told_as_one() -> None:
    rows = plain(calling("write_to_file", '{"path": "a", "content": "ha'), Result("c", "no whole JSON", is_error=True))

    assert rows == [
        ("model", "[A call of write_to_file, which had no end]"),
        (
            "user",
            (
                "[write_to_file] Error: not run: the call had no end. Write it again, whole, with all closing tags. "
                "If it was cut off for its length, do the work in smaller parts."
            ),
        ),
    ]


def test_thoughts_keep_their_seals() -> None:
    thought = Thought("hm", '{"type": "thinking"}')

    request = PlainHistory().request(request_of(Reply((thought, Spoken("x")), "origin")))

    reply = request.history[0]
    assert isinstance(reply, Reply)
    assert (reply.parts[0], reply.origin) == (thought, "origin")


def test_each_item_is_turned_once() -> None:
    plain_history = PlainHistory()
    history: list[HistoryItem] = [Words(("x",)), calling("read_file", "{}"), Result("c", "y")]
    before = plain_history.request(ModelRequest("s", (), history))

    after = plain_history.request(ModelRequest("s", (), [*history, Words(("z",))]))

    assert all(one is other for one, other in zip(before.history, after.history[:3], strict=True))


def test_a_history_that_nobody_has_any_more_is_forgotten() -> None:
    plain_history = PlainHistory()
    history: list[HistoryItem] = [Words(("x",)), calling("read_file", "{}"), Result("c", "y")]
    plain_history.request(ModelRequest("s", (), history))
    seen = [weakref.ref(item) for item in history]

    history.clear()

    assert [item() for item in seen] == [None, None, None]
