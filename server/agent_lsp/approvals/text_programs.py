"""The small programs that `sed` and `awk` are given as a word: whether they only look at text. Pure."""

import re
from collections.abc import Sequence

from agent_lsp.approvals.shell.syntax import Word
from agent_lsp.approvals.tables import words_of

_SED_FLAGS = frozenset("nErsuz")
_SED_LONG = words_of(
    "quiet silent regexp-extended separate unbuffered null-data zero-terminated posix debug sandbox version help"
)
_SED_SCRIPT = re.compile(r"-[nErsuz]*e|--expression(?:=|$)")
_SED_ADDRESS = re.compile(r"[0-9]+(?:~[0-9]+)?|\$|\+[0-9]+|~[0-9]+")
_SED_PLAIN = frozenset("=dDgGhHnNpPxz")
_SED_NUMBERED = re.compile(r"[lLqQ] *[0-9]*")
_SED_LABELLED = re.compile(r"[:btT] *[\w.-]*")
_SED_TEXT = re.compile(r"[aic](?:[^\n\\]|\\.)*", re.DOTALL)
_SED_SUBSTITUTION_FLAGS = re.compile(r"[gpiI0-9]*")
_FLAGS_OR_END = frozenset("gpiIeMmw0123456789;}# \t\r\n")
"""What some sed may take behind a substitution."""
_SED_GAP = re.compile(r"[ \t\n;]*")
_AWK_VALUED = frozenset("Fv")
_AWK_TEXT = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|#[^\n]*")
_AWK_PATTERN = re.compile(r"/(?:[^/\[\\\n]|\\.|\[[^]/\n\\]+\])*/")
_BEFORE_PATTERN = frozenset("{}(,;!~&|\n")
"""Behind one of these nothing can be divided, so a slash begins a pattern."""
_AWK_RISKY = re.compile(r"system|getline|\||@|ENVIRON|PROCINFO|close|fflush|extension|eval")


def sed_problem(words: Sequence[Word], named: int) -> str:
    """Why a use of sed has to be asked about, the first `named` words aside; else nothing."""
    scripts = list[Word]()
    operands = list[Word]()
    at = 1
    while at < len(words):
        text = words[at].text
        if option := _SED_SCRIPT.match(text):
            value, at = _value(words, at, option.end())
            scripts.append(value)
        elif at >= named and not _is_harmless_for_sed(words[at], behind_script=bool(scripts or operands)):
            return f"`{text}` may make `sed` do more than print"
        elif not text.startswith("-") or text == "-":
            operands.append(words[at])
        at += 1
    scripts = scripts or operands[:1]
    if all(word.is_literal and _only_edits_text(word.text) for word in scripts) or named >= len(words):
        return ""
    return "the script of `sed` may run or write something"


def _value(words: Sequence[Word], at: int, length: int) -> tuple[Word, int]:
    """An option's value, in the same word or the next one."""
    text = words[at].text[length:]
    if text:
        return Word(text, words[at].outline[length:]), at
    return (words[at + 1], at + 1) if at + 1 < len(words) else (Word(""), at)


def _is_harmless_for_sed(word: Word, *, behind_script: bool) -> bool:
    if word.may_be_option:
        return False
    if word.text.startswith("--"):
        return word.text[2:] in _SED_LONG or (word.text == "--" and not behind_script)
    return not word.text.startswith("-") or set(word.text[1:]) <= _SED_FLAGS


def _only_edits_text(script: str) -> bool:
    """Read a sed script; what is not known to be harmless is not."""
    at = 0
    while at < len(script):
        at = _skip(_SED_GAP, script, at)
        if at < len(script):
            after = _skip_sed_command(script, _skip_sed_addresses(script, at))
            if after is None:
                return False
            at = after
    return True


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _skip_sed_addresses(script: str, at: int) -> int:
    while True:
        start = at
        at = _skip(_SED_ADDRESS, script, at)
        if script[at : at + 1] == "/":
            end = _closing(script, at + 1, "/")
            at = len(script) if end is None else _skip(re.compile("[IM]*"), script, end)
        at = _skip(re.compile(r"[ \t,!]*"), script, at)
        if at == start:
            return at


def _skip_sed_command(script: str, at: int) -> int | None:
    command = script[at : at + 1]
    if command in ("{", "}") or (command and command in _SED_PLAIN):
        return at + 1
    for pattern in (_SED_NUMBERED, _SED_LABELLED, _SED_TEXT):
        if match := pattern.match(script, at):
            return match.end()
    if command not in ("s", "y") or at + 1 >= len(script):
        return None
    middle = _closing(script, at + 2, script[at + 1])
    end = None if middle is None else _closing(script, middle, script[at + 1])
    end = end or _closing_of_either(script, at + 2, script[at + 1])
    if end is None:
        return None
    end = _skip(_SED_SUBSTITUTION_FLAGS, script, end)
    return end if script[end : end + 1] in ("", ";", "\n", "}", " ") else None


def _closing(script: str, at: int, delimiter: str) -> int | None:
    """The place behind the next delimiter. In brackets it would be a matter of whose sed this is, and so it is none."""
    if delimiter in "\\\n":
        return None
    while at < len(script):
        if script[at] == "\\":
            at += 1
        elif script[at] == delimiter:
            return at + 1
        elif (script[at] == "[" and delimiter in script[at : script.find("]", at + 2) + 1]) or (
            script[at] == "\n" and delimiter == "/"
        ):
            return None
        at += 1
    return None


def _closing_of_either(script: str, at: int, delimiter: str) -> int | None:
    """The end of a substitution with its delimiter in brackets, if a sed that ends its pattern there just fails."""
    plain = re.compile(rf"(?:\\.|\[\^?[^]\[\\\n]+\]|[^\\\[\n{re.escape(delimiter)}])*{re.escape(delimiter)}")
    blind = re.compile(rf"(?:\\.|[^\\\n{re.escape(delimiter)}])*{re.escape(delimiter)}")
    middle = plain.match(script, at)
    end = blind.match(script, middle.end()) if middle else None
    other = blind.match(script, at)
    other_end = blind.match(script, other.end()) if other else None
    following = script[other_end.end() : other_end.end() + 1] if other_end else ""
    fails = not other_end or (following and following not in _FLAGS_OR_END)
    return end.end() if end and fails else None


def awk_problem(words: Sequence[Word], named: int) -> str:
    """Why a use of awk has to be asked about, the first `named` words aside; else nothing."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        text = words[at].text
        if text == "--":
            at += 1
            break
        if text[1:2] not in _AWK_VALUED:
            return f"`{text}` may make `awk` do more than print" if at >= named else ""
        at += 2 if len(text) == 2 else 1
    program = words[at] if at < len(words) else Word("")
    if at < named or (program.is_literal and _only_prints(program.text)):
        return (
            "" if all(not word.may_be_option for word in words[1:at]) else "an option of `awk` is not there to be read"
        )
    return "the program of `awk` may run or write something"


def _only_prints(program: str) -> bool:
    program = _without_texts(program)
    if _AWK_RISKY.search(program.replace("||", "")):
        return False
    # A `>` compares, unless something is printed before it.
    return ">" not in program.partition("print")[2].replace(">=", "")


def _without_texts(program: str) -> str:
    """Empty an awk program's strings and patterns; the program as it is where a slash may begin either or divide."""
    found, at = list[str](), 0
    while at < len(program):
        if token := _AWK_TEXT.match(program, at):
            at = token.end()
            continue
        is_pattern = program[at] == "/" and (
            not (before := "".join(found).rstrip(" \t")) or before[-1] in _BEFORE_PATTERN
        )
        if is_pattern and (pattern := _AWK_PATTERN.match(program, at)):
            found.append("0")
            at = pattern.end()
        elif program[at] in '/"\\':
            return program
        else:
            found.append(program[at])
            at += 1
    return "".join(found)
