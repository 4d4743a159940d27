"""Calls of the edit tools while the model still writes them: which file, and its change as far as it is written."""

import re
from collections.abc import Callable, Mapping, Sequence

from agent_lsp.domain.approvals import Action, Deed
from agent_lsp.domain.files import Place, Proposal
from agent_lsp.tools.arguments import ArgumentScanner
from agent_lsp.tools.outcomes import tool_ask

Locate = Callable[[str], Place]

_PATHS = ("path", "file_path", "filePath", "filename")
_PLAIN = ""
_SHOWN: Mapping[str, Mapping[str, str]] = {
    "write_to_file": dict.fromkeys(("content", "contents", "file_text"), _PLAIN),
    "apply_diff": dict.fromkeys(("diff", "content"), _PLAIN),
    "apply_patch": dict.fromkeys(("patch", "input", "diff", "patch_text"), _PLAIN),
    "edit_file": {
        **dict.fromkeys(("old_string", "old_str", "old_text"), "-"),
        **dict.fromkeys(("new_string", "new_str", "new_text"), "+"),
    },
}
"""The arguments that are shown, by tool, and what is put before each of their lines."""
_CREATING = ("write_to_file", "edit_file")
_PATCHED = re.compile(r"\*\*\* (?:Add|Update|Delete) File:[ \t]*(\S.*?)[ \t\r]*\n", re.IGNORECASE)
_HEADER_ROOM = 8192
"""A patch that names no file within so many characters is not shown."""


class GrowingEdit:
    """One call. Each piece of its arguments is looked at once."""

    def __init__(
        self,
        call_id: str,
        tool: str,
        locate: Locate,
        refusal: Callable[[Sequence[str]], str | None] = lambda _paths: None,
    ) -> None:
        self.action: Action | None = None
        """What is going to be decided about, once the file is known."""
        self._call_id = call_id
        self._tool = tool
        self._locate = locate
        self._refusal = refusal
        """Why the mode does not edit one of these files: then nobody will be asked, and nothing is shown."""
        self._is_refused = False
        self._scanner = ArgumentScanner()
        self._shown = {key: _Marked(mark) for key, mark in _SHOWN[tool].items()}
        self._held: list[str] = []
        self._held_length = 0
        self._is_line_open = False

    @staticmethod
    def is_shown(tool: str) -> bool:
        return tool in _SHOWN

    def feed(self, arguments: str) -> str:
        """Take the next piece of the arguments; tell what of the change is new. Nothing before the file is known."""
        if self._is_refused:
            return ""
        self._scanner.feed(arguments)
        grown = "".join(self._grown(key, marked) for key, marked in self._shown.items())
        if self.action:
            return grown
        self._held.append(grown)
        self._held_length += len(grown)
        path = self._path(grown)
        if path is None:
            return ""
        place = self._locate(_writable(path))
        self._is_refused = self._refusal([place.path]) is not None
        if self._is_refused:
            return ""
        self.action = self._action(place)
        return "".join(self._held)

    def _grown(self, key: str, marked: "_Marked") -> str:
        text = _writable(self._scanner.fresh(key))
        if not text:
            return ""
        start = "\n" if marked.is_new and self._is_line_open else ""
        self._is_line_open = not text.endswith("\n")
        return start + marked.marked(text)

    def _path(self, grown: str) -> str | None:
        if self._tool == "apply_patch":
            return self._patched_path(grown)
        key = next((key for key in _PATHS if self._scanner.is_whole(key)), None)
        return self._scanner.values[key] if key else None

    def _patched_path(self, grown: str) -> str | None:
        """Look for the first file of the patch, among little text, and only when a line has come to its end."""
        if "\n" not in grown or self._held_length > _HEADER_ROOM:
            return None
        match = _PATCHED.search("".join(self._held))
        return match[1] if match else None

    def _action(self, place: Place) -> Action:
        if self._tool in _CREATING and not place.absolute.exists():
            word = "newFileCreated"
        else:
            word = "editedExistingFile" if self._tool == "write_to_file" else "appliedDiff"
        # No file is known to go yet: so far this is an edit, and one that is allowed for good is not asked about.
        return Action(self._call_id, Deed.WRITE, tool_ask(word, place), places=(place,), proposal=Proposal((), ()))


class _Marked:
    """A text that is shown with a mark before each of its lines, piece by piece."""

    def __init__(self, mark: str) -> None:
        self.is_new = True
        self._mark = mark
        self._is_at_line_start = True

    def marked(self, piece: str) -> str:
        self.is_new = False
        if not self._mark:
            return piece
        first = self._mark if self._is_at_line_start else ""
        self._is_at_line_start = piece.endswith("\n")
        body = piece.removesuffix("\n")
        return first + body.replace("\n", f"\n{self._mark}") + ("\n" if self._is_at_line_start else "")


def _writable(text: str) -> str:
    """Replace halves of surrogate pairs, which no client can be sent."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
