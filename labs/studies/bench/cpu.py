"""Labs 1 and 8 on this processor: make bench."""

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from labs.studies.bench import case, cpu_libraries, curves, host, machine, parts, sides, work
from labs.studies.bench.case import Clock, Effort, Limits, Program
from labs.studies.bench.host import Host, HostImages
from labs.studies.bench.results import Case, Curve
from labs.studies.bench.sides import Part
from labs.studies.bench.work import Work

LABS = ("lab1", "lab8")
Libraries = Mapping[str, cpu_libraries.Library]


@dataclass(frozen=True)
class Sizes:
    """The images. side: of lab 1's. grey: width and height of lab 8's."""

    side: int = 4096
    grey: tuple[int, int] = (27000, 6000)
    curve_side: int = 2048
    curve_sides: tuple[int, ...] = (128, 256, 512, 1024, 2048, 4096, 8192)
    curve_masks: tuple[int, ...] = (3, 5, 7, 9, 11, 13, 15, 17, 21, 25, 31)


SMALL = Sizes(64, (96, 20), 64, (32, 64), (3, 13))  # for tests


class Bench:
    """The processor with everything that takes part on it."""

    def __init__(self, labs: Sequence[str], libraries: Libraries) -> None:
        built = sides.build([(lab, side, ".c") for lab in labs for side in sides.SIDES], "cpu")
        self.host = Host()
        self.sides = {key: ctypes.CDLL(str(path)) for key, path in built.items()}
        self.libraries = libraries
        self.rate = self.host.rate()

    def measure(
        self,
        computed: Work,
        chosen: Sequence[Part],
        missing: Mapping[str, str],
        effort: Effort,
        clock: Clock = host.processor_clock,
        threads: int = 1,
        without: Sequence[str] = (),
    ) -> list[Case]:
        """A case of each part that does this work, all measured together. without: programs that
        take no part. Several threads need another clock."""
        host.threads(threads)
        images = HostImages(computed)
        programs = [p for part in chosen for p in self._programs(part, images)]
        for library in self.libraries.values():
            library.threads(threads)
            programs += library.programs(images)
        programs = [program for program in programs if program.who not in without]
        rate = self.rate * threads if computed.type == "float32" else None
        limits = Limits(self.host.copy(images), rate, "float")
        return case.measure(computed, programs, limits, clock, effort, missing)

    def _programs(self, part: Part, images: HostImages) -> list[Program]:
        libraries = {side: self.sides.get((part.lab, side)) for side in sides.SIDES}
        found = [
            case.of_side(part, side, library, images, cuda=False)
            for side, library in libraries.items()
            if library
        ]
        return [program for program in found if program]


def enough_memory(sizes: Sizes) -> tuple[int, int]:
    """Width and height of lab 8's image: a smaller one where the memory is short."""
    width, height = sizes.grey
    while 10 * width * height > machine.free_memory() and height > 1:
        height //= 2
    return width, height


def cases(
    bench: Bench, sizes: Sizes, labs: Sequence[str], missing: Mapping[str, str]
) -> Iterator[Case]:
    """All cases, one thread each."""
    effort = Effort(rounds=15, budget_ns=1.5e9)
    side = sizes.side
    bytes_only = {name: why for name, why in missing.items() if name == "libyuv"}
    missing = {name: why for name, why in missing.items() if name != "libyuv"}
    if "lab1" in labs:
        for size in (3, 5, 13, 17):
            chosen = [parts.LAB1["B"]]
            yield from bench.measure(work.correlate(size, side, side), chosen, missing, effort)
        for computed in (work.separable(17, side, side), work.gaussian(17, side, side)):
            yield from bench.measure(computed, [parts.LAB1["B"]], missing, effort)
    if "lab8" in labs:
        width, height = enough_memory(sizes)
        chosen = [parts.LAB8[part] for part in "BCD"]
        yield from bench.measure(work.grey(height, width), chosen, missing, effort)
        computed = work.grey(height, width, work.JPEG)
        yield from bench.measure(computed, [parts.LAB8["D"]], bytes_only, effort)


def scaling(
    bench: Bench, sizes: Sizes, labs: Sequence[str], missing: dict[str, str]
) -> Iterator[Curve]:
    """How times grow with the image, the mask and the threads. missing: gets those that
    other programs on this machine do not allow."""
    effort, slow = Effort(rounds=7, budget_ns=3e8), ("baseline",)
    if "lab1" in labs:
        part, side = parts.LAB1["B"], sizes.curve_side
        measured = [
            (n, bench.measure(work.correlate(5, n, n), [part], {}, effort, without=slow)[0])
            for n in sizes.curve_sides
        ]
        yield curves.throughput("cpu-image", "Lab 1 B, 5x5: images of any size", measured)
        measured = [
            (n, bench.measure(work.correlate(n, side, side), [part], {}, effort, without=slow)[0])
            for n in sizes.curve_masks
        ]
        title = f"Lab 1 B, {side}x{side}: masks of any size"
        yield curves.milliseconds("cpu-mask", title, curves.MASK, measured)
        computed = work.correlate(13, side, side)
        yield from _by_threads(bench, computed, parts.LAB1["C"], "cpu-threads", missing)
    if "lab8" in labs:
        width, height = enough_memory(sizes)
        grey = work.grey(max(1, height // 4), width)
        yield from _by_threads(bench, grey, parts.LAB8["D"], "grey-threads", missing)


def _by_threads(
    bench: Bench, computed: Work, part: Part, name: str, missing: dict[str, str]
) -> Iterator[Curve]:
    """Times by the wall clock, from one thread to one for each core; no curve where most times were
    disturbed."""
    effort, slow = Effort(rounds=15, budget_ns=1e9), ("baseline", "SciPy")
    measured = []
    for count in range(1, machine.cores() + 1):
        clock = host.QuietClock(bench.host, count)
        (one,) = bench.measure(computed, [part], {}, effort, clock, count, slow)
        measured.append((count, one))
        if clock.disturbed > clock.measured / 2:
            missing[f"curve {name}"] = f"other programs used the cores: at {count} thread(s)"
            break
    else:
        title = f"Lab {part.lab[3:]} {part.id}, {computed.title}: threads"
        yield curves.milliseconds(name, title, "threads", measured)
    host.threads(1)
