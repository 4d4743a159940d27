import pytest

from agent_lsp.workspace.commands import Commands
from agent_lsp.workspace.commands_environment import command_environment

FIXED = {"TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "AGENT_LSP": "1"}

SECRETS = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_ORG_ID",
    "AGENT_LSP_STATE",
    "AGENT_LSP_HOME",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "NPM_TOKEN",
    "HF_TOKEN",
    "TOKEN",
    "MISTRAL_API_KEY",
    "GEMINI_APIKEY",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN",
    "AZURE_CLIENT_SECRET",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "DB_PASSWORD",
    "PGPASSWORD",
    "MYSQL_PASSWD",
    "GPG_PASSPHRASE",
    "SIGNING_KEY",
    "PRIVATE_KEY_PEM",
    "GITLAB_PAT",
    "PROXY_AUTH",
    "SESSION_COOKIE",
    "my_secret_thing",
    "CLIENTSECRET",
    "api_key",
    "TWINE_PASSWORD",
]

BASH = [
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "CDPATH",
    "GLOBIGNORE",
    "POSIXLY_CORRECT",
    "BASH_FUNC_ls%%",
    "PS4",
    "IFS",
]

HARMLESS = [
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "SSH_AUTH_SOCK",
    "VIRTUAL_ENV",
    "EDITOR",
    "DISPLAY",
    "XAUTHORITY",
    "KEYMAP",
    "PATHEXT",
]


@pytest.mark.parametrize("name", SECRETS + BASH)
def test_secrets_and_what_changes_bash_stay_behind(name):
    assert command_environment({name: "x"}) == FIXED


@pytest.mark.parametrize("name", HARMLESS)
def test_all_else_is_passed_on(name):
    assert command_environment({name: "x"}) == FIXED | {name: "x"}


URLS = {
    "postgres://user:password@host/db": False,
    "https://:password@host": False,
    "https://user@host/path": True,
    "https://host:8080/a:b@c": True,
    "user:password@host": True,
}


@pytest.mark.parametrize(("url", "is_passed"), URLS.items())
def test_a_url_with_a_password_stays_behind(url, is_passed):
    assert ("DATABASE_URL" in command_environment({"DATABASE_URL": url})) is is_passed


def test_programs_are_looked_for_in_absolute_places_only():
    assert command_environment({"PATH": "/bin:.::bin:/usr/bin:"})["PATH"] == "/bin:/usr/bin"


async def test_a_command_sees_none_of_the_secrets(artifact, tmp_path):
    commands = Commands(dict.fromkeys(SECRETS + BASH, "hidden") | {"PATH": "/usr/bin:/bin", "SEEN": "yes"})
    running = commands.start("env; set", tmp_path, artifact)
    await running.ended()
    output = running.excerpt().head
    await commands.aclose()

    assert "SEEN=yes" in output
    assert "hidden" not in output
