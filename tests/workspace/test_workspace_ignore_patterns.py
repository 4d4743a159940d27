import re
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec
from pathspec.pattern import RegexPattern

from agent_lsp.workspace.ignore import IgnoreRules
from agent_lsp.workspace.ignore_patterns import in_linear_time
from support.timing import cpu_seconds

PIECES = st.sampled_from(
    [
        "a",
        "b",
        "*",
        "?",
        "/",
        "**/",
        "/**/",
        "[ab]",
        "[!a]",
        "[]a]",
        "[!]a]",
        "[!-a]",
        "[*]",
        "\\*",
        ".",
        "**",
        "/**",
        "!",
    ]
)
PATTERNS = st.lists(PIECES, min_size=1, max_size=9).map("".join)
NAMES = st.text("aab*.", min_size=1, max_size=5)
PATHS = st.tuples(st.lists(NAMES, min_size=1, max_size=5).map("/".join), st.sampled_from(["", "/"])).map("".join)


def expression(line: str) -> str | None:
    (pattern,) = GitIgnoreSpec.from_lines([line]).patterns
    assert isinstance(pattern, RegexPattern)
    regex = cast("re.Pattern[str] | None", pattern.regex)  # The library leaves open of what.
    return regex.pattern if regex else None


@given(PATTERNS, PATHS)
def test_a_pattern_matches_what_it_matched(line: str, path: str) -> None:
    try:
        given_expression = expression(line)
    except ValueError:
        return
    if given_expression is None:
        return

    # A class that excludes some characters means the slash to the library, and does not to git.
    before = re.match(re.sub(r"\[(?=\^)(?!\^/\])", "(?!/)[", given_expression), path)
    after = re.match(in_linear_time(given_expression), path)

    assert bool(after) == bool(before)
    assert before is None or after is None or after.groupdict() == before.groupdict()


HOSTILE = {
    "stars": ("*a" * 12 + "*b", "a" * 250),
    "stars and single characters": ("*?a" * 8 + "*b", "a" * 250),
    "stars and classes": ("*[ab]" * 8 + "*c", "a" * 250),
    "any depth": ("**/a" * 12 + "/b", "a/" * 1_900 + "a"),
    "stars at any depth": ("**/*a*a*a" * 6 + "/b", ("a" * 200 + "/") * 15 + "a"),
}


@pytest.mark.parametrize(("line", "path"), HOSTILE.values(), ids=HOSTILE)
def test_no_pattern_takes_long_on_any_path(line: str, path: str) -> None:
    rules = IgnoreRules([line])
    plain = IgnoreRules(["*.pyc"])

    assert rules.decide(path) is None
    # It would have been more than all the time there is.
    assert cpu_seconds(lambda: rules.decide(path)) < 0.001 + 1_000 * cpu_seconds(lambda: plain.decide(path))


@pytest.mark.parametrize(("path", "is_ignored"), [("axb", True), ("a/b", None), ("a-b", True)])
def test_a_class_means_no_slash(path: str, is_ignored: bool | None) -> None:
    assert IgnoreRules(["a[!c]b"]).decide(path) is is_ignored
