"""What is asked when a turn has ended, and what an answer to that makes the model hear. Pure."""

import json

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.messages import Ask, Response
from agent_lsp.domain.requests import AskReply
from agent_lsp.domain.turns import Completed, Ending, LimitReached, MistakeLimit, RequestFailed

RESUMED = (
    "The task was interrupted and goes on now. Files may have changed meanwhile: look before you rely on what you "
    "read earlier, and check what an interrupted call left behind."
)
GO_ON = "Go on."


def question(ending: Ending) -> tuple[Ask, str]:
    """Choose the ask, and its text, that an ending puts before the user."""
    match ending:
        case Completed(result):
            return Ask.COMPLETION_RESULT, result
        case RequestFailed(message, attempts, status, hint):
            row: Json = {"message": message, "status": status, "attempts": attempts, "hint": hint}
            text = json.dumps({key: value for key, value in row.items() if value is not None}, ensure_ascii=False)
            return Ask.API_REQ_FAILED, text
        case MistakeLimit(guidance):
            return Ask.MISTAKE_LIMIT_REACHED, guidance
        case LimitReached(type_, count, limit):
            return Ask.AUTO_APPROVAL_MAX_REQ_REACHED, json.dumps({"count": count, "limit": limit, "type": type_})


def goes_on(ask: Ask, reply: AskReply) -> bool:
    """Whether this answer to a resting task sets it to work again."""
    if reply.response == Response.NO:
        return False
    has_words = bool(reply.text or reply.images)
    return has_words or ask not in (Ask.COMPLETION_RESULT, Ask.RESUME_COMPLETED_TASK)


def prelude(ask: Ask, reply: AskReply) -> tuple[str, ...]:
    """Tell what the model hears before the user's words; nothing where the request is simply tried again."""
    match ask:
        case Ask.RESUME_TASK:
            return (RESUMED,)
        case Ask.MISTAKE_LIMIT_REACHED if not (reply.text or reply.images):
            return (GO_ON,)
        case _:
            return ()


def returning_question(*, is_completed: bool) -> Ask:
    """Choose what a task asks that was brought back, or rewound."""
    return Ask.RESUME_COMPLETED_TASK if is_completed else Ask.RESUME_TASK


def resting_question(ask: Ask) -> Ask:
    """Choose what a resting task asks after an answer that did not set it to work."""
    return returning_question(is_completed=ask in (Ask.COMPLETION_RESULT, Ask.RESUME_COMPLETED_TASK))
