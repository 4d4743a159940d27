"""The text of a web page, as a person would read it. Pure; what cannot be read as text is none."""

import re
from collections.abc import Sequence
from html.parser import HTMLParser

_HIDDEN = frozenset(
    ("script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "select", "button")
)
_BLOCK = re.compile(
    "address|article|aside|blockquote|body|br|caption|dd|details|div|dl|dt|figcaption|figure|footer|form|h[1-6]|head|"
    "header|hr|li|main|nav|ol|p|pre|section|summary|table|tbody|tfoot|thead|title|tr|ul"
)
_HEADING = re.compile(r"h([1-6])")
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


def _html_text(html: str) -> str:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    """Gathers the words of a page; headings, entries of lists and code keep their looks."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._hidden: str | None = None
        self._depth = 0
        self._is_code = False

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        del attrs
        if self._hidden:
            self._depth += tag == self._hidden
        elif tag in _HIDDEN:
            self._hidden, self._depth = tag, 1
        elif _BLOCK.fullmatch(tag):
            self._begin(tag)
        elif tag in ("td", "th"):
            self._pieces.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            self._depth -= tag == self._hidden
            self._hidden = self._hidden if self._depth else None
        elif _BLOCK.fullmatch(tag):
            self._is_code = self._is_code and tag != "pre"
            self._pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._pieces.append(data if self._is_code else re.sub(r"\s+", " ", data))

    def text(self) -> str:
        lines = (line.rstrip() for line in "".join(self._pieces).split("\n"))
        lines = (line if line.startswith("    ") else line.strip() for line in lines)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def _begin(self, tag: str) -> None:
        self._is_code = self._is_code or tag == "pre"
        heading = _HEADING.fullmatch(tag)
        mark = f"\n{'#' * int(heading[1])} " if heading else "- " if tag == "li" else ""
        self._pieces.append(f"\n{mark}")
