"""Every way in which a command can end has one kind and one sentence."""

import signal

import pytest

from grader.sandbox.ending import (
    EarlyEnd,
    Finished,
    Limit,
    early_end,
    return_code,
    shell_status,
)
from grader.sandbox.limits import Limits, cores


def finished(
    status: int | None = None,
    number: int | None = None,
    stopped_by: Limit | None = None,
    stderr: bytes = b"",
) -> Finished:
    limits = Limits(seconds=2.5, output=3 << 20, memory=1 << 30)
    return Finished(limits, status, number, stopped_by, 90, processor=0.25, stderr=stderr)


@pytest.mark.parametrize("status", [0, 1, 255])
def test_a_command_that_exits_by_itself_has_no_early_end(status: int) -> None:
    assert early_end(finished(status)) is None


@pytest.mark.parametrize(
    ("stopped_by", "kind", "reason"),
    [
        ("time", "timeout", "did not finish within 2.5 s and was stopped"),
        ("processor", "timeout", "used 2.5 s of processor time and was stopped"),
        (
            "processors",
            "timeout",
            f"used 2.5 s of processor time on each of {cores()} cores and was stopped",
        ),
        ("waiting", "waiting", "waited for more than 60 s without doing any work and was stopped"),
        (
            "starved",
            "starved",
            "got 0.25 s of processor time in 90 s, because other programs keep the cores busy",
        ),
        ("output", "flood", "printed more than 3 MB and was stopped"),
        ("memory", "crashed", "used more than 1 GB of memory and was stopped"),
    ],
)
def test_a_limit_is_named_although_a_signal_ended_the_command(
    stopped_by: Limit, kind: str, reason: str
) -> None:
    end = early_end(finished(number=signal.SIGKILL, stopped_by=stopped_by))
    assert end is not None and (end.kind, end.reason) == (kind, reason)


def test_the_kernels_limit_on_processor_time_reads_as_the_graders() -> None:
    end = early_end(finished(number=signal.SIGXCPU))
    assert end == EarlyEnd("timeout", "used 2.5 s of processor time and was stopped")


def test_a_signal_is_explained() -> None:
    end = early_end(finished(number=signal.SIGSEGV))
    assert end == EarlyEnd(
        "crashed",
        "crashed: segmentation fault: your program accessed memory it does not own",
    )


@pytest.mark.parametrize(
    ("number", "name"), [(signal.SIGUSR1, "SIGUSR1"), (signal.SIGRTMIN + 1, "signal 35")]
)
def test_a_rare_signal_is_named(number: int, name: str) -> None:
    end = early_end(finished(number=number))
    assert end is not None and end.reason == f"crashed: {name}"


@pytest.mark.parametrize("code", [0, 1, 127, -signal.SIGSEGV, -signal.SIGKILL])
def test_a_shell_reports_the_same_end(code: int) -> None:
    assert return_code(shell_status(code)) == code


def test_the_last_line_of_stderr_is_cut() -> None:
    assert finished(0).last_error_line() == ""
    assert finished(0, stderr=b"one\ntwo \xff\n\n").last_error_line() == "two \ufffd"
    assert len(finished(0, stderr=b"x" * 1000).last_error_line()) == 300
