"""Measures one work: verifies what every program computes, times the right ones in turn, and makes
a case of each part that does this work."""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from labs.studies.bench import rounds, sides
from labs.studies.bench.results import Case, Entry
from labs.studies.bench.rounds import Contender
from labs.studies.bench.sides import Part
from labs.studies.bench.verify import WRONG, Verifier
from labs.studies.bench.work import Array, Work

Clock = Callable[[Callable[[], object], int], float]  # nanoseconds of each of so many calls
Owner = tuple[str, str]  # a lab and a part
COPY = "copy"


class Images(Protocol):
    """The images of a work, on the host or on a device."""

    slots: int
    work: Work

    def values(self, slot: int) -> dict[str, Any]: ...
    def poison(self, slot: int) -> None: ...
    def result(self, slot: int) -> Array: ...


@dataclass(frozen=True)
class Program:
    """A program that does a work. call: does it once, on the next slot. result: does it, and
    returns the output. owner: the part it belongs to; None: a library, which every part is compared
    with. tf32: it may cut the factors of its products to 10 bits."""

    who: str
    call: Callable[[], object]
    result: Callable[[], Array]
    owner: Owner | None = None
    tf32: bool = False
    note: str = ""


@dataclass(frozen=True)
class Limits:
    """What no program can beat. copy: moves the least traffic. rate: multiply-adds a second; None:
    arithmetic is no limit. rate_of: what that is the rate of."""

    copy: Callable[[int], float]
    rate: float | None
    rate_of: str = ""


@dataclass(frozen=True)
class Effort:
    """How long to measure: so many rounds, or until a program has used its budget."""

    rounds: int = 15
    budget_ns: float = 5e8


def of_side(
    part: Part, side: str, library: ctypes.CDLL, images: Images, cuda: bool
) -> Program | None:
    """The program of a side for a part, prepared; None where the side has none for it."""
    call, prepare = part.of(side)
    if not call:
        return None

    def ready() -> None:
        if prepare:
            sides.bind(library, prepare, images.values(0), cuda)()

    ready()
    calls = [sides.bind(library, call, images.values(i), cuda) for i in range(images.slots)]

    def result() -> Array:
        images.poison(0)
        calls[0]()
        return images.result(0)

    owner = (part.lab, part.id)
    return Program(side, sides.rotate(calls), result, owner)


def measure(
    work: Work,
    programs: Sequence[Program],
    limits: Limits,
    clock: Clock,
    effort: Effort,
    absent: Mapping[str, str],
) -> list[Case]:
    """One case for each part among the programs. absent: libraries that take no part, and why."""
    verifier = Verifier(work)
    first = sorted(programs, key=lambda program: program.who != "reference")
    errors = {id(program): _error(program, verifier) for program in first}
    right = [program for program in programs if isinstance(errors[id(program)], float)]
    contenders = {
        id(program): Contender(program.who, _clocked(program, clock)) for program in right
    }
    copy = Contender(COPY, limits.copy)
    rounds.run([copy, *contenders.values()], effort.rounds, effort.budget_ns)
    owners = dict.fromkeys(program.owner for program in programs if program.owner)
    return [
        _case(work, owner, programs, errors, contenders, copy, limits, absent) for owner in owners
    ]


def _clocked(program: Program, clock: Clock) -> Callable[[int], float]:
    return lambda count: clock(program.call, count)


def _error(program: Program, verifier: Verifier) -> float | str:
    """The error of a right program, or why its time would not count."""
    try:
        error = verifier.error(program.result(), program.tf32)
    except Exception as problem:  # noqa: BLE001 - a library may raise anything
        return f"failed: {type(problem).__name__}: {problem}".splitlines()[0][:200]
    if error == WRONG:
        return "wrong result"
    return error if error <= 1 else f"wrong result: {error:.3g} times the bound"


def _case(
    work: Work,
    owner: Owner,
    programs: Sequence[Program],
    errors: Mapping[int, float | str],
    contenders: Mapping[int, Contender],
    copy: Contender,
    limits: Limits,
    absent: Mapping[str, str],
) -> Case:
    mine = [program for program in programs if program.owner in (owner, None)]
    reference = next(
        (contenders.get(id(p)) for p in mine if p.who == "reference" and p.owner == owner), None
    )
    entries = [_entry(COPY, copy, reference, None, "")]
    for program in mine:
        error, contender = errors[id(program)], contenders.get(id(program))
        if contender is None:
            entries.append(Entry(program.who, note=str(error)))
        else:
            assert isinstance(error, float)
            entries.append(_entry(program.who, contender, reference, error, program.note))
    entries += [Entry(who, note=why) for who, why in absent.items()]
    floor, bound = copy.median(), "bandwidth"
    if limits.rate and work.multiply_adds / limits.rate * 1e9 > floor:
        floor, bound = work.multiply_adds / limits.rate * 1e9, limits.rate_of
    lab, part = owner
    return Case(lab, part, work.title, work.bytes, work.multiply_adds, floor, bound, entries)


def _entry(
    who: str, contender: Contender, reference: Contender | None, error: float | None, note: str
) -> Entry:
    ratio = rounds.ratio(contender, reference) if reference else None
    return Entry(who, contender.median(), ratio, contender.rounds(), error, note)
