"""Models that write their calls as text, in an editor: seen growing, approved and done like any other."""

from pathlib import Path

from story import story

from support.model_server import Answer, Hold, Refusal, Say

DONE = "<attempt_completion>\n<result>Done.</result>\n</attempt_completion>"


async def test_a_call_as_text_is_seen_growing_and_asked_about(tmp_path: Path) -> None:
    hold = Hold()
    head, rest = (
        "I write.\n\n<write_to_file>\n<path>a.txt</path>\n<content>\none\n",
        "two\n</content>\n</write_to_file>",
    )
    turns = [Answer((Say(head + "tw"), hold, Say(rest.removeprefix("tw")))), [Say(DONE)]]

    async with story(tmp_path, turns, profile={"toolFormat": "xml"}) as s:
        await s.new_task("Write it.")
        await s.client.until(lambda: any("one" in (m.get("text") or "") for m in growing(s.picture.update().messages)))
        hold.release.set()
        await s.approve("tool")
        done = await s.ask("completion_result")

        assert done["text"] == "Done."
        assert (s.workspace / "a.txt").read_text() == "one\ntwo\n"
        assert s.picture.kinds() == ["text", "api_req_started", "text", "tool", "api_req_started", "completion_result"]


def growing(messages: dict[int, dict[str, str]]) -> list[dict[str, str]]:
    return [message for message in messages.values() if message.get("partial") and message.get("ask") == "tool"]


async def test_a_service_that_refuses_tools_is_told_and_worked_with(tmp_path: Path) -> None:
    turns = [Refusal(400, "registry.ollama.ai/library/gemma:2b does not support tools"), [Say(DONE)]]

    async with story(tmp_path, turns, api="openai") as s:
        await s.new_task("Go.")
        done = await s.ask("completion_result")

        retry = next(m for m in s.picture.messages.values() if m.get("say") == "api_req_retry_delayed")
        assert done["text"] == "Done."
        assert "The service takes no tools for this model" in retry["text"]
        assert ["tools" in request.body for request in s.model.requests] == [True, False]
