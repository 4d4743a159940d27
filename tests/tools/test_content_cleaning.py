"""What write_to_file takes off a content, and what it leaves alone."""

import pytest

from agent_lsp.tools.matching.cleaning import cleaned_content, written_over

CLEANED = {
    "plain": ("a.py", "a\nb\n", "a\nb\n"),
    "empty": ("a.py", "", ""),
    "a fence": ("a.py", "```\na\n```\n", "a\n"),
    "a fence with a language": ("a.py", "```python\na\n```", "a\n"),
    "a fence of tildes": ("a.py", "~~~\na\n~~~\n", "a\n"),
    "a fence amid blank lines": ("a.py", "\n```py\na\n```\n\n", "a\n"),
    "a fence around a fence": ("a.md", "````md\n```\na\n```\n````\n", "```\na\n```\n"),
    "a fence around an equal one": ("a.md", "```md\n# t\n```py\na\n```\n```\n", "# t\n```py\na\n```\n"),
    "a fence of nothing": ("a.py", "```\n```\n", ""),
    "text before the fence": ("a.py", "x\n```\na\n```\n", "x\n```\na\n```\n"),
    "text behind the fence": ("a.py", "```\na\n```\nx\n", "```\na\n```\nx\n"),
    "two fences": ("a.txt", "```\na\n```\nx\n```\nb\n```\n", "```\na\n```\nx\n```\nb\n```\n"),
    "a lone fence of code in Markdown": ("a.MD", "```py\na\n```\n", "```py\na\n```\n"),
    "a fence without an end": ("a.py", "```\na\n", "```\na\n"),
    "line numbers": ("a.py", "1 | a\n2 |\n 3 |  b\n", "a\n\n b\n"),
    "line numbers, no final newline": ("a.py", "1 | a\n2 | b", "a\nb"),
    "line numbers in a fence": ("a.py", "```\n1 | a\n```\n", "a\n"),
    "line numbers of a part of a file": ("a.py", " 9 | a\n10 |   b\n11 | c\n", "a\n  b\nc\n"),
    "numbers that leave some out": ("a.txt", "1 | a\n3 | b\n", "1 | a\n3 | b\n"),
    "a lone numbered line": ("a.txt", "7 | a\n", "7 | a\n"),
    "not every line numbered": ("a.py", "1 | a\nb\n", "1 | a\nb\n"),
    "a table of years": ("a.txt", "2020 | a\n2021 | b\n", "2020 | a\n2021 | b\n"),
    "CR LF": ("a.py", "1 | a\r\n2 | b\r\n", "a\nb\n"),
}


@pytest.mark.parametrize(("path", "content", "cleaned"), CLEANED.values(), ids=CLEANED)
def test_content_is_cleaned_of_what_wraps_all_of_it(path: str, content: str, cleaned: str) -> None:
    assert cleaned_content(content, path) == cleaned


def test_content_takes_the_endings_of_the_file() -> None:
    assert written_over("a\r\nb\r\n", "x\ny\n") == "x\r\ny\r\n"
