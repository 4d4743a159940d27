"""Reading from a command's end and output that a sandbox refused it something. A guess: programs say it in words."""

from collections.abc import Iterable

from agent_lsp.domain.commands import CommandEnd, Excerpt

_LINE_LIMIT = 200
CONFINED = (
    # Writing.
    *("read-only file system", "read-only filesystem", "erofs", "device or resource busy", "ebusy"),
    # The network.
    *("network is unreachable", "network is down", "no route to host", "connection refused", "enetunreach"),
    *("econnrefused", "eai_again", "enotfound", "failure in name resolution", "name or service not known"),
    *("no address associated with hostname", "could not resolve", "couldn't resolve", "unable to resolve"),
    *("failed to resolve", "failed to lookup", "name resolution error", "no such host", "server misbehaving"),
    # Rights.
    *("operation not permitted", "eperm", "no new privileges", "effective uid is not 0"),
)
DENIED = ("permission denied", "eacces")


def refusal_in(end: CommandEnd, excerpt: Excerpt, marks: Iterable[str]) -> str:
    """A sentence with the first line that shows one of the marks; nothing where the command did what it was to do."""
    if end.exit_code in (0, None):
        return ""
    marks = tuple(marks)
    lines = f"{excerpt.head}\n{excerpt.tail}".splitlines()
    first = next((line for line in lines if any(mark in line.lower() for mark in marks)), None)
    return f"The sandbox seems to have refused it something: “{first.strip()[:_LINE_LIMIT]}”." if first else ""
