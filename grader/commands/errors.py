"""How a command ends early, and what the user then reads. The standard library alone."""

import os
import sys
import traceback
from collections.abc import Callable

from grader import exit_codes, files, paths


class CommandError(Exception):
    """A command that ends early. The message says why and what to do; `code` is the exit status."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class UsageError(CommandError):
    """A command line that cannot be carried out. The message says what to type instead."""

    def __init__(self, message: str) -> None:
        super().__init__(message, exit_codes.USAGE)


class InterruptedByUserError(CommandError):
    """Ctrl-C."""

    def __init__(self) -> None:
        super().__init__("interrupted; nothing is left behind", exit_codes.INTERRUPTED)


def reported(command: Callable[[], int | None]) -> int | None:
    """Runs a command and returns what it returns. An exception becomes one message on stderr and
    an exit status; the user never sees a traceback."""
    _open_closed_streams()
    try:
        result = command()
        sys.stdout.flush()
        return result
    except CommandError as error:
        return _report(str(error), error.code)
    except KeyboardInterrupt:
        return _report(str(InterruptedByUserError()), exit_codes.INTERRUPTED)
    except BrokenPipeError:  # such as `./grade list | head -1`
        forget_stdout()
        return exit_codes.FAULT
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        advice = f"; {remedy}" if (remedy := files.remedy(error)) else ""
        return _report(
            f"a problem of this machine stopped the grader: {what}{error.strerror}{advice}",
            exit_codes.FAULT,
        )
    except Exception:  # noqa: BLE001 - the last resort: an error that no one foresaw is the grader's
        return _report(_grader_fault(), exit_codes.FAULT)


def forget_stdout() -> None:
    """Makes /dev/null of stdout, whose reader has gone: what is printed from now on is no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_closed_streams() -> None:
    """Opens /dev/null for each of stdin, stdout and stderr that is closed (`>&-`). Otherwise the
    next file that the grader opens would be taken for that stream."""
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - for the whole run


def _grader_fault() -> str:
    log = paths.BUILD / "grader-fault.log"
    try:
        log.write_text(traceback.format_exc())
        where = f"the details are in {log}"
    except OSError:
        where = "the details could not be written to build/"
    return f"this is an error in the grader, not in your file; please report it; {where}"


def _report(text: str, code: int) -> int:
    print(f"grade: {text}", file=sys.stderr)
    return code
