"""The tools that talk to the user: questions and the list of steps."""

import json

import pytest
from tool_fakes import FakeAsker, FakeModes, Workshop

from agent_lsp.domain.approvals import Decision
from agent_lsp.domain.events import Said, TodosChanged
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.status import Todo
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.ask_followup_question import AskFollowupQuestion
from agent_lsp.tools.matching.revision import Malformed
from agent_lsp.tools.update_todo_list import UpdateTodoList, parse_todos


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Decision(is_approved=True, by="user", text="red"), Outcome("red")),
        (Decision(is_approved=True, by="user", text="blue"), Outcome("blue")),
        (Decision(is_approved=True, by="user", text="see", images=("data:x",)), Outcome("see", ("data:x",))),
        (Decision(is_approved=True, by="user"), Outcome("The user gave no answer in words.")),
    ],
)
async def test_answer_is_the_result(answer: Decision, outcome: Outcome) -> None:
    asker = FakeAsker(answer)
    follow_up = [{"text": "red"}, {"text": "blue", "mode": "code"}]
    arguments = AskFollowupQuestion.Arguments.model_validate({"question": "Which?", "follow_up": follow_up})

    assert await AskFollowupQuestion(asker, FakeModes()).run(arguments, "c1") == outcome

    body = {"question": "Which?", "suggest": [{"answer": "red"}, {"answer": "blue", "mode": "code"}]}
    assert asker.asked == [(Ask.FOLLOWUP, body, "c1")]


FOLLOW_UP = [{"text": "plan", "mode": "architect"}, {"text": "poem", "mode": "poet"}, {"text": "code", "mode": "code"}]


@pytest.mark.parametrize(
    ("answer", "mode", "outcome"),
    [
        (
            Decision(is_approved=True, by="user", text="plan"),
            "architect",
            "plan\n\nWith this answer, the user set architect mode: you work in it from here on.",
        ),
        (Decision(is_approved=True, by="user", text="plan it"), "code", "plan it"),
        (Decision(is_approved=True, by="user", text="poem"), "code", "poem"),
        (Decision(is_approved=True, by="user", text="code"), "code", "code"),
        (Decision(is_approved=True, by="timeout", text="plan"), "code", "plan"),
    ],
)
async def test_answer_that_has_a_mode_sets_it_where_the_user_chose_it(
    answer: Decision, mode: str, outcome: str
) -> None:
    asker, modes = FakeAsker(answer), FakeModes()
    arguments = AskFollowupQuestion.Arguments.model_validate({"question": "Which?", "follow_up": FOLLOW_UP})

    assert await AskFollowupQuestion(asker, modes).run(arguments, "c1") == Outcome(outcome)

    assert modes.slug == mode
    suggest = [{"answer": "plan", "mode": "architect"}, {"answer": "poem"}, {"answer": "code", "mode": "code"}]
    assert asker.asked == [(Ask.FOLLOWUP, {"question": "Which?", "suggest": suggest}, "c1")]


STEPS = {
    "each status": (
        "[ ] a\n[-] b\n[x] c\n[X] d",
        [("a", "pending"), ("b", "in_progress"), ("c", "completed"), ("d", "completed")],
    ),
    "as lists": (
        "- [ ] a\n* [x] b\n1. [-] c\n  + [~] d",
        [("a", "pending"), ("b", "completed"), ("c", "in_progress"), ("d", "in_progress")],
    ),
    "a heading and blank lines": ("# Plan\n\n[ ] a  \n", [("a", "pending")]),
    "CR LF": ("[ ] a\r\n[x] b\r\n", [("a", "pending"), ("b", "completed")]),
    "brackets in the words": ("[] use [x] here", [("use [x] here", "pending")]),
    "nothing": (" \n", []),
}


@pytest.mark.parametrize(("markdown", "steps"), STEPS.values(), ids=STEPS)
def test_steps_are_read(markdown: str, steps: list[tuple[str, str]]) -> None:
    assert [(todo.content, todo.status) for todo in parse_todos(markdown)] == steps


def test_text_without_steps_is_a_mistake() -> None:
    with pytest.raises(Malformed, match="no step found"):
        parse_todos("first this, then that")


def test_step_keeps_its_id_when_its_status_or_place_changes() -> None:
    first = {todo.content: todo.id for todo in parse_todos("[ ] a\n[ ] b\n[ ] c")}
    later = {todo.content: todo.id for todo in parse_todos("[x] b\n[-] a\n[ ] c")}

    assert first == later


def test_equal_steps_have_ids_of_their_own() -> None:
    assert len({todo.id for todo in parse_todos("[ ] a\n[ ] a\n[x] a")}) == 3


async def test_list_is_shown_and_kept() -> None:
    workshop = Workshop()
    arguments = UpdateTodoList.Arguments(todos="[x] a\n[ ] b")

    outcome = await UpdateTodoList(workshop.screen).run(arguments, "c1")

    first, second = parse_todos("[x] a\n[ ] b")
    shown, changed = workshop.screen.events
    assert isinstance(shown, Said)
    assert (shown.say, json.loads(shown.text)) == (
        Say.TOOL,
        {"tool": "updateTodoList", "todos": [wire(first), wire(second)]},
    )
    assert changed == TodosChanged((first, second))
    assert outcome == Outcome("The list is updated: 1 of 2 done.")


def wire(todo: Todo) -> dict[str, str]:
    return {"id": todo.id, "content": todo.content, "status": todo.status}
