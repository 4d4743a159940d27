"""Whether a profile's model answers, and how soon: one tiny request."""

import asyncio
from collections.abc import Mapping

from agent_lsp.domain.errors import ModelFault
from agent_lsp.providers.build import build_model
from agent_lsp.providers.probing import seconds_to_answer
from agent_lsp.settings.model import Profile

TRIAL_SECONDS = 60.0
"""A model on this machine may have to be loaded first."""


async def answered_in(profile: Profile, name: str, environment: Mapping[str, str]) -> float:
    """Tell the seconds to the end of a small answer; NotConfigured or ModelFault where there is none."""
    model = build_model(profile, name=name, environment=environment)
    try:
        async with asyncio.timeout(TRIAL_SECONDS):
            return await seconds_to_answer(model)
    except TimeoutError as error:
        raise ModelFault(f"There was no answer within {TRIAL_SECONDS:g} seconds.", is_passing=True) from error
    finally:
        await model.aclose()
