"""Which processes let others go first.

Linux divides the processors between sessions before it considers nice ("autogroup", sched(7)), so
nice orders only the processes of one session. What lets others go first therefore has a session,
whose own value is in /proc/PID/autogroup. Only root may write such values more often than ten times
a second; one that is refused is written before the next command.
"""

import contextlib
import os

_refused: int | None = None
_leads = False


def let_others_first(more: int) -> None:
    """Raises the nice value of this process and of the commands that it will start, which are in
    its session (leads_session()). For a process without a terminal that the grader started."""
    global _leads, _refused
    with contextlib.suppress(PermissionError):  # it leads one already
        os.setsid()
    _leads = True
    _refused = os.nice(more)
    write_refused()


def leads_session() -> bool:
    """Whether the commands of this process stay in its session, in process groups of their own."""
    return _leads


def write_refused() -> None:
    """Writes the value that was refused last, if any."""
    global _refused
    if _refused is not None and of_session(os.getpid(), _refused):
        _refused = None


def of_session(pid: int, nice: int) -> bool:
    """Sets the value of a process's session. Whether it need not be tried again."""
    try:
        with open(f"/proc/{pid}/autogroup", "w") as autogroup:
            autogroup.write(str(nice))
    except BlockingIOError:
        return False
    except OSError:  # a kernel without it, or the process has ended
        pass
    return True
