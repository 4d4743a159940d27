import pytest

from agent_lsp.lsp.client import Client, read_client


def test_client_that_says_nothing_can_nothing() -> None:
    assert read_client({"capabilities": {}}) == Client()


@pytest.mark.parametrize("nonsense", [None, 7, "x", [], [1], {}])
def test_nonsense_in_capabilities_counts_as_absent(nonsense: object) -> None:
    params = {
        "capabilities": {"workspace": nonsense, "window": nonsense, "general": nonsense, "experimental": nonsense},
        "clientInfo": nonsense,
        "workspaceFolders": nonsense,
        "rootPath": None,
    }

    assert read_client(params) == Client()


def test_helix_shows_documents_without_announcing_it_and_hides_what_commands_answer() -> None:
    helix = read_client({"capabilities": {}, "clientInfo": {"name": "helix"}})

    assert helix == Client(name="helix", shows_documents=True, hides_command_results=True)
