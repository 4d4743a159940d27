import json
import string
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_lsp.approvals.command_rules import as_prefixes, judge_command
from agent_lsp.domain.approvals import Verdict
from support.timing import cpu_seconds

APPROVE, ASK, DENY = Verdict.APPROVE, Verdict.ASK, Verdict.DENY
CASES = [
    json.loads(line)
    for name in ("commands.jsonl", "commands_more.jsonl")
    for line in (Path(__file__).parents[1] / "cases" / name).read_text().splitlines()
]
CLASSES = sorted({case["class"] for case in CASES})
STRICTNESS = {APPROVE: 0, ASK: 1, DENY: 2}


def verdict(command: str, allowed=(), denied=()) -> Verdict:
    return judge_command(command, as_prefixes(allowed), as_prefixes(denied)).verdict


@pytest.mark.parametrize("kind", CLASSES)
def test_every_case_gets_the_verdict_it_is_due(kind):
    cases = [case for case in CASES if case["class"] == kind]

    found = {case["id"]: verdict(case["command"], case["allow"], case["deny"]) for case in cases}

    assert found == {case["id"]: Verdict(case["expect"]) for case in cases}


def test_no_case_is_approved_that_must_not_be():
    counts = Counter(
        (STRICTNESS[verdict(case["command"], case["allow"], case["deny"])], STRICTNESS[Verdict(case["expect"])])
        for case in CASES
    )

    assert {pair: count for pair, count in counts.items() if pair[0] < pair[1]} == {}


ALLOWED = {
    "exactly the rule": ("git status", ["git status"], APPROVE),
    "more words than the rule": ("git status --short src", ["git status"], APPROVE),
    "fewer words than the rule": ("git", ["git status"], ASK),
    "blanks do not matter": ("  git \t status  ", [" git  status "], APPROVE),
    "case matters": ("GIT status", ["git status"], ASK),
    "a path is another program": ("/usr/bin/git status", ["git status"], ASK),
    "quotes do not matter": ("git 'status'", ["git status"], APPROVE),
    "escapes do not matter": ("g\\it status", ["git status"], APPROVE),
    "a rule of blanks": ("ls", ["  "], ASK),
    "anything": ("ls -l", ["*"], APPROVE),
    "a star is no pattern": ("ls", ["l*"], ASK),
    "a comment after it": ("ls # note", ["ls"], APPROVE),
    "what looks like a comment is a word": ("ls ''#x", ["ls"], APPROVE),
    "what looks like a comment hides nothing": ("ls ''#x; whoami", ["ls"], ASK),
    "what looks like a comment after a continued line": ("ls a\\\n#x", ["ls"], ASK),
    "a glob among the arguments": ("ls *.py", ["ls"], APPROVE),
    "a glob in an option": ("ls -*", ["ls"], ASK),
    "a glob that may become an option": ("sort *", ["sort"], ASK),
    "home": ("ls ~", ["ls"], APPROVE),
    "a lone dollar": ("echo $", ["echo"], APPROVE),
    "a dollar in quotes": ('echo "$"', ["echo"], APPROVE),
    "a translated string": ('echo $"x"', ["echo"], ASK),
    "braces": ("echo {a,b}", ["echo"], ASK),
    "a range": ("echo {1..9}", ["echo"], ASK),
    "the background": ("ls &", ["ls"], APPROVE),
    "not": ("! ls", ["ls"], APPROVE),
    "a word of the shell": ("then ls", ["*"], ASK),
    "a wrapper": ("sudo ls", ["*"], APPROVE),
    "a wrapper alone": ("sudo ls", ["sudo"], ASK),
    "an assignment": ("A=1 ls", ["*"], ASK),
    "an assignment that a rule names": ("A=1 ls", ["A=1 ls"], APPROVE),
    "another value than the rule names": ("A=2 ls", ["A=1 ls"], ASK),
    "an array": ("a=(1 2)", ["*"], ASK),
    "joining descriptors": ("ls 2>&1", ["ls"], APPROVE),
    "both to nowhere": ("ls &>/dev/null", ["ls"], APPROVE),
    "to nowhere and somewhere": ("ls >/dev/null >x", ["ls"], ASK),
    "to a file through a link's name": ("ls >/dev/./null", ["ls"], ASK),
    "reading and writing": ("cat <> x", ["cat"], ASK),
    "reading from the network": ("cat </dev/tcp/h/1", ["cat"], ASK),
    "reading what is not literal": ("cat <$X", ["cat"], ASK),
    "an interpreter with a file": ("python3 tool.py", ["python3"], APPROVE),
    "an interpreter with code": ("python3 -c 'x'", ["python3"], ASK),
    "code that a rule names": ("python3 -m pytest", ["python3 -m pytest"], APPROVE),
    "an interpreter with input": ("cat x | python3", ["cat", "python3"], ASK),
    "an interpreter with a file as input": ("python3 < x", ["python3"], ASK),
    "a longer option that a rule names": ("git log --output=x", ["git log --output=x"], APPROVE),
    "an option cut short": ("git show --outp x", ["git show"], ASK),
    "options in one word": ("sort -uo x y", ["sort"], ASK),
    "an option of an unknown program": ("tool --config=x", ["tool"], ASK),
    "a harmless option of an unknown program": ("tool --verbose", ["tool"], APPROVE),
    "a folder below": ("cd src/lib && ls", ["cd", "ls"], APPROVE),
    "the folder above": ("cd src/../.. && ls", ["cd", "ls"], ASK),
    "home by no word": ("cd && ls", ["cd", "ls"], ASK),
    "the folder before": ("cd - && ls", ["cd", "ls"], ASK),
    "a carriage return": ("ls\r", ["ls"], ASK),
    "a form feed": ("ls\fwhoami", ["ls"], ASK),
    "half of a character": ("ls \ud800", ["ls"], ASK),
    "letters of any script": ("echo 'grüße 語'", ["echo"], APPROVE),
    "nothing at all": ("", ["*"], ASK),
    "only a comment": ("# ls", ["*"], ASK),
    "only input": ("< x", ["*"], ASK),
}


@pytest.mark.parametrize(("command", "allowed", "due"), ALLOWED.values(), ids=ALLOWED)
def test_allowing_is_narrow(command, allowed, due):
    assert verdict(command, allowed) is due


DENIED = {
    "the command": ("rm x", ["rm"]),
    "another case": ("RM x", ["rm"]),
    "a rule in another case": ("rm x", ["Rm"]),
    "by its path": ("/bin/rm x", ["rm"]),
    "by a path within": ("../../bin/rm x", ["rm"]),
    "with an assignment": ("A=1 rm x", ["rm"]),
    "escaped": ("\\rm x", ["rm"]),
    "quoted in pieces": ("r'm' x", ["rm"]),
    "options between": ("git --no-pager -C x push", ["git push"]),
    "an option with a value between": ("docker --context x rm y", ["docker rm"]),
    "in a function": ("f() { rm x; }; f", ["rm"]),
    "in a branch": ("if a; then b; else rm x; fi", ["rm"]),
    "in a loop": ("while a; do rm x; done", ["rm"]),
    "in a case": ("case a in b) rm x;; esac", ["rm"]),
    "in a subshell": ("(cd a; (rm x))", ["rm"]),
    "in backticks": ("echo `rm x`", ["rm"]),
    "in a substitution in quotes": ('echo "a $(b; rm x)"', ["rm"]),
    "in a default": ("echo ${a:-$(rm x)}", ["rm"]),
    "in a process substitution": ("cat <(rm x)", ["rm"]),
    "in an assigned value": ("a=$(rm x)", ["rm"]),
    "in a redirection's target": ("ls > $(rm x)", ["rm"]),
    "in a here-document": ("cat <<E\n$(rm x)\nE", ["rm"]),
    "in a here-string": ('cat <<< "$(rm x)"', ["rm"]),
    "in arithmetic": ("echo $(( $(rm x) ))", ["rm"]),
    "behind not": ("! rm x", ["rm"]),
    "in the background": ("ls & rm x", ["rm"]),
    "as a coprocess": ("coproc rm x", ["rm"]),
    "timed": ("time rm x", ["rm"]),
    "wrapped twice": ("sudo env A=1 rm x", ["rm"]),
    "wrapped with options": ("timeout -k 5 9 nice -n 3 rm x", ["rm"]),
    "for each input": ("ls | xargs -n 1 rm", ["rm"]),
    "by find": ("find . -execdir rm {} +", ["rm"]),
    "by a shell's words": ('sh -c "ls; rm x"', ["rm"]),
    "by a shell in a shell": ("bash -c \"sh -c 'ls && rm x'\"", ["rm"]),
    "by eval": ("eval 'ls; rm x'", ["rm"]),
    "by a trap": ("trap 'rm x' EXIT", ["rm"]),
    "on another machine": ("ssh host 'cd a && rm x'", ["rm"]),
    "in what cannot be read": ("ls 'a; rm x", ["rm"]),
    "export": ("export A=1", ["export"]),
    "anything": ("ls", ["*"]),
    "after ten thousand words": ("ls" + " a" * 10_000 + "; rm x", ["rm"]),
    "deeper than can be parsed": ("(" * 20_000 + "rm x", ["rm"]),
}


@pytest.mark.parametrize(("command", "denied"), DENIED.values(), ids=DENIED)
def test_denying_is_broad(command, denied):
    assert verdict(command, ["*"], denied) is DENY


NOT_DENIED = {
    "text": ("echo 'rm x'", ["rm"]),
    "an argument": ("ls rm", ["rm"]),
    "a comment": ("ls # rm x", ["rm"]),
    "a longer word": ("rmdir x", ["rm"]),
    "another subcommand": ("git pull push", ["git push"]),
    "a here-document that is literal": ("cat <<'E'\nrm x\nE", ["rm"]),
}


@pytest.mark.parametrize(("command", "denied"), NOT_DENIED.values(), ids=NOT_DENIED)
def test_what_is_not_run_is_not_denied(command, denied):
    assert verdict(command, ["*"], denied) is not DENY


LENGTHS = {
    "the longer allow wins": (["git push --dry-run"], ["git push"], APPROVE),
    "the longer deny wins": (["git"], ["git push"], DENY),
    "a tie denies": (["git push"], ["git push"], DENY),
    "any word beats a star": (["git push"], ["*"], APPROVE),
    "a star is beaten": (["*"], ["git"], DENY),
    "two stars tie": (["*"], ["*"], DENY),
}


@pytest.mark.parametrize(("allowed", "denied", "due"), LENGTHS.values(), ids=LENGTHS)
def test_the_longer_match_wins_and_a_tie_denies(allowed, denied, due):
    assert verdict("git push --dry-run", allowed, denied) is due


def test_one_denied_part_denies_however_many_there_are():
    assert verdict("true; " * 5_000 + "rm x", ["true"], ["rm"]) is DENY


PLAIN = st.lists(
    st.sampled_from(["ls", "ls -l", "cat a.txt", "cat 'a b'", 'cat "c"', "ls *.py", "cat a\\ b"]),
    min_size=1,
    max_size=4,
)
JOINTS = st.sampled_from([" && ", " || ", "; ", " | ", "\n", " |& "])
FOREIGN = "foreign"
SPLICES = st.sampled_from(
    ["; {} ", "\n{} ", " && {} ", " | {} ", " & {} ", "$({})", "`{}`", "<({})", ">({})", "; ({})", " ; {{ {}; }}",
     "|{} ", "&&{}\n", ";{};", "\t{}", "${{x:-$({})}}", '"$({})"', "'\n{}\n'", "\n#\n{}\n", "$'{}'", "<<<$({})", "<<E\n$({})\nE\n"]
)  # fmt: skip


@given(PLAIN, JOINTS, SPLICES, st.integers(0, 200))
def test_a_foreign_command_spliced_in_anywhere_is_never_approved_to_run(parts, joint, splice, place):
    script = joint.join(parts)
    at = place % (len(script) + 1)
    spliced = script[:at] + splice.format(FOREIGN) + script[at:]

    judged = judge_command(spliced, as_prefixes(["ls", "cat"]), ())

    assert judged.verdict is not APPROVE or not runs_foreign(spliced)


def runs_foreign(script: str) -> bool:
    """Ask bash itself, with three harmless programs to find."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("ls", "cat", FOREIGN):
            program = Path(folder, name)
            program.write_text(f"#!/bin/bash\n: > {folder}/ran-{name}\n")
            program.chmod(0o755)
        subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", "-c", script],
            cwd=folder,
            env={"PATH": folder},
            capture_output=True,
            timeout=20,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return Path(folder, f"ran-{FOREIGN}").exists()


def test_bash_tells_whether_a_foreign_command_runs():
    scripts = ["foreign", "ls; foreign", "ls $(foreign)", "ls 'a\nforeign'", "ls # foreign"]

    assert [runs_foreign(script) for script in scripts] == [True, True, True, False, False]


PIECES = [
    "ls",
    "cat",
    FOREIGN,
    "x",
    "#",
    "\\",
    "\\\n",
    "'",
    '"',
    "$",
    "$(",
    "`",
    ")",
    "(",
    "{",
    "}",
    ";",
    "&",
    "&&",
    "|",
    "<",
    ">",
    "<<E",
    "E",
]
MORE_PIECES = [
    "\n",
    " ",
    " ",
    " ",
    "\t",
    "!",
    "*",
    "=",
    "~",
    "[",
    "]",
    "/dev/null",
    "2>&1",
    "''",
    '""',
    "$'",
    ",",
    "if",
    "then",
    "fi",
    "do",
]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES + MORE_PIECES), max_size=12).map("".join))
def test_no_jumble_is_approved_that_runs_a_foreign_command(script):
    judged = judge_command(script, as_prefixes(["ls", "cat"]), ())

    assert judged.verdict is not APPROVE or not runs_foreign(script)


@given(st.text(st.sampled_from(string.printable), max_size=60))
def test_any_text_gets_a_verdict(text):
    assert verdict(text, ["*"], ["rm"]) in Verdict


SLOW = {
    "many parts": "true && " * 1_900 + "true",
    "many substitutions": 'echo "' + "$(a)" * 3_900 + '"',
    "deep substitutions": "$(" * 5_000 + "a" + ")" * 5_000,
    "here-documents": "cat <<A " * 3_900,
    "quotes": "'\"" * 7_900,
    "wrappers": "sudo " * 3_000 + "a",
    "options": "git " + "-a " * 5_000,
    "a megabyte": "a" * 1_000_000,
}


@pytest.mark.parametrize("command", SLOW.values(), ids=SLOW)
def test_no_command_takes_long_to_judge(command):
    """Beside a plain command, whose judgement takes a fraction of a millisecond."""
    plain = cpu_seconds(lambda: verdict("git status && git diff", ["git"], ["rm"]))

    judged = cpu_seconds(lambda: verdict(command, ["true"], ["rm", "git push", "docker system prune"]), rounds=1)

    assert judged < 10_000 * plain
