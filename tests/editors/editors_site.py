"""Where the real editors that tests drive are found, and who says what is missing. How they come there is `provision.py`."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Site:
    """One folder that holds every editor, each under a name of its own."""

    folder: Path

    def debian(self, suite: str) -> Path:
        return self.folder / suite

    def nvim(self, suite: str) -> Path:
        return self.debian(suite) / "bin" / "nvim"

    def helix(self, suite: str) -> Path:
        return self.debian(suite) / "bin" / "hx"

    @property
    def emacs(self) -> Path:
        return self.folder / "emacs" / "bin" / "emacs"

    @property
    def workbench(self) -> Path:
        return self.folder / "workbench" / "bin" / "code-server"


def site() -> Site:
    """The folder of `AGENT_LSP_EDITORS`, by default one in the checkout that git ignores."""
    return Site(Path(os.environ.get("AGENT_LSP_EDITORS") or ROOT / ".tools" / "editors"))


def chromium() -> Path | None:
    """A browser of the machine's own: Debian's package, or whatever else goes by one of its names."""
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return next((Path(name) for name in found if name), None)
