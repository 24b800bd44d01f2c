"""Which targets make builds, and when it rebuilds."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader import paths
from grader.compile import make, sources
from grader.compile.make import BuildRequest
from grader.compile.make_process import MachineBusyError
from grader.model import spec
from grader.model import submission as submissions
from grader.sandbox import choice, process_tree
from grader.sandbox.choice import Choice
from grader.sandbox.process_tree import Usage
from grader.tests import captured


def test_each_file_is_timed_from_its_own_source(tmp_path: Path) -> None:
    """Lab 8 hands in grayscale.c and grayscale.cu. make -n prints what it would do."""
    (tmp_path / "src").mkdir()
    for file in spec.load("lab8").submit:
        (tmp_path / "src" / file).touch()
    for file, backend in (("grayscale.c", "cpu"), ("grayscale.cu", "gpu")):
        variables = {"BACKEND": backend, "LAB": "lab8_grayscale", "FILES": file, "OUT": tmp_path}
        argv = ["make", "-nB", "speed-binary", "speed-binary-given"]
        argv += [f"{name}={value}" for name, value in variables.items()]
        done = captured.run(argv, cwd=paths.ROOT, check=True)
        compiled = re.findall(r"""(?: -c |//" )(\S+/grayscale\.cu?)[ ;]""", done.stdout)
        assert sorted(compiled) == sorted(
            [f"{tmp_path}/src/{file}", f"solutions/lab8_grayscale/{file}"]
        )


def test_an_update_of_the_course_builds_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = tmp_path / "lab.h"
    header.write_text("one")
    monkeypatch.setattr(sources, "dependencies", lambda _: [header])
    monkeypatch.setattr(sources, "view", lambda *_: None)
    lab = spec.load("lab1")
    home = paths.BUILD / "tests" / "update"
    request = BuildRequest(replace(submissions.find(lab, "solutions"), home=home), "cpu")
    first = make.build(request).binary
    assert first and make.build(request).binary == first
    header.write_text("two")
    assert make.build(request).binary not in (first, None)
    shutil.rmtree(home)


Fake = Callable[[str], BuildRequest]


@pytest.fixture
def fake_gcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """A request for a build in which gcc does what a script says, with a second of its time."""
    lab = spec.load("lab1")
    make.prepare(lab, "cpu", timed=False)
    home = paths.BUILD / "tests" / f"fake-gcc-{os.getpid()}"  # other workers use one, too

    def put(script: str) -> BuildRequest:
        asked = f'[ "$1" = -dumpversion ] && exec {REAL} "$@"'  # by the Makefile, of no file
        (tmp_path / "gcc").write_text(f"#!/bin/bash\n{asked}\n{script}\n")
        (tmp_path / "gcc").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setattr(choice, "chosen", lambda *_: Choice(None, ("a fake compiler",)))
        limits = replace(make.COMPILE_LIMITS, seconds=1, waiting=1)
        monkeypatch.setattr(make, "COMPILE_LIMITS", limits)
        return BuildRequest(replace(submissions.find(lab, "solutions"), home=home), "cpu")

    yield put
    shutil.rmtree(home, ignore_errors=True)


REAL = shutil.which("gcc")


def test_a_compiler_that_never_ends(fake_gcc: Fake) -> None:
    built = make.build(fake_gcc("while :; do :; done"))
    assert built.binary is None
    assert built.errors == ["the compiler used 1 s of processor time and was stopped"]


def test_a_compiler_that_waits_for_ever(fake_gcc: Fake) -> None:
    built = make.build(fake_gcc("sleep 60"))
    waited = "waited for more than 1 s without doing any work"
    assert built.errors == [f"the compiler {waited} and was stopped"]


def test_a_compiler_that_is_slow_because_the_machine_is_busy(fake_gcc: Fake) -> None:
    """It is stopped and continued, and takes longer than its limit on the wall clock."""
    request = fake_gcc(f'(kill -STOP $$; sleep 2.5; kill -CONT $$) & wait\nexec {REAL} "$@"')
    make.COMPILE_LIMITS = replace(make.COMPILE_LIMITS, seconds=2, waiting=None)
    built = make.build(request)
    assert built.binary and built.seconds > 2


def test_a_compiler_that_gets_no_core(fake_gcc: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows then whether the file compiles: it is not the student's fault."""
    monkeypatch.setattr(process_tree, "usage", lambda *_: Usage(0.01, 0.01, 1, True))
    with pytest.raises(MachineBusyError, match="other programs keep the cores busy"):
        make.build(fake_gcc("sleep 90"))


def test_timing_does_not_depend_on_code_placement(tmp_path: Path) -> None:
    """Functions that stand before another one move it, and change nothing in how it is placed: the
    same bytes at the same offset of a cache line. All three sides are compiled so."""
    lab = spec.load("lab1")
    solution = (paths.ROOT / "solutions" / lab.folder / "cpu_loop.c").read_text()
    found = []
    for number, size in enumerate((0, 1, 7)):
        folder = tmp_path / str(number)
        folder.mkdir()
        work = "".join(f"v += {i};" for i in range(3 * size))
        before = f"void before(void); void before(void) {{ volatile int v = 0; {work} }}\n"
        include = '#include "lab.h"\n'
        assert include in solution
        (folder / "cpu_loop.c").write_text(solution.replace(include, include + before, 1))
        submission = submissions.find(lab, str(folder))
        submission = replace(submission, home=paths.BUILD / "tests" / "placed")
        binary = make.build(BuildRequest(submission, "cpu", "speed")).binary
        assert binary
        found.append(placed(binary)["correlate_rows"])
    assert len(found) == 3
    course = sources.course_build(lab, "cpu")
    for side in (course / "reference.so", course / "baseline.so"):
        assert all(address % 64 == 0 for address, _ in placed(side).values())
    addresses, sizes = zip(*found, strict=True)
    assert len(set(addresses)) > 1 and all(address % 64 == 0 for address in addresses)
    assert len(set(sizes)) == 1
    shutil.rmtree(paths.BUILD / "tests" / "placed")


def placed(library: Path) -> dict[str, tuple[int, int]]:
    """The address and the size of each function that a shared object exports."""
    argv = ["nm", "-DS", "--defined-only", str(library)]
    lines = captured.run(argv, check=True).stdout.splitlines()
    words = (line.split() for line in lines)
    return {w[3]: (int(w[0], 16), int(w[1], 16)) for w in words if len(w) == 4 and w[2] == "T"}
