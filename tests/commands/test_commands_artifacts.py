import asyncio
import contextlib
from pathlib import Path

import psutil
import pytest
from command_fakes import FakeArtifacts
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_lsp.domain.commands import Artifact, MatchingLines, Page
from agent_lsp.domain.errors import FileProblem
from agent_lsp.tools.read_command_output import WAIT, ReadCommandOutput
from agent_lsp.workspace import commands_artifacts
from agent_lsp.workspace.commands_artifacts import PAGE_BYTES, Artifacts
from agent_lsp.workspace.commands_search import matching_lines


def kept(folder: Path, text: str) -> Artifacts:
    (folder / "cmd-1.txt").write_text(text)
    return Artifacts(folder)


async def pages(artifacts: Artifacts, limit: int) -> list[Page]:
    found = [await artifacts.page("cmd-1", 0, limit)]
    while (offset := found[-1].next_offset) is not None:
        found.append(await artifacts.page("cmd-1", offset, limit))
    return found


def test_names_count_on_from_what_is_kept(tmp_path):
    (tmp_path / "cmd-7.txt").touch()
    (tmp_path / "cmd-x.txt").touch()
    artifacts = Artifacts(tmp_path)

    assert [artifacts.new(), artifacts.new()] == [
        Artifact("cmd-8", tmp_path / "cmd-8.txt"),
        Artifact("cmd-9", tmp_path / "cmd-9.txt"),
    ]


def test_a_folder_that_is_not_there_yet_holds_nothing(tmp_path):
    assert Artifacts(tmp_path / "none").new().id == "cmd-1"


async def test_a_short_output_is_one_page(tmp_path):
    assert await kept(tmp_path, "a\nb\n").page("cmd-1", 0, 100) == Page("a\nb\n", 0, 4)


async def test_a_page_is_whole_lines(tmp_path):
    assert await kept(tmp_path, "one\ntwo\nthree\n").page("cmd-1", 4, 8) == Page("two\n", 4, 14, 8)


async def test_no_page_is_longer_than_a_result_bears(tmp_path):
    page = await kept(tmp_path, "x" * 100_000).page("cmd-1", 0, 1_000_000)

    assert page == Page("x" * PAGE_BYTES, 0, 100_000, PAGE_BYTES)


async def test_behind_the_end_there_is_nothing(tmp_path):
    assert await kept(tmp_path, "a").page("cmd-1", 9, 10) == Page("", 9, 1)


async def test_an_offset_within_a_character_starts_at_the_next(tmp_path):
    assert (await kept(tmp_path, "é語x").page("cmd-1", 1, 100)).text == "語x"


@settings(max_examples=50)
@given(st.text(st.sampled_from("aé語🙂\n"), max_size=40), st.integers(4, 12))
def test_pages_together_are_the_whole(tmp_path_factory, text, limit):
    found = asyncio.run(pages(kept(tmp_path_factory.mktemp("pages"), text), limit))

    assert "".join(page.text for page in found) == text


IDS = [
    "cmd-2",
    "cmd-0",
    "cmd-01",
    "cmd-",
    "cmd--1",
    "../cmd-1",
    "cmd-1.txt",
    "cmd-1/../cmd-1",
    "",
    "/etc/passwd",
    "cmd-1\0",
    "cmd-１",
    "cmd-1\n",
]


@pytest.mark.parametrize("artifact_id", IDS)
async def test_no_other_name_leads_to_a_file(tmp_path, artifact_id):
    artifacts = kept(tmp_path, "a\n")

    with pytest.raises(FileProblem, match="There is no kept output"):
        await artifacts.page(artifact_id, 0, 10)
    with pytest.raises(FileProblem, match="There is no kept output"):
        await artifacts.search(artifact_id, "a")


async def test_a_link_is_no_kept_output(tmp_path):
    (tmp_path / "secret").write_text("x")
    (tmp_path / "cmd-1.txt").symlink_to(tmp_path / "secret")

    with pytest.raises(FileProblem, match="There is no kept output"):
        await Artifacts(tmp_path).page("cmd-1", 0, 10)


SEARCHES = {
    "a word": ("two", ("2: two",), False),
    "a pattern": ("^t", ("2: two", "3: three"), False),
    "no match": ("four", (), False),
    "not across lines": ("one.two", (), False),
    "every line": ("", ("1: one", "2: two", "3: three", "4: "), False),
    "an option's look": ("-e", (), False),
}


@pytest.mark.parametrize(("pattern", "lines", "is_cut"), SEARCHES.values(), ids=SEARCHES)
async def test_a_search_gives_the_lines_that_match(tmp_path, pattern, lines, is_cut):
    assert await kept(tmp_path, "one\ntwo\nthree\n\n").search("cmd-1", pattern) == MatchingLines(lines, is_cut)


async def test_more_matches_than_a_result_bears_are_cut_and_said(tmp_path):
    found = await kept(tmp_path, "match\n" * 10_000).search("cmd-1", "match")

    assert found.is_cut
    assert sum(len(line) + 1 for line in found.lines) <= PAGE_BYTES


def test_long_lines_are_cut():
    assert list(matching_lines(["x" * 1_000 + "\n"], "x", 10_000)) == ["1: " + "x" * 500, ""]


async def test_a_broken_expression_is_told(tmp_path):
    with pytest.raises(FileProblem, match="The expression cannot be read"):
        await kept(tmp_path, "a\n").search("cmd-1", "(")


async def test_an_expression_that_never_ends_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(commands_artifacts, "SEARCH_SECONDS", 0.2)

    with pytest.raises(FileProblem, match="took too long"):
        await kept(tmp_path, "a" * 60 + "!\n").search("cmd-1", "(a+)+$")

    assert psutil.Process().children() == []


async def test_a_cancelled_search_leaves_no_process(tmp_path):
    search = asyncio.ensure_future(kept(tmp_path, "a" * 60 + "!\n").search("cmd-1", "(a+)+$"))
    async with asyncio.timeout(10):
        while not psutil.Process().children():  # noqa: ASYNC110  no event tells that a process has begun
            await asyncio.sleep(0.01)

    search.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await search

    assert psutil.Process().children() == []


TOLD = {
    "a page": ({"artifact_id": "cmd-1"}, "[bytes 0 to 50 of 100; go on at offset 50]\ncmd-1 0 28000\n"),
    "a part": (
        {"artifact_id": "cmd-1", "offset": "7", "limit": "9"},
        "[bytes 7 to 50 of 100; go on at offset 50]\ncmd-1 7 9\n",
    ),
    "behind the end": ({"artifact_id": "cmd-1", "offset": 100}, "[the output has 100 bytes; nothing is at offset 100]"),
    "a search": ({"artifact_id": "cmd-1", "search": "x"}, "1: x\n[there are more matches: narrow the search]"),
}


@pytest.mark.parametrize(("arguments", "text"), TOLD.values(), ids=TOLD)
async def test_the_model_is_told_what_it_reads_and_how_to_go_on(arguments, text):
    read = ReadCommandOutput.Arguments.model_validate(arguments)

    assert (await ReadCommandOutput(FakeArtifacts()).run(read, "call-1")).text == text


async def test_who_reads_the_same_again_is_told_how_to_wait() -> None:
    read, other = (ReadCommandOutput.Arguments(artifact_id=name) for name in ("cmd-1", "cmd-2"))
    tool = ReadCommandOutput(FakeArtifacts())

    outcomes = [await tool.run(arguments, "call") for arguments in (read, read, other, read)]

    assert [outcome.has_news for outcome in outcomes] == [True, False, True, True]
    assert [WAIT in outcome.text for outcome in outcomes] == [False, True, False, False]
