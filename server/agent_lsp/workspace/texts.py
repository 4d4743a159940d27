"""Texts and their bytes: encodings, lines and line endings. What goes in comes out again byte for byte; no I/O here."""

import codecs
import re
from dataclasses import dataclass
from hashlib import blake2b

from agent_lsp.domain.errors import FileProblem
from agent_lsp.workspace.alignment import Block, align, gaps

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
)
"""A byte-order mark, the name we keep for the encoding, and the codec that reads what follows the mark."""

LATIN = "latin-1"
SPOILED = "utf-8 with stray bytes"
"""The name we keep for UTF-8 in which some bytes are no text: they stay what they are, as halves of surrogates."""
_STRAY_BYTE = re.compile("[\udc80-\udcff]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")

_ENDING = re.compile(r"\r?\n\Z")
_ENDINGS = re.compile(r"\r?\n")


@dataclass(frozen=True, slots=True)
class Decoded:
    text: str
    encoding: str


def decode(content: bytes) -> Decoded | None:
    """Read bytes as text; None where they are none. Neither marked nor mostly UTF-8: Latin-1, which takes any byte."""
    for mark, name, codec in _MARKS:
        if content.startswith(mark):
            return _decode_marked(content[len(mark) :], name, codec)
    if b"\0" in content:
        return None
    try:
        return Decoded(content.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _decode_spoiled(content)


def encode(text: str, encoding: str, file: str = "The file") -> bytes:
    """Turn a text into bytes; raises FileProblem, which names the file, where the encoding cannot hold it."""
    mark, codec = next(((mark, codec) for mark, name, codec in _MARKS if name == encoding), (b"", encoding))
    try:
        return text.encode("utf-8", "surrogateescape") if encoding == SPOILED else mark + text.encode(codec)
    except UnicodeEncodeError as error:
        character = text[error.start : error.end][:1]
        raise FileProblem(
            f"{file} is encoded as {encoding}, which cannot hold {character!a}; write it without that character."
        ) from error


def digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def digest_of_text(text: str) -> str:
    # Editors can send half of a surrogate pair; it has a digest like any other text.
    return digest(text.encode("utf-8", "surrogatepass"))


def split_lines(text: str) -> list[str]:
    """Split behind each line feed and nowhere else; the pieces joined are the text again."""
    lines = text.split("\n")
    last = lines.pop()
    lines = [line + "\n" for line in lines]
    return [*lines, last] if last else lines


def usual_ending(text: str) -> str:
    """The ending that most lines of a text have; a line feed where it has none."""
    with_return = text.count("\r\n")
    return "\r\n" if with_return > text.count("\n") - with_return else "\n"


def has_even_endings(text: str) -> bool:
    """Whether all lines end alike, and no carriage return stands elsewhere."""
    returns = text.count("\r\n")
    return text.count("\r") == returns and returns in (0, text.count("\n"))


def with_endings_of(before: str, after: str) -> str:
    """Give the new lines of `after` the usual ending of `before`, and its kept lines the ending they had.

    New lines of a text whose lines end in both ways keep their endings: whoever gave them these knew of both.
    """
    ending = usual_ending(before)
    returns = before.count("\r\n")
    if returns in (0, before.count("\n")):
        return _ENDINGS.sub(ending, after) if "\n" in before else after
    old, new = split_lines(before), split_lines(after)
    is_even = after.count("\r\n") in (0, after.count("\n"))
    result = [_ENDING.sub(ending, line) for line in new] if is_even else list(new)
    for block in _kept(old, new, by_texts=is_even):
        for offset in range(block.size):
            line = old[block.before + offset]
            if line.endswith("\n") and new[block.after + offset].endswith("\n"):
                result[block.after + offset] = line
    return "".join(result)


def _kept(old: list[str], new: list[str], *, by_texts: bool) -> list[Block]:
    """Match lines with their endings first: of equal lines, that tells which one is gone.

    Where that leaves more of them out, their texts may decide: an editor may have evened the endings out.
    """
    old_texts, new_texts = ([_ENDING.sub("", line) for line in lines] for lines in (old, new))
    kept = align(old, new)
    for gap in gaps(tuple(kept), len(old), len(new)):
        befores, afters = old_texts[gap.before_start : gap.before_end], new_texts[gap.after_start : gap.after_end]
        kept += [
            Block(gap.before_start + block.before, gap.after_start + block.after, block.size)
            for block in align(befores, afters)
        ]
    kept_texts = align(old_texts, new_texts) if by_texts else []
    return kept if _lines_in(kept) >= _lines_in(kept_texts) else kept_texts


def _lines_in(blocks: list[Block]) -> int:
    return sum(block.size for block in blocks)


def _decode_spoiled(content: bytes) -> Decoded:
    """Tell a text with a few stray bytes from one in another encoding, in which letters of UTF-8 are hardly met."""
    text = content.decode("utf-8", "surrogateescape")
    stray = len(_STRAY_BYTE.findall(text))
    letters = len(_BEYOND_ASCII.findall(text.removeprefix("\ufeff"))) - stray
    return Decoded(text, SPOILED) if letters >= stray else Decoded(content.decode(LATIN), LATIN)


def _decode_marked(content: bytes, name: str, codec: str) -> Decoded | None:
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        # A mark in front of something else: the bytes are kept, mark included, unless they are no text at all.
        mark = next(mark for mark, marked, _ in _MARKS if marked == name)
        return None if b"\0" in content else _decode_spoiled(mark + content)
    return None if "\0" in text else Decoded(text, name)
