"""The roofline of this course's kernels, from committed measurements."""

import math
from dataclasses import dataclass

from grader.render import roofline as roofs
from handouts.drawing.canvas import BLUE, FAINT, GREEN, GREY, INK, ORANGE, Drawing
from labs.studies.gpu import speeds as measured
from labs.studies.gpu.speeds import Speed

WIDTH = 790
LEFT, TOP, RIGHT, BOTTOM = 70, 66, 766, 346  # of the axes
INTENSITY = (1.0, 2000.0)  # operations per byte, both ends of the axis
RATE = (1e12, 1e14)  # operations per second
PIXELS = 4096 * 4096
FLOAT = 4  # bytes


@dataclass(frozen=True)
class Work:
    """What a part must do: floating-point operations, and bytes to and from DRAM at the least."""

    part: str
    what: str
    check: str  # a part of its speed check's name
    operations: float
    bytes: float
    shift: tuple[float, float]  # of its name from its point


def _image(taps: int, passes: int) -> tuple[float, float]:
    """Of a filter: a multiply-add per tap and pixel; each pass reads and writes the image once."""
    return 2.0 * taps * PIXELS, 2.0 * FLOAT * passes * PIXELS


def _bank(taps: int) -> tuple[float, float]:
    """Of 900 masks over 300 channels of 224x224."""
    size, channels, masks = 224 * 224, 300, 900
    weights = taps * channels * masks
    return 2.0 * size * weights, FLOAT * ((channels + masks) * size + weights)


PLANES = 448 * 448 * 200
WORK = [
    Work("lab2 A", "13×13, global memory", "13x13 on 4096x4096", *_image(169, 1), (9, 13)),
    Work("lab3 A", "13×13, constant mask", "13x13 on 4096x4096", *_image(169, 1), (-46, 3)),
    Work("lab4 B", "13×13, shared tile", "13x13 on 4096x4096", *_image(169, 1), (9, 4)),
    Work("lab4 D", "13×13, register tile", "13x13 on 4096x4096", *_image(169, 1), (9, 4)),
    Work("lab5 B", "17 + 17, two passes", "17 + 17 taps on 4096", *_image(34, 2), (8, 15)),
    Work("lab5 C", "17 + 17, fused", "17 + 17 taps on 4096", *_image(34, 1), (9, 4)),
    Work("lab6 C", "17 + 17, float4", "17 + 17 taps on 4096", *_image(34, 2), (9, 4)),
    Work("lab7 A", "3×3, a plane each", "3x3 on 448", 18.0 * PLANES, 8.0 * PLANES, (8, 15)),
    Work("lab7 B", "900 masks 1×1×300", "1x1x300 on 224x224", *_bank(1), (9, 4)),
    Work("lab7 C", "900 masks 3×3×300", "3x3x300 on 224x224", *_bank(9), (-34, 4)),
]


def seconds(speeds: list[Speed], work: Work) -> float:
    """What a part takes. Raises ValueError where not exactly one of the speeds is that part's."""
    times = [
        s.solution_ns for s in speeds if f"{s.lab} {s.part}" == work.part and work.check in s.check
    ]
    if len(times) != 1:
        raise ValueError(
            f"{measured.FILE.name}: {len(times)} rows for {work.part} with {work.check!r}; "
            "one is needed"
        )
    return times[0] * 1e-9


def _x(intensity: float) -> float:
    low, high = (math.log10(end) for end in INTENSITY)
    return LEFT + (RIGHT - LEFT) * (math.log10(intensity) - low) / (high - low)


def _y(rate: float) -> float:
    low, high = (math.log10(end) for end in RATE)
    return BOTTOM - (BOTTOM - TOP) * (math.log10(rate) - low) / (high - low)


def _axes(d: Drawing) -> None:
    for intensity in (1, 10, 100, 1000):
        d.line(_x(intensity), TOP, _x(intensity), BOTTOM, FAINT)
        d.text(_x(intensity), BOTTOM + 18, f"{intensity}", 11, GREY, "middle")
    for rate in (1e12, 1e13, 1e14):
        d.line(LEFT, _y(rate), RIGHT, _y(rate), FAINT)
        d.text(LEFT - 8, _y(rate) + 4, f"{rate / 1e12:g}", 11, GREY, "end")
    d.text(
        (LEFT + RIGHT) / 2,
        BOTTOM + 36,
        "operations per byte that DRAM must transfer: each pass reads its image and writes one",
        12,
        GREY,
        "middle",
    )
    d.text(LEFT - 46, TOP - 12, "10¹² operations per second", 12, GREY)


def _limits(d: Drawing, gpu: roofs.Gpu) -> None:
    ridge = gpu.flops / gpu.dram
    d.line(_x(1), _y(gpu.dram), _x(ridge), _y(gpu.flops), INK, 2)
    d.line(_x(ridge), _y(gpu.flops), RIGHT, _y(gpu.flops), INK, 2)
    d.text(RIGHT - 4, _y(gpu.flops) - 8, "peak of float32", 12, INK, "end")
    d.text(_x(1.1), _y(2.6e13), "bandwidth of DRAM", 12)
    loads = (("shared memory", gpu.shared, GREEN), ("L1 cache", gpu.l1, ORANGE))
    for name, bandwidth, colour in loads:
        rate = 2 * bandwidth / FLOAT
        d.line(_x(max(1.0, rate / gpu.dram)), _y(rate), RIGHT, _y(rate), colour, 1.2)
        words = f"a load from {name} for each multiply-add"
        d.text(RIGHT - 4, _y(rate) - 6, words, 11, colour, "end")


def roofline() -> Drawing:
    """Each part below the roof of an H200, and a table of them."""
    gpu = roofs.gpu()
    speeds = measured.read().speeds
    rows = []
    for work in WORK:
        intensity, time = work.operations / work.bytes, seconds(speeds, work)
        rate = work.operations / time
        rows.append((work, intensity, time, rate, rate / min(gpu.flops, gpu.dram * intensity)))
    values = "; ".join(
        f"lab {work.part[3:]}, {work.what}: {rate / 1e12:.1f}, {share:.0%} of its roof"
        for work, _, _, rate, share in rows
    )
    d = Drawing(
        WIDTH,
        BOTTOM + 84 + 19 * len(rows),
        "The roofline of an H200 and this course's kernels",
        "A chart with logarithmic axes. The roof rises with the bandwidth of DRAM up to "
        f"{gpu.flops / gpu.dram:.0f} operations per byte and is flat from there. Two lower lines "
        "show the rate that one load for each multiply-add allows. The parts, in 10¹² operations "
        f"per second: {values}.",
    )
    d.text(24, 30, f"{gpu.device}: what limits each part", 15, weight="bold")
    _axes(d)
    _limits(d, gpu)
    for work, intensity, _, rate, _ in rows:
        x, y = _x(intensity), _y(rate)
        d.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{BLUE}"/>')
        d.text(x + work.shift[0], y + work.shift[1], work.part[3:], 11, BLUE, weight="bold")
    columns = ((24, "part"), (80, "what"), (410, "op / byte"), (510, "µs"), (630, "10¹² op / s"))
    top = BOTTOM + 66
    for x, name in (*columns, (740, "of its roof")):
        d.text(x, top, name, 11.5, GREY, "start" if x < 400 else "end", "bold")
    for k, (work, intensity, time, rate, share) in enumerate(rows):
        y = top + 19 * (k + 1)
        cells = (f"{intensity:.3g}", f"{time * 1e6:,.0f}", f"{rate / 1e12:.1f}", f"{share:.0%}")
        d.text(24, y, f"lab {work.part[3:]}", 12)
        d.text(80, y, work.what, 12)
        for x, cell in zip((410, 510, 630, 740), cells, strict=True):
            d.text(x, y, cell.replace("%", " %"), 12, INK, "end")
    return d
