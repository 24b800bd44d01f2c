"""`--course`, `./grade override` and `./grade diff` on a class that is really graded."""

import json
import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.classroom.bulk.store import Store
from grader.tests import captured
from grader.tests.classroom.bulk.made_runs import hand_in
from grader.tests.classroom.bulk.test_bulk import bulk, few, sandboxed

SOLUTION = (paths.ROOT / "solutions" / "lab1_cpu_loop" / "cpu_loop.c").read_text()
COURSE = """
[lab.lab1]
due = 2027-03-01T12:00:00Z
hidden_seed = 4
[[extension]]
student = "dan"
lab = "lab1"
days = 1
"""


def grade(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return captured.grade(*map(str, arguments))


@pytest.mark.slow("a course is graded from its rules to its gradebook")
@sandboxed
def test_a_course_from_its_rules_to_what_changed(tmp_path: Path) -> None:
    run, rules = tmp_path / "run", tmp_path / "course.toml"
    submissions = few(tmp_path / "in", {"ann": SOLUTION, "ben": "int x;"})
    first = bulk(submissions, run)
    assert first.returncode == 0, first.stderr

    rules.write_text(COURSE)
    second = bulk(submissions, run, "--resume", "--course", str(rules))
    assert second.returncode == 0, second.stderr
    assert "course.toml has names that no student of this run has: dan" in second.stderr
    told = grade("diff", run)
    assert told.returncode == 0, told.stderr
    assert "0 of 2 grades changed" in told.stdout and "the hidden seed changed (2)" in told.stdout
    store = Store(run, resume=True)
    assert [store.history.numbers(), len(list(store.rows()))] == [[1, 2], 2]
    store.close()

    refused = grade("override", run, "ann", "lab1", "50")
    assert refused.returncode == 2 and "say why" in refused.stderr
    assert grade("override", run, "ann", "lab1", "50", "--why", "by hand").returncode == 0
    kept = bulk(submissions, run, "--resume")
    assert kept.returncode == 0
    told = grade("diff", run)
    assert "ann: " in told.stdout and "-> 50 of 100" in told.stdout
    assert "set to 50 of 100 by the instructor: by hand" in told.stdout
    assert "ann  lab1  set to 50: by hand" in grade("override", run).stdout
    result = json.loads((run / "ann" / "lab1" / "result.json").read_text())
    assert "made" not in result, "a hidden seed could be found from its hash"


def test_a_course_that_cannot_be_used_begins_no_run(tmp_path: Path) -> None:
    submissions, rules = few(tmp_path / "in", {"ann": SOLUTION}), tmp_path / "course.toml"
    rules.write_text("grace_days = true")
    done = bulk(submissions, tmp_path / "run", "--course", str(rules))
    assert done.returncode == 2 and "course.toml: " in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nobody", "lab1", "3", "--why", "x"), 'no student of this run is called "nobody"'),
        (("ann", "lab99", "3", "--why", "x"), 'there is no lab "lab99"'),
        (("ann", "lab1", "101", "--why", "x"), "is neither a number from 0 to 100 nor"),
        (("ann", "lab1", "nan", "--why", "x"), "is neither a number from 0 to 100 nor"),
        (("ann", "lab1", "", "--why", "x"), "is neither a number from 0 to 100 nor"),
    ],
)
def test_an_override_that_cannot_be(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "run", resume=False)
    hand_in(store, "ann", {"lab1": b"a"})
    store.close()
    done = grade("override", tmp_path / "run", *arguments)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow("a course is graded from its rules to its gradebook")
def test_diff_rejects_folders_that_are_not_runs(tmp_path: Path) -> None:
    done = grade("diff", tmp_path)
    assert done.returncode == 2 and "has no run" in done.stderr
    Store(tmp_path / "run", resume=False).close()
    done = grade("diff", tmp_path / "run")
    assert done.returncode == 2 and "has 0 finished runs" in done.stderr
