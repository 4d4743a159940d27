"""How a model is told in what its text differs from the file."""

import pytest

from agent_lsp.tools.matching.differences import first_difference

DIFFERENCES = {
    "a tab for blanks": (["a", "    b"], ["a", "\tb"], "Line 8 of the file is '    b', not '\\tb'."),
    "a no-break space": (["a\u00a0b"], ["a b"], "Line 7 of the file is 'a\\xa0b', not 'a b'."),
    "a character without width": (["a\u200bb"], ["ab"], "Line 7 of the file is 'a\\u200bb', not 'ab'."),
    "combining characters": (["\u00e9"], ["e\u0301"], "Line 7 of the file is '\\xe9', not 'e\\u0301'."),
    "other scripts": (["\u65e5"], ["\u672c"], "Line 7 of the file is '\u65e5', not '\u672c'."),
    "trailing blanks are none": (["a ", "b"], ["a", "c"], "Line 8 of the file is 'b', not 'c'."),
    "the end of the file": (["a"], ["a", "b"], "The file ends there."),
    "none": (["a"], ["a "], ""),
    "far into a long line": (
        ["x" * 5000 + "a" + "y" * 90],
        ["x" * 5000 + "b"],
        f"Line 7 of the file is ...'{'x' * 30}a{'y' * 49}'..., not ...'{'x' * 30}b'.",
    ),
}


@pytest.mark.parametrize(("found", "wanted", "told"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_first_line_that_differs_is_spelled_out(found: list[str], wanted: list[str], told: str) -> None:
    assert first_difference(found, wanted, 6) == told
