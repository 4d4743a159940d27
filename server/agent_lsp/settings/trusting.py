"""Whether the open folders may loosen the user's settings: asked of the user once, and kept with what was asked for."""

import asyncio
from typing import Protocol

from agent_lsp.domain.errors import AgentError, BadParams
from agent_lsp.domain.trust import FolderTrust, Trust, TrustList
from agent_lsp.settings.live import LiveSettings
from agent_lsp.settings.sources import ProjectWish


class Decisions(Protocol):
    """Where decisions are kept. Changes may block, readings do not."""

    def decision(self, root: str, digest: str) -> Trust: ...

    def listed(self) -> tuple[FolderTrust, ...]: ...

    def decide(self, root: str, digest: str, trust: Trust) -> None: ...

    def forget(self, root: str) -> bool: ...


class FolderTrusting:
    """What clients can ask, and say, about the trust in the folders that are open."""

    def __init__(self, live: LiveSettings, decisions: Decisions) -> None:
        self._live = live
        self._decisions = decisions

    def listed(self) -> TrustList:
        """List the open folders whose settings ask for more than the user's grant."""
        try:
            self._decisions.listed()
        except AgentError as problem:
            problems: tuple[str, ...] = (str(problem),)
        else:
            problems = ()
        self._live.current()
        return TrustList(tuple(map(self._folder, self._live.read.wishes)), problems)

    async def decide(self, root: str, digest: str, *, is_trusted: bool) -> TrustList:
        """Keep what the user decided about what they have seen; BadParams where the folder asks for another thing."""
        if not any((wish.root, wish.digest) == (root, digest) for wish in self._live.read.wishes):
            raise BadParams("That folder is not open, or asks for something else by now: `list` tells what.")
        trust = Trust.TRUSTED if is_trusted else Trust.DECLINED
        await asyncio.to_thread(self._decisions.decide, root, digest, trust)
        self._live.reread()
        return self.listed()

    async def forget(self, root: str) -> TrustList:
        """Take back what was decided about a folder, whatever it asked for."""
        if not await asyncio.to_thread(self._decisions.forget, root):
            raise BadParams("Nothing was decided about that folder.")
        self._live.reread()
        return self.listed()

    def _folder(self, wish: ProjectWish) -> FolderTrust:
        trust = Trust.TRUSTED if wish.is_trusted else self._decisions.decision(wish.root, wish.digest)
        return FolderTrust(wish.root, wish.digest, trust, wish.asks)
