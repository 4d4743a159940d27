"""What a model is told of its surroundings as they change: everything at first, then only what is new. Pure.

It always stands at the end of a request, so that what a service has kept of the beginning stays good.
"""

from collections.abc import Iterator

from agent_lsp.agent.names import one_line
from agent_lsp.agent.prompt import rule_words
from agent_lsp.domain.documents import Terminal
from agent_lsp.domain.prompting import EnvironmentFacts, FileTree, GitState
from agent_lsp.domain.status import PermissionMode

_MOST_NAMED = 20
_CHANGED_BY_USER = "Changed by the user since you saw them; read them again before you edit them:"
_CHANGED_BY_COMMANDS = "Changed while your commands ran; read them again before you edit them:"
_CHANGED_BY_TASKS = "Changed by another task of the user's since you saw them; read them again before you edit them:"
_NOTHING_TOLD = EnvironmentFacts(mode="")

_PERMISSIONS = {
    PermissionMode.PLAN: "plan: you may only read. Look into it, then give your plan with attempt_completion.",
    PermissionMode.DEFAULT: "default: edits and commands are shown to the user, who decides.",
    PermissionMode.ACCEPT_EDITS: "acceptEdits: edits in the workspace are made at once; the user decides on commands.",
    PermissionMode.BYPASS_PERMISSIONS: "bypassPermissions: most calls are made at once. Take all the more care.",
}


def environment_text(facts: EnvironmentFacts, told: EnvironmentFacts | None = None) -> str | None:
    """What is new since the model was last told; everything at first, None when nothing is."""
    lines = [line for section in _sections(facts, told or _NOTHING_TOLD) for line in section]
    if not lines:
        return None
    by_the_way = [f"Time: {facts.time}"] if facts.time else []
    by_the_way += [f"Cost so far: {facts.cost}"] if facts.cost else []
    return "\n".join(["<environment>", *by_the_way, *lines, "</environment>"])


def _sections(facts: EnvironmentFacts, told: EnvironmentFacts) -> Iterator[list[str]]:
    """The parts that differ, and what is told whenever there is any."""
    if (facts.mode, facts.role) != (told.mode, told.role):
        yield list(_mode(facts, told))
    if facts.permission_mode is not told.permission_mode:
        yield [f"Permission mode {_PERMISSIONS[facts.permission_mode]}"]
    yield from _editor(facts, told)
    yield from _happened(facts)
    if facts.git != told.git:
        yield [f"Git: {_git(facts.git)}"]
    for tree in facts.trees:
        yield [f"Files in {one_line(tree.root)}:", *_tree(tree)]


def _mode(facts: EnvironmentFacts, told: EnvironmentFacts) -> Iterator[str]:
    yield f"Mode: {one_line(facts.mode)}"
    if facts.role:
        yield f"From now on, in place of what you were told of your mode:\n{facts.role}"
    elif told.role:
        yield "What you were told of your mode at the beginning holds again."


def _editor(facts: EnvironmentFacts, told: EnvironmentFacts) -> Iterator[list[str]]:
    if (facts.active, facts.cursor) != (told.active, told.cursor):
        where = f", {facts.cursor}" if facts.active and facts.cursor else ""
        yield [f"Active file: {one_line(facts.active) or 'none'}{where}"]
    if facts.visible != told.visible:
        yield [f"Visible files: {_names(facts.visible)}"]
    if facts.open != told.open:
        yield [f"Open files: {_names(facts.open)}"]
    if facts.terminals != told.terminals:
        yield (
            ["The user's terminals:", *map(_terminal, facts.terminals[:_MOST_NAMED])]
            if facts.terminals
            else ["The user's terminals: none"]
        )


def _happened(facts: EnvironmentFacts) -> Iterator[list[str]]:
    if facts.changed_by_user:
        yield [_CHANGED_BY_USER, *_listed(facts.changed_by_user)]
    if facts.changed_by_commands:
        yield [_CHANGED_BY_COMMANDS, *_listed(facts.changed_by_commands)]
    if facts.changed_by_tasks:
        yield [_CHANGED_BY_TASKS, *_listed(facts.changed_by_tasks)]
    if facts.commands:
        yield ["Background commands:", facts.commands.strip("\n")]
    for rule in facts.new_rules:
        yield [f"These project rules hold from now on:\n{rule_words(rule)}"]
    if facts.gone_rules:
        yield ["These rules hold no longer:", *_listed(facts.gone_rules)]


def _git(state: GitState | None) -> str:
    if state is None:
        return "no repository"
    where = one_line(state.branch) or "no branch"
    commit = f" at {state.commit}" if state.commit else ", no commit yet"
    counts = [(state.conflicts, "in conflict"), (state.changed, "changed"), (state.untracked, "untracked")]
    files = ", ".join(f"{count} {kind}" for count, kind in counts if count)
    is_clean = state.changed is not None and not files
    under_way = f"in the middle of {state.under_way}" if state.under_way else ""
    return "; ".join(filter(None, [f"{where}{commit}", under_way, files, "nothing changed" if is_clean else ""]))


def _terminal(terminal: Terminal) -> str:
    place = f" in {one_line(terminal.cwd)}" if terminal.cwd else ""
    if not terminal.command:
        return f"- {one_line(terminal.name)}{place}"
    end = "runs" if terminal.is_running else "has ended"
    code = f" with exit code {terminal.exit_code}" if terminal.exit_code is not None and not terminal.is_running else ""
    return f"- {one_line(terminal.name)}{place}: `{one_line(terminal.command)[:200]}` {end}{code}"


def _listed(names: tuple[str, ...]) -> list[str]:
    more = len(names) - _MOST_NAMED
    return [f"- {one_line(name)}" for name in names[:_MOST_NAMED]] + ([f"- and {more} more"] if more > 0 else [])


def _tree(tree: FileTree) -> list[str]:
    entries = [one_line(entry) for entry in tree.entries] or ["(empty)"]
    return [*entries, f"({tree.left_out} more; list_files shows them)"] if tree.left_out else entries


def _names(paths: tuple[str, ...]) -> str:
    left_out = len(paths) - _MOST_NAMED
    names = [one_line(path) for path in paths[:_MOST_NAMED]]
    return ", ".join([*names, f"and {left_out} more"] if left_out > 0 else names) or "none"
