"""The roofline: how far the bandwidth and the peak rate of a machine let a kernel go.

Across: floating-point operations per byte. Up: floating-point operations per second.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec
from markupsafe import Markup

from grader.execute.accesses import BANKS, WORD
from grader.execute.profile import SECTOR, Kernel
from grader.render.svg import Svg
from grader.session.report_data import Timed, Traced

WIDTH, HEIGHT = 700.0, 340.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 16.0, 18.0, 44.0
DEPTH = 300  # the peak rate over the lowest rate of the vertical axis, at least


class Gpu(msgspec.Struct, frozen=True):
    """The limits of a GPU, from roofs.toml: operations and bytes per second. flops: of floats;
    flops64: of doubles."""

    device: str
    flops: float
    flops64: float
    l1: float
    shared: float
    dram: float


@dataclass(frozen=True)
class Point:
    """A point of the chart; its label is `name` and then `level`."""

    name: str
    level: str  # of memory; "" where there is one roof
    intensity: float  # operations per byte
    bandwidth: float  # of the roof above it, bytes per second
    peak: float  # rate of the type that it computes with
    rate: float | None = None  # operations per second; None: as high as the roof allows


@dataclass(frozen=True)
class Roofline:
    """A chart, and its numbers as a table."""

    title: str
    note: str
    picture: Markup
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


@cache
def gpu() -> Gpu:
    file = Path(__file__).with_name("roofs.toml")
    return msgspec.toml.decode(file.read_bytes(), type=Gpu)


def of_traced(runs: list[Traced]) -> Roofline | None:
    """One run of each part, below the roofs of a GPU. Nothing was timed: a point is the most that
    the traffic allows. None when no kernel accessed memory."""
    roofs = gpu()
    points, rows = [], []
    peaks = {"float32": roofs.flops, "float64": roofs.flops64}
    drawn = {}
    for run in _one_per_part(runs):
        peak = peaks.get(run.element, roofs.flops)
        kernels = [k for k in run.profile.kernels if _sectors(k)]
        levels = [
            ("L1", sum(_sectors(k) for k in kernels) * SECTOR, roofs.l1),
            ("shared", sum(_wavefronts(k) for k in kernels) * BANKS * WORD, roofs.shared),
            ("DRAM", sum(k.counters.dram_bytes or 0 for k in kernels), roofs.dram),
        ]
        names = ", ".join(dict.fromkeys(k.name for k in kernels))
        label = f"{run.part}  {names}" + ("" if run.right else " (its result is wrong)")
        for level, moved, roof in (known for known in levels if known[1]):
            point = Point(run.part, level, run.flops / moved, roof, peak)
            most = min(peak, point.intensity * roof)
            drawn[run.element] = peak
            figures = (f"{_si(moved)}B", f"{point.intensity:.3g}", _rate(most))
            rows.append((label, level, *figures))
            points.append(point)
            label = ""
    if not points:
        return None
    note = (
        "Operations: those that the taps need. Bytes: 32 per sector through L1, 128 per wavefront "
        "of shared memory, and from DRAM what is touched for the first time (a model). Nothing was "
        "timed: a point shows the most that the traffic allows, and a kernel's lowest point limits "
        "it."
    )
    lines = [("shared", roofs.shared), ("L1", roofs.l1), ("DRAM", roofs.dram)]
    drawing = _chart(f"Kernels below the roofs of an {roofs.device}", points, lines, drawn)
    headings = ["kernel", "memory", "bytes", "operations per byte", "at most"]
    return Roofline(f"Roofs: measured on an {roofs.device}", note, drawing, headings, rows)


def _one_per_part(runs: list[Traced]) -> list[Traced]:
    """For each part the run with the largest output; a correct one if there is any."""
    counted = [r for r in runs if r.flops and any(_sectors(k) for k in r.profile.kernels)]
    best: dict[str, Traced] = {}
    for run in sorted(counted, key=lambda r: (r.right, r.pixels)):
        best[run.part] = run
    return [best[part] for part in sorted(best)]


def of_timed(timed: Timed) -> Roofline | None:
    """The timed functions, below the roofs that were measured in the same run. None when something
    was not measured, or when a call does no floating-point operations: of integers no peak rate
    is known."""
    known = timed.macs and timed.copy_ns and timed.mac_rate and timed.moved
    if not known or not timed.times:
        return None
    bandwidth = timed.moved / timed.copy_ns * 1e9
    intensity, peak = 2 * timed.macs / timed.moved, 2 * timed.mac_rate
    medians = {name: float(times[len(times) // 2]) for name, times in timed.times.items()}
    points = [
        Point(name, "", intensity, bandwidth, peak, 2e9 * timed.macs / ns)
        for name, ns in medians.items()
    ]
    note = (
        f"A call does {_count(2 * timed.macs)} operations and must read and write "
        f"{_count(timed.moved)} bytes, however it is written. The roofs are the rates of copying "
        "the image and of multiply-adds."
    )
    drawing = _chart(
        "Functions below the roofs of this machine",
        points,
        [("copy", bandwidth)],
        {timed.element: peak},
    )
    rows = [
        (p.name, f"{p.intensity:.3g}", _rate(p.rate or 0), f"{100 * (p.rate or 0) / peak:.1f} %")
        for p in points
    ]
    headings = ["", "operations per byte", "reached", "of the peak"]
    return Roofline(
        "Roofs: measured on this machine in the same run", note, drawing, headings, rows
    )


def _sectors(kernel: Kernel) -> int:
    return kernel.counters.global_load_sectors + kernel.counters.global_store_sectors


def _wavefronts(kernel: Kernel) -> int:
    return kernel.counters.shared_load_wavefronts + kernel.counters.shared_store_wavefronts


def _chart(
    label: str, points: list[Point], roofs: list[tuple[str, float]], peaks: dict[str, float]
) -> Markup:
    """peaks: the highest rate of each type that the points compute with."""
    peak = max(peaks.values())
    ridges = [peak / bandwidth for _, bandwidth in roofs]
    xs = [*(p.intensity for p in points), *ridges]
    heights = [p.rate or min(p.peak, p.intensity * p.bandwidth) for p in points]
    axes = _Axes(min(xs) / 8, max(xs) * 4, min(peak / DEPTH, *(h / 3 for h in heights)), peak * 2)
    drawing = Svg(WIDTH, HEIGHT, label)
    axes.draw(drawing)
    for name, bandwidth in roofs:
        start, ridge = max(axes.left, axes.low / bandwidth), peak / bandwidth
        (x, y), (u, v) = axes.at(start, start * bandwidth), axes.at(ridge, peak)
        drawing.path([(x, y), (u, v)], "roof")
        angle = math.atan2(y - v, u - x)
        x += 12 * math.cos(angle) - 4 * math.sin(angle)
        y -= 12 * math.sin(angle) + 4 * math.cos(angle)
        label = f"{name} {_si(bandwidth)}B/s"
        drawing.text(x, y, label, "roof-name", angle=math.degrees(angle))
    for element, rate in peaks.items():
        start = min(rate / bandwidth for _, bandwidth in roofs)
        x, y = axes.at(axes.right, rate)
        drawing.path([axes.at(start, rate), (x, y)], "roof")
        drawing.text(x - 4, y - 7, f"{element} {_rate(rate)}", "label", "end")
    positions = [axes.at(p.intensity, h) for p, h in zip(points, heights, strict=True)]
    for number, (point, (x, y)) in enumerate(zip(points, positions, strict=True)):
        drawing.line(x, y, x, HEIGHT - BOTTOM, "drop")
        kind = "point" if point.rate is None or number == 0 else "point other"
        drawing.circle(x, y, 5, kind, f"{point.name}: {point.intensity:.3g} operations per byte")
    _name(drawing, points, positions)
    return drawing.done()


def _name(drawing: Svg, points: list[Point], positions: list[tuple[float, float]]) -> None:
    """Writes a label below each group of points that are close together; labels do not overlap."""
    named: dict[tuple[str, int], tuple[list[str], float, float]] = {}
    for point, (x, y) in zip(points, positions, strict=True):
        same = (
            k
            for k, v in named.items()
            if k[0] == point.level and math.hypot(x - v[1], y - v[2]) < 40
        )
        names, _, _ = named.setdefault(next(same, (point.level, len(named))), ([], x, y))
        names.append(point.name)
    taken: list[tuple[float, float, float]] = []
    for (level, _), (names, x, y) in sorted(named.items(), key=lambda item: item[1][1]):
        label = " ".join([", ".join(names), level]).strip()
        wide = 7.0 * len(label) + 8
        x, y = min(x + 8, WIDTH - RIGHT - wide), y + 19
        while any(x < u + w and u < x + wide and abs(y - v) < 15 for u, v, w in taken):
            y += 15
        taken.append((x, y, wide))
        drawing.text(x, y, label, "label")


@dataclass(frozen=True)
class _Axes:
    """The range of both axes, which are logarithmic."""

    left: float
    right: float
    low: float
    high: float

    def at(self, intensity: float, rate: float) -> tuple[float, float]:
        """Where a point lies in the drawing."""
        across = math.log(intensity / self.left) / math.log(self.right / self.left)
        up = math.log(rate / self.low) / math.log(self.high / self.low)
        wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        return LEFT + across * wide, TOP + (1 - up) * tall

    def draw(self, drawing: Svg) -> None:
        for decade in _decades(self.left, self.right):
            x, _ = self.at(decade, self.low)
            drawing.line(x, TOP, x, HEIGHT - BOTTOM, "grid")
            drawing.text(x, HEIGHT - BOTTOM + 16, f"{decade:g}", "axis", "middle")
        for decade in _decades(self.low, self.high):
            _, y = self.at(self.left, decade)
            drawing.line(LEFT, y, WIDTH - RIGHT, y, "grid")
            drawing.text(LEFT - 8, y + 4, _si(decade), "axis", "end")
        middle = (LEFT + WIDTH - RIGHT) / 2
        drawing.text(middle, HEIGHT - 8, "floating-point operations per byte", "axis", "middle")
        drawing.text(LEFT - 8, TOP - 4, "FLOP/s", "axis", "end")


def _decades(low: float, high: float) -> list[float]:
    return [10.0**e for e in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]


def _si(value: float) -> str:
    """ "4.29 T", "100 G"."""
    for factor, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value:.3g} "


def _rate(value: float) -> str:
    return f"{_si(value)}FLOP/s"


def _count(value: float) -> str:
    """ "11.3 million"."""
    for factor, unit in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value:g}"
