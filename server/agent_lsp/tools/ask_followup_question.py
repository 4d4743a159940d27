"""ask_followup_question: ask the user what only they can say."""

from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from agent_lsp.domain.messages import Ask
from agent_lsp.domain.turns import Outcome
from agent_lsp.tools.ports import Asker


class Suggestion(BaseModel):
    text: str = Field(validation_alias=AliasChoices("text", "answer"))
    mode: str = ""


def _from_text(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


class AskFollowupQuestion:
    name = "ask_followup_question"
    description = (
        "Ask the user, only for what you cannot find out with the other tools. "
        "Offer 2-4 complete answers to choose from, without placeholders; they may also answer freely."
    )

    class Arguments(BaseModel):
        question: str = Field(min_length=1)
        follow_up: tuple[Annotated[Suggestion, BeforeValidator(_from_text)], ...] = ()

    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        suggestions = [
            {"answer": suggestion.text} | ({"mode": suggestion.mode} if suggestion.mode else {})
            for suggestion in arguments.follow_up
        ]
        body = {"question": arguments.question, "suggest": suggestions}
        decision = await self._asker.ask(Ask.FOLLOWUP, body, call_id)
        return Outcome(decision.text or "The user gave no answer in words.", decision.images)
