import pytest

from agent_lsp.workspace.commands import Commands
from agent_lsp.workspace.commands_environment import command_environment

FIXED = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "AGENT_LSP": "1",
}

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
    "MYSQL_PWD",
    "SSHPASS",
    "DB_PASS",
    "USER_JWT",
    "SENTRY_DSN",
    "DOCKER_AUTH_CONFIG",
    "AWS_CREDS",
    "SLACK_WEBHOOK_URL",
    "AZURE_STORAGE_CONNECTION_STRING",
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
    "PROMPT_COMMAND",
    "BASH_LOADABLES_PATH",
]

GIT = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"]

HARMLESS = [
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "SSH_AUTH_SOCK",
    "VIRTUAL_ENV",
    "EDITORIAL",
    "DISPLAY",
    "XAUTHORITY",
    "KEYMAP",
    "PATHEXT",
    "OLDPWD",
    "COMPASS",
    "PASSENGER_ENV",
    "LD_PRELOAD",
    "GIT_AUTHOR_NAME",
    "GIT_SSH_COMMAND",
]


@pytest.mark.parametrize("name", SECRETS + BASH + GIT)
def test_secrets_and_what_changes_bash_or_git_stay_behind(name):
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


SEARCHED = {
    "a folder of the workspace": ("{root}/bin:/usr/bin:/bin", "", "/usr/bin:/bin:{root}/bin"),
    "folders of the workspace keep their order": ("{root}/b:/bin:{root}/a", "", "/bin:{root}/b:{root}/a"),
    "by a link": ("{root}-link/bin:/bin", "", "/bin:{root}-link/bin"),
    "a folder with a like name": ("{root}s/bin:/bin", "", "{root}s/bin:/bin"),
    "an activated environment": (
        "{root}/.venv/bin:{root}/bin:/bin",
        "{root}/.venv",
        "{root}/.venv/bin:/bin:{root}/bin",
    ),
}


@pytest.mark.parametrize(("path", "environment", "wanted"), SEARCHED.values(), ids=SEARCHED)
def test_programs_of_the_workspace_hide_none_of_the_system(tmp_path, path, environment, wanted):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "root-link").symlink_to(root)
    given = {"PATH": path, "VIRTUAL_ENV": environment}

    made = command_environment({name: value.format(root=root) for name, value in given.items()}, [root])

    assert made["PATH"] == wanted.format(root=root)


async def test_a_planted_program_does_not_run_under_the_name_of_the_systems(artifact, tmp_path):
    planted = tmp_path / "bin" / "ls"
    planted.parent.mkdir()
    planted.write_text("#!/bin/sh\necho planted\n")
    planted.chmod(0o755)
    commands = Commands({"PATH": f"{planted.parent}:/usr/bin:/bin"}, lambda: (tmp_path,))
    running = commands.start("ls", tmp_path, artifact)
    await running.ended()
    await commands.aclose()

    assert running.excerpt().head == "bin\n"


def test_a_variable_that_holds_a_known_key_stays_behind_whatever_it_is_called():
    given = {"HARMLESS": "see key-1234", "OTHER": "key-5678", "PATH": "/key-1234/bin"}
    passed = {"OTHER": "key-5678", "PATH": "/key-1234/bin"}

    assert command_environment(given, is_secret=lambda value: "key-1234" in value) == FIXED | passed


async def test_a_command_sees_none_of_the_secrets(artifact, tmp_path):
    commands = Commands(dict.fromkeys(SECRETS + BASH, "hidden") | {"PATH": "/usr/bin:/bin", "SEEN": "yes"})
    running = commands.start("env; set", tmp_path, artifact)
    await running.ended()
    output = running.excerpt().head
    await commands.aclose()

    assert "SEEN=yes" in output
    assert "hidden" not in output
