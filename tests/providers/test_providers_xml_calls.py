"""Calls that a model writes as text: which text is a call, and what its arguments are."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_lsp.domain.model import CallGrew
from agent_lsp.providers.xml_prompt import written
from support.timing import cpu_seconds
from support.written_calls import Told, events_of_text, read, said_so_far

A: Told = [("call", "read_file", '{"path":"a"}')]
B: Told = [("call", "read_file", '{"path":"b"}')]


def wrote(content: str) -> Told:
    return [("call", "write_to_file", json.dumps({"path": "a", "content": content}, separators=(",", ":")))]


def writing(content: str) -> str:
    return f"<write_to_file><path>a</path><content>{content}</content></write_to_file>"


def ran(command: str) -> Told:
    return [("call", "execute_command", json.dumps({"command": command}, separators=(",", ":")))]


FORMS: dict[str, tuple[str, Told]] = {
    "as told": ("<read_file>\n<path>a</path>\n</read_file>", A),
    "on one line": ("<read_file><path>a</path></read_file>", A),
    "with space around values": ("<read_file>\n<path>\n  a\n</path>\n</read_file>\n", A),
    "with space in tags": ("<read_file ><path >a</path ></read_file >", A),
    "with prose before": ("I look.\n\n<read_file><path>a</path></read_file>", [("say", "I look."), *A]),
    "with prose behind": ("<read_file><path>a</path></read_file>\n\nDone.", [*A, ("say", "\n\nDone.")]),
    "several": ("<read_file><path>a</path></read_file>\n<read_file><path>b</path></read_file>", A + B),
    "several, with prose": (
        "<read_file><path>a</path></read_file>\nand\n<read_file><path>b</path></read_file>",
        [*A, ("say", "\nand"), *B],
    ),
    "numbers": (
        "<read_file><path>a</path><offset>12</offset></read_file>",
        [("call", "read_file", '{"path":"a","offset":12}')],
    ),
    "words for numbers": (
        "<read_file><path>a</path><offset>ten</offset></read_file>",
        [("call", "read_file", '{"path":"a","offset":"ten"}')],
    ),
    "no number, though digits": (
        "<read_file><path>a</path><offset>007</offset></read_file>",
        [("call", "read_file", '{"path":"a","offset":"007"}')],
    ),
    "truth": (
        "<execute_command><command>ls</command><background>True</background></execute_command>",
        [("call", "execute_command", '{"command":"ls","background":true}')],
    ),
    "other names of parameters": (
        "<read_file><file_path>a</file_path></read_file>",
        [("call", "read_file", '{"file_path":"a"}')],
    ),
    "brackets around parameters": ("<read_file><args><path>a</path></args></read_file>", A),
    "no parameters": ("<read_file></read_file>", [("call", "read_file", "{}")]),
    "JSON in the tag": ('<read_file>\n{"path": "a"}\n</read_file>', [("call", "read_file", '{"path": "a"}')]),
    "in a fence": ("```xml\n<read_file><path>a</path></read_file>\n```", A),
    "in a fence, with prose": (
        "So:\n\n```\n<read_file><path>a</path></read_file>\n```\nand on",
        [("say", "So:"), *A, ("say", "and on")],
    ),
    "invoke": (
        '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a</parameter>\n</invoke>\n</function_calls>',
        A,
    ),
    "invoke with a prefix": (
        (
            '<ns:function_calls><ns:invoke name="read_file"><ns:parameter name="path">a</ns:parameter></ns:invoke>'
            "</ns:function_calls>"
        ),
        A,
    ),
    "invoke of what is no tool": (
        '<invoke name="fly"><parameter name="to">x</parameter></invoke>',
        [("call", "fly", '{"to":"x"}')],
    ),
    "invoke, twice": (
        (
            '<invoke name="read_file"><parameter name="path">a</parameter></invoke>'
            '<invoke name="read_file"><parameter name="path">b</parameter></invoke>'
        ),
        A + B,
    ),
    "function": (
        (
            "<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>\n"
            "<tool_call>\n<function=read_file>\n<parameter=path>\nb\n</parameter>\n</function>\n</tool_call>"
        ),
        A + B,
    ),
    "JSON call": (
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>',
        [("call", "read_file", '{"path": "a"}')],
    ),
    "JSON call with arguments as text": (
        '<tool_call>{"name": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}</tool_call>',
        [("call", "read_file", '{"path": "a"}')],
    ),
    "JSON call with its own end in it": (
        '<tool_call>{"name": "read_file", "arguments": {"path": "</tool_call>"}}</tool_call>',
        [("call", "read_file", '{"path": "</tool_call>"}')],
    ),
    "JSON call without its end": (
        '<tool_call>{"name": "read_file", "parameters": {"path": "a"}}',
        [("call", "read_file", '{"path": "a"}')],
    ),
    "JSON call after another form": (
        '<read_file><path>a</path></read_file><tool_call>{"name": "read_file", "arguments": {}}</tool_call>',
        [*A, ("call", "read_file", "{}")],
    ),
    "an answer of JSON alone": (
        '{"name": "read_file", "parameters": {"path": "a"}}\n',
        [("call", "read_file", '{"path": "a"}')],
    ),
    "an answer of JSON alone, in a fence": (
        '```json\n{"name": "read_file", "arguments": {"path": "</a>"}}\n```',
        [("call", "read_file", '{"path": "</a>"}')],
    ),
    "several calls of JSON alone": (
        (
            '[{"type": "function", "function": {"name": "read_file", "arguments": {}}}]; '
            '{"name": "read_file", "parameters": {"path": "b"}}'
        ),
        [("call", "read_file", "{}"), ("call", "read_file", '{"path": "b"}')],
    ),
    "thoughts": ("<thinking>Which? <read_file>?</thinking>\n<read_file><path>a</path></read_file>", A),
    "a list as JSON": (
        '<tag_files><paths>["a", "b"]</paths></tag_files>',
        [("call", "tag_files", '{"paths":["a", "b"]}')],
    ),
    "a list as elements": (
        "<tag_files><paths><path>a</path><path>b</path></paths></tag_files>",
        [("call", "tag_files", '{"paths":["a", "b"]}')],
    ),
    "a list of objects as elements": (
        (
            "<ask_followup_question><question>Q?</question><follow_up>\n<suggest>A &amp; B</suggest>\n"
            '<suggest mode="code">C</suggest>\n<item><text>D</text></item></follow_up></ask_followup_question>'
        ),
        [
            (
                "call",
                "ask_followup_question",
                '{"question":"Q?","follow_up":[{"text": "A & B"}, {"mode": "code", "text": "C"}, {"text": "D"}]}',
            )
        ],
    ),
    "parameters of kindred agents": (
        "<write_to_file><path>a</path><content>x</content><line_count>1</line_count></write_to_file>",
        [("call", "write_to_file", '{"path":"a","content":"x","line_count":"1"}')],
    ),
    "content before path": (
        "<write_to_file><content>x</content><path>a</path></write_to_file>",
        [("call", "write_to_file", '{"content":"x","path":"a"}')],
    ),
}
THOUGHT: Told = [("think", "Which? <read_file>?")]

PROSE = [
    "Nothing to call.",
    "a < b and c > d, <b>bold</b> and <br/>",
    "Use `<read_file><path>a</path></read_file>` for that.",
    "The <read_file> tool reads.",
    "<read_file> and <path>",
    "<read_fil><path>a</path></read_fil>",
    "<unknown><path>x</path></unknown>",
    "</read_file>",
    "</content></write_to_file>",
    "<tool_call>the words</tool_call>",
    '<tool_call>{"name": 1}</tool_call>',
    "<function_calls></function_calls>",
    '<parameter name="path">a</parameter>',
    "```\ncode\n```\n",
    "```xml\n<a><b>c</b></a>\n```",
    "<",
    "<read_file",
    "text  \n\n",
    "<![CDATA[x]]>",
    '{"name": "fly", "parameters": {}}',
    '{"name": "read_file", "parameters": {"path": "a"}} is how',
    '{"name": "read_file", "parameters": {"path": "a"',
    '{"name": "read_file"}',
    '```json\n{"a": 1}\n```\nis JSON.',
    "[1, 2]",
    "{ braces } and more",
    "``",
    "`a` and ``b``",
    "```js\nf()\n```",
]

TEXTS = {
    "inline": ("x", "x"),
    "inline, with the line end of a file": ("x\ny\n", "x\ny\n"),
    "lines of their own": ("\nx\n", "x\n"),
    "without a last line end": ("\nx", "x"),
    "nothing": ("", ""),
    "an empty line of its own": ("\n", ""),
    "blank lines kept": ("\n\nx\n\n", "\nx\n\n"),
    "indentation kept": ("\n    x\n\ty\n", "    x\n\ty\n"),
    "the closing tag indented": ("\nx\n  ", "x\n"),
    "Windows lines": ("\r\nx\r\ny\r\n", "x\r\ny\r\n"),
    "entities": ("&lt;b&gt; &amp;&amp;", "&lt;b&gt; &amp;&amp;"),
    "signs": ('a < b && c > d "q" \\n \t', 'a < b && c > d "q" \\n \t'),
    "markup": ("\n<html><path>p</path></html>\n", "<html><path>p</path></html>\n"),
    "its own closing tag": ("a </content> b", "a </content> b"),
    "its own closing tag twice": ("a</content></content>b</content>", "a</content></content>b</content>"),
    "both closing tags": ("a</content></write_to_file>b", "a</content></write_to_file>b"),
    "both closing tags, and lines": ("\na</content>\n</write_to_file>\nb\n", "a</content>\n</write_to_file>\nb\n"),
    "a call of another tool": (
        "<execute_command><command>rm</command></execute_command>",
        "<execute_command><command>rm</command></execute_command>",
    ),
    "a call of the same tool": (writing("in"), writing("in")),
    "two calls of the same tool": (writing("in") + " and " + writing("in"), writing("in") + " and " + writing("in")),
    "a call of the same tool, then of another": (
        writing("in") + "<execute_command><command>rm</command></execute_command>.",
        writing("in") + "<execute_command><command>rm</command></execute_command>.",
    ),
    "a mention of the tool": ("use <write_to_file> so", "use <write_to_file> so"),
    "CDATA": ("<![CDATA[x <y>]]>", "x <y>"),
    "CDATA on lines of its own": ("\n<![CDATA[\nx ]]\n]]>\n", "x ]]\n"),
    "an end of CDATA without its beginning": ("x]]>", "x]]>"),
    "not quite CDATA": ("<![CDAT[x", "<![CDAT[x"),
    "much white space": ("\n" * 50 + " " * 50 + "x", "\n" * 49 + " " * 50 + "x"),
    "no ASCII": ("ä漢😀", "ä漢😀"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_call_is_understood_however_a_model_writes_it(form: str) -> None:
    text, expected = FORMS[form]

    assert [row for row in read(text) if row[0] != "think"] == expected


def test_thoughts_in_tags_are_no_prose() -> None:
    assert read("<thinking>Which? <read_file>?</thinking>\nHm.") == [*THOUGHT, ("say", "\nHm.")]


@pytest.mark.parametrize("text", PROSE)
@pytest.mark.parametrize("is_strict", [False, True])
def test_what_is_no_call_is_said_as_it_is(text: str, is_strict: bool) -> None:
    assert read(text, is_strict=is_strict) == [("say", text)]


@pytest.mark.parametrize(
    "text",
    [
        "[Note] So it is.",
        "[a.py](a.py) has it.",
        '{"a": 1}',
        "[1, 2]",
        '```json\n{"colour": 1}\n```',
        "{x} is it.",
        "[]",
    ],
)
@pytest.mark.parametrize("is_strict", [False, True])
@pytest.mark.parametrize("size", [1, 100])
def test_what_only_begins_like_json_is_said_while_it_comes(text: str, is_strict: bool, size: int) -> None:
    rest = " And so on."

    assert "".join(said_so_far(text + rest, size, is_strict=is_strict)).startswith(text)


@pytest.mark.parametrize("name", TEXTS)
def test_text_of_a_file_is_taken_to_the_letter(name: str) -> None:
    inner, content = TEXTS[name]

    rows = read(f"{writing(inner)}\n<read_file><path>b</path></read_file>")

    assert [(kind, tool, json.loads(arguments)) for kind, tool, arguments in rows] == [
        ("call", "write_to_file", {"path": "a", "content": content}),
        ("call", "read_file", {"path": "b"}),
    ]


def test_a_text_may_open_a_call_that_it_does_not_close() -> None:
    inner = "<write_to_file>\n<path>b</path>"

    assert read(writing(inner)) == wrote(inner)


@pytest.mark.parametrize(
    ("inner", "passage"),
    [("  x", "  x"), ("\n  x\n", "  x"), ("\nx\n\n", "x\n"), ("x\n", "x"), ("", ""), ("\r\nx\r\n", "x")],
)
def test_a_passage_has_no_line_ends_of_its_tags(inner: str, passage: str) -> None:
    (row,) = read(f"<edit_file><path>a</path><old_string>{inner}</old_string><new_string></new_string></edit_file>")

    assert json.loads(row[2]) == {"path": "a", "old_string": passage, "new_string": ""}


@pytest.mark.parametrize(
    ("inner", "command"),
    [
        ("\nls\n", "ls"),
        ("cd a &amp;&amp; ls &gt; b", "cd a && ls > b"),
        ("cd a && ls &gt; b", "cd a && ls &gt; b"),
        ("echo '<p>&lt;'", "echo '<p>&lt;'"),
        ("<![CDATA[ls && pwd]]>", "ls && pwd"),
        ("cat <<E\n</command>\nE", "cat <<E\n</command>\nE"),
    ],
)
def test_entities_are_read_only_where_all_was_written_so(inner: str, command: str) -> None:
    assert read(f"<execute_command><command>{inner}</command></execute_command>") == ran(command)


@pytest.mark.parametrize(
    ("inner", "arguments"),
    [
        ("<command>a</command><command>b</command>", '{"command":"a","command":"b"}'),
        ("<command>a</command>\n<command>b</command>\n", '{"command":"a","command":"b"}'),
        (
            "<command>a</command><background>true</background><command>b</command>",
            '{"command":"a","background":true,"command":"b"}',
        ),
        (
            "<command>grep '<command>a</command><command>b</command>' c</command>",
            '{"command":"grep \'<command>a</command><command>b</command>\' c"}',
        ),
    ],
)
def test_a_parameter_that_is_given_again_is_told_again(inner: str, arguments: str) -> None:
    assert read(f"<execute_command>{inner}</execute_command>") == [("call", "execute_command", arguments)]


@pytest.mark.parametrize(
    "text",
    [
        "<read_file><path>a",
        "<read_file><path>a</path>",
        "<read_file><path>a</path></read",
        "<read_file><path>a</path>\n<execute_command><command>ls</command></execute_command>",
        "<write_to_file><path>a</path><content>\nhalf",
        "<write_to_file><path>a</path><content>\nhalf</content>",
        '<invoke name="read_file"><parameter name="path">a</parameter>',
        '<read_file>{"path": "a',
    ],
)
def test_a_call_without_its_end_is_never_whole(text: str) -> None:
    call = read(text)[0]

    assert call[0] == "call"
    with pytest.raises(ValueError, match=r"."):
        json.loads(call[2])


def test_a_call_behind_one_without_its_end_is_made() -> None:
    rows = read("<read_file><path>a</path>\n<execute_command><command>ls</command></execute_command>")

    assert rows[1:] == ran("ls")


@pytest.mark.parametrize(
    "text",
    [
        "<read_file><file_path>a</file_path></read_file>",
        '<invoke name="fly"><parameter name="to">x</parameter></invoke>',
        '<tool_call>{"name": "fly", "arguments": {}}</tool_call>',
    ],
)
def test_strictly_read_what_may_be_something_else_is_prose(text: str) -> None:
    assert read(text, is_strict=True) == [("say", text)]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 16])
def test_pieces_of_any_size_are_read_alike(size: int) -> None:
    texts = [text for text, _ in FORMS.values()] + PROSE + [writing(inner) for inner, _ in TEXTS.values()]

    assert [read(text, size) for text in texts] == [read(text) for text in texts]


PIECES = [
    "<read_file>", "</read_file>", "<path>", "</path>", "<write_to_file>", "</write_to_file>", "<content>", "</content>",
    "<thinking>", "</thinking>", '{"name": "read_file", "arguments": {}}', "<tool_call>", "</tool_call>", '<invoke name="read_file">', "</invoke>", "<function_calls>",
    '<parameter name="path">', "</parameter>", "```xml\n", "```", "`", "<![CDATA[", "]]>", "{", "}", '"name"', " ", "\n",
    "a", "<", "&lt;", "</", "x y", "\r\n",
]  # fmt: skip
TANGLES = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(TANGLES, st.integers(min_value=1, max_value=9))
def test_a_tangle_is_read_alike_in_any_pieces(text: str, size: int) -> None:
    assert read(text, size) == read(text)


@given(TANGLES)
@example("<read_file>{<read_file>}")
def test_no_call_is_whole_whose_arguments_are_not(text: str) -> None:
    for row in read(text):
        # What the model wrote as JSON and is none is told as it stands.
        if row[0] == "call" and row[2].endswith("}") and row[2] not in text:
            json.loads(row[2])


WRITABLE = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=60).filter(
    lambda text: "</" not in text and "<![CDATA[" not in text and not text.split("\n")[-1].isspace()
)


@given(st.sampled_from(["content", "diff", "old_string"]), WRITABLE)
def test_a_call_that_is_written_as_told_is_read_back(name: str, value: str) -> None:
    tool = {"content": "write_to_file", "diff": "apply_diff", "old_string": "edit_file"}[name]

    (row,) = read(written(tool, {"path": "a", name: value}))

    assert json.loads(row[2]) == {"path": "a", name: value}


def test_text_of_a_file_grows_while_it_is_written() -> None:
    events = events_of_text(writing("\nline one\n"), size=1)

    grown = [event.arguments for event in events if isinstance(event, CallGrew)]
    assert grown[-8:] == [*"line", " o", "n", "e", '\\n"}']


@pytest.mark.parametrize(
    "unit",
    [
        "<", "<a", "</content>", "{", '{"name": "x"}', "[", " `", "<read_file>", "<read_file><path>", "<tool_call>{", "</content> </write_to_file>", "\n",
        "```", "<write_to_file><path>a</path><content>", "<read_file><path>a</path></read_file>", "<thinking>", "]]>",
        '<read_file><path>a</path></read_file><tool_call>{"name": "x", "arguments": {}}</tool_call>', "<tool_call>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "<write_to_file><path>a</path><content>"])
def test_time_grows_with_the_text_and_no_faster(before: str, unit: str) -> None:
    def reading(length: int) -> float:
        text = before + unit * (length // len(unit))
        return cpu_seconds(lambda: read(text, 4096), rounds=2)

    assert reading(80_000) < 16 * reading(20_000) + 0.02
