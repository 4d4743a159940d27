"""Messages as Markdown: a finished one as an entry of a transcript, a waiting one with how to answer it. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Ask, Message, Response, Say
from agent_lsp.lsp.plain.doorbell import ask_lines, suggested, visible
from agent_lsp.lsp.plain.ways import BY_NAME, Ways
from agent_lsp.lsp.waiting import Waiting, json_in

MAX_DIFF_LINES = 24
"""More of a diff would push what stands below it off the screen; `agent.showDiff` has all of it."""

MAX_BLOCK_CHARS = 8_000
"""Of an output or a diff; a transcript is for reading."""

_HEADINGS = {
    Say.TEXT: "Agent",
    Say.REASONING: "Thoughts",
    Say.USER_FEEDBACK: "You",
    Say.USER_FEEDBACK_DIFF: "Your changes",
    Say.COMPLETION_RESULT: "Done",
    Say.COMMAND_OUTPUT: "Output",
    Say.ERROR: "Error",
    Say.DIFF_ERROR: "An edit that did not fit",
    Say.CONDENSE_CONTEXT: "Summed up",
    Say.SLIDING_WINDOW_TRUNCATION: "Left out of what the agent sees",
    Ask.COMPLETION_RESULT: "Done",
    Ask.COMMAND_OUTPUT: "Output",
    Ask.FOLLOWUP: "Question",
    Ask.COMMAND: "Command",
    Say.COMMAND: "Command",
}
_UNSHOWN = {
    Say.API_REQ_STARTED, Say.API_REQ_RETRY_DELAYED, Say.API_REQ_RATE_LIMIT_WAIT, Say.CHECKPOINT_SAVED, Say.TODOS,
}  # fmt: skip
_LEFT_OUT = {"messagesRemoved": "older messages", "resultsRemoved": "older results"}
_OUTPUTS = {Say.COMMAND_OUTPUT, Ask.COMMAND_OUTPUT}
_ANSWERS = {Response.YES: "yes", Response.OBJECT: "yes, in part", Response.NO: "no", Response.MESSAGE: "answered"}
_YES_OR_NO = {Response.YES: "agent.approve", Response.NO: "agent.reject", "agent/clearTask": "agent.clear"}


def entry(message: Message, *, is_task: bool = False) -> str:
    """One finished message; empty for what is not worth a place. The first of all is the user's task."""
    kind = message.ask or message.say
    if kind is None or kind in _UNSHOWN or _is_told_elsewhere(message):
        return ""
    heading = "Task" if is_task else _HEADINGS.get(kind) or _subject(message)
    parts = (f"## {heading}", "\n".join(_body(message)).strip("\n"), _answer(message))
    return "\n\n".join(part for part in parts if part) + "\n\n"


def growing(message: Message, tail: str) -> str:
    """A message that is still being written: the end of it."""
    kind = message.ask or message.say
    heading = (_HEADINGS.get(kind) if kind else None) or "Working"
    text = fenced(tail) if kind in _OUTPUTS or message.ask or message.say is Say.TOOL else tail
    return f"## {heading} …\n\n{text}\n\n"


def is_pause(message: Message) -> bool:
    """Whether it tells of a wait, before another attempt, that is not over."""
    return message.say is Say.API_REQ_RETRY_DELAYED and bool(json_in(message.text).get("seconds"))


def paused(message: Message, ways: Ways = BY_NAME) -> str:
    """A wait before another attempt. Its seconds would have the page written anew each of them."""
    reason = visible(str(json_in(message.text).get("reason", "")))
    now, never = ways.marked("agent.approve"), ways.marked("agent.reject")
    return f"## Waiting\n\n{reason}\n\n- Try now: {now}\n- Try no more: {never}\n\n"


def spelled_out(waiting: Waiting, ways: Ways = BY_NAME) -> str:
    """An ask with all that there is to say to it."""
    body = json_in(waiting.message.text)
    asked = [visible(line) for line in ask_lines(waiting.ask.kind, body, waiting.message.text or "")]
    heading = "Done" if waiting.ask.kind is Ask.COMPLETION_RESULT else "The agent asks"
    lines = [f"## {heading}", "", *_asked(waiting.ask.kind, asked), "", *_choices(waiting, body, ways)]
    if waiting.changes:
        lines += ["", *_diff(waiting)]
    return "\n".join(lines).rstrip() + "\n\n"


def fenced(text: str, language: str = "") -> str:
    """A block that shows a text as it is, whatever backticks are in it."""
    if len(text) > MAX_BLOCK_CHARS:
        half = MAX_BLOCK_CHARS // 2
        text = f"{text[:half]}\n… {len(text) - 2 * half} characters are left out …\n{text[-half:]}"
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def checklist(todos: Iterable[tuple[str, str]]) -> str:
    """Steps as Markdown: each its status and its words."""
    return "\n".join(f"- [{'x' if status == 'completed' else ' '}] {_step(status, words)}" for status, words in todos)


def _step(status: str, words: str) -> str:
    return f"**{words}**" if status == "in_progress" else words


def _is_told_elsewhere(message: Message) -> bool:
    """Whether it asked for files to be saved, which they then were, or lists the steps, which stand at the top."""
    match json_in(message.text).get("tool"):
        case "updateTodoList":
            return message.say is Say.TOOL
        case "saveFiles":
            return message.answer is not None and message.answer.by != "user"
        case _:
            return False


def _body(message: Message) -> Iterator[str]:
    text, body = message.text or "", json_in(message.text)
    kind = message.ask or message.say
    if kind in _OUTPUTS:
        yield fenced(text)
    elif kind in (Ask.COMMAND, Say.COMMAND):
        yield fenced(str(body.get("command", text)), "sh")
    elif changes := _changes(body):
        yield from _diffs([(change["path"], change.get("diff", "")) for change in changes])
    elif diff := str(body.get("diff", "")):
        yield fenced(_without_head(diff), "diff")
    elif kind is Say.CONDENSE_CONTEXT:
        yield str(body.get("summary", text))
    elif kind is Say.SLIDING_WINDOW_TRUNCATION:
        yield _left_out(body)
    elif message.ask:
        # The first line of a tool's is its heading.
        yield from islice(ask_lines(message.ask, body, text), int(message.ask is Ask.TOOL), None)
    elif not body:
        yield text


def _left_out(body: Json) -> str:
    counts = (f"{body[key]} {name}" for key, name in _LEFT_OUT.items() if body.get(key))
    return " and ".join(counts) or "the beginning"


def _subject(message: Message) -> str:
    """What a row without a name of its own is about."""
    body = json_in(message.text)
    if not body:
        return str(message.ask or message.say).replace("_", " ").capitalize()
    return visible(next(iter(ask_lines(Ask.TOOL, body, "")), "Tool"))


def _changes(body: Json) -> list[Json]:
    return body.get("changes") or []


def _answer(message: Message) -> str:
    if message.state == "interrupted":
        return "*interrupted*"
    if message.progress and message.progress.icon == "error":
        return f"**✗ {message.progress.text}**"
    answer = message.answer
    if answer is None or message.ask is Ask.COMMAND_OUTPUT:
        return ""
    by = "" if answer.by == "user" else f", by {answer.by}"
    words = f": {answer.text}" if answer.text else ""
    return f"*{_ANSWERS[answer.response]}{by}*{words}"


def _asked(kind: Ask, lines: list[str]) -> Iterator[str]:
    if kind is Ask.COMMAND:
        yield lines[0]
        yield fenced("\n".join(lines[1:]), "sh")
    else:
        yield from lines


def _choices(waiting: Waiting, body: Json, ways: Ways) -> Iterator[str]:
    for action in waiting.ask.actions:
        if command := _YES_OR_NO.get(action.response):
            with_words = ", with words if you like" if command == "agent.reject" else ""
            yield f"- {action.label}{with_words}: {ways.marked(command)}"
    for suggestion in body.get("suggest") or ():
        yield f"- {suggested(suggestion)}"
    if any(action.response == Response.MESSAGE for action in waiting.ask.actions):
        yield from _words_wanted(waiting, ways)
    if len(hunks := waiting.hunks()) > 1:
        hunk_by_hunk = f"{ways.marked('agent.acceptHunk')}, {ways.marked('agent.rejectHunk')}"
        done = len(hunks) - len(waiting.undecided())
        yield f"- hunk by hunk ({done} of {len(hunks)} decided): {hunk_by_hunk}"
    if waiting.changes:
        yield f"- see all of it, and edit it: {ways.marked('agent.showDiff')}"


def _words_wanted(waiting: Waiting, ways: Ways) -> Iterator[str]:
    if waiting.ask.kind is Ask.FOLLOWUP:
        yield "- by a code action at the cursor"
        yield f"- in a prompt document: {ways.marked('agent.showPrompt')}"
    yield f"- your own words: {ways.marked('agent.answer')}"


def _diff(waiting: Waiting) -> Iterator[str]:
    yield from _diffs([(change.path, change.diff) for change in waiting.changes], MAX_DIFF_LINES)


def _diffs(diffs: Sequence[tuple[str, str]], most_lines: int | None = None) -> Iterator[str]:
    """The paths stand above, so that the diffs need none: but where there are several."""
    for path, diff in diffs:
        text = _without_head(diff)
        lines = text.splitlines()
        if most_lines is not None and len(lines) > most_lines:
            text = "\n".join([*lines[:most_lines], f" … {len(lines) - most_lines} more lines"])
        if len(diffs) > 1:
            yield f"`{path}`\n"
        yield fenced(text, "diff")


def _without_head(diff: str) -> str:
    head, mark, hunks = diff.partition("@@ ")
    return mark + hunks if mark and (not head or head.endswith("\n")) else diff
