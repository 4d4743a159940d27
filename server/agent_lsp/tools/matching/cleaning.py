"""What write_to_file takes off a content that the model wrapped up: a fence, or line numbers."""

import re
from collections.abc import Sequence

from agent_lsp.tools.matching.lines import read_lines, rewrite
from agent_lsp.tools.matching.numbers import is_consecutive, without_numbers

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([^`]*)")
_MARKDOWN = ("md", "markdown", "mdx")
_FIRST_NUMBERS = 1000
"""From here on, what several lines begin with are likelier years or other counts than line numbers."""


def cleaned_content(content: str, path: str) -> str:
    """Take off a fence that holds all, then line numbers that every line carries."""
    lines = read_lines(content)
    unfenced = _without_fence(lines.texts, path)
    numbered = without_numbers(unfenced)
    texts = numbered[1] if numbered and _are_line_numbers(numbered[0]) else unfenced
    if texts == lines.texts:
        return content
    is_ended = lines.is_ended or len(unfenced) < len(lines.texts)
    return "\n".join(texts) + ("\n" if texts and is_ended else "")


def written_over(before: str, content: str) -> str:
    """Let the content take the place of what is there, with the line endings that are there."""
    return rewrite(read_lines(before), content)


def _are_line_numbers(numbers: Sequence[int]) -> bool:
    """Whether numbers are those of a file or of a part that was read of one: a lone line has only number 1."""
    return is_consecutive(numbers) and (numbers[0] == 1 or (len(numbers) > 1 and numbers[0] < _FIRST_NUMBERS))


def _without_fence(lines: Sequence[str], path: str) -> tuple[str, ...]:
    """Drop the first and the last line if they are one fence. A Markdown file may well be a lone fence of code."""
    inner = _trimmed(lines)
    opening = _FENCE.fullmatch(inner[0]) if len(inner) > 1 else None
    if opening is None or inner[-1].rstrip() != opening[1] or not _is_balanced(inner[1:-1], opening[1]):
        return tuple(lines)
    is_markdown = path.lower().endswith(tuple(f".{suffix}" for suffix in _MARKDOWN))
    if is_markdown and opening[2].strip().lower() not in _MARKDOWN:
        return tuple(lines)
    return tuple(inner[1:-1])


def _trimmed(lines: Sequence[str]) -> Sequence[str]:
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else ()


def _is_balanced(lines: Sequence[str], fence: str) -> bool:
    """Whether fences within come in pairs, so that none of them ends the outer one."""
    is_open = False
    for line in lines:
        if line.startswith(fence):
            is_bare = not line.strip(fence[0] + " \t")
            if is_bare and not is_open:
                return False
            is_open = not is_bare
    return not is_open
