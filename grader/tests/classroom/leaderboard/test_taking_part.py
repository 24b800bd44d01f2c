"""From the leaderboard.txt that a student hands in to the run's board: collecting and resuming."""

import csv
import io
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from grader.classroom.bulk.intake.collect import Files, collect, digest, names_of
from grader.classroom.bulk.intake.discover import download
from grader.classroom.export import autograder, gradescope
from grader.model import spec
from grader.model.result import Result
from grader.tests.classroom.bulk import hostile
from grader.tests.classroom.bulk.layouts import samples
from grader.tests.classroom.bulk.test_bulk import bulk, few, solution
from grader.tests.classroom.leaderboard import classes
from grader.tests.grading import test_speed_scores

LABS = [spec.load("lab1"), spec.load("lab3")]
Tree = dict[str, bytes]
LOOP, MASK = "cpu_loop.c", "constant_mask.cu"


def collected(tree: Tree, tmp_path: Path, zipped: bool) -> dict[str, Files]:
    """What is read of the only submission of a class."""
    if zipped:
        (tmp_path / "ann.zip").write_bytes(hostile._zip(list(tree.items())))
    else:
        samples.write(tmp_path / "ann", dict(tree))
    (entry,) = download(tmp_path).entries
    return collect(entry, LABS)


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(
    ("tree", "of_lab1", "of_lab3"),
    [
        ({LOOP: b"x"}, None, None),
        ({LOOP: b"x", "leaderboard.txt": b"Tiger"}, b"Tiger", None),
        ({LOOP: b"x", MASK: b"y", "leaderboard.txt": b"Tiger"}, b"Tiger", b"Tiger"),
        (
            {"lab1_cpu_loop/" + LOOP: b"x", "lab1_cpu_loop/leaderboard.txt": b"A", MASK: b"y"},
            b"A",
            None,
        ),
        (
            {
                "lab1/" + LOOP: b"x",
                "lab1/leaderboard.txt": b"A",
                "lab3/" + MASK: b"y",
                "leaderboard.txt": b"B",
            },
            b"A",
            b"B",
        ),
        ({LOOP: b"x", "leaderboard (1).txt": b"Tiger"}, b"Tiger", None),
        ({LOOP: b"x", "leaderboard.txt": b""}, b"", None),
        ({LOOP: b"x", "leaderboard.txt": b"z" * 9999}, b"z" * 400, None),
        ({LOOP: b"x", "Leaderboard.md": b"Tiger", "my_leaderboard.txt": b"Tiger"}, None, None),
        ({"leaderboard.txt": b"Tiger"}, None, None),
    ],
)
def test_it_is_read_beside_the_labs_file(
    tree: Tree, of_lab1: bytes | None, of_lab3: bytes | None, zipped: bool, tmp_path: Path
) -> None:
    files = collected(tree, tmp_path, zipped)
    assert (files["lab1"].pseudonym, files["lab3"].pseudonym) == (of_lab1, of_lab3)
    assert "leaderboard.txt" not in files["lab1"].contents, "it decides no grade"


def test_what_cannot_be_read_is_noted_and_the_lab_is_graded(tmp_path: Path) -> None:
    folder = samples.write(tmp_path / "in" / "ann", {LOOP: b"x"})
    (folder / "leaderboard.txt").symlink_to("/etc/passwd")
    (entry,) = download(tmp_path / "in").entries
    files = collect(entry, LABS)["lab1"]
    assert files.contents == {LOOP: b"x"} and files.pseudonym is None
    assert files.notes == ("leaderboard.txt is a link",)
    (folder / "leaderboard.txt").unlink()
    samples.write(folder, {"a/leaderboard.txt": b"A", "b/leaderboard.txt": b"B"})
    assert collect(entry, LABS)["lab1"].notes == (
        "leaderboard.txt is there twice, and they differ",
    )


def test_a_file_that_is_added_later_is_noticed(tmp_path: Path) -> None:
    samples.write(tmp_path / "ann", {LOOP: b"x"})
    (entry,) = download(tmp_path).entries
    seen = [digest(entry, names_of(LABS))]
    for content in (b"Tiger", b"Lion"):
        samples.write(tmp_path / "ann", {"leaderboard.txt": content})
        seen.append(digest(entry, names_of(LABS)))
    assert len(set(seen)) == 3


def on_board(run: Path) -> list[str]:
    table = csv.DictReader(io.StringIO((run / "leaderboard.csv").read_text()))
    return [row["pseudonym"] for row in table]


def grades(run: Path) -> int:
    """How many grades the run has ever made."""
    with closing(sqlite3.connect(run / ".run" / "store.sqlite")) as store:
        return int(store.execute("select count(*) from grade").fetchone()[0])


@pytest.mark.slow("a class is graded twice")
def test_a_run_that_resumes_follows_what_students_hand_in(tmp_path: Path) -> None:
    """Without times, so that nobody has a score: what changes is who takes part."""
    submissions = few(tmp_path / "in", dict.fromkeys(["ann", "bob", "cy"], solution()))
    (submissions / "cy" / LOOP).write_text(solution() + "/* cy's */\n")
    run = tmp_path / "run"
    first = bulk(submissions, run, "--no-html")
    assert first.returncode == 0 and not (run / "leaderboard.csv").exists(), first.stderr
    (submissions / "bob" / "leaderboard.txt").write_text("Tiger\n")
    (submissions / "cy" / "leaderboard.txt").write_text("bob\n")
    (tmp_path / "course.toml").write_bytes(classes.ON)
    again = bulk(
        submissions, run, "--no-html", "--resume", "--course", str(tmp_path / "course.toml")
    )
    assert again.returncode == 0 and on_board(run) == ["Tiger"], again.stderr
    assert f"leaderboard: {run / 'leaderboard.html'}" in again.stdout
    assert "not on the leaderboard: cy: leaderboard.txt is, or has inside, a name" in again.stderr
    (submissions / "bob" / "leaderboard.txt").unlink()
    (submissions / "cy" / "leaderboard.txt").write_text("Lion\n")
    third = bulk(submissions, run, "--no-html", "--resume")
    assert third.returncode == 0 and on_board(run) == ["Lion"], "the rules are kept in the run"
    assert grades(run) == 2, "a pseudonym makes no other grade: ann and bob have the same files"


def test_gradescopes_autograder_scores_who_takes_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The grading itself is replaced: its times would differ from run to run."""
    graded = test_speed_scores.graded(
        test_speed_scores.check("correct", "A"), classes.speed("lab1", "A", 200)
    )

    def grade(*_: object) -> Result:
        return graded

    monkeypatch.setattr("grader.grading.pipeline.grade", grade)
    samples.write(tmp_path / "in", {LOOP: b"int x;\n"})
    assert "leaderboard" not in autograder.grade(tmp_path / "in")
    samples.write(tmp_path / "in", {"leaderboard.txt": b"Tiger"})
    assert autograder.grade(tmp_path / "in")["leaderboard"] == [
        {"name": "lab1 score", "value": 0.5, "order": "desc"},
        {"name": "lab1 A  speed of A", "value": 0.5, "order": "desc"},
    ]
    assert gradescope.leaderboard("lab1", classes.of_nothing()) == {}
