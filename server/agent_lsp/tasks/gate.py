"""The gate of one task: policy decides about an action, else the one waiting ask does. An ask is state, not a request.

The answer is journaled before whoever asked learns of it, and is on the disk before anything but a read follows.
"""

import asyncio
import json
import textwrap
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal

from agent_lsp.approvals.policy import Rules, judge, offered, remembered
from agent_lsp.domain.approvals import Action, Decision, Deed, Judgement, Verdict
from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.files import Change, Proposal, Selection, Standing
from agent_lsp.domain.messages import Answer, Ask, Progress, Response, Say
from agent_lsp.domain.moments import now_ms
from agent_lsp.domain.permissions import Offer, Permission
from agent_lsp.domain.requests import Answered, AskReply
from agent_lsp.storage.records import MessageChanged
from agent_lsp.tasks.growing import GrowingCalls
from agent_lsp.tasks.permissions import TaskPermissions, problem_of
from agent_lsp.tasks.ports import Ledger
from agent_lsp.tasks.stream import MessageStream

Keep = Callable[[Deed, int], Awaitable[None]]
"""Keeps files as they are before a deed; told with the message about it."""

GONE = Answered(accepted=False, reason="AskGone")
ONLY_A_YES = "Only a yes to an action can be remembered: answer without `remember`."
DENIED_MEANWHILE = "This was denied since it was asked about, so nothing of it can be remembered."


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an approval is about, with the rules that it was asked by: a yes may be remembered as these offered it."""

    action: Action
    rules: Rules


@dataclass(frozen=True, slots=True)
class _Waiting:
    ts: int
    ask: Ask
    answer: asyncio.Future[AskReply]
    about: _Asked | None
    text: str


@dataclass(frozen=True, slots=True)
class _Patience:
    """How long the user is waited for, and what counts as their answer then."""

    seconds: float
    reply: AskReply


class Gate:
    """Where a task's interactive asks wait: one at a time."""

    def __init__(
        self,
        stream: MessageStream,
        ledger: Ledger,
        rules: Callable[[], Rules],
        calls: GrowingCalls,
        permissions: TaskPermissions,
    ) -> None:
        self._stream = stream
        self._ledger = ledger
        self._rules = rules
        self._calls = calls
        self._permissions = permissions
        self._keeping: asyncio.Task[None] | None = None
        """The writing of a permission that came with the newest answer."""
        self._waiting: _Waiting | None = None
        self._proposals: dict[int, Proposal] = {}
        self.keep: Keep = _keep_nothing
        """Waited for between a yes and what follows it."""
        self._row_ts = 0
        self.is_cancelling = False
        """Set while the task is cancelled: what waits then was interrupted, not answered."""

    async def decide(self, action: Action) -> Decision:
        decision = await self._decided(action)
        if decision.is_approved:
            await self.keep(action.deed, self._row_ts)
        return decision

    def fail(self, reason: str) -> None:
        """Show in the row of what was decided last that it came to nothing."""
        self._stream.change(MessageChanged(self._row_ts, progress=Progress("error", reason)))

    async def _decided(self, action: Action) -> Decision:
        rules = self._rules()
        judgement = Judgement(Verdict.ASK) if action.deed is Deed.SAVE else judge(action, rules)
        body = _body(action, judgement, offered(action, judgement, rules))
        match judgement.verdict:
            case Verdict.DENY:
                return self._denied(action, body, judgement)
            case Verdict.APPROVE:
                ts = self._row(action, action.say, json.dumps(body, ensure_ascii=False))
                self._keep_proposal(ts, action.proposal)
                if action.deed is not Deed.READ:
                    await self._ledger.sync()
                return Decision(is_approved=True, by="policy")
            case Verdict.ASK:
                decision = await self._ask_about(_Asked(action, rules), body)
                now = judge(action, self._rules())
                # What was denied while the ask waited is not lifted by a yes to it.
                is_denied = decision.is_approved and action.deed is not Deed.SAVE and now.verdict is Verdict.DENY
                return self._denied(action, body, now) if is_denied else decision

    def _denied(self, action: Action, body: Json, judgement: Judgement) -> Decision:
        self._calls.settle(action.call_id)
        self._stream.say(_denial(action), json.dumps(body | {"reason": judgement.reason}, ensure_ascii=False))
        return Decision(is_approved=False, by="policy", text=judgement.reason)

    async def ask(self, ask: Ask, body: Json, call_id: str) -> Decision:
        """Put a question that only the user can answer."""
        del call_id  # no two asks wait at once, so the ask needs no name of its own
        seconds, late = self._rules().auto_approve.followup_seconds, _first_suggestion(body)
        patience = _Patience(seconds, late) if seconds and late else None
        reply = await self._wait(ask, json.dumps(body, ensure_ascii=False), None, patience)
        is_yes, is_late = reply.response != Response.NO, patience is not None and reply is patience.reply
        return Decision(is_yes, "timeout" if is_late else "user", reply.text, reply.images)

    def answer(self, ts: int | None, reply: AskReply) -> Answered:
        """Take the user's answer to the waiting ask; the first one wins."""
        waiting = self._waiting
        if waiting is None or (ts is not None and ts != waiting.ts):
            return GONE
        permission = self._permission(waiting.about, reply)
        if waiting.ask is Ask.FOLLOWUP and not (reply.text.strip() or reply.images):
            raise BadParams(_words_wanted(json.loads(waiting.text)))
        self._settle(waiting, reply, by="user")
        self._keeping = self._permissions.keep(permission) if permission else None
        if reply.text or reply.images:
            self._stream.say(Say.USER_FEEDBACK, reply.text, images=reply.images)
        return Answered(accepted=True)

    def suggests(self, words: str) -> bool:
        """Whether words are the model's own: a suggestion of the question that waits."""
        if self._waiting is None or self._waiting.ask is not Ask.FOLLOWUP:
            return False
        suggestions = json.loads(self._waiting.text).get("suggest") or ()
        return any(each["answer"].split() == words.split() for each in suggestions)

    def changes(self, ts: int) -> tuple[Change, ...] | None:
        """Tell the changes, whole texts included, that the ask (or the approved tool row) `ts` is about."""
        proposal = self._proposals.get(ts)
        return proposal.changes if proposal else None

    def preview_text(self, uri: str) -> str | None:
        """Tell what a file will be, by the preview uri of its change."""
        for proposal in self._proposals.values():
            for change in proposal.changes:
                if change.preview_uri == uri:
                    return change.after or ""
        return None

    def _permission(self, about: _Asked | None, reply: AskReply) -> Permission | None:
        """Make what is to be remembered of an answer; BadParams, before anything happened, where that cannot be."""
        if reply.remember is None:
            return None
        if about is None or reply.response not in (Response.YES, Response.OBJECT):
            raise BadParams(ONLY_A_YES)
        if judge(about.action, self._rules()).verdict is Verdict.DENY:
            raise BadParams(DENIED_MEANWHILE)
        return remembered(about.action, about.rules, reply.remember, self._permissions.asker(about.action))

    async def _ask_about(self, about: _Asked, body: Json) -> Decision:
        action = about.action
        try:
            reply = await self._wait(action.ask, json.dumps(body, ensure_ascii=False), about)
        except asyncio.CancelledError:
            if action.deed is Deed.SAVE and not self.is_cancelling:
                return Decision(is_approved=True, by="policy")
            raise
        if (keeping := self._keeping) and (problem := await problem_of(keeping)):
            self._stream.say(Say.ERROR, problem)
        is_yes = reply.response in (Response.YES, Response.OBJECT)
        if is_yes and action.deed is not Deed.READ:
            await self._ledger.sync()
        return Decision(is_yes, "user", reply.text, reply.images, _selection(reply))

    def _row(self, action: Action, kind: Ask | Say, text: str) -> int:
        """Say or ask in the row that has grown with the call, else in a new one."""
        ts = self._calls.take(action.call_id, kind)
        if ts is not None:
            self._stream.change(MessageChanged(ts, text=text, partial=False))
            return ts
        return self._stream.ask(kind, text) if isinstance(kind, Ask) else self._stream.say(kind, text)

    async def _wait(self, ask: Ask, text: str, about: _Asked | None, patience: _Patience | None = None) -> AskReply:
        await self._ledger.sync()
        action = about.action if about else None
        ts = self._row(action, ask, text) if action else self._stream.ask(ask, text)
        self._keep_proposal(ts, action.proposal if action else None)
        loop = asyncio.get_running_loop()
        waiting = _Waiting(ts, ask, loop.create_future(), about, text)
        self._waiting = waiting
        late = loop.call_later(patience.seconds, self._settle_late, waiting, patience) if patience else None
        try:
            return await waiting.answer
        except asyncio.CancelledError:
            self._give_up(waiting)
            raise
        finally:
            if late:
                late.cancel()

    def _settle_late(self, waiting: _Waiting, patience: _Patience) -> None:
        """Take the late answer, as long as the settings do not want more patience by now; 0 is without end."""
        if self._waiting is not waiting:
            return
        seconds = self._rules().auto_approve.followup_seconds
        if seconds > patience.seconds:
            more = replace(patience, seconds=seconds)
            asyncio.get_running_loop().call_later(seconds - patience.seconds, self._settle_late, waiting, more)
        elif seconds:
            self._settle(waiting, patience.reply, by="timeout")

    def _give_up(self, waiting: _Waiting) -> None:
        """Settle an ask that nobody answered: its task was cancelled, or what it waited for came by itself."""
        if self._waiting is not waiting:
            return
        if self.is_cancelling:
            self._waiting = None
            self._stream.change(MessageChanged(waiting.ts, state="interrupted"))
        else:
            self._settle(waiting, AskReply(Response.YES), by="policy")

    def _settle(self, waiting: _Waiting, reply: AskReply, by: Literal["user", "policy", "timeout"]) -> None:
        selection = _selection(reply) if reply.hunks or reply.edited else None
        answer = Answer(Response(reply.response), by, now_ms(), reply.text or None, selection)
        self._stream.change(MessageChanged(waiting.ts, answer=answer))
        self._waiting = None
        if not waiting.answer.done():
            waiting.answer.set_result(reply)

    def _keep_proposal(self, ts: int, proposal: Proposal | None) -> None:
        """Keep the newest proposals for previews; older ones are on the disk already or were turned down."""
        self._row_ts = ts
        if proposal is None:
            return
        self._proposals[ts] = proposal
        while len(self._proposals) > _PROPOSALS_KEPT:
            del self._proposals[next(iter(self._proposals))]


_PROPOSALS_KEPT = 8


async def _keep_nothing(_deed: Deed, _ts: int) -> None:
    """Nobody keeps the files."""


def _body(action: Action, judgement: Judgement, offer: Offer | None) -> Json:
    body = dict(action.body)
    if judgement.reason:
        body["reason"] = judgement.reason
    if action.ask is Ask.COMMAND:
        body["segments"] = to_wire(judgement.segments)
    if judgement.is_protected:
        body["isProtected"] = True
    if judgement.may_hide_denied:
        body["mayHideDenied"] = True
    if offer:
        body["remember"] = to_wire(offer)
    return body


def _first_suggestion(body: Json) -> AskReply | None:
    suggestions = body.get("suggest")
    return AskReply(Response.MESSAGE, suggestions[0]["answer"]) if suggestions else None


def _words_wanted(question: Json) -> str:
    """Say what may answer a question: a bare yes would choose for the user, or tell the model nothing."""
    suggestions = [textwrap.shorten(each["answer"], 60, placeholder="…") for each in question.get("suggest") or ()]
    choices = "".join(f"“{suggestion}”, " for suggestion in suggestions)
    own = "or your own words" if suggestions else "your own words"
    return f"A question is answered with words, not by yes or no alone: {choices}{own}."


def _denial(action: Action) -> Say:
    is_ignored = any(place.standing is Standing.IGNORED for place in action.places)
    return Say.IGNORE_ERROR if is_ignored else Say.ERROR


def _selection(reply: AskReply) -> Selection:
    rejected = frozenset(hunk for hunk, verdict in reply.hunks.items() if verdict == "reject")
    return Selection(rejected, reply.edited)
