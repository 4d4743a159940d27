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
