"""Arguments of a call while they still stream: what is known after each piece, every letter looked at once."""

import re
from collections.abc import Mapping

_PLAIN = re.compile(r'[^"\\]+')
_STRUCTURE = re.compile(r'["{}\[\],:]')
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class ArgumentScanner:
    """Reads the texts in one JSON object while they grow. Other values, and what is nested, are passed over.

    It never complains: whoever needs to know whether the JSON is right parses it when it is whole.
    """

    def __init__(self) -> None:
        self._pieces: dict[str, list[str]] = {}
        self._whole: set[str] = set()
        self._told: dict[str, int] = {}
        """How many pieces of each text `fresh` has told."""
        self._depth = 0
        self._key = ""
        self._is_after_colon = False
        self._is_in_string = False
        self._sink: list[str] | None = None
        """Where the string at hand goes; None for one that nobody wants."""
        self._escape = ""
        self._high_half = ""
        """The first half of a surrogate pair, until its second half is there."""

    @property
    def values(self) -> Mapping[str, str]:
        """The texts so far, with the one that still grows."""
        return {key: "".join(pieces) for key, pieces in self._pieces.items()}

    def is_whole(self, key: str) -> bool:
        return key in self._whole

    def fresh(self, key: str) -> str:
        """Tell what of a text is new since this was last asked."""
        pieces = self._pieces.get(key, [])
        told = self._told.get(key, 0)
        self._told[key] = len(pieces)
        return "".join(pieces[told:])

    def feed(self, text: str) -> None:
        position = 0
        while position < len(text):
            read = self._read_string if self._is_in_string else self._read_structure
            position = read(text, position)

    def _read_structure(self, text: str, position: int) -> int:
        match = _STRUCTURE.search(text, position)
        if match is None:
            return len(text)
        match match[0]:
            case '"':
                self._begin_string()
            case "{" | "[":
                self._depth += 1
            case "}" | "]":
                self._depth -= 1
            case sign if self._depth == 1:
                self._is_after_colon = sign == ":"
            case _:
                pass
        return match.end()

    def _begin_string(self) -> None:
        self._is_in_string = True
        self._sink = [] if self._depth == 1 else None
        if self._sink is not None and self._is_after_colon:
            self._pieces[self._key] = self._sink

    def _end_string(self) -> None:
        self._put("")
        self._is_in_string = False
        if self._sink is None:
            return
        if self._is_after_colon:
            self._whole.add(self._key)
        else:
            self._key = "".join(self._sink)
            self._pieces.pop(self._key, None)  # of a key that comes twice, the last one counts
            self._whole.discard(self._key)
            self._told.pop(self._key, None)

    def _read_string(self, text: str, position: int) -> int:
        if self._escape:
            self._read_escape(text[position])
            return position + 1
        if match := _PLAIN.match(text, position):
            self._put(match[0])
            return match.end()
        if text[position] == "\\":
            self._escape = "\\"
        else:
            self._end_string()
        return position + 1

    def _read_escape(self, letter: str) -> None:
        self._escape += letter
        if self._escape[1] != "u":
            self._put(_ESCAPES.get(letter, letter))
            self._escape = ""
        elif len(self._escape) == len("\\u0000"):
            self._put_unit(self._escape[2:])
            self._escape = ""

    def _put_unit(self, digits: str) -> None:
        """Take one UTF-16 unit; two halves become one character."""
        unit = chr(int(digits, 16)) if re.fullmatch("[0-9a-fA-F]{4}", digits) else "\ufffd"
        if self._high_half and "\udc00" <= unit <= "\udfff":
            pair = (self._high_half + unit).encode("utf-16", "surrogatepass").decode("utf-16")
            self._high_half = ""
            self._put(pair)
        elif "\ud800" <= unit <= "\udbff":
            self._put("")
            self._high_half = unit
        else:
            self._put(unit)

    def _put(self, text: str) -> None:
        if self._sink is not None:
            self._sink.append(self._high_half + text)
        self._high_half = ""
