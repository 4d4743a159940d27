from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_lsp.domain.checkpoints import Altered, FileState
from agent_lsp.workspace.reverting import Collision, Reverted, revert


def text(content: str) -> FileState:
    return FileState(content.encode())


A, B, C = text("1\n2\n3\n4\n5\n"), text("1\nTWO\n3\n4\n5\n"), text("1\nZWEI\n3\n4\n5\n")
BINARY = FileState(b"\0\1")
LINK = FileState(b"there", is_link=True)

CASES = [
    ("untouched since", B, [Altered(A, B)], Reverted(A)),
    ("already as before", A, [Altered(A, B)], Reverted(A)),
    ("the agent's own changes never collide", C, [Altered(A, B), Altered(B, C)], Reverted(A)),
    ("changed and changed back", A, [Altered(A, B), Altered(B, A)], Reverted(A)),
    ("made by the agent", A, [Altered(None, A)], Reverted(None)),
    ("deleted by the agent", None, [Altered(A, None)], Reverted(A)),
    ("made, then deleted by the user", None, [Altered(None, A)], Reverted(None)),
    (
        "made, then changed by the user",
        B,
        [Altered(None, A)],
        Collision("it was made by the agent and changed by you since"),
    ),
    (
        "deleted, then made anew by the user",
        B,
        [Altered(A, None)],
        Collision("it was deleted by the agent and made again by you since"),
    ),
    ("changed, then deleted by the user", None, [Altered(A, B)], Collision("you deleted it since")),
    ("same line changed by the user", C, [Altered(A, B)], Collision("you changed the same lines since")),
    ("binary", BINARY, [Altered(A, BINARY)], Reverted(A)),
    ("binary changed since", BINARY, [Altered(A, FileState(b"\0"))], Collision("it is no text, and has changed since")),
    ("link", LINK, [Altered(A, LINK)], Reverted(A)),
    ("file in place of a link", A, [Altered(LINK, A)], Reverted(LINK)),
    (
        "link changed since",
        LINK,
        [Altered(A, FileState(b"here", is_link=True))],
        Collision("it is no text, and has changed since"),
    ),
]


@pytest.mark.parametrize(
    ("current", "alterations", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_alterations_are_taken_back(
    current: FileState | None, alterations: list[Altered], expected: Reverted | Collision
) -> None:
    assert revert(current, alterations) == expected


def test_lines_of_the_user_stay_before_between_and_after_the_agents() -> None:
    first = Altered(A, B)
    typed = text("0\n1\nTWO\n3\n4\n5\n")
    second = Altered(typed, text("0\n1\nTWO\n3\n4\nFIVE\n"))
    now = text("zero\n0\n1\nTWO\n3\n4\nFIVE\nsix\n")

    assert revert(now, [first, second]) == Reverted(text("zero\n0\n1\n2\n3\n4\n5\nsix\n"), is_merged=True)
    assert revert(text("0\n1\nTWO\n3\n4\nfive\n"), [first, second]) == Collision("you changed the same lines since")


def test_encoding_of_the_file_is_kept_where_both_sides_are_merged() -> None:
    before, after = FileState("ä\nb\nc\nd\n".encode("latin-1")), FileState("Ä\nb\nc\nd\n".encode("latin-1"))

    reverted = revert(FileState("Ä\nb\nc\nd\né\n".encode("latin-1")), [Altered(before, after)])

    assert reverted == Reverted(FileState("ä\nb\nc\nd\né\n".encode("latin-1")), is_merged=True)


def test_permissions_alone_are_taken_back() -> None:
    private, public = FileState(b"x", permissions=0o600), FileState(b"x", permissions=0o644)

    assert revert(public, [Altered(private, public)]) == Reverted(private)
    assert revert(FileState(b"y", permissions=0o644), [Altered(private, public)]) == Reverted(
        FileState(b"y", permissions=0o600)
    )


states = st.one_of(st.none(), st.builds(FileState, st.binary(max_size=5), st.booleans()))


@given(st.lists(states, min_size=1, max_size=6))
def test_without_the_users_hand_in_it_a_file_is_as_it_was_at_first(chain: list[FileState | None]) -> None:
    alterations = [Altered(before, after) for before, after in pairwise(chain)]

    assert revert(chain[-1], alterations) == Reverted(chain[0])


lines = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4)


@given(lines, lines, lines)
def test_lines_that_the_user_adds_elsewhere_are_never_lost(
    before: list[str], after: list[str], typed: list[str]
) -> None:
    fence, words = ["-" * 9, "=" * 9], [f"user {line}" for line in typed]
    base, changed = text("\n".join([*before, *fence, ""])), text("\n".join([*after, *fence, ""]))
    now = text("\n".join([*after, *fence, *words, ""]))

    reverted = revert(now, [Altered(base, changed)])

    assert isinstance(reverted, Reverted)
    assert reverted.state == text("\n".join([*before, *fence, *words, ""]))


MARKS = "①②③④⑤⑥⑦⑧"
"""What the user types; nobody else does."""


@settings(max_examples=150)
@given(st.randoms(use_true_random=False))
def test_no_character_of_the_user_is_lost_however_often_both_take_turns(chance: Random) -> None:
    now, alterations, marks = "".join(f"line {number}\n" for number in range(30)), list[Altered](), list[str]()
    for turn in range(chance.randint(1, 8)):
        if chance.random() < 0.5:
            at = chance.randint(0, len(now))
            marks.append(MARKS[turn])
            now = now[:at] + marks[-1] + now[at:]
        edited = edited_by_agent(now, turn, chance)
        alterations.append(Altered(text(now), text(edited)))
        now = edited

    reverted = revert(text(now), alterations)

    left = now if isinstance(reverted, Collision) else (reverted.state or text("")).content.decode()
    assert [mark for mark in marks if left.count(mark) != 1] == []
    assert isinstance(reverted, Collision) or "agent" not in left


def edited_by_agent(now: str, turn: int, chance: Random) -> str:
    """Put in, replace or drop a line that the user has not touched."""
    rows = now.splitlines(keepends=True)
    at = chance.choice([at for at, row in enumerate(rows) if not set(MARKS) & set(row)])
    rows[at : at + chance.randint(0, 1)] = [f"agent {turn}\n"] * chance.randint(0, 2)
    return "".join(rows)
