"""The client as it announced itself in `initialize`, looked at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast
from urllib.parse import unquote, urlsplit

from agent_lsp.domain.encoding import Json
from agent_lsp.lsp.capabilities import dig, is_object, position_encoding, registers_completion

Encoding = Literal["utf-8", "utf-16", "utf-32"]


@dataclass(frozen=True, slots=True)
class Client:
    """What this client can do. Whatever it did not say, it cannot."""

    name: str = ""
    process_id: int | None = None
    encoding: Encoding = "utf-16"
    roots: tuple[Path, ...] = ()
    options: Json = field(default_factory=dict[str, object])
    """`initializationOptions`, as they came."""
    agent: frozenset[str] | None = None
    """The markers it announced; None for a client that does not know the agent."""
    takes_edits: bool = False
    takes_document_changes: bool = False
    resource_operations: frozenset[str] = frozenset()
    takes_edit_metadata: bool = False
    takes_annotations: bool = False
    shows_documents: bool = False
    refreshes_contents: bool = False
    refreshes_lenses: bool = False
    takes_action_literals: bool = False
    registers_completion: bool = False
    """Takes the registration of completion later, for some documents only."""
    hides_command_results: bool = False
    """Shows its user neither what a command answers nor with what it fails."""
    has_progress: bool = False
    has_configuration: bool = False
    trace: str = "off"

    @property
    def is_helix(self) -> bool:
        return self.name == "helix"

    @property
    def is_neovim(self) -> bool:
        return self.name.lower().startswith(("neovim", "nvim"))

    def announces(self, marker: str) -> bool:
        return self.agent is not None and marker in self.agent


def read_client(params: Mapping[str, object]) -> Client:
    """Read the parameters of `initialize`. Fields of unknown shape count as absent."""
    workspace = dig(params, "capabilities", "workspace")
    agent = dig(params, "capabilities", "experimental", "agent")
    options = params.get("initializationOptions")
    process_id = params.get("processId")
    is_neovim = str(dig(params, "clientInfo", "name")).lower().startswith(("neovim", "nvim"))
    is_helix = dig(params, "clientInfo", "name") == "helix"
    return Client(
        name=_text(dig(params, "clientInfo", "name")),
        process_id=process_id if isinstance(process_id, int) else None,
        encoding=cast("Encoding", position_encoding(params)),  # One of ours, by that function's own table.
        roots=_roots(params),
        options=cast("Json", options) if isinstance(options, dict) else {},
        agent=frozenset(cast("Json", agent)) if isinstance(agent, dict) else None,
        takes_edits=dig(workspace, "applyEdit") is True,
        # Neovim does not announce it and handles it.
        takes_document_changes=is_neovim or dig(workspace, "workspaceEdit", "documentChanges") is True,
        resource_operations=frozenset(_texts(dig(workspace, "workspaceEdit", "resourceOperations"))),
        takes_edit_metadata=dig(workspace, "workspaceEdit", "metadataSupport") is True,
        takes_annotations=not is_neovim and is_object(dig(workspace, "workspaceEdit", "changeAnnotationSupport")),
        # Helix 25.01 does not announce it and handles it.
        shows_documents=is_helix or dig(params, "capabilities", "window", "showDocument", "support") is True,
        refreshes_contents=is_object(dig(workspace, "textDocumentContent")),
        refreshes_lenses=dig(workspace, "codeLens", "refreshSupport") is True,
        takes_action_literals=is_object(
            dig(params, "capabilities", "textDocument", "codeAction", "codeActionLiteralSupport")
        ),
        registers_completion=registers_completion(params),
        hides_command_results=is_helix,  # They go into its log.
        has_progress=dig(params, "capabilities", "window", "workDoneProgress") is True,
        has_configuration=dig(workspace, "configuration") is True,
        trace=_text(params.get("trace")) or "off",
    )


def path_of(uri: str) -> Path | None:
    """The path of a file URI; None for other schemes."""
    parts = urlsplit(uri)
    return Path(unquote(parts.path)) if parts.scheme == "file" and parts.path else None


def _roots(params: Mapping[str, object]) -> tuple[Path, ...]:
    folders = params.get("workspaceFolders")
    uris = [_text(dig(folder, "uri")) for folder in cast("list[object]", folders)] if isinstance(folders, list) else []
    roots = tuple(path for uri in uris if (path := path_of(uri)))
    if roots:
        return roots
    root = path_of(_text(params.get("rootUri")))
    root_path = _text(params.get("rootPath"))
    if root is None and root_path:
        root = Path(root_path)
    return (root,) if root else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [item for item in cast("list[object]", value) if isinstance(item, str)] if isinstance(value, list) else []
