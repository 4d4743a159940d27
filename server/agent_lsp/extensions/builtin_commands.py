"""The commands that come with the program and stand for a text: pure data."""

from agent_lsp.extensions.command_files import CommandFile

BUILT_IN = (
    CommandFile(
        "init",
        "Write AGENTS.md, the page that agents read before they work on this project, or bring the one there is up to "
        "date. Look first: the README, the build and test set-up, the shape of the source tree, two or three typical "
        "modules and tests, rules that other agents are given here. Then write, in at most 60 lines, what somebody who "
        "can program but has never seen this project would otherwise get wrong:\n"
        "- the commands that build, check and test it, and one test alone; only those that you have seen work, or that "
        "the project's own files state;\n"
        "- where what is, in a few lines, and which parts must not know each other;\n"
        "- the conventions that its code follows and a newcomer would not guess;\n"
        "- its traps.\n"
        "Leave out what every programmer knows, what the code itself says, and what may soon be wrong. Keep what an "
        "AGENTS.md that is there already says, as far as it is true.\n"
        "$ARGUMENTS",
        "built-in",
        description="Write AGENTS.md, which tells agents how to work on this project",
        argument_hint="[what to heed]",
    ),
)
