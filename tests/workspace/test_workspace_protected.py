import pytest

from agent_lsp.workspace.protected import is_protected


def words(text: str) -> list[str]:
    return text.split()


PROTECTED = words("""
.git .git/config .git/hooks/post-commit lib/.git/HEAD .gitmodules .gitconfig
.vscode/settings.json .idea/x.xml .zed/settings.json .helix/config.toml project.code-workspace a/b.code-workspace
.nvim.lua .nvimrc .exrc .mcp.json .cursor/mcp.json .roo/mcp.json .rooignore .roomodes .clinerules .clinerules-code
.clinerules/x.md .clineignore .claude/settings.json .codex/config.toml .gemini/settings.json
AGENTS.md docs/AGENTS.md AGENT.md CLAUDE.md GEMINI.md .envrc .husky/pre-commit .devcontainer/devcontainer.json
.npmrc .yarnrc .yarnrc.yml .ripgreprc .bashrc .bash_profile .zshrc .zprofile .profile
.github/workflows/ci.yml .gitlab-ci.yml .agent-lsp/settings.json .agents/skills/x.md .agentignore
""")

DISGUISED = [
    ".GIT/config",
    "Agents.MD",
    ".git./config",
    ".git /config",
    ".git . ./config",
    ".git\t/config",
    "AGENTS.md.",
    ".git::$INDEX_ALLOCATION/config",
    "AGENTS.md:stream",
    "GIT~1/config",
    "git~2",
    "VSCODE~1/settings.json",
    "BASH_P~1",
    "GI7EBA~1",
    "PROJEC~1.COD",
    ".g\u200cit/config",
    ".git\ufeff/config",
    "\u202e.git/config",
    ".gi\u00adt/config",
    "AGENTS.m\ufe0fd",
    ".ｇｉｔ/config",
    ".git\u0131gnore/../.git/x",
]

FREE = words("""
a.txt .gitignore .gitattributes .gitattributes.md .github/README.md .github/ISSUE_TEMPLATE/bug.md workflows/x.yml
git/config vscode/settings.json AGENTS.txt MY_AGENTS.md my.git/config .gitx code-workspace profile bashrc npmrc.md
.env .editorconfig a~1.txt backup~ file~12x agent/x.py claude.py README.md pro~ject .zed.md
""")


@pytest.mark.parametrize("path", [*PROTECTED, *DISGUISED])
def test_protected_names_are_known_in_any_disguise_and_depth(path: str) -> None:
    assert is_protected(path.split("/"))
    assert is_protected(("deep", "down", *path.split("/")))


@pytest.mark.parametrize("path", FREE)
def test_other_names_are_free(path: str) -> None:
    assert not is_protected(path.split("/"))


def test_the_top_of_a_workspace_is_free() -> None:
    assert not is_protected(())
