"""Every tool, given every kind of place that it must keep away from, by a model that tries them all."""

from pathlib import Path

import pytest
from story import NO, Story, story

from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="done")]
SECRET = "the-secret-of-somebody-else"
FREE = {
    "permissionMode": "acceptEdits",
    "autoApprove": {"read": True, "write": True, "execute": True},
    "allowedCommands": ["pwd"],
    "sandbox": "off",
}
OUTSIDE = ["../outside/secret.txt", "link.txt", "folder/secret.txt"]
PROTECTED = [".git/config", "AGENTS.md", "sub/.vscode/settings.json", "hooks/post-commit"]
IGNORED = ["private/key.txt", "to-private.txt"]


def furnish(s: Story) -> None:
    """A workspace with links out of it, with protected files, and with what the user's ignore file keeps."""
    outside = s.workspace.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(f"{SECRET}\n")
    s.file("a.txt", "one\n")
    s.file(".agentignore", "private/\n")
    for name in ("private/key.txt", "AGENTS.md", ".git/config", ".git/hooks/post-commit", "sub/.vscode/settings.json"):
        s.file(name, f"{SECRET if name.startswith('private') else 'one'}\n")
    links = {"link.txt": "../outside/secret.txt", "folder": "../outside", "hooks": ".git/hooks"}
    for name, target in {**links, "to-private.txt": "private/key.txt"}.items():
        (s.workspace / name).symlink_to(target)


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def patch(*lines: str) -> CallTool:
    return CallTool("apply_patch", patch="\n".join(["*** Begin Patch", *lines, "*** End Patch"]))


def writes(path: str) -> list[CallTool]:
    diff = "<<<<<<< SEARCH\nthe-secret\n=======\nmine\n>>>>>>> REPLACE"
    return [
        CallTool("write_to_file", path=path, content="mine\n"),
        CallTool("edit_file", path=path, old_string="one", new_string="mine"),
        CallTool("edit_file", path=path, old_string="the-secret-of", new_string="mine"),
        CallTool("apply_diff", path=path, diff=diff),
        patch(f"*** Delete File: {path}"),
        patch(f"*** Update File: {path}", f"*** Move to: {path}.moved", "@@", "-one", "+mine"),
    ]


def reads(path: str) -> list[CallTool]:
    return [
        CallTool("read_file", path=path),
        CallTool("search_files", path=path, regex="secret"),
        CallTool("list_files", path=path),
    ]


MOVES = [
    patch("*** Update File: a.txt", f"*** Move to: {target}", "@@", "-one", "+mine")
    for target in ("../outside/new.txt", "folder/new.txt", ".git/new", "hooks/new", "private/new", ".vscode/new.json")
]
NEW = [
    CallTool("write_to_file", path=path, content="mine\n")
    for path in (
        "../outside/new",
        "folder/new",
        ".git/hooks/new",
        ".husky/new",
        "private/new",
        "CLAUDE.md",
        "x/.mcp.json",
    )
]
COMMANDS = [CallTool("execute_command", command="pwd", cwd=cwd) for cwd in ("..", "folder", "../outside", "private")]
ROUND = [
    CallTool("search_files", path=".", regex="secret"),
    CallTool("list_files", path=".", recursive=True),
    CallTool("search_files", path="sub", regex="secret"),
]
TRIES: dict[str, list[CallTool]] = {
    "reading": [call for path in (*OUTSIDE, *IGNORED) for call in reads(path)],
    "reading around": ROUND,
    "writing outside": [call for path in OUTSIDE for call in writes(path)],
    "writing what is protected": [call for path in PROTECTED for call in writes(path)],
    "writing what is ignored": [call for path in IGNORED for call in writes(path)],
    "moving": MOVES,
    "making new files": NEW,
    "commands elsewhere": COMMANDS,
}


async def refuse_everything(s: Story) -> None:
    """Say no to whatever is asked until the task rests."""
    while (ask := await s.client.until(s.picture.ask))["ask"] != "completion_result":
        await refuse(s, ask["ts"])


async def refuse(s: Story, ts: int) -> None:
    await s.answer(NO, ts=ts)
    await s.client.until(lambda: (now := s.picture.ask()) is None or now["ts"] != ts)


@pytest.mark.parametrize("calls", TRIES.values(), ids=TRIES)
async def test_no_tool_touches_unasked_what_the_user_keeps_from_it(tmp_path: Path, calls: list[CallTool]) -> None:
    settings = {**FREE, "limits": {"consecutiveMistakes": 0}}
    async with story(tmp_path, [*([call] for call in calls), DONE], settings=settings) as s:
        furnish(s)
        before = contents(tmp_path / "workspace") | contents(tmp_path / "outside")

        await s.new_task()
        await refuse_everything(s)

        assert contents(tmp_path / "workspace") | contents(tmp_path / "outside") == before
        results = "\n".join(result.text for result in s.model.requests[-1].results)
        assert SECRET not in results
        assert len(s.model.requests[-1].results) == len(calls)
