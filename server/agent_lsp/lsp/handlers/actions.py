"""Code actions and lenses, and completion in prompt documents. All answer from what is known: nothing is waited for."""

from collections.abc import Sequence

from lsprotocol import types

from agent_lsp.domain.status import State
from agent_lsp.lsp.plain.actions import Offer, Scene, offers
from agent_lsp.lsp.plain.lenses import lenses
from agent_lsp.lsp.plain.marks import SOURCE
from agent_lsp.lsp.plain.prompts import is_prompt
from agent_lsp.lsp.server import AgentServer


def register(server: AgentServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def code_action(params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        only = params.context.only
        found = offers(_scene(server, params), server.asks.all())
        return [_action(server, offer) for offer in found if not only or _is_wanted(offer.kind, only)]

    @server.feature(types.CODE_ACTION_RESOLVE)
    def resolve(action: types.CodeAction) -> types.CodeAction:
        # All is in the action already; some clients ask nevertheless.
        return action

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        return lenses(params.text_document.uri, server.asks.all())

    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    async def complete(params: types.CompletionParams) -> list[types.CompletionItem]:
        return await server.parlour.prompts.complete(params.text_document.uri, params.position)


def _is_wanted(kind: str, only: Sequence[types.CodeActionKind | str]) -> bool:
    names = [wanted.value if isinstance(wanted, types.CodeActionKind) else wanted for wanted in only]
    return any(kind == name or kind.startswith(f"{name}.") for name in names)


def _action(server: AgentServer, offer: Offer) -> types.CodeAction | types.Command:
    command = types.Command(title=offer.title, command=offer.command, arguments=[*offer.arguments])
    if not server.client.takes_action_literals:
        return command
    return types.CodeAction(title=offer.title, kind=offer.kind, command=command)


def _scene(server: AgentServer, params: types.CodeActionParams) -> Scene:
    uri, place = params.text_document.uri, params.range
    has_selection = place.start != place.end
    ends_before = has_selection and place.end.character == 0 and place.end.line > place.start.line
    return Scene(
        uri=uri,
        path=server.shown_path(uri),
        first_line=place.start.line,
        last_line=place.end.line - ends_before,
        selected=server.mirror.text_between(uri, _spot(place.start), _spot(place.end)) if has_selection else "",
        problems=tuple(_problem(found) for found in params.context.diagnostics if found.source != SOURCE),
        task_shown=server.parlour.task_shown_in(uri),
        task_listed=server.parlour.task_listed_at(uri, place.start.line),
        is_prompt=is_prompt(uri),
        open_uris=frozenset(server.mirror.uris()),
        state=_current_state(server),
    )


def _spot(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def _problem(found: types.Diagnostic) -> str:
    source = f" ({found.source})" if found.source else ""
    return f"line {found.range.start.line + 1}: {' '.join(found.message.split())}{source}"


def _current_state(server: AgentServer) -> State:
    task_id = server.hall.current_task()
    if task_id is None:
        return State.NO_TASK
    status = server.hall.snapshot(task_id, instance_id=None, since=None, limit=1, before=None).status
    return status.state if status else State.NO_TASK
