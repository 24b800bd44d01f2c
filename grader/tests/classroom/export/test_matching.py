"""Whom a row of a gradebook means where two systems number people each in its own way."""

from grader.classroom.course.person import Person
from grader.classroom.course.students import Student
from grader.classroom.export.matching import match


def student(person: Person) -> Student:
    return Student(person.name, person, ())


def test_an_address_counts_more_than_numbers_of_two_systems() -> None:
    """The class comes from Canvas, the worksheet from Moodle: Ann's number there is Ben's here."""
    ann, ben = Person("Ann Lee", "ann@x", lms="1", sis="A1"), Person("Ben Roe", "ben@x", lms="2")
    students = [student(ann), student(ben)]
    rows = {1: Person("Lee, Ann", "ann@x", lms="2"), 2: Person("Roe, Ben", "ben@x", lms="7")}
    found = match(rows, students)
    assert {row: each.person for row, each in found.students.items()} == {1: ann, 2: ben}
    assert not found.rows and not found.doubtful and not found.absent


def test_a_number_counts_for_one_who_has_another_address_too() -> None:
    students = [student(Person("Ann Lee", "ann@x", lms="1"))]
    assert match({1: Person("Ann Lee", "ann@home", lms="1")}, students).students
    assert not match({1: Person("Cem Kaya", "cem@x", lms="1")}, students).students
    assert not match({1: Person("Ann Lee", "", lms="9")}, students).students
