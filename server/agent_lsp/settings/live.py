"""The settings of now: read again when the editor or the folders change, and when one of their files does."""

from collections.abc import Callable, Sequence
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.settings.model import Settings
from agent_lsp.settings.sources import IsTrusted, SettingsRead, read_settings, settings_files

_Signature = tuple[int, int, int]


class LiveSettings:
    """Reads as little as it can: whoever asks costs one look at each file, and a reading only where one has changed."""

    def __init__(
        self,
        home: Path,
        roots: Sequence[Path],
        command_line: Json | None,
        is_trusted: IsTrusted,
        trust_file: Path | None = None,
    ) -> None:
        self._home = home
        self._roots = tuple(roots)
        self._command_line = command_line
        self._is_trusted = is_trusted
        self._trust_file = trust_file
        """Where others, too, note which folders are trusted; what they take back holds no more."""
        self._editor: Json | None = None
        self.on_read: list[Callable[[], None]] = []
        """Called after every reading."""
        self.read = self._read_all()

    @property
    def user_file(self) -> Path:
        return settings_files(self._home, ())[0]

    def current(self) -> Settings:
        if self._signatures() != self._seen:
            self.reread()
        return self.read.settings

    def configure(self, editor: Json) -> None:
        """Take the editor's settings, whole."""
        self._editor = editor
        self.reread()

    def set_roots(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(roots)
        self.reread()

    def reread(self) -> None:
        self.read = self._read_all()
        for tell in self.on_read:
            tell()

    def _read_all(self) -> SettingsRead:
        # Looked at before they are read: what changes in between is read once more.
        self._seen = self._signatures()
        return read_settings(
            home=self._home,
            roots=self._roots,
            editor=self._editor,
            command_line=self._command_line,
            is_trusted=self._is_trusted,
        )

    def _signatures(self) -> tuple[_Signature | None, ...]:
        trust = (self._trust_file,) if self._trust_file else ()
        return tuple(_signature(path) for path in (*settings_files(self._home, self._roots), *trust))


def _signature(path: Path) -> _Signature | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size
