"""Which files of the course a build depends on: its key, and what its compiler sees."""

import shutil
import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.compile import sources
from grader.model import spec
from grader.sandbox import choice

LAB = spec.load("lab3")
FILES = (
    "Makefile",
    "labs/runtime/submission.mk",
    "labs/runtime/course.ld",
    "labs/sim/x86.toml",
    "labs/runtime/border.h",
    "labs/runtime/runner/runner.h",
    "labs/lab3_constant_mask/lab.h",
    "labs/lab3_constant_mask/flags.mk",
    "labs/sim/translate/translation.py",
    "labs/sim/src/trace/confined_calls.symbols",
    "labs/sim/src/calls/call_targets.sed",
    "labs/sim/flags.mk",
    "labs/runtime/runner/given_calls.symbols",
    "labs/sim/include/cuda_runtime.h",
    "labs/sim/include/header.gcc",
    "labs/sim/include/detail/warp.h",
)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small course in place of this one. Returns its folder."""
    for name in FILES:
        write(tmp_path / name)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "LABS", tmp_path / "labs")
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    return tmp_path


def write(file: Path, text: str = "one") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize("name", FILES)
def test_a_change_of_a_rule_or_header_changes_the_key(course: Path, name: str) -> None:
    before = sources.key(LAB)
    assert sources.key(LAB) == before
    write(course / name, "two")
    assert sources.key(LAB) != before


@pytest.mark.parametrize(
    "name",
    [
        "labs/runtime/bench/new.h",
        "labs/runtime/bench/deeper/new.h",
        "labs/sim/include/detail/new.h",
        "labs/sim/translate/new.py",
        "labs/sim/translate/reader/new.py",
    ],
)
def test_a_new_header_in_a_sub_folder_changes_the_key(course: Path, name: str) -> None:
    before = sources.key(LAB)
    write(course / name, "")
    assert sources.key(LAB) != before


def test_a_renamed_header_changes_the_key(course: Path) -> None:
    before = sources.key(LAB)
    header = course / "labs" / "runtime" / "runner" / "runner.h"
    header.rename(header.with_name("renamed.h"))
    assert sources.key(LAB) != before


def test_another_compiler_changes_the_key_and_makes_the_courses_objects_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    built = tmp_path / "lib" / "plain" / "sim" / "evidence" / "json.o"
    make = [shutil.which("make") or "", f"BUILD={tmp_path}", str(built)]
    found = []
    for version in ("12", "12", "12.1"):
        write(tmp_path / "g++", f"#!/bin/sh\necho g++ {version}\n")
        (tmp_path / "g++").chmod(0o755)
        subprocess.run(make, cwd=paths.ROOT, check=True)
        (tmp_path / "g++").touch()
        found.append((sources.key(LAB), built.stat().st_mtime_ns))
    assert found[0][1] == found[1][1] != found[2][1]
    assert found[1][0] != found[2][0]


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "labs/runtime/runner/runner.c",
        "labs/lab3_constant_mask/lab.toml",
        "labs/lab4_shared_tile/lab.h",
        "labs/sim/src/exec/warp.h",
        "labs/sim/include/notes.txt",
        "solutions/lab3_constant_mask/constant_mask.cu",
    ],
)
def test_an_unrelated_file_does_not_change_the_key(course: Path, name: str) -> None:
    before = sources.key(LAB)
    write(course / name)
    assert sources.key(LAB) == before


def test_the_compiler_sees_every_header_and_no_more(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "hand_over", lambda *_, **__: None)
    objects = ("build/lib/plain/libsim.a", "build/lib/plain/runtime/runner/runner.o")
    secrets = ("labs/lab3_constant_mask/lab.toml", "labs/runtime/bench/bench.c", "build/other.o")
    for name in (*objects, *secrets):
        write(course / name)
    view = sources.view(LAB, course / "build" / "lab3" / "key", "cpu")

    def visible(name: str) -> bool:
        return any((course / name).is_relative_to(path) for path in (*view.reads, *view.writes))

    assert all(visible(name) for name in (*FILES, *objects))
    assert not any(visible(name) for name in secrets)


def test_the_headers_of_this_course_are_found() -> None:
    """A glob over a folder that has moved would silently find nothing."""
    names = [file.name for file in sources.dependencies(LAB)]
    assert {"border.h", "runner.h", "lab.h", "translation.py", "cuda_runtime.h"} <= set(names)
