"""How long an editor waits for `initialize`: ours beside a bare pygls server, interleaved, as a ratio.

uv run python tests/benchmarks/bench_start.py [ROUNDS]
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
OURS = [str(Path(sys.executable).with_name("agent-lsp")), "--stdio"]
BARE = [sys.executable, str(HERE / "bare_pygls.py")]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"processId": None, "rootUri": None, "capabilities": {}},
}


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def seconds_to_answer(command: list[str]) -> tuple[float, float]:
    """Seconds from spawn to the answer of `initialize`, and to that of a first request behind it."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(framed(INITIALIZE))
        server.stdin.flush()
        _read(server.stdout)
        answered = time.perf_counter() - started
        server.stdin.write(framed({"jsonrpc": "2.0", "method": "initialized", "params": {}}))
        server.stdin.write(framed({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}))
        server.stdin.flush()
        while _read(server.stdout).get("id") != 2:
            pass
        served = time.perf_counter() - started
        server.stdin.write(framed({"jsonrpc": "2.0", "method": "exit"}))
        server.stdin.close()
        server.wait(10)
    return answered, served


def _read(stream) -> dict:
    length = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(stream.read(length))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    for command in (OURS, BARE):
        seconds_to_answer(command)  # both are in the disk's cache now
    pairs = [(seconds_to_answer(OURS), seconds_to_answer(BARE)) for _ in range(rounds)]
    for index, what in enumerate(("initialize answered", "first request served")):
        ours = statistics.median(our[index] for our, _ in pairs) * 1000
        bare = statistics.median(base[index] for _, base in pairs) * 1000
        print(f"{what}: agent-lsp {ours:.1f} ms, bare pygls {bare:.1f} ms, ratio {ours / bare:.2f}")


if __name__ == "__main__":
    main()
