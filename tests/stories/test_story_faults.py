"""A service that misbehaves, in every way that the cases know, behind the real server: many tasks at once."""

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from story import SERVER, environment

from support.fault_server import FaultServer, Played
from support.fault_steps import Dialect
from support.hostile_cases import forget_peak, memory_mb
from support.lsp_client import LspClient

CASES = [
    json.loads(line)
    for name in ("sse_faults.jsonl", "sse_faults_more.jsonl")
    for line in (Path(__file__).parents[1] / "cases" / name).read_text("utf-8").splitlines()
]
OTHERWISE = {"cancelled", "killed"}
"""Outcomes that somebody brings about; stories of their own tell of them."""
KEY = "planted-key-0123456789abcdef"
WORDS = "words of the person at work"
SECONDS = 90
AT_ONCE = 60
MOST_NOTIFICATIONS_A_SECOND = 60
OUTCOMES = {"api_req_failed": "error_shown", "mistake_limit_reached": "asks_user"}


def plays_of(cases: Sequence[dict[str, Any]]) -> dict[str, Played]:
    plays = [Played(case, dialect) for case in cases for dialect in get_args(Dialect)]
    return {play.name: play for play in plays}


def is_told(result: str) -> bool:
    return any(word in result for word in ("rror", "was not run", "no tool"))


class Tasks:
    """The tasks that meet the faults, each with its own picture of what it shows."""

    def __init__(self, client: LspClient, workspace: Path) -> None:
        self.client = client
        self.workspace = workspace
        self._taken = 0
        self._statuses: dict[str, Any] = {}
        self._retried: set[str] = set()
        self._room = asyncio.Semaphore(AT_ONCE)

    async def play(self, play: Played) -> list[str]:
        async with self._room:
            return await self._play(play)

    async def _play(self, play: Played) -> list[str]:
        """Run a task through a case; what was not as it should be."""
        admitted = await self.client.request("agent/newTask", {"text": WORDS, "profile": play.name})
        task_id = admitted["taskId"]
        ask = await self._rest(task_id)
        outcome, requests = self._outcome(task_id, ask, play), len(play.requests)
        shown = json.dumps(await self._messages(task_id), ensure_ascii=False)
        if ask["kind"] in OUTCOMES:
            play.case = {**play.case, "turns": []}
            answer = {"taskId": task_id, "ts": ask["ts"], "response": "yesButtonClicked"}
            assert await self.client.request("agent/askResponse", answer) == {"accepted": True}
            ask = await self._rest(task_id, ask["ts"])
        return [
            *self._wrong(play, outcome, requests, shown),
            *([] if ask["kind"] == "completion_result" else [f"then {ask}"]),
        ]

    async def _rest(self, task_id: str, after: int = 0) -> dict[str, Any]:
        def resting() -> dict[str, Any] | None:
            self._look()
            ask = self._statuses.get(task_id, {}).get("ask")
            return ask if ask and ask["ts"] > after else None

        async with asyncio.timeout(SECONDS):
            while True:
                try:
                    return await self.client.until(resting)
                except TimeoutError:
                    continue

    def _look(self) -> None:
        new, self._taken = self.client.notifications[self._taken :], len(self.client.notifications)
        for method, params in new:
            if method == "agent/state":
                self._statuses[params["taskId"]] = params
            elif method == "agent/message" and params["message"].get("say") == "api_req_retry_delayed":
                self._retried.add(params["taskId"])

    async def _messages(self, task_id: str) -> list[dict[str, Any]]:
        return (await self.client.request("agent/state", {"taskId": task_id}))["messages"]

    def _outcome(self, task_id: str, ask: dict[str, str], play: Played) -> str:
        if ask["kind"] != "completion_result":
            return OUTCOMES.get(ask["kind"]) or ask["kind"]
        if task_id in self._retried:
            return "ok_after_retry"
        results = [result for request in play.requests for result in request.results]
        return "model_told" if any(is_told(result.text) for result in results) else "ok"

    def _wrong(self, play: Played, outcome: str, requests: int, shown: str) -> list[str]:
        expect = play.case["expect"]
        wrong = list(play.problems)
        if outcome not in (expect.get("outcome_in") or [expect["outcome"]]):
            wrong.append(f"outcome {outcome}")
        least, most = expect.get("requests", (1, 12))
        # One more asks for the end, where the last answer was text alone.
        if not least <= requests <= most + (outcome != "error_shown"):
            wrong.append(f"{requests} requests")
        gaps = [after - before for before, after in zip(play.times, play.times[1:], strict=False)]
        if "wait_s" in expect and not expect["wait_s"][0] <= gaps[0] <= expect["wait_s"][1]:
            wrong.append(f"waited {gaps[0]:.1f} s")
        if expect.get("growing_wait") and gaps[:4] != sorted(gaps[:4]):
            wrong.append(f"waits {gaps}")
        if (text := expect.get("text")) and json.dumps(text, ensure_ascii=False)[1:-1] not in shown:
            wrong.append("the text is not shown")
        if expect.get("must_show", "") not in shown:
            wrong.append("the error's words are not shown")
        if KEY in shown or len(play.elsewhere) > 0:
            wrong.append("the key is shown, or was taken elsewhere")
        if any(WORDS.encode() not in request.raw for request in play.requests):
            wrong.append("the user's words are lost")
        return wrong + self._wrong_file(play, expect)

    def _wrong_file(self, play: Played, expect: dict[str, Any]) -> list[str]:
        file = self.workspace / play.names["new.txt"]
        if "file" in expect:
            is_right = file.is_file() and file.read_text("utf-8") == expect["file"]["new.txt"]
            return [] if is_right else ["the file is not there"]
        return ["the file is there"] if expect.get("no_file") and file.exists() else []


def is_borne(case: dict[str, Any]) -> bool:
    return case["class"] != "load" and case["expect"].get("outcome") not in OTHERWISE


async def run(folder: Path, plays: dict[str, Played]) -> tuple[dict[str, list[str]], float]:
    """Play all of it at once against one server; what was wrong, and by how many megabytes its memory grew."""
    (workspace := folder / "workspace").mkdir()
    for name in ("a.txt", "src/b.py"):
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text("hello\n")
    async with FaultServer(plays, KEY) as service:
        client = await LspClient.start(SERVER, cwd=folder, env=environment(folder / "state"))
        try:
            options = {"agent": settings(service, plays)}
            await client.initialize(capabilities={}, options=options, root=workspace)
            await client.request("agent/debugReport", {})
            assert client.process
            forget_peak(client.process.pid)
            before = memory_mb(client, "VmRSS")
            tasks = Tasks(client, workspace)
            async with asyncio.TaskGroup() as group:
                playing = {name: group.create_task(tasks.play(play)) for name, play in plays.items()}
            grown = memory_mb(client, "VmHWM") - before
            assert await client.shut_down() == 0
        finally:
            await client.aclose()
    written = b"".join(path.read_bytes() for path in (folder / "state").rglob("*") if path.is_file())
    assert KEY.encode() not in written + bytes(client.stderr)
    wrong = {f"{name} {plays[name].case['why']}": found for name, task in playing.items() if (found := task.result())}
    return wrong, grown


def settings(service: FaultServer, plays: dict[str, Played]) -> dict[str, Any]:
    profiles = {
        name: {
            "type": play.dialect,
            "model": "m",
            "apiKey": KEY,
            "baseURL": service.base_url(play),
            "firstByteSeconds": play.case["expect"].get("idle_limit_s", 60),
            "betweenBytesSeconds": play.case["expect"].get("idle_limit_s", 60),
        }
        for name, play in plays.items()
    }
    return {"currentProvider": next(iter(profiles)), "providers": profiles, "autoApprove": {"write": True}}


@pytest.mark.timeout(300)
async def test_every_fault_is_borne_and_every_task_goes_on(tmp_path: Path) -> None:
    wrong, _ = await run(tmp_path, plays_of([case for case in CASES if is_borne(case)]))

    assert wrong == {}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("dialect", get_args(Dialect))
async def test_no_flood_fills_the_memory(tmp_path: Path, dialect: Dialect) -> None:
    plays = plays_of([case for case in CASES if case["class"] == "load"])
    for name, play in plays.items():
        if play.dialect != dialect:
            continue
        (folder := tmp_path / name).mkdir()
        wrong, grown = await run(folder, {name: play})

        assert wrong == {}
        assert grown < play.case["expect"]["rss_growth_mb"], play.case["why"]


@pytest.mark.parametrize("dialect", get_args(Dialect))
async def test_a_flood_can_be_cancelled_and_is_told_in_few_notifications(tmp_path: Path, dialect: Dialect) -> None:
    play = Played({"id": "flood", "turns": [[{"endless_text": True}]], "expect": {}}, dialect)
    async with FaultServer({play.name: play}, KEY) as service:
        client = await LspClient.start(SERVER, cwd=tmp_path, env=environment(tmp_path / "state"))
        try:
            options = {"agent": settings(service, {play.name: play})}
            await client.initialize(capabilities={}, options=options, root=tmp_path)
            task_id = (await client.request("agent/newTask", {"text": WORDS}))["taskId"]
            started = time.monotonic()
            await client.until(lambda: len(client.named("agent/messageDelta")) > 2)
            seconds, told = time.monotonic() - started, len(client.notifications)
            status = await client.request("agent/cancelTask", {"taskId": task_id})
            assert await client.shut_down() == 0
        finally:
            await client.aclose()

    assert status["state"] == "resumable"
    assert told <= MOST_NOTIFICATIONS_A_SECOND * seconds + 20
