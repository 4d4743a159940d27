"""What clients send with our own methods. Unknown fields are ignored: a newer client may have more to say."""

from typing import Annotated, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from agent_lsp.domain.documents import EditorContext, Terminal
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.permissions import Remember, Scope
from agent_lsp.domain.requests import AskReply, ContextReference, NewTask, QueueEdit
from agent_lsp.domain.status import PermissionMode

Image = Annotated[str, Field(pattern=r"^data:")]
Limit = Annotated[int, Field(ge=1, le=10_000)]
_MOST_TERMINALS = 20
_TERMINAL_TAIL = 20_000
"""Characters of a terminal's output that are kept."""


class Params(BaseModel):
    """The root of all parameters: names in camelCase."""

    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, populate_by_name=True, extra="ignore", defer_build=True
    )

    @model_validator(mode="before")
    @classmethod
    def _take_null_for_absent(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {name: item for name, item in cast("Json", value).items() if item is not None}


class Position(Params):
    line: int
    character: int


class Range(Params):
    start: Position
    end: Position

    def last_line(self) -> int:
        """The last line, counted from 0, that has a character of the range in it."""
        ends_before_line = self.end.character == 0 and self.end.line > self.start.line
        return self.end.line - 1 if ends_before_line else self.end.line


class Attachment(Params):
    uri: str
    range: Range | None = None

    def to_reference(self) -> ContextReference:
        if self.range is None:
            return ContextReference(self.uri)
        return ContextReference(self.uri, self.range.start.line + 1, self.range.last_line() + 1)


class NewTaskParams(Params):
    text: str = ""
    images: tuple[Image, ...] = ()
    mode: str | None = None
    profile: str | None = None
    permission_mode: PermissionMode | None = None
    context: tuple[Attachment, ...] = ()
    client_request_id: str | None = None

    @model_validator(mode="after")
    def _want_words(self) -> Self:
        if not self.text and not self.images:
            raise ValueError("text: say what is to be done")
        return self

    def to_request(self) -> NewTask:
        return NewTask(
            text=self.text,
            images=self.images,
            mode=self.mode,
            profile=self.profile,
            permission_mode=self.permission_mode,
            context=tuple(shape.to_reference() for shape in self.context),
            client_request_id=self.client_request_id,
        )


class StateParams(Params):
    task_id: str | None = None
    instance_id: str | None = None
    since: int | None = None
    limit: Limit = 1000
    before: int | None = None


class EditedText(Params):
    """What the user made of a file: its whole text, or a unified diff of the text before the proposal."""

    uri: str
    text: str | None = None
    diff: str | None = None

    @model_validator(mode="after")
    def _take_one(self) -> Self:
        if (self.text is None) == (self.diff is None):
            raise ValueError("give either the text or the diff")
        return self


class Remembering(Params):
    scope: Scope
    rule: str | None = None


class AskResponseParams(Params):
    task_id: str
    ts: int | None = None
    response: Literal["yesButtonClicked", "noButtonClicked", "messageResponse", "objectResponse"]
    text: str | None = None
    images: tuple[Image, ...] = ()
    hunks: dict[str, Literal["accept", "reject"]] = Field(default_factory=dict)
    edited: tuple[EditedText, ...] = ()
    remember: Remembering | None = None

    def to_reply(self) -> AskReply:
        edited = {shape.uri: shape.text for shape in self.edited if shape.text is not None}
        remember = self.remember and Remember(self.remember.scope, self.remember.rule)
        return AskReply(self.response, self.text or "", self.images, self.hunks, edited, remember)

    def diffs(self) -> dict[str, str]:
        """Give the edited files that came as diffs, by uri."""
        return {shape.uri: shape.diff for shape in self.edited if shape.diff is not None}


class SendMessageParams(Params):
    task_id: str
    text: str = ""
    images: tuple[Image, ...] = ()
    delivery: Literal["queue", "steer", "interrupt"] = "queue"


class QueueParams(Params):
    task_id: str
    op: Literal["list", "edit", "remove", "move"]
    message_id: str | None = None
    text: str | None = None
    images: tuple[Image, ...] | None = None
    position: Annotated[int, Field(ge=0)] = 0

    def to_edit(self) -> QueueEdit | None:
        """What is to be changed; None where the queue is only looked at."""
        if self.op == "list":
            return None
        if self.message_id is None:
            raise BadParams(f"agent/queue: name the words to {self.op} by their messageId.")
        return QueueEdit(self.op, self.message_id, self.text, self.images, self.position)


class TaskParams(Params):
    task_id: str


class CondenseParams(Params):
    task_id: str
    instructions: str = ""


class OptionalTaskParams(Params):
    task_id: str | None = None


class ListTasksParams(Params):
    cursor: str | None = None
    limit: Limit = 100
    query: str | None = None


class RenameTaskParams(Params):
    task_id: str
    title: str = Field(min_length=1)


class ForkTaskParams(Params):
    task_id: str
    ts: int | None = None
    title: str | None = None


class TerminalOperationParams(Params):
    task_id: str
    ts: int | None = None
    operation: Literal["continue", "abort"]


class PreviewParams(Params):
    task_id: str
    ts: int


class CheckpointDiffParams(Params):
    task_id: str
    checkpoint: str
    to: str | None = None


class RestoreParams(Params):
    task_id: str
    checkpoint: str | None = None
    ts: int | None = None
    what: Literal["files", "conversation", "both"] = "files"
    dry_run: bool = False


class SetModeParams(Params):
    task_id: str | None = None
    mode: str = Field(min_length=1)


class SetProfileParams(Params):
    task_id: str | None = None
    profile: str = Field(min_length=1)


class SetPermissionModeParams(Params):
    task_id: str | None = None
    permission_mode: PermissionMode


class VisibleEditor(Params):
    uri: str
    ranges: tuple[Range, ...] = ()


class ActiveEditor(Params):
    uri: str
    selection: Range | None = None

    def cursor_line(self) -> int | None:
        return self.selection.end.line + 1 if self.selection else None

    def selected_lines(self) -> tuple[int, int] | None:
        selection = self.selection
        if selection is None or selection.start == selection.end:
            return None
        return selection.start.line + 1, selection.last_line() + 1


class TerminalParams(Params):
    """A terminal of the user's and the newest command in it; `output` may be the end of a long one."""

    name: str
    cwd: str = ""
    command: str = ""
    is_running: bool = False
    exit_code: int | None = None
    output: str = ""

    def to_terminal(self) -> Terminal:
        output = self.output[-_TERMINAL_TAIL:]
        return Terminal(self.name, self.cwd, self.command, self.is_running, self.exit_code, output)


class EditorContextParams(Params):
    visible: tuple[VisibleEditor, ...] = ()
    active: ActiveEditor | None = None
    open_tabs: tuple[str, ...] = ()
    terminals: tuple[TerminalParams, ...] = ()

    def to_context(self) -> EditorContext:
        active = self.active
        return EditorContext(
            active_uri=active.uri if active else None,
            visible_uris=tuple(editor.uri for editor in self.visible),
            open_uris=self.open_tabs,
            cursor_line=active.cursor_line() if active else None,
            selected_lines=active.selected_lines() if active else None,
            terminals=tuple(terminal.to_terminal() for terminal in self.terminals[:_MOST_TERMINALS]),
        )


class NoParams(Params):
    """Nothing is asked for."""


class SaveParams(Params):
    """What the server sends: which documents are to be saved."""

    uris: tuple[str, ...]


class FailedSave(Params):
    uri: str
    reason: str = ""


class SaveResult(Params):
    """What the client answers: which were, and which were not."""

    saved: tuple[str, ...] = ()
    failed: tuple[FailedSave, ...] = ()
