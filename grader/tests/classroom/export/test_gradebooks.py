"""Canvas's and Moodle's own gradebooks are filled in, and not a byte besides."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.classroom.bulk.store import Store
from grader.classroom.course.attempt import Attempt
from grader.classroom.course.override import Override
from grader.classroom.course.person import Person
from grader.classroom.export import canvas, cells, moodle
from grader.classroom.export import grades as grading
from grader.classroom.export.cells import CellsError
from grader.classroom.export.columns import Filled, names_lab
from grader.tests.classroom.export import runs

SAMPLES = Path(__file__).parent / "samples"
SCALED = f"{100 * 60 / 85:.2f}"  # 60 of the 85 points that were measured, of 100
LATE = f"{80 * 60 / 85:.2f}"  # and 20 % off


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = runs.make(tmp_path / "run")
    yield store
    store.close()


def table(data: bytes, separator: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), ""), delimiter=separator))


def changed(before: bytes, after: bytes, separator: str = ",") -> dict[tuple[int, int], str]:
    """The cells that differ, as another reader of CSV sees them; and the bytes outside of the
    cells must be the same."""
    one, two = table(before, separator), table(after, separator)
    assert [len(row) for row in one] == [len(row) for row in two]
    places = [(r, c) for r, row in enumerate(two) for c in range(len(row)) if row[c] != one[r][c]]
    old = cells.parse(before, "old")
    assert old.filled({}) == before, "nothing to change changes nothing"
    new = cells.parse(after, "new")
    back = {
        (r, c): cell.text
        for r, row in enumerate(old.rows)
        for c, cell in enumerate(row)
        if cell.text != new.rows[r][c].text
    }
    assert new.filled(back).replace(b'""', b"") == before.replace(b'""', b"")
    return {(r, c): two[r][c] for r, c in places}


def canvas_of(store: Store, data: bytes, column: str = "", **options: Any) -> Filled:
    return canvas.fill(grading.of(store, **options), data, "book.csv", column)


def moodle_of(store: Store, data: bytes, column: str = "", **options: Any) -> Filled:
    return moodle.fill(grading.of(store, **options), data, "sheet.csv", column)


def test_canvas_fills_one_column(store: Store) -> None:
    before = (SAMPLES / "canvas.csv").read_bytes()
    filled = canvas_of(store, before)
    members = {(6, 5): SCALED, (7, 5): SCALED}
    expected = {(3, 5): SCALED, (4, 5): LATE, (5, 5): "70", **members}
    assert changed(before, filled.data) == expected
    assert filled.data.startswith(cells.BOM) and filled.data.count(b"\r\n") == before.count(b"\r\n")
    text = "\n".join(filled.lines)
    assert '5 grades, of 100 points, in "Lab 3: constant mask (501)"; 1 cell keeps' in text
    assert "in the gradebook, but not in the run: Other, Nobody; Student, Test" in text
    assert "in the run, but not in the gradebook: 9025" in text


def test_canvas_with_two_columns_of_names_and_semicolons(store: Store) -> None:
    before = (SAMPLES / "canvas_semicolons.csv").read_bytes()
    filled = canvas_of(store, before)
    tenth = f"{600 / 85:.2f}"
    assert changed(before, filled.data, ";") == {(2, 5): tenth, (3, 5): "7"}
    assert b"login9018;A;EX;" in filled.data, "an excused student stays excused"


def test_unmeasured_points_become_zero_or_blank(store: Store) -> None:
    before = (SAMPLES / "canvas.csv").read_bytes()
    zero = changed(before, canvas_of(store, before, unmeasured="zero").data)
    assert zero[3, 5] == "60" and zero[4, 5] == "48" and zero[5, 5] == "70"
    blank = changed(before, canvas_of(store, before, unmeasured="blank").data)
    assert blank == {(5, 5): "70"}, "an override decides those points too"
    lines = grading.warnings(grading.of(store))
    assert "15 of lab3's 100 points were not measured: 4 grades count the 85 that were" in lines
    assert "left blank" in grading.warnings(grading.of(store, unmeasured="blank"))[0]
    assert "not earned" in grading.warnings(grading.of(store, unmeasured="zero"))[0]


def test_only_missing_submissions_become_0(store: Store) -> None:
    before = (SAMPLES / "canvas.csv").read_bytes()
    filled = changed(before, canvas_of(store, before, missing="zero").data)
    assert filled[8, 5] == "0" and (9, 5) not in filled and (10, 5) not in filled
    lines = "\n".join(grading.warnings(grading.of(store, missing="zero")))
    for status, number in (("error", 9023), ("rejected", 9024), ("waiting", 9025)):
        assert f"lab3: no grade, {status} (" in lines and str(number) in lines
    assert "9022" not in lines and "9022" in "\n".join(grading.warnings(grading.of(store)))


def test_students_are_matched_by_what_there_is(tmp_path: Path) -> None:
    """By login, by the name of a folder, and by names as Canvas's download writes them."""
    store = Store(tmp_path / "run", resume=False)
    people = {
        "a": Person(login="Login9017"),
        "S-9018": Person(),
        "łąkowastudentka": Person(name="łąkowastudentka"),
        "Student Missing": Person(),
        "Student Error": Person(name="Student Error", lms="1"),  # somebody else of that name
    }
    for id_, person in people.items():
        known = (person,) if person != Person() else ()
        runs.add(store, id_, known, Attempt(id_, "lab3", "waiting", runs.KEY, ""), None)
    store.save_grade(runs.KEY, "lab3", msgspec.json.encode(runs.result()), b"")
    before = (SAMPLES / "canvas.csv").read_bytes()
    filled = canvas_of(store, before)
    assert {row for row, _ in changed(before, filled.data)} == {3, 4, 5, 8}
    assert "in the run, but not in the gradebook: Student Error" in "\n".join(filled.lines)
    store.close()


def test_two_of_the_same_name_get_no_grade_of_the_other(tmp_path: Path) -> None:
    store = Store(tmp_path / "run", resume=False)
    for id_, login in (("a", "x"), ("b", "y")):
        row = Attempt(id_, "lab3", "waiting", runs.KEY, "")
        runs.add(store, id_, (Person(name="Student Seventeen", login=login),), row, None)
    store.save_grade(runs.KEY, "lab3", msgspec.json.encode(runs.result()), b"")
    before = (SAMPLES / "canvas.csv").read_bytes()
    filled = canvas_of(store, before)
    assert filled.data == before
    assert "more than one student fits: Seventeen, Student" in "\n".join(filled.lines)
    store.close()


BOOK = "Student,ID,Section,{}\n    Points Possible,,,{}\nSeventeen Student,9017,A,{}\n"


def book(*titles: str, possible: str = "100") -> bytes:
    count = len(titles)
    commas = "," * (count - 1)
    return BOOK.format(",".join(titles), ",".join([possible] * count), commas).encode()


@pytest.mark.parametrize(
    ("data", "column", "message"),
    [
        (b"", "", "not a Canvas gradebook"),
        (b"a,b\n1,2\n", "", "not a Canvas gradebook"),
        (b"PK\x03\x04\0\0", "", "not CSV in UTF-8"),
        (book("Lab 3 (1)").decode().encode("utf-16"), "", "UTF-16"),
        (book("Lab 3 (1)", "Caf\u00e9 (2)").decode().encode("latin-1"), "", "line 1.*Latin-1"),
        (book("Quiz (1)", "Lab 4 (2)"), "", r'no column names lab3.*"Quiz \(1\)", "Lab 4 \(2\)"'),
        (book("Lab 3 (1)", "Lab 03 draft (2)"), "", "more than one column may be lab3"),
        (book("Lab 3 (1)"), "Lab 5", 'no column is called "Lab 5"'),
        (book("Lab 3 (1)", "Lab 3 (2)"), "Lab 3", "more than one column is"),
        (book("Lab 3 (1)") + b"Other,9017,A,\n", "", "lines 3 and 4 are the same student"),
        (book("Lab 3 (1)") + b"Short,9018\n", "", "line 4: 2 cells, but the first line has 4"),
        (book("Lab 3 (1)") + b'"Open,9018,A,\n', "", "line 4: a quoted cell does not end"),
        (book("Lab 3 (1)", possible="(read only)"), "", "no column names lab3"),
    ],
)
def test_canvas_refuses_what_it_cannot_fill(
    store: Store, data: bytes, column: str, message: str
) -> None:
    with pytest.raises(CellsError, match=message):
        canvas_of(store, data, column)


@pytest.mark.parametrize(
    ("data", "column", "text"),
    [
        (book("Final exercise (1)"), "Final exercise", SCALED),
        (book("Final exercise (1)"), "Final exercise (1)", SCALED),
        (book("constant mask (7)", "Lab 31 (8)"), "", SCALED),
        (book("Lab 3"), "", SCALED),  # without an id, as an instructor writes a new column
        (book("Lab 3 (1)", possible='"10,0"'), "", f"{600 / 85:.2f}"),
        (book("Lab 3 (1)").replace(b"    Points Possible,,,100\n", b""), "", SCALED),
        (book("Lab 3 (1)").replace(b"\n", b"\r"), "", SCALED),
        (book("Lab 3 (1)").replace(b"\n", b"\r\n\r\n"), "", SCALED),
    ],
)
def test_canvas_accepts_odd_gradebooks(store: Store, data: bytes, column: str, text: str) -> None:
    filled = canvas_of(store, data, column)
    assert len(filled.data) == len(data) + len(text) and text.encode() in filled.data


def test_missing_points_possible_are_reported(store: Store) -> None:
    data = book("Lab 3 (1)").replace(b"    Points Possible,,,100\n", b"")
    assert 'has no "Points Possible"' in "\n".join(canvas_of(store, data).lines)


def test_unmatched_rows_come_first_with_the_nearest_student_and_the_columns(store: Store) -> None:
    """The roster's "id", S-9017, against a gradebook that has another number in that column."""
    head = b"Student,ID,SIS User ID,SIS Login ID,Section,Lab 3 (1)\n"
    rows = "Student Seventeen,1,77,,1,\n学生 太郎,2,78,login9018,1,\nBob Roe,3,79,bob,1,\n"
    lines = canvas_of(store, head + rows.encode()).lines
    assert lines[0] == "in the gradebook, but not in the run: Student Seventeen, 学生 太郎, Bob Roe"
    said = (
        'line 2, "Student Seventeen": the nearest in the run is "9017": the same name; the LMS\'s '
        'number is "1" here and "9017" there; the school\'s number is "77" here and "S-9017" there'
    )
    assert said in lines and not any('line 4, "Bob' in line for line in lines)
    table = [line.split()[-3:] for line in lines[lines.index(said) :] if line[-1:].isdigit()]
    assert table == [["2", "0", "2"], ["2", "0", "2"], ["1", "1", "0"], ["2", "2", "0"]]
    assert lines[-1].startswith("lab3: 0 grades")


def test_one_column_that_contradicts_does_not_undo_two_that_agree(store: Store) -> None:
    head = b"Student,ID,SIS User ID,SIS Login ID,Section,Lab 3 (1)\n"
    rows = "Seventeen Student,9017,77,,1,\n太郎 学生,,78,login9018,1,\nCem Kaya,9019,79,x,1,\n"
    filled = canvas_of(store, head + rows.encode())
    assert [row[5] for row in table(filled.data)[1:]] == [SCALED, LATE, ""]
    assert not any("contradicted" in line for line in filled.lines[:1])


def test_number_of_the_lms_in_the_roster_s_id_is_named(store: Store) -> None:
    head = b"Student,ID,SIS User ID,SIS Login ID,Section,Lab 3 (1)\n"
    lines = canvas_of(store, head + b"Anybody,S-9017,77,,1,\n").lines
    assert any(line.startswith("1 row has as the LMS's number what the run has") for line in lines)


@pytest.mark.parametrize(
    "title", ["Lab 3", "lab3", "LAB_03: masks", "Week 5, Lab 3", "Constant mask"]
)
def test_a_title_names_the_lab(title: str) -> None:
    assert names_lab(title, "lab3")


@pytest.mark.parametrize("title", ["Lab 30", "Lab 13", "Collab 3", "3", "Lab", "Lab 4 (after 3)"])
def test_a_title_does_not_name_the_lab(title: str) -> None:
    assert not names_lab(title, "lab3")


def test_moodle_fills_grade_and_comment(store: Store) -> None:
    before = (SAMPLES / "moodle.csv").read_bytes()
    filled = moodle_of(store, before)
    found = changed(before, filled.data)
    grades = {row: text for (row, column), text in found.items() if column == 4}
    assert grades == {1: SCALED, 2: LATE, 3: "70", 4: SCALED, 5: SCALED}
    assert {column for _, column in found} == {4, 9}
    assert "3 days late, 1 of them without loss: 20 % off: 48.0 of 85 points" in found[2, 9]
    assert found[3, 9].startswith("lab3: 70 of 100 points (set to 70 of 100 by the instructor")
    assert "15 points need a GPU" in found[1, 9]
    assert "in the gradebook, but not in the run: Nobody Other" in filled.lines


def test_moodle_where_marking_is_blind(store: Store) -> None:
    before = (SAMPLES / "moodle_blind.csv").read_bytes()
    found = changed(before, moodle_of(store, before).data)
    assert found[1, 2] == f"{600 / 85:.2f}" and found[2, 2] == f"{480 / 85:.2f}"


def test_a_comment_runs_nothing(store: Store) -> None:
    why = '=1+1 <script>alert(1)</script>\nsecond, "line"'
    store.overrides.add(Override("9017", "lab3", 1, why, runs.IN_TIME))
    before = (SAMPLES / "moodle.csv").read_bytes()
    text = changed(before, moodle_of(store, before).data)[1, 9]
    assert "<" not in text and "&lt;script&gt;" in text and text[0] == "l" and "\n" not in text


@pytest.mark.parametrize(
    ("data", "column", "message"),
    [
        (b"", "", "not a Moodle grading worksheet"),
        (book("Lab 3 (1)"), "", "not a Moodle grading worksheet"),
        (b"Identifier,Note\nParticipant 9017,\n", "", 'no column "Grade".*Identifier, Note'),
        (b"Identifier,Grade\nParticipant 9017,\n", "Note", 'no column "Note"'),
        (b"Identifier,Grade\nParticipant 1,\nParticipant 1,\n", "", "lines 2 and 3"),
        (b"Identifier,Grade\nParticipant 9017\n", "", "line 2: 1 cells"),
    ],
)
def test_moodle_refuses_what_it_cannot_fill(
    store: Store, data: bytes, column: str, message: str
) -> None:
    with pytest.raises(CellsError, match=message):
        moodle_of(store, data, column)


def test_moodle_in_another_language_and_without_a_maximum(store: Store) -> None:
    data = b"ID,Bewertung\nTeilnehmer/in9017,\n"
    filled = moodle_of(store, data, "Bewertung")
    assert filled.data == data[:-1] + SCALED.encode() + b"\n"
    assert any("no maximum grade" in text for text in filled.lines)
