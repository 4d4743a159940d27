import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_lsp.lsp.envelope import Malformed, Notification, Reply, Request, encode_frame, read_envelope
from agent_lsp.lsp.framing import Frames


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}', Request(1, "m", [1])),
        (b'{"jsonrpc":"2.0","id":"x","method":"m"}', Request("x", "m", None)),
        (b'{"jsonrpc":"2.0","method":"m"}', Notification("m", None)),
        (b'{"jsonrpc":"2.0","id":1,"result":null}', Reply(1, None, None)),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":1}}', Reply(1, None, {"code": 1})),
        (b'{"jsonrpc":"2.0","id":1,"error":"no"}', Reply(1, None, {"message": "no"})),
        (b'{"jsonrpc":"2.0","id":null,"error":{}}', Reply(None, None, {})),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"jsonrpc":"2.0"}}', Request(1, "m", {"jsonrpc": "2.0"})),
    ],
)
def test_message_is_told_by_its_members(body: bytes, expected: object) -> None:
    assert read_envelope(body) == expected


@pytest.mark.parametrize(
    ("body", "code", "message_id"),
    [
        (b"", -32700, None),
        (b"{", -32700, None),
        (b"nothing", -32700, None),
        (b'{"a":NaN}', -32700, None),
        (b'{"a":"\xff"}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"9" * 5_000, -32700, None),
        ('{"jsonrpc":"2.0"}'.encode("utf-16"), -32700, None),
        (b"7", -32600, None),
        (b"null", -32600, None),
        (b"[]", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"1.0","id":1,"method":"m"}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":null,"method":"m"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"m"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"m"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{},"method":"m"}', -32600, None),
    ],
)
def test_what_is_no_message_gets_the_right_code(body: bytes, code: int, message_id: object) -> None:
    envelope = read_envelope(body)

    assert isinstance(envelope, Malformed)
    assert (envelope.code, envelope.id) == (code, message_id)


@given(st.binary(max_size=80))
def test_no_body_makes_reading_fail(body: bytes) -> None:
    assert read_envelope(body) is not None


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_any_text_survives_its_frame(value: Any) -> None:
    (body,) = Frames().feed(encode_frame({"value": value}))

    assert json.loads(body) == {"value": value}


def test_half_a_surrogate_pair_is_escaped() -> None:
    (body,) = Frames().feed(encode_frame({"value": "\udfff é"}))

    assert json.loads(body.decode()) == {"value": "\udfff é"}
