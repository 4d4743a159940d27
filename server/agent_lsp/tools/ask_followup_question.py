"""ask_followup_question: ask the user what only they can say."""

from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from agent_lsp.domain.approvals import Decision
from agent_lsp.domain.messages import Ask
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.ports import Asker, Modes


class Suggestion(BaseModel):
    text: str = Field(validation_alias=AliasChoices("text", "answer"))
    mode: str = ""


def _from_text(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


class AskFollowupQuestion:
    name = "ask_followup_question"
    description = (
        "Ask the user, only for what you cannot find out with the other tools. "
        "Offer 2-4 complete answers to choose from, without placeholders, each with the mode it sets, if any; "
        "they may also answer freely."
    )

    class Arguments(BaseModel):
        question: str = Field(min_length=1)
        follow_up: tuple[Annotated[Suggestion, BeforeValidator(_from_text)], ...] = ()

    def __init__(self, asker: Asker, modes: Modes) -> None:
        self._asker = asker
        self._modes = modes

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        known = {mode.slug for mode in self._modes.all()}
        suggestions = [
            {"answer": suggestion.text} | ({"mode": suggestion.mode} if suggestion.mode in known else {})
            for suggestion in arguments.follow_up
        ]
        body = {"question": arguments.question, "suggest": suggestions}
        decision = await self._asker.ask(Ask.FOLLOWUP, body, call_id)
        text = decision.text or "The user gave no answer in words."
        mode = next((one["mode"] for one in suggestions if "mode" in one and one["answer"] == decision.text), None)
        return Outcome(text + self._switched(mode, decision), decision.images)

    def _switched(self, mode: str | None, decision: Decision) -> str:
        """Go on in the mode that the user chose with their answer. Nobody chose where time ran out."""
        if mode is None or mode == self._modes.current().slug or decision.by != "user":
            return ""
        self._modes.switch(mode)
        return f"\n\nWith this answer, the user set {mode} mode: you work in it from here on."
