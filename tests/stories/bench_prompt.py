"""What a prompt costs: its size, and how much of 50 requests a service has seen before.

    uv run python tests/stories/bench_prompt.py

Tokens are counted by tiktoken where it is installed, else estimated at four characters each.
"""

import asyncio
import json
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from prompt_prefix import cacheable_share  # the folder of tests comes first
from story import story  # the folder of tests comes first
from test_story_prefix import answer, play  # the folder of tests comes first

from support.model_requests import SeenRequest
from support.model_server import APIS


def tokens(text: str) -> int:
    try:
        import tiktoken  # pyright: ignore[reportMissingImports] - no part of the project
    except ImportError:
        return len(text) // 4
    return len(tiktoken.get_encoding("o200k_base").encode(text))


async def requests_of(api: str) -> list[SeenRequest]:
    dice, user = random.Random(0), random.Random(1)
    settings = {"limits": {"consecutiveMistakes": 0}}
    with tempfile.TemporaryDirectory() as folder:
        async with story(Path(folder), lambda number, _: answer(number, dice), api=api, settings=settings) as s:
            return await play(s, s.model, user)


async def main() -> None:
    for api in APIS:
        requests = await requests_of(api)
        first = requests[0]
        system, tools = tokens(first.system), tokens(json.dumps(first.body["tools"], ensure_ascii=False))
        print(f"{api}: system prompt {system:,} and {len(first.tools)} tools {tools:,} tokens")
        print(f"{api}: {cacheable_share(requests):.1%} of {len(requests)} requests was sent before")


if __name__ == "__main__":
    asyncio.run(main())
