"""The user ids that untrusted commands get when root grades: two for each grader.

RLIMIT_NPROC counts the processes of a user, and a process may signal all others of its user. So no
two graders share an id, and a compiler has another one than a program that may run beside it. A
grader keeps a lock on its pair for as long as it lives.
"""

import fcntl
import os
from functools import cache
from pathlib import Path

FIRST, PAIRS = 50_000, 4_096  # from a range that Debian assigns to no one
KILLER = FIRST + 2 * PAIRS  # of a process that kills those of one of them
LOCKS = Path("/run/convlabs")


def user_of(compiler: bool) -> int:
    """The id of a command's user. compiler: the command is a compiler. To be called by root."""
    return FIRST + 2 * _pair(os.getpid())[0] + compiler


def users() -> tuple[int, int]:
    """Both ids of this grader. To be called by root."""
    return user_of(compiler=False), user_of(compiler=True)


def lock() -> int | None:
    """The descriptor whose lock keeps other graders from these ids, also in another process that
    inherits it. None: there is no lock."""
    return _pair(os.getpid())[1]


@cache
def _pair(pid: int) -> tuple[int, int | None]:
    """The first pair, from one that the process id `pid` decides, that no grader uses, and the
    descriptor of its lock. Where no lock can be made, as on a full disk, the process id alone
    decides."""
    try:
        LOCKS.mkdir(mode=0o700, exist_ok=True)
        for pair in ((pid + step) % PAIRS for step in range(PAIRS)):
            descriptor = os.open(LOCKS / str(pair), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                continue
            return pair, descriptor
    except OSError:
        pass
    return pid % PAIRS, None
