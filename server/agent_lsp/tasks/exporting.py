"""A task as a Markdown document, for people to read and to keep. Pure."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Ask, Message, Response, Say
from agent_lsp.storage.stored import StoredTask


def exported(task: StoredTask) -> str:
    """Tell what the user and the agent said and did, in order. What a rewind has hidden is left out."""
    began = datetime.fromtimestamp(task.started.created_ts / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    head = [f"# {_line(task.title)}", f"{began} · {_spent(task)}"]
    return "\n\n".join([*head, *(text for message in task.messages if (text := _message(message)))]) + "\n"


def _spent(task: StoredTask) -> str:
    usage = task.usage
    cost = "cost unknown" if usage.cost is None else f"${usage.cost:.4f}"
    return f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out, {cost}"


def _message(message: Message) -> str:
    write = _ASKS.get(message.ask) if message.ask else _SAYS.get(message.say or Say.INFO, _as_quote)
    text = write(message) if write else ""
    return text + _answer(message) if text else ""


def _answer(message: Message) -> str:
    """How an approval was decided. The words of an answer follow as a message of their own."""
    if message.ask in (None, Ask.COMPLETION_RESULT, Ask.COMMAND_OUTPUT, Ask.FOLLOWUP):
        return ""
    if message.answer is None:
        return "\n\n*Interrupted.*" if message.state else ""
    is_yes = message.answer.response in (Response.YES, Response.OBJECT)
    return "\n\n*Approved.*" if is_yes else "\n\n*Rejected.*"


def _heading(title: str) -> Callable[[Message], str]:
    return lambda message: f"## {title}\n\n{_prose(message)}{_images(message)}"


def _as_prose(message: Message) -> str:
    # The user's own words never grew; the model's did.
    is_users = message.say is Say.TEXT and message.partial is None
    return _heading("You")(message) if is_users else _prose(message)


def _as_quote(message: Message) -> str:
    return "\n".join(f"> {line}".rstrip() for line in _prose(message).splitlines())


def _as_thought(message: Message) -> str:
    return f"<details><summary>Thoughts</summary>\n\n{_prose(message)}\n\n</details>" if message.text else ""


def _as_tool(message: Message) -> str:
    body = _body(message)
    where = body.get("path") or ", ".join(map(str, body.get("paths", ())))
    title = f"**{_line(str(body.get('tool', 'tool')))}** {_code(str(where))}".rstrip()
    diffs = [_fence(str(change.get("diff", "")), "diff") for change in body.get("changes", ())]
    return "\n\n".join([title, *diffs])


def _as_command(message: Message) -> str:
    return _fence(str(_body(message).get("command", message.text or "")), "sh")


def _as_output(message: Message) -> str:
    return _fence(message.text or "", "text") if message.text else ""


def _as_question(message: Message) -> str:
    body = _body(message)
    choices = [f"- {_line(str(each.get('answer', '')))}" for each in body.get("suggest", ())]
    return "\n".join([f"**{_line(str(body.get('question', '')))}**", *([""] if choices else []), *choices])


def _as_failure(message: Message) -> str:
    return f"> The request failed: {_line(str(_body(message).get('message', message.text or '')))}"


def _as_condensed(message: Message) -> str:
    summary = str(_body(message).get("summary", message.text or ""))
    return f"<details><summary>The task was condensed</summary>\n\n{summary.strip()}\n\n</details>"


def _as_users_change(message: Message) -> str:
    body = _body(message)
    return f"## You changed {_code(str(body.get('path', '')))}\n\n{_fence(str(body.get('diff', '')), 'diff')}"


_ASKS: Mapping[Ask, Callable[[Message], str]] = {
    Ask.TOOL: _as_tool,
    Ask.COMMAND: _as_command,
    Ask.COMMAND_OUTPUT: _as_output,
    Ask.FOLLOWUP: _as_question,
    Ask.COMPLETION_RESULT: _heading("Result"),
    Ask.API_REQ_FAILED: _as_failure,
    Ask.USE_MCP_SERVER: lambda message: _fence(message.text or "", "json"),
    Ask.BROWSER_ACTION_LAUNCH: lambda message: _fence(message.text or "", "json"),
}
"""What is not here (the questions whether to go on) is not part of the document."""

_SAYS: Mapping[Say, Callable[[Message], str] | None] = {
    Say.TEXT: _as_prose,
    Say.REASONING: _as_thought,
    Say.USER_FEEDBACK: _heading("You"),
    Say.USER_FEEDBACK_DIFF: _as_users_change,
    Say.COMPLETION_RESULT: _heading("Result"),
    Say.TOOL: _as_tool,
    Say.COMMAND: _as_command,
    Say.COMMAND_OUTPUT: _as_output,
    Say.CONDENSE_CONTEXT: _as_condensed,
    Say.SLIDING_WINDOW_TRUNCATION: None,
    Say.API_REQ_STARTED: None,
    Say.API_REQ_RETRY_DELAYED: None,
    Say.API_REQ_RATE_LIMIT_WAIT: None,
    Say.CHECKPOINT_SAVED: None,
}
"""What is not here is quoted; None is left out."""


def _prose(message: Message) -> str:
    return (message.text or "").strip()


def _images(message: Message) -> str:
    return f"\n\n*{len(message.images)} image(s)*" if message.images else ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _code(text: str) -> str:
    """A span of code that holds whatever backticks the text has."""
    if not text:
        return ""
    ticks = "`" * (_longest_run(text) + 1)
    return f"{ticks} {_line(text)} {ticks}" if "`" in text else f"{ticks}{_line(text)}{ticks}"


def _fence(text: str, language: str) -> str:
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _body(message: Message) -> Json:
    """The JSON that a message's text is; of one that was cut off while it grew, its first line. Prose is none."""
    try:
        body: Any = json.loads((message.text or "").partition("\n")[0])  # Any: it may be any JSON.
    except ValueError:
        return {}
    return cast("Json", body) if isinstance(body, dict) else {}  # Checked on this line; the keys of JSON are strings.
