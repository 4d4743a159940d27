"""The output formats of a run: what each writes at its beginning, for every notice, and at its end. No I/O."""

import json
from pathlib import Path
from typing import Protocol

from agent_lsp import __version__
from agent_lsp.domain.encoding import Json, to_wire
from agent_lsp.domain.messages import Message
from agent_lsp.domain.notices import DeletionNotice, DeltaNotice, MessageNotice, Notice, StatusNotice
from agent_lsp.headless.options import OutputFormat, RunOptions
from agent_lsp.headless.paint import Paint, clean
from agent_lsp.headless.render import Renderer
from agent_lsp.headless.result import Ending, RunResult
from agent_lsp.headless.rows import usage_row

PROTOCOL_VERSION = 1


class View(Protocol):
    """What goes to the standard output."""

    @property
    def shows_asks(self) -> bool:
        """Whether someone who reads along sees what they are asked."""
        ...

    @property
    def wants_messages(self) -> bool:
        """Whether the end is to be told with all messages."""
        ...

    def opening(self) -> str: ...

    def take(self, notice: Notice) -> str: ...

    def closing(self, result: RunResult, messages: tuple[Message, ...] | None) -> str: ...


def view_of(options: RunOptions) -> View:
    match options.output_format:
        case OutputFormat.TEXT:
            return QuietView() if options.is_quiet else TextView(Paint(options.has_colours), options.cwd)
        case OutputFormat.JSON:
            return JsonView(is_quiet=options.is_quiet)
        case OutputFormat.STREAM_JSON:
            return StreamView(options)


class TextView:
    """All that happens, for people."""

    shows_asks = True
    wants_messages = False

    def __init__(self, paint: Paint, root: Path) -> None:
        self._paint = paint
        self._renderer = Renderer(paint, root)

    def opening(self) -> str:
        return ""

    def take(self, notice: Notice) -> str:
        return self._renderer.take(notice)

    def closing(self, result: RunResult, messages: tuple[Message, ...] | None) -> str:
        del messages
        if result.task_id is None:
            return ""
        return f"{self._renderer.close()}\n{usage_row(result.usage, self._paint)}\n"


class QuietView:
    """The result alone, for people and pipes."""

    shows_asks = False
    wants_messages = False

    def opening(self) -> str:
        return ""

    def take(self, notice: Notice) -> str:
        del notice
        return ""

    def closing(self, result: RunResult, messages: tuple[Message, ...] | None) -> str:
        del messages
        return f"{clean(result.text)}\n" if result.ending is Ending.COMPLETED else ""


class JsonView:
    """One object at the end, for programs."""

    shows_asks = False

    def __init__(self, *, is_quiet: bool) -> None:
        self.wants_messages = not is_quiet

    def opening(self) -> str:
        return ""

    def take(self, notice: Notice) -> str:
        del notice
        return ""

    def closing(self, result: RunResult, messages: tuple[Message, ...] | None) -> str:
        return _line(result.to_json(messages))


class StreamView:
    """An object a line as things happen, for programs: the notifications of the wire, and two lines around them."""

    shows_asks = False
    wants_messages = False

    def __init__(self, options: RunOptions) -> None:
        self._options = options

    def opening(self) -> str:
        head: Json = {"type": "system", "subtype": "init", "protocolVersion": PROTOCOL_VERSION}
        return _line(head | {"serverVersion": __version__, "cwd": str(self._options.cwd)})

    def take(self, notice: Notice) -> str:
        return "" if self._options.is_quiet else _line(notice_to_json(notice))

    def closing(self, result: RunResult, messages: tuple[Message, ...] | None) -> str:
        return _line(result.to_json(messages))


def notice_to_json(notice: Notice) -> Json:
    """A notification's parameters as on the wire, with the kind in front."""
    match notice:
        case MessageNotice() | DeletionNotice():
            return {"type": "message", **to_wire(notice)}
        case DeltaNotice():
            return {"type": "delta", **to_wire(notice)}
        case StatusNotice(status):
            return {"type": "state", **to_wire(status)}


def _line(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
