"""Scaling curves: lines through cases that differ in one number."""

from collections.abc import Sequence

from labs.studies.bench.results import Case, Curve, Line

MASK = "side of the mask, pixels"
Measured = Sequence[tuple[int, Case]]  # the number that differs, and the case


def _lines(measured: Measured, value: dict[str, float] | None = None) -> list[Line]:
    """A line for each program: its nanoseconds, or for a `value` of each work that value a
    nanosecond."""
    names = dict.fromkeys(e.who for _, one in measured for e in one.entries if e.ns)
    return [
        Line(
            who,
            [
                (float(x), value[one.work] / entry.ns if value else entry.ns)
                for x, one in measured
                if (entry := one.entry(who)) and entry.ns
            ],
        )
        for who in names
    ]


def throughput(name: str, title: str, measured: Measured) -> Curve:
    """Pixels a nanosecond for square images; the number is their side."""
    pixels = {one.work: float(side * side) for side, one in measured}
    lines = _lines(measured, pixels)
    return Curve(name, title, "side of the image, pixels", "gigapixels a second", lines)


def milliseconds(name: str, title: str, x: str, measured: Measured) -> Curve:
    """Milliseconds of a call; x: what the number is."""
    lines = [
        Line(line.who, [(at, ns / 1e6) for at, ns in line.points]) for line in _lines(measured)
    ]
    return Curve(name, title, x, "ms", lines)
