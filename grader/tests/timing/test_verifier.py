"""What the verifier of timed calls says about accepted, lying, short and talkative programs."""

import socket
import struct
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from grader.oracle.inputs import Inputs
from grader.tests.lab_operations import named
from grader.timing import row_samples, timed_inputs
from grader.timing.verifier import Verifier

HEIGHT, WIDTH, ROUNDS = 20, 12, 5
INPUTS = Inputs(np.zeros((HEIGHT, WIDTH), np.float32), np.eye(3, dtype=np.float32))
Answering = Callable[[socket.socket, int], bool]  # does one round; False ends it


def round_of(pipe: socket.socket, lie: bool = False) -> None:
    """The round of a program whose output is its input. lie: it sends wrong checksums."""
    (key,) = struct.unpack("<I", pipe.recv(4, socket.MSG_WAITALL))
    output = timed_inputs.rows("f4", key, np.arange(HEIGHT), WIDTH)
    pipe.sendall((timed_inputs.sums(output) + np.uint32(lie)).tobytes())
    plane, first = struct.unpack("<ii", pipe.recv(8, socket.MSG_WAITALL))
    assert plane == 0 and 0 <= first <= HEIGHT - row_samples.SAMPLE_ROWS
    pipe.sendall(output[first : first + row_samples.SAMPLE_ROWS].tobytes())


def result(program: Callable[[socket.socket], None]) -> tuple[list[row_samples.RowSample], bool]:
    verifier = Verifier(ROUNDS, named("correlate"), INPUTS)

    def run() -> None:
        with verifier.program_end:
            program(verifier.program_end)

    thread = threading.Thread(target=run)
    verifier.start()
    thread.start()
    thread.join(timeout=20)
    assert not thread.is_alive()
    return verifier.result()


def test_accepted_program_passes_the_verifier() -> None:
    def program(pipe: socket.socket) -> None:
        for _ in range(ROUNDS):
            round_of(pipe)

    samples, kept = result(program)
    assert len(samples) == ROUNDS and kept
    assert len({sample.key for sample in samples}) == ROUNDS
    for sample in samples:
        rows = sample.first + np.arange(row_samples.SAMPLE_ROWS)
        assert (sample.rows == timed_inputs.rows("f4", sample.key, rows, WIDTH)).all()


def test_seconds_leave_out_how_long_a_program_takes_to_begin() -> None:
    verifier = Verifier(ROUNDS, named("correlate"), INPUTS)
    verifier.start()
    with verifier.program_end as pipe:
        time.sleep(0.5)
        for _ in range(ROUNDS):
            time.sleep(0.05)  # between two rounds it has its input already
            round_of(pipe)
    verifier.result()
    assert 0.05 * (ROUNDS - 1) <= verifier.seconds < 0.5


@pytest.mark.parametrize("when", range(ROUNDS))
def test_a_program_that_sends_other_rows_than_it_promised(when: int) -> None:
    def program(pipe: socket.socket) -> None:
        for number in range(ROUNDS):
            round_of(pipe, lie=number == when)

    samples, kept = result(program)
    assert len(samples) == ROUNDS and not kept


@pytest.mark.parametrize("rest", [b"", b"\0", b"\0" * 4 * HEIGHT], ids=["", "a byte", "sums"])
def test_a_program_that_ends_early(rest: bytes) -> None:
    def program(pipe: socket.socket) -> None:
        round_of(pipe)
        pipe.sendall(rest)

    samples, kept = result(program)
    assert len(samples) == 1 and kept


def test_a_program_that_sends_more_than_it_is_asked_for() -> None:
    def program(pipe: socket.socket) -> None:
        for _ in range(ROUNDS):
            round_of(pipe)
        pipe.setblocking(False)
        for _ in range(1000):  # no one reads it, so the socket is soon full
            try:
                pipe.send(b"x" * 4096)
            except (BlockingIOError, OSError):
                return

    samples, kept = result(program)
    assert len(samples) == ROUNDS and kept
