"""What Helix has to be told so that the agent is part of it: the server, for which languages, and keys. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_lsp.headless.helix_config_toml import (
    Merged,
    Server,
    Setting,
    language_block,
    parse,
    quoted,
    with_server,
    with_setting,
)

SERVER = "agent-lsp"
OWN_LANGUAGES = ("markdown", "diff")
"""Of the transcripts and prompts, and of the changes that wait."""

COMMON_LANGUAGES = (
    "bash", "c", "c-sharp", "clojure", "cmake", "cpp", "css", "dart", "dockerfile", "elixir", "elm", "erlang", "fish",
    "gleam", "go", "graphql", "haskell", "hcl", "html", "java", "javascript", "json", "jsx", "julia", "just", "kotlin",
    "latex", "lua", "make", "nix", "nu", "ocaml", "perl", "php", "protobuf", "python", "r", "ruby", "rust", "scala",
    "scss", "sql", "svelte", "swift", "terraform", "toml", "tsx", "typescript", "typst", "vue", "xml", "yaml", "zig",
)  # fmt: skip
"""Those that are named where the user names none; Helix has no way to say *every language*."""

_IN_CODE = f'{{ name = "{SERVER}", only-features = ["code-action", "workspace-command", "diagnostics"] }}'
"""Whatever else a language has a server for, that one is asked for it."""

_RUN = ":lsp-workspace-command agent."
_SETTINGS = (
    Setting(("editor", "auto-save", "after-delay", "enable"), "true"),
    Setting(("editor", "auto-save", "after-delay", "timeout"), "300"),
    Setting(("editor", "lsp", "display-progress-messages"), "true"),
)
_KEYS = {
    "n": f'@{_RUN}newTask ""<left>',
    "m": f'@{_RUN}send ""<left>',
    "a": f'@{_RUN}answer ""<left>',
    "s": f'@{_RUN}showPrompt "@%{{buffer_name}}:%{{selection_line_start}}-%{{selection_line_end}}"<ret>',
    "p": f"{_RUN}showPrompt",
    "w": f"{_RUN}sendPrompt",
    "y": f"{_RUN}approve",
    "x": f"{_RUN}reject",
    "X": f'@{_RUN}reject ""<left>',
    "h": f"{_RUN}acceptHunk",
    "H": f"{_RUN}rejectHunk",
    "d": f"{_RUN}showDiff",
    "o": (":vsplit", f"{_RUN}showTranscript"),
    "c": f"{_RUN}cancel",
    "g": f"{_RUN}resume",
    "l": f"{_RUN}tasks",
    "M": f"{_RUN}mode",
    "U": f"{_RUN}restore",
}
_INSTEAD = {"n": "p", "m": "p", "s": "p", "a": "p", "X": "x"}
"""Helix 25.01 takes no arguments of commands: the words are written into the prompt document."""

FIRST_WITH_ARGUMENTS = (25, 7)


@dataclass(frozen=True, slots=True)
class Helix:
    """What is known of the editor: its version, and which servers it has by default for each language in question."""

    version: tuple[int, ...]
    servers: Mapping[str, tuple[str, ...]]


def printed(helix: Helix, command: str) -> str:
    """All of it, to be copied by hand."""
    languages = [
        "# languages.toml: to the `language-servers` of a language that you have there already, add the last one only.",
        f"[language-server.{SERVER}]",
        *(f"{setting.path[-1]} = {setting.literal}" for setting in _server(command)),
        *(f"\n{language_block(each).rstrip()}" for each in _servers(helix)),
    ]
    config = merged_config("", helix).text.rstrip()
    return "\n".join([*languages, "", "# config.toml", config, ""])


def merged_languages(text: str, helix: Helix, command: str) -> Merged:
    parse(text, "languages.toml")
    return _merged(text, [*_server(command), *_servers(helix)])


def merged_config(text: str, helix: Helix) -> Merged:
    parse(text, "config.toml")
    return _merged(text, [*_SETTINGS, *_keys(helix.version)])


def _merged(text: str, additions: Sequence[Setting | Server]) -> Merged:
    left_out: list[str] = []
    for addition in additions:
        changed = _added(text, addition)
        if changed is None:
            left_out.append(_worded(addition))
        text = text if changed is None else changed
    return Merged(text, tuple(left_out))


def _added(text: str, addition: Setting | Server) -> str | None:
    match addition:
        case Setting():
            return with_setting(text, addition)
        case Server():
            return with_server(text, addition, SERVER)


def _worded(addition: Setting | Server) -> str:
    match addition:
        case Setting():
            return f"{'.'.join(addition.path)} = {addition.literal}"
        case Server():
            return language_block(addition).rstrip()


def _server(command: str) -> Iterator[Setting]:
    yield Setting(("language-server", SERVER, "command"), quoted(command))
    yield Setting(("language-server", SERVER, "args"), '["--stdio"]')


def _servers(helix: Helix) -> Iterator[Server]:
    for language, servers in helix.servers.items():
        literal = quoted(SERVER) if language in OWN_LANGUAGES else _IN_CODE
        # Transcripts are prose, and are mostly read beside a file.
        yield Server(language, servers, literal, is_wrapped=language == "markdown")


def _keys(version: tuple[int, ...]) -> Iterator[Setting]:
    for key, binding in _KEYS.items():
        takes_arguments = version >= FIRST_WITH_ARGUMENTS
        bound = binding if takes_arguments else _KEYS[_INSTEAD.get(key, key)]
        literal = quoted(bound) if isinstance(bound, str) else f"[{', '.join(map(quoted, bound))}]"
        yield Setting(("keys", "normal", "space", "A", key), literal)
