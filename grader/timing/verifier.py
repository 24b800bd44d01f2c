"""The verifier's side of a timing program's --verifier (labs/common/bench/bench.h).

A program that a student's code has taken over can report any time, and could compute only what it
hands in. So while it is timed from outside, it learns the input of each call when the call is due,
and has to send the sums of all rows of the output before it learns which of them are looked at.
"""

from __future__ import annotations

import random
import socket
import struct
import threading
from contextlib import suppress

import numpy as np

from grader.oracle.inputs import Inputs
from grader.oracle.operations import OPERATIONS
from grader.timing import noise, row_samples
from grader.timing.row_samples import Band

PATIENCE = 5.0  # seconds to read what a program left that has ended


class Witness(threading.Thread):
    """Reads what the program sends until it has had its rounds or ends. Sizes are the judge's: what
    else comes stays unread."""

    def __init__(self, rounds: int, operation: str, given: Inputs) -> None:
        super().__init__(daemon=True)
        self._ours, self.theirs = socket.socketpair()  # theirs: to be given to the program
        kind, shape = OPERATIONS[operation].output(given.arrays)
        self._rounds, self._planes, self._height = rounds, int(np.prod(shape[:-2])), shape[-2]
        self._type = np.dtype(f"<{kind}")
        self._shape = (row_samples.rows_of(operation, given), shape[-1])
        self._bands: list[Band] = []
        self._promised: list[noise.U32] = []

    def run(self) -> None:
        chance = random.SystemRandom()
        with suppress(OSError, EOFError):
            for _ in range(self._rounds):
                self._round(chance)

    def _round(self, chance: random.SystemRandom) -> None:
        key = chance.getrandbits(32)
        self._ours.sendall(struct.pack("<I", key))
        sums = np.frombuffer(self._take(4 * self._planes * self._height), "<u4")
        plane = chance.randrange(self._planes)
        first = chance.randrange(self._height - self._shape[0] + 1)
        self._ours.sendall(struct.pack("<ii", plane, first))
        data = self._take(self._shape[0] * self._shape[1] * self._type.itemsize)
        rows = np.frombuffer(data, self._type).reshape(self._shape)
        start = plane * self._height + first
        self._bands.append(Band(plane, first, key, rows))
        self._promised.append(sums[start : start + len(rows)].copy())

    def _take(self, count: int) -> bytearray:
        data = bytearray(count)
        with memoryview(data) as view:
            at = 0
            while at < count:
                got = self._ours.recv_into(view[at:])
                if not got:
                    raise EOFError
                at += got
        return data

    def heard(self) -> tuple[list[Band], bool]:
        """Once the program is dead: the rows of each call, and whether all are those whose sums it
        had sent before. To be called once."""
        self.join(PATIENCE)
        with suppress(OSError):
            self._ours.shutdown(socket.SHUT_RDWR)
        self.join()
        self._ours.close()
        pairs = zip(self._bands, self._promised, strict=True)
        kept = all(bool((noise.sums(band.rows) == sums).all()) for band, sums in pairs)
        return self._bands, kept
