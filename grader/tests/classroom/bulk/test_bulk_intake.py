"""`./grade bulk` from a download to a gradebook: what it says, whom it misses, how it resumes."""

import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from grader.classroom.commands.bulk_progress import Bar
from grader.tests.classroom.bulk.layouts import samples
from grader.tests.classroom.bulk.test_bulk import bulk, command, few, rows, solution

ROSTER = """\
Student,ID,SIS User ID,SIS Login ID,Section
"Student17",101,1017,student17@example.org,1
"Absent, Student",199,1099,absent@example.org,1
"""


def class_of_canvas() -> samples.Tree:
    right = solution().encode()
    return {
        "student17_101_9001_cpu_loop.c": right,
        "student18_LATE_102_9003_cpu_loop-1.c": right,
        "student19_103_9004_Cpu_Loop.c": right,
        "student20_104_9005_work.zip": samples.BROKEN,
    }


@pytest.mark.slow("classes are graded from their downloads")
@pytest.mark.parametrize("form", ["unzipped", "zip"])
def test_a_download_is_graded_as_it_is(form: str, tmp_path: Path) -> None:
    where = tmp_path / "class.zip"
    if form == "zip":
        where.write_bytes(samples.zipped(class_of_canvas()))
    else:
        where = samples.write(tmp_path / "in", class_of_canvas())
    (tmp_path / "roster.csv").write_text(ROSTER)
    done = bulk(where, tmp_path / "run", "--roster", str(tmp_path / "roster.csv"))
    assert done.returncode == 0, done.stderr
    said = done.stderr.splitlines()
    assert "grade: Canvas's download: 4 students, 1 of them late, 1 resubmitted" in said
    assert "grade: 1 on the roster handed in nothing: Absent, Student (199)" in said
    strangers = "3 submissions belong to nobody on the roster: student18_102"
    assert any(strangers in line for line in said)
    status = {student: row["lab1_status"] for student, row in rows(tmp_path / "run").items()}
    assert status == {
        "student17_101": "graded",
        "student18_102": "graded",
        "student19_103": "wrong name",
        "student20_104": "rejected",
        "Absent, Student": "missing",
    }
    with sqlite3.connect(tmp_path / "run" / ".run" / "store.sqlite") as store:
        query = "select reason from work where student = ?"
        reasons = {s: store.execute(query, (s,)).fetchone()[0] for s in status}
        people = dict(store.execute("select student, people from submission"))
        kept = store.execute("select value from setting where name = 'download'").fetchone()[0]
    assert reasons["student19_103"] == 'no cpu_loop.c; did you mean to hand in "Cpu_Loop.c"?'
    assert reasons["Absent, Student"] == "nothing was handed in"
    assert '"sis":"1017"' in people["student17_101"]
    assert kept.startswith(b"Canvas's download")


@pytest.mark.slow("classes are graded from their downloads")
def test_resume_without_a_run_begins_one(tmp_path: Path) -> None:
    folder = few(tmp_path / "in", {"a": "int x = ;\n"})
    for run in (tmp_path / "never made", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        done = bulk(folder, run, "--resume")
        said = f"{run} has nothing to resume; starting a new run"
        assert done.returncode == 0 and said in done.stderr
        again = bulk(folder, run, "--resume")
        assert again.returncode == 0 and said not in again.stderr
    assert rows(tmp_path / "empty") == rows(tmp_path / "never made")


@pytest.mark.slow("classes are graded from their downloads")
@pytest.mark.parametrize("seconds", [0.2, 1.0, 2.0])
def test_a_run_killed_early_is_resumable(seconds: float, tmp_path: Path) -> None:
    """Also while the sandbox is tested, before there is a store."""
    folder = few(tmp_path / "in", {"a": "int x = ;\n"})
    process = subprocess.Popen(
        command(folder, tmp_path / "run", "probed"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = bulk(folder, tmp_path / "run", "--resume")
    assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "run")["a"]["lab1_status"] == "graded"


@pytest.mark.slow("classes are graded from their downloads")
def test_a_bad_roster_or_zip_stops_before_anything_is_made(tmp_path: Path) -> None:
    folder = few(tmp_path / "in", {"a": "int x;\n"})
    (tmp_path / "roster.csv").write_text("Ann Lee\n")
    (tmp_path / "class.zip").write_bytes(samples.BROKEN)
    (tmp_path / "empty.zip").write_bytes(samples.zipped({}))
    for where, option, message in (
        (folder, ("--roster", str(tmp_path / "roster.csv")), "must name the columns"),
        (folder, ("--roster", str(tmp_path / "none.csv")), "none.csv"),
        (tmp_path / "class.zip", (), "the archive is damaged"),
        (tmp_path / "empty.zip", (), "has no submissions"),
    ):
        done = bulk(where, tmp_path / "run", *option)
        assert done.returncode == 2 and message in done.stderr, done.stderr
        assert "Traceback" not in done.stderr and not (tmp_path / "run").exists()


def test_a_bar_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Bar() as bar:
        for name in ("unpacking", "grading"):
            bar.phase(name, 2)
            bar.step(failed="ann" if name == "unpacking" else "")
            bar.step()
    assert "without a grade: 1" in capsys.readouterr().err


def test_progress_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    bar = Bar(clock=lambda: now)
    bar.phase("grading", 120)
    for step in range(120):
        now += 3.0
        bar.step(failed="ann" if step == 7 else "")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "grading: 4 of 120, about 6 min left"
    assert lines[2] == "grading: 12 of 120, 1 without a grade (ann), about 5 min left"
    assert lines[-1] == "grading: 116 of 120, 1 without a grade (ann), about 12 s left"
    assert len(lines) == 29  # none within 10 s of another, none for the last step


@pytest.mark.parametrize(("quiet", "seconds"), [(True, 60.0), (False, 0.5)])
def test_quiet_and_quick_runs_say_nothing_of_progress(
    quiet: bool, seconds: float, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    with Bar(quiet, clock=lambda: now) as bar:
        bar.phase("collecting", 0)
        bar.phase("grading", 5)
        for _ in range(5):
            now += seconds
            bar.step()
    assert capsys.readouterr().err == ""
