"""The text of web pages, as a person would read it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.providers.page_text import page_text
from support.timing import cpu_seconds

HTML = "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p><p>Two<br>three</p>", "One\n\nTwo\nthree"),
        ("<title>Shop</title><h2>Open</h2>now", "Shop\n\n## Open\nnow"),
        ("<ul><li>a<li><b>b</b> c</ul>", "- a\n- b c"),
        ("<table><tr><th>a<td>b</tr></table>", "| a | b"),
        ("a &amp; b&nbsp;&#x41;", "a & b A"),
        ("<pre>def f():\n    return 1\n</pre>", "def f():\n    return 1"),
        ("a<script>if (a < b) {}</script>b<style>p {}</style><svg><text>x</text></svg>", "ab"),
        ("<noscript><noscript>x</noscript>y</noscript>z", "z"),
        ("a<!-- b -->c", "ac"),
        ("<p>not closed", "not closed"),
        ("<script>'<script>'</script>a", "a"),
        ("a<!-- never closed", "a"),
        ("a<script>never closed", "a"),
        ('<a title="x > y">b</a> 1 < 2 &lt;3', "b 1 < 2 <3"),
        ("<!doctype html><?xml ?></>a<p class='", "a"),
        ("<P>A</P><SCRIPT>x</Script>b", "A\nb"),
        ("", ""),
    ],
)
def test_page_reads_as_a_person_sees_it(html: str, text: str) -> None:
    assert page_text(html.encode(), HTML) == text


@pytest.mark.parametrize(
    ("content", "content_type", "text"),
    [
        (b'{"a": 1}', "application/json", '{"a": 1}'),
        (b'{"a": 1}', "application/ld+json; charset=utf-8", '{"a": 1}'),
        (b"# Hi\n", "text/markdown", "# Hi"),
        ("é".encode("latin-1"), "text/plain; charset=iso-8859-1", "é"),
        ("é".encode(), "text/plain; charset=nonsense", "é"),
        ("<meta charset='windows-1252'>€".encode("cp1252"), "text/html", "€"),
        (b"\xff\xfe", "text/plain", "\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"),
        (b"plain", "", "plain"),
        (b"\0\1", "", None),
        (b"\x89PNG", "image/png", None),
        (b"%PDF", "application/pdf", None),
    ],
)
def test_what_is_text_is_read(content: bytes, content_type: str, text: str | None) -> None:
    assert page_text(content, content_type) == text


@given(st.text(alphabet=st.sampled_from(list("<>/!-&;\"' abpre=script")), max_size=80))
def test_any_page_is_read(html: str) -> None:
    assert page_text(html.encode(), HTML) is not None


@pytest.mark.parametrize(
    "piece",
    ["<p>", "a ", "<li><b>x</b>", "&amp;", "<td>", "<", "<!--", "<a '", '<a ">', "<script>", "<svg><svg>", "</"],
)
def test_long_pages_are_read_in_linear_time(piece: str) -> None:
    short, long = (piece * 2_000).encode(), (piece * 16_000).encode()

    assert cpu_seconds(lambda: page_text(long, HTML)) < 24 * cpu_seconds(lambda: page_text(short, HTML))
