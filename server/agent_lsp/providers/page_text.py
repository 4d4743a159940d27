"""The text of a web page, as a person would read it. Pure and linear; what cannot be read as text is none."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

_RAW = ("script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "select", "textarea", "math")
"""Nothing within these is read: it is not text, or not the page's."""
_FLAT = ("script", "style", "iframe", "textarea")
"""What looks like an element of the same kind within these is none."""
_BLOCK = re.compile(
    "address|article|aside|blockquote|body|br|caption|dd|details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|head|"
    "header|hr|li|main|nav|ol|p|pre|section|summary|table|tbody|tfoot|thead|title|tr|ul"
)
_HEADING = re.compile(r"h([1-6])")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]*)")
_TAG_END = re.compile(r"""[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*>""")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset=["']?([\w-]{1,40})""", re.IGNORECASE)


def page_text(content: bytes, content_type: str) -> str | None:
    """Give what a page says; None for what is no text."""
    kind, _, parameters = content_type.lower().partition(";")
    kind = kind.strip()
    if kind in ("text/html", "application/xhtml+xml"):
        return _html_text(_decoded(content, parameters, is_html=True))
    is_text = kind.startswith("text/") or kind.endswith(("/json", "+json", "/xml", "+xml", "/javascript", "/yaml"))
    if not is_text and (kind or b"\0" in content):
        return None
    return _decoded(content, parameters, is_html=False).strip()


def _decoded(content: bytes, parameters: str, *, is_html: bool) -> str:
    _, found, name = parameters.partition("charset=")
    if not found and is_html and (meta := _CHARSET.search(content[:4096])):
        name = meta[1].decode("ascii")
    try:
        return content.decode(name.split(";")[0].strip().strip("\"'") or "utf-8-sig", "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    is_end: bool


@dataclass(slots=True)
class _Page:
    """Gathers the words of a page; headings, entries of lists and code keep their looks."""

    pieces: list[str] = field(default_factory=list[str])
    is_code: bool = False

    def take_tag(self, tag: _Tag) -> None:
        if tag.name == "pre":
            self.is_code = not tag.is_end
        if tag.is_end and _BLOCK.fullmatch(tag.name):
            self.pieces.append("\n")
        elif tag.name in ("td", "th") and not tag.is_end:
            self.pieces.append(" | ")
        elif _BLOCK.fullmatch(tag.name):
            heading = _HEADING.fullmatch(tag.name)
            mark = f"\n{'#' * int(heading[1])} " if heading else "- " if tag.name == "li" else ""
            self.pieces.append(f"\n{mark}")

    def take_words(self, words: str) -> None:
        words = unescape(words)
        self.pieces.append(words if self.is_code else re.sub(r"\s+", " ", words))

    def text(self) -> str:
        lines = (line.rstrip() for line in "".join(self.pieces).split("\n"))
        lines = (line if line.startswith("    ") else line.strip() for line in lines)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _html_text(html: str) -> str:
    page = _Page()
    for token in _tokens(html):
        if isinstance(token, _Tag):
            page.take_tag(token)
        else:
            page.take_words(token)
    return page.text()


def _tokens(html: str) -> Iterator[_Tag | str]:
    """Part a page into tags and the words between them. What is never closed reaches to the end, as in a browser."""
    at = 0
    while 0 <= at < len(html):
        start = html.find("<", at)
        yield html[at : start if start >= 0 else len(html)]
        if start < 0:
            return
        found = _TAG.match(html, start)
        if found is None:
            at = _after_other(html, start)
            if at == start + 1:
                yield "<"
            continue
        name, end = found[2].lower(), _TAG_END.match(html, found.end())
        at = end.end() if end else _after(html, ">", found.end())
        if name in _RAW and not found[1]:
            at = _after_raw(html, name, at)
        else:
            yield _Tag(name, bool(found[1]))


def _after_other(html: str, start: int) -> int:
    """The place behind a comment or a declaration; of a bracket that begins neither, the place behind that."""
    if html.startswith("<!--", start):
        return _after(html, "-->", start)
    return _after(html, ">", start) if html[start + 1 : start + 2] in ("!", "?", "/") else start + 1


def _after_raw(html: str, name: str, at: int) -> int:
    """The place behind an element within which nothing is read, others of its kind in it included."""
    depth, edge = 1, re.compile(rf"<(/?){name}\b[^>]*>?", re.IGNORECASE)
    for found in edge.finditer(html, at) if at >= 0 else ():
        depth += -1 if found[1] else name not in _FLAT
        if not depth:
            return found.end()
    return -1


def _after(html: str, mark: str, start: int) -> int:
    found = html.find(mark, start)
    return found + len(mark) if found >= 0 else -1
