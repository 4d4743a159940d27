"""`agent-lsp providers`: the profiles that are set up, which one is used, and whether its model answers."""

import asyncio
import os
import sys
from argparse import Namespace
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import AgentError, BadParams, ModelFault
from agent_lsp.headless.paint import clean
from agent_lsp.headless.profile_trial import answered_in
from agent_lsp.providers.advice import local_advice
from agent_lsp.providers.build import problem_of
from agent_lsp.settings.model import Settings
from agent_lsp.settings.profiles import check_profile, listed, profile
from agent_lsp.settings.sources import USER_FILE, read_settings
from agent_lsp.storage.places import home_folder
from agent_lsp.storage.user_settings import change_user_settings


def run_providers(options: Namespace) -> int:
    """Do what is asked for; the exit code."""
    try:
        home = home_folder(os.environ)
        match options.operation:
            case "list":
                return _list(_settings(home))
            case "use":
                return _use(home, options.name)
            case _:
                return _test(_settings(home), options.name, home)
    except BadParams as problem:
        print(f"agent-lsp: {clean(str(problem))}", file=sys.stderr)
        return 2
    except (AgentError, OSError) as problem:
        print(f"agent-lsp: {clean(str(problem))}", file=sys.stderr)
        return 1


def _settings(home: Path) -> Settings:
    read = read_settings(home=home, roots=(), editor=None, command_line=None, is_trusted=lambda _root, _digest: False)
    for remark in read.remarks:
        print(f"agent-lsp: {clean(remark)}", file=sys.stderr)
    return read.settings


def _list(settings: Settings) -> int:
    rows = listed(settings, None, lambda name, profile: problem_of(profile, name=name, environment=os.environ))
    names = max((len(clean(row.name)) for row in rows), default=0)
    types = max((len(clean(row.type)) for row in rows), default=0)
    for row in rows:
        problem = f"  ({row.problem})" if row.problem else ""
        star = "*" if row.is_current else " "
        print(clean(f"{star} {clean(row.name):{names}}  {clean(row.type):{types}}  {row.model}{problem}"))
    if not rows:
        print("No model is set up: `agent-lsp configure` asks for one.")
        for sentence in asyncio.run(local_advice(os.environ)):
            print(clean(sentence))
    return 0


def _use(home: Path, name: str) -> int:
    check_profile(_settings(home), name)

    def changed(settings: Json) -> Json:
        return {**settings, "currentProvider": name}

    change_user_settings(home / USER_FILE, changed)
    print(clean(f"New tasks use {name}."))
    return 0


def _test(settings: Settings, name: str | None, home: Path) -> int:
    if name is not None:
        check_profile(settings, name)
    chosen, its = profile(settings, name, home / USER_FILE)
    shown = clean(f"{chosen} ({its.type}, {its.model})" if its.model else f"{chosen} ({its.type})")
    try:
        seconds = asyncio.run(answered_in(its, chosen, os.environ))
    except ModelFault as fault:
        hint = f" {fault.hint}" if fault.hint else ""
        print(f"{shown} does not answer. {clean(str(fault).rstrip('.'))}.{hint}", file=sys.stderr)
        return 1
    print(f"{shown} answered in {seconds:.1f} s.")
    return 0
