"""The check with nvcc, for fake compilers and for this machine's nvcc where it has one."""

import json
import os
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from grader import exit_codes, paths
from grader.compile import make, nvcc_check
from grader.compile.make import BuildRequest
from grader.grading import score
from grader.model import spec
from grader.model import submission as submissions
from grader.model.result import Check
from grader.model.score import Score
from grader.model.submission import Submission
from grader.sandbox import choice
from grader.sandbox.choice import Choice
from grader.session import programs
from grader.session.plan import plan_for
from grader.tests import captured

LAB = spec.load("lab3")
SOLUTION = (paths.ROOT / "solutions" / LAB.folder / "constant_mask.cu").read_text()
# A kernel that calls a host function, whose name has another meaning, too: nvcc alone refuses it.
HALF = "int half(int n) { return n / 2; }\nstruct part { int half; };\n"
ACCEPTED = SOLUTION.replace("/* ---- part A", f"{HALF}/* ---- part A", 1)
ACCEPTED = ACCEPTED.replace("float sum = 0.0f;", "float sum = 0.0f * half(2);", 1)
ACCEPTS = "exit 0"
REFUSES = """\
file=$(for a; do case $a in *.cu) echo "$a";; esac; done)
shown=$(sed -n '1s/.*"\\(.*\\)".*/\\1/p' "$file")
echo "$shown(7): error: identifier \\"half\\" is undefined in device code"
exit 2"""
PTXAS = "echo \"ptxas error   : Entry function 'k' uses too much shared data\"; exit 255"
BROKEN = "echo 'nvcc fatal   : no host compiler'; exit 1"

BURNS, BURNT = pytest.mark.needs("processor limit"), "used more processor time than"

Fake = Callable[[str], Path]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Puts an nvcc on PATH that counts its calls in a file and does what a script says."""

    def put(script: str) -> Path:
        calls, folder = tmp_path / "calls", tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "nvcc").write_text(f"#!/bin/sh\necho called >> {calls}\n{script}\n")
        (folder / "nvcc").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        # In the sandbox it could not be seen, and could not count.
        monkeypatch.setenv("CONVLABS_NO_SANDBOX", "1")
        monkeypatch.setattr(choice, "chosen", lambda *_: Choice(None, ("a fake compiler",)))
        return calls

    return put


@pytest.fixture(scope="module")
def submission(tmp_path_factory: pytest.TempPathFactory) -> Submission:
    folder = tmp_path_factory.mktemp("nvcc")
    (folder / "constant_mask.cu").write_text(ACCEPTED)
    return submissions.find(LAB, str(folder))


def checked(submission: Submission, again: bool = True) -> Check:
    """The check of a submission that the simulator accepts. again: calls nvcc again."""
    assert make.build(BuildRequest(submission, "sim")).binary
    if again and (report := make.build(BuildRequest(submission, "sim", "nvcc")).binary):
        report.unlink(missing_ok=True)
    report = make.build(BuildRequest(submission, "sim", "nvcc")).binary
    assert report
    return nvcc_check.judge_nvcc(submission, report)


def test_a_file_that_nvcc_accepts(fake: Fake, submission: Submission) -> None:
    fake(ACCEPTS)
    check = checked(submission)
    assert (check.verdict, check.kind, check.max_points, check.message) == ("pass", "build", 0, [])


def test_a_file_that_nvcc_refuses(fake: Fake, submission: Submission) -> None:
    fake(REFUSES)
    check = checked(submission)
    assert check.verdict == "fail"
    assert "nvcc refuses it" in check.message[0]
    assert check.message[1].startswith(f"{submission.shown}/constant_mask.cu:7: identifier")
    assert check.message[2].strip() == submission.line(f"{submission.shown}/constant_mask.cu", 7)
    assert score.exit_code([check], Score(10, 10, 10)) == exit_codes.LESS


def test_an_error_of_the_assembler_has_no_line(fake: Fake, submission: Submission) -> None:
    fake(PTXAS)
    check = checked(submission)
    assert check.verdict == "fail" and "too much shared data" in check.message[1]


def test_nvcc_is_called_once_for_a_content(fake: Fake, submission: Submission) -> None:
    calls = fake(REFUSES)
    first = checked(submission)
    count = len(calls.read_text().splitlines())
    assert checked(submission, again=False) == first
    assert len(calls.read_text().splitlines()) == count


def test_an_nvcc_that_is_broken_is_not_the_students_fault(
    fake: Fake, submission: Submission
) -> None:
    fake(BROKEN)
    check = checked(submission)
    assert check.verdict == "skip" and "no host compiler" in check.message[0]
    marks = score.score(plan_for(LAB, "sim"), [check])
    assert all(u.points for u in marks.unmeasured)
    assert score.exit_code([check], marks) == exit_codes.FULL_MARKS
    fake(ACCEPTS)  # nvcc was repaired
    assert checked(submission, again=False).verdict == "pass"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        pytest.param("while :; do :; done", BURNT, marks=BURNS),
        pytest.param("sh -c 'while :; do :; done' || exit 1", BURNT, marks=BURNS),
        ("echo \"nvcc error : 'ptxas' died due to signal 24\"; exit 255", "used more processor"),
        ("sleep 60", "waited for minutes"),
        ("kill -STOP $$", "waited for minutes"),
    ],
    ids=["burns", "a part of it burns", "ptxas burns", "sleeps", "is stopped"],
)
def test_an_nvcc_that_is_slow_is_not_called_broken(
    script: str, reason: str, fake: Fake, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(script)
    real = make._variables
    # A busy machine may let one that burns wait for a minute.
    less = {"NVCC_SECONDS": "1", "NVCC_WAITING": "4" if "waited" in reason else "60"}
    monkeypatch.setattr(make, "_variables", lambda *a: real(*a) | less)
    check = checked(submission)
    assert (check.verdict, len(check.message)) == ("skip", 1)
    assert check.message[0].startswith("nvcc was stopped: it ") and reason in check.message[0]


def test_an_nvcc_that_a_busy_machine_holds_up_is_waited_for(
    fake: Fake, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(f"(kill -STOP $$; sleep 2; kill -CONT $$) & wait\n{ACCEPTS}")
    real = make._variables
    monkeypatch.setattr(make, "_variables", lambda *a: real(*a) | {"NVCC_SECONDS": "1"})
    assert checked(submission).verdict == "pass"


def grade(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(paths.ROOT / "grade"), *arguments, "--backend", "sim"]
    return captured.run(command)


def test_a_grade_shows_it_as_a_check_without_points(fake: Fake, submission: Submission) -> None:
    fake(REFUSES)
    checked(submission)
    done = grade("lab3", "--src", str(submission.folder), "-k", "identity 3x3", "--json", "-")
    document = json.loads(done.stdout)
    checks = {c["name"]: c["verdict"] for c in document["checks"]}
    assert checks.pop("compiles with nvcc") == "fail"
    assert set(checks.values()) == {"pass"} and len(checks) > 1
    assert document["score"]["earned"] == document["score"]["measured"] > 0
    assert done.returncode == document["exit_code"] == 1
    build = grade("build", "lab3", "--src", str(submission.folder))
    assert build.returncode == 1 and "constant_mask.cu:7: identifier" in build.stderr


def test_check_is_absent_without_nvcc(
    submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert not nvcc_check.available()
    with programs.being_built(
        plan_for(LAB, "sim"), submission, False, nullcontext, lambda: None
    ) as built:
        assert built.plain and built.nvccs_check() is None


def test_real_nvcc_rejects_a_host_call_in_device_code(
    real_nvcc: str, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(real_nvcc).parent}{os.pathsep}{os.environ['PATH']}")
    check = checked(submission)
    assert check.verdict == "fail"
    assert "half" in check.message[1] and "__host__" in check.message[1]
    assert "half(2)" in check.message[2]
    assert checked(submissions.find(LAB, "starter")).verdict == "pass"
