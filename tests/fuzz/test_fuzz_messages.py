"""Messages of every kind a client sends, spoilt at random, to the real server: it neither ends nor falls silent.

`AGENT_LSP_TEST_MESSAGES` says how many; chance is the same in each run of as many.
"""

import copy
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from support.hostile_cases import Case, HostileClient, framed

MESSAGES = int(os.environ.get("AGENT_LSP_TEST_MESSAGES", "2000"))
AT_ONCE = 100
URI = "file:///tmp/spoilt.py"
PLACE = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 2}}
DOCUMENT = {"uri": URI, "version": 2}
ASK = {"taskId": "t", "ts": 5, "response": "yesButtonClicked", "hunks": {"h": "accept"}, "remember": {"scope": "task"}}
SENT: tuple[tuple[str, Any], ...] = (
    ("textDocument/didOpen", {"textDocument": {**DOCUMENT, "languageId": "python", "text": "a\nb\n"}}),
    ("textDocument/didChange", {"textDocument": DOCUMENT, "contentChanges": [{"range": PLACE, "text": "x\r\n😀"}]}),
    ("textDocument/didSave", {"textDocument": DOCUMENT}),
    ("textDocument/didClose", {"textDocument": DOCUMENT}),
    ("textDocument/codeAction", {"textDocument": DOCUMENT, "range": PLACE, "context": {"diagnostics": []}}),
    ("textDocument/completion", {"textDocument": DOCUMENT, "position": PLACE["start"]}),
    ("workspace/executeCommand", {"command": "agent.approve", "arguments": ["5"]}),
    ("workspace/executeCommand", {"command": "agent.tasks", "arguments": ["words"]}),
    ("workspace/didChangeConfiguration", {"settings": {"agent": {"limits": {"cost": 1}, "deniedCommands": ["rm"]}}}),
    ("workspace/textDocumentContent", {"uri": "agent-preview:/t/1"}),
    ("$/cancelRequest", {"id": 7}),
    ("$/setTrace", {"value": "off"}),
    ("agent/newTask", {"text": "x", "images": ["data:x"], "context": [{"uri": URI, "range": PLACE}], "mode": "code"}),
    ("agent/state", {"taskId": "t", "since": 4, "limit": 10, "before": 99}),
    ("agent/askResponse", ASK),
    ("agent/sendMessage", {"taskId": "t", "text": "x", "delivery": "queue"}),
    ("agent/queue", {"taskId": "t", "op": "move", "messageId": "m", "position": 1}),
    ("agent/listTasks", {"cursor": "c", "limit": 5, "query": "q"}),
    ("agent/restore", {"taskId": "t", "checkpoint": "c", "what": "both", "dryRun": True}),
    ("agent/permissions", {"op": "list"}),
    ("agent/editorContext", {"visible": [{"uri": URI, "ranges": [PLACE]}], "openTabs": [URI]}),
    ("agent/debugReport", {}),
)
ODD = (None, True, 0, -1, 2**64, 1.5, "", "\x00", "\ud83d", "x" * 3000, [], {}, [[]], {"a": {}}, "file://[", "../..")


def spoilt(message: Case, chance: random.Random) -> bytes:
    """Spoil its values, its shape or its bytes."""
    for _ in range(chance.randint(1, 3)):
        _spoil_value(message, chance)
    body = json.dumps(message).encode()
    if chance.random() < 0.3:
        at = chance.randrange(len(body))
        body = body[:at] + chance.randbytes(chance.randint(0, 3)) + body[at + chance.randint(0, 3) :]
    return framed(body)


def _spoil_value(value: Any, chance: random.Random) -> None:
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = chance.choice(keys)
    if isinstance(value[key], dict | list) and chance.random() < 0.7:
        _spoil_value(value[key], chance)
    elif chance.random() < 0.2:
        del value[key]
    else:
        value[key] = copy.deepcopy(chance.choice(ODD))


@pytest.mark.timeout(60 + MESSAGES // 50)
async def test_no_spoilt_message_ends_or_deafens_the_server(tmp_path: Path) -> None:
    chance = random.Random(MESSAGES)
    client = HostileClient((sys.executable, "-m", "agent_lsp", "--stdio"), tmp_path)
    try:
        for start in range(0, MESSAGES, AT_ONCE):
            chosen = [chance.choice(SENT) for _ in range(AT_ONCE)]
            frames = [
                spoilt({"jsonrpc": "2.0", "id": start + n, "method": method, "params": copy.deepcopy(params)}, chance)
                for n, (method, params) in enumerate(chosen)
            ]
            assert await client.survives(frames), f"after message {start}"
    finally:
        await client.aclose()
