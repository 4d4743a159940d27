"""What the user's words point to (`@` mentions, attached files), fetched once for the model and told behind the words.

Whatever cannot be had is said, to the model and to the user; it never ends the task.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agent_lsp.agent.names import one_line
from agent_lsp.domain.mentions import CommitMention, Mention, NamedMention, PageMention, PathMention, mentions
from agent_lsp.domain.requests import ContextReference
from agent_lsp.tools.outcomes import capped

MOST_MENTIONS = 20
"""That are fetched for one message; what more it points to, the model can look at itself."""
MOST_WORDS = 500
"""In one message, that may be mentions and are looked up."""
MOST_CHARACTERS = 100_000
"""Of all that one message points to."""
_PIECE = 30_000
"""Characters of one page, output or difference."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """What became of one thing that was pointed to. `problem` is a sentence for user and model."""

    text: str = ""
    images: tuple[str, ...] = ()
    problem: str = ""
    path: str = ""
    """Of a file or folder, as it is shown."""


@dataclass(frozen=True, slots=True)
class Attached:
    """All that is to be told of some words."""

    texts: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class Paths(Protocol):
    """Files and folders, as far as the user's word opens them to the model."""

    async def mentioned(self, mention: PathMention) -> Attachment | None:
        """Give what stands there; None where there is nothing and the mention may be none."""
        ...

    async def referred(self, reference: ContextReference) -> Attachment: ...


@dataclass(frozen=True, slots=True)
class World:
    """What can be pointed to beside files. Each gives an attachment, or one with a problem."""

    problems: Callable[[], Awaitable[Attachment]]
    terminal: Callable[[], Attachment]
    changes: Callable[[], Awaitable[Attachment]]
    commit: Callable[[str], Awaitable[Attachment | None]]
    """None where there is no such commit: the word may mean something else."""
    page: Callable[[str], Awaitable[Attachment]]


@dataclass(slots=True)
class Attaching:
    """One task's. Words are heard as they come, and what they point to is fetched before the next request."""

    paths: Paths
    world: World
    _mentions: dict[Mention, None] = field(default_factory=dict[Mention, None])
    _references: dict[ContextReference, None] = field(default_factory=dict[ContextReference, None])

    def hear(self, text: str) -> None:
        self._mentions |= dict.fromkeys(mentions(text))

    def refer(self, references: Sequence[ContextReference]) -> None:
        self._references |= dict.fromkeys(references)

    def clear(self) -> None:
        """Take it that all that was heard has been told."""
        self._mentions.clear()
        self._references.clear()

    async def fetched(self) -> Attached:
        """Fetch what was pointed to since it was last cleared."""
        found, left = [(_name(one), await self.paths.referred(one)) for one in self._references], list[str]()
        for mention in list(self._mentions)[:MOST_WORDS]:
            if len(found) >= MOST_MENTIONS:
                left += [mention.text] if _is_sure(mention) else []
            elif attachment := await self._mentioned(mention):
                found.append((mention.text, attachment))
        return _gathered(found, left)

    async def _mentioned(self, mention: Mention) -> Attachment | None:
        match mention:
            case PathMention():
                return await self.paths.mentioned(mention)
            case CommitMention():
                return await self.world.commit(mention.commit)
            case PageMention():
                return await self.world.page(mention.url)
            case NamedMention(name="problems"):
                return await self.world.problems()
            case NamedMention(name="terminal"):
                return self.world.terminal()
            case NamedMention():
                return await self.world.changes()


def _is_sure(mention: Mention) -> bool:
    return mention.is_sure if isinstance(mention, PathMention) else not isinstance(mention, CommitMention)


def _name(reference: ContextReference) -> str:
    if reference.start_line is None:
        return reference.uri
    return f"{reference.uri}:{reference.start_line}-{reference.end_line or reference.start_line}"


def _gathered(found: Sequence[tuple[str, Attachment]], left: Sequence[str]) -> Attached:
    """Put the attachments into words, each once, as many as fit."""
    texts, images, problems, room = list[str](), list[str](), list[str](), MOST_CHARACTERS
    seen = set[tuple[str, str]]()
    for name, attachment in found:
        if attachment.problem:
            problems.append(f"{one_line(name)}: {attachment.problem}")
        text = capped(attachment.text, _PIECE) if not attachment.path else attachment.text
        if (attachment.path, text) in seen or not (text or attachment.images):
            continue
        seen.add((attachment.path, text))
        if len(text) > room:
            left = [name, *left]
            continue
        room -= len(text)
        texts.append(_worded(name, attachment.path, text))
        images += attachment.images
    problems += _left_out(left)
    notes = [f"<attached>\n{problem}\n</attached>" for problem in problems]
    return Attached((*texts, *notes), tuple(images), tuple(problems))


def _worded(name: str, path: str, text: str) -> str:
    """Mark what is attached; nothing in it can end the mark."""
    place = f" path={_quoted(path)}" if path else ""
    inner = text.replace("</attached", "<\\/attached")
    return f"<attached from={_quoted(name)}{place}>\n{inner}\n</attached>"


def _quoted(name: str) -> str:
    return '"' + one_line(name).replace('"', "'") + '"'


def _left_out(names: Sequence[str]) -> Iterator[str]:
    if names:
        listed = ", ".join(map(one_line, names[:10])) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
        yield f"Not attached, since that would be too much at once: {listed}."
