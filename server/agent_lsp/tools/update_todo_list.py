"""update_todo_list: keep the list of what is to be done before the user's eyes."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b

from pydantic import BaseModel, Field

from agent_lsp.domain.encoding import to_wire
from agent_lsp.domain.events import Said, TodosChanged
from agent_lsp.domain.messages import Say
from agent_lsp.domain.status import Todo
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.matching.revision import Malformed
from agent_lsp.tools.ports import Screen

_ITEM = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?\[([ xX~-]?)\]\s+(\S.*)")
_STATUS = {"x": "completed", "X": "completed", "-": "in_progress", "~": "in_progress"}


class UpdateTodoList:
    name = "update_todo_list"
    description = (
        "Replace the list of steps the user sees, always as a whole, for work of three steps or more. "
        "Update it as soon as a step is begun or done; one is in progress at a time."
    )

    class Arguments(BaseModel):
        todos: str = Field(description="Markdown, a step a line: [ ] pending, [-] in progress, [x] done")

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        del call_id
        todos = parse_todos(arguments.todos)
        body = {"tool": "updateTodoList", "todos": to_wire(todos)}
        self._screen.emit(Said(Say.TOOL, json.dumps(body, ensure_ascii=False)))
        self._screen.emit(TodosChanged(todos))
        done = sum(todo.status == "completed" for todo in todos)
        return Outcome(f"The list is updated: {done} of {len(todos)} done.")


def parse_todos(markdown: str) -> tuple[Todo, ...]:
    """Read the steps; other lines (a heading) are passed over. An empty text empties the list."""
    todos = tuple(_todos(markdown))
    if not todos and markdown.strip():
        raise Malformed('todos: no step found. Write each on a line of its own, as in "[ ] Read the code".')
    return todos


def _todos(markdown: str) -> Iterator[Todo]:
    seen: Counter[str] = Counter()
    for match in filter(None, map(_ITEM.fullmatch, markdown.splitlines())):
        content = match[2].rstrip()
        yield Todo(_id(content, seen[content]), content, _STATUS.get(match[1], "pending"))
        seen[content] += 1


def _id(content: str, copies_before: int) -> str:
    """Name a step by its words, so that it stays the same one when its status changes."""
    return blake2b(f"{copies_before}\0{content}".encode(), digest_size=6).hexdigest()
