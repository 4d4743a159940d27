"""What users say to a task, where it begins with a `/`: what that sets or asks for is done, the rest is for the model.

Commands that stand for a text are words, too: they are told with their text when the model hears them.
"""

from dataclasses import replace
from typing import Literal

from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.messages import Response
from agent_lsp.domain.requests import Answered, AskReply, NewTask, Sent
from agent_lsp.domain.slash import first_slash, read_opening
from agent_lsp.tasks.modes import CONDENSE
from agent_lsp.tasks.ports import KnownModes
from agent_lsp.tasks.task import Task

NO_WORDS = "A task needs words: say what is to be done."


def opened(request: NewTask, modes: KnownModes) -> NewTask:
    """The task as its words want it begun; BadParams where none are left for the model."""
    opening = read_opening(request.text, _slugs(modes))
    if not opening.words.strip() and not request.images:
        raise BadParams(NO_WORDS)
    return replace(
        request,
        text=opening.words,
        mode=opening.mode or request.mode,
        permission_mode=opening.permission_mode or request.permission_mode,
    )


def answer(task: Task, ts: int | None, reply: AskReply, modes: KnownModes) -> Answered:
    """Answer an ask. Words that only set something answer nothing: the ask goes on waiting.

    A suggestion that the user takes sets nothing: it is the model that wrote it.
    """
    is_said = reply.response == Response.MESSAGE and reply.text and task.waits_for(ts)
    if is_said and not task.gate.suggests(reply.text):
        words = _obeyed(task, reply.text, modes)
        if not words and not reply.images:
            return Answered(accepted=True)
        reply = replace(reply, text=words)
    return task.answer(ts, reply)


async def send(
    task: Task,
    text: str,
    images: tuple[str, ...],
    delivery: Literal["queue", "steer", "interrupt"],
    modes: KnownModes,
) -> Sent:
    """Give words to a task; those that only set something are not kept for the model."""
    if not text.strip() and not images:
        raise BadParams("A message needs words.")
    text = _obeyed(task, text, modes)
    if not text and not images:
        return Sent("", "delivered")
    if delivery == "interrupt":
        return await task.interrupt(text, images)
    return task.send(text, images, delivery)


def _obeyed(task: Task, text: str, modes: KnownModes) -> str:
    """Do what the words begin with, and give those that are left for the model."""
    opening = read_opening(text, _slugs(modes))
    if opening.mode:
        task.set_mode(opening.mode)
    if opening.permission_mode:
        task.set_permission_mode(opening.permission_mode)
    slash = first_slash(opening.words)
    if slash and slash[0] == CONDENSE:
        task.condense(slash[1])
        return ""
    return opening.words


def _slugs(modes: KnownModes) -> set[str]:
    return {mode.slug for mode in modes.all()}
