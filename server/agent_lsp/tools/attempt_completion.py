"""attempt_completion: put the result of the task before the user."""

from pydantic import BaseModel, Field

from agent_lsp.domain.turns import After, Outcome


class AttemptCompletion:
    name = "attempt_completion"
    description = (
        "Present the result once the task is done and you have seen the results of your calls. Call it alone. "
        "It is final: no question, no offer of more help."
    )

    class Arguments(BaseModel):
        result: str = Field(min_length=1, description="What was done, short, in Markdown")

    async def run(self, arguments: Arguments, call_id: str) -> Outcome:
        del call_id
        return Outcome("The result was shown to the user.", after=After.COMPLETED, completion=arguments.result)

    @staticmethod
    def refused() -> Outcome:
        """Say no to completing beside a call that failed."""
        text = "Not completed: a call before this one in the same message failed. See to that first, then complete."
        return Outcome(text, is_error=True, is_mistake=True)
