"""The same connection over TCP, for clients that cannot start a process, and for several at the same tasks.

The server ends with its first client; whoever comes after that one is its guest.
"""

import hmac
import ipaddress
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from agent_lsp.domain.errors import BadParams, Denied
from agent_lsp.lsp import boot
from agent_lsp.lsp.capabilities import dig
from agent_lsp.lsp.configuration import TOKEN_OPTION
from agent_lsp.lsp.errors import wire_error
from agent_lsp.lsp.logs import LogOptions
from agent_lsp.lsp.opening import Opening
from agent_lsp.lsp.ports import OpenHall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agent_lsp.lsp.serving import Admit  # It would bring in all that is loaded behind the first answer.

GUESTS_AT_ONCE = 8
"""So many may be about to come in; more wait until one of them has, or was sent away."""

OPENING_SECONDS = 10.0
"""Whoever connects and says nothing is sent away after this, so that the client can have its turn."""


def run_tcp(address: str, token: str | None, load_app: Callable[[], OpenHall], log: LogOptions | None = None) -> int:
    """Listen on `HOST:PORT`, and serve the first client and its guests until the first one is gone; the exit code."""
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
            return boot.serve(opening, load_app, log, GuestDoor(listener, token))


class GuestDoor:
    """Lets clients in beside the first one, each by a thread of its own until it has said who it is."""

    def __init__(self, listener: socket.socket, token: str | None) -> None:
        self._listener = listener
        self._token = token
        self._room = threading.Semaphore(GUESTS_AT_ONCE)

    def open(self, admit: "Admit") -> None:
        # A daemon: nothing but a client wakes a thread that waits for one.
        threading.Thread(target=self._accept, args=(admit,), name="lsp-door", daemon=True).start()

    def _accept(self, admit: "Admit") -> None:
        with suppress(OSError):  # The listener is closed when the server ends.
            while self._room.acquire():
                connection, _ = self._listener.accept()
                threading.Thread(target=self._let_in, args=(connection, admit), daemon=True).start()

    def _let_in(self, connection: socket.socket, admit: "Admit") -> None:
        try:
            opening = _opened(connection, self._token)
            if opening is None:
                connection.close()
                return
            opening.answer()
            admit(connection, opening)
        except OSError:
            # It went while it was let in.
            connection.close()
        finally:
            self._room.release()


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
        opening = _opened(connection, token)
        if opening:
            return connection, opening
        connection.close()


def _opened(connection: socket.socket, token: str | None) -> Opening | None:
    """Hear what a client says first; nothing where it is not to be let in."""
    # Strict: what a web page can make a browser send here must never be taken for messages.
    opening = Opening(connection.fileno(), connection.fileno(), is_strict=True)
    opening.read(OPENING_SECONDS)
    if opening.first and not _knows(opening.first, token):
        _deny(opening, opening.first["id"])
        return None
    return opening if opening.first else None


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
