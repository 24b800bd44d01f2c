"""The recording of one block, step by step: convlabs-step/v1.

It has the lines that a traced program writes (step_lines.py), with their places in the source, and
what a page shows with them.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from grader.execute import addr2line, step_lines
from grader.execute.addr2line import Location
from grader.execute.profile import Site, of_site
from grader.execute.step_lines import Access, Barrier, Block, Mask, Object, Operation
from grader.model import counters
from grader.model.counters import Counters, add

MOST_BYTES = 400_000  # of a recording in a page

Step = Access | Barrier | Operation


class Limit(msgspec.Struct, frozen=True):
    """What a check asks of a counter, which may be a quotient. words: the counter in words."""

    counter: str
    per: str
    words: str
    at_most: float | None
    at_least: float | None


class Counted(msgspec.Struct, frozen=True):
    """What a step adds to the counters, and to both terms of the counter of each limit. costly: it
    costs more than what so many bytes need."""

    counters: dict[str, int]
    terms: list[tuple[int, int]]
    costly: bool


class Focus(msgspec.Struct, frozen=True):
    """Where the page opens. other: the step of the other thread of a race, or -1. lanes: those that
    it is about. words: why."""

    step: int
    lanes: Mask
    words: list[str]
    other: int = -1
    other_lanes: Mask = 0


class Tap(msgspec.Struct, frozen=True, array_like=True):
    """A pixel of the input that a result was made from, relative to it; step: of the first load
    that brought it, -1: none did. wanted: the right result needs it."""

    dx: int
    dy: int
    step: int
    wanted: bool


class Pixel(msgspec.Struct, frozen=True):
    """A wrong pixel: what the run stored, what is right, and what it was made from. outside: loads
    whose value is of no pixel of the input, such as one beyond its border."""

    index: str
    got: str
    want: str
    taps: list[Tap]
    outside: int


class Recording(msgspec.Struct):
    """All that a page shows. places: file and line of the accesses, by their pc. constructs: those
    of the constructs' heads. counted: of each step the index of what it adds, in `counts`. sources:
    the lines of each file, null where one is not shown. cut: in words, what was left out, or ""."""

    head: Block
    objects: list[Object]
    steps: list[Step]
    places: dict[int, Location] = {}
    constructs: dict[int, Location] = {}
    counted: list[int] = []
    counts: list[Counted] = []
    sources: dict[str, Sequence[str | None]] = {}
    cut: str = ""
    limits: list[Limit] = []
    focus: Focus | None = None
    pixel: Pixel | None = None
    title: str = ""
    schema: Literal["convlabs-step/v1"] = "convlabs-step/v1"

    def place(self, step: Step) -> Location:
        return self.places[step.pc] if isinstance(step, Access) else (step.file, step.line)

    def size_of(self, step: Access) -> int:
        """Bytes of what it accesses; 0 where that is not known."""
        return self.objects[step.object].bytes if step.object < len(self.objects) else 0

    def files(self) -> set[str]:
        return {self.place(step)[0] for step in self.steps} | {o.file for o in self.objects}

    def packed(self) -> str:
        """As a page holds it: JSON, compressed, in base64."""
        return base64.b64encode(gzip.compress(msgspec.json.encode(self), mtime=0)).decode()


def read(raw: bytes, binary: Path) -> Recording | None:
    """The recording that the program `binary` wrote; None if there is none that can be read."""
    lines = [_with_short_file(line) for line in step_lines.lines(raw)]
    heads = [line for line in lines if isinstance(line, Block)]
    if not heads:
        return None
    kernel = heads[0].kernel.split("<")[0].split("::")[-1].strip()
    head = msgspec.structs.replace(heads[0], kernel=kernel)
    made = Recording(
        head,
        [line for line in lines if isinstance(line, Object)],
        [line for line in lines if isinstance(line, Step)],
    )
    marks = [line for line in lines if isinstance(line, step_lines.Construct)]
    pcs = {step.pc for step in made.steps if isinstance(step, Access)}
    before = addr2line.locations(binary, {pc - 1 for pc in pcs | {mark.pc for mark in marks}})
    made.places = {pc: before[pc - 1] for pc in sorted(pcs)}
    starts = [(mark.number, before[mark.pc - 1]) for mark in marks]
    starts.sort(key=lambda one: -one[1][1])  # of several of a construct, the first line is its head
    made.constructs = dict(starts)
    if isinstance(last := lines[-1], step_lines.LeftOut):
        more = f"{last.count} more do not fit"
        made.cut = f"the recording ends after {len(made.steps)} steps; {more}"
    return made


def _with_short_file(line: step_lines.StepRecord) -> step_lines.StepRecord:
    if isinstance(line, Object | Barrier | Operation) and line.file:
        return msgspec.structs.replace(line, file=addr2line.shortened(line.file))
    return line


# ---- what a page needs as well


def complete(recording: Recording, first: Iterable[int] = (), most: int = MOST_BYTES) -> None:
    """Adds counters and what the objects hold. Leaves out whole warps where all steps do not fit
    into `most` bytes, and the last steps of one that does not. first: warps that must stay."""
    for i, item in enumerate(recording.objects):
        item.holds = _held([s for s in recording.steps if isinstance(s, Access) and s.object == i])
    steps = recording.steps
    warps = list(dict.fromkeys([*first, *(s.warp for s in steps if not isinstance(s, Barrier))]))
    kept, places, is_short = warps, [*range(len(steps))], False
    while (size := _size_of(recording, [steps[i] for i in places])) > most and len(places) > 1:
        if len(kept) > 1:
            kept = kept[: max(1, min(len(kept) - 1, len(kept) * most // size))]
            places = [i for i, s in enumerate(steps) if isinstance(s, Barrier) or s.warp in kept]
        else:
            is_short = True
            places = places[: max(1, min(len(places) - 1, len(places) * most // size))]
    fewer = f"of {len(warps)} warps this page has {len(kept)}" if kept != warps else ""
    shorter = f"the page ends after {len(places)} steps" if is_short else ""
    recording.cut = "; ".join(filter(None, (recording.cut, fewer, shorter)))
    _renumber(recording, {old: new for new, old in enumerate(places)})


def _size_of(recording: Recording, steps: list[Step]) -> int:
    """The bytes of the recording once it has these steps."""
    recording.steps = steps
    _count(recording)
    return len(recording.packed())


def _renumber(recording: Recording, places: dict[int, int]) -> None:
    """Where other parts of the recording name steps: their new numbers."""
    if focus := recording.focus:
        step, other = places.get(focus.step, 0), places.get(focus.other, -1)
        recording.focus = msgspec.structs.replace(focus, step=step, other=other)
    if pixel := recording.pixel:
        taps = [msgspec.structs.replace(t, step=places.get(t.step, t.step)) for t in pixel.taps]
        recording.pixel = msgspec.structs.replace(pixel, taps=taps)


def _held(accesses: list[Access]) -> Literal["f4", "f8", "u1", "i4"]:
    """What an object holds: bytes, doubles, and of 4 bytes floats if most look like some."""
    width = min((step.width for step in accesses if step.values), default=4)
    data = b"".join(bytes.fromhex(step.values) for step in accesses)
    words = [data[at : at + 4] for at in range(0, len(data) - 3, 4)]
    words = [word for word in words if word not in (b"\0" * 4, b"\xff" * 4)]
    floats = sum(80 <= (word[3] & 0x7F) << 1 | word[2] >> 7 <= 170 for word in words)
    if width < 4 or width == 8:
        return "f8" if width == 8 else "u1"
    return "f4" if 2 * floats >= len(words) else "i4"


# ---- counters


def _count(recording: Recording) -> None:
    """Notes what each step adds to the counters: the same is noted once."""
    kinds: dict[tuple[Site | None, bool], int] = {}
    each = ((_site(s), isinstance(s, Access) and s.excess() > 0) for s in recording.steps)
    recording.counted = [kinds.setdefault(kind, len(kinds)) for kind in each]
    recording.counts = []
    for site, costly in kinds:
        own = of_site(site) if site else {}
        total = Counters()
        add(total, own)
        terms = [counters.terms(limit.counter, total) for limit in recording.limits]
        both = [(above, below or 0) for above, below in terms]
        recording.counts.append(Counted(own, both, costly))


def _site(step: Step) -> Site | None:
    """What the step counts, as one access of a profile."""
    if not isinstance(step, Access) or step.way == "fault":
        return None
    if step.space == "" or step.space == "unknown":
        return None
    sectors, fresh, again, wavefronts, ideal, words = step.costs
    counts = (1, step.lanes.bit_count(), sectors, fresh, wavefronts, ideal, words, again)
    return Site(0, step.space, step.way != "load", step.width, *counts, step.way == "atomic")


def counted(steps: Iterable[Step]) -> Counters:
    """The counters of a block's steps together, as a profile has them."""
    total = Counters(blocks=1)
    storing: set[tuple[int, int]] = set()
    for step in steps:
        if site := _site(step):
            assert isinstance(step, Access)
            add(total, of_site(site))
            if site.store and step.space != "shared":
                storing |= {(step.warp, lane) for lane in step_lines.lanes_of(step.lanes)}
    total.storing_threads = len(storing)
    total.idle_blocks = int(not storing)
    return total
