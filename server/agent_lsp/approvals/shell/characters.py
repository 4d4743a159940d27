"""Characters that hide what a command says: unseen ones, those that reorder text, blanks that are none."""

import unicodedata

_UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cn", "Cs"}
_TAGS = "\U000e0000"
_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\ufffc\U0001d159"
_SELECTORS = {chr(code) for code in range(0xFE00, 0xFE10)}
_UNSEEN_LETTERS = _SELECTORS | set(_LETTERS)


def unseen_character(text: str) -> str:
    """The problem with characters that cannot be seen, reorder the text or look like a blank; else nothing."""
    if text.isascii() and text.isprintable():
        return ""
    found = next((char for char in dict.fromkeys(text) if char not in " \t\n" and _is_unseen(char)), None)
    return f"it holds the unseen character U+{ord(found):04X}" if found else ""


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) in _UNSEEN or char in _UNSEEN_LETTERS or char >= _TAGS
