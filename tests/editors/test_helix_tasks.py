"""Tasks from their first word to their last in a real Helix, in two releases, as a person does them: by keys."""

from pathlib import Path

from helix_editor import Helix, desk, helix_editor

from support.model_server import CallTool, Hold, Say

DONE = [CallTool("attempt_completion", result="All **done**.")]
LINES = [f"line_{n}" for n in range(24)]
TEXT = "\n".join(LINES) + "\n"
EDITED = "\n".join(["first", *LINES[1:23], "last"]) + "\n"
WRITE = [CallTool("write_to_file", path="a.py", content=EDITED)]
FILES = {"a.py": TEXT}


async def test_a_task_streams_is_approved_and_ends(tmp_path: Path, helix: Path) -> None:
    hold = Hold()
    turns = [[Say("I look at it.\n"), hold, Say("Now I know.\n"), *WRITE], DONE]
    async with helix_editor(helix, tmp_path, turns, FILES) as editor:
        await editor.new_task("change it")
        await editor.until_reached(hold)
        await editor.agent("o")
        await editor.until("# change it", "*at work*", "I look at it.", "line_20")
        hold.release.set()
        await editor.until("## The agent asks", "Edit a.py (+2 -2)")
        assert editor.file("a.py").read_text() == TEXT
        await editor.answer("y")
        await editor.until("*at rest*", "All **done**.")
        await editor.until_text("a.py", EDITED)


async def test_a_rejection_reaches_the_model(tmp_path: Path, helix: Path) -> None:
    async with helix_editor(helix, tmp_path, [WRITE, DONE], FILES) as editor:
        await editor.new_task("change it")
        await editor.until_ask()
        await reject(editor, "not yet")
        request = await editor.model.arrived(2)
        await editor.until("Done: All done.")

        assert editor.file("a.py").read_text() == TEXT
        assert ("not yet" in request.results[-1].text) == editor.takes_arguments


async def reject(editor: Helix, words: str) -> None:
    if editor.takes_arguments:
        await editor.fill_in("X", "agent.reject", words)
    else:
        await editor.agent("x")


async def test_one_hunk_is_left_out_where_the_cursor_is(tmp_path: Path, helix: Path) -> None:
    async with helix_editor(helix, tmp_path, [WRITE, DONE], FILES) as editor:
        await editor.new_task("change it")
        await editor.until_ask()
        await editor.until_marks(2)
        await editor.terminal.press("g", "e", "k")
        await editor.choose_action("Agent: reject this hunk")
        await editor.until_marks(1)
        await editor.agent("h")
        await editor.until_text("a.py", TEXT.replace("line_0\n", "first\n"))


async def test_what_the_user_types_before_approving_is_kept(tmp_path: Path, helix: Path) -> None:
    fox = TEXT.replace("line_20", "🦊🦊 line_20")
    edit = [CallTool("edit_file", path="a.py", old_string="🦊🦊 line_20", new_string="🦊 fox")]
    async with helix_editor(helix, tmp_path, [edit, DONE], {"a.py": fox}) as editor:
        await editor.new_task("change it")
        await editor.until_ask()
        await editor.insert("TYPED 🦊 ")
        await editor.agent("y")
        await editor.until("🦊 fox")
        await editor.until_text("a.py", "TYPED 🦊 " + TEXT.replace("line_20", "🦊 fox"))


async def test_text_that_moved_on_in_the_same_place_is_told_to_the_model(tmp_path: Path, helix: Path) -> None:
    edit = [CallTool("edit_file", path="a.py", old_string="line_0\n", new_string="first\n")]
    async with helix_editor(helix, tmp_path, [edit, DONE], FILES) as editor:
        await editor.new_task("change it")
        await editor.until_ask()
        await editor.insert("mine_")
        await editor.agent("y")
        request = await editor.model.arrived(2)
        await editor.until_text("a.py", f"mine_{TEXT}")

        assert "first" not in editor.file("a.py").read_text()
        assert "chang" in request.results[-1].text


async def test_no_character_is_lost_to_an_ask_that_comes_while_the_user_types(tmp_path: Path, helix: Path) -> None:
    hold = Hold()
    async with helix_editor(helix, tmp_path, [[Say("I look."), hold, *WRITE], DONE], FILES) as editor:
        await editor.new_task("change it")
        await editor.until_reached(hold)
        await editor.terminal.press("i")
        await editor.until(" INS ")
        await editor.terminal.type("abc")
        hold.release.set()
        await editor.until("Later" if editor.has_pop_ups else "●")
        await editor.terminal.type("def")
        await editor.until("abcdefline_0")
        await editor.until_normal()
        await editor.until_text("a.py", f"abcdef{TEXT}")


async def test_an_ask_whose_pop_up_was_closed_is_answered_by_a_code_action(tmp_path: Path, helix: Path) -> None:
    async with helix_editor(helix, tmp_path, [WRITE, DONE], FILES) as editor:
        await editor.new_task("change it")
        await editor.until_ask()
        await editor.until_marks(2)
        assert len(editor.model.requests) == 1
        await editor.choose_action("Agent: approve a.py")
        await editor.until_text("a.py", EDITED)
        await editor.until_marks(0)


async def test_a_diff_that_was_edited_is_what_is_applied(tmp_path: Path, helix: Path) -> None:
    async with helix_editor(helix, tmp_path, [WRITE, DONE], FILES) as editor:
        await editor.new_task("change it")
        await editor.until_ask()
        await editor.agent("d")
        await editor.until("+first")
        await editor.ex("goto 13")
        await editor.terminal.press("l")
        await editor.insert("mine and ")
        await editor.agent("y")
        await editor.until_text("a.py", EDITED.replace("first", "mine and first"))


async def test_commands_see_what_was_edited_before(tmp_path: Path, helix: Path) -> None:
    turns = [
        WRITE,
        [CallTool("execute_command", command="head -n 1 a.py > made.txt; cat made.txt")],
        DONE,
    ]
    async with helix_editor(helix, tmp_path, turns, FILES) as editor:
        await editor.new_task("change it")
        await editor.answer("y")
        await editor.until_text("a.py", EDITED)
        await editor.until("made.txt")
        await editor.answer("y")
        request = await editor.model.arrived(3)

        assert editor.file("made.txt").read_text() == "first\n"
        assert "first" in request.results[-1].text


async def test_an_ask_that_is_taller_than_the_screen_harms_nobody(tmp_path: Path, helix: Path) -> None:
    tall = [CallTool("execute_command", command="\n".join(f"echo {n}" for n in range(60)))]
    async with helix_editor(helix, tmp_path, [tall, DONE], FILES) as editor:
        await editor.new_task("run it")
        await editor.until_ask()
        await editor.agent("x")
        await editor.model.arrived(2)


async def test_a_question_is_answered_by_a_code_action(tmp_path: Path, helix: Path) -> None:
    asked = [
        CallTool(
            "ask_followup_question",
            question="Which one?",
            follow_up=["This one", "The other"],
        )
    ]
    async with helix_editor(helix, tmp_path, [asked, DONE], FILES) as editor:
        await editor.new_task("do it")
        await editor.until_ask()
        await editor.choose_action("Agent: answer “The other”")
        request = await editor.model.arrived(2)

        assert "The other" in request.results[-1].text


async def test_a_question_is_answered_in_the_prompt_document(tmp_path: Path, helix: Path) -> None:
    asked = [
        CallTool(
            "ask_followup_question",
            question="Which one?",
            follow_up=["This one", "The other"],
        )
    ]
    async with helix_editor(helix, tmp_path, [asked, DONE], FILES) as editor:
        await editor.new_task("do it")
        await editor.until_ask()
        await editor.send_prompt("Neither of them")
        request = await editor.model.arrived(2)

        assert "Neither of them" in request.results[-1].text


async def test_files_that_are_not_open_keep_what_they_hold(tmp_path: Path, helix: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Add File: sub/new.py\n+made\n*** Update File: b.py\n@@\n-line_3\n+third\n*** End Patch"
    )
    turns = [
        [CallTool("apply_patch", patch=patch)],
        [CallTool("write_to_file", path="b.py", content="all\n")],
        DONE,
    ]
    async with helix_editor(helix, tmp_path, turns, {**FILES, "b.py": TEXT}) as editor:
        await editor.new_task("change it")
        await editor.answer("y")
        await editor.model.arrived(2)
        third = TEXT.replace("line_3\n", "third\n")
        assert (
            editor.file("sub/new.py").read_text(),
            editor.file("b.py").read_text(),
        ) == ("made\n", third)
        await editor.answer("x")
        await editor.model.arrived(3)

        assert editor.file("b.py").read_text() == third


async def test_a_stopped_task_goes_on_after_helix_was_closed(tmp_path: Path, helix: Path) -> None:
    hold = Hold()
    async with desk(helix, tmp_path, [[Say("It begins.\n"), hold], WRITE, DONE], FILES) as made:
        async with made.helix("a.py") as editor:
            await editor.new_task("change it")
            await editor.until_reached(hold)
            await editor.agent("o")
            await editor.until("It begins.")
            await editor.agent("c")
            await editor.until("stopped: `space A g` goes on")
        async with made.helix("a.py") as editor:
            await editor.agent("g")
            await editor.answer("y")
            await editor.until_text("a.py", EDITED)


async def test_a_dead_server_comes_back_with_its_task(tmp_path: Path, helix: Path) -> None:
    # Helix 25.01 restarts nothing where one server of a language is not installed; of this one, ours is the only one.
    write = [CallTool("write_to_file", path="a.diff", content=EDITED)]
    async with helix_editor(helix, tmp_path, [write, write, DONE], {"a.diff": TEXT}, "a.diff") as editor:
        await editor.new_task("change it")
        await editor.until_ask()
        editor.server().kill()
        await editor.until("Language server exited")
        await editor.ex("lsp-restart")
        await editor.until_ready()
        await editor.agent("g")
        await editor.answer("y")
        await editor.until_text("a.diff", EDITED)


async def test_the_history_is_a_page(tmp_path: Path, helix: Path) -> None:
    async with helix_editor(helix, tmp_path, [DONE, DONE], FILES) as editor:
        await editor.new_task("the first one")
        await editor.until("Done: ")
        await editor.agent("l")
        await editor.until("# Tasks", "**the first one**")
        await editor.ex("goto 3")
        await editor.terminal.press("Space", "a")
        await editor.until("Agent: go on with this task")
        await editor.close_menu("Agent: go on with this task")
