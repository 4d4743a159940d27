"""What apply_diff makes of a text: its blocks matched against the original, and put in together."""

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass

from agent_lsp.tools.matching.blocks import Block, parse_blocks
from agent_lsp.tools.matching.differences import first_difference
from agent_lsp.tools.matching.likeness import Likeness, Likenesses
from agent_lsp.tools.matching.lines import Replacement, read_lines, replace_lines
from agent_lsp.tools.matching.numbers import named_lines, quoted_lines
from agent_lsp.tools.matching.places import Haystack, Match, settle
from agent_lsp.tools.matching.revision import Refusal, Revision

FAULT_LIMIT = 1000
"""Characters that a block which does not match may cost."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file may be looked at."""

    fuzzy_threshold: float = 1.0
    """Below 1.0, lines that are only so like the search text are taken for it."""
    may_quote: bool = True
    """Whether faults may show lines of the file: not before the user lets it be read."""


def apply_blocks(text: str, diff: str, reading: Reading) -> Revision:
    """Put in the blocks that match; the others are the faults. None that matches is a Refusal."""
    blocks = parse_blocks(diff)
    editor = _Editor(text, reading)
    for block in blocks:
        editor.take(block)
    if not editor.replacements:
        raise Refusal("Nothing was changed: no block could be applied.\n" + "\n".join(editor.faults))
    after = replace_lines(editor.old, editor.replacements)
    return Revision(after, f"{len(editor.replacements)} of {len(blocks)} blocks", tuple(editor.faults))


class _Editor:
    """Gathers replacements block by block, all against the original text."""

    def __init__(self, text: str, reading: Reading) -> None:
        self.old = read_lines(text)
        self.replacements: list[Replacement] = []
        self.faults: list[str] = []
        self._taken: list[tuple[int, int, int]] = []
        self._reading = reading
        self._haystack = Haystack(self.old.texts)
        self._likenesses: Likenesses | None = None

    def take(self, block: Block) -> None:
        try:
            replacement = self._replacement(block)
            self._refuse_overlap(replacement)
        except Refusal as refusal:
            self.faults.append(f"Block {block.number}: {refusal}"[:FAULT_LIMIT])
        else:
            self.replacements.append(replacement)
            insort(self._taken, (replacement.start, replacement.end, block.number))

    def _replacement(self, block: Block) -> Replacement:
        if block.search == block.replacement:
            raise Refusal("search and replacement are the same; there is nothing to change.")
        if not block.search:
            return self._insertion(block)
        matches = self._haystack.find(block.search)
        if not matches and (unnumbered := block.without_numbers()):
            block = unnumbered
            matches = self._haystack.find(block.search)
        return self._chosen(matches, block) if matches else self._alike(block)

    def _insertion(self, block: Block) -> Replacement:
        count = len(self.old.texts)
        line = block.start_line if block.start_line is not None or count else 1
        if line is None:
            raise Refusal("an empty search inserts at a line, which :start_line:N must name.")
        if not 1 <= line <= count + 1:
            raise Refusal(f":start_line:{line} is not in the file: 1 to {count + 1} can be inserted at.")
        return Replacement(line - 1, line - 1, block.replacement)

    def _chosen(self, matches: Sequence[Match], block: Block) -> Replacement:
        start = settle([match.start for match in matches], _index(block.hint))
        if start is None:
            raise Refusal(_ambiguity([match.start for match in matches]))
        shift = next(match.shift for match in matches if match.start == start)
        texts = shift.moved(block.replacement)
        if texts is None:
            raise Refusal(f"the text stands at line {start + 1} with less indentation, which the replacement lacks.")
        return Replacement(start, start + len(block.search), texts)

    def _alike(self, block: Block) -> Replacement:
        likenesses = self._measure(block)
        threshold = self._reading.fuzzy_threshold
        good = [like for like in likenesses if like.similarity >= threshold] if threshold < 1.0 else []
        best = [like.start for like in good if like.similarity == good[0].similarity]
        if not best:
            raise Refusal(self._miss(block, likenesses))
        hint = _index(block.hint)
        start = hint if hint in [like.start for like in good] else settle(best, hint)
        if start is None:
            raise Refusal(_ambiguity(best))
        return Replacement(start, min(start + len(block.search), len(self.old.texts)), block.replacement)

    def _measure(self, block: Block) -> list[Likeness]:
        if self._likenesses is None:
            self._likenesses = Likenesses(self._haystack.loose_lines)
        return self._likenesses.of(block.search, _index(block.hint))

    def _miss(self, block: Block, likenesses: Sequence[Likeness]) -> str:
        if not self.old.texts:
            return "the file is empty; an empty search puts text into it."
        if not self._reading.may_quote or not likenesses:
            return "the search text is not in the file."
        start, percent = likenesses[0].start, int(likenesses[0].similarity * 100)
        lines = self.old.texts[start : start + len(block.search)]
        quoted = quoted_lines(self.old.texts, start, len(block.search))
        where = f"line {start + 1}" if len(lines) == 1 else f"lines {start + 1}-{start + len(lines)}"
        difference = first_difference(lines, block.search, start)
        return (
            f"the search text is not in the file. {difference} Most like it ({min(percent, 99)} %): {where}\n{quoted}"
        )

    def _refuse_overlap(self, new: Replacement) -> None:
        behind = bisect_left(self._taken, (new.end,))
        if behind and new.start < self._taken[behind - 1][1]:
            owner = self._taken[behind - 1][2]
            raise Refusal(f"it changes lines that block {owner} changes too; write them as one block.")


def _ambiguity(starts: Sequence[int]) -> str:
    return f"the search text stands at {named_lines(starts)}. Add lines around it, or name one with :start_line:N."


def _index(line: int | None) -> int | None:
    return None if line is None else line - 1
