"""Pictures as they pass between user, tools and models: data URLs of the kinds that all services take."""

import binascii
import re
from base64 import b64decode, b64encode
from collections.abc import Sequence

LARGEST_IMAGE = 5_000_000
"""Bytes of one picture; services refuse larger ones."""
MOST_IMAGES = 20
"""In one message of the user's."""

_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w.+=-]+)*?)(;base64)?,", re.ASCII | re.IGNORECASE)
_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}
_KINDS = "PNG, JPEG, GIF and WebP"


def picture_kind(content: bytes) -> str | None:
    """Tell the kind by the first bytes: a name proves nothing, and services refuse a wrong one."""
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "webp"
    return next((kind for signature, kind in _SIGNATURES.items() if content.startswith(signature)), None)


def data_url(content: bytes, kind: str) -> str:
    return f"data:image/{kind};base64,{b64encode(content).decode()}"


def problem_of_images(images: Sequence[str]) -> str | None:
    """Say, in one sentence, why a message cannot have these pictures; None where it can."""
    if len(images) > MOST_IMAGES:
        return f"A message takes {MOST_IMAGES} pictures, and this one has {len(images)}: send some of them."
    for number, url in enumerate(images, 1):
        if problem := _problem(url):
            return f"Picture {number} {problem}"
    return None


def with_true_kinds(images: Sequence[str]) -> tuple[str, ...]:
    """The same pictures, each named after what it is: services refuse one that is named wrongly."""
    return tuple(map(_truly_named, images))


def _problem(url: str) -> str | None:
    head = _DATA_URL.match(url)
    if head is None or not head[3]:
        return "is no data URL in base64 (data:image/png;base64,…)."
    if (len(url) - head.end()) * 3 // 4 > LARGEST_IMAGE:
        return f"has more than {LARGEST_IMAGE // 1_000_000} MB: send a smaller one."
    try:
        content = b64decode(url[head.end() :], validate=True)
    except (binascii.Error, ValueError):
        return "is not whole: its base64 text cannot be read."
    return None if picture_kind(content) else f"is none of the kinds that models see ({_KINDS})."


def _truly_named(url: str) -> str:
    comma = url.index(",")
    kind = picture_kind(b64decode(url[comma + 1 : comma + 25]))
    return f"data:image/{kind};base64,{url[comma + 1 :]}"
