"""Who is in the class, and which submissions count for whom."""

from collections.abc import Iterable
from dataclasses import dataclass

from grader.classroom.course import student_id
from grader.classroom.course.attempt import HandIn
from grader.classroom.course.person import Person
from grader.classroom.course.settings import Course, Group


@dataclass(frozen=True)
class Student:
    """One student, and the submissions that count for this student."""

    id: str  # names the folder of what the student gets back
    person: Person
    submissions: tuple[HandIn, ...]

    def names(self) -> frozenset[str]:
        """Whatever course.toml, a command or another program may call the student."""
        own = {s.student for s in self.submissions if len(s.people) <= 1}
        return frozenset(own | {self.id, self.person.name, *self.person.identifiers()} - {""})


@dataclass
class _Member:
    """A student while the class is put together. own: the id, unless another one has it."""

    own: str
    person: Person
    submissions: list[HandIn]


class _Class:
    """The members of a class, each once."""

    def __init__(self) -> None:
        self.members: list[_Member] = []
        self._known: dict[tuple[str, str], _Member] = {}  # by each identifier
        self._named: dict[str, list[_Member]] = {}

    def add(self, submission: HandIn, person: Person) -> None:
        """A person who gets the grade of a submission."""
        identifiers = _identifiers(person)
        alone = len(submission.people) <= 1
        own = submission.student if alone else student_id.of_name(_shown(person))
        member = next((self._known[i] for i in identifiers if i in self._known), None)
        if member is None:
            member = _Member(own, person, [])
            self.members.append(member)
        if submission not in member.submissions:
            member.submissions.append(submission)
        self._known.update(dict.fromkeys(identifiers, member))
        for name in (own, person.name, *person.identifiers()):
            self._named.setdefault(name, []).append(member)

    def share(self, group: Group, submissions: list[HandIn]) -> None:
        """What a member of a group hands in counts for all of it."""
        theirs = [member for name in group.students for member in self._named.get(name, ())]
        shared = [s for s in submissions if any(s in member.submissions for member in theirs)]
        for member in theirs:
            member.submissions = shared


def students(submissions: Iterable[HandIn], course: Course) -> list[Student]:
    """Everybody who handed in, or is expected to, in the order of their ids. What a member of a
    group hands in counts for all of it."""
    submissions = list(submissions)
    whole = _Class()
    for submission in submissions:
        for person in submission.people or (Person(),):
            whole.add(submission, person)
    for group in course.group:
        whole.share(group, submissions)
    ids = _unique([member.own for member in whole.members])
    found = [
        Student(unique, member.person, tuple(member.submissions))
        for unique, member in zip(ids, whole.members, strict=True)
    ]
    return sorted(found, key=lambda student: student.id)


def _unique(names: list[str]) -> list[str]:
    """The names; behind one that was there before, a number: two members of groups may have it."""
    taken: dict[str, None] = {}
    for own in names:
        number, unique = 2, own
        while unique in taken:
            unique, number = f"{own} ({number})", number + 1
        taken[unique] = None
    return [*taken]


def matching(everybody: Iterable[Student], name: str) -> list[Student]:
    """The students whom a name, an address or a number means; more than one if it is doubtful."""
    everybody = list(everybody)
    exact = [student for student in everybody if student.id == name]
    return exact or [student for student in everybody if name in student.names()]


def strangers(course: Course, everybody: Iterable[Student]) -> list[str]:
    """The names in course.toml that mean no student of the run: perhaps a slip."""
    known = {name for student in everybody for name in student.names()}
    named = [each.student for each in course.extension]
    named += [take.student for take in course.take]
    named += [name for group in course.group for name in group.students]
    return [name for name in dict.fromkeys(named) if name not in known]


def _identifiers(person: Person) -> list[tuple[str, str]]:
    """What tells the person from others, each with its kind: numbers of two kinds may be equal."""
    kinds = {"lms": person.lms, "sis": person.sis, "login": person.login, "email": person.email}
    return [(kind, text) for kind, text in kinds.items() if text]


def _shown(person: Person) -> str:
    return person.name or next(iter(person.identifiers()), "student")
