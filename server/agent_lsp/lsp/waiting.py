"""The asks that wait, in every task, and what the user has decided so far of their hunks and texts.

All answers of this door go through here, so that what was decided piece by piece is in each of them. What an answer
does is the hall's business.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.files import Change, Hunk
from agent_lsp.domain.messages import Message, Response
from agent_lsp.domain.notices import MessageNotice, Notice, StatusNotice
from agent_lsp.domain.requests import Answered, AskReply
from agent_lsp.domain.status import Status, WaitingAsk
from agent_lsp.lsp.patches import patched
from agent_lsp.lsp.ports import Hall
from agent_lsp.workspace.diffs import compare, select_hunks
from agent_lsp.workspace.merge import merge

Verdict = Literal["accept", "reject"]

GONE = Answered(accepted=False, reason="AskGone")


@dataclass(frozen=True, slots=True)
class Waiting:
    """An ask that waits. `changes` are without their whole texts: the hall has those."""

    task_id: str
    message: Message
    ask: WaitingAsk
    changes: tuple[Change, ...] = ()
    decisions: Mapping[str, Verdict] = field(default_factory=dict[str, Verdict])

    @property
    def ts(self) -> int:
        return self.ask.ts

    def hunks(self) -> tuple[tuple[Change, Hunk], ...]:
        return tuple((change, hunk) for change in self.changes for hunk in change.hunks)

    def undecided(self) -> tuple[str, ...]:
        return tuple(hunk.id for _, hunk in self.hunks() if hunk.id not in self.decisions)


@dataclass(frozen=True, slots=True)
class Edited:
    """What the user wrote instead, as whole texts by uri, and the ids of the hunks they took out."""

    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    left_out: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a decision about one hunk, and how many are left to decide before the ask is answered."""

    accepted: bool
    undecided: int = 0
    reason: str | None = None


class Asks:
    """At most one ask for each task. Listens to all of them, and is to hear of a notice before others do."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._messages: dict[str, Message] = {}
        self._waiting: dict[str, Waiting] = {}
        self.edited: Callable[[Waiting], Edited] = _nothing
        """What the user made of a proposal by editing what they were shown."""
        self.shown: Callable[[str], str | None] = lambda _uri: None
        """What the editor shows of a file, if it is open."""
        self.on_change: list[Callable[[str], None]] = []
        """Told the task whose ask came, went, or was decided about in part."""

    def notice(self, notice: Notice) -> None:
        match notice:
            case MessageNotice():
                self._take_message(notice.task_id, notice.message)
            case StatusNotice():
                self._take_status(notice.status)
            case _:
                return

    def is_congested(self) -> bool:
        return False

    def of_task(self, task_id: str) -> Waiting | None:
        return self._waiting.get(task_id)

    def all(self) -> tuple[Waiting, ...]:
        """All that wait, in tasks that can be answered, the current task's first."""
        current, live = self._hall.current_task(), self._hall.live_tasks()
        found = [waiting for waiting in self._waiting.values() if waiting.task_id in live]
        return tuple(sorted(found, key=lambda waiting: waiting.task_id != current))

    def find(self, ts: int | None, task_id: str | None = None) -> Waiting | None:
        """Find the ask of this ts, or without one the current task's; else the only one there is."""
        found = [waiting for waiting in self.all() if task_id in (None, waiting.task_id)]
        if ts is not None:
            return next((waiting for waiting in found if waiting.ts == ts), None)
        is_clear = len(found) == 1 or (found and found[0].task_id == self._hall.current_task())
        return found[0] if is_clear else None

    def answer(self, task_id: str, ts: int | None, reply: AskReply, diffs: Mapping[str, str] | None = None) -> Answered:
        """Answer an ask, with all that was decided of it before; `diffs` are patches of the proposal's bases by uri."""
        waiting = self._waiting.get(task_id)
        if waiting is None or ts not in (None, waiting.ts):
            return GONE if diffs else self._hall.answer(task_id, ts, reply)
        if reply.response in (Response.YES, Response.OBJECT) and waiting.changes:
            reply = self._completed(waiting, reply, diffs or {})
        return self._hall.answer(task_id, waiting.ts, reply)

    def decide(self, waiting: Waiting, hunk_id: str | None, verdict: Verdict) -> Decided:
        """Decide about one hunk, without an id about the next one; the last of them answers the ask."""
        if waiting.ts != getattr(self._waiting.get(waiting.task_id), "ts", None):
            return Decided(accepted=False, reason="AskGone")
        decided = replace(waiting, decisions={**waiting.decisions, _chosen(waiting, hunk_id): verdict})
        self._waiting[waiting.task_id] = decided
        if undecided := decided.undecided():
            self._tell(waiting.task_id)
            return Decided(accepted=True, undecided=len(undecided))
        is_yes = "accept" in decided.decisions.values()
        answered = self.answer(waiting.task_id, waiting.ts, AskReply(Response.OBJECT if is_yes else Response.NO))
        return Decided(answered.accepted, reason=answered.reason)

    def preview_text(self, uri: str) -> str | None:
        """What a file will be as things are decided now, by the preview uri of its change."""
        waiting = next((w for w in self._waiting.values() if any(c.preview_uri == uri for c in w.changes)), None)
        if waiting is None:
            return self._hall.preview_text(uri)
        chosen = self._completed(waiting, AskReply(Response.YES), {})
        change = next((change for change in self.whole_changes(waiting) if change.preview_uri == uri), None)
        return change and self._beside_typing(change, chosen.edited.get(change.uri, _without(change, chosen.hunks)))

    def whole_changes(self, waiting: Waiting) -> tuple[Change, ...]:
        return self._hall.preview(waiting.task_id, waiting.ts)

    def _beside_typing(self, change: Change, text: str) -> str:
        """What applying will make of the file as the user has it now; where they typed in the same lines, the text."""
        shown = self.shown(change.uri)
        if shown is None or change.before is None or change.after is None:
            return text
        merged = merge(change.before, shown, text)
        return merged.text if merged.is_clean else text

    def _completed(self, waiting: Waiting, reply: AskReply, diffs: Mapping[str, str]) -> AskReply:
        """Add what was decided before; what the reply says of the same hunk or file counts more."""
        for hunk_id in reply.hunks:
            _check_hunk(waiting, hunk_id)
        own = self.edited(waiting)
        left_out: dict[str, Verdict] = dict.fromkeys(own.left_out, "reject")
        replaced = {hunk.id for change, hunk in waiting.hunks() if change.uri in {*reply.edited, *diffs}}
        decided: dict[str, Verdict] = {**waiting.decisions, **left_out}
        earlier: dict[str, Verdict] = {id_: verdict for id_, verdict in decided.items() if id_ not in replaced}
        hunks: dict[str, Verdict] = {**earlier, **reply.hunks}
        edited = {**own.texts, **reply.edited}
        if not (diffs or edited):
            return replace(reply, hunks=hunks)
        changes = {change.uri: change for change in self.whole_changes(waiting)}
        for uri, diff in diffs.items():
            if uri not in changes:
                raise BadParams(f"{uri} is not among the proposed changes, so there is nothing to patch.")
            edited[uri] = patched(changes[uri].before or "", diff)
        for uri in edited.keys() & changes.keys():
            edited[uri] = _with_rejections(changes[uri], edited[uri], hunks)
        return replace(reply, hunks=hunks, edited=edited)

    def _take_message(self, task_id: str, message: Message) -> None:
        if message.ask is None:
            return
        if message.waits:
            self._messages[task_id] = message
        elif (waiting := self._waiting.get(task_id)) and waiting.ts == message.ts:
            self._forget(task_id)

    def _take_status(self, status: Status) -> None:
        task_id, known = status.task_id, self._waiting.get(status.task_id)
        message = self._messages.get(task_id)
        if status.ask is None or message is None or message.ts != status.ask.ts:
            if known:
                self._forget(task_id)
        elif known is None or known.ts != status.ask.ts:
            self._waiting[task_id] = Waiting(task_id, message, status.ask, changes_in(message.text))
            self._tell(task_id)

    def _forget(self, task_id: str) -> None:
        del self._waiting[task_id]
        self._messages.pop(task_id, None)
        self._tell(task_id)

    def _tell(self, task_id: str) -> None:
        for tell in self.on_change:
            tell(task_id)


def changes_in(text: str | None) -> tuple[Change, ...]:
    """The changes that the text of a message tells of; none where it is about something else."""
    body = json_in(text)
    changes: list[Json] = body.get("changes") or []
    return tuple(_change(change) for change in changes)


def json_in(text: str | None) -> Json:
    """The JSON object that a message's text is; empty where it is prose."""
    try:
        body: object = json.loads(text or "")
    except ValueError:
        return {}
    return cast("Json", body) if isinstance(body, dict) else {}


def _change(wire: Json) -> Change:
    return Change(
        uri=wire.get("uri", ""),
        path=wire["path"],
        kind=wire["kind"],
        diff=wire.get("diff", ""),
        added=wire["added"],
        removed=wire["removed"],
        preview_uri=wire.get("previewUri", ""),
        version=wire.get("version"),
        hunks=tuple(_hunk(hunk) for hunk in wire.get("hunks", ())),
        new_path=wire.get("newPath"),
    )


def _hunk(wire: Json) -> Hunk:
    return Hunk(wire["id"], wire["header"], wire["startLine"], tuple(wire["lines"]))


def _chosen(waiting: Waiting, hunk_id: str | None) -> str:
    known = [hunk.id for _, hunk in waiting.hunks()]
    if not known:
        raise BadParams("What is asked has no hunks; approve or reject it as a whole.")
    if hunk_id is None:
        return next(iter(waiting.undecided()), known[0])
    _check_hunk(waiting, hunk_id)
    return hunk_id


def _check_hunk(waiting: Waiting, hunk_id: str) -> None:
    """Refuse an id of nothing: what is not named is accepted, and a rejection is not to be lost in a slip."""
    known = [hunk.id for _, hunk in waiting.hunks()]
    if hunk_id not in known:
        raise BadParams(f"There is no hunk {hunk_id}; there are {', '.join(known)}.")


def _without(change: Change, hunks: Mapping[str, Verdict]) -> str:
    rejected = frozenset(hunk for hunk, verdict in hunks.items() if verdict == "reject")
    return select_hunks(compare(change.path, change.before or "", change.after or ""), rejected)


def _with_rejections(change: Change, edited: str, hunks: Mapping[str, Verdict]) -> str:
    """Take the hunks that the user rejected out of the text that they made."""
    merged = merge(change.after or "", edited, _without(change, hunks))
    if not merged.is_clean:
        raise BadParams(f"In {change.path} you rejected a hunk that you also edited; take back one of the two.")
    return merged.text


def _nothing(_: Waiting) -> Edited:
    return Edited()
