"""Which pictures a message can have: those that every service takes."""

from base64 import b64encode

import pytest

from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.images import LARGEST_IMAGE, MOST_IMAGES, checked_images

CONTENTS = {
    "png": b"\x89PNG\r\n\x1a\n...",
    "jpeg": b"\xff\xd8\xff...",
    "gif": b"GIF89a...",
    "webp": b"RIFF\0\0\0\0WEBP...",
}


def url(content: bytes, head: str = "data:image/png;base64,") -> str:
    return head + b64encode(content).decode()


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("head", ["data:image/png;base64,", "data:;base64,", "DATA:image/x;name=a.b;base64,"])
def test_picture_is_named_after_what_it_is(kind: str, head: str) -> None:
    assert checked_images([url(CONTENTS[kind], head)]) == (url(CONTENTS[kind], f"data:image/{kind};base64,"),)


@pytest.mark.parametrize(
    ("image", "problem"),
    [
        ("https://shop.example/a.png", "is no data URL"),
        ("data:image/png,plain", "is no data URL"),
        ("data:image/png;base64", "is no data URL"),
        ("", "is no data URL"),
        ("data:image/png;base64,", "is none of the kinds"),
        ("data:image/png;base64,iVBORw0KGgo*", "is not whole"),
        ("data:image/png;base64,iVBORw0KGgoAA", "is not whole"),
        (
            url(b"<svg/>", "data:image/svg+xml;base64,"),
            "is none of the kinds that models see (PNG, JPEG, GIF and WebP)",
        ),
        (url(CONTENTS["png"] + b"x" * LARGEST_IMAGE), "has more than 5 MB"),
    ],
)
def test_picture_that_no_service_takes_is_refused(image: str, problem: str) -> None:
    with pytest.raises(BadParams) as raised:
        checked_images([url(CONTENTS["png"]), image])

    assert str(raised.value).startswith("Picture 2 ")
    assert problem in str(raised.value)


def test_so_many_pictures_fit_into_a_message() -> None:
    picture = url(CONTENTS["png"])

    assert len(checked_images([picture] * MOST_IMAGES)) == MOST_IMAGES
    with pytest.raises(BadParams, match="takes 20 pictures, and this one has 21"):
        checked_images([picture] * (MOST_IMAGES + 1))
