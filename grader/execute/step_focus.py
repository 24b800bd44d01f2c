"""Where in a recording something happens: a finding, a costly line, the store of a pixel."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.execute.step_lines import LANES, Access, Barrier
from grader.execute.steps import Focus, Recording, Tap
from grader.model.finding import Finding

if TYPE_CHECKING:
    import numpy as np

Place = tuple[int, int]  # x, y
LOOK_BACK = 64  # loads of a thread among which that of a stored value is looked for


def at_line(recording: Recording, file: str, line: int, words: list[str]) -> Focus | None:
    """The costliest access of a line."""
    found = [
        (step.excess(), -i)
        for i, step in enumerate(recording.steps)
        if isinstance(step, Access) and recording.place(step) == (file, line)
    ]
    return Focus(-max(found)[1], 0, words) if found else None


def at_finding(recording: Recording, finding: Finding) -> Focus | None:
    """The step of a finding; of a race, that of the other thread as well."""
    words, place = [finding.render()], (finding.file, finding.line)
    x, y, z = recording.head.threads
    here = [(i, s) for i, s in enumerate(recording.steps) if recording.place(s) == place]
    if finding.kind == "barrier-divergence":
        barriers = [(i, step) for i, step in here if isinstance(step, Barrier)]
        missed = (i for i, step in barriers if sum(m.bit_count() for m in step.lanes) < x * y * z)
        return next((Focus(i, 0, words) for i in missed), None)
    number = sum(i * n for i, n in zip(finding.thread, (1, x, x * y), strict=False))
    warp, lane = divmod(number, LANES)
    of_warp = [(i, s) for i, s in here if isinstance(s, Access) and s.warp == warp]
    mine = [(i, s) for i, s in of_warp if s.lanes >> lane & 1]
    if finding.kind.endswith("-race") and finding.other_line:
        other_place = (finding.other_file, finding.other_line)
        for i, _ in mine:
            if (pair := _rival(recording, i, lane, other_place)) is not None:
                return Focus(i, 1 << lane, words, *pair)
    mine.sort(key=lambda one: one[1].way != "fault")
    if finding.kind == "out-of-bounds":
        rooms = {i: range(recording.size_of(s) - s.width + 1) for i, s in mine}
        mine.sort(key=lambda one: one[1].addresses()[lane] in rooms[one[0]])
    return Focus(mine[0][0], 1 << lane, words) if mine else None


def _rival(
    recording: Recording, mine: int, lane: int, place: tuple[str, int]
) -> tuple[int, int] | None:
    """The step at `place` in which another thread accesses the same bytes between the same two
    barriers, and its lane; the latest before this step, else the first after it."""
    me = recording.steps[mine]
    assert isinstance(me, Access)
    barriers = [i for i, step in enumerate(recording.steps) if isinstance(step, Barrier)]
    start = max((i for i in barriers if i < mine), default=-1)
    end = min((i for i in barriers if i > mine), default=len(recording.steps))
    at = me.addresses()[lane]
    for i in [*range(mine, start, -1), *range(mine + 1, end)]:
        other = recording.steps[i]
        if not isinstance(other, Access) or other.object != me.object:
            continue
        if recording.place(other) != place or "load" == me.way == other.way:
            continue
        for one, offset in other.addresses().items():
            is_me = (other.warp, one) == (me.warp, lane)
            if not is_me and offset < at + me.width and at < offset + other.width:
                return i, 1 << one
    return None


# ---- a pixel


def store_of(recording: Recording, size: int, offset: int) -> tuple[int, int] | None:
    """The last step that stores to this offset of an array of so many bytes, and its lane."""
    for i, step in reversed([*enumerate(recording.steps)]):
        if isinstance(step, Access) and step.way == "store" and step.space == "global":
            for lane, at in step.addresses().items():
                if at <= offset < at + step.width and recording.size_of(step) == size:
                    return i, lane
    return None


def pixels_read(
    recording: Recording, store: int, lane: int, image: np.ndarray[Any, Any]
) -> tuple[dict[Place, int], int, int]:
    """The pixels (x, y) that the thread which stored a result had loaded for it, each with the step
    of its first load, through shared memory as well; how many other loads it made there; and how
    many results it stored next to each other, which are made from the same pixels.

    Which pixel a word of shared memory holds: that of the thread's last load of the same value.
    """
    end = recording.steps[store]
    assert isinstance(end, Access)
    origin: dict[tuple[int, int], Place | None] = {}
    loads: defaultdict[tuple[int, int], list[_Load]] = defaultdict(list)
    first, stores, has_loaded = 0, 0, False
    for i, step in enumerate(recording.steps[: store + 1]):
        if not isinstance(step, Access):
            continue
        values, is_shared = step.loaded_or_stored(), step.space == "shared"
        size = recording.size_of(step)
        is_image = is_shared or (step.object != end.object and size == image.nbytes)
        for one, at in step.addresses().items():
            mine, is_target = loads[step.warp, one], (step.warp, one) == (end.warp, lane)
            if step.way == "load" and step.space in ("global", "shared"):
                if is_target and stores and not has_loaded and is_image:
                    first, stores = len(mine), 0  # it begins with another result
                y, x = divmod(at // image.itemsize, image.shape[1])
                pixel = (x, y) if is_image and 0 <= at < size else None
                pixel = origin.get((step.object, at)) if is_shared else pixel
                mine.append(_Load(i, values.get(one), pixel, is_image))
                has_loaded |= is_target
            elif step.way == "store" and is_shared:
                origin[step.object, at] = _origin(mine, values.get(one))
            elif step.way == "store" and is_target and step.object == end.object:
                stores, has_loaded = stores + 1, False
    used = [x for x in loads[end.warp, lane][first:] if x.is_image and not x.is_moved]
    taps = {load.pixel: load.step for load in reversed(used) if load.pixel is not None}
    return taps, sum(load.pixel is None for load in used), stores


@dataclass
class _Load:
    """is_image: of shared memory, or of an array of the image's size. is_moved: its value went to
    shared memory."""

    step: int
    value: bytes | None
    pixel: Place | None
    is_image: bool
    is_moved: bool = False


def _origin(loads: list[_Load], value: bytes | None) -> Place | None:
    for load in reversed(loads[-LOOK_BACK:]):
        if load.value == value and value is not None and load.pixel is not None:
            load.is_moved = True
            return load.pixel
    return None


def taps_of(
    taps: dict[Place, int], wanted: set[Place] | None, centre: Place, shared_by_others: bool
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


def window(shape: tuple[int, ...], centre: Place, radius: int, border: str) -> set[Place]:
    """The pixels that a result of a square mask is made from."""
    height, width = shape
    reach = range(-radius, radius + 1)
    wanted = {(centre[0] + dx, centre[1] + dy) for dy in reach for dx in reach}
    if border == "replicate":
        return {(min(max(x, 0), width - 1), min(max(y, 0), height - 1)) for x, y in wanted}
    return {(x, y) for x, y in wanted if 0 <= x < width and 0 <= y < height}
