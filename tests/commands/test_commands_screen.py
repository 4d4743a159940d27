import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.workspace.commands_screen import LINE_LIMIT, ScreenText

CASES = {
    "plain lines stay": ("a\nb\n", "a\nb\n"),
    "an unfinished line is given at the end": ("a\nb", "a\nb"),
    "blank lines stay": ("\n\na\n\n", "\n\na\n\n"),
    "CR LF is a line end": ("a\r\nb\r\n", "a\nb\n"),
    "a carriage return overwrites": ("10%\r20%\r100%\n", "100%\n"),
    "what is not overwritten stays": ("abcdef\rXY\n", "XYcdef\n"),
    "a carriage return at the end changes nothing": ("done\r", "done"),
    "a progress bar that erases its line": ("long text\r\x1b[Kshort\n", "short\n"),
    "erase the whole line": ("long text\x1b[2K\rshort\n", "short\n"),
    "erase to the cursor": ("abc\x1b[2D\x1b[1Kx\n", " xc\n"),
    "backspace overwrites": ("ab\b\bcd\n", "cd\n"),
    "overstruck bold of man pages": ("N\bNA\bAM\bM\n", "NAM\n"),
    "backspace stops at the line's start": ("a\b\b\bb\n", "b\n"),
    "colours go": ("\x1b[1;31mred\x1b[0m text\n", "red text\n"),
    "private modes go": ("\x1b[?25lx\x1b[?25h\n", "x\n"),
    "cursor to a column": ("abc\x1b[2GX\n", "aXc\n"),
    "cursor to the right fills with blanks": ("a\x1b[3Cb\n", "a   b\n"),
    "characters are deleted": ("abcdef\r\x1b[2Px\n", "xdef\n"),
    "a title ended by BEL": ("\x1b]0;title\x07text\n", "text\n"),
    "a link ended by ST": ("\x1b]8;;http://x.test\x1b\\name\x1b]8;;\x1b\\\n", "name\n"),
    "a device string": ("\x1bPq#0;2;0;0;0\x1b\\text\n", "text\n"),
    "a string cut off by CAN": ("\x1b]0;never ended\x18text\n", "text\n"),
    "the choice of a character set": ("\x1b(Btext\n", "text\n"),
    "a save of the cursor": ("\x1b7text\x1b8\n", "text\n"),
    "C1 controls": ("\x9b31mred\x9d0;title\x9c\n", "red\n"),
    "a control character breaks a sequence off": ("\x1b[3\nx\n", "\nx\n"),
    "an escape before a newline": ("\x1b\nx", "\nx"),
    "bells, form feeds and DEL go": ("a\x07\x0c\x7fb\n", "ab\n"),
    "NUL is made visible": ("a\0b\0", "a␀b␀"),
    "tabs stay": ("a\tb\n", "a\tb\n"),
    "letters of other scripts stay": ("naïve 語 🙂\n", "naïve 語 🙂\n"),
    "lines above are not gone back to": ("one\n\x1b[1Atwo\n", "one\ntwo\n"),
    "a sequence without an end gives nothing": ("text\x1b[12", "text"),
}


def resolve(*pieces: str) -> str:
    screen = ScreenText()
    whole = [screen.feed(piece) for piece in pieces]
    return "".join([*whole, screen.finish()])


@pytest.mark.parametrize(("output", "shown"), CASES.values(), ids=CASES)
def test_output_is_shown_as_a_terminal_would(output, shown):
    assert resolve(output) == shown


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(("output", "shown"), CASES.values(), ids=CASES)
def test_pieces_of_any_size_show_the_same(output, shown, size):
    pieces = [output[start : start + size] for start in range(0, len(output), size)]

    assert resolve(*pieces) == shown


@given(st.lists(st.text(st.sampled_from("ab\r\n\b\x1b[0;]K2mGDP\\\x07\x9b\x9c\x00\t语"), max_size=12)))
def test_where_the_pieces_are_cut_never_matters(pieces):
    assert resolve(*pieces) == resolve("".join(pieces))


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.just("\n")))
def test_plain_text_comes_out_as_it_went_in(text):
    assert resolve(text) == text


def test_a_line_without_end_is_given_back_in_parts():
    screen = ScreenText()

    given_back = sum(len(screen.feed("x" * 1000)) for _ in range(200))

    assert given_back + len(screen.unfinished) == 200_000
    assert len(screen.unfinished) <= LINE_LIMIT


def test_a_column_far_away_is_not_gone_to():
    screen = ScreenText()

    screen.feed("\x1b[999999999Gx\x1b[" + "9" * 9999 + "Cy")

    assert screen.unfinished == " " * 500 + "xy"


def test_a_line_is_steady_until_the_cursor_moves_in_it():
    screen = ScreenText()
    steady = [screen.feed(piece) and screen.is_steady for piece in ("a\nb", "\n10%\r", "done\nc")]

    assert steady == [True, False, True]
