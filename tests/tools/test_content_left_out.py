"""Which contents are refused because a comment in them stands for lines of the file, and which are not."""

import pytest

from agent_lsp.tools.matching.left_out import refuse_left_out
from agent_lsp.tools.matching.revision import Refusal

BEFORE = "".join(f"line {number}\n" for number in range(20)) + "# ... rest of the code ...\n"

LEFT_OUT = [
    "// ... existing code ...",
    "# ... rest of the file unchanged",
    "    # \u2026 the rest of the function",
    "// ... (rest of the code remains the same)",
    "/* ... existing styles ... */",
    "<!-- ... rest of the page ... -->",
    "{/* ... other components ... */}",
    "-- ... previous migrations ...",
    "// Rest of the code remains unchanged",
    "# The rest of your implementation stays the same.",
    "// [rest of file as before]",
    "// ...existing code...",
]


@pytest.mark.parametrize("line", LEFT_OUT)
def test_comment_that_stands_for_lines_is_refused_by_its_line(line: str) -> None:
    with pytest.raises(Refusal, match=r"Line 2 of content .* apply_diff"):
        refuse_left_out(BEFORE, f"new\n{line}\nend\n")


PLAIN = [
    "# ...",
    "# Loading existing users...",
    "# Restore the rest of the state",
    "// the rest of the arguments are optional",
    "The rest of the file stays unchanged...",
    "foo(...existing)",
    "print('... existing code ...')",
    "const all = [...existing, item] // ... and more",
    "# ... rest of the code ...",
]


@pytest.mark.parametrize("line", PLAIN)
def test_other_text_and_comments_of_the_file_itself_are_let_pass(line: str) -> None:
    refuse_left_out(BEFORE, f"new\n{line}\nend\n")


@pytest.mark.parametrize("before", ["", "one\ntwo\n"])
def test_content_that_makes_a_file_no_shorter_is_let_pass(before: str) -> None:
    refuse_left_out(before, "one\n// ... existing code ...\ntwo\n")
