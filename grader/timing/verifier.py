"""Verifies the outputs of timed calls while the program runs: the other end of its --verifier
(labs/runtime/bench/bench.h).

A program that a student's code has taken over can report any time, and could compute only the rows
that it hands in. So when it is timed from outside, it learns the input of each call only when the
call is due, and must send a checksum of every row of the output before it learns which rows will be
looked at (labs/runtime/bench).
"""

import random
import socket
import struct
import threading
import time
from contextlib import suppress

import numpy as np

from grader.oracle.inputs import Inputs
from grader.oracle.operations import Operation
from grader.timing import row_samples, timed_inputs
from grader.timing.row_samples import RowSample

PATIENCE = 60.0  # seconds to read what is still in the socket when the program has ended


class Verifier(threading.Thread):
    """Gives the program one input a round and receives its answers, until all rounds are done or
    the program ends. It decides how many bytes it reads; what else the program sends is ignored.

    program_end: the end of the socket that the program must inherit; the caller closes it.
    seconds: from each input until the checksums of its output were here, all rounds together but
    the first: that one waits for the program to begin.
    """

    def __init__(self, rounds: int, operation: Operation, inputs: Inputs) -> None:
        super().__init__(daemon=True)
        self._socket, self.program_end = socket.socketpair()
        dtype, shape = row_samples.output(operation, inputs)
        self._rounds, self._planes, self._height = rounds, int(np.prod(shape[:-2])), shape[-2]
        self._dtype = np.dtype(f"<{dtype}")
        self._shape = (row_samples.sample_rows(operation, inputs), shape[-1])
        self._samples: list[RowSample] = []
        self._promised: list[timed_inputs.U32] = []  # the checksums of the rows of each sample
        self.seconds = 0.0

    def run(self) -> None:
        chance = random.SystemRandom()
        with suppress(OSError, EOFError):
            for _ in range(self._rounds):
                self._round(chance)

    def _round(self, chance: random.SystemRandom) -> None:
        key = chance.getrandbits(32)
        started = time.monotonic()
        self._socket.sendall(struct.pack("<I", key))
        sums = np.frombuffer(self._receive(4 * self._planes * self._height), "<u4")
        if self._samples:
            self.seconds += time.monotonic() - started
        plane = chance.randrange(self._planes)
        first = chance.randrange(self._height - self._shape[0] + 1)
        self._socket.sendall(struct.pack("<ii", plane, first))
        data = self._receive(self._shape[0] * self._shape[1] * self._dtype.itemsize)
        rows = np.frombuffer(data, self._dtype).reshape(self._shape)
        start = plane * self._height + first
        self._samples.append(RowSample(plane, first, key, rows))
        self._promised.append(sums[start : start + len(rows)].copy())

    def _receive(self, count: int) -> bytearray:
        """Exactly so many bytes. Raises EOFError when the program has ended before."""
        data = bytearray(count)
        with memoryview(data) as view:
            received = 0
            while received < count:
                size = self._socket.recv_into(view[received:])
                if not size:
                    raise EOFError
                received += size
        return data

    def result(self) -> tuple[list[RowSample], bool]:
        """The sample of each call, and whether all of them have the checksums that the program had
        sent before. To be called once, after the program has ended."""
        self.join(PATIENCE)
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self.join()
        self._socket.close()
        pairs = zip(self._samples, self._promised, strict=True)
        kept = all(bool((timed_inputs.sums(sample.rows) == sums).all()) for sample, sums in pairs)
        return self._samples, kept
