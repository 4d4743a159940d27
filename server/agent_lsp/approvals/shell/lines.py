"""Ends of lines, and the bodies of here-documents that begin behind them."""

from agent_lsp.approvals.shell.cursor import Cursor, HereDocument
from agent_lsp.approvals.shell.expansions import read_here_body
from agent_lsp.approvals.shell.syntax import Unreadable


def skip_lines(cursor: Cursor) -> None:
    """Skip blanks, comments and ends of lines, with the here-documents behind them."""
    cursor.skip_blanks()
    while cursor.peek() == "\n":
        _end_line(cursor)
        cursor.skip_blanks()


def _end_line(cursor: Cursor) -> None:
    cursor.position += 1
    for document in cursor.waiting:
        lines = _lines_of(cursor, document)
        body = "".join(f"{line}\n" for line in lines)
        cursor.findings.bodies[document.number] = body
        if document.is_literal:
            cursor.findings.literal_bodies.add(document.number)
            continue
        if any(line.endswith("\\") for line in lines):
            raise Unreadable("holds a here-document whose lines run on")
        read_here_body(cursor.within(body))
    cursor.waiting.clear()


def _lines_of(cursor: Cursor, document: HereDocument) -> list[str]:
    lines = list[str]()
    while True:
        end = cursor.text.find("\n", cursor.position)
        line = cursor.text[cursor.position : end if end >= 0 else None]
        bare = line.lstrip("\t") if document.strips_tabs else line
        if bare == document.delimiter:
            cursor.position = end + 1 if end >= 0 else len(cursor.text)
            # The end of its last line ends the here-document, and the next line begins as any other.
            return lines
        if end < 0:
            raise Unreadable("holds a here-document without an end")
        lines.append(bare)
        cursor.position = end + 1
