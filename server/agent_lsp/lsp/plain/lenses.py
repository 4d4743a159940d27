"""Code lenses above the hunks that wait, for clients that draw them and have no plugin. Pure."""

from collections.abc import Iterator, Sequence

from lsprotocol import types

from agent_lsp.domain.files import Hunk
from agent_lsp.lsp.plain.marks import hunk_range
from agent_lsp.lsp.waiting import Waiting


def lenses(uri: str, asks: Sequence[Waiting]) -> list[types.CodeLens]:
    """What can be decided in a document, each where it would change something."""
    return [lens for waiting in asks for lens in _for_ask(waiting, uri)]


def _for_ask(waiting: Waiting, uri: str) -> Iterator[types.CodeLens]:
    ask = (str(waiting.ts), waiting.task_id)
    hunks = [hunk for change, hunk in waiting.hunks() if change.uri == uri and hunk.id not in waiting.decisions]
    if not hunks:
        return
    count = len(waiting.hunks())
    whole = "the change" if count == 1 else f"all {count} hunks"
    yield _lens(hunks[0], f"Agent: approve {whole}", "agent.approve", ask)
    yield _lens(hunks[0], f"Reject {whole}", "agent.reject", ("", *ask))
    yield _lens(hunks[0], "Show diff", "agent.showDiff", (waiting.task_id,))
    for hunk in hunks if count > 1 else ():
        yield _lens(hunk, "Approve this hunk", "agent.acceptHunk", (hunk.id, *ask))
        yield _lens(hunk, "Reject this hunk", "agent.rejectHunk", (hunk.id, *ask))


def _lens(hunk: Hunk, title: str, command: str, arguments: tuple[str, ...]) -> types.CodeLens:
    start = hunk_range(hunk).start
    place = types.Range(start=start, end=start)
    return types.CodeLens(range=place, command=types.Command(title=title, command=command, arguments=[*arguments]))
