"""Where in a recording something happens: a finding, a costly line, the store of a pixel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.execute.step_lines import LANES, Access
from grader.execute.steps import Barrier, Focus, Memory, Recording, Tap
from grader.model.finding import Finding

LOOK_BACK = 64  # loads of a thread among which that of a stored value is looked for
SECTOR = 32


def at_line(recording: Recording, file: str, line: int, words: list[str]) -> Focus | None:
    """The costliest access of a line."""

    def cost(step: Access) -> int:
        sectors, _, _, wavefronts, ideal, constants = step.costs
        ideal_sectors = len(set(step.addresses().values())) * step.width // SECTOR
        return max(wavefronts - ideal, sectors - ideal_sectors, constants - 1)

    found = [
        (cost(step), -i)
        for i, step in enumerate(recording.steps)
        if isinstance(step, Access) and recording.places[step.place] == (file, line)
    ]
    if not found:
        return None
    return Focus(-max(found)[1], 0, words)


def at_finding(recording: Recording, finding: Finding) -> Focus | None:
    """The step of a finding; of a race, that of the other thread as well."""
    words = [finding.render()]
    if finding.kind == "barrier-divergence":
        for i, step in enumerate(recording.steps):
            place = recording.places[step.place]
            if isinstance(step, Barrier) and place == (finding.file, finding.line):
                absent = any(
                    lanes != full for lanes, full in zip(step.lanes, _full(recording), strict=False)
                )
                if absent:
                    return Focus(i, 0, words)
        return None
    x, y, _ = recording.head.threads
    number = sum(i * n for i, n in zip(finding.thread, (1, x, x * y), strict=False))
    warp, lane = divmod(number, LANES)
    places = {(finding.file, finding.line)}
    mine = [
        i
        for i, step in enumerate(recording.steps)
        if isinstance(step, Access)
        and (step.warp, step.lanes >> lane & 1) == (warp, 1)
        and recording.places[step.place] in places
    ]
    if finding.kind.endswith("-race") and finding.other_line:
        other_place = (finding.other_file, finding.other_line)
        for i in mine:
            if (pair := _rival(recording, i, lane, other_place)) is not None:
                other, other_lanes = pair
                return Focus(i, 1 << lane, words, other, other_lanes)
    mine.sort(key=lambda i: getattr(recording.steps[i], "way", "") != "fault")
    best = _outside(recording, mine, lane) if finding.kind == "out-of-bounds" else None
    at = best if best is not None else mine[0] if mine else None
    return Focus(at, 1 << lane, words) if at is not None else None


def _outside(recording: Recording, steps: list[int], lane: int) -> int | None:
    """The first of the steps whose lane leaves the object."""
    for i in steps:
        step = recording.steps[i]
        assert isinstance(step, Access)
        size = recording.objects[step.object].bytes
        if not 0 <= step.addresses()[lane] <= size - step.width:
            return i
    return None


def _full(recording: Recording) -> list[int]:
    """The lanes of each warp that exist."""
    x, y, z = recording.head.threads
    count = x * y * z
    return [(1 << min(LANES, count - first)) - 1 for first in range(0, count, LANES)]


def _rival(
    recording: Recording, mine: int, lane: int, place: tuple[str, int]
) -> tuple[int, int] | None:
    """The step at `place` in which another thread accesses the same bytes between the same two
    barriers, and its lane; the latest before this step, else the first after it."""
    me = recording.steps[mine]
    assert isinstance(me, Access)
    start, end = mine, mine
    while start > 0 and not isinstance(recording.steps[start - 1], Barrier):
        start -= 1
    while end < len(recording.steps) and not isinstance(recording.steps[end], Barrier):
        end += 1
    at = me.addresses()[lane]
    for i in [*range(mine, start - 1, -1), *range(mine + 1, end)]:
        other = recording.steps[i]
        if not isinstance(other, Access) or other.object != me.object:
            continue
        if recording.places[other.place] != place or "load" == me.way == other.way:
            continue
        for one, offset in other.addresses().items():
            is_me = (other.warp, one) == (me.warp, lane)
            if not is_me and offset < at + me.width and at < offset + other.width:
                return i, 1 << one
    return None


# ---- a pixel


@dataclass(frozen=True)
class Image:
    """A plane of the input: its bytes, its sides, the bytes of a pixel."""

    bytes: int
    width: int
    height: int
    element: int


def store_of(recording: Recording, size: int, offset: int) -> tuple[int, int] | None:
    """The last step that stores to this offset of an array of so many bytes, and its lane."""
    for i in range(len(recording.steps) - 1, -1, -1):
        step = recording.steps[i]
        if isinstance(step, Access) and step.way == "store" and step.space == "global":
            for lane, at in step.addresses().items():
                if at <= offset < at + step.width and recording.objects[step.object].bytes == size:
                    return i, lane
    return None


def pixels_read(
    recording: Recording, store: int, lane: int, image: Image
) -> tuple[dict[tuple[int, int], int], int, int]:
    """The pixels (x, y) that the thread which stored a result had loaded for it, each with the step
    of its first load, through shared memory as well; how many other loads it made there; and how
    many results it stored next to each other, which are made from the same pixels.

    Which pixel a word of shared memory holds: that of the thread's last load of the same value.
    """
    end = recording.steps[store]
    assert isinstance(end, Access)
    memory = Memory(recording.objects)
    origin: dict[tuple[int, int], tuple[int, int] | None] = {}
    loads: dict[tuple[int, int], list[_Load]] = {}
    mine: list[_Load] = []
    stores = 0
    has_loaded = False
    for i, step in enumerate(recording.steps[: store + 1]):
        if not isinstance(step, Access):
            continue
        values = memory.values(step)
        memory.follow(step, values)
        for one, at in step.addresses().items():
            who = step.warp, one
            value = values.get(one)
            is_target = who == (end.warp, lane)
            if step.way == "load" and step.space in ("global", "shared"):
                pixel = _pixel(recording, step, at, image, end.object)
                if step.space == "shared":
                    pixel = origin.get((step.object, at))
                is_image = step.space == "shared" or _may_be_image(recording, step, image, end)
                load = _Load(i, value, pixel, is_image)
                loads.setdefault(who, []).append(load)
                if is_target:
                    if stores and not has_loaded and is_image:
                        mine, stores = [], 0  # it begins with another result
                    has_loaded = True
                    mine.append(load)
            elif step.way == "store" and step.space == "shared":
                origin[step.object, at] = _origin(loads.get(who, []), value)
            elif step.way == "store" and is_target and step.object == end.object:
                stores, has_loaded = stores + 1, False
    taps: dict[tuple[int, int], int] = {}
    other = 0
    for load in mine:
        if load.is_moved or not load.is_image:
            continue
        if load.pixel is None:
            other += 1
        else:
            taps.setdefault(load.pixel, load.step)
    return taps, other, stores


@dataclass
class _Load:
    """is_image: of shared memory, or of an array of the image's size. is_moved: its value went to
    shared memory."""

    step: int
    value: bytes | None
    pixel: tuple[int, int] | None
    is_image: bool
    is_moved: bool = False


def _origin(loads: list[_Load], value: bytes | None) -> tuple[int, int] | None:
    for load in reversed(loads[-LOOK_BACK:]):
        if load.value == value and value is not None and load.pixel is not None:
            load.is_moved = True
            return load.pixel
    return None


def _may_be_image(recording: Recording, step: Access, image: Image, end: Access) -> bool:
    return step.object != end.object and recording.objects[step.object].bytes == image.bytes


def _pixel(
    recording: Recording, step: Access, at: int, image: Image, out: int
) -> tuple[int, int] | None:
    size = recording.objects[step.object].bytes
    if step.object == out or size != image.bytes or not 0 <= at < size:
        return None
    y, x = divmod(at // image.element, image.width)
    return x, y


def taps_of(
    taps: dict[tuple[int, int], int],
    wanted: set[tuple[int, int]] | None,
    centre: tuple[int, int],
    shared_by_others: bool,
) -> list[Tap]:
    """Each pixel that was read or is wanted, relative to the result's place. wanted: None where it
    is not known. shared_by_others: what is not wanted here may be for other results."""
    x, y = centre
    found = []
    for pixel in sorted({*taps, *(wanted or ())}, key=lambda p: (p[1], p[0])):
        is_wanted = wanted is None or pixel in wanted
        if is_wanted or not shared_by_others:
            found.append(Tap(pixel[0] - x, pixel[1] - y, taps.get(pixel, -1), is_wanted))
    return found


def window(
    image: Image, centre: tuple[int, int], radius: int, border: str
) -> Iterator[tuple[int, int]]:
    """The pixels that a result of a square mask is made from."""
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            x, y = centre[0] + dx, centre[1] + dy
            if border == "replicate":
                x, y = min(max(x, 0), image.width - 1), min(max(y, 0), image.height - 1)
            if 0 <= x < image.width and 0 <= y < image.height:
                yield x, y
