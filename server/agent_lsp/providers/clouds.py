"""Anthropic's models in the clouds of others: signed in by the vendor's own client, spoken to in the Messages API."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from agent_lsp.domain.encoding import Json
from agent_lsp.providers import faults, services
from agent_lsp.providers.http import timeouts
from agent_lsp.providers.recording import Streaming
from agent_lsp.providers.sdk import Opened
from agent_lsp.providers.secrets import Secrets
from agent_lsp.providers.transport import Endpoint
from agent_lsp.settings.model import Profile

if TYPE_CHECKING:
    from anthropic.lib.bedrock import AsyncAnthropicBedrockMantle
    from anthropic.lib.vertex import AsyncAnthropicVertex

    Cloud = AsyncAnthropicBedrockMantle | AsyncAnthropicVertex

_VERSION = {"anthropic-version": "2023-06-01"}
_VERTEX_VERSION = "vertex-2023-10-16"
_SIGN_IN_ERRORS = (RuntimeError, ImportError)
"""What the client raises where there are no credentials, or the package that finds them is not there."""
_BEDROCK_HINT = "Give the profile a Bedrock key, or sign in to AWS; that needs the package boto3 beside agent-lsp."
_VERTEX_HINT = (
    "Sign in by `gcloud auth application-default login`; that needs the package google-auth beside agent-lsp."
)


def build_bedrock(profile: Profile, secrets: Secrets) -> Streaming:
    """Make a model of Amazon Bedrock's endpoint for the Messages API; with a Bedrock key, or by AWS credentials."""
    service = replace(
        services.ANTHROPIC,
        name="anthropic-bedrock",
        base_url=f"https://bedrock-mantle.{profile.region}.api.aws/anthropic",
        open_client=_opener(profile, _bedrock, _BEDROCK_HINT),
    )
    return service.build(profile.model_copy(update={"transport": "sdk"}), secrets)


def build_vertex(profile: Profile, secrets: Secrets) -> Streaming:
    """Make a model of Vertex AI, where the model stands in the path, and the version in the body."""
    path = (
        f"/projects/{profile.project}/locations/{profile.region}"
        f"/publishers/anthropic/models/{profile.model}:streamRawPredict"
    )
    service = replace(
        services.ANTHROPIC,
        name="anthropic-vertex",
        base_url=_vertex_address(profile.region or ""),
        path=path,
        parameters=_vertex_parameters,
        open_client=_opener(profile, _vertex, _VERTEX_HINT),
    )
    return service.build(profile.model_copy(update={"transport": "sdk"}), secrets)


def _vertex_address(region: str) -> str:
    match region:
        case "global":
            return "https://aiplatform.googleapis.com/v1"
        case "us" | "eu":
            return f"https://aiplatform.{region}.rep.googleapis.com/v1"
        case _:
            return f"https://{region}-aiplatform.googleapis.com/v1"


def _vertex_parameters(profile: Profile) -> Json:
    parameters = services.ANTHROPIC.parameters(profile)
    del parameters["model"]
    return {"anthropic_version": _VERTEX_VERSION, **parameters}


def _opener(profile: Profile, make: Callable[[Profile, Endpoint], "Cloud"], hint: str) -> Callable[[Endpoint], Opened]:
    def opened(endpoint: Endpoint) -> Opened:
        import anthropic

        errors = (*_SIGN_IN_ERRORS, anthropic.AnthropicError, *_google_errors())
        try:
            client = make(profile, endpoint)
        except errors as error:
            raise faults.not_signed_in(endpoint.address, error, hint) from error
        return Opened(client, anthropic.APIStatusError, anthropic.APIConnectionError, errors, hint)

    return opened


def _bedrock(profile: Profile, endpoint: Endpoint) -> "Cloud":
    from anthropic.lib.bedrock import AsyncAnthropicBedrockMantle

    return AsyncAnthropicBedrockMantle(
        api_key=endpoint.key or None,
        aws_region=profile.region,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=timeouts(),
        default_headers={**_VERSION, **endpoint.headers},
    )


def _vertex(profile: Profile, endpoint: Endpoint) -> "Cloud":
    from anthropic.lib.vertex import AsyncAnthropicVertex

    return AsyncAnthropicVertex(
        access_token=endpoint.key or None,
        region=profile.region or "",
        project_id=profile.project or "",
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=timeouts(),
        default_headers=endpoint.headers,
    )


def _google_errors() -> tuple[type[Exception], ...]:
    try:
        return (import_module("google.auth.exceptions").GoogleAuthError,)
    except ImportError:
        return ()
