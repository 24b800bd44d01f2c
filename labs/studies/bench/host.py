"""The CPU seen from Python: clocks, what it can do at most, and images in ordinary memory."""

import ctypes
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from labs.studies.bench import machine, sides
from labs.studies.bench.arguments import Arguments, pointer
from labs.studies.bench.work import Array, Work

# Of plain_copies.c, and of grey_copies.c, which read three bytes for each that they write.
PLAIN_COPIES = ("plain_avx2_streamed", "plain_avx512_streamed")
GREY_COPIES = (
    "copy_avx2",
    "copy_avx2_streamed",
    "copy_avx512",
    "copy_avx512_streamed",
    "copy_avx512_two",
)
BUSY = 1.1  # a calibration takes longer than this times its work: the cores have other programs
# Seconds after which OpenMP's threads no longer wait in a loop, which takes a core from a library
# that has threads of its own.
ASLEEP = 0.03
TRIALS = 3  # of each of these copies
ALIGNMENT = 4096  # as the grader's timing program allocates images


def aligned(shape: tuple[int, ...], kind: np.dtype[Any]) -> Array:
    """An array at a multiple of ALIGNMENT."""
    size = int(np.prod(shape)) * kind.itemsize
    room = np.empty(size + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    return room[start : start + size].view(kind).reshape(shape)


class HostImages:
    """One input and one output. With sizes far above those of the caches every call reads from
    main memory."""

    slots = 1

    def __init__(self, work: Work) -> None:
        self.work = work
        self.image = aligned(work.image.shape, work.image.dtype)
        self.image[...] = work.image
        self.out = aligned(work.out_shape, work.image.dtype)
        self.arguments = Arguments(work)

    def values(self, slot: int) -> dict[str, Any]:
        del slot
        image, out = pointer(self.image), pointer(self.out)
        own = {"image": image, "h_image": image, "out": out, "h_out": out}
        own["mask"] = self.arguments.common["h_mask"]
        return self.arguments.common | own

    def poison(self, slot: int) -> None:
        del slot
        self.out.view(np.uint8).fill(0xFF)

    def result(self, slot: int) -> Array:
        del slot
        return self.out


class Host:
    """This processor."""

    def __init__(self) -> None:
        sides.make("bench-calibrate")
        self.library = ctypes.CDLL(str(sides.FOLDER / "cpu" / "calibrate.so"))
        if machine.processor_flags():  # of x86-64
            sides.make("bench-copies")
            self.copies = ctypes.CDLL(str(sides.FOLDER / "cpu" / "copies.so"))
        self.library.calibrate_mac_rate.restype = ctypes.c_double
        self.library.calibrate_one_copy_ns.restype = ctypes.c_uint64

    def rate(self) -> float:
        """Multiply-adds a second of one thread, in floats."""
        return float(self.library.calibrate_mac_rate())

    def copy(self, images: HostImages) -> Callable[[int], float]:
        """A clock of what reads the work's input and writes its output, in the fastest way that
        this processor has."""
        copies = [self._calibration(images), *self._streamed(images)]
        return min(copies, key=lambda copy: min(copy(1) for _ in range(TRIALS)))

    def _calibration(self, images: HostImages) -> Callable[[int], float]:
        """The grader's copy, by memcpy()."""
        written, read = ctypes.c_size_t(images.out.nbytes), ctypes.c_size_t(images.image.nbytes)
        to, source = pointer(images.out), pointer(images.image)

        def clock(count: int) -> float:
            once = self.library.calibrate_one_copy_ns
            return float(sum(once(to, written, source, read) for _ in range(count))) / count

        return clock

    def _streamed(self, images: HostImages) -> list[Callable[[int], float]]:
        """The copies in vectors whose traffic is the work's."""
        read, written = images.image.nbytes, images.out.nbytes
        names = {1: PLAIN_COPIES, 3: GREY_COPIES}.get(read // written, ())
        size = ctypes.c_size_t(written)
        source, to = pointer(images.image), pointer(images.out)

        def clock_of(name: str) -> Callable[[int], float]:
            function = self.copies[name]
            return lambda count: processor_clock(lambda: function(source, size, to), count)

        return [clock_of(name) for name in names if _has(name)]


def _has(copy: str) -> bool:
    """Whether this processor has the instructions of a copy."""
    flag = "avx512f" if "avx512" in copy else "avx2"
    return flag in machine.processor_flags()


def threads(count: int) -> None:
    """Sets the number of OpenMP's threads, which all sides share."""
    ctypes.CDLL("libgomp.so.1").omp_set_num_threads(ctypes.c_int(count))


def processor_clock(call: Callable[[], object], count: int) -> float:
    """Nanoseconds of processor time of all threads: other programs take nothing from it."""
    start = time.process_time_ns()
    for _ in range(count):
        call()
    return (time.process_time_ns() - start) / count


class _Calibration(ctypes.Structure):
    """struct calibration of calibrate.h."""

    _fields_ = (("wall_ns", ctypes.c_uint64), ("busy_ns", ctypes.c_uint64))


def _cores_lost() -> int:
    """How often the system gave the core of a thread of this process to another program."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


class QuietClock:
    """The wall clock while each of several threads has a core to itself: the grader's calibration
    before and after the calls says so, and during them no other program took a core away. tries: of
    a measurement that is disturbed; after them the last one stands, and counts as disturbed."""

    def __init__(self, host: Host, threads: int, tries: int = 30) -> None:
        self.threads, self.tries = threads, tries
        self.calibrate = host.library["calibrate_threads"]
        self.calibrate.restype = _Calibration
        self.measured = self.disturbed = 0

    def quiet(self) -> bool:
        now = self.calibrate(ctypes.c_int(self.threads))
        return bool(now.wall_ns <= BUSY * now.busy_ns)

    def __call__(self, call: Callable[[], object], count: int) -> float:
        self.measured += 1
        for _ in range(self.tries):
            before = self.quiet()
            time.sleep(ASLEEP)
            call()  # wakes its own threads
            lost = _cores_lost()
            ns = wall_clock(call, count)
            if before and _cores_lost() == lost and self.quiet():
                return ns
        self.disturbed += 1
        return ns


def wall_clock(call: Callable[[], object], count: int) -> float:
    """Nanoseconds that pass: what several threads gain shows only here."""
    start = time.perf_counter_ns()
    for _ in range(count):
        call()
    return (time.perf_counter_ns() - start) / count
