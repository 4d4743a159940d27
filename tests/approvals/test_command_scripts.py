"""Whole scripts, judged and then run by bash itself, with planted programs that leave a mark when they run."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_lsp.approvals.command_rules import as_prefixes, judge_command
from agent_lsp.domain.approvals import Verdict

ALLOWED = ("one", "two", "true", "nice", "env", "xargs", "cat", "[[", "test", "cd", "bash", "f", "time")
FOREIGN = "foreign"
REAL = ("cat", "nice", "env", "xargs", "true", "bash")


@pytest.fixture(scope="module")
def planted() -> Iterator[Path]:
    """A folder to be the whole search path: marking programs, and the real ones that scripts need."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("one", "two", FOREIGN):
            program = Path(folder, name)
            program.write_text(f"#!/bin/bash\n: > {folder}/ran-{name}\n")
            program.chmod(0o755)
        for name in REAL:
            found = next(Path(place, name) for place in ("/usr/bin", "/bin") if Path(place, name).exists())
            Path(folder, name).symlink_to(found)
        yield Path(folder)


def runs_foreign(script: str, folder: Path) -> bool:
    """Whether bash, given a script, runs the foreign program."""
    mark = folder / f"ran-{FOREIGN}"
    mark.unlink(missing_ok=True)
    subprocess.run(
        ["/bin/bash", "--noprofile", "--norc", "-c", script],
        cwd=folder,
        env={"PATH": str(folder), "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=20,
        check=False,
    )
    return mark.exists()


def is_approved(script: str) -> bool:
    return judge_command(script, as_prefixes(ALLOWED), ()).verdict is Verdict.APPROVE


SIMPLE = st.sampled_from(
    ["one", "two a b", "one 'a; b'", 'cat "a $(one) b"', "one >/dev/null 2>&1", "true", "two a\\ b", "cat </dev/null",
     "nice one", "env two", "one $HOME ~", "one | two", "test -n a", "cat <<'E'\n$(x)\nE\n", "cat <<E\n$(one)\nE\n"]
)  # fmt: skip
SHAPES = (
    "{0}; {1}",
    "{0} && {1}",
    "{0} || {1}",
    "{0}\n{1}",
    "{0} & {1}",
    "! {0}\n{1}",
    "( {0}\n{1}\n)",
    "{{ {0}\n{1}\n}}",
    "if {0}\nthen {1}\nfi",
    "if true\nthen {0}\nelse {1}\nfi",
    "case a in a) {0}\n;; *) {1}\n;; esac",
    "cat $( {0}\n{1}\n)",
    "cat \"$( {0}\n)\" 'x'; {1}",
    "cat <( {0}\n{1}\n)",
    "f() {{ {0}\n}}; f; {1}",
    "{0} # comment ' \" $( `\n{1}",
    "[[ -n a && x == x ]] && {0}\n{1}",
    "cat <<E\na `{1}` b\nE\n{0}",
    "cat `{0}`; {1}",
    "bash -c one; {0}\n{1}",
    "time {{ {0}\n}}\n{1}",
)


LOOPS = ("until {0}\ndo {1}\ndone", "while {0}; do {1}; done")
"""Judged, not run: they may never end."""


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda shape, first, second: shape.format(first, second), st.sampled_from(SHAPES), inner, inner)


SCRIPTS = st.recursive(SIMPLE, nested, max_leaves=4)
HIDING = st.sampled_from(
    [FOREIGN, f"; {FOREIGN};", f"$({FOREIGN})", f"`{FOREIGN}`", f"\n{FOREIGN}\n", f"& {FOREIGN} &", f"<({FOREIGN})",
     f"nice {FOREIGN}", f"| {FOREIGN} |", f"bash -c {FOREIGN}", f"xargs {FOREIGN}", f"env {FOREIGN}", f"{{ {FOREIGN}\n}}",
     f'"$({FOREIGN})"', f"'; {FOREIGN} '", f"\\\n{FOREIGN}", f"<<< $({FOREIGN})", "$'\\x66oreign'", f"&& {FOREIGN}",
     f"${{1:-<({FOREIGN})}}", f"${{HOME#>({FOREIGN})}}", f"${{1:-$({FOREIGN})}}"]
)  # fmt: skip
PLENTY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@PLENTY
@given(SCRIPTS, HIDING, st.integers(0, 500))
def test_no_script_with_a_foreign_command_somewhere_is_approved_to_run_it(planted, script, hiding, place):
    at = place % (len(script) + 1)
    spliced = f"{script[:at]}{hiding}{script[at:]}"

    assert not (is_approved(spliced) and runs_foreign(spliced, planted))


@PLENTY
@given(SCRIPTS, st.integers(0, 500))
def test_a_foreign_command_in_the_place_of_another_is_never_approved(planted, script, place):
    names = [at for at in range(len(script)) if script.startswith(("one", "two"), at)]
    at = names[place % len(names)] if names else 0
    changed = f"{script[:at]}{FOREIGN}{script[at + 3 * bool(names) :]}"

    assert not (is_approved(changed) and runs_foreign(changed, planted))


def test_foreign_programs_are_seen_to_run(planted):
    scripts = [FOREIGN, f"one $({FOREIGN})", f"nice {FOREIGN}", f"one # {FOREIGN}", f"one '{FOREIGN}'"]

    assert [runs_foreign(script, planted) for script in scripts] == [True, True, True, False, False]


@pytest.mark.parametrize("shape", [*SHAPES, *LOOPS])
def test_a_shape_whose_parts_are_all_allowed_is_approved(shape):
    assert is_approved(shape.format("one", "two"))


@pytest.mark.parametrize("shape", [*SHAPES, *LOOPS])
@pytest.mark.parametrize("places", [(FOREIGN, "two"), ("one", FOREIGN)])
def test_a_foreign_part_in_a_shape_asks_and_a_denied_one_denies(shape, places):
    script = shape.format(*places)

    verdicts = [judge_command(script, as_prefixes(ALLOWED), as_prefixes(rules)).verdict for rules in ([], [FOREIGN])]

    assert verdicts == [Verdict.ASK, Verdict.DENY]


PIECES = st.sampled_from(
    ["one", "# x", "\\", "\\\n", "'", '"', "$", "$(", "`", ")", "(", "{ ", "}", ";", "&", "&&", "|", "<", ">", "<<E", "\n", "!",
     "*", "=", "~", "[", "]", "[[", "]]", "/dev/null", "2>&1", "''", "$'", ",", "if", "then", "fi", "do", "done", "while",
     "case", "esac", "in", ";;", "function", "f", "()", "time", "${HOME}", "${HOME:-", "$((", "1", "+", "-a", "coproc", "<(",
     "\nE\n", "<<'E'", "<<<", "==", "else", "until", "a)", "cat <<E\nx\nE\n"]
)  # fmt: skip
JUMBLES = st.lists(st.tuples(PIECES, st.sampled_from(["", " "])).map("".join), min_size=1, max_size=10).map("".join)


@settings(max_examples=500, deadline=None)
@given(JUMBLES)
def test_what_bash_cannot_parse_is_never_approved(script):
    if judge_command(script, as_prefixes(["*"]), ()).verdict is not Verdict.APPROVE:
        return

    checked = subprocess.run(["/bin/bash", "-n", "-c", script], capture_output=True, timeout=20, check=False)

    assert (checked.returncode, checked.stderr) == (0, b"")


HIDDEN = st.sampled_from("\u00a0\u200b\u202e\ufeff\u00ad\r\x1b\x00\x7f\u2028\u3164\U000e0041\u180e\x0b\u2800")


@given(SCRIPTS, HIDDEN, st.integers(0, 500))
def test_no_script_with_a_hidden_character_is_approved(script, character, place):
    at = place % (len(script) + 1)

    assert not is_approved(f"{script[:at]}{character}{script[at:]}")


@given(SCRIPTS, st.integers(1, 500))
def test_a_script_that_breaks_off_runs_nothing_foreign(script, place):
    """What is cut off may still be whole; if it is approved, all of its words are known."""
    cut = script[: place % len(script)]

    assert not is_approved(cut) or FOREIGN not in cut


WRAPPERS = ["nice", "nice -n 3", "env", "sudo", "sudo -u me", "timeout 5", "nohup", "command", "xargs", "stdbuf -oL"]


@given(st.lists(st.sampled_from(WRAPPERS), max_size=60))
def test_no_number_of_wrappers_hides_a_denied_command(wrappers):
    command = " ".join([*wrappers, "rm x"])

    assert judge_command(command, as_prefixes(["*"]), as_prefixes(["rm"])).verdict is Verdict.DENY


@given(st.lists(st.sampled_from(["bash -c", "sh -c", "eval", "sudo bash -c"]), min_size=1, max_size=4))
def test_no_depth_of_scripts_hides_a_denied_command(shells):
    quoted = reduce(lambda inner, shell: f"{shell} {_quoted(inner)}", shells, "ls; rm x")

    assert judge_command(quoted, as_prefixes(["*"]), as_prefixes(["rm"])).verdict is Verdict.DENY


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


@pytest.mark.parametrize("count", [50, 500, 5_000])
def test_a_denied_part_behind_many_others_is_found(count):
    command = "true; " * count + "rm x" + os.linesep

    assert judge_command(command, as_prefixes(["true"]), as_prefixes(["rm"])).verdict is Verdict.DENY
