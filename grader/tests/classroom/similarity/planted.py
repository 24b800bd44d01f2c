"""A class of independent programs with copies planted among them, and what is found of it."""

from dataclasses import dataclass, replace
from functools import cache

from grader.classroom.similarity import given, likeness
from grader.classroom.similarity.given import Course
from grader.classroom.similarity.likeness import Likeness
from grader.model import spec
from grader.tests.classroom.similarity import programs
from grader.tests.classroom.similarity.plant import DISGUISES

LABS = ("lab1", "lab3")
SOURCES = {
    "lab1": ("starter-plain-b", "starter-plain-a", "column-major"),
    "lab3": ("plain-a", "plain-d", "row-sums"),
}
LARGEST = {"lab1": 1, "lab3": 5}  # the TODO that a copy of one function takes
HOST = {"lab1": "fetch-helper", "lab3": "taps-through-a-device-function"}  # has the rest
MERGED = {"lab1": (2, 4), "lab3": (1, 2, 3)}  # the TODOs that come from the second source
OTHERS = {
    "lab1": ("starter-plain-d", "long-double-pairs", "fetch-helper"),
    "lab3": ("address-of-symbols", "early-error-variable", "plain-a"),
}


@dataclass(frozen=True)
class Plant:
    """A copy: how it is disguised, and whom it is taken from."""

    kind: str
    source: str
    code: bytes

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.source}"


def plants(lab: str) -> list[Plant]:
    """Three copies of each kind; of two merged sources, one for each of them is listed."""
    bodies = programs.entries(lab)
    independent = programs.independent(lab)
    found = [
        Plant(kind, source, disguise(independent[source]))
        for kind, disguise in DISGUISES.items()
        for source in SOURCES[lab]
    ]
    for source, other in zip(SOURCES[lab], OTHERS[lab], strict=True):
        taken = bodies[HOST[lab]] | {LARGEST[lab]: bodies[source][LARGEST[lab]]}
        one = programs.filled(lab, taken)
        found.append(Plant("one function", source, DISGUISES["renamed variables"](one)))
        mixed = dict(bodies[source])
        mixed[0] = bodies[source].get(0, "") + bodies[other].get(0, "")
        mixed |= {todo: bodies[other][todo] for todo in MERGED[lab]}
        code = DISGUISES["renamed variables"](programs.filled(lab, mixed))
        found.append(Plant("two sources merged", source, code))
    return found


@cache
def texts(lab: str) -> Course:
    return given.load(spec.load(lab))


@cache
def _program(lab: str, name: str, code: bytes) -> likeness.ComparedProgram:
    return likeness.program(name, {programs.file_of(lab): code}, texts(lab))


def compared(lab: str, codes: dict[str, bytes]) -> Likeness:
    """The likeness of these programs, by name."""
    each = (replace(_program(lab, name, code), same=[]) for name, code in codes.items())
    return likeness.compare(each, texts(lab))


def found_pairs(found: Likeness) -> set[frozenset[str]]:
    """The names of each listed pair, and of those with identical files."""
    pairs = {frozenset((p.first.student, p.second.student)) for p in found.pairs}
    return pairs | {frozenset((g.student, other)) for g in found.groups for other in g.same}


def scores(found: Likeness) -> dict[frozenset[str], tuple[float, int]]:
    return {frozenset((p.first.student, p.second.student)): (p.score, p.run) for p in found.pairs}
