"""The judge at the side of a timed program: what honest, lying, short and talkative ones get."""

import socket
import struct
import threading
from collections.abc import Callable

import numpy as np
import pytest

from grader.oracle.inputs import Inputs
from grader.timing import noise, row_samples
from grader.timing.verifier import Witness

HEIGHT, WIDTH, ROUNDS = 20, 12, 5
GIVEN = Inputs(np.zeros((HEIGHT, WIDTH), np.float32), np.eye(3, dtype=np.float32))
Program = Callable[[socket.socket, int], bool]  # does one round; False ends it


def round_of(pipe: socket.socket, lie: bool = False) -> None:
    """An honest round of one that computes nothing: its output is its input."""
    (key,) = struct.unpack("<I", pipe.recv(4, socket.MSG_WAITALL))
    output = noise.lines("f4", key, np.arange(HEIGHT), WIDTH)
    pipe.sendall((noise.sums(output) + np.uint32(lie)).tobytes())
    plane, first = struct.unpack("<ii", pipe.recv(8, socket.MSG_WAITALL))
    assert plane == 0 and 0 <= first <= HEIGHT - row_samples.BAND
    pipe.sendall(output[first : first + row_samples.BAND].tobytes())


def heard(program: Callable[[socket.socket], None]) -> tuple[list[row_samples.Band], bool]:
    witness = Witness(ROUNDS, "correlate", GIVEN)

    def run() -> None:
        with witness.theirs:
            program(witness.theirs)

    thread = threading.Thread(target=run)
    witness.start()
    thread.start()
    thread.join(timeout=20)
    assert not thread.is_alive()
    return witness.heard()


def test_an_honest_one() -> None:
    def program(pipe: socket.socket) -> None:
        for _ in range(ROUNDS):
            round_of(pipe)

    found, kept = heard(program)
    assert len(found) == ROUNDS and kept
    assert len({band.key for band in found}) == ROUNDS
    for band in found:
        rows = band.first + np.arange(row_samples.BAND)
        assert (band.rows == noise.lines("f4", band.key, rows, WIDTH)).all()


@pytest.mark.parametrize("when", range(ROUNDS))
def test_one_that_promised_other_rows(when: int) -> None:
    def program(pipe: socket.socket) -> None:
        for number in range(ROUNDS):
            round_of(pipe, lie=number == when)

    found, kept = heard(program)
    assert len(found) == ROUNDS and not kept


@pytest.mark.parametrize("rest", [b"", b"\0", b"\0" * 4 * HEIGHT], ids=["", "a byte", "sums"])
def test_one_that_ends_early(rest: bytes) -> None:
    def program(pipe: socket.socket) -> None:
        round_of(pipe)
        pipe.sendall(rest)

    found, kept = heard(program)
    assert len(found) == 1 and kept


def test_one_that_says_more_than_it_is_asked_for() -> None:
    def program(pipe: socket.socket) -> None:
        for _ in range(ROUNDS):
            round_of(pipe)
        pipe.setblocking(False)
        for _ in range(1000):  # nobody reads it: the socket is full soon
            try:
                pipe.send(b"x" * 4096)
            except (BlockingIOError, OSError):
                return

    found, kept = heard(program)
    assert len(found) == ROUNDS and kept
