"""What a model is told that answered without a call. No I/O; linear in the answer."""

import re
from collections.abc import Collection

CUT_OFF = "Your answer was cut off at the output limit. Go on with a tool call, in smaller pieces."
_GO_ON = (
    "Go on with a tool call; if the task is done, call attempt_completion, "
    "and if you need something from the user, call ask_followup_question."
)
NO_CALL = f"You called no tool. {_GO_ON}"

_FENCE = re.compile(r"```[a-z]*\n")
_OPENING = re.compile(r"<([A-Za-z_][\w.-]{0,79})>")


def nudge(answer: str, tools: Collection[str]) -> str:
    """Say how to go on; where the answer is but one element that could be a call, that there is no such tool."""
    text = answer.strip()
    if fence := _FENCE.match(text):
        text = text.removesuffix("```")[fence.end() :].strip()
    opening = _OPENING.match(text)
    if opening is None or opening[1] in tools or not text.endswith(f"</{opening[1]}>"):
        return NO_CALL
    return f"There is no tool {opening[1]!r} here. Available: {', '.join(tools)}. {_GO_ON}"
