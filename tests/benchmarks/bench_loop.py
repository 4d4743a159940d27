"""What a step and a chunk cost the server, beside a bare loop over httpx2 in the same run.

    uv run python tests/benchmarks/bench_loop.py

The gap is the time from the model's last byte to the next whole request: all that happens between two answers.
"""

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from bench_server import BenchServer, stream, text_block, tool_block  # the folder of tests comes first

from support.lsp_client import LspClient  # the folder of tests comes first

STEPS = 200
CHUNKS = 20_000
FLOOR = """
import json, sys, httpx2
client = httpx2.Client()
history = [{"role": "user", "content": "go"}]
lines = open(sys.argv[2]).read().split("\\n")
while True:
    body = json.dumps({"messages": history, "tools": [], "stream": True}).encode()
    with client.stream("POST", f"http://127.0.0.1:{sys.argv[1]}/v1/messages", content=body) as response:
        data = b"".join(response.iter_raw())
    calls = [json.loads(line[6:]) for line in data.split(b"\\n") if line.startswith(b"data: ")]
    read = next((c["delta"]["partial_json"] for c in calls if c.get("delta", {}).get("partial_json")), None)
    if "offset" not in (read or ""):
        break
    offset = json.loads(read)["offset"]
    history += [{"role": "assistant", "content": read}, {"role": "user", "content": lines[offset - 1]}]
"""


def reads(number: int) -> bytes:
    if number < STEPS:
        arguments: dict[str, object] = {"path": "a.txt", "offset": number + 1, "limit": 20}
        return stream(tool_block(0, f"call_{number}", "read_file", arguments), stop="tool_use")
    return finish(number)


def chunks(number: int) -> bytes:
    text = text_block(0, "word ", CHUNKS)
    return stream(text, tool_block(1, f"c{number}", "attempt_completion", {"result": "x"}), stop="tool_use")


def finish(number: int) -> bytes:
    return stream(tool_block(0, f"c{number}", "attempt_completion", {"result": "done"}), stop="tool_use")


async def run(server: BenchServer, workspace: Path, state: Path) -> tuple[float, int, int]:
    """Run one task; CPU seconds of the server, bytes it sent for the task, bytes of its journal."""
    command = [sys.executable, "-m", "agent_lsp", "--stdio"]
    environment = {"AGENT_LSP_STATE": str(state), "AGENT_LSP_HOME": str(state)}
    client = await LspClient.start(command, cwd=workspace, env=environment)
    profile = {"type": "anthropic", "model": "m", "apiKey": "k" * 9, "baseURL": f"http://127.0.0.1:{server.port}"}
    options = {"agent": {"currentProvider": "p", "providers": {"p": profile}}}
    await client.initialize(options=options, root=workspace)
    task = await client.request("agent/newTask", {"text": "go"})
    received = counted(client)
    before = cpu_seconds(client)
    await client.notification("agent/state", lambda status: status["state"] == "idle")
    used = cpu_seconds(client) - before
    await client.shut_down()
    return used, received(), (state / "tasks" / task["taskId"] / "journal.jsonl").stat().st_size


def counted(client: LspClient):
    sizes: list[int] = []
    feed = client.feed

    def counting(piece: bytes) -> None:
        sizes.append(len(piece))
        feed(piece)

    client.feed = counting
    return lambda: sum(sizes)


def cpu_seconds(client: LspClient) -> float:
    assert client.process is not None
    fields = Path(f"/proc/{client.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def floor_gaps(workspace: Path) -> list[float]:
    server = BenchServer(reads)
    subprocess.run([sys.executable, "-c", FLOOR, str(server.port), str(workspace / "a.txt")], check=True, timeout=120)
    return server.gaps()


def tell(what: str, gaps: list[float]) -> float:
    median, p95 = statistics.median(gaps), statistics.quantiles(gaps, n=20)[18]
    early, late = statistics.median(gaps[5:25]), statistics.median(gaps[-21:-1])
    print(f"{what}: gap {median:.2f} ms, p95 {p95:.2f} ms; around step 15 {early:.2f} ms, at the end {late:.2f} ms")
    return median


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        workspace.mkdir()
        (workspace / "a.txt").write_text("".join(f"line {n} of the file\n" for n in range(500)))
        floor = tell("bare loop over httpx2", floor_gaps(workspace))
        server = BenchServer(reads)
        used, sent, written = await run(server, workspace, Path(folder) / "s1")
        ours = tell("agent-lsp", server.gaps())
        print(f"ratio to the bare loop {ours / floor:.2f}; {used / STEPS * 1000:.1f} ms of CPU a step")
        print(f"journal {written / 1000:.0f} kB, sent to the editor {sent / 1000:.0f} kB for {STEPS} steps")
        used, sent, _ = await run(BenchServer(chunks), workspace, Path(folder) / "s2")
        print(
            f"{CHUNKS} chunks: {used / CHUNKS * 1e6:.1f} µs of CPU a chunk, {sent / (5 * CHUNKS):.2f} bytes out a byte"
        )
    print(f"peak memory of this benchmark {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    asyncio.run(main())
