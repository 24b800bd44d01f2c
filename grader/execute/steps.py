"""The recording of one block, step by step: convlabs-step/v1.

Addresses of the lines that a traced program writes (step_lines.py) become source lines, and what
the page can compute itself is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from grader.execute import addr2line, step_lines
from grader.execute.profile import Site, of_site
from grader.execute.step_lines import LANES, Access, Count, Index, Mask, Space, lanes_of
from grader.model.counters import Counters, add

MOST_BYTES = 380_000  # of the steps in a page
MOST_OBJECT = 1 << 24  # bytes of an object whose contents are followed


Holds = Literal["f4", "f8", "u1", "i4"]


class Head(msgspec.Struct, frozen=True):
    """Which block of which launch. threads: of a block."""

    launch: Count
    kernel: str
    grid: Index
    threads: Index
    block: Index


class Object(msgspec.Struct, frozen=True, kw_only=True):
    """What addresses belong to: an array, a variable. base: its address modulo 4096, or its place
    in the block's shared memory: its sectors and banks depend on it. holds: what its bytes look
    like. where: an index of `places`."""

    space: Space
    bytes: Count
    base: Count
    name: str
    where: int
    holds: Holds = "i4"


class Barrier(msgspec.Struct, tag="barrier", array_like=True):
    """The threads that wait at one call of a barrier when it opens: of each warp, one bit each."""

    place: int
    lanes: list[Mask]


class Operation(msgspec.Struct, tag="warp", array_like=True):
    """A function of a warp, such as a shuffle. sources: the lane that each lane reads from; inputs
    and results: bits in hexadecimal. Each is empty where the function has none."""

    warp: Count
    place: int
    name: str
    lanes: Mask
    sources: list[int]
    inputs: list[str]
    results: list[str]


Step = Access | Barrier | Operation


class Limit(msgspec.Struct, frozen=True):
    """What a check asks of a counter, which may be a quotient. words: the counter in words."""

    check: str
    counter: str
    per: str
    words: str
    at_most: float | None
    at_least: float | None


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
    """All that a page shows. places: file and line of what steps name by its index. sources: the
    lines of each file. cut: in words, what was left out, or ""."""

    head: Head
    places: list[tuple[str, int]]
    objects: list[Object]
    constructs: dict[int, int]
    steps: list[Step]
    sources: dict[str, list[str]] = {}
    cut: str = ""
    limits: list[Limit] = []
    focus: Focus | None = None
    pixel: Pixel | None = None
    title: str = ""
    schema: Literal["convlabs-step/v1"] = "convlabs-step/v1"

    def line(self, step: int) -> int:
        return self.places[self.steps[step].place][1]

    def thread(self, warp: int, lane: int) -> tuple[int, int, int]:
        """threadIdx of a lane."""
        x, y, _ = self.head.threads
        number = warp * LANES + lane
        return number % x, number // x % y, number // x // y


@dataclass
class _Reader:
    """Turns lines into a recording."""

    binary: Path
    places: dict[tuple[str, int], int] = field(default_factory=dict)
    pcs: dict[int, addr2line.Location] = field(default_factory=dict)

    def place(self, file: str, line: int) -> int:
        return self.places.setdefault((file, line), len(self.places))

    def place_of(self, pc: int) -> int:
        return self.place(*self.pcs.get(pc - 1, addr2line.UNKNOWN))

    def place_in(self, line: step_lines.Object | step_lines.Barrier | step_lines.Operation) -> int:
        return self.place(addr2line.shortened(line.file) if line.file else "", line.line)

    def construct(self, line: step_lines.Construct, known: int | None) -> int:
        """Of several marks the first line is its head."""
        places = {self.place_of(line.pc)} | ({known} if known is not None else set())
        return min(places, key=lambda place: [*self.places][place][1])

    def read(self, lines: list[step_lines.Line]) -> Recording | None:
        head = next((line for line in lines if isinstance(line, step_lines.Block)), None)
        if head is None:
            return None
        pcs = {line.place - 1 for line in lines if isinstance(line, Access)}
        pcs |= {line.pc - 1 for line in lines if isinstance(line, step_lines.Construct)}
        self.pcs = addr2line.locations(self.binary, pcs)
        kernel = head.kernel.split("<")[0].split("::")[-1].strip()
        first = Head(head.launch, kernel, head.grid, head.threads, head.index)
        made = Recording(first, [], [], {}, [])
        for line in lines:
            self.add(made, line)
        made.places = list(self.places)
        return made

    def add(self, to: Recording, line: step_lines.Line) -> None:
        match line:
            case step_lines.Object():
                values = msgspec.structs.asdict(line)
                kept = {name: values[name] for name in ("space", "bytes", "base", "name")}
                to.objects.append(Object(**kept, where=self.place_in(line)))
            case step_lines.Construct(number=number):
                to.constructs[number] = self.construct(line, to.constructs.get(number))
            case step_lines.Barrier():
                to.steps.append(Barrier(self.place_in(line), line.lanes))
            case step_lines.Operation():
                warp, _, _, *rest = msgspec.structs.astuple(line)
                to.steps.append(Operation(warp, self.place_in(line), *rest))
            case Access():
                to.steps.append(msgspec.structs.replace(line, place=self.place_of(line.place)))
            case step_lines.LeftOut(count=count):
                said = f"the recording ends after {len(to.steps)} steps; {count} more do not fit"
                to.cut = said


def read(raw: bytes, binary: Path) -> Recording | None:
    """The recording that the program `binary` wrote; None if there is none that can be read."""
    return _Reader(binary).read([*step_lines.lines(raw)])


# ---- what a page needs not hold


@dataclass
class Memory:
    """What the steps so far show of each object's bytes."""

    objects: list[Object]
    _bytes: dict[int, tuple[bytearray, bytearray]] = field(default_factory=dict)

    def values(self, access: Access) -> dict[int, bytes]:
        """What the lanes load or store; without those that are not known."""
        offsets = access.addresses()
        if access.values == "?":
            return {}
        if not access.values:
            known = {lane: self._known(access, at) for lane, at in offsets.items()}
            return {lane: value for lane, value in known.items() if value is not None}
        data = bytes.fromhex(access.values)
        width = access.width
        if len(data) == width:
            return dict.fromkeys(offsets, data)
        return {lane: data[i * width : (i + 1) * width] for i, lane in enumerate(offsets)}

    def follow(self, access: Access, values: dict[int, bytes]) -> None:
        """Notes what is in memory once the access is done."""
        offsets = access.addresses()
        for lane, value in values.items():
            self._note(access, offsets[lane], value)

    def _pages(self, access: Access, at: int) -> tuple[bytearray, bytearray] | None:
        if access.object >= len(self.objects):
            return None
        size = self.objects[access.object].bytes
        if size > MOST_OBJECT or at < 0 or at + access.width > size:
            return None
        if access.object not in self._bytes:
            self._bytes[access.object] = bytearray(size), bytearray(size)
        return self._bytes[access.object]

    def _known(self, access: Access, at: int) -> bytes | None:
        pages = self._pages(access, at)
        if pages is None or 0 in pages[1][at : at + access.width]:
            return None
        return bytes(pages[0][at : at + access.width])

    def _note(self, access: Access, at: int, value: bytes) -> None:
        if pages := self._pages(access, at):
            pages[0][at : at + access.width] = value
            pages[1][at : at + access.width] = b"\1" * access.width


def compact(recording: Recording, first: Iterable[int] = (), most: int = MOST_BYTES) -> None:
    """Leaves out what a page computes itself: values that follow from earlier steps; and whole
    warps where all do not fit into `most` bytes. first: warps that must stay."""
    _say_what_is_held(recording)
    full = list(enumerate(recording.steps))
    warps = list(dict.fromkeys([*first, *(s.warp for s in _of_warps(recording.steps))]))
    kept = warps
    steps, size = _compacted(recording, full)
    while len(kept) > 1 and size > most:
        kept = kept[: max(1, min(len(kept) - 1, len(kept) * most // size))]
        steps, size = _compacted(
            recording, [(i, s) for i, s in full if isinstance(s, Barrier) or s.warp in kept]
        )
    said = [recording.cut] if recording.cut else []
    if len(kept) < len(warps):
        said.append(f"of {len(warps)} warps this page has {len(kept)}: {_ranges(sorted(kept))}")
    if size > most:
        count = max(1, len(steps) * most // size)
        said.append(f"the page ends after {count} of {len(steps)} steps")
        steps = dict([*steps.items()][:count])
    recording.steps, recording.cut = [*steps.values()], "; ".join(said)
    _renumber(recording, {old: new for new, old in enumerate(steps)})


def _ranges(numbers: list[int]) -> str:
    """0 to 3, 7."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and groups[-1][-1] == number - 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(f"{g[0]} to {g[-1]}" if len(g) > 1 else f"{g[0]}" for g in groups)


def _renumber(recording: Recording, places: dict[int, int]) -> None:
    """Where other parts of the recording name steps: their new numbers."""
    if focus := recording.focus:
        step, other = places.get(focus.step, 0), places.get(focus.other, -1)
        recording.focus = msgspec.structs.replace(focus, step=step, other=other)
    if pixel := recording.pixel:
        taps = [Tap(t.dx, t.dy, places.get(t.step, t.step), t.wanted) for t in pixel.taps]
        recording.pixel = msgspec.structs.replace(pixel, taps=taps)


def _of_warps(steps: Iterable[Step]) -> Iterator[Access | Operation]:
    return (step for step in steps if not isinstance(step, Barrier))


def _compacted(recording: Recording, steps: list[tuple[int, Step]]) -> tuple[dict[int, Step], int]:
    """The steps by their numbers, without what follows from earlier ones, and their bytes."""
    memory = Memory(recording.objects)
    done: dict[int, Step] = {}
    for number, step in steps:
        if isinstance(step, Access):
            values = Memory([]).values(step) if step.values else {}
            text = step.values or "?"
            if values and step.way == "load":
                known = memory.values(msgspec.structs.replace(step, values=""))
                text = "" if known == values else text
            if text and len(set(values.values())) == 1:
                text = next(iter(values.values())).hex()
            memory.follow(step, values)
            step = msgspec.structs.replace(step, values=text)
        done[number] = step
    return done, len(msgspec.json.encode([*done.values()]))


def _say_what_is_held(recording: Recording) -> None:
    """What each object holds: bytes, doubles, and of 4 bytes floats if most look like some."""
    for i, item in enumerate(recording.objects):
        mine = [
            s
            for s in recording.steps
            if isinstance(s, Access) and s.object == i and s.values not in ("", "?")
        ]
        width = min((step.width for step in mine), default=4)
        data = b"".join(bytes.fromhex(step.values) for step in mine)
        words = [data[at : at + 4] for at in range(0, len(data) - 3, 4)]
        words = [word for word in words if word not in (b"\0" * 4, b"\xff" * 4)]
        floats = sum(80 <= (word[3] & 0x7F) << 1 | word[2] >> 7 <= 170 for word in words)
        of_four: Holds = "f4" if 2 * floats >= len(words) else "i4"
        holds: Holds = "u1" if width < 4 else "f8" if width == 8 else of_four
        recording.objects[i] = msgspec.structs.replace(item, holds=holds)


# ---- counters


def counted(steps: Iterable[Step]) -> Counters:
    """The counters of a block's steps together, as a profile has them."""
    total = Counters(blocks=1)
    storing: set[int] = set()
    for step in steps:
        if not isinstance(step, Access) or step.way == "fault":
            continue
        if step.space == "" or step.space == "unknown":
            continue
        sectors, fresh, again, wavefronts, ideal, words = step.costs
        site = Site(
            pc=0,
            space=step.space,
            store=step.way != "load",
            width=step.width,
            requests=1,
            lanes=step.lanes.bit_count(),
            sectors=sectors,
            fresh=fresh,
            wavefronts=wavefronts,
            ideal=ideal,
            words=words,
            again=again,
            atomic=step.way == "atomic",
        )
        add(total, of_site(site))
        if site.store and step.space != "shared":
            storing |= {step.warp * LANES + lane for lane in lanes_of(step.lanes)}
    total.storing_threads = len(storing)
    total.idle_blocks = int(not storing)
    return total
