"""The same connection over TCP, for clients that cannot start a process: one client, then the end."""

import hmac
import ipaddress
import socket
import sys
from collections.abc import Callable

from agent_lsp.domain.errors import BadParams, Denied
from agent_lsp.lsp import boot
from agent_lsp.lsp.capabilities import dig
from agent_lsp.lsp.configuration import TOKEN_OPTION
from agent_lsp.lsp.errors import wire_error
from agent_lsp.lsp.logs import LogOptions
from agent_lsp.lsp.opening import Opening
from agent_lsp.lsp.ports import OpenHall

OPENING_SECONDS = 10.0
"""Whoever connects and says nothing is sent away after this, so that the client can have its turn."""


def run_tcp(address: str, token: str | None, load_app: Callable[[], OpenHall], log: LogOptions | None = None) -> int:
    """Listen on `HOST:PORT` for the one client, and serve it until it is gone; the exit code."""
    host, port = _parsed(address, token)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        bound = listener.getsockname()
        sys.stderr.write(f"agent-lsp listens on {bound[0]}:{bound[1]}\n")
        sys.stderr.flush()
        try:
            connection, opening = _admit_one(listener, token)
        except KeyboardInterrupt:
            return 1
    with connection:
        opening.answer()
        return boot.serve(opening, load_app, log)


def _parsed(address: str, token: str | None) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdigit():
        raise BadParams(f"Write the address as HOST:PORT, not {address!r}.")
    if token is None and not _is_loopback(host):
        raise Denied("Give a --token to listen on an address that other machines can reach.")
    return host, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _admit_one(listener: socket.socket, token: str | None) -> tuple[socket.socket, Opening]:
    while True:
        connection, _ = listener.accept()
        # Strict: what a web page can make a browser send here must never be taken for messages.
        opening = Opening(connection.fileno(), connection.fileno(), is_strict=True)
        opening.read(OPENING_SECONDS)
        if opening.first and _knows(opening.first, token):
            return connection, opening
        if opening.first:
            _deny(opening, opening.first["id"])
        connection.close()


def _knows(first: dict[str, object], token: str | None) -> bool:
    given = dig(first, "params", "initializationOptions", TOKEN_OPTION)
    if token is None:
        return True
    return isinstance(given, str) and hmac.compare_digest(given.encode(), token.encode())


def _deny(opening: Opening, request_id: object) -> None:
    denial = Denied(f"Send the server's token as initializationOptions.{TOKEN_OPTION}.")
    try:
        opening.send({"id": request_id, "error": wire_error(denial)})
    except OSError:
        # It is gone already.
        return
