"""What `@` in the user's words means, and what it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.mentions import (
    CommitMention,
    Mention,
    NamedMention,
    PageMention,
    PathMention,
    Spelling,
    UnfinishedMention,
    as_mention,
    mentions,
    unfinished_mention,
)
from support.timing import cpu_seconds


def sure(text: str, *spellings: Spelling) -> PathMention:
    return PathMention(text, spellings, is_sure=True)


def maybe(text: str, *spellings: Spelling) -> PathMention:
    return PathMention(text, spellings, is_sure=False)


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("see @/src/a.py", sure("@/src/a.py", Spelling("/src/a.py"))),
        ("(@/src/a.py)", sure("@/src/a.py", Spelling("/src/a.py"), Spelling("/src/a.py)"))),
        ("see @/src/v1., or", sure("@/src/v1", Spelling("/src/v1"), Spelling("/src/v1.,"))),
        ("@/src/", sure("@/src/", Spelling("/src/"))),
        ("@/", sure("@/", Spelling("/"))),
        ("@~/notes.md", sure("@~/notes.md", Spelling("~/notes.md"))),
        ("@../b", sure("@../b", Spelling("../b"))),
        ("@/my\\ file\\ a.txt!", sure("@/my\\ file\\ a.txt", Spelling("/my file a.txt"), Spelling("/my file a.txt!"))),
        ('@"my file.txt":3-4.', sure('@"my file.txt":3-4', Spelling("my file.txt", 3, 4))),
        ("@'it \\'s.txt'", sure("@'it \\'s.txt'", Spelling("it 's.txt"))),
        ("@src/a.py", sure("@src/a.py", Spelling("src/a.py"))),
        ("@src/a(1).py", maybe("@src/a(1).py", Spelling("src/a(1).py"))),
        ("@README.md", maybe("@README.md", Spelling("README.md"))),
        ("@problems, please", NamedMention("@problems", "problems")),
        ("@terminal", NamedMention("@terminal", "terminal")),
        ("@git-changes.", NamedMention("@git-changes", "git-changes")),
        ('@"problems"', maybe('@"problems"', Spelling("problems"))),
        ("since @1a2b3c4.", CommitMention("@1a2b3c4", "1a2b3c4")),
        ("@https://example.org/a_(b)?c=d.", PageMention("@https://example.org/a_(b)?c=d", "https://example.org/a_(b)?c=d")),
        ("(see @HTTP://example.org)", PageMention("@HTTP://example.org", "HTTP://example.org")),
    ],
)  # fmt: skip
def test_mention_is_read(text: str, mention: Mention) -> None:
    assert mentions(text) == (mention,)


@pytest.mark.parametrize(
    ("suffix", "spelling"),
    [
        (":12", Spelling("/a.py", 12, 12)),
        (":12-30", Spelling("/a.py", 12, 30)),
        (":30-12", Spelling("/a.py", 12, 30)),
        (":0", Spelling("/a.py", 1, 1)),
        (":12-", Spelling("/a.py:12-")),
        (":3:5", Spelling("/a.py", 3, 3)),
        (":3:5-9:1", Spelling("/a.py", 3, 9)),
        (":3–9", Spelling("/a.py", 3, 9)),
        (":L3-L9", Spelling("/a.py", 3, 9)),
        ("#3", Spelling("/a.py", 3, 3)),
        ("#L3", Spelling("/a.py", 3, 3)),
        ("#L3-9", Spelling("/a.py", 3, 9)),
        ("#L3-L9.", Spelling("/a.py", 3, 9)),
        ("#L3C1-L9C14", Spelling("/a.py", 3, 9)),
        ("#l3-l9,", Spelling("/a.py", 3, 9)),
        ("#heading", Spelling("/a.py#heading")),
        (":x", Spelling("/a.py:x")),
    ],
)
def test_lines_behind_a_path_are_read(suffix: str, spelling: Spelling) -> None:
    (mention,) = mentions(f"@/a.py{suffix}")

    assert isinstance(mention, PathMention)
    assert mention.spellings[0] == spelling


@pytest.mark.parametrize(
    "text",
    [
        "ada@example.org",
        "git@github.com:ada/shop.git",
        "\\@/src/a.py",
        "an @ sign, @. and @, too",
        "`@/src/a.py` and `see @/src/a.py`",
        "```py\n@/src/a.py\n```",
        "~~~~\n@/src/a.py\n~~~\n@/src/b.py\n~~~~",
        "",
        # Addresses
        "user+tag@example.org",
        '"ada"@example.org',
        "ada.@example.org",
        "_ada_@example.org",
        "mailto:ada@example.org, <ada@example.org>",
        "https://example.org/@ada/a.py",
        "https://example.org/?q=,@/a.py",
        "postgres://ada:@host/db.sql",
        # Code
        "``see @/src/a.py`` and `` ` @/a.py ``",
        "- ```py\n  @/src/a.py\n  ```",
        "> ~~~\n> @/src/a.py\n> ~~~",
        '```ts\nimport x from "@/components/x"\n```',
        "import x from '@/src/a.py'",
        'import "@/styles.css";',
        '@import "@/styles.css";',
        'export * from "@/x" // all',
        '} from "@/components/x";',
        "const x = await import('@/x')",
        "vi.mock('@/components/x', make)",
        '"paths": {"@/*": ["./src/*"]}',
        '<img src="@/assets/a.png">',
        "import {\n  a,\n}\n  from '@/a/b.ts';",
        "'@/': path.resolve('src'),",
        'alias: { "@/": "/src/" }',
        "“@/” is src",
        "file=@/a.py",
        # Signs alone
        "use '@', \"@\" or “@” here",
        "@@/a.py",
    ],
)
def test_what_is_no_mention(text: str) -> None:
    assert mentions(text) == ()


@pytest.mark.parametrize(
    "word",
    [
        "app.route",
        "app.route('/users/<int:id>')",
        'app.get("/items/a.json")',
        "param",
        "media",
        "angular/core",
        "types/node@18.2.0",
        "babel/core@^7.0.0",
        "someone",
        "2x",
        "Override",
        "pytest.mark.parametrize(",
        '"Hello, world"',
    ],
)
def test_word_of_another_language_is_not_sure_to_be_a_path(word: str) -> None:
    (mention,) = mentions(f"look: @{word} here")

    assert isinstance(mention, PathMention)
    assert not mention.is_sure


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Module not found: Can't resolve '@/components/Button.tsx' in '/app/src'", "/components/Button.tsx"),
        ("Cannot find module '@/lib/a.ts'", "/lib/a.ts"),
        ('Cannot find module "@scope/package/index.js"', "scope/package/index.js"),
        ("} from '@/a/b.ts' is what fails", "/a/b.ts"),
        ('**"@/a.py"**', "/a.py"),
    ],
)
def test_path_in_quotes_may_be_a_module(text: str, path: str) -> None:
    (mention,) = mentions(text)

    assert isinstance(mention, PathMention)
    assert (mention.spellings[0].path, mention.is_sure) == (path, False)


@pytest.mark.parametrize("text", ['"see @/a.py"', '"@../a.py"', "'@~/a.py'", "“@/a.py”", '@"/a.py"'])
def test_path_that_no_module_is_written_like_is_sure(text: str) -> None:
    (mention,) = mentions(text)

    assert isinstance(mention, PathMention)
    assert mention.is_sure


ONE = ("@/a.py",)
TWO = ("@/a.py", "@/b.py")
SET_APART = {
    '"@/a.py"': ONE,
    "'@/a.py'": ONE,
    "“@/a.py”": ONE,
    "„@/a.py“": ONE,
    "«@/a.py»": ONE,
    '"@/a.py",then': ONE,
    '"see @/a.py"': ONE,
    '{"path":"@/a.py"}': ONE,
    "**@/a.py**": ONE,
    "*@/a.py*, then": ONE,
    "__@/a.py__": ONE,
    "_@/a.py_": ONE,
    "~~@/a.py~~": ONE,
    '**"@/a.py"**:': ONE,
    "**Fix**@/a.py": ONE,
    "(@/a.py)": ONE,
    "(see @/a.py)and": ONE,
    "[@/a.py]": ONE,
    "[@/a.py](there)": ONE,
    "[there](@/a.py)": ONE,
    "{@/a.py}": ONE,
    "<@/a.py>": ONE,
    "fix:@/a.py": ONE,
    "fix: @/a.py: it fails": ONE,
    "—@/a.py—": ONE,
    "–@/a.py": ONE,
    "-@/a.py": ONE,
    "done.@/a.py": ONE,
    "1. **@/a.py**: read": ONE,
    "> @/a.py": ONE,
    "| @/a.py|": ONE,
    "import @/a.py": ONE,
    "```x``` @/a.py": ONE,
    "请看@/a.py，谢谢": ONE,
    "修复@/a.py的错误": ONE,
    "（@/a.py）": ONE,
    "@/a.py,@/b.py": TWO,
    "@/a.py, @/b.py": TWO,
    "@/a.py;@/b.py": TWO,
    "@/a.py|@/b.py": TWO,
    "@/a.py+@/b.py": TWO,
    "@/a.py&@/b.py": TWO,
    "@/a.py->@/b.py": TWO,
    "@/a.py→@/b.py": TWO,
    "(@/a.py)(@/b.py)": TWO,
    '["@/a.py","@/b.py"]': TWO,
    "**@/a.py**/**@/b.py**": TWO,
    "@/a.py、@/b.py": TWO,
    "@https://example.org/a,@/b.py": ("@https://example.org/a", "@/b.py"),
    "@problems,@git-changes": ("@problems", "@git-changes"),
    "*@problems*": ("@problems",),
    '"@terminal".': ("@terminal",),
    "[@1a2b3c4]": ("@1a2b3c4",),
    '"@https://example.org/a"': ("@https://example.org/a",),
    "since:@README.md": ("@README.md",),
    "@/node_modules/@types/node/a.d.ts": ("@/node_modules/@types/node/a.d.ts",),
    "@/icon@2x.png": ("@/icon@2x.png",),
    "@/c++/a.py": ("@/c++/a.py",),
}


@pytest.mark.parametrize(("text", "texts"), SET_APART.items())
def test_mention_stands_wherever_words_are_set_apart(text: str, texts: tuple[str, ...]) -> None:
    found = mentions(f"{text}\n")

    assert tuple(mention.text for mention in found) == texts
    assert all(mention.spellings[0].path == mention.text[1:] for mention in found if isinstance(mention, PathMention))


@pytest.mark.parametrize("text", SET_APART)
def test_what_is_read_as_a_mention_can_be_completed(text: str) -> None:
    first = mentions(text)[0].text
    before = text[: text.index(first)] + first

    assert unfinished_mention(before) == UnfinishedMention(len(before) - len(first), first[1:])


@pytest.mark.parametrize("text", ['"@/a.py":3-9', "**@/a.py**:3-9", "(@/a.py)#L3-L9", '("@/a.py":3-9)'])
def test_lines_may_stand_behind_what_sets_a_path_apart(text: str) -> None:
    (mention,) = mentions(text)

    assert isinstance(mention, PathMention)
    assert mention.spellings[0] == Spelling("/a.py", 3, 9)


def test_module_behind_a_colon_is_not_sure_to_be_a_path() -> None:
    (mention,) = mentions("npm:@scope/package/index.js")

    assert mention == maybe("@scope/package/index.js", Spelling("scope/package/index.js"))


def test_code_ends_where_its_fence_does() -> None:
    text = "```\n@/a\n```\n@/b\n`@/c` @/d ` @/e"

    assert [mention.text for mention in mentions(text)] == ["@/b", "@/d", "@/e"]


def test_code_that_follows_at_once_is_no_part_of_a_mention() -> None:
    assert [mention.text for mention in mentions("@/a`@/b c`@/d")] == ["@/a`"]


def test_same_mention_counts_once() -> None:
    assert len(mentions("@/a.py and @/a.py\n@/a.py:1")) == 2


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("src/a.py", "@/src/a.py"),
        ("my dir/a b.txt", "@/my\\ dir/a\\ b.txt"),
        ("v1.", '@"/v1."'),
        ("x:12", '@"/x:12"'),
        ('q".', '@"/q\\"."'),
        ("(a)", "@/(a)"),
        ("new\nline", None),
    ],
)
def test_path_is_written_as_it_is_read_back(path: str, written: str | None) -> None:
    assert as_mention(path) == written


def test_name_that_means_something_else_is_quoted() -> None:
    assert [as_mention(name, is_rooted=False) for name in ("problems", "deadbeef1", "a")] == [
        '@"problems"',
        '@"deadbeef1"',
        "@a",
    ]


@given(st.text(st.characters(exclude_characters="\n\r/`\\", exclude_categories=("Cs",)), min_size=1), st.booleans())
def test_any_name_is_read_back_in_the_middle_of_words(name: str, is_rooted: bool) -> None:
    written = as_mention(f"src/{name}", is_rooted=is_rooted)

    assert written is not None
    (mention,) = mentions(f"Look at {written} please.")
    assert isinstance(mention, PathMention)
    assert mention.spellings[0] == Spelling(("/" if is_rooted else "") + f"src/{name}")


@pytest.mark.parametrize(
    ("before", "unfinished"),
    [
        ("see @", UnfinishedMention(4, "")),
        ("see @/src/a", UnfinishedMention(4, "/src/a")),
        ("see @my\\ dir/", UnfinishedMention(4, "my dir/")),
        ('see @"my dir/a', UnfinishedMention(4, "my dir/a")),
        ("@a @'b c", UnfinishedMention(3, "b c")),
        ('@"a b"', None),
        ("me@", None),
        ('"@/my', UnfinishedMention(1, "/my")),
        ("@/a.py,@/b", UnfinishedMention(7, "/b")),
        ('say "@"', None),
        ("https://example.org/,@", None),
        ("ada.@example", None),
        ("@a ", None),
        ("", None),
    ],
)
def test_mention_that_is_being_written(before: str, unfinished: UnfinishedMention | None) -> None:
    assert unfinished_mention(before) == unfinished


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert all(mention.text.startswith("@") for mention in mentions(text))
    unfinished_mention(text)


@pytest.mark.parametrize(
    "piece",
    [
        *("@", "@/a ", '@"', "(", "@a)", "@\\ ", "`", "```\n", "@a:1-", "@https://a", '"@/a",', "@a(", "**@/a", "'@/"),
        *(
            "-@/a",
            "x://,@/a",
            "`@/a`` ",
            "([",
            'import "',
            "const ",
            "> ",
            "看@/a",
            "@a.b看",
            "@/a#L3",
            '@/a"*',
            "from ",
            "~~@/a",
        ),
    ],
)
def test_long_texts_are_read_in_linear_time(piece: str) -> None:
    short, long = piece * 1_000, piece * 8_000

    assert cpu_seconds(lambda: mentions(long)) < 24 * cpu_seconds(lambda: mentions(short))
