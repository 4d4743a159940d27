import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspace_texts import pairs, texts

from agent_lsp.workspace.merge import Collision, Merged, merge

CLEAN = {
    "other lines": ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
    "the same change": ("a\nb\n", "a\nB\n", "a\nB\n", "a\nB\n"),
    "the same change and another": ("a\nb\nc\nd\n", "A\nb\nc\nd\n", "A\nb\nc\nD\n", "A\nb\nc\nD\n"),
    "put in and dropped": ("a\nb\nc\nd\n", "new\na\nb\nc\nd\n", "a\nb\nd\n", "new\na\nb\nd\n"),
    "at both ends": ("a\n", "first\na\n", "a\nlast\n", "first\na\nlast\n"),
    "newline lost and a line changed": ("a\nb\nc\n", "a\nb\nc", "A\nb\nc\n", "A\nb\nc"),
    "put in below a changed line": ("a\nb\nc\n", "a\nb\nnew\nc\n", "a\nB\nc\n", "a\nB\nnew\nc\n"),
    "put in above a changed line": ("a\nb\nc\n", "a\nnew\nb\nc\n", "a\nB\nc\n", "a\nnew\nB\nc\n"),
    "put in on both sides of a changed line": ("a\nb\nc\n", "a\n1\nb\n2\nc\n", "a\nB\nc\n", "a\n1\nB\n2\nc\n"),
    "put in below a dropped line": ("a\nb\nc\n", "a\nb\nnew\nc\n", "a\nc\n", "a\nnew\nc\n"),
    "put in below the last line": ("a\nb\n", "a\nb\nnew", "a\nB\n", "a\nB\nnew"),
    "put in where all is dropped": ("a\n", "a\nnew", "", "new"),
    "longer and shorter": ("a\nb\nc\nd\ne\n", "1\n2\nb\nc\nd\ne\n", "a\nb\ne\n", "1\n2\nb\ne\n"),
}


@pytest.mark.parametrize(("base", "ours", "theirs", "text"), CLEAN.values(), ids=CLEAN)
def test_changes_of_other_lines_are_joined(base: str, ours: str, theirs: str, text: str) -> None:
    assert merge(base, ours, theirs) == Merged(text)


COLLIDING = {
    "one line": ("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", Collision(2, ("b\n",), ("X\n",), ("Y\n",))),
    "dropped and changed": ("a\nb\nc\n", "a\nc\n", "a\nY\nc\n", Collision(2, ("b\n",), (), ("Y\n",))),
    "neighbours": ("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", Collision(1, ("a\n", "b\n"), ("A\n", "b\n"), ("a\n", "B\n"))),
    "put in at one place": ("a\nb\n", "a\nX\nb\n", "a\nY\nb\n", Collision(2, (), ("X\n",), ("Y\n",))),
    "put in within changed lines": (
        "a\nb\nc\nd\n",
        "a\nb\nnew\nc\nd\n",
        "a\nB\nC\nd\n",
        Collision(2, ("b\n", "c\n"), ("b\n", "new\n", "c\n"), ("B\n", "C\n")),
    ),
    "put in below a line that is no longer ended": (
        "a\nb\n",
        "a\nb\nnew\n",
        "a\nB",
        Collision(2, ("b\n",), ("b\n", "new\n"), ("B",)),
    ),
    "an empty base": ("", "X\n", "Y\n", Collision(1, (), ("X\n",), ("Y\n",))),
}


@pytest.mark.parametrize(("base", "ours", "theirs", "collision"), COLLIDING.values(), ids=COLLIDING)
def test_changes_that_touch_collide_and_leave_ours(base: str, ours: str, theirs: str, collision: Collision) -> None:
    assert merge(base, ours, theirs) == Merged(ours, (collision,))


@given(pairs())
def test_a_side_that_changed_nothing_gives_way(pair: tuple[str, str]) -> None:
    base, changed = pair

    assert merge(base, base, changed) == merge(base, changed, base) == merge(base, changed, changed) == Merged(changed)


@given(texts(), texts(), texts())
def test_sides_may_change_places(base: str, ours: str, theirs: str) -> None:
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)

    assert one.is_clean == other.is_clean
    assert not one.is_clean or one.text == other.text


@given(st.data())
def test_edits_apart_from_each_other_are_both_kept(data: st.DataObject) -> None:
    size = data.draw(st.integers(3, 30))
    base = [f"{number}\n" for number in range(size)]
    ours, theirs, both = list(base), list(base), list(base)
    at = data.draw(st.integers(0, 2))
    while at < size:
        line = data.draw(st.sampled_from([[], [f"{base[at]}more\n"], [f"x{at}\n"]]))
        side = data.draw(st.sampled_from([ours, theirs]))
        side[at], both[at] = "".join(line), "".join(line)
        # A line that nobody touches lies between any two edits.
        at += data.draw(st.integers(2, 5))

    merged = merge("".join(base), "".join(ours), "".join(theirs))

    assert merged == Merged("".join(both))


@given(st.data())
def test_lines_put_in_next_to_changed_ones_are_kept_in_their_place(data: st.DataObject) -> None:
    base, ours, theirs, both = list[str](), list[str](), list[str](), list[str]()
    typed = st.lists(st.sampled_from(["typed 1\n", "typed 2\n"]), max_size=2)
    for number in range(data.draw(st.integers(1, 8))):
        line, apart, above, below = f"{number}\n", f"apart {number}\n", data.draw(typed), data.draw(typed)
        changed = data.draw(st.sampled_from(["", f"changed {number}\n", f"changed {number}\nand more\n"]))
        base += [line, apart]
        ours += [*above, line, *below, apart]
        theirs += [changed, apart]
        both += [*above, changed, *below, apart]

    merged = merge("".join(base), "".join(ours), "".join(theirs))

    assert merged == Merged("".join(both))
