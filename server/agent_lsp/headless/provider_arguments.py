"""The command lines of `configure` and `providers`. Imports nothing of ours: every command line is read with these."""

from argparse import ArgumentParser


def add_configure_arguments(parser: ArgumentParser) -> None:
    parser.description = "Without options, asks step by step. With them, nothing is asked."
    parser.add_argument("--provider", metavar="NAME", help="what to call the profile; without it, as its type")
    parser.add_argument("--type", metavar="TYPE", help="the type of provider, e.g. anthropic, openai or ollama")
    parser.add_argument("--base-url", metavar="URL", help="the address of the service, if it is not the type's own")
    parser.add_argument("--model", metavar="NAME", help="the model, as the service calls it")
    parser.add_argument("--api-key-env", metavar="VARIABLE", help="the variable of the environment that has the key")
    parser.add_argument("--region", metavar="NAME", help="where a cloud keeps the model")
    parser.add_argument("--project", metavar="NAME", help="the project in a cloud")
    parser.add_argument("--file", metavar="FILE", help="the recording that `replay` plays")
    parser.add_argument("--keep-current", action="store_true", help="leave the profile that new tasks use as it is")


def add_provider_arguments(parser: ArgumentParser) -> None:
    operations = parser.add_subparsers(dest="operation", metavar="operation", required=True)
    operations.add_parser("list", help="the profiles that are set up; a star is before the one that new tasks use")
    use = operations.add_parser("use", help="have new tasks use a profile")
    use.add_argument("name", metavar="NAME", help="the profile")
    test = operations.add_parser("test", help="ask a profile's model something tiny, and say how soon it answers")
    test.add_argument("name", nargs="?", metavar="NAME", help="the profile; without it, the one that new tasks use")
