"""Everything that a script runs, wrappers seen through, with the words that rules are held against. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from agent_lsp.approvals.shell.reading import read_script
from agent_lsp.approvals.shell.syntax import OPEN, VARIABLE, Part, Script, Word
from agent_lsp.approvals.wrappers import Inner, unwrap

MOST_WRAPPERS = 64
"""Around one command. Behind them anything may hide, and so it asks."""
MOST_SCRIPTS = 6
"""Inside each other."""

_MORE = Word("…", OPEN)


@dataclass(frozen=True, slots=True)
class Run:
    """A command that a part runs: the part itself, or what a wrapper in it runs.

    `starts` says where in all words the wrappers begin, the outermost first, and, last of them, the command itself.
    """

    text: str
    all_words: tuple[Word, ...] = ()
    starts: tuple[int, ...] = (0,)
    assignments: int = 0
    """How many assignments stand in front of its own words."""
    is_fed: bool = False
    inputs: tuple[str, ...] = ()
    problem: str = ""
    moves: tuple[tuple[Word, ...], ...] = ()
    """For a `cd`: the ones that have led to it."""
    inner: Inner | None = None
    outer: "Run | None" = None
    """The wrapper whose script it stands in, and how many of the wrapper's words reach to the end of that script."""
    reach: int = 0
    depth: int = 0

    @property
    def words(self) -> tuple[Word, ...]:
        return self.all_words[self.starts[-1] + self.assignments :]

    @property
    def assignments_in_front(self) -> tuple[Word, ...]:
        return self.all_words[self.starts[-1] :][: self.assignments]

    @property
    def folded(self) -> tuple[str, ...]:
        """Its words in small letters, as they are held against rules that deny."""
        return tuple(word.text.casefold() for word in self.words)

    @property
    def is_unclear(self) -> bool:
        return bool(self.inner and self.inner.is_unclear)


def runs_of(script: Script) -> Iterator[Run]:
    """Everything that a script runs, from the outside to the inside, in order."""
    for part in script.parts:
        yield from _runs_below(_run_of(part))


def _run_of(part: Part) -> Run:
    problem = part.problems[0] if part.problems else ""
    words = (*part.assignments, *part.words)
    return Run(part.text, words, (0,), len(part.assignments), part.is_fed, part.inputs, problem, part.moves)


def _runs_below(outermost: Run) -> Iterator[Run]:
    waiting = [outermost]
    while waiting:
        run = _unwrapped(waiting.pop())
        yield run
        if run.inner:
            waiting += reversed([*_commands(run, run.inner), *_scripts(run, run.inner)])


def _unwrapped(run: Run) -> Run:
    if not run.words:
        return run
    if len(run.starts) > MOST_WRAPPERS:
        return replace(run, inner=Inner(problem="it has too many wrappers to be checked", is_unclear=True))
    return replace(run, inner=unwrap(run.words))


def _commands(run: Run, inner: Inner) -> Iterator[Run]:
    own = run.starts[-1] + run.assignments
    for start, end in inner.ranges:
        words = [_filled(word, inner) for word in run.all_words[: own + end]]
        if inner.gets_more:
            words.append(_MORE)
        text = " ".join(word.text for word in words[own + start :])
        yield Run(
            text,
            tuple(words),
            (*run.starts, own + start),
            is_fed=run.is_fed or inner.gets_more,
            inputs=run.inputs,
            depth=run.depth,
        )


def _filled(word: Word, inner: Inner) -> Word:
    """Mark a word in which a placeholder stands for text from elsewhere; what `find` fills in begins with a path."""
    if not inner.placeholder or inner.placeholder not in word.text:
        return word
    return Word(word.text, (OPEN if inner.gets_more else VARIABLE) * len(word.text))


def _scripts(run: Run, inner: Inner) -> Iterator[Run]:
    for end, text in inner.scripts:
        if run.depth >= MOST_SCRIPTS:
            yield Run(text, problem="it has too many scripts inside each other to be checked", inputs=(text,))
            continue
        script = read_script(text)
        problem = script.problems[0] if script.problems else ""
        if problem and (script.is_broken or not script.parts):
            yield Run(text, problem=problem, inputs=(text,))
        for part in script.parts:
            found = _run_of(part)
            reach = end + run.assignments
            yield replace(
                found,
                problem=found.problem or problem,
                is_fed=found.is_fed or run.is_fed,
                outer=run,
                reach=reach,
                depth=run.depth + 1,
            )
