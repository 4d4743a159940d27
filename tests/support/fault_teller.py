"""How a case's steps are told in any dialect: what all dialects do alike. Each dialect's own way stands beside this."""

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

Step = dict[str, Any]


def filled(text: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(name, value)
    return text


class Teller:
    """What both dialects do alike."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.dress: dict[str, Any] = {}

    def event(self, event: Any, name: str | None = None) -> bytes:
        eol, colon = self.dress.get("eol", "\n"), ":" if self.dress.get("nospace") else ": "
        text = event if isinstance(event, str) else json.dumps(event, indent=1 if self.dress.get("multiline") else None)
        lines = [f"event{colon}{name}"] if name else []
        lines += [f"data{colon}{line}" for line in text.split("\n")]
        return "".join(line + eol for line in [*lines, ""]).encode("utf-8", "surrogatepass")

    def arguments(self, call: Step) -> str:
        given = call.get("args", "")
        return filled(given if isinstance(given, str) else json.dumps(given), self.names)

    def head(self, call: Step, key: str = "id") -> Step:
        """The id and the name of a call, as far as it has them."""
        own = {key: call["id"]} if "id" in call else {}
        return own | ({"name": filled(call["name"], self.names)} if call.get("name") is not None else {})

    def tell(self, step: Step) -> Iterator[bytes]:
        ((kind, what), *_) = step.items()
        match kind:
            case "raw" | "body":
                yield filled(what, self.names).encode("utf-8", "surrogatepass")
            case "raw_b64":
                yield base64.b64decode(what)
            case "text" | "big_text_mb":
                yield from self.text(what if kind == "text" else "z" * (what << 20))
            case "endless_text":
                while True:
                    yield from self.text("lorem ipsum " * 80)
            case _ if kind.startswith("tool"):
                yield from self.tool(kind, what)
            case "interleave" | "indices" | "same_index":
                calls = step["calls"] if kind == "indices" else what
                places = what if kind == "indices" else [0] * len(calls) if kind == "same_index" else range(len(calls))
                yield from self.several(list(zip(places, calls, strict=True)), is_mixed=kind == "interleave")
            case _:
                yield from self.own(step)

    def tool(self, kind: str, what: Any) -> Iterator[bytes]:  # Any: a call, or a piece of its arguments
        match kind:
            case "tool" | "tool_raw":
                yield from self.open(what)
                yield from self.grow(self.arguments(what))
                yield from self.close()
            case "tool_big":
                yield from self.open({**what, "id": "big"})
                yield from self.grow('{"path": ' + json.dumps(what["path"]) + ', "content": "')
                for _ in range(what["mb"] * 16):
                    yield from self.grow("y" * 65_536)
                yield from self.grow('"}')
                yield from self.close()
            case "tool_open":
                yield from self.open(what)
            case "tool_args":
                yield from self.grow(filled(what, self.names))
            case _:
                yield from self.close()

    def several(self, placed: list[tuple[int, Step]], *, is_mixed: bool) -> Iterator[bytes]:
        if not is_mixed:
            for place, call in placed:
                yield from self.open(call, place)
                yield from self.grow(self.arguments(call), place)
                yield from self.close()
            return
        for place, call in placed:
            yield from self.open(call, place)
        texts = [(place, self.arguments(call)) for place, call in placed]
        for at in range(0, max(len(text) for _, text in texts), 5):
            for place, text in texts:
                if piece := text[at : at + 5]:
                    yield from self.grow(piece, place)
        for place, _ in placed:
            yield from self.close(place)

    def text(self, text: str) -> Iterator[bytes]: ...

    def open(self, call: Step, place: int | None = None) -> Iterator[bytes]: ...

    def grow(self, arguments: str, place: int | None = None) -> Iterator[bytes]: ...

    def close(self, place: int | None = None) -> Iterator[bytes]: ...

    def own(self, step: Step) -> Iterator[bytes]: ...
