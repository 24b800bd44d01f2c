"""Which lines of two submissions match: the regions that have one number on the page."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from grader.classroom.similarity.fingerprints import LENGTH, prints
from grader.classroom.similarity.given import Course
from grader.classroom.similarity.normalise import normalise

MOST_PLACES = 12  # of a k-gram that are tried; more are a repetition, as of an unrolled loop
FEWEST_TOKENS = LENGTH + 2


@dataclass
class ComparedLine:
    """A line of a submission. `region`: the number of the match that it belongs to; 0: none."""

    file: str
    number: int
    text: str
    given: bool  # a line of the starter
    region: int = 0
    begins: bool = False  # the region's first line


@dataclass
class Sides:
    """Both submissions, line by line. `longest`: lines of the longest matching run."""

    first: list[ComparedLine] = field(default_factory=list)
    second: list[ComparedLine] = field(default_factory=list)
    regions: int = 0
    longest: int = 0


@dataclass
class _Side:
    lines: list[ComparedLine]
    rows: list[int]  # of each token: the index of its line
    hashes: list[int]


def sides(first: dict[str, bytes], second: dict[str, bytes], course: Course) -> Sides:
    """Greedy string tiling (Wise 1993) on k-grams, the longest matches first. A match may go on
    through what the course gives, but does not consist of it."""
    a, b = _side(first, course), _side(second, course)
    given = set(course.base.tolist())
    used_a, used_b = bytearray(len(a.hashes)), bytearray(len(b.hashes))
    result = Sides(a.lines, b.lines)
    tiles = []
    for start, other, length in _tiles(a.hashes, b.hashes):
        if any(h not in given for h in a.hashes[start : start + length]):
            tiles.append((length, start, other))
    for length, start, other in sorted(tiles, key=lambda t: (-t[0], t[1], t[2])):
        tokens = length + LENGTH - 1
        free = [i for i in range(tokens) if not used_a[start + i] and not used_b[other + i]]
        if len(free) < FEWEST_TOKENS:
            continue
        result.regions += 1
        for i in free:
            used_a[start + i] = used_b[other + i] = 1
        lengths = [
            _number(side, [begin + i for i in free], result.regions)
            for side, begin in ((a, start), (b, other))
        ]
        result.longest = max(result.longest, min(lengths))
    return result


def _side(files: dict[str, bytes], course: Course) -> _Side:
    lines: list[ComparedLine] = []
    rows: list[int] = []
    hashes: list[int] = []
    for name in sorted(files):
        found = normalise(files[name], course.names)
        first = len(lines)
        for number, raw in enumerate(files[name].split(b"\n"), 1):
            text = raw.decode(errors="replace").rstrip()
            lines.append(ComparedLine(name, number, text, raw.strip() in course.starter_lines))
        for segment in found.segments:
            rows += [min(first + token.row, len(lines) - 1) for token in segment]
        hashes += prints(found.segments).all.astype(np.uint64).tolist()
    return _Side(lines, rows, hashes)


def _tiles(a: list[int], b: list[int]) -> list[tuple[int, int, int]]:
    """Every maximal run of equal k-grams: where it begins in both, and its length."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for j, value in enumerate(b):
        if value and len(places[value]) < MOST_PLACES:
            places[value].append(j)
    tiles = []
    for i, value in enumerate(a):
        for j in places.get(value, ()):
            if i and j and a[i - 1] and a[i - 1] == b[j - 1]:
                continue  # its beginning was before
            length = 1
            while i + length < len(a) and j + length < len(b) and a[i + length]:
                if a[i + length] != b[j + length]:
                    break
                length += 1
            tiles.append((i, j, length))
    return tiles


def _number(side: _Side, tokens: list[int], region: int) -> int:
    """Numbers the lines of a region that no longer one has. Returns how many lines it has."""
    rows = sorted({side.rows[token] for token in tokens})
    free = [row for row in rows if not side.lines[row].region]
    for row in free:
        side.lines[row].region = region
    if free:
        side.lines[free[0]].begins = True
    return len(rows)
