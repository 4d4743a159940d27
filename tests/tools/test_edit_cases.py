"""The table of edits: what the edit tools make of a call, byte for byte."""

import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from tool_fakes import Workshop

from agent_lsp.domain.history import Call
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.toolbox import Toolbox

TOOLS = {"apply_diff", "edit_file", "write_to_file"}
ROWS = (Path(__file__).parent.parent / "cases" / "edits.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [case for case in map(json.loads, ROWS) if case["tool"] in TOOLS]


def content(text: Any) -> bytes:
    match text:
        case str():
            return text.encode()
        case {"b64": encoded}:
            return b64decode(encoded)
        case {"gen": "lines", "n": count, **more}:
            lines = [more.get("line", "line {i}").replace("{i}", str(number)) for number in range(1, count + 1)]
            for number, line in more.get("set", {}).items():
                lines[int(number) - 1] = line
            return "".join(line + "\n" for line in lines).encode()
        case _:
            raise AssertionError(f"no such kind of text: {text}")


def mentions(outcome: Outcome, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return any(mentions(outcome, one) for one in wanted)
    pattern = rf"(?<!\d){wanted}(?!\d)" if isinstance(wanted, int) else wanted
    return re.search(pattern, outcome.text, re.IGNORECASE) is not None


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['class']}")
async def test_edit_does_what_the_table_says(case: dict[str, Any]) -> None:
    workshop = Workshop()
    before = {path: content(text) for path, text in case["files"].items()}
    workshop.files.content = dict(before)
    call = Call("c1", case["tool"], json.dumps(case["args"]))

    outcome = await Toolbox(workshop.tools()).run(call, has_failed_before=False)

    expect = case["expect"]
    after = before | {path: content(text) for path, text in expect.get("files", {}).items()}
    assert workshop.files.content == after
    assert outcome.is_error == bool(expect.get("error") or expect.get("partial")), outcome.text
    assert all(mentions(outcome, wanted) for wanted in expect.get("mentions", ())), outcome.text
