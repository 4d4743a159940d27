"""What code actions there are at a place: for the asks that wait, and for work to begin there. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lsprotocol import types

from agent_lsp.domain.messages import Ask, Response
from agent_lsp.domain.status import Action, State
from agent_lsp.lsp.plain.doorbell import suggested, visible
from agent_lsp.lsp.plain.marks import hunk_range
from agent_lsp.lsp.plain.prose import plain
from agent_lsp.lsp.waiting import Waiting, json_in

ASK_KIND = "quickfix"
WORK_KIND = "agent"
"""Of our own, so that no real fix stands behind ours."""

MAX_TITLE = 70
_COMMANDS = {Response.YES.value: "agent.approve", Response.NO.value: "agent.reject", "agent/clearTask": "agent.clear"}


@dataclass(frozen=True, slots=True)
class Offer:
    title: str
    kind: str
    command: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """Where the user is, lines counted from 0, and what is known of it."""

    uri: str
    path: str
    first_line: int
    last_line: int
    selected: str = ""
    problems: tuple[str, ...] = ()
    """What language servers say of the place."""
    task_shown: str | None = None
    """The task that this document of ours is about."""
    task_listed: str | None = None
    """The task that the line is about, in the list of tasks."""
    is_prompt: bool = False
    open_uris: frozenset[str] = frozenset()
    state: State = State.NO_TASK
    """Of the current task."""


def offers(scene: Scene, asks: Sequence[Waiting]) -> list[Offer]:
    found = [offer for waiting in asks if _concerns(waiting, scene) for offer in _for_ask(waiting, scene)]
    if scene.is_prompt:
        return [_for_prompt(scene, asks), *found]
    if scene.task_listed:
        return [Offer("Agent: go on with this task", ASK_KIND, "agent.resume", (scene.task_listed,)), *found]
    is_at_rest = scene.state in (State.NO_TASK, State.IDLE, State.RESUMABLE)
    return [*found, *_for_work(scene)] if is_at_rest and scene.task_shown is None else found


def _concerns(waiting: Waiting, scene: Scene) -> bool:
    """Whether an ask is about this place. One whose files are not open could be answered nowhere: it is everywhere."""
    if scene.task_shown:
        return scene.task_shown == waiting.task_id
    places = {change.uri for change in waiting.changes}
    return scene.uri in places or not places & scene.open_uris


def _for_ask(waiting: Waiting, scene: Scene) -> Iterator[Offer]:
    name = _name(waiting)
    for action in waiting.ask.actions:
        if offer := _for_action(waiting, action, name):
            yield offer
    yield from _for_suggestions(waiting)
    hunks = [hunk for change, hunk in waiting.hunks() if change.uri == scene.uri and _is_at(hunk_range(hunk), scene)]
    for hunk in hunks:
        place = (hunk.id, str(waiting.ts), waiting.task_id)
        yield Offer("Agent: approve this hunk", ASK_KIND, "agent.acceptHunk", place)
        yield Offer("Agent: reject this hunk", ASK_KIND, "agent.rejectHunk", place)
    if waiting.changes:
        yield Offer("Agent: show diff", ASK_KIND, "agent.showDiff", (waiting.task_id,))


def _for_action(waiting: Waiting, action: Action, name: str) -> Offer | None:
    command = _COMMANDS.get(action.response)
    if command is None:
        return None
    title = f"Agent: {action.label.lower()}{name}"
    match command:
        case "agent.clear":
            return Offer(title, ASK_KIND, command, (waiting.task_id,))
        case "agent.reject":
            return Offer(title, ASK_KIND, command, ("", str(waiting.ts), waiting.task_id))
        case _:
            return Offer(title, ASK_KIND, command, (str(waiting.ts), waiting.task_id))


def _for_suggestions(waiting: Waiting) -> Iterator[Offer]:
    if waiting.ask.kind is Ask.FOLLOWUP:
        for suggestion in json_in(waiting.message.text).get("suggest") or ():
            answer = str(suggestion["answer"])
            place = (answer, str(waiting.ts), waiting.task_id)
            title = _short(f"Agent: answer “{visible(plain(suggested(suggestion)))}”")
            yield Offer(title, ASK_KIND, "agent.answer", place)


def _for_prompt(scene: Scene, asks: Sequence[Waiting]) -> Offer:
    question = next((waiting for waiting in asks if waiting.ask.kind is Ask.FOLLOWUP), None)
    if question:
        return Offer("Agent: answer with this prompt", ASK_KIND, "agent.sendPrompt", (scene.uri, str(question.ts)))
    return Offer("Agent: send this prompt", ASK_KIND, "agent.sendPrompt", (scene.uri,))


def _for_work(scene: Scene) -> Iterator[Offer]:
    first, last = scene.first_line + 1, scene.last_line + 1
    lines = f"{first}-{last}" if last > first else f"{first}"
    where = f"{scene.path}:{lines}"
    problems = "".join(f"\n- {problem}" for problem in scene.problems)
    fix = f"Fix this, in {where}:{problems}" if problems else f"Fix what is wrong in {where}."
    yield Offer("Agent: fix this", ASK_KIND if problems else WORK_KIND, "agent.newTask", (fix, scene.uri, lines))
    explain = f"Explain {where}. Change nothing."
    yield Offer("Agent: explain", WORK_KIND, "agent.newTask", (explain, scene.uri, lines))
    if selected := scene.selected.strip():
        # A file is not the user: no `/` at its beginning sets a mode, or how much is asked.
        words = f"Do this: {selected}" if selected.startswith("/") else selected
        yield Offer("Agent: new task from selection", WORK_KIND, "agent.newTask", (words, scene.uri, lines))


def _is_at(place: types.Range, scene: Scene) -> bool:
    """Whether the lines of a hunk are at the place; lines that are only added stand between two."""
    last = max(place.end.line - 1, place.start.line)
    return place.start.line - 1 <= scene.last_line and scene.first_line <= last


def _name(waiting: Waiting) -> str:
    """What an ask is about, in the few words there is room for."""
    body = json_in(waiting.message.text)
    if waiting.changes:
        paths = list(dict.fromkeys(change.path for change in waiting.changes))
        return _short(f" {paths[0]}" + (f" and {len(paths) - 1} more" if len(paths) > 1 else ""))
    subject = body.get("command") or body.get("path") or ""
    return _short(f" {visible(str(subject))}") if subject else ""


def _short(text: str) -> str:
    return text if len(text) <= MAX_TITLE else f"{text[: MAX_TITLE - 1]}…"
