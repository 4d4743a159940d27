"""What the user's words, attached files, pictures and restores lead to: no nearer to what is kept from the agent."""

from pathlib import Path
from typing import Any

import pytest
from story import NO, Story, story

from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="done")]
SECRET, FREE = "the-secret-of-somebody-else", "what-anybody-may-see"
PICTURE = b"\x89PNG\r\n\x1a\n" + SECRET.encode()
NAMES = ["private/key.txt", "private/key.png", "to-private.txt", "link.txt", "folder/secret.txt", "folder/secret.png"]


def furnish(s: Story) -> Path:
    """A workspace with links out of it, and with what the user's ignore file keeps; and what lies outside."""
    outside = s.workspace.parent / "outside"
    for folder in (outside, s.workspace / "private"):
        folder.mkdir()
    for stem in (outside / "secret", s.workspace / "private" / "key"):
        stem.with_suffix(".txt").write_text(f"{SECRET}\n")
        stem.with_suffix(".png").write_bytes(PICTURE)
    s.file(".agentignore", "private/\n")
    s.file("free.txt", f"{FREE}\n")
    for name, target in {
        "link.txt": "../outside/secret.txt",
        "folder": "../outside",
        "to-private.txt": "private/key.txt",
    }.items():
        (s.workspace / name).symlink_to(target)
    return outside


def told(s: Story) -> list[str]:
    """What requests held: the free text, and the secret, as a text or as a picture."""
    sent = "".join(request.raw.decode() for request in s.model.requests)
    return [text for text in (FREE, SECRET, "iVBORw0KGgo") if text in sent]


async def test_no_mention_opens_what_is_kept_from_the_agent(tmp_path: Path) -> None:
    async with story(tmp_path, [DONE]) as s:
        outside = furnish(s)
        names = ["free.txt", *NAMES, "../outside/secret.txt", f"{outside}/secret.txt", f"{outside}/secret.png"]
        await s.new_task("see " + " ".join(f"@{name}" for name in names))
        await s.ask("completion_result")

        assert told(s) == [FREE]


async def test_no_attached_file_is_read_that_is_kept_from_the_agent(tmp_path: Path) -> None:
    async with story(tmp_path, [DONE]) as s:
        outside = furnish(s)
        paths = [*(s.workspace / name for name in ["free.txt", *NAMES]), outside / "secret.txt", outside / "secret.png"]
        await s.new_task("see", context=[{"uri": path.as_uri()} for path in paths])
        await s.ask("completion_result")

        assert told(s) == [FREE]


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".png")] + ["../outside/secret.png"])
async def test_no_picture_is_read_unasked_that_is_kept_from_the_agent(tmp_path: Path, name: str) -> None:
    async with story(tmp_path, [[CallTool("read_file", path=name)], DONE]) as s:
        furnish(s)
        await s.new_task()
        while (ask := await s.client.until(s.picture.ask))["ask"] != "completion_result":
            await s.answer(NO, ts=ask["ts"])
            await s.client.until(lambda ts=ask["ts"]: (now := s.picture.ask()) is None or now["ts"] != ts)

        assert told(s) == []


async def restored(s: Story) -> Any:
    """Take back all that the agent did."""
    found = await s.client.request("agent/checkpoints", {"taskId": s.task_id})
    checkpoint = found["checkpoints"][0]["id"]
    params = {"taskId": s.task_id, "checkpoint": checkpoint, "what": "files"}
    return await s.client.request("agent/restore", params)


@pytest.mark.parametrize("swapped", ["sub", "sub/a.txt"])
async def test_no_restore_writes_where_a_link_leads_by_now(tmp_path: Path, swapped: str) -> None:
    write = [CallTool("write_to_file", path="sub/a.txt", content="new\n")]
    async with story(tmp_path, [write, DONE], settings={"permissionMode": "acceptEdits"}) as s:
        outside = furnish(s)
        s.file("sub/a.txt", "old\n")
        (outside / "a.txt").write_text("new\n")
        await s.new_task()
        await s.ask("completion_result")
        (s.workspace / swapped).rename(s.workspace / "gone")
        (s.workspace / swapped).symlink_to(outside if swapped == "sub" else outside / "a.txt")
        await restored(s)

        assert (outside / "a.txt").read_text() == "new\n"
