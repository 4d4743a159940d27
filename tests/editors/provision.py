"""Set up the real editors that the tests in this folder drive: `uv run --group editors python tests/editors/provision.py`.

Everything goes into one folder that git ignores; what is there already is left as it is. Chromium alone is the machine's
own (a package of Debian's, installed where this runs as root).
"""

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import debian_folder
import workbench_folder
from debian_folder import NotProvided, Program
from editors_site import chromium, site

NVIM = Program("usr/bin/nvim", "nvim", (("VIMRUNTIME", "{root}/usr/share/nvim/runtime"),))
HELIX = Program("usr/lib/hx/hx", "hx", (("HELIX_RUNTIME", "{root}/usr/lib/hx/runtime"),))


def _terminal_editors(suite: str) -> Callable[[Path], None]:
    def install(folder: Path) -> None:
        debian_folder.install(folder, suite, ["neovim", "hx"], [NVIM, HELIX])

    return install


def _emacs(folder: Path) -> None:
    version = "30.1"
    program = Program(
        "usr/bin/emacs-nox",
        "emacs",
        (
            ("EMACSLOADPATH", f"{{root}}/usr/share/emacs/{version}/lisp:"),
            ("EMACSDATA", f"{{root}}/usr/share/emacs/{version}/etc"),
        ),
        "--dump-file={root}/emacs.pdmp",
    )
    debian_folder.install(folder, "trixie", ["emacs-nox"], [program])
    dump = next((folder / "root" / "usr").rglob("emacs*.pdmp"))
    (folder / "root" / "emacs.pdmp").symlink_to(dump)


def _system_packages(*names: str) -> None:
    """Install what the machine lacks of Debian's own packages; only root can."""
    if os.geteuid() or not shutil.which("apt-get"):
        raise NotProvided(f"install {' and '.join(names)} with this machine's package manager")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    debian_folder.run(["apt-get", "--quiet", "update"], env=environment)
    debian_folder.run(["apt-get", "--quiet", "--yes", "--no-install-recommends", "install", *names], env=environment)


def _machine_tools() -> None:
    wanted = [] if shutil.which("tmux") else ["tmux"]
    wanted += [] if chromium() else ["chromium", "fonts-dejavu-core"]
    if wanted:
        _system_packages(*wanted)


def _step(name: str, is_there: bool, install: Callable[[], None]) -> bool:
    started = time.monotonic()
    try:
        if not is_there:
            install()
    except (NotProvided, OSError) as error:
        print(f"{name}: not set up: {error}", flush=True)
        return False
    print(f"{name}: {'was there' if is_there else f'set up in {time.monotonic() - started:.0f} s'}", flush=True)
    return True


def main(wanted: list[str]) -> int:
    """Set up all, or those named; the exit code says whether each of them is there now."""
    here = site()
    here.folder.mkdir(parents=True, exist_ok=True)
    steps: dict[str, tuple[bool, Callable[[], None]]] = {
        "machine": (bool(shutil.which("tmux") and chromium()), _machine_tools),
        "sid": (here.helix("sid").exists(), lambda: _terminal_editors("sid")(here.debian("sid"))),
        "trixie": (here.helix("trixie").exists(), lambda: _terminal_editors("trixie")(here.debian("trixie"))),
        "emacs": (here.emacs.exists(), lambda: _emacs(here.folder / "emacs")),
        "workbench": (here.workbench.exists(), lambda: workbench_folder.install(here.folder / "workbench")),
    }
    unknown = set(wanted) - set(steps)
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(steps)}")
        return 2
    done = [_step(name, *steps[name]) for name in wanted or steps]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
