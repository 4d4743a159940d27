"""`agent-lsp permissions check` and `check-path`: what policy would make of a command or a path. Nothing is run."""

import json
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from agent_lsp.approvals.command_rules import Prefixes, as_prefixes, judge_command, judge_parts
from agent_lsp.domain.approvals import Judgement, Verdict
from agent_lsp.domain.files import Standing
from agent_lsp.headless.paint import clean

CHECK_EPILOG = """\
A rule is the first words of a command. Without --allow and --deny the rules of your settings count, and
those of this folder where they are stricter, as if commands ran unasked (`autoApprove.execute`).

--batch reads one JSON object a line, {"command", "allow", "deny"}, and answers each with one line: auto_approve,
ask or auto_deny.

exit codes: 0 it would run, 1 it would be asked about, 3 it would be denied, 2 the command line makes no sense"""

CHECK_PATH_EPILOG = """\
--batch reads one JSON object a line, {"roots", "home", "ignore", "path", "op", "use"}, and answers each with one line:
inside, outside, protected or ignored. "ignore" holds the lines of an ignore file, "op" is read or write; with "use" or
without, the answer is that of this moment.

exit codes: 0 inside, 1 anything else, 2 the command line makes no sense"""

_EXIT_CODES = {Verdict.APPROVE: 0, Verdict.ASK: 1, Verdict.DENY: 3}
USAGE_ERROR = 2


def add_check_arguments(parser: ArgumentParser) -> None:
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = CHECK_EPILOG
    parser.add_argument("--allow", action="append", default=[], metavar="RULE", help="a rule that lets commands run")
    parser.add_argument("--deny", action="append", default=[], metavar="RULE", help="a rule that denies commands")
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    parser.add_argument("--batch", action="store_true", help="judge what comes in, line by line")
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="the command, best in quotes, after --")


def add_check_path_arguments(parser: ArgumentParser) -> None:
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = CHECK_PATH_EPILOG
    parser.add_argument("--write", action="store_true", help="judge a write, where a read is meant else")
    parser.add_argument("--batch", action="store_true", help="judge what comes in, line by line")
    parser.add_argument("path", nargs="?", help="a path, seen from this folder as the workspace")


def run_check(options: Namespace) -> int:
    if options.batch:
        return _answer_lines(_judge_line, Verdict.ASK)
    command = " ".join(options.words)
    if not command:
        print("agent-lsp: Give the command to judge, in quotes, after `--`.", file=sys.stderr)
        return USAGE_ERROR
    allowed, denied = as_prefixes(options.allow), as_prefixes(options.deny)
    if not options.allow and not options.deny:
        allowed, denied = _own_rules()
    folders = (str(Path.cwd()),)
    judged = judge_command(command, allowed, denied, folders)
    parts = judge_parts(command, allowed, denied, folders)
    print(_as_json(judged, parts) if options.json else clean(_as_text(judged, parts)))
    return _EXIT_CODES[judged.verdict]


def run_check_path(options: Namespace) -> int:
    if options.batch:
        return _answer_lines(_locate_line, Standing.OUTSIDE)
    if options.path is None:
        print("agent-lsp: Give the path to judge.", file=sys.stderr)
        return USAGE_ERROR
    from agent_lsp.workspace.places import Places

    place = Places((Path.cwd(),), home=Path.home()).locate(options.path, "write" if options.write else "read")
    print(clean(f"{place.standing.value}: {place.problem or place.absolute}"))
    return 0 if place.standing is Standing.INSIDE else 1


def _own_rules() -> tuple[Prefixes, Prefixes]:
    from agent_lsp.settings.sources import read_settings
    from agent_lsp.storage.places import home_folder

    home = home_folder(os.environ)
    read = read_settings(
        home=home, roots=(Path.cwd(),), editor=None, command_line=None, is_trusted=lambda _root, _digest: False
    )
    return as_prefixes(read.settings.allowed_commands), as_prefixes(read.settings.denied_commands)


def _answer_lines(answer: Callable[[Any], str], fallback: str) -> int:  # Any: what others sent, checked by its reading.
    for line in sys.stdin:
        try:
            verdict = answer(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            print(f"agent-lsp: A line cannot be judged: {error!r}.", file=sys.stderr)
            verdict = fallback
        print(verdict, flush=True)
    return 0


def _judge_line(question: Any) -> str:  # Any: as for whoever calls this.
    allowed, denied = as_prefixes(question.get("allow", [])), as_prefixes(question.get("deny", []))
    return judge_command(question["command"], allowed, denied).verdict.value


def _locate_line(question: Any) -> str:  # Any: as for whoever calls this.
    from agent_lsp.workspace.places import judge_path

    roots = tuple(Path(root) for root in cast("list[str]", question["roots"]))  # Path refuses anything but text.
    return judge_path(
        question["path"],
        roots=roots,
        home=Path(question.get("home") or Path.home()),
        ignore_lines=question.get("ignore", []),
        use="write" if question.get("op") == "write" else "read",
    ).value


def _as_json(judged: Judgement, parts: list[tuple[str, Judgement]]) -> str:
    segments = [{"text": text, "verdict": found.verdict, "reason": found.reason} for text, found in parts if text]
    return json.dumps({"verdict": judged.verdict, "reason": judged.reason, "segments": segments})


def _as_text(judged: Judgement, parts: list[tuple[str, Judgement]]) -> str:
    rows = [f"{judged.verdict.value}: {judged.reason or 'Every part of it is allowed.'}"]
    rows += [f"  {found.verdict.value:13} {text}" + _because(found) for text, found in parts if text]
    return "\n".join(rows)


def _because(found: Judgement) -> str:
    return f"\n{'':16}{found.reason}" if found.reason else ""
