"""The lines of a journal: a record with its number and a checksum, as JSON; and reading back what is left of them.

No files here. Every line stands for itself, so that damage to one costs no other.
"""

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agent_lsp.storage.records import Record, record_from_wire, record_to_wire

_HEAD = b'{"n":'
_SEAL = b',"crc":"'
_TAIL_LENGTH = len(_SEAL) + 8 + len(b'"}')


@dataclass(frozen=True, slots=True)
class SetAside:
    """A line that is not used, and why. It stays in the file."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be read of a journal: records by rising number, and where the whole lines end."""

    records: tuple[Record, ...]
    set_aside: tuple[SetAside, ...] = ()
    last_number: int = 0
    whole_bytes: int = 0
    """What follows in the file is a torn line."""
    lacks_newline: bool = False
    """The last record is whole but for its line feed."""


def encode_line(number: int, record: Record, redact: Callable[[str], str]) -> bytes:
    """One line with its line feed. A lone surrogate becomes a JSON escape; it stands only ever inside a string."""
    wire = {"n": number} | record_to_wire(record)
    text = json.dumps(wire, ensure_ascii=False, separators=(",", ":"))
    body = redact(text)[:-1].encode("utf-8", "backslashreplace")
    return b'%b%b%08x"}\n' % (body, _SEAL, zlib.crc32(body))


def read_lines(content: bytes) -> Reading:
    """Read all records that are intact, wherever they stand. Linear, and never fails."""
    found: dict[int, Record] = {}
    set_aside: list[SetAside] = []
    *lines, rest = content.split(b"\n")
    lacks_newline = _is_sealed(rest)
    if lacks_newline:
        lines.append(rest)
    for number, line in enumerate(lines, start=1):
        set_aside += [SetAside(number, reason) for reason in _take(line, found)]
    return Reading(
        records=tuple(found[number] for number in sorted(found)),
        set_aside=tuple(set_aside),
        last_number=max(found, default=0),
        whole_bytes=len(content) if lacks_newline else len(content) - len(rest),
        lacks_newline=lacks_newline,
    )


def _take(line: bytes, found: dict[int, Record]) -> Iterator[str]:
    """Put the line's records among those found; say what is wrong with the rest."""
    if line and not _is_sealed(line):
        yield "the line is damaged: its checksum does not fit"
    for piece in _intact_pieces(line):
        try:
            number, record = _decode(piece)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            yield f"the record is not one that this version can read: {error!r}"
            continue
        if number in found:
            yield f"record {number} is here a second time"
        elif record is None:
            yield "the record is of a kind that a newer version wrote"
        else:
            found[number] = record


def _intact_pieces(line: bytes) -> Iterator[bytes]:
    """The sealed records in a line: the line itself, or what damage to a line feed has glued together.

    Quotes within a record's strings are escaped, so that head and seal stand only where a record begins and ends.
    """
    if _is_sealed(line):
        yield line
        return
    for piece in line.split(_HEAD)[1:]:
        end = piece.find(_SEAL) + _TAIL_LENGTH
        if _is_sealed(candidate := _HEAD + piece[:end]):
            yield candidate


def _is_sealed(line: bytes) -> bool:
    body, seal = line[:-_TAIL_LENGTH], line[-_TAIL_LENGTH:]
    return line.startswith(_HEAD) and seal == b'%b%08x"}' % (_SEAL, zlib.crc32(body))


def _decode(line: bytes) -> tuple[int, Record | None]:
    wire = json.loads(line)
    return int(wire["n"]), record_from_wire(wire)
