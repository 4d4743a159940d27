"""Where input comes from and output goes to. Output to anything but nowhere is objected to, and so is the network."""

import re

from agent_lsp.approvals.shell.cursor import Cursor, HereDocument
from agent_lsp.approvals.shell.syntax import HELD, OPEN, Unreadable, Word
from agent_lsp.approvals.shell.words import read_word

_OPERATOR = re.compile(r"([0-9]+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||<(?!\()|>(?!\())", re.ASCII)
_ANOTHER = re.compile(r"(?:[0-9]+|\{\w+\})[<>]")
_DELIMITER = re.compile(r"(?:'([^'\n]*)'|\"([^\"\n$`\\]*)\"|(\\?)([A-Za-z0-9_.+:!@%^-]+))(?=[\s;&|<>()]|$)")
_DESCRIPTORS = re.compile(r"[0-9]+-?|-")
_NETWORK = ("/dev/tcp/", "/dev/udp/")


class Inputs:
    """What a command, or a group of them, gets as input, as far as the script says."""

    def __init__(self) -> None:
        self.is_fed = False
        self.texts: list[str] = []
        self.documents: list[int] = []


def read_redirection(cursor: Cursor, inputs: Inputs) -> bool:
    """Read a redirection if one begins right here."""
    match = _OPERATOR.match(cursor.text, cursor.position)
    if not match or (match[1] and match[2].startswith("&")):
        return False
    cursor.position = match.end()
    if match[1] and match[1].startswith("{"):
        cursor.findings.object("it sets a variable to a descriptor")
    cursor.skip_blanks()
    if cursor.take(_ANOTHER):
        raise Unreadable("redirects to another redirection")
    if match[2] in ("<<", "<<-"):
        inputs.is_fed = True
        inputs.documents.append(_read_delimiter(cursor, strips_tabs=match[2] == "<<-"))
    else:
        _judge(cursor, match[2], read_word(cursor), inputs)
    return True


def _read_delimiter(cursor: Cursor, *, strips_tabs: bool) -> int:
    match = cursor.take(_DELIMITER)
    if not match:
        raise Unreadable("holds a here-document with an unusual delimiter")
    quoted = match[1] if match[1] is not None else match[2]
    is_literal = quoted is not None or bool(match[3])
    number = len(cursor.findings.bodies) + len(cursor.waiting)
    cursor.waiting.append(HereDocument(match[4] if quoted is None else quoted, is_literal, strips_tabs, number))
    return number


def _judge(cursor: Cursor, operator: str, target: Word, inputs: Inputs) -> None:
    if operator in ("<", "<&", "<<<", "<>"):
        inputs.is_fed = inputs.is_fed or not (operator == "<" and target.text == "/dev/null")
    if operator == "<<<" and not target.is_filled_in:
        inputs.texts.append(target.text)
    if problem := _problem(operator, target):
        cursor.findings.object(problem)


def _problem(operator: str, target: Word) -> str:
    """Why a redirection is more than reading or throwing away."""
    match operator:
        case "<<<":
            return ""
        case "<":
            may_be_network = (OPEN in target.outline or HELD in target.outline) and not target.text.startswith("<(")
            is_network = target.text.casefold().startswith(_NETWORK)
            return "it may open a connection" if may_be_network or is_network else ""
        case "<&" | ">&" if target.is_literal and _DESCRIPTORS.fullmatch(target.text):
            return ""
        case "<&":
            return "it redirects in a way that cannot be followed"
        case _:
            is_nowhere = operator != "<>" and target.is_literal and target.text == "/dev/null"
            return "" if is_nowhere else f"it writes to `{target.text}`"
