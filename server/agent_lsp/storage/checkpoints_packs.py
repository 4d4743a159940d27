"""Writing one pack of git objects and its index, as `gitformat-pack` draws them. Which objects is others' business."""

import struct
import zlib
from dataclasses import dataclass
from hashlib import sha1
from itertools import accumulate
from pathlib import Path

_KINDS = {b"commit": 1, b"tree": 2, b"blob": 3}
_LEVEL = 1
"""Speed counts at first; packing anew makes it smaller."""

_PIECE = 1_000_000
_FAR = 0x80000000
"""Offsets from here on stand in a table of their own."""


@dataclass(frozen=True, slots=True)
class _Place:
    offset: int
    crc: int


class Pack:
    """A pack that grows in a passing file; `finish` moves it to where git looks."""

    def __init__(self, passing: Path) -> None:
        self._path = passing
        self._file = passing.open("xb")
        self._places = dict[str, _Place]()
        self._file.write(_header(0))
        self._offset = self._file.tell()

    def add(self, name: str, kind: bytes, content: bytes) -> None:
        """Append an object, unless it is in here."""
        if name in self._places:
            return
        packed = _object_head(_KINDS[kind], len(content)) + zlib.compress(content, _LEVEL)
        self._places[name] = _Place(self._offset, zlib.crc32(packed))
        self._offset += len(packed)
        self._file.write(packed)

    def finish(self, folder: Path) -> None:
        """Close the pack and put it into the folder. The index comes last: without it there is no pack."""
        self._file.seek(0)
        self._file.write(_header(len(self._places)))
        self._file.close()
        digest = _digest_of(self._path)
        with self._path.open("ab") as file:
            file.write(digest)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        index = self._path.with_suffix(".idx")
        try:
            index.write_bytes(_index(self._places, digest))
            self._path.replace(folder / f"pack-{digest.hex()}.pack")
            index.replace(folder / f"pack-{digest.hex()}.idx")
        finally:
            index.unlink(missing_ok=True)

    def discard(self) -> None:
        try:
            self._file.close()  # May still have something to write, and no room for it.
        finally:
            self._path.unlink(missing_ok=True)


def _header(count: int) -> bytes:
    return struct.pack(">4sLL", b"PACK", 2, count)


def _object_head(kind: int, size: int) -> bytes:
    """The kind and the size: four bits of it, then seven to a byte, the lowest first."""
    head = bytearray()
    byte, size = kind << 4 | size & 15, size >> 4
    while size:
        head.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    head.append(byte)
    return bytes(head)


def _digest_of(path: Path) -> bytes:
    digest = sha1(usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.digest()


def _index(places: dict[str, _Place], pack_digest: bytes) -> bytes:
    names = sorted(places)
    firsts = [0] * 256
    for name in names:
        firsts[int(name[:2], 16)] += 1
    offsets = [places[name].offset for name in names]
    far = [offset for offset in offsets if offset >= _FAR]
    far_numbers = {offset: number for number, offset in enumerate(far)}
    near = [offset if offset < _FAR else _FAR | far_numbers[offset] for offset in offsets]
    content = b"".join(
        (
            b"\xfftOc",
            struct.pack(">L256L", 2, *accumulate(firsts)),
            bytes.fromhex("".join(names)),
            struct.pack(f">{len(names)}L", *(places[name].crc for name in names)),
            struct.pack(f">{len(names)}L", *near),
            struct.pack(f">{len(far)}Q", *far),
            pack_digest,
        )
    )
    return content + sha1(content, usedforsecurity=False).digest()
