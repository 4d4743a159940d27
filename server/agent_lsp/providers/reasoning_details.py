"""The reasoning that OpenRouter streams in pieces, put together as it wants to see it again."""

from collections.abc import Sequence

from agent_lsp.domain.encoding import Json

_GROWING = ("text", "summary", "data", "signature")
"""Fields that come in pieces; what else a piece says is said once."""


def joined_details(pieces: Sequence[Json]) -> list[Json]:
    """Join pieces of one thought: those of one type and place, one directly after the other."""
    whole: list[Json] = []
    grown: list[dict[str, list[str]]] = []
    for piece in pieces:
        if not whole or _place(whole[-1]) != _place(piece):
            whole.append({})
            grown.append({})
        for name, value in piece.items():
            if name in _GROWING and isinstance(value, str):
                grown[-1].setdefault(name, []).append(value)
            elif value is not None:
                whole[-1][name] = value
    return [
        one | {name: "".join(texts) for name, texts in parts.items()} for one, parts in zip(whole, grown, strict=True)
    ]


def _place(piece: Json) -> tuple[object, object]:
    return piece.get("type"), piece.get("index")
