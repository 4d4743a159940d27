"""Whether a request is what a vendor's own SDK describes, strictly: every field known, at any depth.

The SDKs' types are TypedDicts, which take unknown fields; here they take none. A few fields are not the SDK's and yet
right: they are named.
"""

import types
import typing
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, get_args, get_origin

import typing_extensions
from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

EXTRA = frozenset({"reasoning_content", "reasoning", "reasoning_details", "extra_content"})
"""What compatible servers want to see again of their own, in Chat Completions."""


def problems_of(body: Any, kind: Any) -> list[str]:
    """What the type does not know or not take, with the place of each."""
    return list(_problems(body, kind, "$"))


def vendor_type(api: str) -> Any:
    match api:
        case "anthropic":
            from anthropic.types.message_create_params import MessageCreateParamsStreaming

            return MessageCreateParamsStreaming
        case "openai":
            from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming

            return CompletionCreateParamsStreaming
        case _:
            from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

            return ResponseCreateParamsStreaming


def _problems(value: Any, kind: Any, at: str) -> Iterable[str]:
    origin = get_origin(kind)
    if origin in (typing.Annotated, typing.Required, typing.NotRequired, typing_extensions.Required):
        yield from _problems(value, get_args(kind)[0], at)
    elif origin in (typing.Union, types.UnionType):
        yield from _of_union(value, get_args(kind), at)
    elif typing_extensions.is_typeddict(kind):
        yield from _of_typed_dict(value, kind, at)
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        yield from [] if isinstance(value, dict) else [f"{at}: no object"]
    elif isinstance(origin, type) and issubclass(origin, Iterable):
        yield from _of_list(value, get_args(kind)[0], at)
    elif not _is_valid(value, kind):
        yield f"{at}: {value!r} is no {kind}"


def _of_union(value: Any, kinds: tuple[Any, ...], at: str) -> list[str]:
    every = [list(_problems(value, kind, at)) for kind in kinds]
    return min(every, key=len) if all(every) else []


def _of_typed_dict(value: Any, kind: Any, at: str) -> Iterable[str]:
    if not isinstance(value, dict):
        yield f"{at}: no object"
        return
    fields = _fields(kind)
    for name in kind.__required_keys__ - value.keys():
        yield f"{at}.{name} is missing"
    for name, inner in value.items():
        if name in fields:
            yield from _problems(inner, fields[name], f"{at}.{name}")
        elif name not in EXTRA:
            yield f"{at}.{name} is unknown to {kind.__name__}"


def _of_list(value: Any, kind: Any, at: str) -> Iterable[str]:
    if not isinstance(value, list):
        yield f"{at}: no list"
        return
    for number, item in enumerate(value):
        yield from _problems(item, kind, f"{at}[{number}]")


@cache
def _fields(kind: Any) -> dict[str, Any]:
    return typing_extensions.get_type_hints(kind, include_extras=True)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _is_valid(value: Any, kind: Any) -> bool:
    try:
        _adapter(kind).validate_python(value, strict=True)
    except (ValidationError, PydanticSchemaGenerationError):
        # What only a program can give, a file for instance, is no JSON.
        return False
    return True
