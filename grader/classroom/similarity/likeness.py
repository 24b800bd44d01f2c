"""Which submissions of a lab are more alike than the lab explains.

The score of a pair is the share of the shorter one's own fingerprints (what starter, solution and
headers do not have) that the other has, too. All pairs are counted at once, from an index by
fingerprint. A copy of one function has a low score but a long run of the same own tokens, so either
is a reason to list a pair. The limits come from data: RESULTS.md beside the tests.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from grader.classroom.similarity.fingerprints import LENGTH, WINDOW, Hashes, Prints, prints
from grader.classroom.similarity.given import Course
from grader.classroom.similarity.normalise import normalise

FEWEST_OWN = 15  # own fingerprints; with fewer, likeness is chance
LEAST_SCORE = 0.45
LEAST_RUN = 60  # own tokens in one run
OUTLIER = 6.0  # spreads above the typical pair of the lab
SMALLEST_SPREAD = 0.05
LEAST_OF_PART = 0.9  # of the own tokens of a part of the solution, if it has LEAST_RUN of them
MOST_ALONE = (
    3,
    0.25,
)  # programs, and their share, that may have a part: with more, a TODO leads there
COLUMNS = 4096  # fingerprints that are counted at a time
MOST_RUNS = 3000  # pairs of the highest counts whose runs are measured


@dataclass
class ComparedProgram:
    """What one student handed in for a lab. `own`: tokens that the course does not give."""

    student: str
    digest: str
    prints: Prints
    own: int
    problem: str = ""
    key: str = ""  # of its files in the store
    same: list[str] = field(default_factory=list)  # the others who handed in the same bytes


@dataclass(frozen=True)
class Pair:
    """Two programs. `run`: own tokens of their longest shared run; `outlier`: how many spreads the
    score lies above what is typical of these two in the lab."""

    first: ComparedProgram
    second: ComparedProgram
    score: float
    shared: int
    run: int
    outlier: float


@dataclass
class Likeness:
    """A lab of a class. `typical`, `high`, `spread`: of the scores of all pairs: median, 99th
    percentile and 1.48 times the median distance from the median."""

    groups: list[ComparedProgram]  # whose bytes several students handed in
    pairs: list[Pair]
    programs: int
    compared: int
    pair_count: int
    typical: float
    high: float
    spread: float
    threshold: float
    notes: list[str]
    # who has parts of the course's own solution, and how much of each
    of_solution: list[tuple[ComparedProgram, dict[str, float]]]


Together = Callable[[str, str], bool]


def _strangers_all(_first: str, _second: str) -> bool:
    """No two students hand in as a group."""
    return False


def program(
    student: str, files: dict[str, bytes], course: Course, key: str = ""
) -> ComparedProgram:
    """The fingerprints of a student's files. Never raises, whatever is in them."""
    segments, problems = [], []
    for name in sorted(files):
        found = normalise(files[name], course.names)
        segments += found.segments
        problems += [f"{name}: {found.problem}"] if found.problem else []
    everything = prints(segments)
    own = int(np.count_nonzero(own_hashes(everything.all, course.base)))
    everything.selected = np.setdiff1d(everything.selected, course.base)
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()
    return ComparedProgram(student, digest, everything, own, "; ".join(problems), key)


def compare(
    programs: Iterable[ComparedProgram], course: Course, together: Together = _strangers_all
) -> Likeness:
    """`together`: do two students hand in as one group? Then they are not compared."""
    distinct: dict[str, ComparedProgram] = {}
    count = 0
    for each in programs:
        count += 1
        kept = distinct.setdefault(each.digest, each)
        if kept is not each:
            kept.same.append(each.student)
    starters = distinct.pop(_digest(course.submit, course.starter), None)
    unchanged = (starters.student, *starters.same) if starters else ()
    notes = [f"{student}: the unchanged starter" for student in unchanged]
    representatives = list(distinct.values())
    copies, common = _of_solution(representatives, course)
    notes += [
        f"{part}: {many} of {len(representatives)} programs have that of the course's own "
        "solution; who has no other part of it is not listed"
        for part, many in common.items()
    ]
    notes += [f"{p.student}: {p.problem}" for p in representatives if p.problem]
    large = [p for p in representatives if len(p.prints.selected) >= FEWEST_OWN]
    notes += [
        f"{p.student}: {p.own} own tokens: too few to tell"
        for p in representatives
        if len(p.prints.selected) < FEWEST_OWN and not p.problem
        if all(p is not copy for copy, _ in copies)
    ]
    groups = [p for p in representatives if _strangers(p, together)]
    shared, scores = _scores(large)
    upper = np.triu_indices(len(large), 1)
    of_all = scores[upper] if len(large) > 1 else np.zeros(1)
    typical = float(np.median(of_all))
    spread = max(SMALLEST_SPREAD, 1.4826 * float(np.median(np.abs(of_all - typical))))
    result = Likeness(
        groups=groups,
        pairs=[],
        programs=count,
        compared=len(large),
        pair_count=len(large) * (len(large) - 1) // 2,
        typical=typical,
        high=float(np.quantile(of_all, 0.99)),
        spread=spread,
        threshold=max(LEAST_SCORE, min(0.95, typical + OUTLIER * spread)),
        notes=notes,
        of_solution=copies,
    )
    result.pairs = _outstanding(large, shared, scores, result, course, together)
    return result


def _digest(names: list[str], files: dict[str, bytes]) -> str:
    """The hash of the course's own files, as if someone handed them in."""
    submitted = {name: files[name] for name in names if name in files}
    return hashlib.sha256(repr(sorted(submitted.items())).encode()).hexdigest()


def _of_solution(
    programs: list[ComparedProgram], course: Course
) -> tuple[list[tuple[ComparedProgram, dict[str, float]]], dict[str, int]]:
    """The programs that have nearly all of a part of the solution, and how much of which part:
    other names, another order of the functions and a line more do not hide it. Then the parts that
    so many have that they say nothing alone, and how many have them."""
    parts = {
        name: own
        for name, own in course.solution_parts.items()
        if np.count_nonzero(_tokens(own != 0)) >= LEAST_RUN
    }
    found = []
    for program in programs:
        shares = {name: _covered(own, program.prints.all) for name, own in parts.items()}
        if copied := {name: s for name, s in shares.items() if s >= LEAST_OF_PART}:
            found.append((program, copied))
    counts = Counter(name for _, copied in found for name in copied)
    most = max(MOST_ALONE[0], MOST_ALONE[1] * len(programs))
    common = {name: many for name, many in counts.items() if many > most}
    listed = [pair for pair in found if pair[1].keys() - common.keys() or len(pair[1]) > 1]
    return sorted(listed, key=lambda pair: (-sum(pair[1].values()), pair[0].student)), common


def _covered(own: Hashes, other: Hashes) -> float:
    """The share of the tokens in k-grams that the other has, too. A statement between two others
    ends some k-grams, while the tokens on both sides of it are in others."""
    return float(_tokens(np.isin(own, other) & (own != 0)).sum() / _tokens(own != 0).sum())


def _tokens(begins: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The tokens of the k-grams that begin at these."""
    return np.convolve(begins, np.ones(LENGTH, np.int32))[: len(begins)] > 0


def _strangers(program: ComparedProgram, together: Together) -> bool:
    """Did people of different groups hand in the same bytes?"""
    return any(not together(program.student, other) for other in program.same)


def _scores(programs: list[ComparedProgram]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Of each pair, how many own fingerprints they share, and the score."""
    sizes = np.array([len(p.prints.selected) for p in programs], np.int64)
    if not len(sizes):
        return np.zeros((0, 0), np.int32), np.zeros((0, 0))
    values = np.concatenate([p.prints.selected for p in programs])
    _, columns, users = np.unique(values, return_inverse=True, return_counts=True)
    rows = np.repeat(np.arange(len(programs)), sizes)
    several = users[columns] > 1  # most are of one program alone
    rows, (_, columns) = rows[several], np.unique(columns[several], return_inverse=True)
    shared = np.diag(sizes - np.bincount(rows, minlength=len(programs))).astype(np.int32)
    order = np.argsort(columns, kind="stable")
    rows, columns = rows[order], columns[order]
    for first in range(0, int(columns[-1]) + 1 if len(columns) else 0, COLUMNS):
        here = slice(*np.searchsorted(columns, (first, first + COLUMNS)))
        index = np.zeros((len(programs), COLUMNS), np.float32)  # exact: no count reaches 2^24
        index[rows[here], columns[here] - first] = 1
        shared += (index @ index.T).astype(np.int32)
    return shared, shared / np.minimum(sizes[:, None], sizes[None, :])


def _outstanding(
    programs: list[ComparedProgram],
    shared: NDArray[np.int32],
    scores: NDArray[np.float64],
    lab: Likeness,
    course: Course,
    together: Together,
) -> list[Pair]:
    if len(programs) < 2:
        return []
    off_diagonal = scores[~np.eye(len(programs), dtype=bool)].reshape(len(programs), -1)
    usual = np.median(off_diagonal, axis=1)
    fewest = max(1, (LEAST_RUN - LENGTH + 1) // WINDOW)  # that a run of this length has for certain
    first, second = np.nonzero(np.triu((shared >= fewest) | (scores >= lab.threshold), 1))
    order = np.argsort(-shared[first, second], kind="stable")[:MOST_RUNS]
    own = {}
    pairs = []
    for i, j in zip(first[order].tolist(), second[order].tolist(), strict=True):
        if together(programs[i].student, programs[j].student):
            continue
        for each in (i, j):
            if each not in own:
                own[each] = own_hashes(programs[each].prints.all, course.base)
        score, run = float(scores[i, j]), longest_run(own[i], own[j])
        if score < lab.threshold and run < LEAST_RUN:
            continue
        # Someone who writes as everyone does is like many: that is no reason to look.
        outlier = (score - max(usual[i], usual[j])) / lab.spread
        pairs.append(Pair(programs[i], programs[j], score, int(shared[i, j]), run, float(outlier)))
    return sorted(pairs, key=lambda p: (-p.outlier, -p.run, p.first.student, p.second.student))


def own_hashes(hashes: Hashes, base: Hashes) -> Hashes:
    """The k-grams, 0 for those that the course gives."""
    return np.where(np.isin(hashes, base), np.uint64(0), hashes)


def longest_run(first: Hashes, second: Hashes) -> int:
    """The own tokens of the longest run of k-grams of the one that the other has, too."""
    return min(_run_in(first, second), _run_in(second, first))


def _run_in(hashes: Hashes, other: Hashes) -> int:
    matches = np.isin(hashes, other[other != 0])
    edges = np.flatnonzero(np.diff(np.concatenate([[0], matches.astype(np.int8), [0]])))
    lengths = edges[1::2] - edges[::2]
    return int(lengths.max()) + LENGTH - 1 if len(lengths) else 0
