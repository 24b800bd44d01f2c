"""Who a row of a gradebook is: matches the people of a table with the students of a run.

What identifies a person is tried from the strongest to the weakest: the number of the learning
management system, the school's number, the login or address, the name. A name counts only where it
means one student and one row, and nothing stronger says that they are two people.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

from grader.classroom.course import student_name
from grader.classroom.course.person import Person
from grader.classroom.course.students import Student

KINDS = ("lms", "sis", "login")


@dataclass
class Matches:
    """The students by row, and who is left over on either side."""

    students: dict[int, Student] = field(default_factory=dict)
    rows: list[int] = field(default_factory=list)  # that no student fits
    doubtful: list[int] = field(default_factory=list)  # that more than one fits
    absent: list[Student] = field(default_factory=list)  # in no row
    twice: list[tuple[int, int, str]] = field(default_factory=list)  # two rows of one person


def match(people: dict[int, Person], students: list[Student]) -> Matches:
    """people: whom each row means."""
    matches = Matches(twice=_twice(people))
    left = dict(people)
    for kind in KINDS:
        _step(matches, left, students, partial(_row_keys, kind=kind), partial(_own, kind=kind))
    _step(matches, left, students, lambda p: names(p.name), _names)
    matched = {student.id for student in matches.students.values()}
    matches.rows = [row for row in left if row not in matches.doubtful]
    matches.absent = [student for student in students if student.id not in matched]
    return matches


def _step(
    matches: Matches,
    left: dict[int, Person],
    students: list[Student],
    of_row: Callable[[Person], frozenset[str]],
    of_student: Callable[[Student], frozenset[str]],
) -> None:
    """Matches by one kind of key; takes the rows that it matched out of `left`."""
    taken = {student.id for student in matches.students.values()}
    by_key: dict[str, list[Student]] = defaultdict(list)
    for student in students:
        if student.id not in taken:
            for key in of_student(student):
                by_key[key].append(student)
    fits = {}
    for row, person in left.items():
        found = {s.id: s for key in of_row(person) for s in by_key.get(key, ())}
        fits[row] = [s for s in found.values() if not _contradicts(person, s.person)]
    counts = Counter(student.id for fitting in fits.values() for student in fitting)
    for row, fitting in fits.items():
        if len(fitting) == 1 and counts[fitting[0].id] == 1:
            matches.students[row] = fitting[0]
            del left[row]
            if row in matches.doubtful:
                matches.doubtful.remove(row)
        elif fitting and row not in matches.doubtful:
            matches.doubtful.append(row)


def _contradicts(one: Person, other: Person) -> bool:
    """Are they two people: do as many columns say so as say that they are one? An address is one
    person's, while two systems may give one person two numbers, and one number to two people."""
    mine, theirs = _addresses(one), _addresses(other)
    if mine & theirs:
        return False
    if mine and theirs and student_name.contradict(one.name, other.name):
        return True
    agreed = agreement(one, other)
    differ = sum(agreed.get(kind) is False for kind in ("lms", "sis"))
    return 0 < differ >= sum(agreed.values())


def agreement(one: Person, other: Person) -> dict[str, bool]:
    """Of each kind that both have, in the order of KINDS and then "name": is it the same?"""
    found = {}
    for kind in KINDS:
        mine, theirs = _row_keys(one, kind), _row_keys(other, kind)
        alike = {"@" in text for text in mine} & {"@" in text for text in theirs}
        if mine & theirs or alike:
            found[kind] = bool(mine & theirs)
    if names(one.name) and names(other.name):
        found["name"] = bool(names(one.name) & names(other.name))
    return found


def _addresses(person: Person) -> set[str]:
    return {text.strip().casefold() for text in (person.email, person.login) if "@" in text}


def _row_keys(person: Person, kind: str) -> frozenset[str]:
    values = (person.login, person.email) if kind == "login" else (getattr(person, kind),)
    return frozenset(value.strip().casefold() for value in values if value.strip())


def _own(student: Student, kind: str) -> frozenset[str]:
    """What a student is known by, of one kind. One of whom only the folder's name is known, may be
    known by that."""
    known = _row_keys(student.person, kind)
    by_folder = not known and not student.person.identifiers()
    return frozenset({student.id.casefold()}) if by_folder else known


def _names(student: Student) -> frozenset[str]:
    return names(student.person.name or student.id)


def names(name: str) -> frozenset[str]:
    """The keys of a name: its words in any order, and written as one as in Canvas's downloads:
    "Family, Given", "Given Family" and "familygiven" have one in common with each other."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    family, comma, given = plain.partition(",")
    orders = (f"{family} {given}", f"{given} {family}") if comma else (plain,)
    words = [re.findall(r"[^\W_]+", order) for order in orders]
    keys = {" ".join(sorted(words[0])), *("".join(each) for each in words)}
    return frozenset(keys - {""})


def _twice(people: dict[int, Person]) -> list[tuple[int, int, str]]:
    """Rows with the same strong identifier: one of them would silently get the other's grade."""
    found: dict[tuple[str, str], int] = {}
    pairs = []
    for row, person in people.items():
        for kind in KINDS:
            value = str(getattr(person, kind)).strip().casefold()
            if value and (kind, value) in found:
                pairs.append((found[kind, value], row, str(getattr(person, kind))))
                break
            if value:
                found[kind, value] = row
    return pairs


def shown(people: Iterable[Person]) -> list[str]:
    """The people as a message names them."""
    return [each.name or next(iter(each.identifiers()), "a row without a name") for each in people]
