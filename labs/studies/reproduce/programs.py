"""The programs of the experiments: functions of the labs, built and called by labs/studies/bench,
and timed run by run. Each program runs in a process of its own: the simulator fills one."""

import ctypes
import hashlib
import multiprocessing
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from grader import paths
from grader.oracle.grayscale import grey
from labs.studies.bench import case, host, machine, parts, sides, work
from labs.studies.bench.arguments import pointer
from labs.studies.bench.device import Device, Images, open_device
from labs.studies.bench.host import HostImages
from labs.studies.bench.sides import Part
from labs.studies.bench.work import Array, Work

ROOT = paths.ROOT
FOLDER = paths.BUILD / "reproduce"
IN_A_ROW = 10  # launches that are timed together: the gaps between them count, the first wait not
OURS = ("cpu_separable", "grey_fma")  # what no lab has
UNFUSED = {"cpu": "-ffp-contract=off", "sim": "-ffp-contract=off", "gpu": "--fmad=false"}
# The rows of each lab that filters: a part, and the side whose function does it.
FILTERS: dict[str, dict[str, tuple[Part, str]]] = {
    "lab1": {
        "columns": (parts.LAB1["A"], "baseline"),
        "loops": (parts.LAB1["A"], "reference"),
        "rows": (parts.LAB1["B"], "reference"),
        "openmp": (parts.LAB1["C"], "reference"),
    },
    "lab2": {
        "device": (parts.LAB2["A"], "reference"),
        "identical": (parts.LAB2["D"], "reference"),
    },
    "lab3": {"constant": (parts.LAB3["A"], "reference")},
    "lab4": {
        "idle": (parts.LAB4["A"], "reference"),
        "tile": (parts.LAB4["B"], "reference"),
        "dynamic": (parts.LAB4["C"], "reference"),
        "register": (parts.LAB4["D"], "reference"),
    },
    "lab5": {
        "separable": (parts.LAB5["B"], "reference"),
        "fused": (parts.LAB5["C"], "reference"),
    },
    "lab6": {
        "uncoalesced": (parts.LAB6["A"], "baseline"),
        "coalesced": (parts.LAB6["A"], "reference"),
        "conflict_free": (parts.LAB6["B"], "reference"),
        "vectorised": (parts.LAB6["C"], "reference"),
    },
}
# Lab 8's ladder on the CPU, and what a processor needs for a step.
GREY = {
    "baseline": (parts.LAB8["A"], "baseline", ()),
    "openmp": (parts.LAB8["A"], "reference", ()),
    "rows": (parts.LAB8["B"], "reference", ()),
    "fma": (Part("lab8", "fma", parts.LAB8["B"].call.replace("rows", "fma")), "grey_fma",
            ("fma", "sse4_1")),
    "sse": (parts.LAB8["C"], "reference", ("ssse3",)),
    "avx2": (parts.LAB8["D"], "reference", ("avx2",)),
}  # fmt: skip
_STAGED = "image width height mask radius border out"
FROM_HOST = {
    "host": f"correlate_host {_STAGED}",
    "staged_pinned": f"correlate_staged pinned {_STAGED}",
    "staged_write_combined": f"correlate_staged write_combined {_STAGED}",
}
MEMORY = {"pinned": ctypes.c_int(1), "write_combined": ctypes.c_int(2)}  # enum host_memory of lab 2


class ProgramError(Exception):
    """A program failed, or computed something wrong."""


class Limit(NamedTuple):
    """Of one row: at most so many runs, and none begins later than so many seconds after the
    first. No runs: only results are wanted (a simulator's time says nothing about a GPU)."""

    runs: int
    seconds: float


@dataclass
class Found:
    """What a program measured, by rows: the seconds of each run, other figures, and outputs."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    outputs: dict[str, Array] = field(default_factory=dict)

    def time(self, row: str, clock: Callable[[int], float], limit: Limit, times: int = 1) -> None:
        """Times `times` calls a run. One call comes first and is not counted, so that pages are
        there and caches warm, unless it alone takes as long as the limit: then it is the row.
        clock: nanoseconds of each of so many calls."""
        if limit.runs == 0:
            return
        begin = time.monotonic()
        first = clock(1) * 1e-9
        found = [first] if first >= limit.seconds else []
        while len(found) < limit.runs and time.monotonic() - begin < limit.seconds:
            found.append(clock(times) * 1e-9)
        self.seconds[row] = found or [first]


def summary(seconds: Sequence[float]) -> dict[str, float | int]:
    """The statistics of a row's runs, as they are kept in a measurement."""
    return {
        "runs": len(seconds),
        "median": statistics.median(seconds),
        "mean": statistics.fmean(seconds),
        "least": min(seconds),
        "most": max(seconds),
    }


def build(backend: str, lab: str, side: str) -> Path:
    """The shared object of a lab's side: the `reference` is its solution, `unfused` the solution
    that multiplies and adds one after the other. Raises sides.BuildError."""
    if side in OURS:
        return sides.compiled(lab, side, Path(__file__).with_name(f"{side}.c"), backend)
    source = sides.sources(lab, side, ".c" if backend == "cpu" else ".cu")
    assert source is not None
    flags = UNFUSED[backend] if side == "unfused" else ""
    return sides.compiled(lab, side, source, backend, flags)


def digest(files: Sequence[Path]) -> str:
    """One hash of the content of all files."""
    content = hashlib.sha256()
    for path in files:
        content.update(path.read_bytes())
    return content.hexdigest()


def run(program: Callable[..., Found], *arguments: object) -> Found:
    """What a program found, in a process of its own. Raises ProgramError where it crashes."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        try:
            return pool.submit(program, *arguments).result()
        except BrokenProcessPool:
            raise ProgramError(f"{program.__name__}() crashed") from None


def filtering(image: Array, mask: Array, border: int) -> Work:
    """A filter of an image in floats. Its middle row and column count as the mask's factors."""
    image, mask = (np.ascontiguousarray(array, dtype=np.float32) for array in (image, mask))
    middle = len(mask) // 2
    pair = np.array([mask[:, middle] / mask[middle, middle], mask[middle]])
    return Work("correlate", "", image, mask, image.shape, pair, border)


# ---------------------------------------------------------------- on the CPU


def cpu_filter(computed: Work, limit: Limit, rows: Sequence[str] = (), side: str = "") -> Found:
    """Lab 1's functions: the rows named, or all; side: another than the row's."""
    host.threads(machine.cores())
    images, found = HostImages(computed), Found()
    for row, (part, usual) in FILTERS["lab1"].items():
        if rows and row not in rows:
            continue
        library = ctypes.CDLL(str(build("cpu", "lab1", side or usual)))
        program = case.of_side(part, usual, library, images, cuda=False)
        assert program is not None
        found.outputs[row] = program.result().copy()
        found.time(row, partial(host.wall_clock, program.call), limit)
    return found


def cpu_separable(computed: Work, limit: Limit) -> Found:
    """A row and a column, on one core and on all."""
    images, found = HostImages(computed), Found()
    between = host.aligned(images.out.shape, images.out.dtype)
    values = images.values(0) | {"between": pointer(between)}
    library = ctypes.CDLL(str(build("cpu", "lab1", "cpu_separable")))
    for row, threads in (("separable", 1), ("separable_openmp", machine.cores())):
        call = sides.bind(
            library,
            "separable image width height h_column h_row radius between out threads",
            values | {"threads": ctypes.c_int(threads)},
            cuda=False,
        )
        images.poison(0)
        call()
        found.outputs[row] = images.out.copy()
        found.time(row, partial(host.wall_clock, call), limit)
    return found


def cpu_grey(height: int, width: int, limit: Limit) -> Found:
    """Source 001's ladder: each step must give the bytes of the first."""
    host.threads(machine.cores())
    images, found = HostImages(work.grey(height, width)), Found()
    expected = None
    for row, (part, side, needs) in GREY.items():
        if not set(needs) <= set(machine.processor_flags()):
            continue
        library = ctypes.CDLL(str(build("cpu", "lab8", side)))
        program = case.of_side(part, side, library, images, cuda=False)
        assert program is not None
        grey_values = program.result()
        expected = grey_values.copy() if expected is None else expected
        _same(row, grey_values, expected)
        found.time(row, partial(host.wall_clock, program.call), limit)
    return found


def _same(row: str, out: Array, expected: Array) -> None:
    if not np.array_equal(out, expected):
        raise ProgramError(f"{row}: not the bytes that it must give")


# ---------------------------------------------------------------- on a device


def _opened(backend: str, lab: str, side: str) -> tuple[Device, ctypes.CDLL]:
    """A device, and the functions of a side."""
    library = ctypes.CDLL(str(build(backend, lab, side)))
    return (Device(library, simulated=True) if backend == "sim" else open_device()), library


def device_filter(backend: str, lab: str, computed: Work, limit: Limit, side: str = "") -> Found:
    """The kernels of a lab, and of lab 2 also the copies and everything together; side: another
    than the row's."""
    device, library = _opened(backend, lab, side or "reference")
    found = Found()
    with Images(device, computed, slots=1) as images:
        for row, (part, usual) in FILTERS[lab].items():
            of_row = library
            if usual == "baseline":
                of_row = ctypes.CDLL(str(build(backend, lab, usual)))
            program = case.of_side(part, usual, of_row, images, cuda=True)
            assert program is not None
            found.outputs[row] = program.result()
            found.time(row, partial(device.clock, program.call), limit, IN_A_ROW)
        if lab == "lab2" and limit.runs:
            _from_host(device, library, images, found, limit)
    return found


def _from_host(
    device: Device, library: ctypes.CDLL, images: Images, found: Found, limit: Limit
) -> None:
    """Lab 2's parts B and C, and what source 000 calls the transfer: image and mask go there, the
    result comes back, in pageable memory as in the source."""
    here = HostImages(images.work)
    out, size = pointer(here.out), ctypes.c_size_t(here.out.nbytes)
    d_out = ctypes.c_void_p(images.outputs[0])

    def upload() -> None:
        device.write(images.inputs[0], here.image)
        device.write(images.mask, images.work.mask)

    calls: dict[str, Callable[[], object]] = {
        "upload": upload,
        "download": lambda: device.call("device_read", out, d_out, size),
    }
    for row, call in FROM_HOST.items():
        calls[row] = sides.bind(library, call, here.values(0) | MEMORY, cuda=True)
    for row, one in calls.items():
        found.time(row, partial(device.wall_clock, one), limit)


def device_layers(channels: int, side: int, masks: int, limit: Limit) -> Found:
    """Source 002's three layers by lab 7, beside the given kernels, in double (as the source) and
    in float. The distance of their results is the largest difference over the largest value."""
    device, ours = _opened("gpu", "lab7", "reference")
    libraries = {"": ours, "_given": ctypes.CDLL(str(build("gpu", "lab7", "baseline")))}
    found = Found()
    for kind, of_numpy in (("double", "float64"), ("float", "float32")):
        layers: dict[tuple[str, str], Callable[[], Work]] = {
            ("A", "depthwise"): partial(work.depthwise, channels, side, of_numpy),
            ("B", "pointwise"): partial(work.convolution, 1, channels, masks, side, of_numpy),
            ("C", "convolution"): partial(work.convolution, 3, channels, masks, side, of_numpy),
        }
        for (letter, name), make in layers.items():
            part = parts.LAB7[letter, kind]
            with Images(device, make(), slots=1) as images:
                programs = {
                    end: case.of_side(
                        part, "baseline" if end else "reference", library, images, cuda=True
                    )
                    for end, library in libraries.items()
                }
                outputs = []
                for end, program in programs.items():
                    assert program is not None
                    outputs.append(program.result())
                    clock = partial(device.clock, program.call)
                    found.time(f"{name}_{kind}{end}", clock, limit, IN_A_ROW)
                difference = np.abs(outputs[0] - outputs[1]).max() / np.abs(outputs[1]).max()
                found.values[f"{name}_{kind}_distance"] = float(difference)
    return found


def device_grey(height: int, width: int, limit: Limit) -> Found:
    """Source 001 on the device: where the time of a conversion goes, and lab 8's three ways as a
    whole, from pageable memory."""
    device, library = _opened("gpu", "lab8", "reference")
    computed, found = work.grey(height, width), Found()
    device.wait()  # the source's trick: the context is made here
    sizes = (computed.image.nbytes, computed.out_bytes)
    found.time("allocation", partial(_allocation, device, sizes), limit)
    here = HostImages(computed)
    with Images(device, computed, slots=1) as images:
        kernel = case.of_side(parts.LAB8_KERNEL, "reference", library, images, cuda=True)
        assert kernel is not None
        _converted("kernel", kernel.result(), computed)
        found.time("kernel", partial(device.clock, kernel.call), limit, IN_A_ROW)
        copies: dict[str, Callable[[], object]] = {
            "copy_there": lambda: device.write(images.inputs[0], here.image),
            "copy_back": lambda: device.call(
                "device_read",
                pointer(here.out),
                ctypes.c_void_p(images.outputs[0]),
                ctypes.c_size_t(here.out.nbytes),
            ),
        }
        for row, copy in copies.items():
            found.time(row, partial(device.wall_clock, copy), limit)
    for row, part in parts.LAB8_HOST.items():
        program = case.of_side(part, "reference", library, here, cuda=True)
        assert program is not None
        _converted(row, program.result(), computed)
        found.time(row, partial(device.wall_clock, program.call), limit)
    return found


def _allocation(device: Device, sizes: Sequence[int], count: int) -> float:
    """Nanoseconds of allocating these sizes; freeing them is not counted."""
    spent = 0.0
    for _ in range(count):
        start = time.perf_counter_ns()
        memory = [device.allocate(size) for size in sizes]
        spent += time.perf_counter_ns() - start
        for address in memory:
            device.free(address)
    return spent / count


def _converted(row: str, out: Array, computed: Work) -> None:
    """Raises ProgramError unless `out` is what the rule of lab 8 gives."""
    red, green, blue = (int(weight) for weight in computed.mask)
    for top in range(0, len(out), 64):
        rows = slice(top, top + 64)
        _same(row, out[rows], grey(computed.image[rows], (red, green, blue)))
