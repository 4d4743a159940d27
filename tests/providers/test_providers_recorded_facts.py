"""What was known of the models of a run is known to its play: it decides by the same figures when to make room."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_lsp.domain.errors import ContextOverflow, ModelFault
from agent_lsp.domain.history import Words
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest, Stopped, StopReason, TextDelta
from agent_lsp.domain.tariffs import Surcharge, Tariff
from agent_lsp.providers.build import build_model
from agent_lsp.providers.recorded_facts import facts_from_json, facts_to_json
from agent_lsp.providers.recorded_requests import RecordedRun
from agent_lsp.providers.recording import RecordingModel, Streaming
from agent_lsp.providers.secrets import Secrets
from agent_lsp.settings.model import Profile
from support.models import events_of, request_of

LARGE = ModelFacts("large", 200_000, 32_000, tariff=Tariff(2.0, 10.0, 0.2, 2.5, Surcharge(1_000, 2.0, 1.5)))
SMALL = ModelFacts("small", 8_000, 2_000, sees_images=False)
TASK = Words(("do it",))


class Learning:
    """A model of which more is known with each request."""

    origin = "m"

    def __init__(
        self, *known: ModelFacts, fault: ModelFault | None = None, told_behind: ModelFacts | None = None
    ) -> None:
        self.facts, *self._later = known
        self._fault, self._told_behind = fault, told_behind

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        del request
        if self._later:
            self.facts = self._later.pop(0)
        if self._fault:
            raise self._fault
        yield [TextDelta("x"), Stopped(StopReason.END)]
        self.facts = self._told_behind or self.facts

    async def aclose(self) -> None:
        pass


def player(file: Path) -> Streaming:
    return build_model(Profile(type="replay", file=str(file)), name="played", environment={})


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


async def facts_played(file: Path, requests: int) -> list[ModelFacts]:
    """What is known before each request, and behind the last."""
    replay = player(file)
    known = [replay.facts]
    for _ in range(requests):
        await events_of(replay, request_of(TASK))
        known.append(replay.facts)
    return known


@pytest.mark.parametrize("facts", [LARGE, SMALL, replace(SMALL, window=0, max_output=0)])
def test_facts_survive_the_file(facts: ModelFacts) -> None:
    assert facts_from_json(json.loads(json.dumps(facts_to_json(facts)))) == facts


def test_an_older_recording_says_less() -> None:
    assert facts_from_json({"recording": 2, "model": "m", "window": 9}) == ModelFacts("m", 9, 0)


async def test_a_play_knows_what_was_known_of_the_model(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"

    await events_of(RecordingModel(Learning(LARGE), file, Secrets()), request_of(TASK))

    header, answer = lines_of(file)
    assert (header["maxOutput"], header["prices"]["surcharge"]["above"], "facts" in answer) == (32_000, 1_000, False)
    assert await facts_played(file, 1) == [LARGE, LARGE]


async def test_the_header_has_the_window_that_a_server_told_when_it_was_first_asked(tmp_path: Path) -> None:
    file, learnt = tmp_path / "r.jsonl", replace(LARGE, window=4_096)
    model = RecordingModel(Learning(LARGE, learnt), file, Secrets())

    await events_of(model, request_of(TASK))

    assert lines_of(file)[0]["window"] == 4_096
    assert await facts_played(file, 1) == [learnt, learnt]


BLIND = replace(LARGE, sees_images=False)
NARROW = replace(LARGE, window=4_096)


@pytest.mark.parametrize(
    ("before", "known"),
    [
        ([LARGE, LARGE, NARROW], [LARGE, LARGE, NARROW, NARROW]),
        ([LARGE, NARROW, SMALL], [NARROW, NARROW, SMALL, SMALL]),
        ([LARGE, BLIND], [LARGE, BLIND, BLIND, BLIND]),
    ],
    ids=["later", "behind the first answer", "by the first answer"],
)
async def test_what_an_answer_teaches_is_known_for_the_next_request(
    tmp_path: Path, before: list[ModelFacts], known: list[ModelFacts]
) -> None:
    file, model = tmp_path / "r.jsonl", Learning(*before)
    recording = RecordingModel(model, file, Secrets())

    for _ in range(3):
        await events_of(recording, request_of(TASK))

    assert await facts_played(file, 3) == known


async def test_a_first_request_that_failed_was_made_by_what_was_known_before(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    refused = Learning(LARGE, BLIND, fault=ModelFault("no pictures", is_passing=True))

    with pytest.raises(ModelFault):
        await events_of(RecordingModel(refused, file, Secrets()), request_of(TASK))

    assert player(file).facts == LARGE


async def test_a_window_told_behind_the_first_answer_is_of_the_next_request(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    model = Learning(LARGE, told_behind=NARROW)
    recording = RecordingModel(model, file, Secrets())

    for _ in range(2):
        await events_of(recording, request_of(TASK))

    assert await facts_played(file, 2) == [LARGE, NARROW, NARROW]


async def test_a_task_that_goes_on_with_another_model_is_played_by_what_is_known_of_that(tmp_path: Path) -> None:
    file, run = tmp_path / "r.jsonl", RecordedRun()
    models = [RecordingModel(Learning(facts), file, Secrets(), run=run) for facts in (LARGE, SMALL)]

    for model in (models[0], models[1], models[0]):
        await events_of(model, request_of(TASK))

    _, *answers = lines_of(file)
    assert [(row["request"], row["task"], len(row["asked"]["new"])) for row in answers] == [
        (0, 0, 1),
        (1, 0, 0),
        (2, 0, 0),
    ]
    assert await facts_played(file, 3) == [LARGE, SMALL, LARGE, LARGE]


async def test_tasks_of_two_models_do_not_play_each_others_answers(tmp_path: Path) -> None:
    file, run = tmp_path / "r.jsonl", RecordedRun()
    tasks = [Words(("one",)), Words(("two",))]

    for task in tasks:
        await events_of(RecordingModel(Learning(LARGE), file, Secrets(), run=run), request_of(task))

    assert [row["task"] for row in lines_of(file)[1:]] == [0, 1]


def begun(fault: ModelFault) -> ModelFault:
    fault.has_begun = True
    return fault


FAULTS = {
    "too long": ContextOverflow("too long", status=400, hint="Condense.", window=9_000),
    "too long, for nobody knows what": ContextOverflow("too long", status=413),
    "refused": ModelFault("no", is_passing=False, status=400, hint="h"),
    "cut off": begun(ModelFault("cut", is_passing=True, retry_after_seconds=2.0)),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_played_as_it_was(tmp_path: Path, name: str) -> None:
    file, fault = tmp_path / "r.jsonl", FAULTS[name]
    with pytest.raises(ModelFault):
        await events_of(RecordingModel(Learning(LARGE, fault=fault), file, Secrets()), request_of(TASK))

    with pytest.raises(ModelFault) as played:
        await events_of(player(file), request_of(TASK))

    assert (type(played.value), vars(played.value), str(played.value)) == (type(fault), vars(fault), str(fault))


async def test_a_recording_of_which_nothing_is_written_yet_can_be_begun_by_another_model(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    first, second = (RecordingModel(Learning(facts), file, Secrets()) for facts in (LARGE, SMALL))

    async with asyncio.timeout(5):
        await events_of(second, request_of(TASK))
        await events_of(first, request_of(TASK))

    header, *answers = lines_of(file)
    assert (header["model"], [row.get("facts", {}).get("model") for row in answers]) == ("small", [None, "large"])
