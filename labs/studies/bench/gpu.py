"""Labs 2 to 8 on a GPU: make bench-gpu. On the simulator, for tests, its times mean nothing."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from labs.studies.bench import arguments, case, curves, parts, sides, work
from labs.studies.bench.case import Effort, Limits, Program
from labs.studies.bench.device import Device, Images, open_device
from labs.studies.bench.host import HostImages
from labs.studies.bench.results import Case, Curve, Entry
from labs.studies.bench.sides import Part
from labs.studies.bench.work import Work

USUAL = Effort()
LABS = ("lab2", "lab3", "lab4", "lab5", "lab6", "lab7", "lab8")
TO_DEVICE, PINNING = "copy to the device", "pinning"
PCIE = "the copy to the device"


@dataclass(frozen=True)
class Sizes:
    """The images. side: of the square ones of labs 2 to 6. grey: width and height."""

    side: int = 4096
    channels: int = 300
    masks: int = 900
    layer: int = 224
    grey: tuple[int, int] = (27000, 6000)
    curve_sides: tuple[int, ...] = (512, 1024, 2048, 4096, 8192)
    curve_masks: tuple[int, ...] = (3, 5, 7, 9, 11, 13, 15, 17)


SMALL = Sizes(64, 6, 10, 14, (96, 20), (32, 64), (3, 5))  # for the simulator


class Bench:
    """A device with everything that takes part on it."""

    def __init__(
        self,
        backend: str,
        labs: Sequence[str],
        libraries: dict[str, Any],
        only: tuple[str, ...] = sides.SIDES,
    ) -> None:
        """On the simulator one lab and one side: each has a simulator of its own, and a process has
        room for one."""
        wanted = [(lab, side, ".cu") for lab in labs for side in only]
        built = sides.build(wanted, backend)
        self.sides = {key: ctypes.CDLL(str(path)) for key, path in built.items()}
        if backend == "sim":
            (simulator,) = self.sides.values()
            self.device = Device(simulator, simulated=True)
        else:
            self.device = open_device()
        self.libraries = libraries
        kinds = {"float": "float", "double": "double", "double on tensor cores": "tensor"}
        self.rates = {name: self.device.rate(kind) for name, kind in kinds.items()}

    def programs(self, part: Part, images: Images) -> list[Program]:
        """Baseline, reference and expert of a part."""
        found = [
            case.of_side(part, side, library, images, cuda=True)
            for (lab, side), library in self.sides.items()
            if lab == part.lab
        ]
        return [program for program in found if program]

    def measure(
        self,
        computed: Work,
        chosen: Sequence[Part],
        missing: dict[str, str],
        effort: Effort = USUAL,
    ) -> list[Case]:
        """A case of each part that does this work, all measured together."""
        with Images(self.device, computed) as images:
            programs = [p for part in chosen for p in self.programs(part, images)]
            for library in self.libraries.values():
                programs += library.programs(images)
            limits = Limits(self._copy(images), self._rate(computed), _type(computed))
            return case.measure(computed, programs, limits, self.device.clock, effort, missing)

    def _rate(self, computed: Work) -> float | None:
        """The most that the device does in the work's type, with its full precision."""
        kind = _type(computed)
        of_type = [rate for name, rate in self.rates.items() if kind and name.startswith(kind)]
        return max(of_type, default=None)

    def _copy(self, images: Images) -> Callable[[int], float]:
        """A clock of what reads as many bytes as the images have and writes those of the output."""
        computed = images.work
        copies = [
            self.device.copier(to, computed.out_bytes, source, computed.image.nbytes)
            for to, source in zip(images.outputs, images.inputs, strict=True)
        ]
        call = sides.rotate(copies)
        return lambda count: self.device.clock(call, count)


def _type(computed: Work) -> str:
    return {"float32": "float", "float64": "double"}.get(computed.type, "")


def groups(sizes: Sizes, labs: Sequence[str]) -> Iterator[tuple[Work, list[Part]]]:
    """Each work with the parts that do it. A work is made when it is asked for: it is large."""
    side, layers = sizes.side, (sizes.channels, sizes.masks, sizes.layer)

    def chosen(*wanted: Part) -> list[Part]:
        return [part for part in wanted if part.lab in labs]

    plain = chosen(parts.LAB2["A"], parts.LAB3["A"], parts.LAB4["D"])
    more = chosen(parts.LAB2["D"], parts.LAB4["A"], parts.LAB4["B"], parts.LAB4["C"])
    for size in (3, 5, 13, 17):
        if plain:
            yield work.correlate(size, side, side), plain + (more if size == 13 else [])
    if bank := chosen(parts.LAB3["B"]):
        yield work.polyphase(13, side, side), bank
    if row := chosen(parts.LAB5["A"]):
        yield work.row(17, side, side), row
    if both := chosen(parts.LAB5["B"], parts.LAB5["C"], *parts.LAB6.values()):
        yield work.lines(17, side, side), both
    if "lab7" in labs:
        for kind, numpy_kind in (("double", "float64"), ("float", "float32")):
            channels, masks, width = layers
            yield work.depthwise(channels, width, numpy_kind), [parts.LAB7["A", kind]]
            for part, size in (("B", 1), ("C", 3)):
                bank_work = work.convolution(size, channels, masks, width, numpy_kind)
                yield bank_work, [parts.LAB7[part, kind]]
    if grey := chosen(parts.LAB8_KERNEL):
        yield work.grey(sizes.grey[1], sizes.grey[0]), grey


def cases(
    bench: Bench, sizes: Sizes, labs: Sequence[str], missing: dict[str, str]
) -> Iterator[Case]:
    """All cases, in the order in which they are measured."""
    for computed, chosen in groups(sizes, labs):
        yield from bench.measure(computed, chosen, missing)
    if "lab8" in labs:
        yield from _from_host(bench, work.grey(sizes.grey[1], sizes.grey[0]))


# ---------------------------------------------------------------- lab 8 with the host's memory


def _from_host(bench: Bench, computed: Work) -> Iterator[Case]:
    """The functions that copy the image to the device and the grey values back, beside the copy of
    the image alone, from memory that is pinned already, and beside pinning the memory alone."""
    device, images = bench.device, HostImages(computed)
    copy = _Copy(device, images)
    try:
        programs = []
        for name, part in parts.LAB8_HOST.items():
            if library := bench.sides.get(("lab8", "reference")):
                program = case.of_side(part, "reference", library, images, cuda=True)
                assert program is not None
                owner = ("lab8", f"E {name}")
                programs.append(Program("reference", program.call, program.result, owner))
        limits = Limits(lambda count: device.wall_clock(copy.call, count), None)
        effort = Effort(rounds=7, budget_ns=2e9)
        measured = case.measure(computed, programs, limits, device.wall_clock, effort, {})
        pinning = device.wall_clock(copy.pin, 3)
    finally:
        copy.free()
    for one in measured:
        entries = [
            Entry(TO_DEVICE, e.ns, e.ratio, e.rounds) if e.who == case.COPY else e
            for e in one.entries
        ]
        entries.append(Entry(PINNING, pinning, rounds=3))
        yield Case(
            one.lab, one.part, one.work, one.bytes, one.multiply_adds, one.floor_ns, PCIE, entries
        )


class _Copy:
    """Copies the image to the device from memory that is pinned, and pins memory."""

    def __init__(self, device: Device, images: HostImages) -> None:
        self.device, self.images = device, images
        self.bytes = ctypes.c_size_t(images.image.nbytes)
        self.to = device.allocate(images.image.nbytes)
        self.source = ctypes.c_void_p()
        device.call("device_pinned", self.bytes, ctypes.byref(self.source))
        ctypes.memmove(self.source, images.image.ctypes.data, images.image.nbytes)

    def call(self) -> None:
        self.device.call("device_write", ctypes.c_void_p(self.to), self.source, self.bytes)

    def pin(self) -> None:
        """Pins and unpins both images of the functions."""
        for array in (self.images.image, self.images.out):
            address, size = arguments.pointer(array), ctypes.c_size_t(array.nbytes)
            self.device.call("device_pin", address, size)
            self.device.call("device_unpin", address)

    def free(self) -> None:
        self.device.free(self.to)
        self.device.call("device_pinned_free", self.source)


# ---------------------------------------------------------------- curves


def scaling(bench: Bench, sizes: Sizes, labs: Sequence[str]) -> Iterator[Curve]:
    """How the register tile and the fused kernel grow with the image and with the mask."""
    effort = Effort(rounds=7, budget_ns=1e8)
    tile, fused = parts.LAB4["D"], parts.LAB5["C"]
    if "lab4" in labs:
        measured = [
            (side, bench.measure(work.correlate(13, side, side), [tile], {}, effort)[0])
            for side in sizes.curve_sides
        ]
        yield curves.throughput("gpu-image", "Lab 4 D, 13x13: images of any size", measured)
        measured = [
            (
                size,
                bench.measure(work.correlate(size, sizes.side, sizes.side), [tile], {}, effort)[0],
            )
            for size in sizes.curve_masks
        ]
        title = f"Lab 4 D, {sizes.side}x{sizes.side}: masks of any size"
        yield curves.milliseconds("gpu-mask", title, curves.MASK, measured)
    if "lab5" in labs:
        measured = [
            (taps, bench.measure(work.lines(taps, sizes.side, sizes.side), [fused], {}, effort)[0])
            for taps in sizes.curve_masks
        ]
        title = f"Lab 5 C, {sizes.side}x{sizes.side}: separable masks of any size"
        yield curves.milliseconds("gpu-separable", title, curves.MASK, measured)
