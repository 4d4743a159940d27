"""The first milliseconds: `initialize` is answered by the standard library alone, then the program is imported.

Only what that answer needs is imported up here. The first message is handed over with all others, so that the rest of
the program sees it too; it just does not answer it again.
"""

import gc
import os

from agent_lsp.lsp.opening import Opening

TYPE_CHECKING = False  # The import of typing would cost more than all that is done here.
if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_lsp.lsp.logs import LogOptions
    from agent_lsp.lsp.ports import OpenHall
    from agent_lsp.lsp.serving import Door


def run_stdio(load_app: "Callable[[], OpenHall]", log: "LogOptions | None" = None) -> int:
    """Serve the client on the standard streams until it is gone; the exit code.

    `load_app` imports the program and gives back what opens its hall; it is called after `initialize` is answered.
    """
    try:
        opening = Opening(*_take_standard_streams())
        opening.read()
        opening.answer()
        return serve(opening, load_app, log)
    except (KeyboardInterrupt, BrokenPipeError):
        return 1


def serve(
    opening: Opening, load_app: "Callable[[], OpenHall]", log: "LogOptions | None", door: "Door | None" = None
) -> int:
    """Import the program, while what comes meanwhile is taken in, and let it have the connection."""
    from agent_lsp.lsp.intake import Intake
    from agent_lsp.lsp.writer import Writer

    writer = Writer(opening.write_fd)
    intake = Intake(opening, writer)
    # A collection in the midst of imports frees nothing and costs a tenth of their time.
    gc.disable()
    from agent_lsp.lsp import logs, serving

    open_hall = load_app()
    gc.freeze()
    gc.enable()
    logs.configure(log)
    return serving.run(intake, writer, opening.answered_id, open_hall, door)


def _take_standard_streams() -> tuple[int, int]:
    """Move the wire away from the standard streams, so that no stray print and no child process can touch it."""
    read_fd, write_fd = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return read_fd, write_fd
