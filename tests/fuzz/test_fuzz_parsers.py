"""Every parser of outside input, fed real input that was spoilt: it gives an answer or its own refusal, nothing else.

`AGENT_LSP_TEST_EXAMPLES` says how many texts each gets.
"""

import codecs
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_lsp.approvals.command_rules import judge_command
from agent_lsp.approvals.prefixes import as_prefixes
from agent_lsp.domain.approvals import Verdict
from agent_lsp.domain.errors import AgentError
from agent_lsp.domain.images import checked_images
from agent_lsp.domain.mentions import mentions
from agent_lsp.extensions.command_files import filled, read_command
from agent_lsp.extensions.live_files import FoundFile
from agent_lsp.extensions.mode_files import read_modes
from agent_lsp.lsp.envelope import read_envelope
from agent_lsp.lsp.framing import Frames, FramingError, frame
from agent_lsp.lsp.patches import patched
from agent_lsp.lsp.plain.prompt_text import read_prompt, unfinished
from agent_lsp.providers import faults
from agent_lsp.providers.listing import listed_models
from agent_lsp.providers.page_text import page_text
from agent_lsp.providers.secrets import Secrets
from agent_lsp.settings.sources import read_settings
from agent_lsp.storage.lines import read_lines
from agent_lsp.tools.arguments import ArgumentScanner
from agent_lsp.tools.docx import docx_text
from agent_lsp.tools.matching.passages import Passage, replace_passage
from agent_lsp.tools.matching.patches import parse_patch
from agent_lsp.tools.matching.revision import Refusal
from agent_lsp.tools.matching.search_replace import Reading, apply_blocks
from agent_lsp.workspace.commands_screen import ScreenText
from agent_lsp.workspace.git_repository import find_repository
from agent_lsp.workspace.globs import Glob
from agent_lsp.workspace.ignore import IgnoreRules
from agent_lsp.workspace.rule_files import split_conditions
from agent_lsp.workspace.texts import decode, encode
from support.decoding import decoder_of, stream_of
from support.model_script import Answer, CallTool, Say, Think
from support.model_server import APIS
from support.written_calls import read

EXAMPLES = int(os.environ.get("AGENT_LSP_TEST_EXAMPLES", "30"))
CASES = Path(__file__).parents[1] / "cases"
FILE = "".join(f"line {number}\n" for number in range(40))


def commands() -> list[str]:
    return [json.loads(line)["command"] for line in (CASES / "commands.jsonl").read_text("utf-8").splitlines()]


def framing(content: bytes) -> None:
    for body in Frames().feed(content):
        read_envelope(body)


def judging(text: str) -> None:
    judgement = judge_command(text, as_prefixes(["ls"]), as_prefixes(["rm"]))

    # What was spoilt may still be one of the commands; but nothing with a rm in it is ever approved.
    assert judgement.verdict is not Verdict.APPROVE or "rm " not in text


def screening(text: str) -> None:
    whole, pieces = ScreenText(), ScreenText()

    shown = whole.feed(text) + whole.finish()

    assert shown == "".join(map(pieces.feed, text)) + pieces.finish()
    assert "\x1b" not in shown


def scanning(text: str) -> None:
    whole, pieces = ArgumentScanner(), ArgumentScanner()
    whole.feed(text)
    for letter in text:
        pieces.feed(letter)

    assert whole.values == pieces.values


def settling(text: str, folder: Path) -> None:
    (folder / "settings.json").write_text(text, "utf-8", "replace", newline="")
    read_settings(home=folder, roots=(), editor=None, command_line=None, is_trusted=lambda *_: False)


def globbing(text: str) -> None:
    Glob(text).takes("src/a.py")
    IgnoreRules(text.splitlines()).is_ignored(("src", "a.py"), is_folder=False)


def prompting(text: str) -> None:
    read_prompt(text, ("code", "ask"))
    unfinished(text)
    for mention in mentions(text):
        assert mention.text in text


def redacting(text: str) -> None:
    Secrets(["planted-key"]).removed_from(text)


def moding(text: str) -> None:
    for name in (".roomodes", "a.md", "a.json"):
        read_modes(FoundFile(Path(name), text, "project"))


def commanding(text: str) -> None:
    read_command(FoundFile(Path("a.md"), text, "project"))
    filled(text, text)


def refusing(content: bytes) -> None:
    told = str(faults.refused(429, {"content-type": "application/json", "retry-after": "5"}, content))

    assert told.isprintable()


def listing(content: bytes) -> None:
    try:
        listed_models(content)
    except ValueError:
        return  # How it says that this is no list.


def decoding(content: bytes) -> None:
    if decoded := decode(content):
        assert encode(decoded.text, decoded.encoding) == content


def finding(text: str, folder: Path) -> None:
    head, _, place = text.partition("|")
    (folder / "own").mkdir(exist_ok=True)
    (folder / "own" / "HEAD").write_text(head, "utf-8", "replace")
    (folder / "own" / "commondir").write_text(place, "utf-8", "replace")
    for spelt in ("gitdir: own", f"gitdir: {place}"):
        (folder / ".git").write_text(spelt, "utf-8", "replace")
        if repository := find_repository(folder):
            repository.head()
            repository.signature()


TEXTS: dict[str, tuple[list[str], Callable[[str], Any]]] = {
    "shell": (commands(), judging),
    "apply_diff": (
        ["<<<<<<< SEARCH\n:start_line:3\n-------\nline 2\n=======\nline two\n>>>>>>> REPLACE\n"],
        lambda text: apply_blocks(FILE, text, Reading()),
    ),
    "apply_patch": (
        ["*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@ x\n a\n-b\n+c\n*** End of File\n*** End Patch\n"],
        parse_patch,
    ),
    "unified diff": (["@@ -3,3 +3,3 @@\n line 2\n-line 3\n+line three\n line 4\n"], lambda text: patched(FILE, text)),
    "arguments": (['{"path":"a\\u00e9\\ud83d\\ude00","n":[1,{"x":null}],"content":"b\\n"}'], scanning),
    "screen": (["one\r\x1b[2Ktwo\b\x1b[31m3\x1b]8;;http://x\x07link\x1b[10;5H\x90q\x9c\t\n"], screening),
    "globs": (["src/**/*.{py,[jt]s}", "!a/\n/b\n\\#c\n*.o\n[!x]y\n"], globbing),
    "prompts": (["/new /code fix @src/a.py:10-20 and @https://x.example/y `@z`\n```\n@no\n```"], prompting),
    "rules": (['---\ndescription: x\nglobs: ["*.py", src/{a,b}]\npaths:\n  - "c d"\n---\nBe brief.'], split_conditions),
    "pictures": (["data:image/png;base64,iVBORw0KGgo="], lambda text: checked_images([text])),
    "edit_file": (["line 2\nline 3\n"], lambda text: replace_passage(FILE, Passage(text, "x"))),
    "calls as text": (['So: <read_file>\n<path>a</path>\n</read_file> <tool_call>{"name": 1}</tool_call>'], read),
    "modes": (
        [
            "customModes:\n  - slug: a-b\n    name: 'X'\n    roleDefinition: |\n      Be brief.\n    groups: [read, [edit, {a: b}]]"
        ],
        moding,
    ),
    "slash commands": (["---\ndescription: x\nargument-hint: [a] b\n---\nDo $1 and $ARGUMENTS 'now'\n"], commanding),
    "secrets": (["token: ab12cd34 Bearer abc123def456 https://a:b1c@d sk-aaaabbbbccccdddd1111eeee"], redacting),
}
BYTES: dict[str, tuple[list[bytes], Callable[[bytes], Any]]] = {
    "pages": (
        [b"<!doctype html><title>a&amp;b</title><script>x<'</script><ul><li class='y'>c<pre> d\n</pre><!-- e --><td>f"],
        lambda content: page_text(content, "text/html"),
    ),
    "errors of services": (
        [
            b'{"error":{"message":"m","code":"429","details":[{"retryDelay":"2s"}],"metadata":{"raw":"{}"}}}',
            b"Please try again in 2s.",
        ],
        refusing,
    ),
    "lists of models": ([b'{"data":[{"id":"m","context_length":"9"}],"models":[{"name":"m:latest"}]}'], listing),
    "encodings": ([codecs.BOM_UTF16 + "a\r\nb é\n".encode("utf-16-le"), codecs.BOM_UTF8 + b"a\r\n"], decoding),
    "framing": ([frame(b'{"jsonrpc":"2.0","id":1,"method":"x","params":{}}') * 2], framing),
    "journal": (
        [(b'{"n":1,"kind":"said","ts":5,"text":"x","crc":"00000000"}\n') * 3, b'{"n":1}\n\x00\x00\n{"n":2'],
        read_lines,
    ),
}


def spoilt(seed: Any, letters: Any) -> Any:
    """Make strategies of a text with pieces of it dropped, doubled, moved or replaced by others."""
    places = st.integers(0, len(seed))
    edits = st.lists(st.tuples(places, places, st.one_of(letters, st.just(None))), max_size=6)

    def edited(edits: list[Any]) -> Any:
        text = seed
        for first, last, new in edits:
            text = text[:first] + (text[first:last] if new is None else new) + text[last:]
        return text

    return edits.map(edited)


@pytest.mark.parametrize("name", TEXTS)
def test_a_parser_of_texts_bears_whatever_comes(name: str) -> None:
    seeds, target = TEXTS[name]
    bear(st.one_of([spoilt(seed, st.text(max_size=8)) for seed in seeds]), target)


@pytest.mark.parametrize("name", BYTES)
def test_a_parser_of_bytes_bears_whatever_comes(name: str) -> None:
    seeds, target = BYTES[name]
    bear(st.one_of([spoilt(seed, st.binary(max_size=8)) for seed in seeds]), target)


@pytest.mark.parametrize("api", APIS)
def test_a_decoder_bears_whatever_comes(api: str) -> None:
    stream = stream_of(api, Answer((Think("hm"), Say("a😀b"), CallTool("x", path="y")), piece=2))

    def decode(content: bytes) -> None:
        decoder = decoder_of(api)
        decoder.feed(content)
        decoder.end()

    bear(spoilt(stream, st.binary(max_size=8)), decode)


def test_a_reader_of_settings_bears_whatever_comes(tmp_path: Path) -> None:
    seed = json.dumps({"providers": {"a": {"type": "openai", "headers": {"x": "y"}}}, "limits": {"cost": 1}})

    bear(spoilt(seed, st.text(max_size=8)), lambda text: settling(text, tmp_path))


def test_a_reader_of_repositories_bears_whatever_comes(tmp_path: Path) -> None:
    bear(spoilt("ref: refs/heads/main|../own\0", st.text(max_size=8)), lambda text: finding(text, tmp_path))


def test_a_reader_of_word_documents_bears_whatever_comes() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", "<w:p><w:t>one</w:t><w:tab/></w:p>" * 9)

    bear(spoilt(file.getvalue(), st.binary(max_size=8)), lambda content: docx_text(content, "a.docx"))


def bear(inputs: Any, target: Callable[[Any], Any]) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much),
        database=None,
    )
    @given(inputs)
    def borne(content: Any) -> None:
        try:
            target(content)
        except (AgentError, Refusal, FramingError):
            # A parser may refuse, in words of its own.
            return

    borne()
