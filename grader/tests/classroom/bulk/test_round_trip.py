"""A class from the LMS and back: its download through `./grade bulk`, its own gradebook through
`./grade export`, read back by the format's documentation and not by the grader's own code."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured
from grader.tests.classroom.bulk import lms_class
from grader.tests.classroom.bulk.lms_class import (
    GROUP,
    HALF,
    LATE,
    MISSING,
    NUMBERS,
    REJECTED,
    RIGHT,
    Lms,
)
from grader.tests.classroom.bulk.test_bulk import bulk, rows, sandboxed

pytestmark = sandboxed
POSSIBLE = 100


class Trip:
    """One LMS's class, graded."""

    def __init__(self, lms: Lms, home: Path) -> None:
        self.lms, self.home, self.run = lms, home, home / "run"
        lms.write(home)
        done = bulk(
            home / "download", self.run, "--no-html", "--roster", str(home / lms.roster),
            "--course", str(home / "course.toml"),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert f"grade: {lms.recognized}" in done.stderr and "names nobody" not in done.stderr
        self.graded = rows(self.run)

    def export(self, *options: str) -> str:
        """What `./grade export` says; its file is `out`."""
        argv = [str(paths.ROOT / "grade"), "export", str(self.run), "--format", self.lms.form]
        argv += ["--out", str(self.home / "out"), *options]
        done = captured.run(argv)
        assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
        return done.stderr

    @property
    def out(self) -> Path:
        return self.home / "out"

    def row(self, status: str, full: bool = True) -> dict[str, str]:
        """A row of the run's own gradebook with such a score, as it was graded."""
        return next(
            row
            for row in self.graded.values()
            if row["lab1_status"] == status
            and (not row["lab1_max"] or (row["lab1_score"] == row["lab1_max"]) == full)
        )

    def points(self, missing: float | None = None) -> dict[int, float | None]:
        """What each student must have, of 100: the measured points count for all."""
        half = self.row("graded", full=False)
        share = float(half["lab1_score"]) / float(half["lab1_max"])
        assert 0 < share < 1 and self.row("graded")["lab1_max"] == "70"
        late = 1 - 0.1 * self.lms.late_days
        found: dict[int, float | None] = {RIGHT: 100.0, LATE: round(100 * share * late, 2)}
        found |= dict.fromkeys(GROUP, round(100 * share, 2))
        return found | {MISSING: missing, REJECTED: None}


@pytest.fixture(scope="module", params=lms_class.ALL, ids=lambda lms: lms.name)
def trip(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trip:
    return Trip(request.param, tmp_path_factory.mktemp(request.param.name))


def text_of(points: float | None) -> str:
    return "" if points is None else f"{points:.2f}".rstrip("0").rstrip(".")


@pytest.mark.slow("a class is graded for each LMS")
def test_every_grade_arrives_and_nothing_else_changes(trip: Trip) -> None:
    expected = trip.points()
    if trip.lms.form in ("gradescope", "autolab"):
        trip.export()
        assert lms_class.read_folder(trip.lms, trip.out) == expected
        return
    told = trip.export("--gradebook", str(trip.home / "book.csv"))
    data = trip.out.read_bytes()
    table = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    comments = lms_class.comments(trip.lms, table)
    texts = {number: text_of(points) for number, points in expected.items()}
    assert data == trip.lms.book(texts, comments), "every other byte is the instructor's"
    assert lms_class.read_book(trip.lms, table) == expected
    assert "not in the run" not in told and "but not in the gradebook" not in told
    for comment in comments.values():
        assert "<" not in comment and "\n" not in comment and not comment.startswith("=")


@pytest.mark.slow("a class is graded for each LMS")
def test_unmeasured_points_never_become_0(trip: Trip) -> None:
    nothing = dict.fromkeys(NUMBERS)
    if trip.lms.form in ("gradescope", "autolab"):
        trip.export("--unmeasured", "blank")
        assert lms_class.read_folder(trip.lms, trip.out) == nothing
        return
    book = trip.home / "book.csv"
    told = trip.export("--gradebook", str(book), "--unmeasured", "blank")
    assert trip.out.read_bytes() == book.read_bytes()
    assert "points were not measured" in told and "left blank" in told


@pytest.mark.slow("a class is graded for each LMS")
def test_only_missing_submissions_get_0_and_only_on_request(trip: Trip) -> None:
    book = ["--gradebook", str(trip.home / "book.csv")]
    trip.export("--missing", "zero", *(book if trip.lms.form in ("canvas", "moodle") else []))
    if book and trip.lms.form in ("gradescope", "autolab"):
        found = lms_class.read_folder(trip.lms, trip.out)
    else:
        text = trip.out.read_text(encoding="utf-8-sig")
        found = lms_class.read_book(trip.lms, list(csv.reader(io.StringIO(text, newline=""))))
    assert found == trip.points(missing=0.0)


@pytest.mark.slow("a class is graded for each LMS")
def test_the_feedback_finds_its_students(trip: Trip) -> None:
    book = ["--gradebook", str(trip.home / "book.csv")]
    options = book if trip.lms.form in ("canvas", "moodle") else []
    if trip.lms.form == "canvas":
        options = [*options, "--submissions", str(trip.home / "download")]
    trip.export("--feedback", str(trip.home / "f.zip"), *options)
    with zipfile.ZipFile(trip.home / "f.zip") as archive:
        pages = {info.filename: archive.read(info).decode() for info in archive.infolist()}
    found = lms_class.read_feedback(trip.lms, list(pages))
    # A member of a group who did not upload has no file that Canvas would know again.
    without = {MISSING} | ({GROUP[1]} if trip.lms.form == "canvas" else set())
    if found:
        assert set(found) == set(NUMBERS) - without
        assert "<script" not in pages[found[REJECTED]]
        assert "rejected" in pages[found[REJECTED]] and "rejected" not in pages[found[RIGHT]]
    else:
        assert len(pages) == len(NUMBERS) - 1
    for name in pages:
        assert name.isprintable() and ".." not in name and not name.startswith(("/", ".", "~"))


@pytest.mark.slow("a class is graded for each LMS")
def test_hostile_names_are_neutralized(trip: Trip) -> None:
    """Formulas, HTML and marks that turn text round, in what the run and the export write."""
    text = (trip.run / "gradebook.csv").read_text(encoding="utf-8")
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
    assert "\u202e" not in text
    told = trip.export(*lms_class.needed(trip.lms, trip.home))
    assert "\u202e" not in told and "\x1b" not in told
    if trip.out.is_dir():
        for file in (f for f in trip.out.rglob("*") if f.is_file()):
            content = file.read_text(encoding="utf-8")
            assert "\u202e" not in content and "\u202e" not in str(file)
            for line in content.splitlines() if file.suffix == ".csv" else ():
                assert not line.startswith(("=", '"='))
            if file.suffix == ".json":
                json.loads(content)


def test_half_solution_differs_from_the_solution() -> None:
    assert HALF != lms_class.SOLUTION and "correlate_rows" in HALF
