"""The editor as the rooms below see it: documents from the mirror, edits through the client, and proof of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from agent_lsp.domain.diagnostics import DiagnosticsReport, Look
from agent_lsp.domain.documents import ApplyAnswer, ApplyResult, DocumentEdit, OpenDocument
from agent_lsp.lsp.client import Client
from agent_lsp.lsp.diagnosis import Diagnosis, DiagnosticsRequest
from agent_lsp.lsp.documents import Mirror
from agent_lsp.lsp.edits import text_edits
from agent_lsp.lsp.patience import Patience
from agent_lsp.lsp.wire.params import SaveParams, SaveResult
from agent_lsp.lsp.workspace_edits import apply_params, unsupported
from agent_lsp.workspace.merge import merge

LARGE_TEXT = 100_000
"""From so many characters on, edits are worked out off the event loop."""


class ClientRequests(DiagnosticsRequest, Protocol):
    """The questions that the editor puts to its client."""

    async def workspace_apply_edit_async(
        self, params: types.ApplyWorkspaceEditParams
    ) -> types.ApplyWorkspaceEditResult: ...

    async def save_documents(self, params: SaveParams) -> SaveResult: ...


class Editor:
    """Implements `Documents` and `LanguageServers` for one client.

    One edit is under way at a time, so that undo steps stay apart.
    """

    def __init__(self, client: Client, mirror: Mirror, requests: ClientRequests, patience: Patience) -> None:
        self._client = client
        self._mirror = mirror
        self._requests = requests
        self._patience = patience
        self._diagnosis = Diagnosis(client, mirror, requests, patience)
        self._applying = asyncio.Lock()

    def get(self, uri: str) -> OpenDocument | None:
        return self._mirror.get(uri)

    def open_documents(self) -> Sequence[OpenDocument]:
        return self._mirror.all()

    def can_apply(self) -> bool:
        return self._client.takes_edits

    def can_save_closed(self) -> bool:
        saves = self._client.announces("save") or self._client.takes_edit_metadata
        return saves and unsupported((_SOME_CREATION,), self._client) is None

    def can_delete(self) -> bool:
        return unsupported((replace(_SOME_CREATION, kind="delete"),), self._client) is None

    async def apply(self, edits: Sequence[DocumentEdit]) -> ApplyAnswer:
        async with self._applying:
            if reason := unsupported(edits, self._client):
                return ApplyAnswer(ApplyResult.REFUSED, reason)
            await self._mirror.until(lambda: not any(self._mirror.is_behind(edit.uri) for edit in edits))
            moved = next((edit.uri for edit in edits if self._has_moved(edit)), None)
            if moved:
                return ApplyAnswer(ApplyResult.REFUSED, f"{moved} has changed in the editor meanwhile.")
            return await self._send([self._with_version(edit) for edit in edits])

    async def save(self, uris: Sequence[str]) -> Sequence[str]:
        if not self._client.announces("save"):
            return uris
        try:
            async with asyncio.timeout(self._patience.save):
                answer = await self._requests.save_documents(SaveParams(uris=tuple(uris)))
        except (TimeoutError, JsonRpcException):
            return uris
        for uri in answer.saved:
            self._mirror.save(uri)
        return [uri for uri in uris if uri not in answer.saved]

    def can_diagnose(self) -> bool:
        return self._diagnosis.can_diagnose()

    async def diagnose(self, uris: Sequence[str], look: Look) -> DiagnosticsReport:
        return await self._diagnosis.diagnose(uris, look)

    async def until_saved(self, uris: Sequence[str]) -> None:
        await self._mirror.until(lambda: not any(self._mirror.is_dirty(uri) for uri in uris))

    def _has_moved(self, edit: DocumentEdit) -> bool:
        document = self._mirror.get(edit.uri)
        if document is None:
            return edit.version is not None
        return document.text != edit.before or edit.version not in (None, document.version)

    def _with_version(self, edit: DocumentEdit) -> DocumentEdit:
        # A file that was closed when it was read may be open by now, with the same text.
        document = self._mirror.get(edit.uri)
        return replace(edit, version=document.version) if document else edit

    async def _send(self, edits: Sequence[DocumentEdit]) -> ApplyAnswer:
        proof = _Proof(self._mirror, [edit for edit in edits if edit.version is not None])
        unsaved = [edit.new_uri or edit.uri for edit in edits if self._is_moved_unsaved(edit)]
        # Begun before the edit is sent: the change may come, and be typed over, before the answer.
        watching = asyncio.create_task(self._mirror.until(proof.is_complete))
        try:
            claim = await self._ask(edits)
            if claim.is_applied:
                await asyncio.wait((watching,), timeout=self._patience.proof)
            proof.take(await asyncio.to_thread(_made_beside_typing, proof.shown()))
            shown = proof.shown() if claim.is_applied is False else []
            half_made = await asyncio.to_thread(_half_made_uris, shown)
            answer = _judge(edits, proof, claim, half_made)
            for uri in unsaved if answer.result is ApplyResult.APPLIED else ():
                self._mirror.mark_unsaved(uri)
            return answer
        finally:
            watching.cancel()
            await asyncio.wait((watching,))

    def _is_moved_unsaved(self, edit: DocumentEdit) -> bool:
        """Whether the document will be opened anew, under its new name, with a text that is on no disk."""
        has_new_text = edit.after != edit.before or self._mirror.is_dirty(edit.uri)
        return edit.kind == "rename" and edit.version is not None and has_new_text

    async def _ask(self, edits: Sequence[DocumentEdit]) -> "_Claim":
        is_large = sum(len(edit.before) + len(edit.after) for edit in edits) > LARGE_TEXT
        params = await _in_thread(edits, self._client) if is_large else apply_params(edits, self._client)
        try:
            async with asyncio.timeout(self._patience.edit):
                answer = await self._requests.workspace_apply_edit_async(params)
        except TimeoutError:
            return _Claim(None, "The editor did not answer.")
        except JsonRpcException as error:
            return _Claim(is_applied=False, reason=f"The editor refused the edit: {error.message}")
        return _Claim(answer.applied, answer.failure_reason or "The editor refused the edit.")


async def _in_thread(edits: Sequence[DocumentEdit], client: Client) -> types.ApplyWorkspaceEditParams:
    return await asyncio.to_thread(apply_params, edits, client)


@dataclass(frozen=True, slots=True)
class _Claim:
    """What the client says; None: nothing."""

    is_applied: bool | None
    reason: str


class _Proof:
    """Which of the open documents have been seen as they were meant to become, be it for a moment, or typed in."""

    def __init__(self, mirror: Mirror, edits: Sequence[DocumentEdit]) -> None:
        self._mirror = mirror
        self._missing = list(edits)

    def is_complete(self) -> bool:
        self._missing = [edit for edit in self._missing if not self._is_seen(edit)]
        return not self._missing

    def take(self, seen: Sequence[DocumentEdit]) -> None:
        """Count those as seen that were found in large texts, which takes its time."""
        self._missing = [edit for edit in self._missing if edit not in seen]

    def unproven_uris(self) -> tuple[str, ...]:
        return tuple(edit.uri for edit in self._missing)

    def shown(self) -> list[tuple[DocumentEdit, str | None]]:
        """Those that were not seen as they were meant to become, and how they are."""
        return [(edit, self._text(edit.uri)) for edit in self._missing]

    def _is_seen(self, edit: DocumentEdit) -> bool:
        match edit.kind:
            case "create" | "edit":
                text = self._text(edit.uri)
                is_small = len(text or "") + len(edit.after) <= LARGE_TEXT
                return text == edit.after or (is_small and _is_made_beside_typing(edit, text))
            case "delete":
                return self._text(edit.uri) is None
            case "rename":
                return self._text(edit.uri) is None and self._text(edit.new_uri or "") in (None, edit.after)

    def _text(self, uri: str) -> str | None:
        document = self._mirror.get(uri)
        return document.text if document else None


def _made_beside_typing(shown: Sequence[tuple[DocumentEdit, str | None]]) -> list[DocumentEdit]:
    return [edit for edit, text in shown if _is_made_beside_typing(edit, text)]


def _is_made_beside_typing(edit: DocumentEdit, text: str | None) -> bool:
    """Whether a text has all of an edit, and what the user typed elsewhere: some clients tell of both at once."""
    if text is None or edit.kind not in ("create", "edit"):
        return False
    merged = merge(edit.before, edit.after, text)
    return merged.is_clean and merged.text == text


def _half_made_uris(shown: Sequence[tuple[DocumentEdit, str | None]]) -> tuple[str, ...]:
    return tuple(edit.uri for edit, text in shown if _is_half_made(edit, text))


def _is_half_made(edit: DocumentEdit, text: str | None) -> bool:
    """Whether a part of what was meant is there; what the user typed meanwhile is no such part."""
    if text is None or edit.kind in ("delete", "rename"):
        return text != edit.before
    meant, seen = (text_edits(edit.before, after, "utf-32") for after in (edit.after, text))
    return not set(meant).isdisjoint(seen)


def _judge(edits: Sequence[DocumentEdit], proof: _Proof, claim: _Claim, half_made: tuple[str, ...]) -> ApplyAnswer:
    """Weigh what the client says against what its documents show; what they show counts more."""
    is_proven = proof.is_complete()
    is_all_open = all(edit.version is not None for edit in edits)
    if is_proven and (claim.is_applied or is_all_open):
        return ApplyAnswer(ApplyResult.APPLIED)
    if claim.is_applied:
        reason = "The editor said that it made the edit, and its document does not show it."
        return ApplyAnswer(ApplyResult.UNPROVEN, reason, proof.unproven_uris())
    if claim.is_applied is None:
        return ApplyAnswer(ApplyResult.UNPROVEN, claim.reason, tuple(edit.uri for edit in edits))
    changed = {edit.uri for edit in edits if edit.version is not None} - set(proof.unproven_uris())
    if unclear := (*changed, *half_made):
        return ApplyAnswer(ApplyResult.UNPROVEN, claim.reason, unclear, is_denied=True)
    return ApplyAnswer(ApplyResult.REFUSED, claim.reason)


_SOME_CREATION = DocumentEdit(uri="", kind="create", before="", after="", version=None)
