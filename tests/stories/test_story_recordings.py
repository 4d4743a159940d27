"""Whole tasks, recorded and played: `agent-lsp run --record` and `--replay`, each play in a world of its own."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

import pytest
from story import story

from agent_lsp.headless.answers import DECIDE
from support.lsp_client import Json
from support.model_script import Part
from support.model_server import CallTool, Refusal, Say, ScriptedServer, Think, Turn, scripted_model

WRITE = CallTool("write_to_file", path="notes.txt", content="one\ntwo\n")
QUESTION = CallTool("ask_followup_question", question="Which?", follow_up=[{"text": "this"}, {"text": "that"}])
DONE = CallTool("attempt_completion", result="All is well.")
TASK: list[Turn | Sequence[Part]] = [
    [Think("Hm."), Say("I write it. " * 20), WRITE],
    Refusal(529, "Overloaded"),
    [QUESTION],
    [CallTool("execute_command", command="cat notes.txt; echo too | tee more.txt")],
    [CallTool("edit_file", path="notes.txt", old_string="two", new_string="2"), CallTool("read_file", path="more.txt")],
    [DONE],
]


KINDS = ("recording", "words", "batches", "answered")


@dataclass(frozen=True, slots=True)
class Ended:
    code: int | None
    output: str
    errors: str


class World:
    """One folder to work in, made anew for each run; homes and states that no two runs share."""

    def __init__(
        self,
        root: Path,
        server: ScriptedServer,
        variables: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self.recording = root / "project", root / "run.jsonl"
        self._root = root
        self._runs = 0
        self._variables, self._files = dict(variables or {}), dict(files or {})
        profile = {"type": "openai", "model": "m", "apiKey": "k", "baseURL": server.base_url("openai")}
        self._settings = {"currentProvider": "scripted", "providers": {"scripted": profile}}

    async def run(self, *words: str) -> Ended:
        self._runs += 1
        rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, text in self._files.items():
            (self.folder / name).write_text(text)
        home = self._root / f"home-{self._runs}"
        home.mkdir()
        (home / "settings.json").write_text(json.dumps(self._settings))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "agent_lsp", "run", *words),
            cwd=self.folder,
            env={"AGENT_LSP_HOME": str(home), "AGENT_LSP_STATE": str(home / "state"), "PATH": "/usr/bin:/bin"}
            | self._variables,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
        )
        async with asyncio.timeout(60):
            output, errors = await process.communicate()
        return Ended(process.returncode, output.decode(), errors.decode())

    def journal(self) -> bytes:
        """The journal of the newest run."""
        (journal,) = (self._root / f"home-{self._runs}").glob("state/tasks/*/journal.jsonl")
        return journal.read_bytes()

    async def record(self) -> Ended:
        return await self.run("-y", "--record", str(self.recording), "Write a note.")

    async def replay(self, *words: str) -> Ended:
        return await self.run("--replay", str(self.recording), *words)


async def test_a_recorded_task_plays_to_the_same_bytes(tmp_path: Path) -> None:
    async with scripted_model(TASK) as server:
        world = World(tmp_path, server)
        recorded = await world.record()
    files = {path.name: path.read_text() for path in world.folder.iterdir()}

    plays = [(await world.replay("--exact"), world.journal()) for _ in range(3)]

    assert {path.name: path.read_text() for path in world.folder.iterdir()} == files
    assert [end for end, _ in plays] == [Ended(0, plays[0][0].output, "")] * 3
    assert plays[0][1] == plays[1][1] == plays[2][1]
    assert recorded.code == 0
    assert DECIDE in recorded.output
    assert DECIDE in plays[0][0].output


async def test_a_recording_is_played_again_beside_its_earlier_plays(tmp_path: Path) -> None:
    async with scripted_model(TASK) as server:
        world = World(tmp_path, server, {"AGENT_LSP_STATE": str(tmp_path / "state")})
        await world.record()

    plays = [await world.replay() for _ in range(3)]

    assert plays == [Ended(0, plays[0].output, "")] * 3


async def test_a_play_says_where_a_command_came_to_something_else(tmp_path: Path) -> None:
    turns = [[CallTool("execute_command", command='echo "$$ $(date +%N)"')], [DONE]]
    async with scripted_model(turns) as server:
        world = World(tmp_path, server)
        await world.record()

    loose, exact = await world.replay(), await world.replay("--exact")

    assert loose.code == 0
    assert loose.errors.startswith(
        "Request 2 differs from the recorded one: the result of execute_command is another:\n@@ -2 +2 @@\n-"
    )
    assert exact.code == 1
    assert "Request 2 differs from the recorded one" in exact.errors


@pytest.mark.parametrize("response", ["yesButtonClicked", "objectResponse"])
async def test_a_recorded_yes_covers_nothing_that_wants_a_person(tmp_path: Path, response: str) -> None:
    target = tmp_path / "outside.txt"
    turns = [[CallTool("write_to_file", path=str(target), content="x")], [DONE]]
    async with scripted_model(turns) as server:
        world = World(tmp_path, server)
        await world.record()
    lines = world.recording.read_text().replace('"noButtonClicked"', f'"{response}"')
    world.recording.write_text(lines)

    played = await world.replay("-y")

    assert f'"{response}"' in lines
    assert played.code == 1
    assert not target.exists()


async def played_in_an_editor(folder: Path, *words: str) -> bytes:
    """Do the task as a user in an editor would, in a state of its own; the journal it leaves."""
    rmtree(folder / "state", ignore_errors=True)
    rmtree(folder / "workspace", ignore_errors=True)
    turns = [[Say("I write it. " * 20), WRITE], [CallTool("execute_command", command="cat notes.txt")], [DONE]]
    async with story(folder, turns, api="openai", words=words) as s:
        await s.new_task("Write a note.")
        await s.approve("tool")
        await s.approve("command")
        await s.ask("completion_result")
    (journal,) = (folder / "state").glob("tasks/*/journal.jsonl")
    return journal.read_bytes()


async def test_a_task_of_an_editor_plays_to_the_same_bytes(tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    await played_in_an_editor(tmp_path, "--record", str(recording))

    journals = [await played_in_an_editor(tmp_path, "--replay", str(recording)) for _ in range(2)]

    kinds = [key for line in recording.read_text().splitlines() for key in json.loads(line) if key in KINDS]
    # The user's words wait for the header, which the first answer brings: they may come behind that.
    assert [kind for kind in kinds if kind != "words"] == [
        *("recording", "batches", "answered", "batches", "answered", "batches")
    ]
    assert kinds.index("words") in (1, 2)
    assert journals[0] == journals[1]


@pytest.mark.parametrize("words", [("--mode", "architect", "Plan it."), ("/architect Plan it.",)])
async def test_a_play_begins_in_the_mode_that_was_recorded(tmp_path: Path, words: tuple[str, ...]) -> None:
    async with scripted_model([[CallTool("update_todo_list", todos="[ ] plan")], [DONE]]) as server:
        world = World(tmp_path, server)
        await world.run("--record", str(world.recording), *words)

    played = await world.replay("--exact")

    assert (played.code, played.errors) == (0, "")


LINES = "".join(f"{n}\n" for n in range(1, 31))
TWO_PLACES = "\n".join(
    f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE" for old, new in (("3", "three"), ("20", "twenty"))
)
EDIT = CallTool("apply_diff", path="lines.txt", diff=TWO_PLACES)


@pytest.mark.parametrize("wish", ["a hunk rejected", "a text of the user's own"])
async def test_what_the_user_made_of_a_change_is_played(tmp_path: Path, wish: str) -> None:
    recording, own = tmp_path / "run.jsonl", LINES.replace("3\n", "III\n", 1)
    async with story(tmp_path, [[EDIT], [DONE]], api="openai", words=("--record", str(recording))) as s:
        file = s.file("lines.txt", LINES)
        await s.new_task("Write numbers out.")
        (change,) = json.loads((await s.ask("tool"))["text"])["changes"]
        choices: dict[str, Json] = {
            "a hunk rejected": {"hunks": {change["hunks"][0]["id"]: "reject"}},
            "a text of the user's own": {"edited": [{"uri": change["uri"], "text": own}]},
        }
        await s.answer(**choices[wish])
        await s.ask("completion_result")
    made = file.read_text()

    async with scripted_model([]) as server:
        world = World(tmp_path, server, files={"lines.txt": LINES})
        world.recording, world.folder = recording, file.parent
        plays = [(await world.replay("--exact"), world.journal()) for _ in range(2)]

    assert made in (LINES.replace("20\n", "twenty\n"), own)
    assert (world.folder / "lines.txt").read_text() == made
    assert [(end.code, end.errors) for end, _ in plays] == [(0, "")] * 2
    assert plays[0][1] == plays[1][1]


async def test_words_that_were_queued_are_played(tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    turns = [[WRITE], [DONE], [CallTool("read_file", path="notes.txt")], [DONE]]
    async with story(tmp_path, turns, api="openai", words=("--record", str(recording))) as s:
        await s.new_task("Write a note.")
        await s.ask("tool")
        await s.client.request("agent/sendMessage", {"taskId": s.task_id, "text": "Then read it."})
        await s.approve("tool")
        await s.client.until(lambda: s.picture.ask() and s.picture.kinds().count("completion_result") == 2)

    async with scripted_model([]) as server:
        world = World(tmp_path, server)
        world.recording, world.folder = recording, s.workspace
        played = await world.replay("--exact")

    assert (played.code, played.errors) == (0, "")
    assert "Then read it." in played.output


async def test_no_secret_of_the_environment_is_recorded(tmp_path: Path) -> None:
    secret = "planted-0815-token"
    turns = [[Say(f"It is {secret}."), CallTool("read_file", path="notes.txt")], [DONE]]
    async with scripted_model(turns) as server:
        world = World(tmp_path, server, {"MY_SERVICE_TOKEN": secret}, {"notes.txt": f"token: {secret}\n"})
        end = await world.run("-y", "--record", str(world.recording), f"Read of {secret}.")

    recorded = world.recording.read_text()
    assert end.code == 0
    assert secret not in recorded
    assert "It is [secret]." in recorded
    assert "1 | token: [secret]" in recorded


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"recording": 1}\n', "has no words of a user: say what is to be done as an argument."),
        ('{"recording": 9}\n', "is a recording of format 9; this version plays 1 and 2."),
        ("notes\n", "is no recording: its first line does not say so."),
    ],
)
async def test_a_recording_that_cannot_be_played_is_told_in_a_sentence(
    tmp_path: Path, content: str, problem: str
) -> None:
    async with scripted_model([]) as server:
        world = World(tmp_path, server)
        world.recording.write_text(content)

        end = await world.replay()

    assert (end.code, end.errors.count("\n")) == (1, 1)
    assert end.errors.endswith(f"{problem}\n")
