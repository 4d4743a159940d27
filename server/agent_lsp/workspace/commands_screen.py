"""What a terminal would show of an output, without the terminal: escapes gone, overwritten text overwritten.

Sans-I/O and linear: fed in pieces of any size, it gives back whole lines and holds one unfinished line.
Lines that were left are never gone back to: what moves the cursor up is ignored.
"""

import re

LINE_LIMIT = 65_536
"""A longer line is given back in parts; what is given back can no longer be overwritten."""

_PLAIN = re.compile(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f]+")
_COLOURS = re.compile(r"(?:\x1b\[[0-9;:]*m)+")
"""Of all escapes these come by the million, and mean nothing here."""
_STRING_END = re.compile(r"[\x07\x18\x1a\x1b\x9c]")
_STRING_STARTS = "\x90\x98\x9d\x9e\x9f"
"""DCS, SOS, OSC, PM and APC, which run to a terminator; an escape and a letter of `PX]^_` say the same."""
_PARAMETER_LIMIT = 64
_WIDTH = 500
"""As far as the cursor moves over what nothing was written to; a few bytes must not make megabytes of blanks."""


class ScreenText:
    def __init__(self) -> None:
        self._line: list[str] = []
        self._column = 0
        self._whole: list[str] = []
        self._parameters = ""
        self._read = self._read_text
        self.is_steady = True
        """Nothing has moved the cursor within the unfinished line: what stands there will stay."""

    @property
    def unfinished(self) -> str:
        return "".join(self._line)

    def feed(self, text: str) -> str:
        """Take the next piece; give back the lines that it finished."""
        # Visible, since names listed with NULs between them must not run together.
        text = text.replace("\x00", "␀")
        position = 0
        while position < len(text):
            position = self._read(text, position)
        whole = "".join(self._whole)
        self._whole.clear()
        return whole

    def finish(self) -> str:
        """Give back the line that no newline ended."""
        rest = self.unfinished
        self._start_line()
        return rest

    def _read_text(self, text: str, position: int) -> int:
        if run := _PLAIN.match(text, position):
            self._write(run.group())
            return run.end()
        if colours := _COLOURS.match(text, position):
            return colours.end()
        self._control(text[position])
        return position + 1

    def _write(self, run: str) -> None:
        start, newline, rest = run.partition("\n")
        self._put(start)
        if not newline:
            return
        lines, newline, last = rest.rpartition("\n")
        self._whole += [*self._line, "\n", lines, newline]
        self._start_line()
        self._put(last)

    def _start_line(self) -> None:
        self._line = []
        self._column = 0
        self.is_steady = True

    def _put(self, run: str) -> None:
        if self._column == len(self._line) and self._column + len(run) > LINE_LIMIT:
            self._whole += [*self._line, run]
            self._line = []
            self._column = 0
            return
        self._line += " " * (self._column - len(self._line))
        self._line[self._column : self._column + len(run)] = run
        self._column += len(run)

    def _control(self, char: str) -> None:
        match char:
            case "\r":
                self._move_to(0)
            case "\b":
                self._move_to(self._column - 1)
            case "\x1b":
                self._read = self._read_escape
            case "\x9b":
                self._start_parameters()
            case _:
                if char in _STRING_STARTS:
                    self._read = self._read_string

    def _move_to(self, column: int) -> None:
        self._column = min(max(column, 0), max(len(self._line), _WIDTH))
        self.is_steady = False

    def _read_escape(self, text: str, position: int) -> int:
        char = text[position]
        self._read = self._read_text
        if char == "[":
            self._start_parameters()
        elif char in "PX]^_":
            self._read = self._read_string
        elif " " <= char <= "/":
            self._read = self._read_escape  # An intermediate byte, as in the choice of a character set.
        elif char < " " or char == "␀":
            return position  # A control character breaks the sequence off and counts for itself.
        return position + 1

    def _read_string(self, text: str, position: int) -> int:
        end = _STRING_END.search(text, position)
        if end is None:
            return len(text)
        self._read = self._read_escape if end.group() == "\x1b" else self._read_text
        return end.end()

    def _start_parameters(self) -> None:
        self._parameters = ""
        self._read = self._read_parameters

    def _read_parameters(self, text: str, position: int) -> int:
        char = text[position]
        if " " <= char <= "?":
            self._parameters = (self._parameters + char)[:_PARAMETER_LIMIT]
            return position + 1
        self._read = self._read_text
        if not "@" <= char <= "~":
            return position
        self._edit_line(char)
        return position + 1

    def _edit_line(self, final: str) -> None:
        number = int(self._parameters) if self._parameters.isdecimal() else 0
        match final:
            case "G":
                self._move_to(number - 1)
            case "C":
                self._move_to(self._column + max(number, 1))
            case "D":
                self._move_to(self._column - max(number, 1))
            case "K":
                self._erase(number)
            case "P":
                del self._line[self._column : self._column + max(number, 1)]
                self.is_steady = False
            case _:
                return  # Colours, and what has no meaning within a line.

    def _erase(self, part: int) -> None:
        """Erase the line to its end (0), to the cursor (1), or whole (2)."""
        if part == 0:
            del self._line[self._column :]
        elif part == 1:
            self._line[: self._column + 1] = " " * min(self._column + 1, len(self._line))
        else:
            self._line = []
        self.is_steady = False
