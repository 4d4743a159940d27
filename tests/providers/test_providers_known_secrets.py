"""Which values are secret here, by the settings and by the environment."""

import pytest

from agent_lsp.providers.known_secrets import secret_values
from agent_lsp.settings.model import Settings


@pytest.mark.parametrize(
    ("variable", "value", "is_secret"),
    [
        ("OPENAI_API_KEY", "abcdefgh1", True),
        ("GITHUB_TOKEN", "abcdefgh1", True),
        ("DB_PASSWORD", "abcdefgh1", True),
        ("aws_secret_access_key", "abcdefgh1", True),
        ("DEPLOY_KEY", "abcdefgh1", True),
        ("SESSION_COOKIE", "abcdefgh1", True),
        ("PROXY_AUTH", "enabled", False),
        ("SECRET_FILE", "/run/secrets/one", False),
        ("KEYMAP", "abcdefgh1", False),
        ("EDITOR", "abcdefgh1", False),
    ],
)
def test_a_variable_is_secret_by_its_name(variable: str, value: str, is_secret: bool) -> None:
    assert (value in secret_values({variable: value})) is is_secret


@pytest.mark.parametrize(
    ("profile", "secret"),
    [
        ({"apiKey": "literal-1"}, "literal-1"),
        ({"apiKey": "$ENV:MINE"}, "mine-1234"),
        ({"headers": {"x-gateway": "header-1"}}, "header-1"),
        ({"headers": {"x-gateway": "$ENV:MINE"}}, "mine-1234"),
        ({"baseURL": "https://me:pass%21word@host/v1"}, "pass!word"),
        ({"baseURL": "https://me:pass%21word@host/v1"}, "pass%21word"),
        ({"baseURL": "https://host/v1?code=a1b2c3d4e5f6"}, "a1b2c3d4e5f6"),
        ({"baseURL": "$ENV:PLACE"}, "pass-word"),
    ],
)
def test_what_a_profile_holds_is_secret(profile: dict[str, object], secret: str) -> None:
    settings = Settings.model_validate({"providers": {"work": {"type": "openai", **profile}}})

    assert secret in secret_values({"MINE": "mine-1234", "PLACE": "https://me:pass-word@host/v1"}, settings)


@pytest.mark.parametrize("url", ["https://[bad", "", "https://host/v1?api-version=2024-10", "nonsense"])
def test_an_address_without_secrets_adds_none(url: str) -> None:
    settings = Settings.model_validate({"providers": {"work": {"type": "openai", "baseURL": url}}})

    assert {value for value in secret_values({}, settings) if value} == set()
