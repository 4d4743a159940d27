"""One task from its words to its end, at a terminal or in a script.

What is shown of it is the business of `views.py`, what its asks are answered that of `answers.py`.
"""

import asyncio
import sys
from dataclasses import replace

from agent_lsp.domain.errors import AgentError, NotConfigured
from agent_lsp.domain.messages import Ask, Message
from agent_lsp.domain.notices import MessageNotice, Notice, StatusNotice
from agent_lsp.domain.requests import AskReply, NewTask
from agent_lsp.domain.status import Usage
from agent_lsp.headless.answers import (
    ENDINGS,
    Given,
    Recorded,
    RecordedAnswers,
    needs_person,
    persons_answer,
    prompt,
    switches_mode,
    unattended_answer,
    wants_answer,
)
from agent_lsp.headless.interruptions import Interruptions
from agent_lsp.headless.options import OutputFormat, RunOptions
from agent_lsp.headless.paint import Paint, Tone, clean
from agent_lsp.headless.ports import Console, Hall
from agent_lsp.headless.result import Ending, RunResult
from agent_lsp.headless.rows import limit_sentence, message_rows, request_sentence
from agent_lsp.headless.terminal import Terminal
from agent_lsp.headless.views import View, view_of


async def run_task(hall: Hall, options: RunOptions, recorded: Recorded = ()) -> int:
    """Run one task at the terminal or the pipes of this process, and close the hall; the exit code."""
    with Interruptions() as interruptions:
        is_text = options.output_format is OutputFormat.TEXT and not options.is_quiet
        console = Terminal(interruptions.break_pipe, prompts_on_output=is_text)
        return await run_at(console, hall, options, interruptions, recorded)


async def run_at(
    console: Console, hall: Hall, options: RunOptions, interruptions: Interruptions, recorded: Recorded = ()
) -> int:
    """Run one task at this console; `recorded` are answers that were given when it was recorded."""
    run = Run(console, hall, options, recorded)
    result = await run.until_end(interruptions)
    return result.exit_code


class Run:
    """A task and the console it is run at. Listens to the hall, and answers what it asks."""

    def __init__(self, console: Console, hall: Hall, options: RunOptions, recorded: Recorded = ()) -> None:
        self._console = console
        self._hall = hall
        self._options = options
        self._recorded = RecordedAnswers(recorded)
        self._paint = Paint(options.has_colours)
        self._view: View = view_of(options)
        # At most one ask waits in a task at a time, so this stays short.
        self._asks: asyncio.Queue[Message] = asyncio.Queue()
        self._task_id: str | None = None
        self._usage = Usage()
        self._refusals = 0

    # What the hall tells (the Listener).

    def notice(self, notice: Notice) -> None:
        self._console.show(self._view.take(notice))
        match notice:
            case MessageNotice(message=message) if wants_answer(message):
                self._asks.put_nowait(message)
            case StatusNotice(status):
                self._usage = status.usage
            case _:
                pass

    def is_congested(self) -> bool:
        return self._console.is_congested()

    async def until_end(self, interruptions: Interruptions) -> RunResult:
        """Start the task, attend to it, and settle everything; whatever ends it first."""
        self._console.show(self._view.opening())
        try:
            self._start()
            result = await self._attend_or_stop(interruptions)
        except NotConfigured as problem:
            result = RunResult(Ending.FAILED, error=" ".join((str(problem), *await self._hall.advice())))
        except AgentError as error:
            result = RunResult(Ending.FAILED, error=str(error))
        messages = self._messages() if self._view.wants_messages else None
        result = await self._settled(result)
        result = replace(result, task_id=self._task_id, usage=self._usage, refusals=self._refusals)
        await self._close(result, messages)
        return result

    async def _settled(self, result: RunResult) -> RunResult:
        """Close the hall; a task that could not be stored to its end has failed."""
        try:
            await self._hall.close()
        except AgentError as error:
            return RunResult(Ending.FAILED, error=str(error), interrupted_by=result.interrupted_by)
        return result

    def _start(self) -> None:
        self._hall.listen(self)
        options = self._options
        profile, permission_mode = options.chosen_profile(), options.permission_mode
        mode = options.mode or options.recorded_mode
        request = NewTask(options.task, mode=mode, profile=profile, permission_mode=permission_mode)
        self._task_id = self._hall.new_task(request).task_id

    async def _attend_or_stop(self, interruptions: Interruptions) -> RunResult:
        attending = asyncio.create_task(self._attend(), name="attend")
        stopping = asyncio.create_task(interruptions.exit_code(), name="interruption")
        await asyncio.wait((attending, stopping), return_when=asyncio.FIRST_COMPLETED)
        if attending.done():
            await _ended(stopping)
            return attending.result()
        await _ended(attending)
        await self._hall.cancel(self._id())
        return RunResult(Ending.CANCELLED, interrupted_by=stopping.result())

    async def _attend(self) -> RunResult:
        """Answer each ask until the task ends."""
        while True:
            message = await self._asks.get()
            given = await self._answer(message)
            if given is None:
                return _result_at(message)
            self._refusals += given.is_refusal
            self._hall.answer(self._id(), message.ts, given.reply)

    async def _answer(self, message: Message) -> Given | None:
        if given := self._recorded.answer(message, self._options.cwd):
            return given
        if message.ask in ENDINGS:
            return None
        # Whoever names a mode for the run does not mean that the model leaves it.
        approves = self._options.approves_all and not (self._options.mode and switches_mode(message))
        is_covered = approves and not needs_person(message, self._options.cwd)
        if self._console.can_ask() and not is_covered and (reply := await self._ask_person(message)):
            return Given(reply)
        return unattended_answer(message, self._options.cwd, approves_all=approves)

    async def _ask_person(self, message: Message) -> AskReply | None:
        """Ask until the answer says something; None once nobody is there any more."""
        if not self._view.shows_asks:
            self._console.warn("".join(f"{row}\n" for row in message_rows(message, self._paint, self._options.cwd)))
        while (line := await self._console.ask(self._paint(Tone.MAGENTA, prompt(message)))) is not None:
            if reply := persons_answer(message, line):
                return reply
        return None

    async def _close(self, result: RunResult, messages: tuple[Message, ...] | None) -> None:
        self._console.show(self._view.closing(result, messages))
        if problem := result.problem():
            self._console.warn(f"agent-lsp: {clean(problem)}\n")
        await self._console.drained()

    def _messages(self) -> tuple[Message, ...] | None:
        if self._task_id is None:
            return ()
        whole = self._hall.snapshot(self._task_id, instance_id=None, since=None, limit=sys.maxsize, before=None)
        return whole.messages

    def _id(self) -> str:
        if self._task_id is None:
            raise RuntimeError("a task is started before it is attended to")
        return self._task_id


def _result_at(message: Message) -> RunResult:
    """What the ask means that a run ended with."""
    text = message.text or ""
    match message.ask:
        case Ask.COMPLETION_RESULT:
            return RunResult(Ending.COMPLETED, text=text)
        case Ask.API_REQ_FAILED:
            return RunResult(Ending.FAILED, error=request_sentence(text))
        case Ask.AUTO_APPROVAL_MAX_REQ_REACHED:
            return RunResult(Ending.FAILED, error=limit_sentence(text))
        case Ask.MISTAKE_LIMIT_REACHED:
            return RunResult(Ending.FAILED, error=text)
        case _:
            return RunResult(Ending.FAILED, error="The task was stopped before it was done.")


async def _ended(task: "asyncio.Task[object]") -> None:
    """Cancel a task and wait for its end."""
    task.cancel()
    await asyncio.wait((task,))
