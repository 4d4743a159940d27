"""What bash would run, read from the text of a command: its parts, wherever they stand, and what makes it unclear.

The text is read by the bash grammar of tree-sitter and mistrusted: only kinds of syntax that are listed here count as
plain, and everything else is a problem of the script. Which parts may run is decided in `command_rules.py`.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_SIZE_LIMIT = 16_000
_HEREDOC_LIMIT = 50
"""The grammar takes quadratic time over here-documents: 0.8 s for 5,000 of them."""

_CONTAINERS = {"program", "list", "pipeline", "redirected_statement"}
_OTHER_COMMANDS = {"declaration_command", "unset_command", "test_command"}
_REDIRECTIONS = {">", ">>", "&>", "&>>", ">|", "<", ">&", "<&"}
_DESCRIPTORS = re.compile(r"[0-9]+|-")
_UNQUOTED_SPECIAL = re.compile(r"[$`{}()<>|&;\"']|^~")
_GLOB = re.compile(r"[*?\[\]]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r"\\([$`\"\\])")
_BETWEEN_WORDS = re.compile(rb"(?:[ \t]|\\\n)+")
_BETWEEN_PARTS = re.compile(rb"(?:[ \t\n]|\\\n)*")
_LOOSE_SEPARATORS = re.compile(r"[\s;&|<>(){}$`\"'\\=]+")
_UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cn", "Cs"}
_TAGS = "\U000e0000"
_UNSEEN_LETTERS = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {chr(c) for c in range(0xFE00, 0xFE10)}


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the program gets it, quotes removed. What is not literal has the text of the script."""

    text: str
    is_literal: bool = True
    starts_with_glob: bool = False
    has_glob: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A simple command: the assignments in front of it and its words."""

    text: str
    assignments: tuple[Word, ...] = ()
    words: tuple[Word, ...] = ()
    is_fed: bool = False
    """Its input may come from another command or a file."""


@dataclass(frozen=True, slots=True)
class Script:
    """All parts of a command, in order. `problem` says why the whole is not plain; without parts it runs nothing."""

    parts: tuple[Part, ...] = ()
    problem: str = ""
    loose_words: tuple[str, ...] = ()
    """Only where the text cannot be trusted to have been read right: every word in it, quotes and syntax ignored."""


def read_script(command: str) -> Script:
    """Find the parts of a command, also those in branches, functions and substitutions."""
    if len(command) > _SIZE_LIMIT or command.count("<<") > _HEREDOC_LIMIT:
        return Script(problem="it is too long to be checked", loose_words=_loose_words(command))
    source = command.encode("utf-8", "replace")  # Half a character is a problem of its own, found below.
    reading = _Reading(source)
    reading.read(_parser().parse(source).root_node)
    problem = unseen_character(command) or reading.problem
    loose_words = _loose_words(command) if reading.is_broken else ()
    return Script(tuple(reading.parts), problem, loose_words)


def unseen_character(text: str) -> str:
    """The problem with characters that cannot be seen, reorder the text or look like a blank; else nothing."""
    if text.isascii() and text.isprintable():
        return ""
    for char in text:
        is_unseen = unicodedata.category(char) in _UNSEEN or char in _UNSEEN_LETTERS or char >= _TAGS
        if is_unseen and char not in " \t\n":
            return f"it holds the unseen character U+{ord(char):04X}"
    return ""


@cache
def _parser() -> "Parser":
    import tree_sitter  # Late, since most tasks run no command at all and each import costs 10 ms.
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


class _Reading:
    """One walk over a tree."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self.parts: list[Part] = []
        self.problem = ""
        self.is_broken = False

    def read(self, root: "Node") -> None:
        if self._source[: root.start_byte].strip() or self._source[root.end_byte :].strip():
            self._break_off("a piece of it cannot be read")
        # A stack of our own: scripts nest deeper than Python calls may.
        waiting = [(root, False)]
        while waiting:
            node, is_fed = waiting.pop()
            self._note(node, is_fed=is_fed)
            waiting += reversed([(below, is_fed or _feeds(node, below)) for below in _below(node)])

    def _note(self, node: "Node", *, is_fed: bool) -> None:
        """Note what a node means for the script; those below it are looked at on their own."""
        if node.is_error or node.is_missing:
            self._break_off("it cannot be read as a bash script")
        match node.type:
            case "command":
                self._add_command(node, is_fed=is_fed)
            case "file_redirect":
                self._check_redirect(node)
            case "comment":
                self._check_comment(node)
            case kind if kind in _CONTAINERS:
                self._check_gaps(node)
            case kind:
                self._check_kind(node, kind)

    def _object(self, problem: str) -> None:
        self.problem = self.problem or problem

    def _break_off(self, problem: str) -> None:
        self.is_broken = True
        self._object(problem)

    def _add_command(self, node: "Node", *, is_fed: bool) -> None:
        words = [self._word(child) for child in node.children if child.type != "variable_assignment"]
        assignments = [self._word(child) for child in node.children if child.type == "variable_assignment"]
        self.parts.append(Part(self._text(node), tuple(assignments), tuple(words), is_fed))
        ends = [child.end_byte for child in node.children[:-1]]
        starts = [child.start_byte for child in node.children[1:]]
        if not all(_BETWEEN_WORDS.fullmatch(self._source[a:b]) for a, b in zip(ends, starts, strict=True)):
            self._break_off("its words cannot be told apart for certain")

    def _check_kind(self, node: "Node", kind: str) -> None:
        """Object to all syntax that is not a plain command's."""
        if kind in _OTHER_COMMANDS:
            words = tuple(Word(text) for text in self._text(node).split())
            self.parts.append(Part(self._text(node), words=words))
        if node.is_named and kind not in _WORD_KINDS:
            self._object(_PROBLEMS.get(kind, "it uses more of the shell than plain commands"))
        elif kind == "&":
            self._object("it runs something in the background")

    def _check_comment(self, node: "Node") -> None:
        before = self._source[max(node.start_byte - 2, 0) : node.start_byte]
        if before and (before[-1:] not in b" \t\n;" or before == b"\\\n"):
            self._break_off("what looks like a comment in it may be none")

    def _check_redirect(self, node: "Node") -> None:
        operator = next((child.type for child in node.children if not child.is_named), "")
        targets = [child for child in node.children if child.is_named and child.type != "file_descriptor"]
        target = self._word(targets[0]) if len(targets) == 1 else Word("", is_literal=False)
        if operator not in _REDIRECTIONS or not target.is_literal or target.has_glob:
            self._object("it redirects in a way that cannot be followed")
        elif not _is_harmless_redirect(operator, target.text):
            self._object(f"it writes to `{target.text}`")

    def _check_gaps(self, node: "Node") -> None:
        """Nothing may stand between the nodes that the grammar has given no node."""
        position = node.start_byte
        for child in node.children:
            if not _BETWEEN_PARTS.fullmatch(self._source[position : child.start_byte]):
                self._break_off("a piece of it cannot be read")
            position = child.end_byte
        if self._source[position : node.end_byte].strip():
            self._break_off("a piece of it cannot be read")

    def _word(self, node: "Node") -> Word:
        text = self._text(node)
        match node.type:
            case "command_name" if node.child_count == 1:
                return self._word(node.children[0])
            case "word" | "number" if node.child_count == 0:
                return _unquoted(text)
            case "raw_string":
                return Word(text[1:-1])
            case "string":
                return _double_quoted(node, text)
            case "concatenation":
                return _joined(text, [self._word(child) for child in node.children])
            case "variable_assignment":
                return Word(text, is_literal=not _UNQUOTED_SPECIAL.search(text) and "\\" not in text)
            case _:
                return Word(text, is_literal=False)

    def _text(self, node: "Node") -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")


_WORD_KINDS = {
    "word", "number", "raw_string", "string", "string_content", "concatenation", "command_name", "file_descriptor",
    "variable_name",
}  # fmt: skip
_PROBLEMS = {
    "command_substitution": "it puts in what another command writes",
    "process_substitution": "it puts in what another command writes",
    "simple_expansion": "it puts in a variable",
    "expansion": "it puts in a variable",
    "ansi_c_string": "it spells words by escapes",
    "heredoc_redirect": "it holds a here-document",
    "declaration_command": "it sets a variable",
    "variable_assignment": "it sets a variable",
}


def _below(node: "Node") -> list["Node"]:
    """The nodes to look at under a node: of a command, those that may hold further commands."""
    if node.type != "command":
        return node.children
    below: list[Node] = []
    for child in node.children:
        is_shell_of_words = child.type in ("command_name", "variable_assignment")
        below += child.children if is_shell_of_words else [child]
    return [child for child in below if child.child_count]


def _is_harmless_redirect(operator: str, target: str) -> bool:
    match operator:
        case ">&" | "<&":
            return target == "/dev/null" or bool(_DESCRIPTORS.fullmatch(target))
        case "<":
            return not target.startswith(("/dev/tcp", "/dev/udp"))
        case _:
            return target == "/dev/null"


def _feeds(node: "Node", below: "Node") -> bool:
    """Whether what stands below a node may get its input from what else stands there."""
    if node.type == "pipeline":
        return below.start_byte != node.start_byte
    return node.type == "redirected_statement" and any(_is_input(child) for child in node.children)


def _is_input(redirect: "Node") -> bool:
    return redirect.type == "file_redirect" and any(child.type in ("<", "<&", "<>") for child in redirect.children)


def _unquoted(text: str) -> Word:
    bare = _ESCAPED.sub("", text)
    is_literal = not _UNQUOTED_SPECIAL.search(bare) and not bare.endswith("\\") and not text.startswith("~")
    plain = _ESCAPED.sub(lambda match: "" if match[1] == "\n" else match[1], text)
    return Word(plain, is_literal, bool(_GLOB.match(text)), bool(_GLOB.search(bare)))


def _double_quoted(node: "Node", text: str) -> Word:
    bare = _ESCAPED.sub("", text[1:-1])
    is_literal = all(child.type in ('"', "string_content") for child in node.children)
    is_literal = is_literal and "$" not in bare and "`" not in bare
    plain = text[1:-1].replace("\\\n", "")
    return Word(_ESCAPED_IN_QUOTES.sub(r"\1", plain), is_literal)


def _joined(text: str, pieces: list[Word]) -> Word:
    if not all(piece.is_literal for piece in pieces):
        return Word(text, is_literal=False)
    plain = "".join(piece.text for piece in pieces)
    return Word(plain, starts_with_glob=pieces[0].starts_with_glob, has_glob=any(piece.has_glob for piece in pieces))


def _loose_words(command: str) -> tuple[str, ...]:
    return tuple(word for word in _LOOSE_SEPARATORS.split(command) if word)
