"""What the user is shown of an edit before it is made: changes with their diffs and hunks. Pure; nothing is touched."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b

from agent_lsp.domain.errors import FileProblem
from agent_lsp.domain.files import Change, FileEdit, Place, Proposal
from agent_lsp.workspace.diffs import Difference, Kind, compare, unified
from agent_lsp.workspace.texts import with_endings_of


def propose(edits: Sequence[FileEdit], uri_of: dict[Place, str]) -> Proposal:
    """Work out the changes. `uri_of`: the addresses of those places that the editor spells otherwise."""
    _refuse_doubles(edits)
    _refuse_nested(edits)
    fitted = tuple(map(_with_usual_endings, edits))
    proposal_id = _proposal_id(fitted)
    return Proposal(
        fitted, tuple(_change(edit, proposal_id, uri_of.get(edit.place, edit.place.uri)) for edit in fitted)
    )


def kind_of(edit: FileEdit) -> Kind:
    if edit.move_to:
        return "rename"
    if edit.before is None:
        return "create"
    return "delete" if edit.after is None else "edit"


def difference_of(edit: FileEdit) -> Difference:
    return compare(edit.place.path, edit.before.text if edit.before else "", edit.after or "")


def _refuse_doubles(edits: Iterable[FileEdit]) -> None:
    seen = set[str]()
    for edit in edits:
        for place in (edit.place, edit.move_to):
            if place is None:
                continue
            if str(place.absolute) in seen:
                raise FileProblem(f"{place.path} is changed twice in one edit; put its changes together.")
            seen.add(str(place.absolute))


def _refuse_nested(edits: Iterable[FileEdit]) -> None:
    """Refuse a file below another one: not every editor notices before it has made the first."""
    places = [edit.move_to or edit.place for edit in edits if edit.move_to or edit.after is not None]
    files = {place.absolute: place for place in places}
    for place in places:
        if above := next((files[folder] for folder in place.absolute.parents if folder in files), None):
            raise FileProblem(f"{above.path} is to be a file, so {place.path} cannot be in it.")


def _with_usual_endings(edit: FileEdit) -> FileEdit:
    if edit.before is None:
        return edit
    if edit.after is None:
        return replace(edit, after=edit.before.text) if edit.move_to else edit
    return replace(edit, after=with_endings_of(edit.before.text, edit.after))


def _change(edit: FileEdit, proposal_id: str, uri: str) -> Change:
    kind, difference = kind_of(edit), difference_of(edit)
    path, new_path = edit.place.path, edit.move_to.path if edit.move_to else None
    return Change(
        uri=uri,
        path=path,
        kind=kind,
        diff=unified(kind, path, new_path, difference),
        added=difference.added,
        removed=difference.removed,
        preview_uri=f"agent-preview:/{proposal_id}/{_quoted(path)}",
        version=edit.before.base.version if edit.before else None,
        hunks=difference.hunks,
        new_path=new_path,
        before=edit.before.text if edit.before else None,
        after=edit.after,
    )


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path.lstrip("/"), errors="surrogatepass")


def _proposal_id(edits: Sequence[FileEdit]) -> str:
    """Name a proposal by what it says, so that the same one has the same previews."""
    state = blake2b(digest_size=6)
    for edit in edits:
        target = edit.move_to.uri if edit.move_to else None
        parts = (edit.place.uri, target, edit.before and edit.before.text, edit.after)
        for part in parts:
            content = b"\0" if part is None else part.encode("utf-8", "surrogatepass")
            state.update(b"%d:" % len(content))
            state.update(content)
    return state.hexdigest()
