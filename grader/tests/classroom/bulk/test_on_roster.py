"""The submissions of a class beside its roster: nobody is guessed, and nobody is lost."""

from datetime import UTC, datetime
from pathlib import Path

from grader.classroom.bulk.intake.collect import collect
from grader.classroom.bulk.intake.discover import download
from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.intake.on_roster import attendance, timed, with_id
from grader.classroom.course.person import Person
from grader.classroom.course.roster import Roster, parse
from grader.model import spec
from grader.tests.classroom.bulk.layouts import samples

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (900)
    Points Possible,,,,,100
"Student17",101,1017,student17@example.org,1,
"山田, 太郎",103,1018,taro,1,
"Żółć, Łukasz",104,1019,lukasz,1,
"Absent, Student",199,1099,absent@example.org,1,
"""


def test_a_canvas_download_and_its_gradebook(tmp_path: Path) -> None:
    entries = download(samples.write(tmp_path, samples.canvas())).entries
    found = attendance(entries, parse(CANVAS.encode()))
    people = {entry.student: entry.people for entry in found.entries}
    assert people["student17_101"][0].email == "student17@example.org"
    assert people["山田太郎_103"] == (Person("山田, 太郎", "", "taro", "1018", "103"),)
    assert [person.name for person in found.missing] == ["Absent, Student"]
    assert "student18_102" in found.strangers and not found.doubtful
    absent = next(e for e in found.entries if e.student == "Absent, Student")
    assert collect(absent, [spec.load("lab1")])["lab1"].missing == "nothing was handed in"
    said = "\n".join(found.lines())
    assert "1 on the roster handed in nothing: Absent, Student (199)" in said
    assert "4 submissions belong to nobody on the roster: student18_102" in said


def test_folders_are_matched_by_whatever_they_are_called() -> None:
    roster = Roster(
        (
            Person("Ann Lee", "ann@example.org", sis="1"),
            Person("Bob Roe", login="bobr"),
            Person("Cy Poe", sis="77"),
            Person("Di Moe"),
        )
    )
    entries = [Entry("ann"), Entry("BOBR"), Entry("77"), Entry("moe, di"), Entry("who")]
    found = attendance(entries, roster)
    assert [e.people for e in found.entries] == [*((p,) for p in roster.people), ()]
    assert (found.missing, found.strangers, found.doubtful) == ([], ["who"], [])


def test_two_that_fit_one_submission_are_not_guessed() -> None:
    roster = Roster((Person("Jane Doe", sis="1"), Person("Doe, Jane", sis="2")))
    found = attendance([Entry("doe jane", people=(Person("doejane"),))], roster)
    assert found.entries[0].people == (Person("doejane"),) and len(found.entries) == 1
    assert not found.missing and not found.strangers
    (line,) = found.lines()
    assert (
        'whose submission is "doe jane"? several people match: Jane Doe (1) or Doe, Jane (2)'
        in line
    )


def test_two_submissions_that_fit_one_person_are_not_guessed() -> None:
    roster = Roster((Person("Jane Doe", sis="1"),))
    entries = [Entry("a", people=(Person("Jane Doe"),)), Entry("b", people=(Person("doe jane"),))]
    found = attendance(entries, roster)
    assert [e.people[0].sis for e in found.entries] == ["", ""]
    assert [why for _, _, why in found.doubtful] == ["several submissions have this name"] * 2
    assert not found.missing


def test_a_number_decides_where_a_name_does_not() -> None:
    roster = Roster((Person("Jane Doe", lms="1"), Person("Jane Doe", lms="2")))
    entries = [Entry("a", people=(Person("doejane", lms="2"),))]
    found = attendance(entries, roster)
    assert found.entries[0].people == (Person("Jane Doe", lms="2"),)
    assert found.missing == [Person("Jane Doe", lms="1")]


def test_every_member_of_a_group_is_present() -> None:
    roster = Roster((Person("A Lee", sis="1"), Person("B Roe", sis="2"), Person("C Poe", sis="3")))
    group = Entry("g", people=(Person("Lee, A", sis="1"), Person("B Roe", sis="2")))
    found = attendance([group], roster)
    assert [person.sis for person in group.people] == ["1", "2"]
    assert [person.sis for person in found.missing] == ["3"]


def test_absent_students_get_unique_ids() -> None:
    roster = Roster(tuple(Person("Same Name", sis=str(n), lms="") for n in range(3)))
    found = attendance([Entry("Same Name", people=(Person("X Y"),))], roster)
    ids = [entry.student for entry in found.entries]
    assert len(set(ids)) == 4 and ids[0] == "Same Name"
    hostile = Roster((Person("../../etc"), Person("=1+1\n"), Person(email="\x1b[31m@x")))
    for entry in attendance([], hostile).entries:
        assert entry.student.isprintable() and "/" not in entry.student
    assert all(line.isprintable() for line in attendance([], hostile).lines())


def test_a_clones_login_may_be_part_of_an_address() -> None:
    roster = Roster((Person("Ann Lee", "annl@example.org"),))
    found = attendance([Entry("lab1-annl", people=(Person(login="annl"),))], roster)
    assert found.entries[0].people[0].name == "Ann Lee" and not found.missing


def test_the_roster_may_state_times() -> None:
    roster = parse(
        b"name,Last modified (submission)\nAnn Lee,2027-03-01 12:00\nBob,-\nCy Poe,yesterday\n"
    )
    said = datetime(2027, 2, 1, tzinfo=UTC)
    entries = [Entry("Ann Lee", submitted=said), Entry("Bob", submitted=said), Entry("Cy Poe")]
    (line,) = timed(attendance(entries, roster).entries, UTC)
    times = [entry.submitted for entry in entries]
    assert times == [datetime(2027, 3, 1, 12, tzinfo=UTC), said, None]
    assert line.startswith('the roster\'s times of these cannot be read: Cy Poe ("yesterday")')


def test_what_id_means_is_seen_in_the_download_or_asked() -> None:
    roster = parse(b"name,id,submitted\nAnn Lee,101,2027-03-01 10:00\nBob Roe,102,\nCy Poe,103,\n")

    def asked(*people: Person) -> tuple[Roster, str]:
        return with_id(roster, [Entry(each.name, people=(each,)) for each in people])

    found, said = asked(Person("annlee", lms="101"), Person("bobroe", lms="102"))
    assert [p.lms for p in found.people] == ["101", "102", "103"] and "2 of 2" in said
    assert found.submitted == {found.people[0]: "2027-03-01 10:00"}
    found, said = asked(Person("annlee", lms="7"), Person("bobroe", lms="8"))
    assert found is roster and said.startswith('what is the roster\'s "id"?')
    assert asked(Person("annlee", sis="101")) == (roster, "")
    assert with_id(parse(CANVAS.encode()), [])[1] == "" == with_id(parse(b"name,sid\nA,1\n"), [])[1]
