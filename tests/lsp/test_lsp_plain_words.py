"""What a client without a plugin is told in words: keys that are really bound, and Markdown as plain text."""

import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_lsp_waiting import command, propose

from agent_lsp.headless.helix_config_parts import FIRST_WITH_ARGUMENTS, Helix, merged_config
from agent_lsp.lsp.plain.prose import plain
from agent_lsp.lsp.plain.ways import BY_HELIX_KEYS, BY_NAME, HELIX_KEYS
from support.front_door import front_door
from support.lsp_client import Json
from support.timing import cpu_seconds


@pytest.mark.parametrize("command", HELIX_KEYS)
def test_keys_that_are_told_are_those_that_are_bound(command: str) -> None:
    made = merged_config("", Helix(FIRST_WITH_ARGUMENTS, {})).text
    bound: dict[str, Any] = tomllib.loads(made)["keys"]["normal"]["space"]["A"]  # Any: what TOML has.

    assert [key for key in HELIX_KEYS[command] if command not in str(bound[key])] == []


def test_command_is_told_by_its_keys_else_by_its_name() -> None:
    assert (BY_NAME.marked("agent.approve"), BY_NAME.short("agent.approve")) == ("`agent.approve`", "agent.approve")
    assert BY_HELIX_KEYS.marked("agent.reject") == "`space A x`, `space A X`"
    assert BY_HELIX_KEYS.short("agent.reject") == "space A x, space A X"
    assert BY_HELIX_KEYS.short("agent.clear") == "agent.clear"


@pytest.mark.parametrize(
    ("name", "words"), [("helix", "yes           space A y\n"), ("", "yes           agent.approve\n")]
)
async def test_only_helix_is_told_of_its_keys(tmp_path: Path, name: str, words: str) -> None:
    async with front_door() as door:
        await door.client.initialize(agent=None, name=name)
        door.hall.folder = tmp_path
        propose(door)

        answer = await command(door, "agent.showDiff")

    assert words in shown(answer)


def shown(answer: Json) -> str:
    return Path(urlsplit(answer["uri"]).path).read_text()


PROSE = {
    "emphasis": ("Is **this** *the* **one**?", "Is this the one?"),
    "both at once": ("It is ***here***, (**there**).", "It is here, (there)."),
    "a heading": ("## Which one?\n\nSay.", "Which one?\n\nSay."),
    "a fence": ("Like\n```py\na = 1\n```\nthis?", "Like\na = 1\nthis?"),
    "links": ("See [the docs](https://x.y/z) or [a](a).", "See the docs (https://x.y/z) or a."),
    "code is left": ("Run `make **all**`?", "Run `make **all**`?"),
    "globs": ("src/**/*.py and test/**/*.py, *.md and *.txt", "src/**/*.py and test/**/*.py, *.md and *.txt"),
    "names": ("a_b_c, __init__ and _x", "a_b_c, __init__ and _x"),
    "arithmetic": ("2 * 3 * 4 and 2**3**4", "2 * 3 * 4 and 2**3**4"),
    "a list": ("- one\n- two", "- one\n- two"),
    "quotes within": ('**Rename "a" to `b`?** (*the old*)', 'Rename "a" to `b`? (the old)'),
    "one within another": ("**bold *and* more**", "bold and more"),
    "a link in emphasis": ("**[docs](https://x.y)**", "docs (https://x.y)"),
}
LEFT_AS_IT_IS = [
    'glob "*.py" or "*.js"',
    "glob '*.py' or '*.js'",
    "glob “*.py” or “*.js”",
    'find "x *a" or "b* y"',
    "*.py or *.js, */a or */b*",
    "**/a and **/b**",
    "rm *old and *new",
    "un*frigging*believable",
    "int (*f)(*g), (*args)*",
    "f(*args, **kwargs)",
    "array[i](j)",
    "array[i][j](k), f()[i](j), `a`[i](j), list![i](j)",
    'match "[a-z](b)" or ^[0-9](c)',
]


@pytest.mark.parametrize("text", LEFT_AS_IT_IS)
def test_what_may_be_no_mark_is_left(text: str) -> None:
    assert plain(text) == text


def test_code_in_a_fence_is_left() -> None:
    code = "# all\na[i](j) = *b*, **c**\n~~~\n"

    assert (
        plain(f"# Like\n```py\n{code}```\n# *this*?\n~~~\n{code}")
        == f"Like\n{code}this?\n# all\na[i](j) = *b*, **c**\n"
    )


@given(st.text("*[]()!._/a ", max_size=60))
def test_quoted_words_are_left(words: str) -> None:
    assert plain(f'say "{words}" now') == f'say "{words}" now'


@pytest.mark.parametrize(("text", "expected"), PROSE.values(), ids=PROSE)
def test_markdown_is_shown_without_its_marks(text: str, expected: str) -> None:
    assert plain(text) == expected


@given(st.text("ab \n.,/", max_size=60))
def test_text_without_marks_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


@given(st.text("*_`#[]() a\n", max_size=300))
def test_no_word_is_left_out(text: str) -> None:
    assert plain(text).count("a") == text.count("a") or "```" in text


@pytest.mark.parametrize(
    "piece", ["*a ", '*a "', "“", "'", "`", "(*a ", "[a](", "***a", "~~~\n", "```a\n", '"*a" ', "*a("]
)
def test_long_prose_is_read_in_linear_time(piece: str) -> None:
    short, long = piece * 1_000, piece * 8_000

    assert cpu_seconds(lambda: plain(long)) < 24 * cpu_seconds(lambda: plain(short))
