"""Landlock: a process gives up access to files, ports and signals, for itself and its children.

The kernel's interface is three system calls, for which the C library has no functions. Each version
of it (its ABI) handles more kinds of access; a right that the kernel does not know is left out, and
`unhandled()` says what stays possible. https://docs.kernel.org/userspace-api/landlock.html
"""

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable
from functools import cache
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # on every architecture
_ASK_VERSION, _PATH_BENEATH = 1, 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIR, REMOVE_FILE = 1 << 4, 1 << 5
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK = 1 << 6, 1 << 7, 1 << 8, 1 << 9
MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = 1 << 10, 1 << 11, 1 << 12
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_SINCE = {REFER: 2, TRUNCATE: 3, IOCTL_DEV: 5}  # ABI; the other rights are in the first
_FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV  # of what is no folder
_ALL_FILES = (1 << 16) - 1
_TCP, _NET_ABI = 0b11, 4  # bind, connect
_SCOPES, _SCOPE_ABI = 0b11, 6  # abstract Unix sockets, signals

READS = EXECUTE | READ_FILE | READ_DIR
WRITES = READS | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SYM
WRITES |= REFER
DEVICE = READ_FILE | WRITE_FILE | IOCTL_DEV

_PR_SET_NO_NEW_PRIVS = 38
_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long


@cache
def abi() -> int:
    """The version of the kernel's Landlock; 0 where it has none, or where it is switched off."""
    version = _syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION))
    return max(0, int(version))


def unhandled(version: int) -> tuple[str, ...]:
    """What a process may still do because this ABI does not handle it, in words."""
    return tuple(
        gap
        for since, gap in (
            (5, "use ioctl on devices that it inherits"),
            (_SCOPE_ABI, "send signals to the other processes of its user"),
        )
        if version < since
    )


def handled(version: int) -> tuple[int, int, int]:
    """The rights on files, on the network, and the scopes that this ABI can take away."""
    files = _ALL_FILES
    for right, since in _SINCE.items():
        files &= ~right if version < since else _ALL_FILES
    return files, _TCP if version >= _NET_ABI else 0, _SCOPES if version >= _SCOPE_ABI else 0


class Ruleset:
    """What a process keeps; enforce() takes everything else that the kernel's ABI handles."""

    def __init__(self) -> None:
        """Raises OSError where the kernel has no Landlock."""
        self._files, network, scopes = handled(abi())
        attributes = struct.pack("=QQQ", self._files, network, scopes)
        size = 8 if abi() < _NET_ABI else 16 if abi() < _SCOPE_ABI else 24
        self.descriptor = _checked(
            _syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint(0)),
            "landlock_create_ruleset",
        )

    def allow(self, path: str | Path, rights: int) -> None:
        """Keeps these rights on a file, or on a folder and everything in it. Follows links. Raises
        OSError where there is no such path."""
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not stat.S_ISDIR(os.fstat(opened).st_mode):
                rights &= _FILE_RIGHTS
            attributes = struct.pack("=Qi", rights & self._files, opened)
            result = _syscall(
                ADD_RULE, self.descriptor, _PATH_BENEATH, attributes, ctypes.c_uint(0)
            )
            _checked(result, f"landlock_add_rule for {path}")
        finally:
            os.close(opened)

    def allow_existing(self, existing: Iterable[str | Path], rights: int) -> None:
        """As allow(), for those of the paths that exist."""
        for path in existing:
            if os.path.exists(path):
                self.allow(path, rights)

    def enforce(self) -> None:
        """Confines this process, and all that it starts, forever. Makes system calls and nothing
        else. Raises OSError."""
        no_new_privileges()
        result = _syscall(RESTRICT_SELF, self.descriptor, ctypes.c_uint(0))
        _checked(result, "landlock_restrict_self")

    def close(self) -> None:
        os.close(self.descriptor)


def no_new_privileges() -> None:
    """No program that this process executes gains a privilege, as by a setuid bit."""
    one, zero = ctypes.c_ulong(1), ctypes.c_ulong(0)
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, one, zero, zero, zero), "prctl")


def _checked(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        if number == errno.ENOSYS:
            raise OSError(number, "the kernel has no Landlock")
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result
