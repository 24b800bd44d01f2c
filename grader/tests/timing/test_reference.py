"""Which object of the solution a machine times."""

import os
import platform
from pathlib import Path

import pytest

from grader import paths
from grader.execute import backend
from grader.model import spec
from grader.timing import reference

LAB = spec.load("lab1")
BEST = reference.X86_64["x86-64-v4"]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A students' copy without objects, on a machine of the best level, tuned for znver3."""
    monkeypatch.setattr(paths, "LABS", tmp_path / "labs")
    monkeypatch.setattr(paths, "SOLUTIONS", tmp_path / "solutions")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(reference, "_tune", lambda: "znver3")
    monkeypatch.setattr(backend, "cpu_has", BEST.__contains__)


def add(*kinds: str, file: str = "cpu_loop.c") -> None:
    for kind in kinds:
        path = reference.path(LAB, file, kind)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def chosen(file: str = "cpu_loop.c") -> str | None:
    found = reference.find_object(LAB, file)
    return found.name.removeprefix(f"{file}.").removesuffix(".o") if found else None


@pytest.mark.usefixtures("copy")
def test_best_available_reference_is_chosen() -> None:
    assert chosen() is None
    for kind in ("x86-64", "x86-64-v3", "x86-64-v3.znver3", "x86-64-v4", "x86-64-v4.znver3"):
        add("aarch64", "x86-64-v4.skylake", kind)
        assert chosen() == kind


@pytest.mark.usefixtures("copy")
def test_never_more_than_the_processor_has(monkeypatch: pytest.MonkeyPatch) -> None:
    add("x86-64", "x86-64-v3", "x86-64-v4")
    for lacks, kind in (("avx512vl", "x86-64-v3"), ("fma", "x86-64"), ("sse9", "x86-64-v4")):
        monkeypatch.setattr(backend, "cpu_has", {*BEST}.difference([lacks]).__contains__)
        assert chosen() == kind


@pytest.mark.usefixtures("copy")
def test_reference_must_match_the_architecture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    add("x86-64", "x86-64-v4")
    assert chosen() is None
    add("aarch64")
    assert chosen() == "aarch64"


@pytest.mark.usefixtures("copy")
def test_gpu_code_uses_the_generic_reference() -> None:
    add("x86-64", "x86-64-v4", file="cpu_loop.cu")
    assert chosen("cpu_loop.cu") == "x86-64"
    assert chosen("cpu_loop.c") is None


@pytest.mark.usefixtures("copy")
def test_the_source_comes_first() -> None:
    add("x86-64")
    source = paths.SOLUTIONS / LAB.folder / "cpu_loop.c"
    source.parent.mkdir(parents=True)
    source.touch()
    assert reference.has_source(LAB, "cpu_loop.c")
    assert chosen() is None


def test_the_repository_has_no_object() -> None:
    assert list(paths.LABS.glob("lab*/reference")) == []


@pytest.mark.parametrize(
    ("script", "tune"),
    [
        ("echo '  -march=      \t\tznver3'; echo '  -mtune=    \t\tznver4'", "znver4"),
        ("echo 'gcc: no such option' >&2; exit 1", "generic"),
        ("echo '  Known valid arguments for -mtune= option: a b'", "generic"),
        (None, "generic"),  # there is no gcc
    ],
)
def test_reference_follows_the_tuning_of_gcc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, tune: str
) -> None:
    if script:
        (tmp_path / "gcc").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "gcc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/nowhere")
    assert reference._tune.__wrapped__() == tune


def test_the_prefix_is_that_of_the_timing_program() -> None:
    header = (paths.LABS / "runtime" / "bench" / "bench.h").read_text()
    assert f'#define BENCH_PREFIX "{reference.PREFIX}"\n' in header
