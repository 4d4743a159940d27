"""Texts for properties: few different lines, so that repeats, moves and near misses are common."""

from hypothesis import strategies as st

LINES = st.sampled_from(["", "a", "b", "c", "    return x", "}", "\ta\r", "é\u2028ü", "\x0c"])


@st.composite
def texts(draw: st.DrawFn, ending: str = "\n") -> str:
    lines = draw(st.lists(LINES, max_size=12))
    is_ended = draw(st.booleans())
    return ending.join(lines) + (ending if is_ended and lines else "")


@st.composite
def edited_texts(draw: st.DrawFn, text: str) -> str:
    """A text some of whose lines are dropped, replaced, doubled or preceded by others."""
    result = list[str]()
    for line in text.split("\n"):
        match draw(st.sampled_from(["keep", "keep", "keep", "drop", "put", "replace"])):
            case "drop":
                pass
            case "put":
                result += [draw(LINES), line]
            case "replace":
                result.append(draw(LINES))
            case _:
                result.append(line)
    return "\n".join(result)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and what became of it."""
    before = draw(texts())
    return before, draw(st.one_of(texts(), edited_texts(before)))
