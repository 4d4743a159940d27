"""What the user decided about folders with settings of their own: by real path, and by what those settings ask for."""

from collections.abc import Sequence
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import StorageProblem
from agent_lsp.domain.trust import FolderTrust, Trust
from agent_lsp.storage.entries import EntryFile

FILE_NAME = "trust.json"
KEPT_FOR_ONE_FOLDER = 20
"""Branches of a repository may ask for different things; the oldest decisions are asked about anew."""


def trust_file(state: Path) -> Path:
    return state / FILE_NAME


class TrustStore:
    """The decisions of all servers. Changes may wait for another server; readings do not."""

    def __init__(self, file: EntryFile) -> None:
        self._file = file

    def decision(self, root: str, digest: str) -> Trust:
        """Tell what was decided; undecided also where the file is not understood."""
        try:
            entries = self._file.entries()
        except StorageProblem:
            return Trust.UNDECIDED
        return next((_decision(e) for e in entries if _is_of(e, root) and e.get("digest") == digest), Trust.UNDECIDED)

    def listed(self) -> tuple[FolderTrust, ...]:
        """List all decisions; StorageProblem where the file is not understood."""
        known = [entry for entry in self._file.entries() if _decision(entry) is not Trust.UNDECIDED]
        return tuple(FolderTrust(str(entry.get("root")), str(entry.get("digest")), _decision(entry)) for entry in known)

    def decide(self, root: str, digest: str, trust: Trust) -> None:
        entry: Json = {"root": root, "digest": digest, "trust": trust.value}

        def changed(entries: Sequence[Json]) -> Sequence[Json]:
            own = [e for e in entries if _is_of(e, root) and e.get("digest") != digest]
            others = [e for e in entries if not _is_of(e, root)]
            return (*others, *own[1 - KEPT_FOR_ONE_FOLDER :], entry)

        self._file.change(changed)

    def forget(self, root: str) -> bool:
        """Forget all that was decided about a folder; whether there was something."""
        if not any(_is_of(entry, root) for entry in self._file.entries()):
            return False
        self._file.change(lambda entries: [entry for entry in entries if not _is_of(entry, root)])
        return True


def _is_of(entry: Json, root: str) -> bool:
    return entry.get("root") == root


def _decision(entry: Json) -> Trust:
    decided = entry.get("trust")
    return Trust(decided) if decided in list(Trust) else Trust.UNDECIDED
