"""`agent-lsp configure`: a profile for a model, asked for step by step, or said on the command line."""

import os
import sys
from argparse import Namespace
from pathlib import Path

from agent_lsp.domain.errors import AgentError, BadParams
from agent_lsp.headless.paint import clean, is_terminal
from agent_lsp.headless.profile_drafts import (
    Draft,
    checked_address,
    checked_name,
    checked_variable,
    draft_of,
    keep,
    profile_in,
    wanted_type,
)
from agent_lsp.providers.build import problem_of
from agent_lsp.providers.definitions import ProviderType
from agent_lsp.settings.sources import USER_FILE
from agent_lsp.storage.places import home_folder
from agent_lsp.storage.user_settings import read_user_settings

_FIELDS = {"base_url": "baseURL", "model": "model", "region": "region", "project": "project", "file": "file"}
"""What can be said, and how the settings call it."""


def run_configure(options: Namespace) -> int:
    """Set up a profile; the exit code."""
    try:
        home = home_folder(os.environ)
        draft = _drafted(options, home) if _is_said(options) else _asked(home)
        if draft is None:
            print("Nothing was changed.", file=sys.stderr)
            return 1
        file = keep(draft, home, is_current=not options.keep_current)
    except BadParams as problem:
        print(f"agent-lsp: {clean(str(problem))}", file=sys.stderr)
        return 2
    except (AgentError, OSError) as problem:
        print(f"agent-lsp: {clean(str(problem))}", file=sys.stderr)
        return 1
    _tell(draft, file, is_current=not options.keep_current)
    return 0


def _is_said(options: Namespace) -> bool:
    return any(getattr(options, name) is not None for name in (*_FIELDS, "provider", "type", "api_key_env"))


def _asked(home: Path) -> Draft | None:
    if not is_terminal(sys.stdin) or not is_terminal(sys.stdout):
        raise BadParams("`agent-lsp configure` asks, and nobody can answer here: say --type and --model.")
    from agent_lsp.headless.configure_questions import asked_draft
    from agent_lsp.headless.configure_world import TerminalPerson, World

    return asked_draft(TerminalPerson(), World(os.environ, home))


def _drafted(options: Namespace, home: Path) -> Draft:
    settings = read_user_settings(home / USER_FILE)
    type_name = options.type or str(profile_in(settings, options.provider).get("type", ""))
    if not type_name:
        raise BadParams("Say which type of provider it is, with --type.")
    provider = wanted_type(type_name)
    name = checked_name(provider.name if options.provider is None else options.provider)
    draft = draft_of(provider, name, _given(options), profile_in(settings, name))
    _check_whole(draft.type, draft)
    return draft


def _given(options: Namespace) -> dict[str, str]:
    given = {wire: value for name, wire in _FIELDS.items() if (value := getattr(options, name)) is not None}
    if "baseURL" in given:
        checked_address(given["baseURL"])
    if "file" in given:
        given["file"] = str(Path(given["file"]).expanduser().absolute())
    if options.api_key_env is not None:
        given["apiKey"] = checked_variable(options.api_key_env)
    return given


def _check_whole(provider: ProviderType, draft: Draft) -> None:
    """Raise BadParams for a need that nothing but another option can fill."""
    completed = provider.completed(draft.profile, os.environ)
    for field in provider.needs:
        if getattr(completed, field):
            continue
        if field != "api_key":
            hint = f", e.g. {provider.models[0]}" if field == "model" and provider.models else ""
            raise BadParams(f"Type {provider.name} needs --{field.replace('_', '-')}{hint}.")
        if provider.key_variable is None or draft.profile.base_url:
            raise BadParams(f"Type {provider.name} needs --api-key-env: the variable that has the key.")


def _tell(draft: Draft, file: Path, *, is_current: bool) -> None:
    used = "; new tasks use it" if is_current else ""
    print(clean(f"Profile {draft.name} ({draft.type.name}, {draft.profile.model}) is set up in {file}{used}."))
    if draft.of_other_model:
        print(
            f"It keeps what was said of its model before: {', '.join(draft.of_other_model)}. Look whether that holds."
        )
    if problem := problem_of(draft.profile, name=draft.name, environment=os.environ):
        print(f"Not yet, though: {clean(problem)}")
    print(clean(f"Try it: agent-lsp providers test {draft.name}"))
