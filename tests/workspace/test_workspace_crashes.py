import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


async def runs(
    program: str, folder: Path, *arguments: str
) -> Sequence[dict[str, Any]]:  # Any: what the program prints, looked at below.
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(HERE / program), str(folder), *arguments, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    return [json.loads(line) for line in output.splitlines()]


async def test_kill_at_any_call_leaves_files_old_or_new(tmp_path: Path) -> None:
    done = await runs("workspace_kills.py", tmp_path)

    *killed, whole = done
    assert whole["left"] == {"small": "new", "large": "new", "x/y/made": "new"}
    assert len(killed) > 60
    for run in killed:
        known = {name: content for name, content in run["left"].items() if not Path(name).name.startswith(".")}
        assert "torn" not in known.values(), run
        assert {"small", "large"} <= known.keys(), run
        assert known.get("gone", "old") == "old", run
        assert run["swept"] == known, run


OLD = {"small": "old", "large": "old", "gone": "old"}
NEW = {"small": "new", "large": "new", "x/y/made": "new"}


@pytest.mark.parametrize("fault", ["ENOSPC", "EIO", "EPERM"])
async def test_fault_of_any_call_leaves_all_files_old_or_all_new(tmp_path: Path, fault: str) -> None:
    done = await runs("workspace_faults.py", tmp_path, fault)

    standings = {"NotApplied": (OLD, []), "Applied": (NEW, ["x", "x/y"])}
    assert len(done) > 100
    for run in done:
        assert (run["left"], run["folders"]) == standings[run["outcome"]], run
    assert done[-1]["outcome"] == "Applied"


async def test_folder_that_becomes_a_link_at_any_call_never_lets_a_write_escape(tmp_path: Path) -> None:
    done = await runs("workspace_faults.py", tmp_path, "swap")

    assert len(done) > 100
    for run in done:
        assert run["outside"] == OLD, run
        assert set(run["left"].values()) <= {"old", "new"}, run
