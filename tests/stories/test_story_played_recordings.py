"""The recordings that are kept: tasks that were done once, and can be played ever after."""

from pathlib import Path

import pytest
from exercises import EXERCISES
from played_tasks import RECORDINGS, PlayedTask


@pytest.mark.parametrize("name", EXERCISES)
async def test_a_recording_that_is_kept_plays_twice_to_the_same_bytes(tmp_path: Path, name: str) -> None:
    task = PlayedTask(tmp_path, EXERCISES[name])

    ends, journals = [], []
    for _ in range(2):
        ends.append(await task.run("--replay", str(RECORDINGS / f"{name}.jsonl")))
        journals.append(task.journal())

    assert [(end.code, "passed" in end.output) for end in ends] == [(0, True)] * 2
    assert ends[0] == ends[1]
    assert journals[0] == journals[1]
