"""Proposals as `.diff` files, for the user to read and to edit: what they make of one is taken with their yes."""

from pathlib import Path

from agent_lsp.domain.errors import BadParams
from agent_lsp.lsp.documents import Mirror
from agent_lsp.lsp.patches import patched_files
from agent_lsp.lsp.plain.viewer import Viewer, write_whole
from agent_lsp.lsp.plain.ways import BY_NAME, Ways
from agent_lsp.lsp.ports import Hall
from agent_lsp.lsp.waiting import Asks, Edited, Waiting


class ShownDiffs:
    """One file for each ask that the user has looked at, until the ask is settled."""

    def __init__(self, hall: Hall, asks: Asks, mirror: Mirror, viewer: Viewer) -> None:
        self._hall = hall
        self._asks = asks
        self._mirror = mirror
        self._viewer = viewer
        self.ways = BY_NAME
        self._shown: dict[Path, tuple[str, int, str]] = {}
        """By file: its task, its ask, and the text it was written with."""
        asks.edited = self.edited
        asks.on_change.append(self._clear_away)
        mirror.on_document.append(self._take_document)

    def show(self, waiting: Waiting) -> Path:
        if not waiting.changes:
            raise BadParams("What is asked changes no file, so there is no diff to show.")
        path = self._path(waiting)
        if path not in self._shown:
            text = _head(self.ways) + "\n".join(change.diff for change in waiting.changes)
            write_whole(path, text)
            self._shown[path] = waiting.task_id, waiting.ts, text
        self._viewer.show(path)
        return path

    def task_of(self, path: Path) -> str | None:
        """The task whose diff a file is."""
        return self._shown[path][0] if path in self._shown else None

    def edited(self, waiting: Waiting) -> Edited:
        """What the user made of the diff; BadParams where it does not fit any more."""
        path = self._path(waiting)
        if path not in self._shown:
            return Edited()
        text = self._current(path)
        if text is None or text.rstrip() == self._shown[path][2].rstrip():
            return Edited()
        changes = {(each.new_path or each.path).lstrip("/"): each for each in self._asks.whole_changes(waiting)}
        texts = patched_files({name: change.before or "" for name, change in changes.items()}, text)
        left_out = [hunk.id for name, change in changes.items() if name not in texts for hunk in change.hunks]
        return Edited({changes[name].uri: text for name, text in texts.items()}, frozenset(left_out))

    def _current(self, path: Path) -> str | None:
        """The file as the user sees it: in their editor, else on the disk; None where they deleted it."""
        uri = self._mirror.uri_of(path)
        document = self._mirror.get(uri) if uri else None
        if document:
            return document.text
        try:
            return path.read_text("utf-8", errors="surrogatepass")
        except (OSError, UnicodeDecodeError):
            return None

    def _path(self, waiting: Waiting) -> Path:
        return self._hall.shown_folder / f"{waiting.task_id}-{waiting.ts}.diff"

    def _clear_away(self, task_id: str) -> None:
        waiting = self._asks.of_task(task_id)
        for path, (owner, ts, _) in list(self._shown.items()):
            # A file that is open stays until it is closed: editors complain of those that vanish.
            if owner == task_id and (waiting is None or waiting.ts != ts) and not self._mirror.uri_of(path):
                del self._shown[path]
                path.unlink(missing_ok=True)

    def _take_document(self, _uri: str) -> None:
        for task_id in {owner for owner, _, _ in self._shown.values()}:
            self._clear_away(task_id)


def _head(ways: Ways) -> str:
    return f"""\
What the agent wants to change. Before you answer, nothing of it is done.
    yes           {ways.short("agent.approve")}
    no            {ways.short("agent.reject")}
    hunk by hunk  {ways.short("agent.acceptHunk")}, {ways.short("agent.rejectHunk")}
Lines behind a + can be changed, and hunks taken out:
approving then applies what stands here.

"""
