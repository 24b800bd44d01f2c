"""A command that is killed leaves the old file or the new one; a full disk gives one message, and
nothing that was stored is lost."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader import exit_codes, paths
from grader.classroom.bulk.store import Store
from grader.commands import output
from grader.commands.errors import CommandError, UsageError
from grader.setup import python_packages
from grader.tests import needs
from grader.tests.classroom.export import runs

SAMPLES = Path(__file__).parent / "samples"
# ./grade that kills itself at its Nth step of writing a file: before it, at its end, or before the
# new file takes the old one's name.
KILLED = """
import os, signal, sys
from pathlib import Path
left = int(sys.argv.pop(1))
def counted(function):
    def call(*arguments, **options):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return call
os.fsync, Path.replace = counted(os.fsync), counted(Path.replace)
from grader import cli
sys.exit(cli.main())
"""
OLD = b"what was there before"
charts = pytest.mark.skipif(
    bool(python_packages.lacking("charts")), reason="matplotlib is not installed"
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    runs.make(tmp_path / "run").close()
    return tmp_path / "run"


def grade(
    *words: str | Path,
    killed_at: int | None = None,
    most: int | None = None,
    cwd: Path = paths.ROOT,
) -> subprocess.CompletedProcess[str]:
    """killed_at: the step of writing before which it dies. most: bytes that a file may have."""
    how = ["-m", "grader"] if killed_at is None else ["-c", KILLED, str(killed_at)]

    def limit() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.run(
        [sys.executable, "-P", *how, *map(str, words)],
        capture_output=True, text=True, cwd=cwd, check=False, preexec_fn=limit,
        env=os.environ | {"PYTHONPATH": str(paths.ROOT)}, timeout=300,
    )  # fmt: skip


def commands(run: Path, out: Path) -> dict[str, list[str | Path]]:
    """Each command that writes one file to `out`."""
    book = SAMPLES / "canvas.csv"
    return {
        "canvas": ["export", run, "--format", "canvas", "--gradebook", book, "--out", out],
        "json": ["export", run, "--format", "json", "--per-check", "--out", out],
        "report": ["report", run, "--out", out],
    }


@pytest.mark.slow("each command is killed at every step of writing")
@pytest.mark.parametrize("name", ["canvas", "json", pytest.param("report", marks=charts)])
def test_killed_at_every_step_of_writing(name: str, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    command = commands(run, out)[name]
    assert grade(*command).returncode == 0
    new = out.read_bytes()
    seen = set()
    for step in range(10):
        out.write_bytes(OLD)
        done = grade(*command, killed_at=step)
        seen.add(out.read_bytes())
        assert seen <= {OLD, new}
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
    assert step >= 2 and seen == {OLD, new}, "it was killed on the way, and then ended"


def test_killed_override_is_atomic_and_repeatable(run: Path) -> None:
    command: list[str | Path] = ["override", run, "9017", "lab3", "33", "--why", "by hand"]
    for step in (0, 3, 9):
        done = grade(*command, killed_at=step)
        assert done.returncode == -signal.SIGKILL, done.stderr
        store = Store(run, resume=True)
        assert ("9017", "lab3") in store.overrides.current(), (
            "it is stored before a file is written"
        )
        store.close()
    assert grade(*command).returncode == 0
    row = (run / "gradebook.csv").read_text().splitlines()[1]
    assert row.startswith("9017,") and ",60,85,graded," in row and ",33,100," in row


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file system of 1 MB."""
    folder = tmp_path_factory.mktemp("disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if why := needs.missing("mounts"):
        pytest.skip(why)
    subprocess.run(mount, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def one_message(done: subprocess.CompletedProcess[str], *words: str) -> None:
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 3 and last.startswith("grade: "), done.stdout + done.stderr
    assert "Traceback" not in done.stderr and "error in the grader" not in done.stderr
    for word in words:
        assert word in last, last


@pytest.mark.parametrize("name", ["canvas", "json", pytest.param("report", marks=charts)])
def test_a_full_disk_keeps_the_old_file(name: str, run: Path, small_disk: Path) -> None:
    out = small_disk / "out.html"
    out.write_bytes(OLD)
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(bytes(1024))
    try:
        done = grade(*commands(run, out)[name])
        one_message(done, "out.html", "No space left on device", "free some space")
        assert out.read_bytes() == OLD
        assert {p.name for p in small_disk.iterdir()} == {"out.html", "filler"}
    finally:
        filler.unlink()
    assert grade(*commands(run, out)[name]).returncode == 0
    assert out.read_bytes() != OLD
    out.unlink()


def test_full_disk_is_not_a_usage_error(small_disk: Path) -> None:
    out = small_disk / "out.json"
    with pytest.raises(CommandError, match=r"No space left on device; free some space$") as full:
        output.write(str(out), bytes(2 << 20))
    assert full.value.code == exit_codes.FAULT and not [*small_disk.iterdir()]
    with pytest.raises(UsageError, match="cannot be written"):
        output.write(str(out / "x.json"), b"")


@pytest.mark.parametrize("name", ["override", "diff", "canvas", "similarity"])
def test_the_run_itself_on_a_full_disk(name: str, small_disk: Path) -> None:
    """The database and all that it holds stay; afterwards the same command works."""
    run = small_disk / "run"
    runs.make(run).close()
    override: list[str | Path] = ["override", run, "9017", "lab3", "33", "--why", "by hand"]
    assert grade(*override).returncode == 0
    before = (run / "gradebook.csv").read_bytes()
    more: list[str | Path] = {
        "override": [*override[:4], "44", *override[5:]],
        "diff": list[str | Path](["diff", run]),
        "canvas": commands(run, run / "filled.csv")["canvas"],
        "similarity": list[str | Path](["similarity", run]),
    }[name]
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(bytes(64))
    done = grade(*more)
    filler.unlink()
    assert "Traceback" not in done.stderr and "error in the grader" not in done.stderr, done.stderr
    assert done.returncode in (2, 3) and done.stderr.startswith("grade: "), done.stderr
    assert (run / "gradebook.csv").read_bytes() == before
    store = Store(run, resume=True)
    assert store.overrides.current()["9017", "lab3"].points in (33, 44)
    assert len(list(store.rows())) == 8
    store.close()
    again = grade(*more)
    # There is one finished run only, so nothing to compare.
    assert again.returncode == (2 if name == "diff" else 0), again.stderr
    subprocess.run(["rm", "-r", str(run)], check=True)


def test_a_limit_on_the_size_of_files(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_bytes(OLD)
    done = grade("export", run, "--format", "json", "--out", out, most=1000)
    assert done.returncode in (2, 3) and "Traceback" not in done.stderr
    assert "error in the grader" not in done.stderr and out.read_bytes() == OLD
    assert grade("export", run, "--format", "json", "--out", out).returncode == 0
