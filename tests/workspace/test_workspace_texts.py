import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from workspace_texts import pairs

from agent_lsp.domain.errors import FileProblem
from agent_lsp.workspace.texts import (
    SPOILED,
    Decoded,
    decode,
    encode,
    has_even_endings,
    split_lines,
    usual_ending,
    with_endings_of,
)

CONTENTS = {
    "empty": (b"", Decoded("", "utf-8")),
    "ascii": (b"a\n", Decoded("a\n", "utf-8")),
    "utf-8": ("ü€😀\n".encode(), Decoded("ü€😀\n", "utf-8")),
    "utf-8 with a mark": (b"\xef\xbb\xbfa\n", Decoded("a\n", "utf-8-sig")),
    "only a mark": (b"\xef\xbb\xbf", Decoded("", "utf-8-sig")),
    "utf-16, little end first": (b"\xff\xfej\x00a\x00\n\x00", Decoded("ja\n", "utf-16")),
    "utf-16, big end first": (b"\xfe\xff\x00j\x00a", Decoded("ja", "utf-16-be")),
    "latin-1": (b"bl\xe9\n", Decoded("blé\n", "latin-1")),
    "stray bytes in utf-8": (b"\xc3\xbc \xff\xfe\n", Decoded("Ã¼ ÿþ\n", "latin-1")),
    "as many stray bytes in utf-8": (b"\xc3\xbc \xff\n", Decoded("ü \udcff\n", SPOILED)),
    "few stray bytes in utf-8": ("üé".encode() + b" \xff\n", Decoded("üé \udcff\n", SPOILED)),
    "few stray bytes behind a mark": (b"\xef\xbb\xbf" + "ü".encode() + b"\xff", Decoded("\ufeffü\udcff", SPOILED)),
    "a mark in front of latin-1": (b"\xef\xbb\xbfbl\xe9", Decoded("ï»¿blé", "latin-1")),
    "half a utf-16": (b"\xff\xfea\x00b", None),
    "odd marked bytes": (b"\xff\xfeabc", Decoded("ÿþabc", "latin-1")),
    "nul": (b"a\x00b", None),
    "nul far behind": (b"a" * 100_000 + b"\x00", None),
    "utf-32": (b"\xff\xfe\x00\x00a\x00\x00\x00", None),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", None),
}


@pytest.mark.parametrize(("content", "expected"), CONTENTS.values(), ids=CONTENTS)
def test_content_is_decoded_by_its_mark_or_its_bytes(content: bytes, expected: Decoded | None) -> None:
    assert decode(content) == expected


@given(st.one_of(st.binary(), st.text().map(lambda text: text.encode("utf-16")), st.text().map(str.encode)))
def test_decoded_bytes_encode_to_themselves(content: bytes) -> None:
    decoded = decode(content)

    assert decoded is None or encode(decoded.text, decoded.encoding) == content


@pytest.mark.parametrize(
    ("text", "encoding"), [("a€", "latin-1"), ("\ud800", "utf-8"), ("\udfff", "utf-16"), ("\ud800", SPOILED)]
)
def test_what_an_encoding_cannot_hold_is_refused_by_name(text: str, encoding: str) -> None:
    with pytest.raises(FileProblem, match=rf"encoded as {encoding}, which cannot hold '\\"):
        encode(text, encoding)


LINES = {
    "empty": ("", []),
    "ended": ("a\nb\n", ["a\n", "b\n"]),
    "not ended": ("a\nb", ["a\n", "b"]),
    "only an ending": ("\n", ["\n"]),
    "carriage return and line feed": ("a\r\nb", ["a\r\n", "b"]),
    "a lone carriage return is text": ("a\rb\n", ["a\rb\n"]),
    "other separators are text": ("a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\n", ["a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\n"]),
}


@pytest.mark.parametrize(("text", "lines"), LINES.values(), ids=LINES)
def test_lines_end_at_line_feeds_alone(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@given(st.text(alphabet="a\r\n\x0c"))
def test_lines_joined_are_the_text(text: str) -> None:
    assert "".join(split_lines(text)) == text


@pytest.mark.parametrize(
    ("text", "ending"),
    [("", "\n"), ("a", "\n"), ("a\nb\r\n", "\n"), ("a\r\n", "\r\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\rb\r", "\n")],
)
def test_usual_ending_is_what_most_lines_have(text: str, ending: str) -> None:
    assert usual_ending(text) == ending


@pytest.mark.parametrize(
    ("text", "is_even"),
    [("", True), ("a\nb", True), ("a\r\nb\r\n", True), ("a\r\nb\n", False), ("a\rb\n", False), ("a\r\r\n", False)],
)
def test_even_endings_are_of_one_kind(text: str, is_even: bool) -> None:
    assert has_even_endings(text) is is_even


ENDINGS = {
    "new lines take the usual ending": ("a\r\nb\r\n", "a\nnew\nb\n", "a\r\nnew\r\nb\r\n"),
    "returns in the new text are no text": ("a\nb\n", "a\r\nnew\r\nb\r\n", "a\nnew\nb\n"),
    "kept lines keep their own": ("a\nb\r\nc\r\n", "a\nb\nnew\nc\n", "a\nb\r\nnew\r\nc\r\n"),
    "the last line stays without": ("a\r\nb", "a\nc", "a\r\nc"),
    "a last line that goes on gets the usual": ("a\r\nb\r\nc\n", "a\nb\nc\nd", "a\r\nb\r\nc\nd"),
    "of equal lines the first is gone, with its ending": ("a\r\na\n", "a\n", "a\n"),
    "of equal lines one in the middle is gone": ("b\r\nx\nb\nb\r\ny\r\n", "b\r\nx\nb\r\ny\r\n", "b\r\nx\nb\r\ny\r\n"),
    "endings that were evened out come back": ("a\r\na\nb\r\n", "a\na\nnew\nb\n", "a\r\na\nnew\r\nb\r\n"),
    "new lines among mixed ones stay": ("a\nb\r\n", "a\nnew\r\nb\r\n", "a\nnew\r\nb\r\n"),
    "a text of one line says nothing": ("a", "a\r\nb\n", "a\r\nb\n"),
    "a lone return is text": ("a\n", "a\rb\n", "a\rb\n"),
}


@pytest.mark.parametrize(("before", "after", "expected"), ENDINGS.values(), ids=ENDINGS)
def test_endings_follow_the_file(before: str, after: str, expected: str) -> None:
    assert with_endings_of(before, after) == expected


MIXED_LINES = st.lists(st.sampled_from(["a\n", "a\r\n", "b\n", "b\r\n"]), max_size=8)


@given(head=MIXED_LINES, old=MIXED_LINES, new=MIXED_LINES, tail=MIXED_LINES)
def test_lines_around_a_change_keep_their_mixed_endings(
    head: list[str], old: list[str], new: list[str], tail: list[str]
) -> None:
    after = [*head, *new, *tail]
    assume(len({line[1:] for line in after}) > 1)

    fitted = with_endings_of("".join([*head, *old, *tail]), "".join(after)).splitlines(keepends=True)

    assert fitted[: len(head)] + fitted[len(head) + len(new) :] == head + tail


@given(pairs())
def test_endings_change_nothing_but_endings(pair: tuple[str, str]) -> None:
    before, after = pair

    fitted = with_endings_of(before, after)

    assert fitted.replace("\r\n", "\n") == after.replace("\r\n", "\n")
    assert with_endings_of(before, before) == before
