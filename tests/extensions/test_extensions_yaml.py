"""YAML as people write it for agents is read as it is meant, and what is not understood is refused by its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.extensions.yaml_text import NotYaml, read_yaml
from support.timing import cpu_seconds

ROOMODES = """\
customModes:
  - slug: test
    name: 🧪 Test
    roleDefinition: >-
      You test, with expertise in:

      - Writing tests
      Your focus is on
      keeping them.
    whenToUse: Use this: always   # and always
    groups:
      - read
      - - edit
        - fileRegex: (__tests__/.*|\\.test\\.(ts|tsx)$)
          description: Tests, and mocks
    customInstructions: |
      When writing:
      # not a comment

        deep
  - slug: "x"
    groups: [read, [edit, {fileRegex: "\\\\.md$", description: Markdown}], command]
    source: project
"""


def test_file_of_modes_is_read_whole() -> None:
    assert read_yaml(ROOMODES) == {
        "customModes": [
            {
                "slug": "test",
                "name": "🧪 Test",
                "roleDefinition": "You test, with expertise in:\n- Writing tests Your focus is on keeping them.",
                "whenToUse": "Use this: always",
                "groups": [
                    "read",
                    ["edit", {"fileRegex": "(__tests__/.*|\\.test\\.(ts|tsx)$)", "description": "Tests, and mocks"}],
                ],
                "customInstructions": "When writing:\n# not a comment\n\n  deep\n",
            },
            {
                "slug": "x",
                "groups": ["read", ["edit", {"fileRegex": "\\.md$", "description": "Markdown"}], "command"],
                "source": "project",
            },
        ]
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("---\na: 1\n...\n", {"a": 1}),
        ("a: -2.5\nb: true\nc: null\nd:\ne: ~\nf: no", {"a": -2.5, "b": True, "c": None, "d": None, "e": None, "f": "no"}),
        ("a: http://x:80/y#z", {"a": "http://x:80/y#z"}),
        ("a: 'it''s'\nb: \"q\\n\\u00e9\\x41 #x\" # c", {"a": "it's", "b": "q\né" + "A #x"}),
        ("a: one\n  two\n\n  three", {"a": "one two\nthree"}),
        ('a: "one\n  two\n\n  three"', {"a": "one two\nthree"}),
        ('a: "one \\\n  two"', {"a": "one two"}),
        ("- a\n- b: c\n  d: e\n-\n  f: g\n- - h\n  - i", ["a", {"b": "c", "d": "e"}, {"f": "g"}, ["h", "i"]]),
        ("a:\n- 1\n- 2\nb: 3", {"a": [1, 2], "b": 3}),
        ("a: [1, [x y, 'z, w'], {k: v, l}]\nb: []\nc: {}", {"a": [1, ["x y", "z, w"], {"k": "v", "l": None}], "b": [], "c": {}}),
        ("a: {x: 1,\n  y: [2,\n 3]}", {"a": {"x": 1, "y": [2, 3]}}),
        ("a: |\n  x\n   y\n\nb: |-\n  z\n\nc: |+\n  w\n\n", {"a": "x\n y\n", "b": "z", "c": "w\n\n"}),
        ("a: >\n  x\n  y\n\n  z\n    code\n  w", {"a": "x y\nz\n  code\nw\n"}),
        ("a: |2\n    x\n  y", {"a": "  x\ny\n"}),
        ('"a: b": c\n\'d\' : e\nf g: h', {"a: b": "c", "d": "e", "f g": "h"}),
        ("a: b: c", {"a": "b: c"}),
        ("a: b\t", {"a": "b"}),
    ],
)  # fmt: skip
def test_text_means_what_people_mean_by_it(text: str, value: object) -> None:
    assert read_yaml(text) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\na: 2", "line 2: `a` stands there twice"),
        ("a: b\n  c: d", "line 2: it stands too far in"),
        ("a: 1\n\tb: 2", "line 2: it is indented with a tab; blanks are needed"),
        ("a: [1, 2\n", "line 1: a closing bracket is missing"),
        ('a: "x\nb: 3', "line 1: a closing quote is missing"),
        ("a: [1 'x' y: 2]", "line 1: a comma or `]` is missing before `: 2]`"),
        ("a: *b", "line 1: anchors, aliases and tags are not understood here"),
        ("a: !!python/object/apply:os.system [ls]", "line 1: anchors, aliases and tags are not understood here"),
        ("a: @x", "line 1: a text that begins with `@` needs quotes"),
        ("- a\nb: c", "line 2: `b: c` stands where nothing can"),
        ("a: 1\n---\nb: 2", "line 3: only one document can be read"),
        ('a: "x" y', "line 1: `y` stands behind a value"),
        ('a: "\\ud800"', "line 1: `\\ud800` is no character"),
        ("a: " + "[" * 50, "line 1: it is nested too deeply"),
        ("- " * 50 + "x", "line 1: it is nested too deeply"),
    ],
)
def test_what_is_not_understood_is_refused_by_its_line(text: str, problem: str) -> None:
    with pytest.raises(NotYaml) as refused:
        read_yaml(text)

    assert str(refused.value) == problem


WORDS = st.text("ab :#-[]{}\"'|>&*!%@`\\,?.~\té🧪1\n", max_size=12)


@given(WORDS)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        told = read_yaml(text)
    except NotYaml as refusal:
        told = str(refusal)

    assert told is None or isinstance(told, str | int | float | list | dict)


SCALARS = st.none() | st.booleans() | st.integers(-999, 999) | st.text("ab :#-\"'\\\n🧪", max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz", min_size=1), inner, max_size=3)
)


def written(value: object, indent: int) -> str:
    """A value as YAML writes it, in the block form; texts in double quotes."""
    pad = " " * indent
    match value:
        case dict() if value:
            return "".join(f"\n{pad}{key}:{written(item, indent + 2)}" for key, item in value.items())
        case list() if value:
            return "".join(f"\n{pad}-{written(item, indent + 2)}" for item in value)
        case None:
            return " null"
        case bool() | int() | list() | dict():
            return f" {str(value).lower()}"
        case _:
            escaped = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f' "{escaped}"'


@given(VALUES)
def test_what_was_written_is_read_again(value: object) -> None:
    assert read_yaml(written(value, 0).lstrip()) == value


@pytest.mark.parametrize(
    "piece", ["a: b\n", "- x\n", "  \n", "a" * 10, " ", "[", '"', "x\n y\n", "# c\n", "- [a, b]\n", "k: >\n  x\n"]
)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def read(size: int) -> None:
        try:
            read_yaml(piece * (size // len(piece)))
        except NotYaml:
            return

    assert cpu_seconds(lambda: read(100_000)) < 40 * cpu_seconds(lambda: read(10_000))
