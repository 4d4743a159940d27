"""Whole messages as lines of a terminal. Pure; text that grows is the business of `render.py`.

Every text of a model, a file or a command is made safe before it becomes part of a line.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Answer, Ask, Message, Response, Say
from agent_lsp.domain.status import Todo, Usage
from agent_lsp.headless.paint import Paint, Tone, clean

INDENT = "  "
TASK_LINES = 6

_VERBS: Mapping[str, str] = {
    "readFile": "read",
    "listFilesTopLevel": "list",
    "listFilesRecursive": "list",
    "searchFiles": "search",
    "newFileCreated": "create",
    "editedExistingFile": "edit",
    "appliedDiff": "edit",
    "deletedFile": "delete",
    "renamedFile": "rename",
    "saveFiles": "save",
    "switchMode": "switch to mode",
}
"""What the family's words for tools mean to people."""


def message_rows(message: Message, paint: Paint, root: Path) -> list[str]:
    """The lines of a whole message; none where there is nothing to see. `root` is the folder that goes unsaid."""
    if message.say is Say.TOOL and message.state == "interrupted":
        return []  # The model began to write a call that came to nothing.
    if message.ask:
        return _ask_rows(message.ask, message.text or "", paint, root)
    return _say_rows(message.say, message.text or "", paint) if message.say else []


def answer_rows(message: Message, paint: Paint) -> list[str]:
    """The line that tells how an ask was settled; none for what is answered in words of its own."""
    if message.ask not in _APPROVALS:
        return []
    if message.state == "interrupted":
        return [INDENT + paint(Tone.DIM, "— interrupted")]
    return [INDENT + _answer(message.answer, paint)] if message.answer else []


def task_rows(text: str, paint: Paint) -> list[str]:
    """The user's first words, the first lines of them."""
    lines = clean(text).strip().split("\n")
    shown = [paint(Tone.BOLD, ("❯ " if n == 0 else INDENT) + line) for n, line in enumerate(lines[:TASK_LINES])]
    left_out = len(lines) - TASK_LINES
    return [*shown, INDENT + paint(Tone.DIM, f"… {left_out} more lines")] if left_out > 0 else shown


def todo_rows(todos: Sequence[Todo], paint: Paint) -> list[str]:
    return [_todo(todo, paint) for todo in todos]


def usage_row(usage: Usage, paint: Paint) -> str:
    """What a task took: tokens and money."""
    cost = "cost unknown" if usage.cost is None else f"${usage.cost:.4f}" if usage.cost else "$0"
    return paint(Tone.DIM, f"{usage.tokens_in:,} tokens in · {usage.tokens_out:,} out · {cost}")


_APPROVALS = (Ask.TOOL, Ask.COMMAND, Ask.USE_MCP_SERVER, Ask.BROWSER_ACTION_LAUNCH)


def _ask_rows(ask: Ask, text: str, paint: Paint, root: Path) -> list[str]:
    match ask:
        case Ask.TOOL:
            # What was cut off while it grew has the JSON in its first line.
            body = _body(text.partition("\n")[0])
            return [_question(_tool_title(body), paint), *_reason(body, paint), *_diffs(body, paint)]
        case Ask.COMMAND:
            return _command_ask(_body(text), paint, root)
        case Ask.FOLLOWUP:
            return _followup(_body(text), paint)
        case Ask.COMPLETION_RESULT:
            return [paint(Tone.GREEN, "✓ Completed"), *clean(text).strip("\n").split("\n")]
        case Ask.API_REQ_FAILED:
            return _request_failed(_body(text), paint)
        case Ask.MISTAKE_LIMIT_REACHED:
            return _problem(text, paint)
        case Ask.AUTO_APPROVAL_MAX_REQ_REACHED:
            return [paint(Tone.MAGENTA, f"! {limit_sentence(text)}")]
        case Ask.USE_MCP_SERVER | Ask.BROWSER_ACTION_LAUNCH:
            words = [str(value) for value in _body(text).values()]
            return [_question(clean(f"{ask.value.replace('_', ' ')}: {' '.join(words)}"), paint)]
        case Ask.RESUME_TASK | Ask.RESUME_COMPLETED_TASK | Ask.COMMAND_OUTPUT:
            return []


def limit_sentence(text: str) -> str:
    """What a reached cap says, as a sentence."""
    match _body(text):
        case {"type": "cost", "count": float() | int() as count, "limit": limit} if count < limit:
            return f"One more request would pass the cost limit: ${count} of ${limit} are spent."
        case {"type": "cost", "count": count, "limit": limit}:
            return f"The cost limit is reached: ${count} of ${limit}."
        case {"count": count, "limit": limit}:
            return f"The request limit is reached: {count} of {limit}."
        case _:
            return "A limit is reached."


def room_sentence(text: str) -> str:
    """What was done to make room in the model's window, as a sentence."""
    body = _body(text)
    match body:
        case {"summary": _}:
            done = "The task was condensed: a summary stands for all but the newest steps"
        case {"messagesRemoved": int(removed)} if removed:
            done = f"The oldest {removed} items of the history were cut off to make room"
        case {"resultsRemoved": int(removed)}:
            done = f"{removed} old results were left out to make room"
        case _:
            done = "Room was made in the model's window"
    before, after = body.get("prevContextTokens"), body.get("newContextTokens")
    sizes = f" ({before:,} → {after:,} tokens)" if isinstance(before, int) and isinstance(after, int) else ""
    return f"{done}{sizes}."


def request_sentence(text: str) -> str:
    """What a failed request says, as one or two sentences."""
    body = _body(text)
    message = str(body.get("message", text))
    # Most services' faults have it in their words.
    status = f" (status {body['status']})" if "status" in body and str(body["status"]) not in message else ""
    attempts = body.get("attempts", 1)
    tried = f" Tried {attempts} times." if attempts > 1 else ""
    hint = f" {body['hint']}" if "hint" in body else ""
    stop = "." if (tried or hint) and not status and message[-1:] not in (".", "!", "?", "…") else ""
    return clean(f"{message}{stop}{status}{tried}{hint}")


def _say_rows(say: Say, text: str, paint: Paint) -> list[str]:
    match say:
        case Say.TOOL:
            return _tool_row(_body(text), paint)
        case Say.COMMAND:
            return [_begun(f"$ {_first_line(_body(text).get('command', text))}", paint)]
        case Say.API_REQ_STARTED:
            error = _body(text).get("error")
            return [paint(Tone.RED, "✗ ") + clean(f"request failed: {error}")] if error else []
        case Say.API_REQ_RETRY_DELAYED:
            return _retry(_body(text), paint)
        case Say.USER_FEEDBACK:
            return [paint(Tone.BOLD, f"❯ {line}") for line in clean(text).split("\n")]
        case Say.USER_FEEDBACK_DIFF:
            body = _body(text)
            title = paint(Tone.BOLD, clean(f"❯ your changes to {body.get('path', '')}"))
            return [title, *_diff(str(body.get("diff", "")), paint)]
        case Say.ERROR | Say.DIFF_ERROR | Say.IGNORE_ERROR | Say.CONDENSE_CONTEXT_ERROR:
            return _problem(text, paint)
        case Say.CONDENSE_CONTEXT | Say.SLIDING_WINDOW_TRUNCATION:
            return [paint(Tone.DIM, f"· {room_sentence(text)}")]
        case Say.CHECKPOINT_SAVED | Say.TODOS:
            return []
        case _:
            return [paint(Tone.DIM, f"· {line}") for line in clean(text).strip().split("\n") if line]


def _tool_row(body: Json, paint: Paint) -> list[str]:
    if body.get("tool") == "updateTodoList":
        return []  # the list itself follows with the Status
    return [_begun(_tool_title(body), paint), *_diffs(body, paint)]


def _tool_title(body: Json) -> str:
    """`edit src/a.py  +1 -2`: what a tool does to what, in one line."""
    tool = str(body.get("tool", "tool"))
    words = [_VERBS.get(tool, tool), *_objects(body), *_counts(body.get("changes", ())), *_warnings(body)]
    return _first_line(" ".join(words))


def _objects(body: Json) -> Iterable[str]:
    match body:
        case {"regex": regex, "path": path}:
            pattern = f" ({body['filePattern']})" if "filePattern" in body else ""
            return (f"{path} for {regex}{pattern}",)
        case {"path": path, "newPath": new_path}:
            return (f"{path} to {new_path}",)
        case {"path": path}:
            return (str(path),)
        case {"paths": paths}:
            return map(str, paths)
        case {"tool": "switchMode", "mode": mode}:
            return (str(mode),)
        case _:
            return ()


def _counts(changes: Sequence[Json]) -> Iterable[str]:
    if not changes:
        return ()
    added, removed = (sum(change.get(key, 0) for change in changes) for key in ("added", "removed"))
    return (f" +{added} -{removed}",)


def _warnings(body: Json) -> Iterable[str]:
    flags = {"isProtected": "protected file", "isOutsideWorkspace": "outside the workspace"}
    return (f" ({words})" for flag, words in flags.items() if body.get(flag))


def _command_ask(body: Json, paint: Paint, root: Path) -> list[str]:
    first, *rest = clean(str(body.get("command", ""))).split("\n")
    rows = [_question(f"run{_where(body, root)}", paint), INDENT + paint(Tone.BOLD, f"$ {first}")]
    rows += [INDENT + paint(Tone.BOLD, f"  {line}") for line in rest]
    segments: list[Json] = body.get("segments", [])
    if len(segments) > 1:
        rows += [INDENT + paint(Tone.DIM, _segment(segment)) for segment in segments]
    return [*rows, *_reason(body, paint)]


def _where(body: Json, root: Path) -> str:
    folder = root / str(body.get("cwd", ""))
    if folder == root:
        return ""
    return clean(f" in {folder.relative_to(root) if folder.is_relative_to(root) else folder}")


def _segment(segment: Json) -> str:
    words = {"auto_approve": "allowed", "auto_deny": "denied"}.get(segment.get("verdict", ""), "asks")
    return f"{words:8}{_first_line(segment.get('text', ''))}"


def _followup(body: Json, paint: Paint) -> list[str]:
    question, *rest = clean(str(body.get("question", ""))).split("\n")
    suggestions: list[Json] = body.get("suggest", [])
    numbered = [f"{INDENT}{n}. {clean(_suggestion(each))}" for n, each in enumerate(suggestions, start=1)]
    return [_question(question, paint), *(INDENT + line for line in rest), *numbered]


def _suggestion(suggested: Json) -> str:
    mode = f" (sets {suggested['mode']} mode)" if "mode" in suggested else ""
    return f"{suggested.get('answer', '')}{mode}"


def _request_failed(body: Json, paint: Paint) -> list[str]:
    return [paint(Tone.RED, "✗ ") + request_sentence(json.dumps(body))]


def _retry(body: Json, paint: Paint) -> list[str]:
    attempt, seconds = body.get("attempt", 1), body.get("seconds", 0)
    reason = _first_line(str(body.get("reason", "")))
    return [paint(Tone.MAGENTA, "… ") + f"attempt {attempt} failed, next one in {seconds} s: {reason}"]


def _problem(text: str, paint: Paint) -> list[str]:
    body = _body(text)
    if not body:
        return [paint(Tone.RED, "! ") + line for line in clean(text).strip().split("\n")]
    title = f"$ {_first_line(body['command'])}" if "command" in body else _tool_title(body)
    return [paint(Tone.RED, "✗ ") + title, *_reason(body, paint)]


def _answer(answer: Answer, paint: Paint) -> str:
    """The words of an answer are not in it: they follow as a message of their own."""
    is_yes = answer.response in (Response.YES, Response.OBJECT)
    return paint(Tone.GREEN, "✓ approved") if is_yes else paint(Tone.RED, "✗ rejected")


def _todo(todo: Todo, paint: Paint) -> str:
    content = _first_line(todo.content)
    match todo.status:
        case "completed":
            return INDENT + paint(Tone.DIM, f"☑ {content}")
        case "in_progress":
            return INDENT + paint(Tone.CYAN, f"▸ {content}")
        case _:
            return INDENT + f"☐ {content}"


def _diffs(body: Json, paint: Paint) -> list[str]:
    changes: list[Json] = body.get("changes", [])
    return [line for change in changes for line in _change(change, paint, is_one_of_many=len(changes) > 1)]


def _change(change: Json, paint: Paint, *, is_one_of_many: bool) -> list[str]:
    title = [INDENT + paint(Tone.BOLD, clean(str(change.get("path", ""))))] if is_one_of_many else []
    return [*title, *_diff(str(change.get("diff", "")), paint)]


def _diff(diff: str, paint: Paint) -> list[str]:
    lines = clean(diff).rstrip("\n").split("\n")
    start = next((n for n, line in enumerate(lines) if line.startswith("@@")), len(lines))
    return [INDENT + line for line in paint.diff(lines[start:])]


def _reason(body: Json, paint: Paint) -> list[str]:
    reason = clean(str(body.get("reason", ""))).strip()
    return [INDENT + paint(Tone.DIM, line) for line in reason.split("\n")] if reason else []


def _question(title: str, paint: Paint) -> str:
    return paint(Tone.MAGENTA, "? ") + paint(Tone.BOLD, title)


def _begun(title: str, paint: Paint) -> str:
    """A row of what needed no approval. It is shown before it is done, so that no mark of success would be true."""
    return paint(Tone.CYAN, "• ") + title


def _first_line(text: str) -> str:
    first, *rest = clean(text).strip("\n").split("\n")
    return first + (" …" if rest else "")


def _body(text: str) -> Json:
    """Read the JSON object that a message's text is; prose is none."""
    try:
        body: Any = json.loads(text)  # Any: it may be any JSON.
    except ValueError:
        return {}
    return cast("Json", body) if isinstance(body, dict) else {}  # checked on this line; the keys of JSON are strings
