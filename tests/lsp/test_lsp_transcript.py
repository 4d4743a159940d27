import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_lsp_waiting import CHANGE, text_of

from agent_lsp.domain.messages import Answer, Ask, Message, Progress, Response, Say
from agent_lsp.domain.requests import TaskList, TaskSummary
from agent_lsp.domain.status import ACTIONS, State, Status, Todo, Usage, WaitingAsk
from agent_lsp.lsp.plain.entries import MAX_BLOCK_CHARS, entry, fenced, spelled_out
from agent_lsp.lsp.plain.task_page import task_page
from agent_lsp.lsp.plain.transcript import PAGE_CHARS, TAIL_CHARS, Transcript
from agent_lsp.lsp.plain.ways import BY_HELIX_KEYS
from agent_lsp.lsp.waiting import Verdict, Waiting, changes_in


def says(ts: int, text: str, say: Say = Say.TEXT, *, partial: bool | None = None) -> Message:
    return Message(ts, "say", say=say, text=text, partial=partial)


def asks(ts: int, kind: Ask, text: str, answer: Answer | None = None) -> Message:
    return Message(ts, "ask", ask=kind, text=text, answer=answer)


def waiting(kind: Ask, text: str, decisions: dict[str, Verdict] | None = None) -> Waiting:
    ask = WaitingAsk(7, kind, kind.category, ACTIONS[kind])
    return Waiting("t1", asks(7, kind, text), ask, changes_in(text), decisions or {})


def transcript(*messages: Message) -> Transcript:
    made = Transcript("t1", lambda text: text.replace("sk-secret", "[redacted]"))
    for message in messages:
        made.take(message)
    return made


def text_after(*messages: Message) -> str:
    return transcript(*messages).text(None, None)


# The page


def test_what_is_new_stands_above_what_is_older() -> None:
    text = text_after(says(1, "do it"), says(2, "I will."), asks(3, Ask.COMPLETION_RESULT, "Done.", yes()))

    assert text == "# Task\n\n---\n\n## Done\n\nDone.\n\n*yes*\n\n## Agent\n\nI will.\n\n## Task\n\ndo it\n\n"


def yes(text: str | None = None) -> Answer:
    return Answer(Response.YES, "user", 1, text)


def test_head_tells_how_the_task_stands() -> None:
    made = transcript()
    usage = Usage(tokens_in=1200, tokens_out=34, cost=0.129)
    made.take_status(Status("t1", "i1", 1, State.WAITING_FOR_INPUT, title="Fix\nit", usage=usage))

    assert made.text(None, None) == ("# Fix it\n\n*waiting for you* · code · default · 1,234 tokens · $0.13\n\n---\n\n")


def test_head_tells_the_steps() -> None:
    made = transcript()
    todos = (Todo("1", "Look", "completed"), Todo("2", "Think", "in_progress"), Todo("3", "Write", "pending"))
    made.take_status(Status("t1", "i1", 1, State.RUNNING, title="Fix", todos=todos))

    assert "tokens\n\n- [x] Look\n- [ ] **Think**\n- [ ] Write\n\n---" in made.text(None, None)


def test_growing_message_shows_its_end_on_top_until_it_is_whole() -> None:
    made = transcript(says(1, "do it"), says(2, "one", partial=True))
    made.grow(2, " two\n")
    made.grow(2, "three")
    growing = made.text(None, None)
    made.take(says(2, "one two\nthree", partial=False))

    assert growing == "# Task\n\n## Agent …\n\none two\nthree\n\n---\n\n## Task\n\ndo it\n\n"
    assert made.text(None, None) == "# Task\n\n---\n\n## Agent\n\none two\nthree\n\n## Task\n\ndo it\n\n"


def test_end_of_a_growing_message_is_bounded() -> None:
    made = transcript(says(1, "", Say.COMMAND_OUTPUT, partial=True))
    for number in range(1_000):
        made.grow(1, f"line {number}\n")
    lines = made.text(None, None).splitlines()
    made.grow(1, "x" * 10_000)

    assert "line 999" in lines
    assert len(lines) < 25
    assert len(made.text(None, None)) < TAIL_CHARS + 200


def pause(seconds: int) -> Message:
    return says(2, json.dumps({"attempt": 1, "seconds": seconds, "reason": "It is busy."}), Say.API_REQ_RETRY_DELAYED)


def test_wait_for_another_attempt_is_shown_until_it_is_over() -> None:
    made = transcript(says(1, "do it"), pause(9))
    waiting = made.text(None, None)
    made.take(pause(8))
    a_second_later = made.text(None, None)
    made.take(pause(0))

    assert "## Waiting\n\nIt is busy.\n\n- Try now: `agent.approve`\n- Try no more: `agent.reject`\n" in waiting
    assert a_second_later == waiting
    assert "Waiting" not in made.text(None, None)


def test_growth_of_a_message_that_is_whole_is_nobodys() -> None:
    made = transcript(says(1, "do it"))
    made.grow(1, "more")
    made.grow(9, "more")

    assert made.text(None, None) == text_after(says(1, "do it"))


def test_changed_message_takes_the_place_it_had() -> None:
    made = transcript(says(1, "do it"), asks(2, Ask.COMMAND, '{"command": "ls"}'), says(3, "after"))
    made.take(asks(2, Ask.COMMAND, '{"command": "ls"}', yes()))

    text = made.text(None, None)
    assert text.index("after") < text.index("```sh\nls\n```") < text.index("*yes*") < text.index("do it")


def test_deleted_message_is_gone() -> None:
    made = transcript(says(1, "do it"), says(2, "no"), says(3, "so", partial=True))
    made.delete(2)
    made.delete(3)

    assert made.text(None, None) == text_after(says(1, "do it"))


@given(st.permutations(range(2, 8)))
def test_order_is_that_of_the_ts_whenever_messages_become_whole(order: list[int]) -> None:
    messages = {ts: says(ts, f"row {ts}") for ts in range(2, 8)}

    assert text_after(says(1, "x"), *(messages[ts] for ts in order)) == text_after(says(1, "x"), *messages.values())


def test_page_has_a_bound_and_loses_nothing() -> None:
    made, pages, longest = transcript(), list[str](), 0
    for ts in range(1, 3_001):
        made.take(says(ts, f"row {ts} " + "x" * 100))
        while page := made.overflow():
            pages.append(page)
        longest = max(longest, len(made.text(None, "before.md")))
    rows = [line for page in [made.text(None, None), *reversed(pages)] for line in page.splitlines() if "row " in line]

    assert longest < 2 * PAGE_CHARS + 500
    assert rows == [f"row {ts} " + "x" * 100 for ts in range(3_000, 0, -1)]
    assert made.text(None, "before.md").endswith("Earlier: before.md\n")


def test_message_that_left_the_page_does_not_come_back() -> None:
    made = transcript(*(says(ts, "x" * 1_000) for ts in range(1, 100)))
    made.overflow()
    made.take(says(1, "again"))

    assert "again" not in made.text(None, None)


@pytest.mark.parametrize(
    "message",
    [
        says(2, "the key is sk-secret"),
        says(2, "the key is sk-secret", partial=True),
        asks(2, Ask.COMMAND, '{"command": "echo sk-secret"}', yes("sk-secret")),
        says(2, "x" * (MAX_BLOCK_CHARS // 2 - 4) + "sk-secret" + "y" * MAX_BLOCK_CHARS, Say.COMMAND_OUTPUT),
    ],
)
def test_no_secret_gets_into_a_transcript(message: Message) -> None:
    text = text_after(says(1, "sk-secret"), message)

    assert "secret" not in text


def test_secret_that_comes_in_pieces_is_not_shown_when_it_is_whole() -> None:
    made = transcript(says(1, "a", partial=True))
    for piece in ("b sk-", "sec", "ret c"):
        made.grow(1, piece)

    assert "ab [redacted] c" in made.text(None, None)


# Entries


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (says(1, "hm", Say.REASONING), "## Thoughts\n\nhm\n\n"),
        (says(1, '{"cost": 1}', Say.API_REQ_STARTED), ""),
        (says(1, "ok\n", Say.COMMAND_OUTPUT), "## Output\n\n```\nok\n```\n\n"),
        (says(1, '{"tool": "readFile", "path": "a.py"}', Say.TOOL), "## Read a.py\n\n"),
        (says(1, "no such file", Say.ERROR), "## Error\n\nno such file\n\n"),
        (says(1, '{"summary": "All."}', Say.CONDENSE_CONTEXT), "## Summed up\n\nAll.\n\n"),
        (
            says(1, '{"messagesRemoved": 3, "resultsRemoved": 0}', Say.SLIDING_WINDOW_TRUNCATION),
            "## Left out of what the agent sees\n\n3 older messages\n\n",
        ),
        (
            says(1, '{"tool": "updateTodoList", "todos": [{"status": "completed", "content": "a"}]}', Say.TOOL),
            "",
        ),
        (says(1, "what?", Say.HOOK), "## Hook\n\nwhat?\n\n"),
        (asks(1, Ask.TOOL, '{"tool": "saveFiles"}', Answer(Response.YES, "policy", 1)), ""),
        (
            asks(1, Ask.TOOL, '{"tool": "saveFiles", "paths": ["a"]}', Answer(Response.NO, "user", 1)),
            "## Save, so that the command sees your edits; or approve to run it on what is on the disk: a\n\n*no*\n\n",
        ),
        (
            says(1, '{"path": "a", "diff": "-a\\n+b\\n"}', Say.USER_FEEDBACK_DIFF),
            "## Your changes\n\n```diff\n-a\n+b\n```\n\n",
        ),
        (
            asks(1, Ask.FOLLOWUP, '{"question": "Which?"}', Answer(Response.MESSAGE, "user", 1, "red")),
            "## Question\n\nWhich?\n\n*answered*: red\n\n",
        ),
        (
            asks(1, Ask.COMMAND, '{"command": "ls"}', Answer(Response.NO, "timeout", 1)),
            "## Command\n\n```sh\nls\n```\n\n*no, by timeout*\n\n",
        ),
        (
            replace(asks(1, Ask.COMMAND, '{"command": "ls"}', yes()), progress=Progress("error", "not written")),
            "## Command\n\n```sh\nls\n```\n\n**✗ not written**\n\n",
        ),
        (
            Message(1, "ask", ask=Ask.RESUME_TASK, text="", state="interrupted"),
            "## Resume task\n\n*interrupted*\n\n",
        ),
    ],
)
def test_message_as_an_entry(message: Message, text: str) -> None:
    assert entry(message) == text


def test_edit_shows_its_diff() -> None:
    text = entry(asks(1, Ask.TOOL, text_of(CHANGE), yes()))

    hunks = CHANGE.diff[CHANGE.diff.index("@@") :]
    assert text == f"## Edit a.txt (+2 -2)\n\n```diff\n{hunks}```\n\n*yes*\n\n"


def test_edits_of_several_files_show_whose_each_diff_is() -> None:
    other = {"kind": "edit", "path": "b.txt", "added": 1, "removed": 0, "diff": "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n"}
    both = json.dumps({"tool": "appliedDiff", "changes": [{**other, "path": "a.txt"}, other]})

    assert entry(says(1, both, Say.TOOL)) == (
        "## Edit a.txt (+1 -0)\n\n"
        "`a.txt`\n\n```diff\n@@ -0,0 +1 @@\n+x\n```\n`b.txt`\n\n```diff\n@@ -0,0 +1 @@\n+x\n```\n\n"
    )


@given(st.text(alphabet="`ab\n", max_size=30))
def test_nothing_ends_a_fence_but_its_end(text: str) -> None:
    lines = fenced(text).splitlines()

    assert lines[0] == lines[-1]
    assert not any(line.startswith(lines[0]) for line in lines[1:-1])


# Asks


def test_ask_is_spelled_out_with_all_ways_to_answer() -> None:
    decisions: dict[str, Verdict] = {CHANGE.hunks[0].id: "accept"}
    text = spelled_out(waiting(Ask.TOOL, text_of(CHANGE), decisions))

    assert text.split("\n\n")[:3] == [
        "## The agent asks",
        "Edit a.txt (+2 -2)",
        (
            "- Approve: `agent.approve`\n"
            "- Reject, with words if you like: `agent.reject`\n"
            "- hunk by hunk (1 of 2 decided): `agent.acceptHunk`, `agent.rejectHunk`\n"
            "- see all of it, and edit it: `agent.showDiff`"
        ),
    ]


def test_ask_names_the_keys_where_there_are_any() -> None:
    text = spelled_out(waiting(Ask.TOOL, text_of(CHANGE)), BY_HELIX_KEYS)

    assert text.split("\n\n")[2] == (
        "- Approve: `space A y`\n"
        "- Reject, with words if you like: `space A x`, `space A X`\n"
        "- hunk by hunk (0 of 2 decided): `space A h`, `space A H`\n"
        "- see all of it, and edit it: `space A d`"
    )


@pytest.mark.parametrize(
    ("kind", "body", "parts"),
    [
        (Ask.COMMAND, '{"command": "a\\nb"}', ["Run this command?", "```sh\na\nb\n```", "- Run: `agent.approve`"]),
        (
            Ask.FOLLOWUP,
            '{"question": "Which?", "suggest": [{"answer": "red", "mode": "ask"}]}',
            [
                "Which?",
                "- ask: red\n",
                (
                    "- by a code action at the cursor\n"
                    "- in a prompt document: `agent.showPrompt`\n"
                    "- your own words: `agent.answer`"
                ),
            ],
        ),
        (Ask.COMPLETION_RESULT, "It works.", ["## Done", "It works.", "- New task: `agent.clear`"]),
        (Ask.COMMAND, json.dumps({"command": "echo \u202e"}), ["echo \\u202e"]),
    ],
)
def test_what_is_asked_and_how_to_answer(kind: Ask, body: str, parts: list[str]) -> None:
    text = spelled_out(waiting(kind, body))

    assert [part for part in parts if part not in text] == []


def test_long_diff_does_not_push_all_else_off_the_screen() -> None:
    lines = "".join(f"+{n}\n" for n in range(200))
    text = spelled_out(waiting(Ask.TOOL, text_of(CHANGE).replace(json.dumps(CHANGE.diff), json.dumps(lines))))

    assert " … 176 more lines" in text
    assert len(text.splitlines()) < 45


# The list of tasks


def test_page_of_tasks() -> None:
    tasks = (
        TaskSummary("t2", "Second", 86_400_000, State.WAITING_FOR_INPUT, Usage(cost=0.5)),
        TaskSummary("t1", "First", 0, State.IDLE, Usage(cost=None)),
    )

    assert task_page(TaskList(tasks, "more")).splitlines() == [
        "# Tasks",
        "",
        "- 1970-01-02 00:00 **Second** · waiting for input · $0.50 · `t2`",
        "- 1970-01-01 00:00 **First** · idle · `t1`",
        "",
        "A code action on its line goes on with a task, and so does `agent.resume` with its id.",
        "There are older ones: `agent.tasks` takes words to look for.",
    ]
    assert "There is none yet" in task_page(TaskList(()))
