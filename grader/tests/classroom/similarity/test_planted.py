"""Copies among independent programs are found, and the independent programs are not listed."""

from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured
from grader.tests.classroom.similarity import plant, planted, programs
from grader.tests.classroom.similarity.odd_cases import COPIES, NOT_COPIES

INCLUDES = b"#include <math.h>\n#include <omp.h>\n#include <stdlib.h>\n#include <string.h>\n"


@pytest.mark.parametrize("lab", planted.LABS)
def test_independent_programs_are_not_listed(lab: str) -> None:
    codes = programs.independent(lab)
    found = planted.compared(lab, codes)
    assert found.compared == len(codes) >= 14
    assert planted.found_pairs(found) == set()


@pytest.mark.parametrize("lab", planted.LABS)
def test_every_planted_copy_is_found_and_nothing_else(lab: str) -> None:
    codes = programs.independent(lab)
    copies = planted.plants(lab)
    found = planted.compared(lab, codes | {copy.name: copy.code for copy in copies})
    listed = planted.found_pairs(found)
    missed = [c.name for c in copies if frozenset((c.source, c.name)) not in listed]
    assert missed == []
    assert [pair for pair in listed if pair <= codes.keys()] == []


@pytest.mark.parametrize(("lab", "source", "code"), COPIES.values(), ids=list(COPIES))
def test_an_odd_copy_is_found(lab: str, source: str, code: bytes) -> None:
    found = planted.compared(lab, programs.independent(lab) | {"copy": code})
    assert planted.found_pairs(found) == {frozenset((source, "copy"))}


@pytest.mark.parametrize(("lab", "one", "other"), NOT_COPIES.values(), ids=list(NOT_COPIES))
def test_unrelated_pair_is_not_listed(lab: str, one: bytes, other: bytes) -> None:
    found = planted.compared(lab, programs.independent(lab) | {"one": one, "other": other})
    assert frozenset(("one", "other")) not in planted.found_pairs(found)


KNOWN: dict[str, set[str]] = {
    "lab1": set(),
    "lab3": {"right-one-dimensional"},
}  # made from the solution, by a part


@pytest.mark.parametrize("lab", planted.LABS)
def test_copied_parts_of_the_solution_are_named_and_independent_programs_are_not(lab: str) -> None:
    (solution,) = planted.texts(lab).solution.values()
    line = {"lab1": b"out[(size_t)y * width + x] = sum;\n", "lab3": b"return cudaGetLastError();\n"}
    assert line[lab] in solution
    first, last = (solution.index(f"/* ---- part {part}".encode()) for part in "AB")
    begin = programs.starter(lab).index(b"/* ---- part A")
    copies = {
        "copy": solution,
        "renamed": plant.reordered(plant.renamed(solution)),
        "one call more": solution.replace(line[lab], b"note(width, height);\n" + line[lab]),
        "part A alone": programs.starter(lab)[:begin] + solution[first:last],
    }
    codes = programs.independent(lab) | copies
    found = planted.compared(lab, codes)
    named = {program.student: set(shares) for program, shares in found.of_solution}
    assert named.keys() == copies.keys() | KNOWN[lab]
    assert named.pop("part A alone") == {"part A"}
    assert all(named[name] == {"part A", "part B"} for name in named.keys() & copies.keys())
    assert not [note for note in found.notes if note.partition(":")[0] in copies]


def test_part_that_a_quarter_has_names_nobody_alone() -> None:
    """Lab 8 says nearly word by word what part A is."""
    (solution,) = planted.texts("lab1").solution.values()
    begin, end = (solution.index(f"/* ---- part {part}".encode()) for part in "AB")
    starter = programs.starter("lab1")
    part = starter[: starter.index(b"/* ---- part A")] + solution[begin:end]
    few = dict([*programs.independent("lab1").items()][:8])
    alike = {f"alike {number}": part + b"int x;\n" * number for number in range(1, 5)}
    found = planted.compared("lab1", few | alike | {"copy": solution})
    assert [program.student for program, _ in found.of_solution] == ["copy"]
    (note,) = [note for note in found.notes if note.startswith("part A: ")]
    assert note.startswith("part A: 5 of 13 programs have that of the course's own solution")
    alike.popitem()
    alike.popitem()
    found = planted.compared("lab1", few | alike | {"copy": solution})
    assert len(found.of_solution) == 3


def test_every_part_of_a_solution_of_two_files_is_compared() -> None:
    parts = planted.texts("lab8").solution_parts
    assert list(parts) == ["part A", "part B", "part C", "part D", "grayscale.cu"]


def test_the_programs_of_lab1_compile(tmp_path: Path) -> None:
    folders = [f"-I{paths.LABS / name}" for name in ("lab1_cpu_loop", "runtime")]
    failed = []
    for name, code in programs.independent("lab1").items():
        file = tmp_path / f"{name}.c"
        file.write_bytes(INCLUDES + code)
        command = ["gcc", "-std=gnu2x", "-fopenmp", "-fsyntax-only", *folders, str(file)]
        done = captured.run(command)
        failed += [] if done.returncode == 0 else [f"{name}: {done.stderr[:200]}"]
    assert failed == []
