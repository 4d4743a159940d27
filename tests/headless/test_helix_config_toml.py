import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.domain.errors import BadParams
from agent_lsp.headless.helix_config_parts import Helix, merged_config, merged_languages, printed
from agent_lsp.headless.helix_config_toml import Server, Setting, parse, quoted, with_server, with_setting

AUTO_SAVE = Setting(("editor", "auto-save"), "true")
KEY = Setting(("keys", "normal", "space", "A", "y"), '":yes"')
PYTHON = Server("python", ("ruff", "pylsp"), '"agent-lsp"')
HELIX = Helix((25, 7), {"markdown": ("marksman",), "python": ("ruff",)})


@pytest.mark.parametrize(
    ("text", "setting", "merged"),
    [
        ("", AUTO_SAVE, "[editor]\nauto-save = true\n"),
        ('theme = "x"', AUTO_SAVE, 'theme = "x"\n\n[editor]\nauto-save = true\n'),
        ("[editor]\nrulers = [80]\n", AUTO_SAVE, "[editor]\nrulers = [80]\nauto-save = true\n"),
        ("[editor] # mine\n", AUTO_SAVE, "[editor] # mine\nauto-save = true\n"),
        (
            "[editor]\nrulers = []\n\n# My keys\n[keys]\n",
            AUTO_SAVE,
            "[editor]\nrulers = []\nauto-save = true\n\n# My keys\n[keys]\n",
        ),
        ("[editor]\r\na = 1\r\n", AUTO_SAVE, "[editor]\r\na = 1\r\nauto-save = true\r\n"),
        ("[ 'editor' ]\n", AUTO_SAVE, "[ 'editor' ]\nauto-save = true\n"),
        ("editor.a = 1\n", AUTO_SAVE, "editor.auto-save = true\neditor.a = 1\n"),
        ("[editor]\nauto-save = false\n", AUTO_SAVE, "[editor]\nauto-save = false\n"),
        ("[editor.auto-save]\nfocus-lost = true\n", AUTO_SAVE, "[editor.auto-save]\nfocus-lost = true\n"),
        ("editor = { a = 1 }\n", AUTO_SAVE, None),
        ("editor = 1\n", AUTO_SAVE, None),
        ("", KEY, '[keys.normal.space.A]\ny = ":yes"\n'),
        ("[keys.normal.space]\nw = 1\n", KEY, '[keys.normal.space]\nw = 1\n\n[keys.normal.space.A]\ny = ":yes"\n'),
        ("[keys.normal]\nspace.w = 1\n", KEY, '[keys.normal]\nspace.w = 1\n\n[keys.normal.space.A]\ny = ":yes"\n'),
        ("[keys.normal]\nspace.A.n = 1\n", KEY, '[keys.normal]\nspace.A.n = 1\nspace.A.y = ":yes"\n'),
        ("[keys.normal.space]\nA = 'x'\n", KEY, None),
        ('a = """\n[editor]\n"""\n', AUTO_SAVE, 'a = """\n[editor]\n"""\n\n[editor]\nauto-save = true\n'),
    ],
)
def test_setting_is_added_where_it_says_what_was_meant(text: str, setting: Setting, merged: str | None) -> None:
    assert with_setting(text, setting) == merged


FORMATTED = '[[language]]\nname = "python"\nauto-format = true\n'
C = '\n# C\n[[language]]\nname = "c"\n'


def python(servers: str) -> str:
    return f'[[language]]\nname = "python"\nlanguage-servers = {servers}\n'


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        ("", python('["ruff", "pylsp", "agent-lsp"]')),
        ("# mine\n", "# mine\n\n" + python('["ruff", "pylsp", "agent-lsp"]')),
        (python('["ty"]'), python('["ty", "agent-lsp"]')),
        (python('["ty",]'), python('["ty", "agent-lsp"]')),
        (python("[]"), python('["agent-lsp"]')),
        (python('["ty" ] # one'), python('["ty", "agent-lsp" ] # one')),
        (python('[\n  "ty",\n]'), python('[\n  "ty",\n  "agent-lsp",\n]')),
        (python('[\n  "ty"\n]'), python('[\n  "ty",\n  "agent-lsp",\n]')),
        (python('[\n  "ty", # fast\n]'), python('[\n  "ty", # fast\n  "agent-lsp",\n]')),
        (python('[\n  "ty" # fast\n]'), python('[\n  "ty" # fast\n  , "agent-lsp",\n]')),
        (python('[{ name = "ty", except-features = ["format"] }]'),
         python('[{ name = "ty", except-features = ["format"] }, "agent-lsp"]')),
        (python('["agent-lsp", "ty"]'), python('["agent-lsp", "ty"]')),
        (python('[{ name = "agent-lsp" }]'), python('[{ name = "agent-lsp" }]')),
        (f"{FORMATTED}{C}", f'{FORMATTED}language-servers = ["ruff", "pylsp", "agent-lsp"]\n{C}'),
        ('[[language]]\nname = "c"\nlanguage-servers = ["clangd"]\n' + python('["ty"]'),
         '[[language]]\nname = "c"\nlanguage-servers = ["clangd"]\n' + python('["ty", "agent-lsp"]')),
        ('language = [{ name = "python" }]\n', None),
    ],
)  # fmt: skip
def test_server_is_added_behind_those_there_are(text: str, merged: str | None) -> None:
    assert with_server(text, PYTHON, "agent-lsp") == merged


@pytest.mark.parametrize("text", ["", "plain", 'quo"ted', "it's", "both ' and \"", "a\\b", "\n\x07", "🦊"])
def test_quoted_text_is_read_back(text: str) -> None:
    assert tomllib.loads(f"v = {quoted(text)}") == {"v": text}


def test_malformed_file_is_refused_with_what_to_do() -> None:
    with pytest.raises(BadParams, match=r"config.toml is malformed, so it stays as it is: .*Correct it and try again"):
        parse("a = \n", "config.toml")


def test_what_is_in_the_way_is_told() -> None:
    merged = merged_config("[editor]\nauto-save = true\n", HELIX)

    assert merged.left_out == (
        "editor.auto-save.after-delay.enable = true",
        "editor.auto-save.after-delay.timeout = 300",
    )
    assert merged.text.startswith("[editor]\nauto-save = true\n\n[editor.lsp]\ndisplay-progress-messages = true\n")


def test_release_without_arguments_gets_keys_that_work_there() -> None:
    def keys(version: tuple[int, ...]) -> dict[str, str]:
        config = tomllib.loads(merged_config("", Helix(version, {})).text)
        return config["keys"]["normal"]["space"]["A"]

    assert keys((25, 7))["n"] == '@:lsp-workspace-command agent.newTask ""<left>'
    assert keys((25, 1))["n"] == ":lsp-workspace-command agent.showPrompt"
    assert [key for key, bound in keys((25, 1)).items() if '"' in bound] == []


def test_what_is_printed_is_what_would_be_merged() -> None:
    languages, config = printed(HELIX, "agent-lsp").split("# config.toml\n")

    assert tomllib.loads(languages) == tomllib.loads(merged_languages("", HELIX, "agent-lsp").text)
    assert tomllib.loads(config) == tomllib.loads(merged_config("", HELIX).text)


FRAGMENTS = [
    python('["ty"]'),
    python('[ # all\n "ty",\n # more\n]').replace("python", "c"),
    '[[language]]\nname = "markdown"\n# soft\nsoft-wrap.enable = true\n',
    '[language-server.ty]\ncommand = "ty"\n',
    "[language-server.agent-lsp.config]\nx = 1\n",
    "[editor.lsp]\nx = 1 # one\n",
    "[keys.normal.space]\nw = ':w'\n",
    "# a comment\n",
    "\n",
]  # fmt: skip


@given(st.permutations(FRAGMENTS), st.integers(0, len(FRAGMENTS)), st.sampled_from(["\n", "\r\n"]))
def test_every_line_of_the_users_stays_and_a_second_merge_changes_nothing(
    fragments: list[str], count: int, line_end: str
) -> None:
    text = "".join(fragments[:count]).replace("\n", line_end)

    merged = merged_languages(text, HELIX, "agent-lsp")

    rest = iter(merged.text.splitlines())
    assert all(any(own in line for line in rest) for own in map(before_bracket, text.splitlines()))
    assert (merged.left_out, merged_languages(merged.text, HELIX, "agent-lsp")) == ((), merged)
    servers = {each["name"]: each.get("language-servers") for each in tomllib.loads(merged.text)["language"]}
    assert "agent-lsp" in servers["markdown"]


@pytest.mark.parametrize(
    ("text", "wraps"),
    [
        ("", True),
        ('[[language]]\nname = "markdown"\nauto-format = true\n', None),
        ('[[language]]\nname = "markdown"\nsoft-wrap.enable = false\n', False),
    ],
)
def test_transcripts_are_wrapped_unless_the_user_has_settings_for_markdown(text: str, wraps: bool | None) -> None:
    languages = tomllib.loads(merged_languages(text, HELIX, "agent-lsp").text)["language"]

    assert [each.get("soft-wrap", {}).get("enable") for each in languages if each["name"] == "markdown"] == [wraps]


def before_bracket(line: str) -> str:
    """A line as far as nothing is put into it."""
    return line.removesuffix("]").rstrip()
