"""What a sequence needs that does not depend on who is graded: the files for the runner and the
right results. Those of a sequence that a seed draws are kept below build/, since computing them
takes as long as the program that is judged by them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from grader.contract import arrays, script
from grader.contract.script import Slot
from grader.contract.step import Sequence, Step
from grader.model.lab import Contract, Lab
from grader.oracle import disk_cache, operations
from grader.oracle.expected import Expected
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Operation
from grader.oracle.recent import Recent

F64 = npt.NDArray[np.float64]
AnyFloat = npt.NDArray[Any]

SLOTS, VALUES, BOUNDS = "slots.json", "values.npy", "bounds.npy"
MOST_GIVEN = 16 << 20  # bytes of the inputs of a sequence that is kept
# What one process keeps in memory, however many programs it grades. A sequence that is shrunk, and
# is played again and again, has a few MB.
MOST_IN_MEMORY = 1 << 19  # pixels of an image
INPUT_BYTES, RESULT_BYTES = 8 << 20, 24 << 20


@dataclass(frozen=True)
class Prepared:
    """The files of a sequence, in a folder, and where each output will be. large: the inputs of
    steps that would have to be made again, by the index of each."""

    lab: Lab
    contract: Contract
    sequence: Sequence
    folder: Path
    slots: list[Slot]
    large: Mapping[int, Inputs] = field(default_factory=dict)

    def expected(self, index: int) -> Expected:
        """The right result of a step."""
        place, stored = self._places.get(index), self._cached
        if place is None or stored is None:
            step = self.sequence[index]
            return expected_of(self.lab, self.contract, step, self.large.get(index))
        shape = self.slots[index].shape
        value, bound = (array[place].reshape(shape) for array in stored)
        wide = np.longdouble if np.dtype(self.slots[index].dtype) == np.float64 else np.float64
        return Expected(value.astype(wide), bound.astype(np.float64))

    @cached_property
    def _places(self) -> dict[int, slice]:
        """Where the result of each step is that is kept."""
        places, end = {}, 0
        for index, (step, slot) in enumerate(zip(self.sequence, self.slots, strict=True)):
            if _is_cached(step, slot):
                places[index] = slice(end, end := end + int(np.prod(slot.shape)))
        return places

    @cached_property
    def _cached(self) -> tuple[AnyFloat, AnyFloat] | None:
        """The values and the bounds of all results that are kept, one after the other."""
        length = max((place.stop for place in self._places.values()), default=0)
        with suppress(OSError, ValueError):
            values, bounds = (np.load(self.folder / name) for name in (VALUES, BOUNDS))
            if len(values) == len(bounds) == length:
                return values, bounds
        return None


def prepare(
    lab: Lab,
    contract: Contract,
    sequence: Sequence,
    folder: Path,
    given: list[Inputs] | None = None,
) -> Prepared:
    """Writes the files of a sequence to `folder`. given: its inputs, if they are made. Raises
    OSError."""
    computed = [operation(lab, step) for step in sequence]
    given = given or [inputs(step) for step in sequence]
    slots = script.write_files(folder, contract, computed, sequence, given)
    large = {i: given[i] for i, step in enumerate(sequence) if not _is_small(step)}
    return Prepared(lab, contract, sequence, folder, slots, large)


class _KeptFiles(msgspec.Struct):
    """What is kept beside the files of a sequence. sum: the checksum of the others."""

    slots: list[Slot]
    sum: int


def _sum_of(folder: Path) -> int:
    whole = 0
    for name in (script.DATA, VALUES, BOUNDS):
        whole = zlib.crc32((folder / name).read_bytes(), whole)
    return whole


def prepare_drawn(lab: Lab, contract: Contract, sequence: Sequence, folder: Path) -> Prepared:
    """As prepare(), of a sequence that a seed drew, in a folder that is kept; nobody may write to
    it. In `folder` where there is no room for it, or its inputs are too large."""
    key = hashlib.sha256(repr((_asks(contract), sequence)).encode())
    try:
        home = disk_cache.home(lab)
    except OSError:
        return prepare(lab, contract, sequence, folder)
    place = home / key.hexdigest()[:24]
    if (slots := _cached_slots(place)) is not None:
        return Prepared(lab, contract, sequence, place, slots)
    _remove_damaged(place)
    given = [inputs(step) for step in sequence]
    if sum(map(_input_bytes, given)) > MOST_GIVEN:
        return prepare(lab, contract, sequence, folder, given)
    with suppress(OSError):
        made = Path(tempfile.mkdtemp(dir=home, prefix="."))
        try:
            new = prepare(lab, contract, sequence, made, given)
            results = [expected_of(lab, contract, sequence[index]) for index in new._places]
            _save(made / VALUES, [right.value for right in results])
            _save(made / BOUNDS, [right.bound for right in results])
            files = _KeptFiles(new.slots, _sum_of(made))
            (made / SLOTS).write_bytes(msgspec.json.encode(files))
            for file in made.iterdir():
                file.chmod(0o644)  # whatever the umask is: inside the sandbox it is another user
            made.chmod(0o755)
            with suppress(OSError):  # it is there: another grader was faster
                os.rename(made, place)
            if _cached_slots(place) is not None:
                return Prepared(lab, contract, sequence, place, new.slots, new.large)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return prepare(lab, contract, sequence, folder, given)


def _cached_slots(place: Path) -> list[Slot] | None:
    """Of the files that are kept there; None: there are none, or they are damaged."""
    with suppress(OSError, msgspec.DecodeError):
        found = msgspec.json.decode((place / SLOTS).read_bytes(), type=_KeptFiles)
        if found.sum == _sum_of(place):
            return found.slots
    return None


def _remove_damaged(place: Path) -> None:
    """Of which a power cut has left a part. Never what another grader has just put there, and runs
    programs on: no two check and remove at once."""
    with suppress(OSError), (place.parent / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _cached_slots(place) is None:
            shutil.rmtree(place, ignore_errors=True)


def _save(file: Path, arrays: list[F64]) -> None:
    """Saves all elements, in fewer bytes each where that changes none."""
    whole = np.concatenate([*(array.reshape(-1) for array in arrays), np.zeros(0)])
    for kind in (np.uint8, np.float32, np.float64, whole.dtype):
        with np.errstate(invalid="ignore", over="ignore"):
            smaller = whole.astype(kind)
        if np.array_equal(smaller.astype(whole.dtype), whole, equal_nan=True):
            np.save(file, smaller)
            return


def operation(lab: Lab, step: Step) -> Operation:
    """What the step's part computes."""
    return operations.of(lab, step.part)


def asked_of(lab: Lab, contract: Contract, step: Step) -> tuple[object, ...]:
    """What decides the right result of a step of a contract's sequence."""
    return operation(lab, step).name, _exact(contract, step), step


def _exact(contract: Contract, step: Step) -> str | None:
    """Other parts' steps may be in a sequence."""
    return contract.exact if step.part == contract.part else None


def expected_of(lab: Lab, contract: Contract, step: Step, given: Inputs | None = None) -> Expected:
    """The right result of a step of a contract's sequence. given: its inputs, if they are made."""
    exact = _exact(contract, step)
    if given:
        return operation(lab, step).expected(given.arrays, step.driver_settings(), exact)
    return expected(operation(lab, step), exact, step)


def _is_cached(step: Step, slot: Slot) -> bool:
    return step.huge is None and int(np.prod(slot.shape)) <= disk_cache.LARGE


def _asks(contract: Contract) -> tuple[object, ...]:
    """What of a contract decides the files of a sequence, besides its steps."""
    return contract.part, contract.exact, contract.align, contract.read_only


# ---------------------------------------------------------------- one step


def inputs(step: Step) -> Inputs:
    """The arrays of a step, read-only."""
    return _recent_inputs(step) if _is_small(step) else _new_inputs(step)


def _is_small(step: Step) -> bool:
    return step.elements() <= MOST_IN_MEMORY


def _new_inputs(step: Step) -> Inputs:
    made = arrays.inputs(step)
    for array in made.arrays.values():
        array.setflags(write=False)
    return made


def expected(operation: Operation, exact: str | None, step: Step) -> Expected:
    """The right result of a step."""
    return (_recent_expected if _is_small(step) else _new_expected)(operation, exact, step)


def _new_expected(operation: Operation, exact: str | None, step: Step) -> Expected:
    return operation.expected(inputs(step).arrays, step.driver_settings(), exact)


def _input_bytes(made: Inputs) -> int:
    return sum(array.nbytes for array in made.arrays.values())


def _result_bytes(right: Expected) -> int:
    return right.value.nbytes + right.bound.nbytes


_recent_inputs = Recent(_new_inputs, _input_bytes, INPUT_BYTES)
_recent_expected = Recent(_new_expected, _result_bytes, RESULT_BYTES)
