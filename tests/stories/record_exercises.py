"""Makes the recordings in `tests/recordings` of exercises, anew where the format has changed.

uv run python tests/stories/record_exercises.py
"""

import asyncio
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from exercises import EXERCISES, Exercise, Step  # the folder of tests comes first
from played_tasks import RECORDINGS, TIMELESS, PlayedTask

from support.model_server import CallTool, Say, scripted_model  # the folder of tests comes first


async def record(name: str, exercise: Exercise) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with scripted_model([_parts(step) for step in exercise.steps]) as server:
            task = PlayedTask(Path(folder), exercise)
            file = Path(folder) / f"{name}.jsonl"
            ended = await task.run("-y", "--record", str(file), exercise.task, base_url=server.base_url("openai"))
            assert ended.code == 0, ended
        (RECORDINGS / file.name).write_bytes(file.read_bytes())


def _parts(step: Step) -> list[Say | CallTool]:
    """A step, with tests that say nothing of the time they take."""
    prose, calls = step
    runs = [CallTool(call.name, command=TIMELESS) if call.name == "execute_command" else call for call in calls]
    return [*([Say(prose)] if prose else []), *runs]


async def main() -> None:
    for name, exercise in EXERCISES.items():
        await record(name, exercise)


if __name__ == "__main__":
    asyncio.run(main())
