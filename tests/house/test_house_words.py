"""Names say what a thing is, with the words of docs/glossary.md."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from source_tree import Source, page, sources_of_server, sources_of_tests, table_rows, words_of

# What others named keeps its name: threads of the system, the Chat Completions API, the field of an event stream.
ALLOWED = {("lsp", "thread"), ("providers", "chat")}
ALLOWED_EMPTY = {("providers", "data")}
EMPTY_WORDS = {"manager", "helper", "helpers", "util", "utils", "misc", "stuff"}
EMPTY_NAMES = {"data", "info", "obj", "tmp", "foo"}


def defined_names(source: Source) -> Iterator[str]:
    """What this module itself names; what it only uses was named by others."""
    yield source.path.stem
    for node in source.all_nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def banned_words() -> set[str]:
    rows = table_rows(page("glossary.md"))
    return {word.strip() for row in rows if len(row) == 3 for word in row[2].split(",")} - {""}


def test_glossary_names_words_that_are_not_used() -> None:
    assert {"session", "thread", "chat", "conversation"} <= banned_words()


def test_glossary_lists_each_word_once_and_in_order_of_one_use() -> None:
    listed = [row[0] for row in table_rows(page("glossary.md"))]

    assert sorted(set(listed)) == sorted(listed)


def test_words_that_the_glossary_replaces_name_nothing() -> None:
    banned = banned_words()

    found = sorted(
        {
            (source.name, name)
            for source in sources_of_server()
            for name in defined_names(source)
            for word in words_of(name)
            if word in banned and (source.room, word) not in ALLOWED
        }
    )

    assert found == []


def test_no_exception_to_the_glossary_outlives_its_use() -> None:
    used = {
        (source.room, word)
        for source in sources_of_server()
        for name in defined_names(source)
        for word in words_of(name)
    }

    assert used >= ALLOWED


def test_no_name_says_only_that_something_is_there() -> None:
    found = sorted(
        {
            (source.name, name)
            for source in sources_of_server()
            for name in defined_names(source)
            if EMPTY_WORDS & set(words_of(name)) or name.strip("_") in EMPTY_NAMES
            if (source.room, name.strip("_")) not in ALLOWED_EMPTY
        }
    )

    assert found == []


def test_functions_are_not_named_handle_or_process() -> None:
    found = [
        (source.name, node.name)
        for source in sources_of_server()
        for node in source.nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        if re.match(r"_*(handle|process)(_|$)", node.name)
    ]

    assert found == []


def test_names_of_tests_are_sentences() -> None:
    found = [
        (source.name, node.name)
        for source in sources_of_tests()
        for node in source.nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        if node.name.startswith("test_") and len(node.name.split("_")) < 4
    ]

    assert found == []


def test_names_of_test_files_are_unique() -> None:
    """pytest imports them by their bare names, packages and conftests aside."""
    bare = [source.path for source in sources_of_tests() if not (source.path.parent / "__init__.py").exists()]

    counts = Counter(path.stem for path in bare if path.stem != "conftest")

    assert [name for name, count in counts.items() if count > 1] == []
