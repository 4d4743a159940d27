"""Recording a run and playing it again."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.errors import ModelFault, NotConfigured
from agent_lsp.domain.history import Call, Reply, Result, Thought, Words
from agent_lsp.domain.model import (
    CallBegan,
    CallEnded,
    CallGrew,
    ModelEvent,
    ModelFacts,
    ModelRequest,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ThoughtSealed,
    UsageKnown,
)
from agent_lsp.domain.status import Usage
from agent_lsp.providers.build import build_model
from agent_lsp.providers.recorded_events import event_from_json, event_to_json
from agent_lsp.providers.recording import RecordingModel, Streaming
from agent_lsp.providers.secrets import Secrets
from agent_lsp.settings.model import Profile
from support.model_server import APIS, CallTool, Figures, Hold, Refusal, Say, Think, scripted_model
from support.model_server import Answer as ScriptedAnswer
from support.models import batches_of, events_of, profile_for, request_of

EVENTS: list[ModelEvent] = [
    TextDelta("ä"),
    ThoughtDelta("hm"),
    ThoughtSealed(Thought("hm", '{"a": 1}')),
    ThoughtSealed(Thought("hm")),
    CallBegan(0, "c", "f"),
    CallGrew(0, '{"x"'),
    CallEnded(0),
    UsageKnown(Usage(1, 2, 3, 4, 0.5)),
    UsageKnown(Usage(1, 2, 3, 4, None)),
    Stopped(StopReason.LENGTH),
]


def shown(batches: Sequence[Sequence[ModelEvent]]) -> list[list[str]]:
    """Events as they print: a thought has no equality of its own."""
    return [[repr(event) for event in batch] for batch in batches]


def player(file: Path) -> Streaming:
    return build_model(Profile(type="replay", file=str(file)), name="played", environment={})


TEXT: list[ModelEvent] = [TextDelta("x"), Stopped(StopReason.END)]


class Canned:
    """A model that says what it is told to."""

    facts = ModelFacts("canned", 1000, 100)
    origin = "canned/model"

    def __init__(self, *batches: Sequence[ModelEvent], fault: ModelFault | None = None) -> None:
        self._batches, self._fault = batches, fault

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        for batch in self._batches:
            yield batch
        if self._fault:
            raise self._fault

    async def aclose(self) -> None:
        pass


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_survives_the_file(event: ModelEvent) -> None:
    assert repr(event_from_json(json.loads(json.dumps(event_to_json(event))))) == repr(event)


@pytest.mark.parametrize("api", APIS)
async def test_what_was_recorded_plays_the_same(api: str, tmp_path: Path) -> None:
    turns = [[Think("Hm"), Say("I look."), CallTool("read_file", path="a")], [Say("word ", times=500)]]
    file = tmp_path / "run.jsonl"

    async with asyncio.timeout(20), scripted_model(turns) as server:
        model = build_model(profile_for(server, api), name="test", environment={}, record_to=file)
        live = [await batches_of(model), await batches_of(model)]
        await model.aclose()

    replay = player(file)
    assert [shown(await batches_of(replay)), shown(await batches_of(replay))] == [shown(answer) for answer in live]
    assert replay.facts.name == model.facts.name


async def test_faults_play_too(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    refusal = Refusal(429, "slow down", headers=(("retry-after", "3"),))

    async with asyncio.timeout(20), scripted_model([refusal, [Say("x")]]) as server:
        model = build_model(profile_for(server, "openai"), name="test", environment={}, record_to=file)
        with pytest.raises(ModelFault) as live:
            await events_of(model)
        await events_of(model)
        await model.aclose()

    replay = player(file)
    with pytest.raises(ModelFault) as played:
        await events_of(replay)
    assert vars(played.value) == vars(live.value)
    assert await events_of(replay)


async def test_an_answer_that_was_cancelled_plays_as_cut_off(tmp_path: Path) -> None:
    file, hold = tmp_path / "run.jsonl", Hold()

    async with asyncio.timeout(20), scripted_model([[Say("so far"), hold]]) as server:
        model = build_model(profile_for(server, "openai"), name="test", environment={}, record_to=file)
        asking = asyncio.create_task(events_of(model))
        await hold.reached.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await model.aclose()

    with pytest.raises(ModelFault, match="cut off") as played:
        await events_of(player(file))
    assert played.value.is_passing


KEY = "planted-key-0815"


@given(st.lists(st.integers(1, 20), max_size=6))
async def test_a_planted_key_is_in_no_recording(tmp_path_factory: pytest.TempPathFactory, sizes: list[int]) -> None:
    file = tmp_path_factory.mktemp("recording") / "run.jsonl"
    text, pieces = f"before {KEY} after {KEY}", []
    for size in sizes:
        pieces.append(text[:size])
        text = text[size:]
    grown: list[ModelEvent] = [
        make(piece) for piece in [*pieces, text] for make in (TextDelta, ThoughtDelta, lambda p: CallGrew(0, p))
    ]
    others = [CallBegan(0, KEY, KEY), ThoughtSealed(Thought(KEY, f'"{KEY}"')), Stopped(StopReason.END)]
    fault = ModelFault(f"bad {KEY}", is_passing=False)
    model = RecordingModel(Canned([*grown, *others], fault=fault), file, Secrets([KEY]))

    with pytest.raises(ModelFault):
        await events_of(model)

    assert KEY not in file.read_text("utf-8")
    replayed = [event.text for event in json_events(file) if isinstance(event, TextDelta)]
    assert "".join(replayed) == "before [secret] after [secret]"


def json_events(file: Path) -> list[ModelEvent]:
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()[1:]]
    return [event_from_json(event) for line in lines for batch in line["batches"] for event in batch["events"]]


async def test_what_is_new_in_a_request_is_noted_once_and_without_keys(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    words = Words(("do it", f"with {KEY}"))
    reply = Reply((Call("c", "read_file", "{}"),))

    async with asyncio.timeout(20), scripted_model([[Say("x")], [Say("y")]]) as server:
        model = build_model(profile_for(server, "openai", api_key=KEY), name="t", environment={}, record_to=file)
        await events_of(model, request_of(words, system="my system prompt"))
        await events_of(model, request_of(words, reply, Result("c", "1 | x"), system="my system prompt"))
        await model.aclose()

    asked = [json.loads(line)["asked"]["new"] for line in file.read_text("utf-8").splitlines()[1:]]
    assert asked == [
        [["what the model is told", "do it\n\nwith [secret]"]],
        [["the result of read_file", "1 | x"]],
    ]
    assert not [word for word in (KEY, "system prompt", "127.0.0.1") if word in file.read_text("utf-8")]


def asked_of(text: str, system: str = "s") -> ModelRequest:
    return request_of(Words(("Go.",)), Reply((Call("c", "run", "{}"),)), Result("c", text), system=system)


DIFFERENCES = {
    "nothing": (asked_of("a\nb"), ""),
    "the time alone": (asked_of("a\nb\nTime: 12:00"), ""),
    "a line": (asked_of("a\nc"), "the result of run is another:\n@@ -2 +2 @@\n-b\n+c"),
    "many lines": (
        asked_of("\n".join(map(str, range(40)))),
        "\n".join(
            [
                "the result of run is another:",
                "@@ -1,2 +1,40 @@",
                "-a",
                "-b",
                *(f"+{n}" for n in range(13)),
                "… 27 more lines",
            ]
        ),
    ),
    "a long line": (asked_of("x" * 999), f"the result of run is another:\n@@ -1,2 +1 @@\n-a\n-b\n+{'x' * 199}…"),
    "the system prompt": (asked_of("a\nb", system="t"), "the system prompt is another"),
    "something more": (
        request_of(Words(("Go.",)), Reply((Call("c", "run", "{}"),)), Result("c", "a\nb"), Words(("x",)), system="s"),
        "it tells 3 new things instead of 2",
    ),
    "something else": (
        request_of(Words(("Go.",)), Words(("x",)), system="s"),
        "there is what the model is told where the result of run was",
    ),
}


@pytest.mark.parametrize("name", DIFFERENCES)
async def test_a_request_that_differs_is_told_in_what_and_played(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    request, differs = DIFFERENCES[name]
    file = tmp_path / "r.jsonl"
    await events_of(RecordingModel(Canned(TEXT), file, Secrets()), asked_of("a\nb"))

    events = await events_of(player(file), request)

    assert events == TEXT
    assert caplog.messages == ([f"Request 1 differs from the recorded one: {differs}"] if differs else [])


async def test_a_prompt_that_is_another_is_told_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "r.jsonl"
    model = RecordingModel(Canned(TEXT), file, Secrets())
    for _ in range(2):
        await events_of(model, asked_of("a"))

    replay = player(file)
    for _ in range(2):
        await events_of(replay, asked_of("a", system="another"))

    assert caplog.messages == ["Request 1 differs from the recorded one: the system prompt is another"]


async def test_an_exact_play_stops_at_the_first_difference(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    await events_of(RecordingModel(Canned(TEXT), file, Secrets()), asked_of("a"))
    exact = build_model(Profile(type="replay", file=str(file), exact=True), name="played", environment={})

    with pytest.raises(ModelFault, match=r"Request 1 differs from the recorded one: the result of run") as caught:
        await events_of(exact, asked_of("b"))

    assert not caught.value.is_passing


async def test_a_task_that_was_condensed_goes_on_with_its_answers(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    for text in ("one", "two"):
        await events_of(RecordingModel(Canned([TextDelta(text), Stopped(StopReason.END)]), file, Secrets()))
    replay = player(file)
    await events_of(replay)

    summary = request_of(Words(("so far: …",)), Reply((Call("c", "run", "{}"),)), Result("c", "x"))

    assert (await events_of(replay, summary))[0] == TextDelta("two")


async def test_tasks_that_were_recorded_together_play_each_its_own(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    tasks = [Words((name,)) for name in ("one", "two")]
    model = RecordingModel(Echo(), file, Secrets())
    for task in (*tasks, *tasks):
        await events_of(model, request_of(task))

    replay = player(file)

    played = [await events_of(replay, request_of(task)) for task in (*tasks, *tasks)]
    assert [events[0] for events in played] == [TextDelta(text) for text in ("one", "two", "one", "two")]


async def test_a_recording_is_added_to(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    for text in ("one", "two"):
        await events_of(RecordingModel(Canned([TextDelta(text), Stopped(StopReason.END)]), file, Secrets()))

    replay = player(file)

    assert [(await events_of(replay))[0], (await events_of(replay))[0]] == [TextDelta("one"), TextDelta("two")]
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("notes\n", "is no recording"),
        ("{}\n", "is no recording"),
        ('{"recording": 99}\n', "is a recording of format 99"),
        ('{"recording": 1}\n', "is a recording of format 1"),
    ],
)
def test_a_file_that_is_no_recording_is_left_alone(tmp_path: Path, content: str, problem: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(content)

    with pytest.raises(NotConfigured, match=problem):
        RecordingModel(Canned(), file, Secrets())

    assert file.read_text() == content


def test_a_place_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match="cannot be written: No such file or directory"):
        RecordingModel(Canned(), tmp_path / "missing" / "run.jsonl", Secrets())


class Echo(Canned):
    """Says what it was told first."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        first = request.history[0]
        assert isinstance(first, Words)
        yield [TextDelta(first.texts[0]), Stopped(StopReason.END)]


def recording(file: Path, *answers: Any, **header: Any) -> Path:
    lines = [{"recording": 1, "model": "m"} | header, *answers]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


SPOKEN = {
    "batches": [{"events": [{"text": "a"}]}, {"after": 2, "events": [{"usage": {"tokensIn": 5}}, {"stopped": "end"}]}]
}


async def test_a_recording_that_runs_out_says_so(tmp_path: Path) -> None:
    replay = player(recording(tmp_path / "r.jsonl", SPOKEN))
    await events_of(replay)

    with pytest.raises(ModelFault, match="has 1 answers, and this is request 2") as caught:
        await events_of(replay)

    assert not caught.value.is_passing


async def test_usage_without_a_cost_costs_nothing(tmp_path: Path) -> None:
    events = await events_of(player(recording(tmp_path / "r.jsonl", SPOKEN)))

    assert events[1:] == [UsageKnown(Usage(5, cost=0.0)), Stopped(StopReason.END)]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"batches": [{}]},
        {"batches": [{"events": [{"what": 1}]}]},
        [1],
        {"batches": [{"events": [{"stopped": "x"}]}]},
        {"batches": [{"after": "soon", "events": []}]},
        {"batches": ["x"]},
    ],
)
async def test_a_line_that_cannot_be_played_is_named(tmp_path: Path, answer: Any) -> None:
    replay = player(recording(tmp_path / "r.jsonl", SPOKEN, answer))
    await events_of(replay)

    with pytest.raises(ModelFault, match=r"Line 3 of the recording .* cannot be played"):
        await events_of(replay)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is no recording: its first line does not say so"),
        ("text\n", "is no recording: its first line does not say so"),
        ("[1]\n", "is no recording: its first line does not say so"),
        ('{"recording": "1"}\n', "is no recording: its first line does not say so"),
        ('{"recording": 3}\n', "is a recording of format 3; this version plays 1 and 2"),
        ('{"recording": 0}\n', "is a recording of format 0; this version plays 1 and 2"),
        pytest.param("[" * 200_000 + "\n", "is no recording: its first line does not say so", id="deep"),
        ('{"recording": 2, "pace": "fast"}\n', "Line 1 .* cannot be played: pace is no number from 0 on"),
        ('{"recording": 2, "pace": -1}\n', "Line 1 .* cannot be played: pace is no number from 0 on"),
        ('{"recording": 2, "pace": NaN}\n', "Line 1 .* cannot be played: pace is no number from 0 on"),
        ('{"recording": 2, "startedMs": [1]}\n', "Line 1 .* cannot be played: startedMs is no number from 0 on"),
        ('{"recording": 2, "startedMs": 1e300}\n', "Line 1 .* cannot be played: startedMs is no number from 0 on"),
        ('{"recording": 2, "window": "x"}\n', "Line 1 .* cannot be played: window is no number from 0 on"),
        ('{"recording": 2, "prices": "x"}\n', "Line 1 .* cannot be played: prices is no object"),
    ],
)
def test_a_file_that_is_no_recording_of_a_known_format_is_not_played(
    tmp_path: Path, content: str, problem: str
) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(content)

    with pytest.raises(NotConfigured, match=problem):
        player(file)


@pytest.mark.parametrize("line", [b"[" * 200_000 + b"\n", b'{"task": 1e999, "batches": 1}\n'], ids=["deep", "endless"])
async def test_a_line_that_cannot_even_be_read_is_named_in_its_turn(tmp_path: Path, line: bytes) -> None:
    file = recording(tmp_path / "r.jsonl", SPOKEN)
    file.write_bytes(file.read_bytes() + line)
    replay = player(file)
    await events_of(replay)

    with pytest.raises(ModelFault, match=r"Line 3 of the recording .* cannot be played"):
        await events_of(replay)


async def test_facts_that_make_no_sense_are_named(tmp_path: Path) -> None:
    replay = player(recording(tmp_path / "r.jsonl", SPOKEN, SPOKEN | {"facts": {"window": "wide"}}))

    with pytest.raises(ModelFault, match=r"Line 3 of the recording .* cannot be played: facts: window is no number"):
        await events_of(replay)


async def test_a_recording_that_was_cut_off_says_where(tmp_path: Path) -> None:
    file = recording(tmp_path / "r.jsonl", SPOKEN, SPOKEN)
    file.write_bytes(file.read_bytes()[:-20])
    replay = player(file)
    await events_of(replay)

    with pytest.raises(ModelFault, match=r"Line 3 of the recording .* cannot be played: it was cut off"):
        await events_of(replay)


@pytest.mark.parametrize(("pace", "delays"), [(0, [0, 0]), (1, [0, 2]), (0.5, [0, 1])])
async def test_a_paced_recording_keeps_its_delays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pace: float, delays: list[float]
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    await events_of(player(recording(tmp_path / "r.jsonl", SPOKEN, pace=pace)))

    assert slept == delays


async def test_calls_played_again_in_one_task_get_new_ids(tmp_path: Path) -> None:
    answer = {"batches": [{"events": [{"call": 0, "id": "c", "name": "f"}, {"stopped": "calls"}]}]}
    replay = player(recording(tmp_path / "r.jsonl", answer))
    history = [Words(("x",)), Reply((Call("c", "f", "{}"),)), Result("c", "y")]

    events = await events_of(replay, request_of(*history))

    assert isinstance(events[0], CallBegan)
    assert events[0].id != "c"


async def test_the_cost_of_a_run_plays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    turn = ScriptedAnswer((Say("x"),), usage=Figures(1000, 100))

    async with asyncio.timeout(20), scripted_model([turn]) as server:
        profile = profile_for(server, "openai", prices={"input": 1, "output": 10})
        model = build_model(profile, name="test", environment={}, record_to=file)
        await events_of(model)
        await model.aclose()

    assert UsageKnown(Usage(1000, 100, cost=0.002)) in await events_of(player(file))


async def test_each_task_is_played_the_recording_from_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    async with scripted_model([[Say("one")], [Say("two")]]) as server:
        model = build_model(profile_for(server, "openai"), name="p", environment={}, record_to=file)
        for _ in range(2):
            await events_of(model)
        await model.aclose()
    replay = build_model(Profile(type="replay", file=str(file)), name="r", environment={})
    first, second = Words(("first task",)), Words(("second task",))

    said = [repr(await events_of(replay, request_of(task))) for task in (first, second, first)]

    assert [("'one'" in answer, "'two'" in answer) for answer in said] == [(True, False), (True, False), (False, True)]
