"""`./grade export`: what it writes, prints and refuses."""

import subprocess
import sys
from pathlib import Path

import pytest

from grader import exit_codes, paths
from grader.tests.classroom.export import runs

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    runs.make(tmp_path / "run").close()
    return tmp_path / "run"


def grade(run: Path, *words: str | Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-P", "-m", "grader", "export", str(run), *map(str, words)]
    return subprocess.run(command, capture_output=True, cwd=paths.ROOT, timeout=60, check=False)


def test_canvas_with_feedback(run: Path, tmp_path: Path) -> None:
    (tmp_path / "download").mkdir()
    (tmp_path / "download" / "seventeen_9017_5_constant_mask.cu").touch()
    book = SAMPLES / "canvas.csv"
    result = grade(
        run, "--format", "canvas", "--gradebook", book, "--out", tmp_path / "filled.csv",
        "--feedback", tmp_path / "f.zip", "--submissions", tmp_path / "download",
    )  # fmt: skip
    text = result.stderr.decode()
    assert result.returncode == 0 and not result.stdout, text
    assert (tmp_path / "filled.csv").read_bytes() != book.read_bytes()
    assert "15 of lab3's 100 points were not measured: 4 grades count the 85 that were" in text
    assert "f.zip: 1 page\n" in text and "lab3: no grade, error" in text


def test_stdout_has_the_file_alone(run: Path) -> None:
    result = grade(run, "--format", "moodle", "--gradebook", SAMPLES / "moodle.csv")
    assert result.returncode == 0 and result.stdout.startswith(b"\xef\xbb\xbfIdentifier,")
    assert b"grade:" not in result.stdout and b"grade:" in result.stderr


def test_a_folder_of_documents(run: Path) -> None:
    result = grade(run, "--format", "prairielearn")
    assert result.returncode == 0 and b"9 files in" in result.stderr
    assert (run / "export" / "prairielearn" / "9017" / "lab3" / "results.json").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--format", "xls"], "there is no format xls"),
        (["--format", "canvas"], "needs --gradebook"),
        (["--format", "csv", "--gradebook", "x"], "--gradebook is for"),
        (["--format", "junit", "--per-check"], "--per-check is for"),
        (["--format", "csv", "--column", "x"], "--column is for"),
        (["--format", "moodle", "--gradebook", "no/such/file"], "no/such/file is missing"),
        (["--lab", "lab9"], "no grades of lab9"),
        (["--unmeasured", "guess"], "scale, blank, zero"),
        (["--missing", "guess"], "blank, zero"),
        (["--submissions", "x"], "--submissions is for"),
    ],
)
def test_export_refuses_bad_arguments(run: Path, words: list[str], message: str) -> None:
    result = grade(run, *words)
    text = result.stderr.decode()
    assert result.returncode == exit_codes.USAGE and message in text, text
    assert "Traceback" not in text and not result.stdout
