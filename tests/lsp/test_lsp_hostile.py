"""Hostile input, case by case, against the server as a process; one server bears one case after the other."""

import sys
from pathlib import Path

import pytest

from support.hostile_cases import HostileClient, read_cases

SERVER = (sys.executable, "-m", "agent_lsp", "--stdio")
CASES = Path(__file__).parent.parent / "cases"
ALL = [case for name in ("jsonrpc_bad.jsonl", "jsonrpc_more.jsonl") for case in read_cases(CASES / name)]
GROUPS = sorted({(case["class"], case["phase"]) for case in ALL})


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("subject", "phase"), GROUPS)
async def test_hostile_input_does_no_harm(subject: str, phase: str, tmp_path: Path) -> None:
    client = HostileClient(SERVER, tmp_path)
    wrong: dict[str, list[str]] = {}
    try:
        for case in ALL:
            if (case["class"], case["phase"]) == (subject, phase) and (found := await client.play(case)):
                wrong[f"{case['id']} {case['why']}"] = found
    finally:
        await client.aclose()

    assert wrong == {}
