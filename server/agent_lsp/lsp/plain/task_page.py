"""The list of tasks as a Markdown page, for clients that can only show files. Pure."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from agent_lsp.domain.requests import TaskList, TaskSummary

_ROW = re.compile(r"- .*`([^`]+)`\s*")


def task_page(listed: TaskList) -> str:
    lines = ["# Tasks", "", *(_row(task) for task in listed.tasks)]
    if not listed.tasks:
        lines.append("There is none yet: `agent.newTask` starts one.")
    lines += ["", "A code action on its line goes on with a task, and so does `agent.resume` with its id."]
    if listed.cursor:
        lines.append("There are older ones: `agent.tasks` takes words to look for.")
    return "\n".join(lines) + "\n"


def task_in(line: str) -> str | None:
    """The id of the task that a line of the page is about."""
    row = _ROW.fullmatch(line)
    return row and row[1]


def _row(task: TaskSummary) -> str:
    return " · ".join(_parts(task))


def _parts(task: TaskSummary) -> Iterator[str]:
    when = datetime.fromtimestamp(task.ts / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    yield f"- {when} **{task.title}**"
    yield task.state.value.replace("_", " ")
    if task.usage.cost:
        yield f"${task.usage.cost:.2f}"
    yield f"`{task.task_id}`"
