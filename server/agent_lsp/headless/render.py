"""What happens to a task as text for a terminal: notices in, text to append out. No I/O.

Prose, thoughts and command output are shown as they grow; anything else as rows, once it is whole.
"""

from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from agent_lsp.domain.messages import Ask, Message, Say
from agent_lsp.domain.notices import DeletionNotice, DeltaNotice, MessageNotice, Notice, StatusNotice
from agent_lsp.domain.status import Status, Todo
from agent_lsp.headless.paint import Paint, Tone, clean
from agent_lsp.headless.rows import INDENT, answer_rows, message_rows, task_rows, todo_rows


class _Kind(Enum):
    """The blocks that a view of a task is made of; between two of different kinds stands an empty line."""

    ROWS = auto()
    PROSE = auto()
    THOUGHT = auto()
    OUTPUT = auto()


@dataclass(slots=True)
class _Growing:
    """A message whose text is shown piece by piece."""

    kind: _Kind
    shown: int = 0
    """Characters shown so far."""
    held: str = ""
    """Line ends that are shown only once more text follows."""


class Renderer:
    """Shows one task. It remembers which messages it has shown, and nothing of what they said."""

    def __init__(self, paint: Paint, root: Path) -> None:
        self._paint = paint
        self._root = root
        self._growing: dict[int, _Growing] = {}
        self._shown: dict[int, bool] = {}
        """By `ts`: whether its answer is shown, too."""
        self._open: int | None = None
        self._is_line_ended = True
        self._last: _Kind | None = None
        self._todos: tuple[Todo, ...] = ()

    def take(self, notice: Notice) -> str:
        """The text to append for this notice; often none."""
        match notice:
            case MessageNotice(message=message):
                return self._message(message)
            case DeltaNotice(ts=ts, append=append):
                growing = self._growing.get(ts)
                return self._grow(ts, growing, append) if growing else ""
            case StatusNotice(status):
                return self._status(status)
            case DeletionNotice():
                return ""  # What a terminal has shown it cannot take back.

    def close(self) -> str:
        """End the line that is still open."""
        is_ended, self._open, self._is_line_ended = self._is_line_ended, None, True
        return "" if is_ended else "\n"

    def _message(self, message: Message) -> str:
        if kind := self._kind_of(message):
            return self._growing_message(message, kind)
        if message.partial:
            return ""
        if message.ts not in self._shown:
            return self._new_rows(message)
        if self._shown[message.ts] or not (rows := answer_rows(message, self._paint)):
            return ""
        self._shown[message.ts] = True
        return self._block(_Kind.ROWS, rows)

    def _kind_of(self, message: Message) -> _Kind | None:
        """Tell how a message grows; the user's first words are a say `text` too, and do not."""
        if message.ask is Ask.COMMAND_OUTPUT or message.say is Say.COMMAND_OUTPUT:
            return _Kind.OUTPUT
        if message.say is Say.REASONING:
            return _Kind.THOUGHT
        is_task = message.ts in self._shown or not (self._shown or self._growing)
        return _Kind.PROSE if message.say is Say.TEXT and not is_task else None

    def _new_rows(self, message: Message) -> str:
        rows = task_rows(message.text or "", self._paint) if message.say is Say.TEXT else []
        rows = rows or message_rows(message, self._paint, self._root)
        answer = answer_rows(message, self._paint)
        if rows:
            self._shown[message.ts] = bool(answer)
        return self._block(_Kind.ROWS, rows + answer, is_apart=message.ask is not None)

    def _growing_message(self, message: Message, kind: _Kind) -> str:
        growing = self._growing.setdefault(message.ts, _Growing(kind))
        text = self._grow(message.ts, growing, (message.text or "")[growing.shown :])
        if message.partial or self._open != message.ts:
            return text
        cut_off = self._paint(Tone.DIM, " — interrupted") if message.state == "interrupted" else ""
        return text + cut_off + self.close()

    def _grow(self, ts: int, growing: _Growing, piece: str) -> str:
        growing.shown += len(piece)
        return self._grow_output(ts, piece) if growing.kind is _Kind.OUTPUT else self._grow_prose(ts, growing, piece)

    def _grow_output(self, ts: int, piece: str) -> str:
        """Show every line as soon as it is there, behind a margin."""
        if not piece:
            return ""
        begin = self._begin(ts, _Kind.OUTPUT)
        lines = clean(piece).replace("\n", "\n" + _MARGIN)
        text = _MARGIN + lines if self._is_line_ended else lines
        self._is_line_ended = piece.endswith("\n")
        if self._is_line_ended:
            text = text.removesuffix(_MARGIN)
        return begin + self._paint(Tone.DIM, text.replace(_MARGIN + "\n", _MARGIN.rstrip() + "\n"))

    def _grow_prose(self, ts: int, growing: _Growing, piece: str) -> str:
        """Show text as it comes, without empty lines at its beginning and its end."""
        text = growing.held + piece
        visible = text.rstrip("\n")
        if self._open != ts:
            visible = visible.lstrip("\n")
        if not visible:
            growing.held = text if self._open == ts else ""
            return ""
        growing.held = text[len(text.rstrip("\n")) :]
        begin = self._begin(ts, growing.kind)
        self._is_line_ended = False
        safe = clean(visible)
        return begin + (self._paint(Tone.DIM, safe) if growing.kind is _Kind.THOUGHT else safe)

    def _begin(self, ts: int, kind: _Kind) -> str:
        """Turn to a growing message, if it is not the one that grew last."""
        if self._open == ts:
            return ""
        text = self._before(kind)
        self._open = ts
        return text

    def _status(self, status: Status) -> str:
        if status.todos == self._todos:
            return ""
        self._todos = status.todos
        return self._block(_Kind.ROWS, todo_rows(status.todos, self._paint))

    def _block(self, kind: _Kind, rows: list[str], *, is_apart: bool = False) -> str:
        return self._before(kind, is_apart=is_apart) + "".join(f"{row}\n" for row in rows) if rows else ""

    def _before(self, kind: _Kind, *, is_apart: bool = False) -> str:
        """End what stands before a block, and leave a line free where the kind changes."""
        ended = self.close()
        belongs = {self._last, kind} == {_Kind.ROWS, _Kind.OUTPUT} and not is_apart
        is_new = self._last is not None and ((self._last is not kind and not belongs) or is_apart)
        self._last = kind
        return ended + ("\n" if is_new else "")


_MARGIN = INDENT + "│ "
