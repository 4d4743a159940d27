"""What is tried in which terminal editor, and by which test: each thing in each, so that none is forgotten."""

import ast
from pathlib import Path

import pytest

NVIM, NVIM_CHOICES, PLAIN, HELIX, EMACS = (
    "test_nvim_tasks",
    "test_nvim_choices",
    "test_nvim_without_plugin",
    "test_helix_tasks",
    "test_emacs_tasks",
)
STREAMS = "test_a_task_streams_is_approved_and_ends"
HUNK = "test_one_hunk_is_left_out_where_the_cursor_is"
TYPED = "test_what_the_user_types_before_approving_is_kept"
NOT_OPEN = "test_files_that_are_not_open_keep_what_they_hold"
MOVED_ON = "test_text_that_moved_on_in_the_same_place_is_told_to_the_model"
APPROVED_IN_EMACS = "test_an_approved_edit_is_one_of_emacs_own"
UNDONE = "test_what_is_typed_while_an_edit_waits_is_kept_and_one_undo_takes_it_back"
BY_COMMAND = "test_an_edit_is_approved_by_command_after_its_list_was_dismissed"

TRIED = {
    "a new task": {NVIM: STREAMS, PLAIN: BY_COMMAND, HELIX: STREAMS, EMACS: APPROVED_IN_EMACS},
    "it streams": {NVIM: STREAMS, HELIX: STREAMS},
    "an edit is approved": {NVIM: STREAMS, PLAIN: BY_COMMAND, HELIX: STREAMS, EMACS: APPROVED_IN_EMACS},
    "an edit is rejected": {
        NVIM: "test_words_of_a_rejection_reach_the_model",
        PLAIN: "test_a_file_that_is_not_open_keeps_what_is_not_changed",
        HELIX: "test_a_rejection_reaches_the_model",
        EMACS: "test_words_of_a_rejection_reach_the_model",
    },
    "one hunk is rejected": {
        NVIM: HUNK,
        HELIX: HUNK,
        EMACS: "test_one_hunk_is_left_out_by_the_code_action_at_it",
    },
    "the user types before approving": {NVIM: TYPED, PLAIN: UNDONE, HELIX: TYPED, EMACS: APPROVED_IN_EMACS},
    "emoji, in columns": {NVIM: TYPED, PLAIN: UNDONE, HELIX: TYPED, EMACS: APPROVED_IN_EMACS},
    "a stale edit": {
        NVIM: "test_text_that_moved_on_in_the_same_place_is_not_written_over",
        HELIX: MOVED_ON,
        EMACS: MOVED_ON,
    },
    "a command is approved": {
        NVIM: "test_a_command_sees_what_was_edited_and_its_changes_are_read",
        HELIX: "test_commands_see_what_was_edited_before",
        EMACS: "test_a_command_runs_once_it_is_approved",
    },
    "a question is answered": {
        NVIM_CHOICES: "test_what_is_written_in_the_prompt_answers_a_question",
        PLAIN: "test_the_transcript_is_a_buffer_that_is_kept_current",
        HELIX: "test_a_question_is_answered_by_a_code_action",
        EMACS: "test_a_question_waits_for_words_when_its_choices_are_closed",
    },
    "it is stopped in the middle": {
        NVIM: "test_a_task_is_stopped_in_the_middle_and_goes_on",
        HELIX: "test_a_stopped_task_goes_on_after_helix_was_closed",
        EMACS: "test_a_task_is_stopped_in_the_middle_and_goes_on",
    },
    "the editor is closed, and the task goes on": {
        NVIM: "test_a_task_goes_on_after_neovim_was_closed",
        HELIX: "test_a_stopped_task_goes_on_after_helix_was_closed",
        EMACS: "test_a_task_goes_on_in_another_emacs",
    },
    "a pop-up that is dismissed decides nothing": {
        NVIM_CHOICES: "test_a_question_is_answered_and_a_dismissed_list_decides_nothing",
        PLAIN: BY_COMMAND,
        HELIX: "test_an_ask_whose_pop_up_was_closed_is_answered_by_a_code_action",
        EMACS: APPROVED_IN_EMACS,
    },
    "a file that is there is not truncated": {
        NVIM: "test_a_file_that_is_not_open_is_not_truncated",
        PLAIN: "test_a_file_that_is_not_open_keeps_what_is_not_changed",
        HELIX: NOT_OPEN,
        EMACS: NOT_OPEN,
    },
    "the server dies": {
        NVIM: "test_a_server_that_died_is_started_again_and_its_task_goes_on",
        HELIX: "test_a_dead_server_comes_back_with_its_task",
        EMACS: "test_a_dead_server_comes_back_with_its_task",
    },
}


def names_in(file: str) -> set[str]:
    tree = ast.parse(Path(__file__).with_name(f"{file}.py").read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)}


@pytest.mark.parametrize("thing", TRIED)
def test_each_thing_is_tried_by_a_test_that_there_is(thing: str) -> None:
    missing = [f"{file}.{test}" for file, test in TRIED[thing].items() if test not in names_in(file)]

    assert missing == []


@pytest.mark.parametrize("editor", ["nvim", "helix", "emacs"])
def test_nothing_is_left_out_in_an_editor(editor: str) -> None:
    left_out = {thing for thing, files in TRIED.items() if not any(editor in file for file in files)}

    # Without a plugin whole messages are told; a transcript that Emacs shows is a file that it reads anew.
    assert left_out == ({"it streams"} if editor == "emacs" else set())
