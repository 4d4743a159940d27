import json

import pytest

from agent_lsp.domain.messages import Answer, Ask, Message, Response, Say
from agent_lsp.domain.status import Usage
from agent_lsp.storage.records import Started
from agent_lsp.storage.stored import StoredTask
from agent_lsp.tasks.exporting import exported

YES = Answer(Response.YES, "user", 1)
NO = Answer(Response.NO, "user", 1)


def document(*messages: Message) -> str:
    task = StoredTask(
        Started("t", "i", "Title", 0), title="A `title`\nof two", messages=messages, usage=Usage(cost=None)
    )
    return exported(task)


def ask(kind: Ask, body: object, **fields) -> Message:
    return Message(1, "ask", kind, text=body if isinstance(body, str) else json.dumps(body), **fields)


def say(kind: Say, body: object, **fields) -> Message:
    return Message(1, "say", say=kind, text=body if isinstance(body, str) else json.dumps(body), **fields)


EDIT = {"tool": "appliedDiff", "path": "a`b.py", "changes": [{"diff": "-x\n+```\n"}]}


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (say(Say.TEXT, "fix it", images=("data:image/png;base64,AA==",)), "## You\n\nfix it\n\n*1 image(s)*"),
        (say(Say.TEXT, "I look.", partial=False), "I look."),
        (say(Say.USER_FEEDBACK, "more"), "## You\n\nmore"),
        (
            say(Say.REASONING, "hm", partial=False),
            "<details><summary>Thoughts</summary>\n\nhm\n\n</details>",
        ),
        (ask(Ask.TOOL, EDIT, answer=YES), "**appliedDiff** `` a`b.py ``\n\n````diff\n-x\n+```\n````\n\n*Approved.*"),
        (
            ask(Ask.TOOL, '{"tool": "appliedDiff", "path": "a"}\nso fa', state="interrupted"),
            "**appliedDiff** `a`\n\n*Interrupted.*",
        ),
        (ask(Ask.COMMAND, {"command": "ls"}, answer=NO), "```sh\nls\n```\n\n*Rejected.*"),
        (ask(Ask.COMMAND_OUTPUT, "a\nb\n", answer=YES), "```text\na\nb\n```"),
        (ask(Ask.FOLLOWUP, {"question": "Which?", "suggest": [{"answer": "red"}]}, answer=YES), "**Which?**\n\n- red"),
        (ask(Ask.COMPLETION_RESULT, "Done."), "## Result\n\nDone."),
        (ask(Ask.API_REQ_FAILED, {"message": "no key"}), "> The request failed: no key"),
        (say(Say.ERROR, "one\n\ntwo"), "> one\n>\n> two"),
        (say(Say.USER_FEEDBACK_DIFF, {"path": "a", "diff": "+x"}), "## You changed `a`\n\n```diff\n+x\n```"),
        (say(Say.TOOL, {"tool": "readFile", "paths": ["a", "b"]}), "**readFile** `a, b`"),
        (say(Say.TOOL, "no json"), "**tool**"),
        (say(Say.API_REQ_STARTED, "{}"), None),
        (ask(Ask.RESUME_TASK, ""), None),
        (ask(Ask.COMMAND_OUTPUT, ""), None),
    ],
)
def test_message_is_told_as_a_person_reads_it(message: Message, text: str | None) -> None:
    head, spent, *rest = document(message).split("\n\n", 2)

    assert (head, spent.rstrip("\n")) == (
        "# A `title` of two",
        "1970-01-01 00:00 UTC · 0 tokens in, 0 out, cost unknown",
    )
    assert rest == ([text + "\n"] if text else [])
