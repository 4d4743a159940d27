"""Confining by the kernel alone, without bubblewrap: Landlock for files, a filter of system calls for sockets.

It runs in a keeper's child, between fork and exec, and so imports only the standard library, and little of it. Weaker
than bubblewrap: it can only allow whole folders, so what is protected within a writable one is not held.
"""

import ctypes
import os
import struct
from collections.abc import Sequence

LEAST_ABI = 3
"""From here on a file cannot be truncated behind its back."""


_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK, _TRUNCATE, _IOCTL_DEVICE = 1 << 6, 1 << 11, 1 << 14, 1 << 15
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_ALL_ABI_3 = (1 << 15) - 1
_NET_BIND_CONNECT = 0b11
_SCOPE_ABSTRACT_SIGNAL = 0b11
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _DROP_BOUNDING, _FILTER = 38, 22, 24, 2
_LAST_CAPABILITY = 63
_EPERM, _ENOSYS = 1, 38
_MACHINES = {"x86_64": (0xC000003E, 41, 126), "aarch64": (0xC00000B7, 198, 91)}
"""Audit number, and the numbers of socket(2) and capset(2)."""
_IO_URING_SETUP = 425
_FIRST_X32 = 0x40000000


def abi() -> int:
    """Which version of Landlock this kernel has; 0 for none, and where its sockets could not be held."""
    if os.uname().machine not in _MACHINES or os.uname().sysname != "Linux":
        return 0
    return max(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1)), 0)


def restrict(rules: Sequence[bytes]) -> None:
    """Hold this process, and all it will start, to the rules. OSError where that fails: then nothing may be started.

    A rule is a letter and a path: `r` to read below it, `l` to list, `w` to write, `u` to use a device.
    """
    libc, version = _libc(), abi()
    if version < LEAST_ABI:
        raise OSError(_ENOSYS, os.strerror(_ENOSYS))
    _drop_rights(libc)
    _check(libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    handled = _ALL_ABI_3 | (_IOCTL_DEVICE if version >= 5 else 0)
    attributes = struct.pack(
        "=QQQ",
        handled,
        _NET_BIND_CONNECT if version >= 4 else 0,
        _SCOPE_ABSTRACT_SIGNAL if version >= 6 else 0,
    )
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _check(libc.syscall(_CREATE, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0)))
    for rule in rules:
        _allow(libc, ruleset, rule, handled)
    _check(libc.syscall(_RESTRICT, ruleset, ctypes.c_uint32(0)))
    os.close(ruleset)
    _filter_calls(libc)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(outcome: int) -> int:
    if outcome < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return outcome


def _drop_rights(libc: ctypes.CDLL) -> None:
    """A command of root's has its files, and none of its powers over the system."""
    for capability in range(_LAST_CAPABILITY + 1):
        libc.prctl(_DROP_BOUNDING, capability, 0, 0, 0)  # Fails without the right to, which is as well.
    header = struct.pack("=Ii", 0x20080522, 0)
    _check(libc.syscall(_MACHINES[os.uname().machine][2], header, bytes(24)))


def _allow(libc: ctypes.CDLL, ruleset: int, rule: bytes, handled: int) -> None:
    try:
        place = os.open(rule[1:], os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # Gone meanwhile: nothing is there to be allowed.
    rights = _rights(rule[:1].decode(), handled)
    if not os.path.isdir(b"/proc/self/fd/%d" % place):  # noqa: PTH112  pathlib would double the time to start.
        rights &= _FILE_RIGHTS | (_IOCTL_DEVICE & handled)
    beneath = struct.pack("=Qi", rights, place)
    _check(libc.syscall(_ADD, ruleset, 1, beneath, ctypes.c_uint32(0)))
    os.close(place)


def _rights(kind: str, handled: int) -> int:
    match kind:
        case "w":
            return handled & ~(_MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEVICE)
        case "u":
            return _READ_FILE | _WRITE_FILE | (_IOCTL_DEVICE & handled)
        case "l":
            return _READ_DIR
        case _:
            return _EXECUTE | _READ_FILE | _READ_DIR


def _filter_calls(libc: ctypes.CDLL) -> None:
    """No sockets (pairs of them aside), and no ring through which to have one made."""
    audit, socket, _ = _MACHINES[os.uname().machine]
    steps = [
        (0x20, 0, 0, 4),  # load the architecture
        (0x15, 1, 0, audit),
        (0x06, 0, 0, 0x50000 | _ENOSYS),
        (0x20, 0, 0, 0),  # load the number of the call
        (0x35, 0, 1, _FIRST_X32),
        (0x06, 0, 0, 0x50000 | _ENOSYS),
        (0x15, 0, 1, socket),
        (0x06, 0, 0, 0x50000 | _EPERM),
        (0x15, 0, 1, _IO_URING_SETUP),
        (0x06, 0, 0, 0x50000 | _ENOSYS),
        (0x06, 0, 0, 0x7FFF0000),  # let it pass
    ]
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    kept = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(steps), ctypes.addressof(kept))
    _check(libc.prctl(_SET_SECCOMP, _FILTER, program, 0, 0))
