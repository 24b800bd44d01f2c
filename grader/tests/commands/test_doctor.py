"""./grade doctor: every row says what is there, or what to do."""

from pathlib import Path

import pytest

from grader.commands import doctor
from grader.setup import photograph, python_packages, stamp, system_packages


def fake(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which becomes the whole PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_problems_come_with_a_remedy() -> None:
    rows = doctor.report()
    assert [row.name for row in rows[:4]] == ["g++", "Python", "sandbox", "GPU"]
    assert {"gcc", "g++", "make", "numpy", "photograph", "Check", "nvcc", "GPU"} <= {
        row.name for row in rows
    }
    for row in rows:
        assert (row.advice == "") == (row.state == "ok"), row
        assert row.detail, row


def test_this_machine_can_run_the_simulator() -> None:
    wanting = [row for row in doctor.report() if row.state == "missing"]
    assert [row.name for row in wanting if row.name != "photograph"] == []


def test_doctor_on_a_bare_machine(programs: Path) -> None:
    assert list(programs.iterdir()) == []
    rows = {row.name: row for row in doctor.report()}
    for name in ("gcc", "g++", "make", "ar", "stb"):
        assert rows[name].state == "missing"
        assert "./grade setup" in rows[name].advice
    for name in ("Check", "clang", "nvcc", "GPU"):
        assert rows[name].state == "optional"
    assert doctor.exit_code(list(rows.values())) == 1


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ("11.4.0", "optional"),
        ("10.2.1", "missing"),
        ("12.1.0", "ok"),
        ("9", "missing"),
        ("15", "ok"),
    ],
)
def test_an_old_compiler_is_not_enough(programs: Path, version: str, state: str) -> None:
    fake(programs, "g++", f"echo {version}")
    row = doctor.compiler("g++")
    assert row.state == state
    assert version in row.detail


def test_a_gpu_that_answers_and_one_that_does_not(programs: Path) -> None:
    fake(programs, "nvidia-smi", "echo 'NVIDIA H200, NVL, 580.65.06'")
    assert doctor.gpu() == doctor.DoctorFinding("GPU", "ok", "NVIDIA H200, NVL, driver 580.65.06")
    fake(programs, "nvidia-smi", "echo 'NVIDIA-SMI has failed'; exit 9")
    assert doctor.gpu().state == "optional"
    assert "does not answer" in doctor.gpu().detail


def test_doctor_reports_nvcc(programs: Path) -> None:
    fake(programs, "nvcc", "echo 'Cuda compilation tools, release 13.0, V13.0.88'")
    assert doctor.nvcc() == doctor.DoctorFinding("nvcc", "ok", "13.0")


def test_a_package_of_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = python_packages.installed() | {"numpy": "1.0"}
    del versions["pillow"]
    monkeypatch.setattr(python_packages, "installed", lambda: versions)
    rows = {row.name: row for row in doctor.packages()}
    assert rows["numpy"].state == rows["pillow"].state == "missing"
    assert rows["numpy"].detail.startswith("1.0, the lock says")
    assert rows["pillow"].detail == "not installed"
    assert rows["msgspec"].state == "ok"


def test_locks_are_read_and_agree() -> None:
    run = dict(python_packages.locked(Path(stamp.LOCKS["run"])))
    dev = dict(python_packages.locked(Path(stamp.LOCKS["dev"])))
    assert run.items() <= dev.items()
    assert {"typer", "rich", "msgspec", "numpy", "tree-sitter", "pillow"} <= run.keys()
    assert run["tree-sitter-cuda"] == "0.21.2"
    assert {"pytest", "hypothesis", "jsonschema", "ruff", "mypy"} <= dev.keys() - run.keys()
    assert "colorama" not in dev


def test_doctor_detects_missing_or_changed_photograph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "build" / "datasets"
    folder.mkdir(parents=True)
    monkeypatch.setattr(stamp, "ROOT", str(tmp_path))
    monkeypatch.setattr(photograph, "FILE", folder / "coffee.png")
    assert doctor.photograph_row().state == "missing"
    (folder / "coffee.png").write_bytes(b"another picture")
    assert "differs from" in doctor.photograph_row().detail
    assert doctor.photograph_row().advice


def test_doctor_renders_its_findings() -> None:
    rows = [
        doctor.DoctorFinding("gcc", "ok", "12.2.0"),
        doctor.DoctorFinding("stb", "missing", "not found", "install it"),
        doctor.DoctorFinding("GPU", "optional", "none", "not needed"),
    ]
    plain = doctor.render(rows, colour=False)
    assert "\x1b" not in plain
    assert "  MISSING   stb  not found\n                 -> install it\n" in plain
    assert plain.endswith("missing for the labs: stb")
    long = [doctor.DoctorFinding("sandbox", "ok", 30 * "tier 1 ", 30 * "do this ")]
    assert all(len(line) <= 80 for line in doctor.render(long, colour=False).splitlines())
    coloured = doctor.render(rows, colour=True)
    assert "\x1b[31mMISSING \x1b[0m" in coloured
    assert doctor.render(rows[:1], colour=False).endswith("in the simulator")
    assert doctor.exit_code(rows) == 1
    assert doctor.exit_code([rows[0], rows[2]]) == 0


def test_headers_and_libraries_are_asked_of_the_compiler(programs: Path) -> None:
    assert not system_packages.header_found("stdio.h")
    fake(programs, "gcc", "exit 1")
    assert not system_packages.header_found("stdio.h")
    fake(programs, "gcc", "echo libsubunit.so")
    assert not system_packages.library_found("libsubunit.so")
    fake(programs, "gcc", "echo /usr/lib/libsubunit.so")
    assert system_packages.library_found("libsubunit.so")
