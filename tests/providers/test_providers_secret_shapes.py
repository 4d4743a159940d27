"""Sixty true credentials that nobody named as such, and sixty texts that only look like some."""

import json
import random
import string

import pytest

from agent_lsp.providers.secrets import MARK, Secrets
from support.timing import cpu_seconds

CHANCE = random.Random(7)


def some(alphabet: str, count: int) -> str:
    """A random text with a digit in it, so that it is as the real ones are."""
    return "".join(CHANCE.choices(alphabet, k=count - 1)) + "7"


ALNUM, HEX, UPPER = string.ascii_letters + string.digits, "0123456789abcdef", string.ascii_uppercase + string.digits
WORD = ALNUM + "_-"
JWT = f"eyJ{some(ALNUM, 20)}.eyJ{some(ALNUM, 40)}.{some(WORD, 43)}"

TRUE = {
    "anthropic": f"sk-ant-api03-{some(WORD, 93)}AA",
    "openai": f"sk-{some(ALNUM, 48)}",
    "openai project": f"sk-proj-{some(WORD, 60)}",
    "openai service": f"sk-svcacct-{some(WORD, 60)}",
    "openrouter": f"sk-or-v1-{some(HEX, 64)}",
    "groq": f"gsk_{some(ALNUM, 52)}",
    "xai": f"xai-{some(ALNUM, 80)}",
    "perplexity": f"pplx-{some(ALNUM, 48)}",
    "hugging face": f"hf_{some(ALNUM, 34)}",
    "replicate": f"r8_{some(ALNUM, 37)}",
    "github": f"ghp_{some(ALNUM, 36)}",
    "github oauth": f"gho_{some(ALNUM, 36)}",
    "github app": f"ghs_{some(ALNUM, 36)}",
    "github refresh": f"ghr_{some(ALNUM, 36)}",
    "github fine-grained": f"github_pat_{some(ALNUM, 22)}_{some(ALNUM, 59)}",
    "gitlab": f"glpat-{some(WORD, 20)}",
    "gitlab runner": f"glrt-{some(WORD, 20)}",
    "npm": f"npm_{some(ALNUM, 36)}",
    "pypi": f"pypi-AgEIcHlwaS5vcmc{some(WORD, 80)}",
    "docker": f"dckr_pat_{some(WORD, 27)}",
    "rubygems": f"rubygems_{some(HEX, 48)}",
    "aws": f"AKIA{some(UPPER, 16)}",
    "aws temporary": f"ASIA{some(UPPER, 16)}",
    "google": f"AIza{some(WORD, 35)}",
    "google oauth": f"ya29.{some(WORD, 60)}",
    "google client": f"GOCSPX-{some(WORD, 28)}",
    "digitalocean": f"dop_v1_{some(HEX, 64)}",
    "heroku": f"HRKU-{some(WORD, 36)}",
    "vault": f"hvs.{some(WORD, 24)}",
    "databricks": f"dapi{some(HEX, 32)}",
    "supabase": f"sbp_{some(HEX, 40)}",
    "planetscale": f"pscale_tkn_{some(WORD, 32)}",
    "doppler": f"dp.pt.{some(ALNUM, 43)}",
    "slack bot": f"xoxb-{some(string.digits, 12)}-{some(string.digits, 12)}-{some(ALNUM, 24)}",
    "slack user": f"xoxp-{some(string.digits, 12)}-{some(ALNUM, 32)}",
    "slack app": f"xapp-1-A{some(UPPER, 10)}-{some(string.digits, 12)}-{some(HEX, 64)}",
    "slack webhook": f"hooks.slack.com/services/T{some(UPPER, 8)}/B{some(UPPER, 8)}/{some(ALNUM, 24)}",
    "stripe": f"sk_live_{some(ALNUM, 24)}",
    "stripe restricted": f"rk_live_{some(ALNUM, 24)}",
    "stripe webhook": f"whsec_{some(ALNUM, 32)}",
    "sendgrid": f"SG.{some(WORD, 22)}.{some(WORD, 43)}",
    "mailgun": f"key-{some(HEX, 32)}",
    "twilio": f"SK{some(HEX, 32)}",
    "shopify": f"shpat_{some(HEX, 32)}",
    "square": f"sq0atp-{some(WORD, 22)}",
    "linear": f"lin_api_{some(ALNUM, 40)}",
    "notion": f"ntn_{some(ALNUM, 46)}",
    "figma": f"figd_{some(WORD, 40)}",
    "postman": f"PMAK-{some(HEX, 24)}-{some(HEX, 34)}",
    "new relic": f"NRAK-{some(UPPER, 27)}",
    "grafana": f"glsa_{some(ALNUM, 32)}_{some(HEX, 8)}",
    "age": f"AGE-SECRET-KEY-1{some(UPPER, 58)}",
    "telegram": f"{some(string.digits, 9)}:AA{some(WORD, 33)}",
    "signed token": JWT,
    "private key": f"-----BEGIN RSA PRIVATE KEY-----\n{some(ALNUM, 64)}\n-----END RSA PRIVATE KEY-----",
    "bearer": f"Authorization: Bearer {some(ALNUM, 20)}",
    "basic": "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZTE=",
    "header": f"x-api-key: {some(ALNUM, 20)}",
    "password": 'password = "hunter2hunter2"',
    "environment": f"AWS_SECRET_ACCESS_KEY={some(ALNUM, 40)}",
    "database": "postgres://app:s3cret-word@db.example.com/app",
    "connection": f"AccountKey={some(ALNUM, 86)}==",
    "shared link": f"https://store.example.com/x?sv=1&sig={some(ALNUM, 43)}%3D",
    "json": json.dumps({"apiKey": some(ALNUM, 24)}),
    "npmrc": f"//registry.example.com/:_authToken={some(ALNUM, 36)}",
}

LOOK_ALIKES = (
    "sk-learn and sk-image are libraries",
    "task-oriented, disk-based, risk-averse-and-careful-people",
    "the bearer of good news and basic instincts",
    "Basic authentication is described in RFC 7617",
    "Bearer token expected",
    "a Bearer scheme, and no more",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "commit 2c5e58fe97dabf6cb6cde7a07bb4b2b1",
    "123e4567-e89b-12d3-a456-426614174000",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 user@host",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ user@host",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkq\n-----END CERTIFICATE-----",
    "password: required",
    "password = get_password()",
    "password = os.environ['PASSWORD']",
    "password=$PASSWORD",
    "password: <your password>",
    'password: "********"',
    "def check_password(self, password: str) -> bool:",
    "api_key = os.environ['OPENAI_API_KEY']",
    'apiKey: "$ENV:ANTHROPIC_API_KEY"',
    "api_key=settings.api_key",
    "token = next(tokens)",
    "token: str | None = None",
    "token = tokenizer.decode(ids)",
    "the next token: punctuation",
    "max_tokens: 4096",
    "tokens=1234567890",
    "secret: none",
    "secret = secrets.token_hex(8)",
    "from secrets import token_urlsafe",
    "the secret of good code",
    "https://example.com/a:b@c",
    "https://user@example.com/path",
    "http://localhost:8080/v1",
    "https://example.com:443/x?y=1",
    "git@github.com:owner/name.git",
    "mailto:someone@example.com",
    "postgres://localhost/app",
    "ghp_ is the prefix",
    "ghp_short",
    "github_pat_ begins a fine-grained one",
    "AKIA is a prefix",
    "AKIAshouldnotmatchthis",
    "AIza",
    "xoxb-your-token-here",
    "hf_hub_download and hf_transfer",
    "npm_config_registry and npm_lifecycle_event",
    "key-value-store",
    "monkey-patching",
    "eyJhbGciOiJIUzI1NiJ9",
    "SG.sendgrid.example",
    "SKIPPED 32 tests in 4.21 s",
    "shpat_ and sq0atp- begin others",
    "dapi is a company",
    "glpat-example",
    "hvs.is.a.prefix",
    "2026-11-18T12:00:00Z: AAPL rose",
    "signal=SIGTERM",
    "Content-Length: 123456789",
    "authorization: see below",
)


@pytest.mark.parametrize("text", TRUE.values(), ids=TRUE.keys())
@pytest.mark.parametrize("frame", ["{}", r"line\n{}\nline", "say {} and go on", '{{"text":"{}"}}', "\n{}\n"])
def test_a_true_credential_is_taken_out(text: str, frame: str) -> None:
    clean = Secrets().removed_from(frame.format(text))

    assert MARK in clean
    assert text[-6:] not in clean or text.endswith(("-----", "/app", '"}', "==", "%3D"))


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert Secrets().removed_from(text) == text


def test_there_are_sixty_of_each() -> None:
    assert (len(TRUE) >= 60, len(LOOK_ALIKES) >= 60) == (True, True)


def test_the_json_of_a_line_stays_json() -> None:
    line = json.dumps({"n": 1, "text": "\n".join(TRUE.values())})

    assert json.loads(Secrets().removed_from(line))["n"] == 1


def test_time_grows_with_the_length_and_no_faster() -> None:
    text = 'the token of a password: "x1" sk-learn Bearer eyJ -----BEGIN A PRIVATE KEY----- a://b:c secret=' * 300
    secrets = Secrets()

    short, long = (cpu_seconds(lambda text=text: secrets.removed_from(text)) for text in (text, text * 8))

    assert long < short * 20


@pytest.mark.parametrize(
    "filling", ["x", "token=", "token=1(", "sk-", "sk-a", "bearer a", "a://", "a:", "eyJ", "-----BEGIN ", "basic a"]
)
def test_one_long_line_costs_in_proportion(filling: str) -> None:
    def text(size: int) -> str:
        return "file://a token= bearer " + filling * (size // len(filling))

    short = cpu_seconds(lambda: Secrets().removed_from(text(100_000)))
    long = cpu_seconds(lambda: Secrets().removed_from(text(400_000)))

    assert long < short * 10
