"""Rosters of many programs and encodings, and whom of them a download means."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.course import student_name
from grader.classroom.course.person import Person
from grader.classroom.course.roster import Roster, RosterError, load, merged, parse
from grader.tests.classroom.course.rosters import (
    AUTOLAB,
    CANVAS,
    CLASSROOM50,
    GITHUB,
    GRADESCOPE,
    MOODLE,
    PARTICIPANTS,
    TABLE,
)

ANN = Person("Ann Lee", "ann@example.org", "annl", "1001", "")


def test_roster_reads_canvas_export() -> None:
    ann, taro = parse(CANVAS.encode()).people
    assert ann == Person("Lee, Ann", "", "annl", "1001", "77")
    assert taro == Person("山田, 太郎", "taro@example.org", "taro@example.org", "1002", "78")


def test_roster_reads_moodle_export() -> None:
    ann, lukasz = parse(MOODLE.encode()).people
    assert ann == Person("Ann Lee", "ann@example.org", "", "1001", "501")
    assert lukasz.lms == "502" and lukasz.name == "Łukasz Żółć"


@pytest.mark.parametrize(
    ("text", "person"),
    [
        (PARTICIPANTS, Person("Ann Lee", "ann@example.org", sis="1001")),
        (GRADESCOPE, Person("Ann Lee", "ann@example.org", sis="1001")),
        (AUTOLAB, Person("Ann Lee", "ann@example.org")),
        (CLASSROOM50, Person("Ann Lee", login="annl")),
        (GITHUB, Person("Lee, Ann", login="annl")),
        (TABLE, ANN),
        ("\n\n" + TABLE, ANN),
        ("LOGIN , E-Mail,ID,NAME\nannl, ann@example.org ,1001,Ann Lee\n,,,\n", ANN),
        ('name;email;login;id\n"Ann Lee";ann@example.org;annl;"1001"\n', ANN),
        ("name\temail\tlogin\tid\nAnn Lee\tann@example.org\tannl\t1001", ANN),
        ("sep=;\r\nname;email;login;id\r\nAnn Lee;ann@example.org;annl;1001\r\n", ANN),
        ('name,email,login,id\nAnn Lee,ann@example.org,annl,"=""1001"""\n', ANN),
        ("name,email,login,id,more\nAnn Lee,ann@example.org,annl,1001\n", ANN),
        ("email\nann@example.org\n", Person(email="ann@example.org")),
    ],
)
def test_roster_columns_fill_the_person(text: str, person: Person) -> None:
    assert parse(text.encode()).people == (person,)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_roster_reads_common_encodings(encoding: str) -> None:
    assert [p.name for p in parse("name,id\nŁukasz 山田,1\n".encode(encoding)).people] == [
        "Łukasz 山田"
    ]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is empty"),
        (b"\n , \n", "is empty"),
        (b"Ann Lee,ann@example.org\nBob Roe,bob@example.org\n", "no column that tells"),
        ("name\nZoë\n".encode("latin-1"), 'save it as "CSV UTF-8"'),
        (b'name\n"' + b"x" * 200_000 + b'"\n', "is not a CSV file"),
        (b"PK\x03\x04\xff\xfe", "UTF-8"),
    ],
)
def test_invalid_roster_gives_the_reason(data: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_bytes(data)
    with pytest.raises(RosterError, match=problem) as error:
        load(tmp_path / "roster.csv")
    assert str(error.value).startswith(str(tmp_path / "roster.csv"))


def test_missing_roster_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.csv"):
        with pytest.raises(RosterError):
            load(path)


# ---------------------------------------------------------------- names

SAME = [
    ("Doe, Jane", "Jane Doe"),
    ("doejane", "Doe, Jane"),
    ("DOE Jane", "jane doe"),
    ("Żółć, Łukasz", "Lukasz Zolc"),
    ("O'Brien, Zoë", "Zoe OBrien"),
    ("obrienzoe", "O’Brien, Zoë"),
    ("山田 太郎", "山田太郎"),
    ("Anne-Marie Roe", "Roe, Anne Marie"),
    ("roeannemarie", "Roe, Anne-Marie"),
    ("Zoe\u0308", "Zoë"),
    ("Strauß", "STRAUSS"),
]
OTHER = [
    ("Jane Doe", "Jane Roe"),
    ("Jane Doe", "Jane M. Doe"),
    ("An Na Lee", "Anna Lee"),
    ("", ""),
    ("Jane", ""),
    ("कमल", "कमला"),
    ("...", "!!!"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equivalent_names_match(one: str, other: str) -> None:
    assert student_name.same(one, other) and student_name.same(other, one)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_different_names_do_not_match(one: str, other: str) -> None:
    assert not student_name.same(one, other) and not student_name.same(other, one)


# ---------------------------------------------------------------- whom a download means

BOB = Person("Bob Roe", "bob@example.org", "bobr", "1002", "78")
JANE, JANE2 = Person("Doe, Jane", sis="1", lms="11"), Person("Jane Doe", sis="2", lms="12")
ROSTER = Roster((ANN, BOB, JANE, JANE2))


@pytest.mark.parametrize(
    ("person", "fits"),
    [
        (Person("annlee"), (ANN,)),
        (Person("someone else", sis="1001"), ()),  # a number of another system
        (Person("someone else", email="ANN@example.org"), (ANN,)),
        (Person("", email="ANN@Example.org"), (ANN,)),
        (Person("Robert Roe", sis="1002"), (BOB,)),
        (Person("roebob", lms="78"), (BOB,)),
        (Person("roebob", lms="79"), ()),  # another Bob Roe of the same system
        (Person("Jane Doe"), (JANE, JANE2)),
        (Person("Jane Doe", lms="12"), (JANE2,)),
        (Person("", sis="1", lms="12"), (JANE, JANE2)),  # numbers that contradict each other
        (Person("Nobody"), ()),
        (Person(), ()),
        (Person("", login="bob@example.org"), (BOB,)),
        (Person("山田 太郎", sis="1001"), (ANN,)),  # another script contradicts nothing
    ],
)
def test_find_returns_the_students_that_fit(person: Person, fits: tuple[Person, ...]) -> None:
    assert ROSTER.find(person) == fits


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        *(("annl", (ANN,)), ("ANN", (ANN,)), ("1002", (BOB,)), ("Roe Bob", (BOB,))),
        *(("jane doe", (JANE, JANE2)), ("11", (JANE,)), ("", ()), ("lab1-annl", ())),
    ],
)
def test_find_text_returns_the_students_that_fit(text: str, fits: tuple[Person, ...]) -> None:
    assert ROSTER.find_text(text) == fits


def test_merged_keeps_the_rosters_words() -> None:
    both = merged(Person("Lee, Ann", sis="1001"), Person("leeann", "a@b", lms="77"))
    assert both == Person("Lee, Ann", "a@b", "", "1001", "77")


def test_equal_rows_count_once_and_namesakes_stay_two() -> None:
    assert len(parse(b"name,id\nAnn,1\nAnn,1\nAnn,2\n").people) == 2


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=20)


@given(st.lists(cells.filter(lambda text: bool(text.strip())), min_size=1, max_size=5))
def test_any_name_that_a_roster_has_is_found(names: list[str]) -> None:
    people = tuple(Person(name, sis=str(number)) for number, name in enumerate(names))
    roster = Roster(people)
    for person in people:
        fits = roster.find(Person(name=person.name))
        assert person in fits or not student_name.words(person.name)
        assert roster.find(Person(sis=person.sis)) == (person,)


@given(st.text(), st.text())
def test_name_comparison_is_symmetric(one: str, other: str) -> None:
    assert student_name.same(one, other) == student_name.same(other, one)
    assert student_name.same(one, one) == bool(student_name.words(one))


def test_line_of_the_first_time_without_offset() -> None:
    head = "name,submitted\n"
    roster = parse(
        f'sep=,\n\n{head}"Ann\nLee",2027-03-01 10:00Z\n\nBob,2027-03-01 10:00\n'.encode()
    )
    assert roster.without_zone() == (7, "2027-03-01 10:00")
    assert (
        parse(f"{head}Ann,2027-03-01 10:00 +0900\nBob,-\nCy,soon\n".encode()).without_zone() is None
    )
