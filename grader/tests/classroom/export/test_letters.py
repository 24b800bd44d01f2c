"""`./grade letters`: one text for each student, and a table for a program that sends mail."""

import csv
import io
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from grader import paths
from grader.classroom.bulk.history import past
from grader.classroom.course.attempt import Attempt
from grader.classroom.export import grades, letters
from grader.tests import fences
from grader.tests.classroom.export import runs


def written(run: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "grader", "letters", str(run), *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=paths.ROOT, timeout=60, check=False
    )


def test_each_student_gets_a_letter(tmp_path: Path) -> None:
    runs.make(tmp_path / "run").close()
    done = written(tmp_path / "run", "--out", tmp_path / "out")
    assert done.returncode == 0 and "9 letters in" in done.stderr, done.stderr
    late = (tmp_path / "out" / "9018.txt").read_text()
    assert late.startswith("Subject: lab3: 48 of 85 points\n\nDear 太郎, 学生,\n")
    assert "3 days late, 1 of them without loss: 20 % off" in late
    quoted = late.index("--- quoted"), late.rindex("--- quoted")
    assert "  A  y: =a <b>\n" in late[slice(*quoted)], "what a program may have said"
    assert "A  y" not in fences.outside(late) and "48 of 85" in fences.outside(late)
    assert "Begin with the first: ./grade lab3" in late[quoted[1] :]
    assert "lab3: no grade.\n  Nothing was handed in" in (tmp_path / "out" / "9022.txt").read_text()
    text = (tmp_path / "out" / letters.TABLE).read_text()
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(text))}
    assert len(rows) == 9 and rows["'=SUM, Student"]["email"] == "s9020@example.org"
    assert rows["9018"]["text"] == late.partition("\n\n")[2]


def test_a_letter_says_what_changed_and_why(tmp_path: Path) -> None:
    store = runs.make(tmp_path / "run")
    store.history.add(runs.IN_TIME, [past(grade) for grade in grades.of(store).every])
    attempt = Attempt("9017", "lab3", "waiting", "better", "")
    runs.add(store, "9017", (runs.GRADED,), attempt, runs.IN_TIME)
    better = msgspec.json.encode(runs.result(earned=70))
    store.save_grade("better", "lab3", better, runs.PAGE)
    store.history.add(runs.LATE, [past(grade) for grade in grades.of(store).every])
    told = {name: data.decode() for name, data in letters.render(grades.of(store))}
    store.close()
    assert "  Since the last time: 60 of 85 -> 70 of 85  +10\n" in told["9017.txt"]
    assert "A  x: pass -> pass  +10" in told["9017.txt"]
    assert "Since" not in told["9018.txt"]


@pytest.mark.parametrize("lab", ["lab4", "x"])
def test_a_lab_without_grades_has_no_letters(lab: str, tmp_path: Path) -> None:
    runs.make(tmp_path / "run").close()
    done = written(tmp_path / "run", "--lab", lab)
    assert done.returncode == 2 and "has no grades for letters yet" in done.stderr
    assert not (tmp_path / "run" / "letters").exists()
