"""Which open documents the agent has edited and the user's editor has not saved yet."""

from collections.abc import Sequence

from agent_lsp.domain.documents import Documents
from agent_lsp.domain.files import Place


class EditedDocuments:
    """Remembers edited documents until they are seen saved or closed."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._places = dict[str, Place]()

    def remember(self, uri: str, place: Place) -> None:
        self._places[uri] = place

    def unsaved(self) -> Sequence[Place]:
        self._forget_saved()
        return tuple(self._places.values())

    async def save(self) -> Sequence[Place]:
        """Have them saved by the client; the places of those that still are not."""
        self._forget_saved()
        if self._places:
            await self._documents.save(tuple(self._places))
        return self.unsaved()

    async def until_saved(self, places: Sequence[Place]) -> None:
        uris = [uri for uri, place in self._places.items() if place in places]
        if uris:
            await self._documents.until_saved(uris)

    def _forget_saved(self) -> None:
        for uri in tuple(self._places):
            document = self._documents.get(uri)
            if document is None or not document.is_dirty:
                del self._places[uri]
