"""Lists of models, in whatever shape services give them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.providers.listing import ListedModel, ModelList, listed_models
from agent_lsp.providers.services import bearer


@pytest.mark.parametrize(
    ("whole", "models"),
    [
        ({"data": []}, ()),
        ({"data": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}, (ListedModel("a"), ListedModel("b"))),
        ({"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 1}]}, (ListedModel("qwen3:8b"),)),
        ([{"id": "a"}], (ListedModel("a"),)),
        ({"data": [{"id": "models/gemini-2.5-pro"}]}, (ListedModel("gemini-2.5-pro"),)),
        ({"data": [{"id": "a", "max_model_len": 32768}]}, (ListedModel("a", 32768),)),
        ({"data": [{"id": "a", "context_length": 8192}]}, (ListedModel("a", 8192),)),
        ({"data": [{"id": "a", "meta": {"n_ctx_train": 131072, "n_ctx": 4096}}]}, (ListedModel("a", 4096),)),
        ({"data": [{"id": "a", "meta": "x", "context_window": True}]}, (ListedModel("a"),)),
        ({"data": [{"id": "a", "context_length": -1, "context_window": 5}]}, (ListedModel("a", 5),)),
        ({"data": [7, None, {}, {"id": 3}, {"id": " "}, {"id": "\x1b[2J"}, {"id": "b"}]}, (ListedModel("b"),)),
    ],
)
def test_models_are_read(whole: Any, models: tuple[ListedModel, ...]) -> None:
    assert listed_models(json.dumps(whole).encode()) == models


@pytest.mark.parametrize(
    "content", [b"", b"<html>", b"\xff", b"7", b"null", b'{"data": {"id": "a"}}', b'{"object": "list"}', b"[" * 100_000]
)
def test_what_is_no_list_is_said_to_be_none(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        listed_models(content)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["data", "models", "id", "name", "meta"]), inner)
        ),
    )
)
def test_no_list_breaks_the_reader(whole: Any) -> None:
    try:
        models = listed_models(json.dumps(whole).encode())
    except ValueError:
        return

    assert all(model.name.isprintable() for model in models)


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://h:1/v1", "http://h:1/api/tags"),
        ("http://h:1/v1/", "http://h:1/api/tags"),
        ("http://h:1/proxy/v1", "http://h:1/proxy/api/tags"),
        ("http://h:1", "http://h:1/api/tags"),
        ("http://h:1/v1?a=b", "http://h:1/api/tags?a=b"),
    ],
)
def test_list_beside_v1_is_found(base_url: str, url: str) -> None:
    assert ModelList("/api/tags", bearer, is_beside_v1=True).url(base_url) == url
