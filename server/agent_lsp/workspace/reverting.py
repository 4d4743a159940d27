"""Taking back what was done to a file, and that alone: what others did to it meanwhile stays. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent_lsp.domain.checkpoints import Altered, FileState
from agent_lsp.domain.errors import FileProblem
from agent_lsp.workspace.merge import merge
from agent_lsp.workspace.texts import decode, encode


@dataclass(frozen=True, slots=True)
class Reverted:
    """A file without what was done to it; None where there is to be no file."""

    state: FileState | None
    is_merged: bool = False


@dataclass(frozen=True, slots=True)
class Collision:
    """Why it cannot be taken back; one sentence without the name of the file."""

    reason: str


def revert(current: FileState | None, alterations: Sequence[Altered]) -> Reverted | Collision:
    """Take alterations back, the last one first."""
    reverted = Reverted(current)
    joined = _joined(alterations)
    for altered in reversed(joined):
        match _taken_back(reverted.state, altered):
            case Reverted() as earlier:
                reverted = Reverted(earlier.state, reverted.is_merged or earlier.is_merged)
            case Collision() as collision:
                return collision
    after = joined[-1].after if joined else None
    if _is_protected_since(current, after) and not is_same(current, reverted.state):
        return Collision("it is read-only now; make it writable first")
    return reverted


def is_same(one: FileState | None, other: FileState | None) -> bool:
    """Whether two states hold the same; permissions apart, which tools do not always know."""
    if one is None or other is None:
        return one is other
    return one.is_link == other.is_link and one.content == other.content


def _joined(alterations: Sequence[Altered]) -> list[Altered]:
    """Make one of alterations that follow on each other: their own changes must not collide."""
    joined = list[Altered]()
    for altered in alterations:
        if joined and is_same(joined[-1].after, altered.before):
            joined[-1] = replace(joined[-1], after=altered.after)
        else:
            joined.append(altered)
    return joined


def _taken_back(state: FileState | None, altered: Altered) -> Reverted | Collision:
    if is_same(altered.before, altered.after):
        return _with_permissions(state, altered)
    if is_same(state, altered.after):
        return Reverted(_as_permitted(altered.before, state, altered.after))
    if is_same(state, altered.before):
        return _with_permissions(state, altered)  # A restore may have been cut off between the two.
    if state is None:
        # The user has deleted what the agent made or changed: it stays deleted.
        return Reverted(None) if altered.before is None else Collision("you deleted it since")
    if altered.before is None:
        return Collision("it was made by the agent and changed by you since")
    if altered.after is None:
        return Collision("it was deleted by the agent and made again by you since")
    return _merged(state, altered.before, altered.after)


def _is_protected_since(state: FileState | None, after: FileState | None) -> bool:
    return state is not None and state.is_read_only and after is not None and not after.is_read_only


def _as_permitted(wanted: FileState | None, state: FileState | None, after: FileState | None) -> FileState | None:
    """What is to be there, with the permissions that the user gave it since, if they did."""
    if wanted is None or state is None or after is None or wanted.is_link or state.is_link:
        return wanted
    return wanted if state.permissions == after.permissions else replace(wanted, permissions=state.permissions)


def _with_permissions(state: FileState | None, altered: Altered) -> Reverted:
    before, after = altered.before, altered.after
    if state and before and after and state.permissions == after.permissions:
        return Reverted(replace(state, permissions=before.permissions))
    return Reverted(state)


def _merged(state: FileState, before: FileState, after: FileState) -> Reverted | Collision:
    texts = [None if side.is_link else decode(side.content) for side in (state, before, after)]
    current, base, theirs = texts[0], texts[2], texts[1]
    if current is None or base is None or theirs is None:
        return Collision("it is no text, and has changed since")
    merged = merge(base.text, current.text, theirs.text)
    if not merged.is_clean:
        return Collision("you changed the same lines since")
    try:
        content = encode(merged.text, current.encoding)
    except FileProblem:
        return Collision(f"its text of then cannot be written as {current.encoding}")
    return Reverted(_as_permitted(replace(before, content=content), state, after), is_merged=True)
