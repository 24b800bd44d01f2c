"""Rosters (grader/classroom/course/roster.py) and the names in them."""

from collections.abc import Iterator

from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.on_roster import attendance
from grader.classroom.course import student_name
from grader.classroom.course.person import Person
from grader.classroom.course.roster import RosterError, parse
from grader.tests.classroom.course import rosters

ENTRIES = (Entry("ann"), Entry("Lee_1", people=(Person("leeann", lms="77"), Person("Ann Lee"))))


def seeds() -> Iterator[bytes]:
    for text in (rosters.CANVAS, rosters.MOODLE, rosters.GRADESCOPE, rosters.GITHUB):
        yield text.encode()
    yield rosters.TABLE.encode("utf-16")
    yield rosters.TABLE.encode("utf-8-sig").replace(b",", b";")
    yield b'name,name,id\n"a\nb",c,1\n\xff'
    yield b"sep=\n" + b'name\tid\n"' + b"\x1b[31m" * 9 + b'"\t=1+1\n'
    yield "name\nO’Brien, Zoë\nobrienzoe\n한글 이름\n\u202edaeh\n".encode()


def check(data: bytes) -> None:
    try:
        roster = parse(data)
    except RosterError as problem:
        assert str(problem).isprintable()
        return
    assert len(set(roster.people)) == len(roster.people) and Person() not in roster.people
    for person in roster.people[:20]:
        assert person in roster.find(person) or not (
            person.identifiers() or student_name.words(person.name)
        )
    entries = [Entry(e.student, people=e.people) for e in ENTRIES]
    found = attendance(entries, roster)
    assert len({entry.student for entry in found.entries}) == len(found.entries)
    assert all(line.isprintable() for line in found.lines())
    absent = len(found.entries) - len(entries)
    assert absent == len(found.missing) <= len(roster.people)
    for entry in found.entries[len(entries) :]:
        assert not entry.paths and entry.student.isprintable() and "/" not in entry.student
