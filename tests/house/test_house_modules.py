"""How every module looks: what it says of itself, how long it is, what state it may hold."""

import ast
import re

import pytest
from source_tree import PACKAGE, Source, sources_of_server, sources_of_tests

LONGEST_FILE_LINES = 400
LONGEST_FUNCTION_LINES = 40
# Here time itself is what passes between two steps; nobody waits for anything.
TESTS_OF_TIME = {"tests/tasks/test_tasks_stream.py"}
PRINTING_ROOMS = {"headless", "cli"}
MUTATING = {"append", "extend", "insert", "add", "update", "pop", "popitem", "remove", "discard", "clear", "setdefault"}
SILENCED = re.compile(
    r"#\s*(?:noqa: [A-Z]+\d+(?:,\s*[A-Z]+\d+)*|type: ignore(?:\[.*?\])?|pyright: ignore(?:\[.*?\])?)(.*)"
)


def test_every_module_says_what_lives_in_it() -> None:
    silent = [source.name for source in sources_of_server() if source.text and not ast.get_docstring(source.tree)]

    assert silent == []


def test_no_module_is_too_long_to_read() -> None:
    long = [source.name for source in sources_of_server() if source.text.count("\n") > LONGEST_FILE_LINES]

    assert long == []


def test_no_function_is_too_long_to_read() -> None:
    long = [
        (source.name, node.name)
        for source in sources_of_server()
        for node in source.nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        if (node.end_lineno or node.lineno) - node.lineno >= LONGEST_FUNCTION_LINES
    ]

    assert long == []


def module_names(source: Source) -> set[str]:
    """What the module binds at its top, imports aside."""
    targets = [
        target
        for node in source.tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def mutations(source: Source, names: set[str]) -> list[int]:
    """The lines on which one of these names is changed in place or bound anew."""
    lines: list[int] = []
    for node in source.all_nodes:
        match node:
            case ast.Global():
                lines.append(node.lineno)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MUTATING:
                lines.extend([node.lineno] if name in names else [])
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                lines.extend([node.lineno] if name in names else [])
            case ast.AugAssign(target=ast.Name(id=name)):
                lines.extend([node.lineno] if name in names and name.lstrip("_").isupper() else [])
            case _:
                pass
    return lines


def test_no_module_holds_state() -> None:
    found = [(source.name, line) for source in sources_of_server() for line in mutations(source, module_names(source))]

    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "seen = []\ndef see(name): seen.append(name)",
        "SEEN = {}\ndef see(name): SEEN[name] = 1",
        "COUNT = 0\ndef count():\n    global COUNT\n    COUNT += 1",
        "SEEN = set()\ndef forget(name): SEEN.discard(name)",
    ],
)
def test_state_of_a_module_would_be_found(text: str) -> None:
    source = Source.of(PACKAGE / "example.py", text)

    assert mutations(source, module_names(source)) != []


def test_containers_at_the_top_of_a_module_are_constants_by_name() -> None:
    found = [
        (source.name, node.lineno)
        for source in sources_of_server()
        for node in source.tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_container(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and not target.id.strip("_").isupper() and target.id != "__all__"
    ]

    assert found == []


def is_container(value: ast.expr | None) -> bool:
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="list" | "dict" | "set" | "defaultdict" | "deque" | "Counter")):
            return True
        case _:
            return False


def test_no_exception_is_swallowed() -> None:
    found = [
        (source.name, node.lineno)
        for source in sources_of_server()
        for node in source.nodes(ast.ExceptHandler)
        if catches_all(node.type) and all(is_nothing(statement) for statement in node.body)
    ]

    assert found == []


def catches_all(kind: ast.expr | None) -> bool:
    return kind is None or (isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"})


def is_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass | ast.Continue) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def test_only_the_back_door_and_the_gate_print() -> None:
    found = [
        (source.name, node.lineno)
        for source in sources_of_server()
        if source.room not in PRINTING_ROOMS
        for node in source.nodes(ast.Call)
        if isinstance(node.func, ast.Name) and node.func.id in {"print", "input", "breakpoint"}
    ]

    assert found == []


def test_whoever_silences_a_checker_says_why() -> None:
    found = [
        (source.name, number)
        for source in sources_of_server() + sources_of_tests()
        for number, line in enumerate(source.text.splitlines(), 1)
        if (silenced := SILENCED.search(line)) and len(silenced[1].split()) < 3
    ]

    assert found == []


def test_no_test_waits_by_the_clock() -> None:
    found = [
        (source.name, node.lineno)
        for source in sources_of_tests()
        for node in source.nodes(ast.Call)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "sleep" and is_longer_than_a_turn(node)
        if source.path.parent.name not in {"support", "benchmarks"} and source.name not in TESTS_OF_TIME
        if node.lineno not in excused_lines(source)
    ]

    assert found == []


def excused_lines(source: Source) -> set[int]:
    """Loops that say why there is no event to wait for, as with the processes of others."""
    lines = source.text.splitlines()
    loops = [node for node in source.nodes(ast.While) if "# noqa: ASYNC110" in lines[node.lineno - 1]]
    return {line for loop in loops for line in range(loop.lineno, (loop.end_lineno or loop.lineno) + 1)}


def is_longer_than_a_turn(call: ast.Call) -> bool:
    """Tell `sleep(0)`, which only lets others go first, from a real wait."""
    match call.args:
        case [ast.Constant(value=0)]:
            return False
        case _:
            return True


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    found = [
        (source.name, node.lineno)
        for source in sources_of_tests()
        for node in source.nodes(ast.Attribute)
        if node.attr in {"skip", "skipif", "xfail", "importorskip"}
        and ast.unparse(node.value) in {"pytest", "pytest.mark"}
    ]

    assert found == []
