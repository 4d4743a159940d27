"""Models that do not see, and services that refuse a picture: the task goes on without, and newer tasks never ask."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest

from agent_lsp.domain.errors import ContextOverflow, ModelFault
from agent_lsp.domain.history import Call, Reply, Result, Words
from agent_lsp.domain.model import ModelEvent, ModelFacts, ModelRequest
from agent_lsp.providers.build import build_model
from agent_lsp.providers.encoding import IMAGE_LEFT_OUT
from agent_lsp.providers.recording import Streaming
from agent_lsp.providers.seeing import BLIND, SPOILT, Refused, SeeingModel, refused_pictures
from support.model_server import APIS, Refusal, Say, ScriptedServer, SeenResult, SeenWords, scripted_model
from support.models import HELLO, events_of, profile_for, request_of

IMAGE = "data:image/png;base64,iVBORw0KGgo="
LOOK = Words(("look",), (IMAGE,), by="user")
UNSEEN = Refusal(400, "Invalid content type. image_url is only supported by certain models.")
SPOILT_ONE = Refusal(400, "Could not process image")

ALL = (
    (400, "Invalid content type. image_url is only supported by certain models."),
    (404, "No endpoints found that support image input"),
    (400, "Failed to deserialize the JSON body: messages[1]: unknown variant `image_url`, expected `text`"),
    (500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
    (400, "At most 0 image(s) may be provided in one request."),
    (400, "llama3 is not a multimodal model"),
    (400, "This model does not support images. Please use a model that does."),
    (500, "this model is missing data required for image input"),
    (400, "Image input modality is not enabled for models/gemma-3"),
    (400, "This model doesn't support the image content block that you provided"),
    (400, "This model cannot process images"),
    (422, '[{"type":"string_type","loc":["body","messages",1],"msg":"Input should be a valid string"}]'),
    (400, "messages[1].content must be a string"),
    (400, "'messages.1' : for 'role:user' the following must be satisfied['messages.1.content' must be a string]"),
    (None, "Vision is not supported by this model"),
    (400, "Invalid value: 'image_url'. Supported values are: 'text' and 'refusal'."),
    (400, "Unsupported parameter: 'messages[1].content[1].image_url'"),
    (400, "messages[1]: invalid type: sequence, expected a string at line 1 column 20"),
    (400, "The model `gpt-4-vision-preview` cannot process images."),
)
THESE = (
    (400, "Could not process image"),
    (400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6213404 bytes"),
    (400, "You uploaded an unsupported image. Please make sure your image has of one the following formats"),
    (400, "At most 5 images may be provided in one request."),
    (400, "messages.2.content.0.image.source.base64.data: invalid base64 data"),
    (400, "Image dimensions exceed max allowed size: 8000 pixels"),
    (400, "image/webp is not supported"),
    (400, "Unsupported image type"),
)
NEITHER = (
    (401, "This key may not use image models"),
    (429, "Too many images per minute: image input is not available now"),
    (503, "The image service is overloaded"),
    (400, "temperature is not supported by this model"),
    (400, "division and provisioning are unsupported"),
    (500, "content must be a string"),
    (400, "registry.ollama.ai/library/llama3.2-vision:latest does not support tools"),
    (404, "model 'gpt-4-vision-preview' does not exist"),
    (400, "gpt-4-vision-preview does not support the parameter top_k"),
    (400, "own-vision does not support the parameter top_k"),
    (400, "Invalid schema for function 'view_image'"),
    (400, "Invalid schema for function view_image: this keyword is not supported"),
    (400, "The picture was seen. The parameter top_k is not supported"),
    (503, "The vision backend is not available"),
    (529, "Image input is not available"),
    (400, "Expected string, got number: max_tokens"),
    (400, "messages[2].name: expected a string"),
    (400, "messages[2].content: expected a string, got null"),
    (400, "tools[0].function.parameters.properties.content: invalid type: sequence, expected a string"),
)


@pytest.mark.parametrize(
    ("status", "words", "refused"),
    [
        *((*row, Refused.ALL) for row in ALL),
        *((*row, Refused.THESE) for row in THESE),
        *((*row, None) for row in NEITHER),
    ],
)
def test_each_service_has_words_of_its_own_for_it(status: int | None, words: str, refused: Refused | None) -> None:
    assert (
        refused_pictures(ModelFault(f"It answered: {words}", is_passing=False, status=status), "own-vision") is refused
    )


def test_what_is_too_long_is_no_matter_of_its_pictures() -> None:
    fault = ContextOverflow("too long: images are not supported here", status=400)

    assert refused_pictures(fault) is None


def model_at(server: ScriptedServer, api: str) -> Streaming:
    return build_model(profile_for(server, api), name="p", environment={})


def images_of(server: ScriptedServer) -> list[int]:
    """How many pictures each request had."""
    return [
        sum(item.images for item in request.items if isinstance(item, SeenWords | SeenResult))
        for request in server.requests
    ]


async def fault_of(model: Streaming, request: ModelRequest) -> ModelFault:
    with pytest.raises(ModelFault) as caught:
        await events_of(model, request)
    return caught.value


@pytest.mark.parametrize("api", APIS)
async def test_a_model_that_does_not_see_is_told_of_pictures_in_words_from_then_on(api: str) -> None:
    request = request_of(LOOK, Reply((Call("c", "read_file", "{}"),)), Result("c", "it", (IMAGE,)))

    async with asyncio.timeout(20), scripted_model([UNSEEN, [Say("a")], [Say("b")]]) as server:
        model = model_at(server, api)
        fault = await fault_of(model, request)
        await events_of(model, request)
        await events_of(model, request_of(LOOK))
        await model.aclose()

    assert (fault.is_passing, str(fault).startswith(BLIND), UNSEEN.message in str(fault)) == (True, True, True)
    assert images_of(server) == [2, 0, 0]
    assert server.requests[1].raw.decode().count(IMAGE_LEFT_OUT) == 2
    assert server.problems == []
    assert not model.facts.sees_images


@pytest.mark.parametrize("api", APIS)
async def test_a_spoilt_picture_is_left_out_and_the_next_one_is_shown(api: str) -> None:
    async with asyncio.timeout(20), scripted_model([SPOILT_ONE, [Say("a")], [Say("b")]]) as server:
        model = model_at(server, api)
        fault = await fault_of(model, request_of(LOOK))
        await events_of(model, request_of(LOOK))
        await events_of(model, request_of(LOOK, Reply(()), replace(LOOK)))
        await model.aclose()

    assert (fault.is_passing, str(fault).startswith(SPOILT)) == (True, True)
    assert images_of(server) == [1, 0, 1]
    assert model.facts.sees_images


async def test_what_is_refused_though_it_has_no_picture_stays_refused() -> None:
    async with asyncio.timeout(20), scripted_model([UNSEEN, UNSEEN, UNSEEN]) as server:
        model = model_at(server, "openai")
        without = await fault_of(model, request_of(HELLO))
        first = await fault_of(model, request_of(LOOK))
        again = await fault_of(model, request_of(LOOK))
        await model.aclose()

    assert [fault.is_passing for fault in (without, first, again)] == [False, True, False]
    assert images_of(server) == [0, 1, 0]


class BothRefused:
    """Refuses two requests once both are under way."""

    facts = ModelFacts("m", 0, 0)
    origin = "m"

    def __init__(self) -> None:
        self._both = asyncio.Barrier(2)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Sequence[ModelEvent]]:
        del request
        await self._both.wait()
        yield []
        raise ModelFault(UNSEEN.message, is_passing=False, status=400)

    async def aclose(self) -> None:
        pass


async def test_two_tasks_that_were_refused_at_once_both_go_on() -> None:
    async with asyncio.timeout(5):
        model = SeeingModel(BothRefused())
        refused = await asyncio.gather(*(fault_of(model, request_of(replace(LOOK))) for _ in range(2)))

    assert [fault.is_passing for fault in refused] == [True, True]


@pytest.mark.parametrize(("sees", "images"), [(True, [1]), (False, [0]), (None, [1])])
async def test_a_profile_says_whether_its_model_sees(sees: bool | None, images: list[int]) -> None:
    async with asyncio.timeout(20), scripted_model([[Say("a")]]) as server:
        model = build_model(profile_for(server, "openai", sees_images=sees), name="p", environment={})
        await events_of(model, request_of(LOOK))
        await model.aclose()

    assert images_of(server) == images
