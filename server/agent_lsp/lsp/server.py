"""The server of one client: what it knows of the client, its documents, its hall, and how it all ends."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from agent_lsp import __version__
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError, NotConfigured
from agent_lsp.domain.requests import NewTask, TaskReference
from agent_lsp.lsp import logs
from agent_lsp.lsp.arguments import Arguments
from agent_lsp.lsp.client import Client, path_of
from agent_lsp.lsp.configuration import SECTION, joined, settings_in
from agent_lsp.lsp.documents import Mirror
from agent_lsp.lsp.editor import Editor
from agent_lsp.lsp.notices import AgentListener
from agent_lsp.lsp.parent import watch_process
from agent_lsp.lsp.parlour import Parlour, Surroundings
from agent_lsp.lsp.patience import Patience
from agent_lsp.lsp.plain.listener import PlainListener
from agent_lsp.lsp.ports import Hall, OpenHall
from agent_lsp.lsp.protocol import AgentProtocol, Outlet
from agent_lsp.lsp.trusting import FEW_LINES, MANY_LINES, TrustQuestions
from agent_lsp.lsp.waiting import Asks
from agent_lsp.lsp.wire.diagnostics import DiagnosticsParams, DiagnosticsResult
from agent_lsp.lsp.wire.params import SaveParams, SaveResult

logger = logging.getLogger(__name__)


class AgentServer(LanguageServer):
    """What handlers work with. It begins with `meet`, when the client is known, and ends once `ending` is."""

    def __init__(
        self, open_hall: OpenHall, outlet: Outlet, answered_id: object = None, patience: Patience | None = None
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  pygls leaves `*args` without types.
            "agent-lsp", __version__, protocol_cls=AgentProtocol
        )
        self.connection = cast("AgentProtocol", self.protocol)  # pygls made it, of the class it was given.
        self.connection.start(outlet, answered_id)
        self.client = Client()
        self.mirror = Mirror()
        self.plain: PlainListener | None = None
        self.ending: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """The exit code, once it is known."""
        self._open_hall = open_hall
        self._patience = patience or Patience()
        self._hall: Hall | None = None
        self._parlour: Parlour | None = None
        self._why_no_hall = "The client has to initialize first."
        self._roots: tuple[Path, ...] = ()
        self._pull: asyncio.Task[None] | None = None
        self._errands: set[asyncio.Task[None]] = set()
        self._settling: asyncio.Task[None] | None = None
        self._remarks: set[str] = set()
        self._trust: TrustQuestions | None = None

    @property
    def known_commands(self) -> Mapping[str, Callable[[Arguments], object]]:
        # pygls keeps them in a dict without types; ours are all registered in `handlers/commands.py`.
        return cast("Mapping[str, Callable[[Arguments], object]]", self.connection.fm.commands)

    @property
    def hall(self) -> Hall:
        if self._hall is None:
            raise NotConfigured(self._why_no_hall)
        return self._hall

    def meet(self, client: Client) -> None:
        """Learn who the client is, and open the hall for it."""
        self.client = client
        self.mirror.encoding = client.encoding
        self.mirror.may_disorder = client.name == "helix"  # Release 25.01 sends each change from a task of its own.
        self.connection.trace_level = client.trace
        if client.process_id is not None:
            watch_process(client.process_id, lambda: self.end(1))
        try:
            self._hall = self._open_hall(Editor(client, self.mirror, self, self._patience))
        except (AgentError, OSError) as error:
            # The connection goes on: each request is told why nothing can be done.
            logger.exception("The hall cannot be opened")
            self._why_no_hall = str(error)
            return
        logs.keep_clean(self._hall.redacted)
        self.change_roots(added=client.roots, removed=())
        self.configure(settings_in(client.options))
        self._listen(self._hall)

    def end(self, exit_code: int) -> None:
        if not self.ending.done():
            self.ending.set_result(exit_code)

    def change_roots(self, added: tuple[Path, ...], removed: tuple[Path, ...]) -> None:
        kept = [root for root in self._roots if root not in removed]
        self._roots = tuple(dict.fromkeys([*kept, *added]))
        self.hall.set_roots(self._roots)

    @property
    def parlour(self) -> Parlour:
        if self._parlour is None:
            raise NotConfigured(self._why_no_hall)
        return self._parlour

    @property
    def asks(self) -> Asks:
        return self.parlour.asks

    def shown_path(self, uri: str) -> str:
        """A document's path as people write it: from the root that it lies in."""
        path = path_of(uri)
        if path is None:
            return uri
        root = next((root for root in self._roots if path.is_relative_to(root)), None)
        return path.relative_to(root).as_posix() if root else path.as_posix()

    def tell(self, message: str) -> None:
        """Tell the user something, in a line."""
        self.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=message))

    # Settings

    def configure(self, settings: Json) -> None:
        """Hand the settings to the hall, and tell the user what it ignored of them, each thing once."""
        self._tell_remarks(self.hall.configure(settings))

    def watch_settings(self) -> None:
        """From now on, tell what is ignored, and ask whether folders are trusted, whenever settings change."""
        if self._hall is None or self._trust is not None:
            return
        most_lines = FEW_LINES if self.client.agent is None else MANY_LINES
        self._trust = TrustQuestions(self, self._hall.trust, self.run_errand, most_lines)
        self._hall.watch_settings(self._take_settings)
        self._take_settings()

    def _take_settings(self) -> None:
        self._tell_remarks(self.hall.remarks())
        if self._trust:
            self._trust.look()

    def _tell_remarks(self, remarks: Sequence[str]) -> None:
        new = [remark for remark in remarks if remark not in self._remarks]
        self._remarks.update(new)
        if new:
            message = " ".join(new)
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Warning, message=message))

    def pull_configuration(self) -> None:
        """Ask the client for its settings, where it can be asked."""
        if self.client.has_configuration:
            self._pull = self.run_errand(self._take_configuration())

    async def new_task(self, request: NewTask) -> TaskReference:
        """Admit a task once the settings are there. Where no model can be used, the answer says what could be."""
        await self.until_configured()
        try:
            return self.hall.new_task(request)
        except NotConfigured as problem:
            raise NotConfigured(" ".join((str(problem), *await self.hall.advice()))) from problem

    async def until_configured(self) -> None:
        """Wait, for a bounded time, until settings that were asked for are there."""
        if self._pull and not self._pull.done():
            await asyncio.wait((self._pull,), timeout=self._patience.configuration)

    async def _take_configuration(self) -> None:
        params = types.ConfigurationParams(items=[types.ConfigurationItem(section=SECTION)])
        try:
            sections = await self.workspace_configuration_async(params)
        except JsonRpcException as error:
            logger.info("The client gave no settings: %s", error)
            return
        section = settings_in(sections[0]) if sections else {}
        self.configure(joined(settings_in(self.client.options), section))

    # Work that no request waits for

    def run_errand(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Start something that the server waits for, or cancels, before it ends."""
        errand = asyncio.create_task(work)
        self._errands.add(errand)
        errand.add_done_callback(self._take_end)
        return errand

    def _take_end(self, errand: asyncio.Task[None]) -> None:
        self._errands.discard(errand)
        if not errand.cancelled() and (error := errand.exception()):
            logger.error("Something went wrong behind the client's back", exc_info=error)

    def cancel_task(self, task_id: str) -> None:
        """Cancel a task, without anybody waiting for it."""
        self.run_errand(self._cancel_task(task_id))

    async def _cancel_task(self, task_id: str) -> None:
        try:
            await self.hall.cancel(task_id)
        except AgentError as error:
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Warning, message=str(error)))

    async def save_documents(self, params: SaveParams) -> SaveResult:
        return SaveResult.model_validate(await self.connection.send_request_async("agent/save", params))

    async def find_diagnostics(self, params: DiagnosticsParams) -> DiagnosticsResult:
        return DiagnosticsResult.model_validate(await self.connection.send_request_async("agent/diagnostics", params))

    async def settle(self) -> None:
        """Let the hall settle what runs, once, and for a bounded time."""
        if self._hall and self._settling is None:
            self._settling = asyncio.create_task(self._hall.close())
        if self._settling:
            await asyncio.wait((self._settling,), timeout=self._patience.settling)

    async def stop(self) -> None:
        """End everything of this connection."""
        await self.settle()
        if self._parlour:
            self._parlour.close()
        await self.connection.stop()
        for errand in (errands := tuple(self._errands)):
            errand.cancel()
        if errands:
            await asyncio.wait(errands)

    def _listen(self, hall: Hall) -> None:
        surroundings = Surroundings(self.client, self.mirror, Editor(self.client, self.mirror, self, self._patience))
        self._parlour = Parlour(self, hall, surroundings, self._start_errand)
        self._parlour.prompts.roots = lambda: self._roots
        if self.client.agent is not None:
            hall.listen(AgentListener(self.connection))
        else:
            self.plain = self._parlour.receive_plain()

    def _start_errand(self, work: Coroutine[None, None, None]) -> None:
        self.run_errand(work)
