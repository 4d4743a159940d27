"""The list of tasks as a Markdown page, for clients that can only show files. Pure."""

from collections.abc import Iterator
from datetime import UTC, datetime

from agent_lsp.domain.requests import TaskList, TaskSummary


def task_page(listed: TaskList) -> str:
    lines = ["# Tasks", "", *(_row(task) for task in listed.tasks)]
    if not listed.tasks:
        lines.append("There is none yet: `agent.newTask` starts one.")
    lines += ["", "`agent.resume` with the id of a task goes on with it, `agent.showTranscript` shows it."]
    if listed.cursor:
        lines.append("There are older ones: `agent.tasks` takes words to look for.")
    return "\n".join(lines) + "\n"


def _row(task: TaskSummary) -> str:
    return " · ".join(_parts(task))


def _parts(task: TaskSummary) -> Iterator[str]:
    when = datetime.fromtimestamp(task.ts / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    yield f"- {when} **{task.title}**"
    yield task.state.value.replace("_", " ")
    if task.usage.cost:
        yield f"${task.usage.cost:.2f}"
    yield f"`{task.task_id}`"
