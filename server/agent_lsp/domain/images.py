"""Pictures as they pass between user, tools and models: data URLs of the kinds that all services take."""

import re
from base64 import b64decode, b64encode
from collections.abc import Sequence

from agent_lsp.domain.errors import BadParams

LARGEST_IMAGE = 5_000_000
"""Bytes of one picture; services refuse larger ones."""
MOST_IMAGES = 20
"""In one message of the user's."""

_DATA_URL = re.compile(r"data:[\w.+/-]{0,100}(?:;[\w.+=-]{1,100}){0,4};base64,", re.ASCII | re.IGNORECASE)
_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}
_KINDS = "PNG, JPEG, GIF and WebP"


def picture_kind(content: bytes) -> str | None:
    """Tell the kind by the first bytes: a name proves nothing, and services refuse a wrong one."""
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "webp"
    return next((kind for signature, kind in _SIGNATURES.items() if content.startswith(signature)), None)


def data_url(content: bytes, kind: str) -> str:
    return f"data:image/{kind};base64,{b64encode(content).decode()}"


def checked_images(images: Sequence[str]) -> tuple[str, ...]:
    """The pictures of a message, each named after what it is; BadParams, in one sentence, where they cannot be sent on.

    Services refuse a whole request for one picture that is too large, of another kind, or named wrongly.
    """
    if len(images) > MOST_IMAGES:
        raise BadParams(f"A message takes {MOST_IMAGES} pictures, and this one has {len(images)}: send some of them.")
    return tuple(_checked(number, url) for number, url in enumerate(images, 1))


def _checked(number: int, url: str) -> str:
    head = _DATA_URL.match(url)
    if head is None:
        raise BadParams(f"Picture {number} is no data URL in base64 (data:image/png;base64,…).")
    if (len(url) - head.end()) * 3 // 4 > LARGEST_IMAGE:
        raise BadParams(f"Picture {number} has more than {LARGEST_IMAGE // 1_000_000} MB: send a smaller one.")
    try:
        content = b64decode(url[head.end() :], validate=True)
    except ValueError as error:
        raise BadParams(f"Picture {number} is not whole: its base64 text cannot be read.") from error
    kind = picture_kind(content)
    if kind is None:
        raise BadParams(f"Picture {number} is none of the kinds that models see ({_KINDS}).")
    return f"data:image/{kind};base64,{url[head.end() :]}"
