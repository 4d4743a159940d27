"""The gate: what the words on the command line mean, and which door they lead to.

The server's door comes first and is found without argparse: an editor waits behind it.
"""

import os
import sys

TYPE_CHECKING = False  # The import of typing would be paid by every editor's start.
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from agent_lsp.lsp.logs import LogOptions
    from agent_lsp.lsp.ports import OpenHall

USAGE_ERROR = 2


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run the command line; the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["--stdio"]:
        return _serve_stdio()
    options, unknown = _parser().parse_known_args(_without_editor_words(words))
    if unknown:
        return _refuse(unknown, options)
    try:
        return _run(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read this has seen enough. What is still buffered goes nowhere, without a complaint at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _refuse(unknown: "Sequence[str]", options: "argparse.Namespace") -> int:
    names = ("agent-lsp", options.command, getattr(options, "operation", None))
    command = " ".join(name for name in names if name)
    print(f"agent-lsp: {unknown[0]!r} is not understood: `{command} --help` says what is.", file=sys.stderr)
    return USAGE_ERROR


def _run(options: "argparse.Namespace") -> int:
    if options.stdio or options.tcp:
        return _serve(options)
    match options.command:
        case "run":
            return _run_task(options)
        case "demo":
            return _run_demo(options)
        case "permissions":
            return _run_permissions(options)
        case "trust":
            return _run_trust(options)
        case "helix-config":
            return _run_helix_config(options)
        case "configure":
            return _run_configure(options)
        case "providers":
            return _run_providers(options)
        case "schema":
            return _print_schema(options.format)
        case _:
            _parser().print_help()
            return USAGE_ERROR


def _serve(options: "argparse.Namespace") -> int:
    from agent_lsp.lsp.logs import LogOptions

    log = LogOptions(options.log_file, options.log_level)
    if options.record or options.replay:
        return _serve_recording(options, log)
    return _serve_at(options, _load_server, log)


def _serve_recording(options: "argparse.Namespace", log: "LogOptions") -> int:
    """Serve with a recording that is made or played; a play has its time from the recording."""
    from functools import partial

    from agent_lsp.app import moments_of, open_server_hall
    from agent_lsp.domain.moments import entered

    open_hall = partial(open_server_hall, record=options.record, replay=options.replay)
    with entered(moments_of(options.replay)):
        return _serve_at(options, lambda: open_hall, log)


def _serve_at(options: "argparse.Namespace", load: "Callable[[], OpenHall]", log: "LogOptions") -> int:
    if options.stdio:
        from agent_lsp.lsp.boot import run_stdio

        return run_stdio(load, log)
    from agent_lsp.domain.errors import AgentError
    from agent_lsp.lsp.tcp import run_tcp

    try:
        return run_tcp(options.tcp, options.token, load, log)
    except (AgentError, OSError) as error:
        print(f"agent-lsp: {error}", file=sys.stderr)
        return USAGE_ERROR


def _serve_stdio() -> int:
    from agent_lsp.lsp.boot import run_stdio

    return run_stdio(_load_server, None)


def _load_server() -> "OpenHall":
    from agent_lsp.app import open_server_hall

    return open_server_hall


def _run_task(options: "argparse.Namespace") -> int:
    import asyncio

    from agent_lsp.domain.errors import BadParams
    from agent_lsp.headless.arguments import run_options

    try:
        run = run_options(options)
    except BadParams as error:
        print(f"agent-lsp: {error}", file=sys.stderr)
        return USAGE_ERROR
    from agent_lsp.app import run_headless

    return asyncio.run(run_headless(run))


def _run_demo(options: "argparse.Namespace") -> int:
    import asyncio

    from agent_lsp.headless.arguments import demo_options
    from agent_lsp.headless.demo import run_demo

    return asyncio.run(run_demo(demo_options(options)))


def _run_permissions(options: "argparse.Namespace") -> int:
    from agent_lsp.headless.permissions_check import run_check, run_check_path
    from agent_lsp.headless.permissions_kept import run_list, run_revoke

    match options.operation:
        case "check":
            return run_check(options)
        case "check-path":
            return run_check_path(options)
        case "list":
            return run_list(options)
        case _:
            return run_revoke(options)


def _run_trust(options: "argparse.Namespace") -> int:
    from agent_lsp.headless.trust import run_trust

    return run_trust(options)


def _run_helix_config(options: "argparse.Namespace") -> int:
    from agent_lsp.headless.helix_config import run_helix_config

    return run_helix_config(options)


def _run_configure(options: "argparse.Namespace") -> int:
    from agent_lsp.headless.configure import run_configure

    return run_configure(options)


def _run_providers(options: "argparse.Namespace") -> int:
    from agent_lsp.headless.provider_commands import run_providers

    return run_providers(options)


def _print_schema(language: str) -> int:
    import json

    from agent_lsp.lsp.schema import schema
    from agent_lsp.lsp.schema_types import lua, typescript

    match language:
        case "typescript":
            text = typescript(schema())
        case "lua":
            text = lua(schema())
        case _:
            text = json.dumps(schema(), indent=2) + "\n"
    print(text, end="", flush=True)
    return 0


def _parser() -> "argparse.ArgumentParser":
    import argparse

    from agent_lsp import __version__
    from agent_lsp.headless.arguments import add_demo_arguments, add_run_arguments
    from agent_lsp.headless.helix_config import add_helix_arguments
    from agent_lsp.headless.provider_arguments import add_configure_arguments, add_provider_arguments
    from agent_lsp.headless.trust import add_trust_arguments

    parser = argparse.ArgumentParser(
        prog="agent-lsp", description="A coding agent that lives where language servers live."
    )
    parser.add_argument("--version", action="version", version=f"agent-lsp {__version__}")
    _add_server_arguments(parser)
    commands = parser.add_subparsers(dest="command", metavar="command")
    add_run_arguments(commands.add_parser("run", help="do one task here, without an editor"))
    add_demo_arguments(commands.add_parser("demo", help="watch a recorded task fix a small project"))
    add_configure_arguments(commands.add_parser("configure", help="set up a model, step by step or by options"))
    add_provider_arguments(commands.add_parser("providers", help="see, choose and test the models that are set up"))
    schema = commands.add_parser("schema", help="print the JSON Schema of the protocol")
    schema.add_argument("--format", default="json", choices=["json", "typescript", "lua"], help="JSON Schema, or types")
    _add_permissions_arguments(commands.add_parser("permissions", help="see what may run and be written unasked"))
    add_trust_arguments(commands.add_parser("trust", help="choose the folders that may loosen your settings"))
    add_helix_arguments(commands.add_parser("helix-config", help="have Helix know the agent: its languages and keys"))
    return parser


def _add_permissions_arguments(parser: "argparse.ArgumentParser") -> None:
    from agent_lsp.headless.permissions_check import add_check_arguments, add_check_path_arguments
    from agent_lsp.headless.permissions_kept import add_list_arguments, add_revoke_arguments

    operations = parser.add_subparsers(dest="operation", metavar="operation", required=True)
    add_check_arguments(operations.add_parser("check", help="what the rules make of a command"))
    add_check_path_arguments(operations.add_parser("check-path", help="where a path leads"))
    add_list_arguments(operations.add_parser("list", help="what you allowed for good"))
    add_revoke_arguments(operations.add_parser("revoke", help="take back what you allowed"))


def _add_server_arguments(parser: "argparse.ArgumentParser") -> None:
    from agent_lsp.headless.arguments import absolute_path, existing_file, log_file

    server = parser.add_argument_group("language server")
    door = server.add_mutually_exclusive_group()
    door.add_argument("--stdio", action="store_true", help="serve an editor over standard input and output")
    door.add_argument("--tcp", metavar="HOST:PORT", help="serve editors over TCP: the first, and its guests")
    server.add_argument("--token", help="what a TCP client has to send; needed for any but the loopback address")
    server.add_argument("--record", type=absolute_path, metavar="FILE", help="record the tasks of this server")
    server.add_argument("--replay", type=existing_file, metavar="FILE", help="play a recording in the model's place")
    server.add_argument("--log-file", type=log_file, metavar="FILE", help="write the log here")
    levels = ["debug", "info", "warning", "error"]
    server.add_argument("--log-level", default="info", choices=levels, help="how much of it; info, if not said")


def _without_editor_words(words: "list[str]") -> "list[str]":
    """Drop what some LSP clients add by themselves; the client's process id comes with `initialize` anyway."""
    return [word for word in words if not word.startswith("--clientProcessId=")]


if __name__ == "__main__":
    sys.exit(main())
