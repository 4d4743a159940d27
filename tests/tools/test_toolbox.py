"""The one door to all tools: whatever goes wrong becomes a result that the model can read."""

import asyncio
import json
from typing import Any

import pytest
from pydantic import BaseModel
from tool_fakes import Workshop

from agent_lsp.domain.files import Listing
from agent_lsp.domain.history import Call
from agent_lsp.domain.turns import After, Outcome
from agent_lsp.tools.outcomes import OUTPUT_LIMIT, capped
from agent_lsp.tools.toolbox import Toolbox


class Stub:
    """A tool that does whatever the test says."""

    name = "stub"
    description = "Does as it is told."

    class Arguments(BaseModel):
        count: int = 1
        is_loud: bool = False
        text: str = ""

    def __init__(self, result: Outcome | BaseException | None = None) -> None:
        self.result = result
        self.seen: list[Stub.Arguments] = []

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        self.seen.append(arguments)
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result or Outcome("done")


async def called(tool: str, arguments: str | dict[str, Any], workshop: Workshop | None = None) -> Outcome:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return await Toolbox((workshop or Workshop()).tools()).run(Call("c1", tool, text), has_failed_before=False)


BAD_ARGUMENTS = [
    ("read_file", {}, "path is missing"),
    ("read_file", {"path": ""}, "path is empty"),
    ("read_file", {"path": 7}, "path is wrong"),
    ("read_file", {"path": None}, "path is missing"),
    ("read_file", {"path": "a", "limit": 0}, "limit is wrong"),
    ("read_file", {"path": "a", "offset": "first"}, "offset is wrong"),
    ("list_files", {"recursive": True}, "path is missing"),
    ("list_files", {"path": ".", "recursive": "perhaps"}, "recursive is wrong"),
    ("search_files", {"path": "."}, "regex is missing"),
    ("search_files", {"path": ".", "regex": ""}, "regex is empty"),
    ("write_to_file", {"path": "a"}, "content is missing"),
    ("write_to_file", {"path": "a", "content": {"b": 1}}, "content is wrong"),
    ("apply_diff", {"path": "a"}, "diff is missing"),
    ("apply_diff", {"path": "a", "diff": "no block"}, "no block"),
    ("edit_file", {"path": "a", "old_string": "b"}, "new_string is missing"),
    (
        "edit_file",
        {"path": "a", "old_string": "b", "new_string": "c", "expected_replacements": 0},
        "expected_replacements is wrong",
    ),
    ("ask_followup_question", {"follow_up": []}, "question is missing"),
    ("ask_followup_question", {"question": "q", "follow_up": [{"mode": "code"}]}, "follow_up.0.text is missing"),
    ("attempt_completion", {"result": ""}, "result is empty"),
    ("update_todo_list", {}, "todos is missing"),
    ("update_todo_list", {"todos": "read the code"}, "todos: no step found"),
    ("read_file", '{"path": "a', "no whole JSON"),
    ("read_file", '{"path": "a"} {', "no whole JSON"),
    ("read_file", "[" * 100_000, "no whole JSON"),
    ("read_file", '"a"', "one JSON object"),
    ("write_to_file", '{"path": "a", "content": "\\ud83d"}', "half a character"),
    ("read_file", '{"path": "a", "path": "b"}', "read_file was not run: path is given twice"),
    ("ask_followup_question", '{"question": "q", "follow_up": [{"text": "a", "text": "b"}]}', "text is given twice"),
]


@pytest.mark.parametrize(("tool", "arguments", "fault"), BAD_ARGUMENTS)
async def test_bad_call_is_told_what_is_wrong_and_runs_nothing(
    tool: str, arguments: str | dict[str, Any], fault: str
) -> None:
    workshop = Workshop({"a": "b\n"})

    outcome = await called(tool, arguments, workshop)

    assert fault in outcome.text
    assert (outcome.is_error, outcome.is_mistake, len(outcome.text) < 300) == (True, True, True)
    assert "decide" not in workshop.log
    assert "apply" not in workshop.log


GOOD_ARGUMENTS = [
    ('{"count": "3", "is_loud": "true"}', Stub.Arguments(count=3, is_loud=True)),
    ('{"count": null, "text": "a"}', Stub.Arguments(text="a")),
    ('{"unheard": 1}', Stub.Arguments()),
    ("", Stub.Arguments()),
    ('{"count": 3, "count": 3}', Stub.Arguments(count=3)),
    ('{"text": "a\nb"}', Stub.Arguments(text="a\nb")),
    ('{"text": "\\ud83d\\ude00"}', Stub.Arguments(text="😀")),
]


@pytest.mark.parametrize(("text", "arguments"), GOOD_ARGUMENTS)
async def test_arguments_are_read_as_they_are_meant(text: str, arguments: Stub.Arguments) -> None:
    stub = Stub()

    await Toolbox([stub]).run(Call("c1", "stub", text), has_failed_before=False)

    assert stub.seen == [arguments]


OTHER_NAMES = [
    ("read_file", {"file_path": "a.txt"}),
    ("list_files", {"directory": "src"}),
    ("search_files", {"path": "src", "pattern": "x"}),
    ("write_to_file", {"filename": "a.txt", "file_text": "b\n"}),
    ("edit_file", {"path": "a.txt", "old_str": "a", "new_str": "b"}),
    ("ask_followup_question", {"question": "q", "follow_up": ["yes", {"answer": "no"}]}),
]


@pytest.mark.parametrize(("tool", "arguments"), OTHER_NAMES)
async def test_other_names_of_parameters_are_understood(tool: str, arguments: dict[str, Any]) -> None:
    outcome = await called(tool, arguments, Workshop({"a.txt": "a\n"}))

    assert not outcome.is_error, outcome.text


async def test_unknown_tool_is_told_with_those_there_are() -> None:
    outcome = await Toolbox([Stub()]).run(Call("c1", "rm", "{}"), has_failed_before=False)

    assert outcome == Outcome("There is no tool 'rm'. Available: stub.", is_error=True, is_mistake=True)


async def test_tool_that_the_mode_forbids_is_neither_offered_nor_run() -> None:
    workshop = Workshop()
    workshop.modes.slug = "ask"
    toolbox = Toolbox(workshop.tools(), workshop.modes.current)

    outcome = await toolbox.run(Call("c1", "write_to_file", '{"path": "a", "content": "b"}'), has_failed_before=False)

    assert "write_to_file is not available in ask mode. Available: read_file" in outcome.text
    assert "write_to_file" not in {spec.name for spec in toolbox.specs()}
    assert (outcome.is_mistake, workshop.log) == (True, [])


async def test_bug_in_a_tool_is_logged_and_told(caplog: pytest.LogCaptureFixture) -> None:
    outcome = await Toolbox([Stub(RuntimeError("boom"))]).run(Call("c1", "stub", "{}"), has_failed_before=False)

    assert (outcome.is_error, outcome.is_mistake) == (True, False)
    assert "internal error" in outcome.text
    assert "boom" not in outcome.text
    assert "RuntimeError: boom" in caplog.text


async def test_cancellation_passes_through() -> None:
    with pytest.raises(asyncio.CancelledError):
        await Toolbox([Stub(asyncio.CancelledError())]).run(Call("c1", "stub", "{}"), has_failed_before=False)


async def test_result_of_any_tool_is_kept_within_bounds() -> None:
    outcome = await Toolbox([Stub(Outcome("x" * 100_000))]).run(Call("c1", "stub", "{}"), has_failed_before=False)

    assert len(outcome.text) <= OUTPUT_LIMIT


async def test_missing_file_is_told_and_is_no_mistake() -> None:
    outcome = await called("read_file", {"path": "gone.txt"})

    assert outcome == Outcome("gone.txt does not exist.", is_error=True)


EDITS_OF_A_MISSING_FILE = {
    "apply_diff": {"path": "app.py", "diff": "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"},
    "edit_file": {"path": "app.py", "old_string": "a", "new_string": "b"},
    "apply_patch": {"patch": "*** Begin Patch\n*** Update File: app.py\n@@\n-a\n+b\n*** End Patch"},
}


@pytest.mark.parametrize(("tool", "arguments"), EDITS_OF_A_MISSING_FILE.items())
async def test_who_edits_in_the_wrong_folder_is_told_where_the_file_is(tool: str, arguments: dict[str, Any]) -> None:
    workshop = Workshop()
    workshop.files.listing = Listing(("src/", "src/app.py"), 0)

    outcome = await called(tool, arguments, workshop)

    assert outcome.text.startswith("app.py does not exist.")
    assert outcome.text.endswith(" Of this name there is src/app.py.")
    assert outcome.is_error


async def test_completion_carries_the_result() -> None:
    outcome = await called("attempt_completion", {"result": "Done."})

    assert outcome == Outcome("The result was shown to the user.", after=After.COMPLETED, completion="Done.")


async def test_completion_is_refused_beside_a_failed_call() -> None:
    call = Call("c1", "attempt_completion", '{"result": "Done."}')

    outcome = await Toolbox(Workshop().tools()).run(call, has_failed_before=True)

    assert (outcome.is_error, outcome.is_mistake, outcome.after) == (True, True, After.GO_ON)
    assert outcome.completion is None


@pytest.mark.parametrize("length", [0, 999, 1000, 1001, 5000])
def test_middle_of_a_long_text_is_cut_out(length: int) -> None:
    text = "".join(chr(0x4E00 + number) for number in range(length))

    cut = capped(text, 1000, "Look elsewhere.")

    head, _, tail = cut.partition("\n\n[")
    assert len(cut) <= 1000
    assert text.startswith(head)
    assert text.endswith(tail.rpartition("]\n\n")[2])
    assert ("Look elsewhere." in cut) == (length > 1000)


def test_marker_says_how_much_was_cut_out() -> None:
    cut = capped("a" * 2000, 1000)

    left_out = 2000 - cut.count("a", 0, cut.index("[")) - cut.count("a", cut.rindex("]"))
    assert f"[{left_out:,} of 2,000 characters are left out here." in cut


def test_schemas_hold_what_a_model_needs_and_nothing_else() -> None:
    specs = {spec.name: spec.parameters for spec in Toolbox(Workshop().tools()).specs()}

    assert specs["ask_followup_question"] == {
        "type": "object",
        "properties": {
            "question": {"type": "string"},
            "follow_up": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"text": {"type": "string"}, "mode": {"type": "string"}},
                    "required": ["text"],
                },
            },
        },
        "required": ["question"],
    }
    assert specs["read_file"]["required"] == ["path"]
    assert not any(noise in json.dumps(specs) for noise in ("$ref", "$defs", '"title"', "null", "anyOf"))


def test_specs_are_lean() -> None:
    specs = Toolbox(Workshop().tools()).specs()

    characters = sum(len(spec.name + spec.description + json.dumps(spec.parameters)) for spec in specs)

    assert characters < 5300
