"""The words of a pop-up for an ask: few lines, narrow, the harmless choice first. Pure."""

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Ask, Category, Message, Response
from agent_lsp.domain.status import WaitingAsk
from agent_lsp.lsp.plain.prose import plain
from agent_lsp.lsp.waiting import json_in

MAX_LINES = 6
MAX_COLUMNS = 76
"""A taller pop-up crashes Helix."""

MAX_LINE_COLUMNS = 160

_RINGING_IDLE = frozenset({Ask.API_REQ_FAILED, Ask.MISTAKE_LIMIT_REACHED, Ask.AUTO_APPROVAL_MAX_REQ_REACHED})
_PROSE = frozenset({Ask.FOLLOWUP, Ask.MISTAKE_LIMIT_REACHED})
"""Asks whose words are a model's or ours, and Markdown."""

_TOOLS = {
    "saveFiles": "Save, so that the command sees your edits; or approve to run it on what is on the disk:",
    "readFile": "Read",
    "listFilesTopLevel": "List",
    "listFilesRecursive": "List",
    "searchFiles": "Search",
    "switchMode": "Switch to mode",
}
_VERBS = {"create": "Create", "edit": "Edit", "delete": "Delete", "rename": "Rename"}


@dataclass(frozen=True, slots=True)
class Choice:
    """A button and the answer it stands for; no response is no answer."""

    title: str
    response: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Doorbell:
    text: str
    choices: tuple[Choice, ...]
    can_wait: bool = False
    """It is likely to be settled in a moment, without the user."""


LATER = Choice("Later")


def doorbell(message: Message, ask: WaitingAsk) -> Doorbell | None:
    """The pop-up for an ask; None for those that the user need not be called for."""
    if ask.category is not Category.INTERACTIVE and ask.kind not in _RINGING_IDLE:
        return None
    body = json_in(message.text)
    lines = ask_lines(ask.kind, body, message.text or "")
    text = _fitted(plain("\n".join(lines)).splitlines() if ask.kind in _PROSE else lines)
    return Doorbell(text, (LATER, *_choices(ask, body)), can_wait=body.get("tool") == "saveFiles")


def one_line(text: str) -> str:
    """Text as one line of a status bar."""
    return textwrap.shorten(visible(text.replace("\n", " ")), MAX_LINE_COLUMNS, placeholder=" …")


def _choices(ask: WaitingAsk, body: Json) -> Iterable[Choice]:
    if ask.kind is Ask.FOLLOWUP:
        for suggestion in body.get("suggest") or ():
            title = textwrap.shorten(visible(plain(suggested(suggestion))), MAX_COLUMNS, placeholder="…")
            yield Choice(title, Response.MESSAGE, str(suggestion["answer"]))
        return
    for action in ask.actions:
        if action.response != Response.MESSAGE:
            yield Choice(action.label, action.response)


def suggested(suggestion: Json) -> str:
    """A suggested answer as the user reads it, with the mode that it sets."""
    mode = f"{suggestion['mode']}: " if suggestion.get("mode") else ""
    return f"{mode}{suggestion['answer']}"


def ask_lines(kind: Ask, body: Json, text: str) -> Iterable[str]:
    """What is asked, as lines of any length."""
    match kind:
        case Ask.TOOL:
            yield from _tool_lines(body, text)
        case Ask.COMMAND:
            yield "Run this command?"
            yield from str(body.get("command", text)).splitlines()
        case Ask.FOLLOWUP:
            yield from str(body.get("question", text)).splitlines()
        case Ask.API_REQ_FAILED:
            yield "The model's service failed:"
            yield from str(body.get("message", text)).splitlines()
        case Ask.AUTO_APPROVAL_MAX_REQ_REACHED:
            yield f"The limit is reached: {body.get('count')} of {body.get('limit')} ({body.get('type')}). Go on?"
        case _:
            yield from text.splitlines()


def _tool_lines(body: Json, text: str) -> Iterable[str]:
    if body.get("isProtected"):
        yield "This file is protected."
    if body.get("isOutsideWorkspace"):
        yield "This is outside the workspace."
    changes: list[Json] = body.get("changes") or []
    for change in changes:
        verb, path = _VERBS.get(change["kind"], "Change"), change["path"]
        target = f" to {change['newPath']}" if "newPath" in change else ""
        yield f"{verb} {path}{target} (+{change['added']} -{change['removed']})"
    if not changes:
        tool = str(body.get("tool", "tool"))
        named = body.get("mode") if tool == "switchMode" else body.get("path")
        subject = named or ", ".join(map(str, body.get("paths") or ()))
        yield f"{_TOOLS.get(tool, f'{tool}:')} {subject}" if body else text
    if reason := body.get("reason"):
        yield str(reason)


def _fitted(lines: Iterable[str]) -> str:
    wrapped = [part for line in lines for part in _wrapped(visible(line))]
    if len(wrapped) > MAX_LINES:
        wrapped = [*wrapped[: MAX_LINES - 1], f"… and {len(wrapped) - MAX_LINES + 1} more lines"]
    return "\n".join(wrapped)


def _wrapped(line: str) -> list[str]:
    # Wide characters take two columns: then half as many fit, to be safe.
    width = MAX_COLUMNS if line.isascii() else MAX_COLUMNS // 2
    return textwrap.wrap(line, width, break_on_hyphens=False)


def visible(text: str) -> str:
    """Text with its invisible characters spelled out: what is approved is what is seen."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text.expandtabs(4))
