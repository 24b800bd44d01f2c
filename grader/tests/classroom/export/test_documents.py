"""The formats with a document for each student, for the class, and the zip of pages."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from grader import files
from grader.classroom import export
from grader.classroom.bulk.store import Store
from grader.classroom.course.override import Override
from grader.classroom.export import autolab, feedback, feedback_zip, gradebook
from grader.classroom.export import grades as grading
from grader.classroom.export.cells import CellsError
from grader.schema import write
from grader.tests.classroom.export import runs

SCALED, LATE = round(100 * 60 / 85, 2), round(80 * 60 / 85, 2)
LATENESS = "3 days late, 1 of them without loss: 20 % off: 48.0 of 85 points"
SET = "set to 70 of 100 by the instructor: graded by hand: the file was cut off"
STUDENTS = ("9017", "9018", "9019", "9022", "9023", "9024", "9025")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = runs.make(tmp_path / "run")
    yield store
    store.close()


def rendered(store: Store, form: str, **options: Any) -> dict[str, bytes]:
    formats = {**export.WHOLE, **export.FOLDERS}
    first = dict(formats[form](grading.of(store, **options)))
    assert first == dict(formats[form](grading.of(store, **options))), "the same bytes each time"
    return first


def documents(store: Store, form: str, **options: Any) -> dict[str, Any]:
    written = rendered(store, form, **options).items()
    return {name.split("/")[0]: json.loads(d) for name, d in written if name.endswith(".json")}


def rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode())))


def test_gradescope_documents_have_scores(store: Store) -> None:
    found = documents(store, "gradescope")
    assert {s: found[s].get("score") for s in STUDENTS[:3]} == {
        "9017": SCALED,
        "9018": LATE,
        "9019": 70,
    }
    assert LATENESS in found["9018"]["output"] and SET in found["9019"]["output"]
    assert "That counts as 70.59 of the lab's 100 points" in found["9017"]["output"]
    assert all("score" not in found[student] for student in STUDENTS[3:])
    assert len(found) == len(STUDENTS) + 2, "each member of the group has one"
    assert documents(store, "gradescope", missing="zero")["9022"]["score"] == 0
    assert "score" not in documents(store, "gradescope", unmeasured="blank")["9017"]
    table = rows(rendered(store, "gradescope")["scores.csv"])
    assert table[0] == ["Name", "SID", "Email", "lab3", "lab3 - Max Points"]
    by_id = {row[1]: row[3:] for row in table[1:]}
    assert by_id["S-9018"] == [str(LATE), "100"] and by_id["S-9023"] == ["", ""]
    assert ["'=SUM, Student", "S-9020", "s9020@example.org", str(SCALED), "100"] in table


def test_autolab_documents_have_scores(store: Store) -> None:
    written = rendered(store, "autolab", problem="Correctness")
    lines = written["9018/lab3/autoresult.txt"].decode().splitlines()
    assert json.loads(lines[-1]) == {"scores": {"Correctness": LATE}, "scoreboard": [LATE]}
    shown = json.loads(lines[-2])
    assert shown["_presentation"] == "semantic" and shown["Checks"]["A x"] == {"passed": True}
    assert shown["Checks"]["A y"] == {"passed": False, "hint": "=a <b> c"}
    assert lines[0] == LATENESS
    for student in STUDENTS[3:]:
        assert b"{" not in written[f"{student}/lab3/autoresult.txt"], "no score, not 0"
    table = rows(written["lab3.csv"])
    assert ["s9019@example.org", "70"] in table and len(table) == 5
    assert "9023" not in written["lab3.csv"].decode()
    assert autolab.without_address(grading.of(store)) == []


def test_prairielearn_documents_have_scores(store: Store) -> None:
    found = documents(store, "prairielearn")
    assert (
        found["9018"]["score"] == round(0.8 * 60 / 85, 6) and LATENESS in found["9018"]["message"]
    )
    assert found["9019"]["score"] == 0.7 and SET in found["9019"]["message"]
    assert (
        found["9017"]["tests"][2]["points"] == 0 and found["9017"]["tests"][1]["max_points"] == 60
    )
    for student in STUDENTS[3:]:
        assert found[student]["gradable"] is False and "score" not in found[student]
    assert documents(store, "prairielearn", missing="zero")["9022"]["score"] == 0


def test_json_keeps_to_its_schema(store: Store) -> None:
    for per_check in (False, True):
        document = json.loads(rendered(store, "json", per_check=per_check)["class.json"])
        jsonschema.validate(document, write.schema("convlabs-class/v1"))
        found = {each["student"]: each["grades"][0] for each in document["students"]}
        assert found["9018"]["points"] == 48 and found["9018"]["late_days"] == 3
        assert found["9018"]["earned"] == 60 and found["9018"]["out_of"] == 85
        assert found["9019"]["overridden"] and found["9019"]["points"] == 70
        assert all(found[s]["points"] is None and found[s]["share"] is None for s in STUDENTS[3:])
        assert (found["9017"]["checks"] is not None) == per_check


def test_the_published_schema_is_up_to_date() -> None:
    file = write.FOLDER / write.file_of("convlabs-class/v1")
    assert json.loads(file.read_text()) == write.schema("convlabs-class/v1")


def test_csv_and_its_rows_for_checks(store: Store) -> None:
    table = rows(rendered(store, "csv")[gradebook.NAME])
    late = dict(zip(table[0], next(row for row in table if row[0] == "9018"), strict=True))
    assert late["lab3_score"] == "60" and late["lab3_points"] == "48"
    assert late["lab3_late_days"] == "3" and late["lab3_note"] == LATENESS.partition(": 48")[0]
    checks = rows(rendered(store, "csv", per_check=True)[gradebook.CHECKS])
    assert len(checks) == 1 + 3 * 5
    failed = next(row for row in checks if row[2] == "lab3/A/y")
    assert failed[6:9] == ["fail", "0", "25"] and failed[-1] == "'=a <b> c"


def test_junit_says_the_final_points(store: Store) -> None:
    suites = ElementTree.fromstring(rendered(store, "junit")["junit.xml"])
    notes = [each.get("value") for each in suites.iter("property") if each.get("name") == "note"]
    assert notes == [LATENESS, SET]
    assert {suite.get("tests") for suite in suites} == {"3", "1"}


def test_feedback_says_lateness_and_overrides_to_each_member(store: Store) -> None:
    feedback.write(grading.of(store))
    assert LATENESS in (store.folder / "9018/lab3/feedback.txt").read_text()
    page = (store.folder / "9019/lab3/report.html").read_bytes()
    note = f'<main class=wide><p class="outcome"><strong>{SET}</strong></p>'
    assert note.encode() in page and page.endswith(runs.PAGE[-20:])
    assert (store.folder / "9017/lab3/report.html").read_bytes() == runs.PAGE
    members = [folder.name for folder in store.folder.iterdir() if "90" not in folder.name]
    assert len([name for name in members if name not in (".run", "team")]) == 2
    assert "team" not in members


def test_an_override_in_a_page_is_escaped(store: Store) -> None:
    why = "<img src=x onerror=alert(1)>"
    store.overrides.add(Override("9017", "lab3", 1, why, runs.IN_TIME))
    feedback.write(grading.of(store))
    page = (store.folder / "9017/lab3/report.html").read_bytes()
    assert b"<img" not in page and b"&lt;img src=x" in page


def names(packed: feedback_zip.Packed) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(packed.data)) as archive:
        assert archive.testzip() is None
        assert {each.date_time for each in archive.infolist()} == {files.FIRST_DAY}
        return archive.namelist()


def test_feedback_for_moodle(store: Store) -> None:
    packed = feedback_zip.pack(grading.of(store), "moodle")
    assert packed == feedback_zip.pack(grading.of(store), "moodle")
    found = names(packed)
    assert "Seventeen, Student_9017_assignfeedback_file_report.html" in found
    assert len(found) == packed.pages == 8
    for name in found:  # as importziplib.php takes it apart
        _, number, type_, plugin, file = name.split("_", 4)
        assert number.isdigit() and (type_, plugin, file) == (
            "assignfeedback",
            "file",
            "report.html",
        )
    with zipfile.ZipFile(io.BytesIO(packed.data)) as archive:
        rejected = archive.read("Rejected, Student_9024_assignfeedback_file_report.html")
    assert b"&lt;script&gt; is a link" in rejected and b"<script" not in rejected


def test_feedback_for_canvas(store: Store, tmp_path: Path) -> None:
    download = tmp_path / "download"
    download.mkdir()
    files = ("seventeenstudent_9017_77_constant_mask.cu", "x_LATE_9018_78_my_file-1.cu")
    for name in (*files, "y_9019_link.html", "seventeenstudent_9017_79_other.cu", ".DS_Store"):
        (download / name).touch()
    with zipfile.ZipFile(tmp_path / "download.zip", "w") as archive:
        for path in download.iterdir():
            archive.write(path, path.name)
    for given in (download, tmp_path / "download.zip"):
        packed = feedback_zip.pack(grading.of(store), "canvas", given)
        assert names(packed) == [f"{name}.html" for name in files]
        assert "9019" in packed.left_out and "9022" not in packed.left_out
    wrong: tuple[tuple[Path | None, str], ...] = (
        (None, "add --submissions"),
        (tmp_path, "no files as Canvas names them"),
        (download / files[0], "neither a folder nor a zip"),
    )
    for source, message in wrong:
        with pytest.raises(CellsError, match=message):
            feedback_zip.pack(grading.of(store), "canvas", source)


def test_feedback_for_others(store: Store) -> None:
    found = names(feedback_zip.pack(grading.of(store), "csv"))
    assert "9018/lab3/report.html" in found and len(found) == 8
