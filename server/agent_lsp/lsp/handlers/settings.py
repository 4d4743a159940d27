"""Settings and workspace folders as the client changes them."""

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types

from agent_lsp.lsp.client import path_of
from agent_lsp.lsp.configuration import joined, settings_in
from agent_lsp.lsp.server import AgentServer


def register(server: AgentServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        pushed = settings_in(params.settings)
        if pushed:
            server.configure(joined(settings_in(server.client.options), pushed))
        else:
            server.pull_configuration()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.change_roots(added=_paths(params.event.added), removed=_paths(params.event.removed))


def _paths(folders: Sequence[types.WorkspaceFolder]) -> tuple[Path, ...]:
    return tuple(path for folder in folders if (path := path_of(folder.uri)))
