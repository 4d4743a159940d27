"""What is seen of a call while the model writes it, whatever the pieces it comes in."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.approvals import Deed
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.files import Place, Standing
from agent_lsp.tools.growing import GrowingEdit


def locate(path: str) -> Place:
    return Place(path, Path("/nowhere") / path, f"file:///nowhere/{path}", Standing.INSIDE, Path("/nowhere"))


def body(call: GrowingEdit) -> Json | None:
    return call.action.body if call.action else None


PATCH = "*** Begin Patch\n*** Update File: a b.txt \n@@\n-a\n+b\n"
SHOWN: dict[str, tuple[str, dict[str, object], Json, str]] = {
    "a new file": ("write_to_file", {"path": "a", "content": 'é\n"x"\n'}, {"tool": "newFileCreated", "path": "a"}, 'é\n"x"\n'),
    "its content first": ("write_to_file", {"content": "x\ny", "path": "a"}, {"tool": "newFileCreated", "path": "a"}, "x\ny"),
    "blocks": ("apply_diff", {"path": "a", "diff": "<<<<"}, {"tool": "appliedDiff", "path": "a"}, "<<<<"),
    "a passage": (
        "edit_file",
        {"path": "/", "old_string": "x\ny", "new_string": "z\n", "expected_replacements": 2},
        {"tool": "appliedDiff", "path": "/"},
        "-x\n-y\n+z\n",
    ),
    "a passage for a new file": (
        "edit_file",
        {"path": "a", "old_string": "", "new_string": "z\n"},
        {"tool": "newFileCreated", "path": "a"},
        "+z\n",
    ),
    "a patch": ("apply_patch", {"patch": PATCH}, {"tool": "appliedDiff", "path": "a b.txt"}, PATCH),
    "a patch in small letters": ("apply_patch", {"patch": PATCH.lower()}, {"tool": "appliedDiff", "path": "a b.txt"}, PATCH.lower()),
    "other names": ("write_to_file", {"file_path": "a", "file_text": "x"}, {"tool": "newFileCreated", "path": "a"}, "x"),
    "half a character": ("write_to_file", {"path": "a", "content": "\ud83d"}, {"tool": "newFileCreated", "path": "a"}, "?"),
    "a pair of halves": ("write_to_file", {"path": "a", "content": "\U0001f600"}, {"tool": "newFileCreated", "path": "a"}, "\U0001f600"),
}  # fmt: skip


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(("tool", "arguments", "head", "text"), SHOWN.values(), ids=SHOWN)
def test_change_is_seen_growing(tool: str, arguments: dict[str, object], head: Json, text: str, size: int) -> None:
    call = GrowingEdit("c1", tool, locate)
    written = json.dumps(arguments)

    shown = "".join([call.feed(written[start : start + size]) for start in range(0, len(written), size)])

    assert (body(call), shown) == (head, text)


def test_action_is_that_of_the_file() -> None:
    call = GrowingEdit("c1", "apply_diff", locate)

    call.feed('{"path": "a"')

    assert call.action is not None
    assert (call.action.call_id, call.action.deed, call.action.places) == ("c1", Deed.WRITE, (locate("a"),))


def test_nothing_is_seen_before_the_file_is_known() -> None:
    call = GrowingEdit("c1", "write_to_file", locate)

    shown = [call.feed(piece) for piece in ('{"content": "ab', 'c", "path": "a', '.txt"', "}")]

    assert shown == ["", "", "abc", ""]


@pytest.mark.parametrize("arguments", ["", "nonsense", "[1, 2]", '{"content": {"path": "a"}}', '{"path": ["a"]}'])
def test_call_without_a_file_is_never_seen(arguments: str) -> None:
    call = GrowingEdit("c1", "write_to_file", locate)

    assert (call.feed(arguments), call.action) == ("", None)


def test_edit_that_the_mode_refuses_is_never_seen() -> None:
    call = GrowingEdit("c1", "write_to_file", locate, lambda paths: "No." if "a.py" in paths else None)

    shown = [call.feed(piece) for piece in ('{"content": "ab', 'c", "path": "a.py"', ', "content": "more"}')]

    assert (shown, call.action) == (["", "", ""], None)


def test_patch_that_names_no_file_for_long_is_never_seen() -> None:
    call = GrowingEdit("c1", "apply_patch", locate)
    call.feed('{"patch": "' + "x" * 9000)

    assert (call.feed("\\n*** Delete File: a\\n"), call.action) == ("", None)


@given(st.text(), st.text(), st.lists(st.integers(1, 9), min_size=1))
def test_pieces_make_no_difference(old: str, new: str, sizes: list[int]) -> None:
    written = json.dumps({"path": "a", "old_string": old, "new_string": new})
    whole, call = GrowingEdit("c1", "edit_file", locate), GrowingEdit("c1", "edit_file", locate)
    shown = ""
    start = 0
    for size in (size for _ in written for size in sizes):
        shown += call.feed(written[start : start + size])
        start += size

    assert shown == whole.feed(written)


def seconds_for(length: int) -> float:
    call = GrowingEdit("c1", "write_to_file", locate)
    call.feed('{"path": "a", "content": "')
    started = time.perf_counter()
    for _ in range(length // 16):
        call.feed("0123456789abcd\\n")
    return time.perf_counter() - started


def test_work_is_linear_in_the_length() -> None:
    small = min(seconds_for(50_000) for _ in range(3))
    large = min(seconds_for(400_000) for _ in range(3))

    assert large < 16 * small
