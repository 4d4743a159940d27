"""The demo: the real server as a subprocess, a recorded model, and a small editor that shows what happens.

`project` and `recording.jsonl` are what it plays; the files end in `.txt`, so that no tool takes them for our own.
"""

from agent_lsp.headless.demo.story import run_demo

__all__ = ["run_demo"]
