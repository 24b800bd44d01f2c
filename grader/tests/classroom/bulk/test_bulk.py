"""`./grade bulk` on a generated class: every student gets the right grade, and nothing stops it."""

import csv
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from grader import paths
from grader.classroom.bulk.cpu_lock import CpuLock
from grader.classroom.export import not_graded
from grader.model import spec
from grader.tests import captured
from grader.tests.classroom.bulk import canvas_class, hostile
from grader.tests.classroom.bulk.canvas_class import Student

LAB = "lab1"
sandboxed = pytest.mark.needs("sandbox")


def command(submissions: Path, run: Path, *options: str) -> list[str]:
    """The command line. It uses a sandbox where there is one; "probed" has it tested first."""
    trusted = [] if "probed" in options else ["--i-trust-these-submissions"]
    options = tuple(o for o in options if o != "probed")
    quick = ["--labs", LAB, "--no-speed", "--seconds", "2", "--jobs", "2"]
    where = [str(submissions), "--out", str(run)]
    return [str(paths.ROOT / "grade"), "bulk", *where, *quick, *trusted, *options]


def bulk(submissions: Path, run: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    return captured.run(command(submissions, run, *options))


def rows(run: Path) -> dict[str, dict[str, str]]:
    with (run / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def few(folder: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "cpu_loop.c").write_text(text)
    return folder


@cache
def solution() -> str:
    return hostile.solution(spec.load(LAB))


def rules(home: Path) -> tuple[str, ...]:
    """The options that name the roster and the rules of the class."""
    return "--roster", str(home / "in" / "canvas.csv"), "--course", str(home / "in" / "course.toml")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Student]]:
    """A class of 60, graded once for several tests."""
    home, lab = tmp_path_factory.mktemp("class"), spec.load(LAB)
    few(home, {"sibling": solution()})
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        canvas_class.PORT = listener.getsockname()[1]
        students = canvas_class.make(lab, 60, home / "sibling" / lab.submit[0])
        canvas_class.write(lab, students, home / "in")
        done = bulk(home / "in" / "submissions.zip", home / "run", *rules(home), "probed")
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stdout + done.stderr
    return home, students


@pytest.mark.slow("a class is graded, and graded again after a kill")
@sandboxed
def test_every_student_gets_the_right_grade(graded: tuple[Path, list[Student]]) -> None:
    home, students = graded
    kinds = {one.kind for one in students}
    assert kinds >= {*hostile.programs(spec.load(LAB), home, 1), *hostile.archives(spec.load(LAB))}
    assert not canvas_class.wrong_rows(home / "run" / "gradebook.csv", spec.load(LAB), students)


@pytest.mark.slow("a class is graded, and graded again after a kill")
@sandboxed
def test_attacks_leave_nothing_behind(graded: tuple[Path, list[Student]]) -> None:
    home, _ = graded
    names = {p.name for p in home.rglob("*")}
    assert "pwned" not in names
    assert not list((home / "sibling").rglob("result.json"))
    ours = re.compile(os.fsencode(re.escape(f"{paths.BUILD}/bulk/")) + rb"(\d+)")
    owners = {
        m[1].decode() for p in Path("/proc").glob("[0-9]*/cmdline") for m in ours.finditer(_read(p))
    }
    folders = (paths.BUILD / "bulk").iterdir()
    owners |= {folder.name for folder in folders if folder.name != "quiz"}  # kept between runs
    assert not [
        o for o in owners if not Path("/proc", o).exists()
    ]  # the rest belongs to another run


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.slow("a class is graded, and graded again after a kill")
@sandboxed
def test_each_student_has_a_report(graded: tuple[Path, list[Student]]) -> None:
    home, students = graded
    for one in students:
        homes = (home / "run" / name / LAB for name in one.names)
        folder = next(folder for folder in homes if folder.is_dir())
        text = (folder / "feedback.txt").read_text()
        if one.status == "graded":
            document = json.loads((folder / "result.json").read_text())
            assert document["schema"] == "convlabs-grade/v1" and document["lab"] == LAB
            assert f"{document['score']['earned']:g}/" in text
            for check in document["checks"]:
                assert check["details"] == {} or not check["hidden"]
        else:
            assert not (folder / "result.json").exists()
            assert not_graded.REASONS[one.status] in text
        if one.kind != "includes a sibling":  # which names it itself
            assert str(home) not in text


@pytest.mark.slow("a class is graded, and graded again after a kill")
@sandboxed
def test_resuming_grades_nothing_again(graded: tuple[Path, list[Student]]) -> None:
    home, _ = graded
    book = (home / "run" / "gradebook.csv").read_bytes()
    before = _grades(home / "run")
    again = bulk(home / "in" / "submissions.zip", home / "run", *rules(home), "--resume")
    assert again.returncode == 0
    assert (home / "run" / "gradebook.csv").read_bytes() == book
    assert _grades(home / "run") == before


def _grades(run: Path) -> list[Any]:
    with sqlite3.connect(run / ".run" / "store.sqlite") as store:
        return store.execute("select key, result from grade order by key").fetchall()


@sandboxed
def test_run_exports_gradebooks(graded: tuple[Path, list[Student]]) -> None:
    home, students = graded

    def export(form: str, *more: str) -> bytes:
        argv = [str(paths.ROOT / "grade"), "export", str(home / "run"), "--format", form, *more]
        return subprocess.run(argv, capture_output=True, check=True).stdout

    assert export("csv") == (home / "run" / "gradebook.csv").read_bytes()
    suites = ElementTree.fromstring(export("junit")).findall("testsuite")
    assert len(suites) == len(students)
    failures = {s.get("name"): int(s.get("failures", "")) for s in suites}
    right, bomb = (
        next(one.id for one in students if one.kind == kind and not one.late)
        for kind in ("right", "fork bomb")
    )
    assert failures[f"{right} {LAB}"] == 0 < failures[f"{bomb} {LAB}"]
    export("gradescope")
    one = home / "run" / "export" / "gradescope" / right / LAB / "results.json"
    results = json.loads(one.read_text())
    assert sum(t["score"] for t in results["tests"]) == 70
    assert results["score"] == 100, "all of the points that were measured"
    assert {t["status"] for t in results["tests"]} == {"passed"}


@pytest.mark.slow("a class is graded, and graded again after a kill")
def test_killed_and_resumed_gives_the_same_gradebook(tmp_path: Path) -> None:
    texts = {f"s{i}": f"{solution()}\n/* {i} */\n" for i in range(3)}
    texts["bad"] = "int x = ;\n"
    folder = few(tmp_path / "in", texts)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert bulk(folder, whole).returncode == 0
    for finished in (1, 2):  # grades after which it is killed
        resume = ["--resume"] if broken.exists() else []
        process = subprocess.Popen(
            command(folder, broken, *resume), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _wait_for(broken, finished, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert bulk(folder, broken, "--resume").returncode == 0
    assert (whole / "gradebook.csv").read_bytes() == (broken / "gradebook.csv").read_bytes()


def _wait_for(run: Path, grades: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if len(_grades(run)) >= grades:
                return
        except sqlite3.OperationalError:
            pass
        time.sleep(0.05)
    pytest.fail(f"it ended with status {process.poll()}, or never had {grades} grades")


@pytest.mark.slow("a class is graded, and graded again after a kill")
def test_ctrl_c_stops_it_cleanly_and_a_run_is_locked(tmp_path: Path) -> None:
    """One program never ends and keeps one of the two workers busy."""
    texts = {"a": solution(), "b": hostile.gated(spec.load(LAB), "for (;;) ;")}
    folder, run = few(tmp_path / "in", texts), tmp_path / "run"
    process = subprocess.Popen(
        command(folder, run, "--seconds", "300"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    _wait_for(run, 1, process)  # type: ignore[arg-type]
    second = bulk(folder, run, "--resume")
    assert second.returncode == 2 and "another ./grade is working" in second.stderr
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130 and "--resume" in stderr and "Traceback" not in stderr
    again = bulk(folder, run)
    assert again.returncode == 2 and "--resume" in again.stderr


@pytest.mark.slow("a class is graded, and graded again after a kill")
def test_a_worker_that_is_killed_is_replaced(tmp_path: Path) -> None:
    folder = few(tmp_path / "in", {"a": solution(), "b": f"{solution()}\n"})
    process = subprocess.Popen(
        command(folder, tmp_path / "run"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 120
    killed = False
    while not killed and process.poll() is None and time.monotonic() < deadline:
        below = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        for pid in _read(below).split():
            if b"grader.classroom.bulk.worker" in _read(Path(f"/proc/{int(pid)}/cmdline")):
                os.kill(int(pid), signal.SIGKILL)
                killed = True
                break
        time.sleep(0.01)
    assert process.wait(timeout=120) == 0 and killed
    assert {r[f"{LAB}_score"] for r in rows(tmp_path / "run").values()} == {"70"}


@pytest.mark.slow("a class is graded, and graded again after a kill")
def test_without_a_sandbox_it_refuses(tmp_path: Path) -> None:
    folder = few(tmp_path / "in", {"a": "int x;\n"})
    argv = command(folder, tmp_path / "run", "probed")
    environment = os.environ | {"CONVLABS_NO_SANDBOX": "1"}
    done = captured.run(argv, env=environment)
    assert done.returncode == 2 and "--i-trust-these-submissions" in done.stderr
    assert not (tmp_path / "run").exists()
    trusted = [*argv, "--i-trust-these-submissions"]
    done = captured.run(trusted, env=environment)
    assert done.returncode == 0 and "without a sandbox" in done.stderr
    assert "can end every process of its user" in done.stderr
    row = rows(tmp_path / "run")["a"]
    columns = ("score", "max", "status", "sandbox", "late_days", "points", "out_of", "note")
    values = ["0", "70", "graded", "none", "0", "0", "70", ""]
    of_lab = dict(zip([f"{LAB}_{c}" for c in columns], values, strict=True))
    assert row == {"student": "a", "name": "", "email": "", "id": ""} | of_lab


def test_impossible_folders_are_refused(tmp_path: Path) -> None:
    folder = few(tmp_path / "in", {"a": "int x;\n"})
    (tmp_path / "empty").mkdir()
    for submissions, run, message in (
        (folder, folder / "run", "where every folder counts as a student's"),
        (tmp_path / "empty", tmp_path / "run", "has no submissions"),
        (folder / "a" / "cpu_loop.c", tmp_path / "run", "is not a folder"),
    ):
        done = bulk(submissions, run)
        assert done.returncode == 2 and message in done.stderr, done.stderr
        assert not run.exists()


def test_a_worker_that_measures_is_alone(tmp_path: Path) -> None:
    inside: set[int] = set()
    others: list[int] = []

    def work(number: int) -> None:
        lock = CpuLock(tmp_path)
        for _ in range(20):
            with lock.shared():
                inside.add(number)
                time.sleep(0.001)
                inside.discard(number)
                with lock.exclusive():
                    others.append(len(inside))
                    time.sleep(0.001)
                inside.add(number)
                inside.discard(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(others) == 80 and not any(others)
