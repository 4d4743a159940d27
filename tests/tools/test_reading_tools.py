"""Reading, listing and searching: nothing before the yes, and no more than a model bears."""

import io
import zipfile
from base64 import b64encode

import pytest
from tool_fakes import NO, Workshop

from agent_lsp.domain.approvals import Decision, Deed
from agent_lsp.domain.errors import FileMissing, FileProblem
from agent_lsp.domain.files import Hit, Listing, SearchHits, Standing
from agent_lsp.domain.turns import After, Outcome
from agent_lsp.tools.docx import docx_text
from agent_lsp.tools.list_files import ListFiles
from agent_lsp.tools.outcomes import OUTPUT_LIMIT
from agent_lsp.tools.read_file import ReadFile
from agent_lsp.tools.reading import Shown
from agent_lsp.tools.search_files import SearchFiles

READ = {
    "whole": ("a\nb\n", 1, 2000, "1 | a\n2 | b"),
    "no final newline": ("a\nb", 1, 2000, "1 | a\n2 | b"),
    "blank lines": ("\n\na\n", 1, 2000, "1 | \n2 | \n3 | a"),
    "CR LF": ("a\r\nb\r\n", 1, 2000, "1 | a\n2 | b"),
    "other line ends are text": ("a\x0cb\u2028c\n", 1, 2000, "1 | a\x0cb\u2028c"),
    "empty": ("", 1, 2000, "(the file is empty)"),
    "from a line on": ("a\nb\nc\n", 2, 2000, "[Lines 2-3 of 3]\n2 | b\n3 | c"),
    "some lines": ("a\nb\nc\n", 1, 2, "[Lines 1-2 of 3; go on with offset=3]\n1 | a\n2 | b"),
    "in the middle": ("a\nb\nc\n", 2, 1, "[Lines 2-2 of 3; go on with offset=3]\n2 | b"),
    "offset 0 is the first line": ("a\n", 0, 2000, "1 | a"),
    "long line": ("x" * 2001 + "\n", 1, 2000, "1 | " + "x" * 2000 + " [1 more characters in this line]"),
}


@pytest.mark.parametrize(("text", "offset", "limit", "shown"), READ.values(), ids=READ)
async def test_file_is_read_with_line_numbers(text: str, offset: int, limit: int, shown: str) -> None:
    assert await Workshop({"a.txt": text}).read("a.txt", offset, limit) == Outcome(shown)


@pytest.mark.parametrize(("line", "count"), [("x", 5000), ("x" * 100, 5000), ("x" * 1_000_000, 40)])
async def test_following_the_banners_shows_every_line_once(line: str, count: int) -> None:
    workshop = Workshop({"a.txt": f"{line}\n" * count})
    offset, numbers = 1, list[int]()

    while offset:
        outcome = await workshop.read("a.txt", offset)
        banner, *rows = outcome.text.split("\n")
        assert len(outcome.text) <= OUTPUT_LIMIT
        numbers += [int(row.partition(" | ")[0]) for row in rows]
        offset = int(banner.partition("offset=")[2].rstrip("]") or 0)

    assert numbers == list(range(1, count + 1))


NAMESAKES = {
    "elsewhere": (("src/", "src/app.py", "app.pyc"), "app.py", " Of this name there is src/app.py."),
    "in another folder": (("src/app.py",), "lib/app.py", " Of this name there is src/app.py."),
    "in other letters": (("src/App.py",), "app.py", " Of this name there is src/App.py."),
    "more than three": (tuple(f"{n}/a" for n in range(9)), "a", " Of this name there is 0/a, 1/a, 2/a."),
    "a folder": (("app.py/", "app.py/b"), "app.py", ""),
    "nowhere": (("b.py",), "app.py", ""),
}


@pytest.mark.parametrize(("entries", "path", "told"), NAMESAKES.values(), ids=NAMESAKES)
async def test_who_looks_in_the_wrong_folder_is_told_where_the_file_is(
    entries: tuple[str, ...], path: str, told: str
) -> None:
    workshop = Workshop()
    workshop.files.listing = Listing(entries, 0)

    with pytest.raises(FileMissing) as raised:
        await workshop.read(path)

    assert str(raised.value) == f"{path} does not exist.{told}"


async def test_offset_past_the_end_says_how_long_the_file_is() -> None:
    with pytest.raises(FileProblem, match="offset 9 is past the end: the file has 2 lines"):
        await Workshop({"a.txt": "a\nb\n"}).read("a.txt", 9)


async def test_nothing_is_read_before_it_may_be() -> None:
    workshop = Workshop({"a.txt": "secret\n"}, NO)
    workshop.files.standings["a.txt"] = Standing.OUTSIDE

    outcome = await workshop.read("a.txt", 5)

    [action] = workshop.gate.actions
    assert action.body == {"tool": "readFile", "path": "a.txt", "isOutsideWorkspace": True, "startLine": 5}
    assert (action.deed, action.places) == (Deed.READ, (workshop.files.locate("a.txt", "read"),))
    assert (outcome.after, workshop.log) == (After.REJECTED, ["decide"])


async def test_words_with_a_yes_to_a_read_reach_the_model() -> None:
    workshop = Workshop({"a.txt": "a\n"}, Decision(is_approved=True, by="user", text="mind line 1"))

    outcome = await workshop.read("a.txt")

    assert outcome.text == "1 | a\n\nThe user approved this and says:\nmind line 1"


PICTURES = {
    "a.png": (b"\x89PNG\r\n\x1a\n\0", "png"),
    "a.JPG": (b"\xff\xd8\xff\xe0", "jpeg"),
    "a.gif": (b"GIF89a\0", "gif"),
    "a.webp": (b"RIFF\0\0\0\0WEBPVP8 ", "webp"),
    "really-a.png": (b"\xff\xd8\xff\xe0", "jpeg"),
}


@pytest.mark.parametrize(("path", "picture"), PICTURES.items(), ids=PICTURES)
async def test_picture_is_shown_as_what_it_is(path: str, picture: tuple[bytes, str]) -> None:
    workshop = Workshop()
    content, kind = picture
    workshop.files.content[path] = content

    outcome = await workshop.read(path)

    assert outcome == Outcome(f"The picture {path}:", (f"data:image/{kind};base64,{b64encode(content).decode()}",))


UNREADABLE = {
    "no picture": ("a.png", b"<html>", "a.png is named like a picture, but is none"),
    "a huge picture": ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(5_000_000), "too large"),
    "a PDF": ("a.pdf", b"%PDF-1.7", "a.pdf is a PDF"),
    "a binary": ("a.bin", b"\0\1", "a.bin is a binary file"),
    "no Word document": ("a.docx", b"PK", "a.docx cannot be read as a Word document"),
}


@pytest.mark.parametrize(("path", "content", "fault"), UNREADABLE.values(), ids=UNREADABLE)
async def test_file_that_cannot_be_shown_is_refused_by_name(path: str, content: bytes, fault: str) -> None:
    workshop = Workshop()
    workshop.files.content[path] = content

    with pytest.raises(FileProblem, match=fault):
        await workshop.read(path)


async def test_picture_is_not_sent_to_a_model_that_cannot_see() -> None:
    workshop = Workshop({"a.png": "x"})
    tool = ReadFile(workshop.files, workshop.gate, Shown(workshop.files, sees_images=lambda: False))

    with pytest.raises(FileProblem, match="cannot see"):
        await tool.run(ReadFile.Arguments(path="a.png"), "c1")


def document(xml: str, name: str = "word/document.xml") -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, xml)
    return content.getvalue()


async def test_word_document_is_read_as_its_paragraphs() -> None:
    xml = (
        '<w:body><w:p><w:r><w:t xml:space="preserve">Tom &amp; </w:t></w:r><w:r><w:t>Jerry</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p></w:body>"
    )
    workshop = Workshop()
    workshop.files.content["a.docx"] = document(xml)

    outcome = await workshop.read("a.docx")

    assert outcome == Outcome("1 | Tom & Jerry\n2 | a\tb\n3 | c")


@pytest.mark.parametrize(
    ("content", "fault"),
    [(document("<w:t>a</w:t>", "other.xml"), "cannot be read"), (document(" " * 20_000_001), "too much text")],
)
def test_word_document_that_is_none_or_a_bomb_is_refused(content: bytes, fault: str) -> None:
    with pytest.raises(FileProblem, match=fault):
        docx_text(content, "a.docx")


@pytest.mark.parametrize(("recursive", "word"), [(False, "listFilesTopLevel"), (True, "listFilesRecursive")])
async def test_folder_is_listed_once_it_may_be(recursive: bool, word: str) -> None:
    workshop = Workshop()
    workshop.files.listing = Listing(("src/", "a.txt"), 0)

    outcome = await ListFiles(workshop.files, workshop.gate).run(
        ListFiles.Arguments(path=".", recursive=recursive), "c1"
    )

    assert workshop.gate.actions[0].body == {"tool": word, "path": "."}
    assert workshop.log == ["decide", f"list . {recursive} 1000"]
    assert outcome == Outcome("src/\na.txt")


@pytest.mark.parametrize(
    ("listing", "shown"),
    [
        (Listing((), 0), "(the folder is empty, or all in it is ignored)"),
        (Listing(("a", "b"), 1500), "[2 of 1,502 entries; list a folder below for the rest]\na\nb"),
    ],
)
async def test_listing_says_what_it_leaves_out(listing: Listing, shown: str) -> None:
    workshop = Workshop()
    workshop.files.listing = listing

    outcome = await ListFiles(workshop.files, workshop.gate).run(ListFiles.Arguments(path="."), "c1")

    assert outcome == Outcome(shown)


async def test_nothing_is_listed_or_searched_after_a_no() -> None:
    workshop = Workshop(None, NO, NO)

    listed = await ListFiles(workshop.files, workshop.gate).run(ListFiles.Arguments(path="."), "c1")
    searched = await SearchFiles(workshop.files, workshop.gate).run(SearchFiles.Arguments(path=".", regex="a"), "c2")

    assert (listed.after, searched.after) == (After.REJECTED, After.REJECTED)
    assert workshop.log == ["decide", "decide"]


async def test_matches_are_shown_with_their_neighbours_file_by_file() -> None:
    workshop = Workshop()
    workshop.files.found = SearchHits(
        (
            Hit("a.py", ((1, "one", False), (2, "two x", True), (3, "three x", False))),
            Hit("a.py", ((2, "two x", False), (3, "three x", True), (4, "four", False))),
            Hit("a.py", ((9, "nine x", True),)),
            Hit("b.py", ((1, "x", True),)),
        ),
        4,
        is_cut=False,
    )
    arguments = SearchFiles.Arguments(path="src", regex="x$", file_pattern="*.py")

    outcome = await SearchFiles(workshop.files, workshop.gate).run(arguments, "c1")

    body = {"tool": "searchFiles", "path": "src", "regex": "x$", "filePattern": "*.py"}
    assert workshop.gate.actions[0].body == body
    assert workshop.log == ["decide", "search src x$ *.py 300"]
    assert outcome.text == (
        "4 matching lines\n\na.py\n1- one\n2: two x\n3: three x\n4- four\n--\n9: nine x\n\nb.py\n1: x"
    )


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (SearchHits((), 0, is_cut=False), "No matches."),
        (
            SearchHits((Hit("a", ((1, "x", True),)),), 300, is_cut=True),
            "300 matching lines (there are more: narrow the pattern, the path or file_pattern)\n\na\n1: x",
        ),
    ],
)
async def test_search_says_what_it_leaves_out(found: SearchHits, shown: str) -> None:
    workshop = Workshop()
    workshop.files.found = found

    outcome = await SearchFiles(workshop.files, workshop.gate).run(SearchFiles.Arguments(path=".", regex="x"), "c1")

    assert outcome == Outcome(shown)
