"""Calls of the CUDA runtime that are made to fail: whatever a program calls before, between and
after, an error that it ignores costs points, and none that it handles."""

import random
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from grader import paths
from grader.contract import injected_failures
from grader.contract.play import Result, StepStatus
from grader.contract.step import Step
from grader.execute import failing_calls
from grader.execute.case import Status
from grader.oracle.operations import Array
from grader.tests import captured

SOLUTION = paths.SOLUTIONS / "lab2_global_memory" / "global_memory.cu"
FIRST = "    cudaError_t error = cudaMalloc((void **)&d_image, image_bytes);\n"
COPY_BACK = "        error = cudaMemcpy(h_out, d_out, image_bytes, cudaMemcpyDeviceToHost);\n"
KERNEL = (
    "        error = correlate_device(d_image, width, height, d_mask, radius, border, d_out);\n"
)
QUERIES = (
    "    int device, n = {count};\n    cudaError_t asked = cudaSuccess;\n"
    "    while (n-- > 0 && asked == cudaSuccess) asked = cudaGetDevice(&device);\n"
    "    if (asked != cudaSuccess) return asked;\n"
)
ONCE = (
    "    static bool is_set = false;\n"
    "    if (!is_set) {\n"
    "        const cudaError_t set = cudaSetDevice(0);\n"
    "        if (CONDITION) return set;\n"
    "        is_set = true;\n"
    "    }\n"
)
NOTHING = (
    "        nothing<<<1, 1>>>();\n        error = cudaGetLastError();\n"
    "        if (error == cudaSuccess) "
)
RIGHT = {
    "twenty queries before the first allocation": [(FIRST, QUERIES.format(count=20) + FIRST)],
    "what is set once in a process": [
        (FIRST, ONCE.replace("CONDITION", "set != cudaSuccess") + FIRST)
    ],
    "other launches before the one that counts": [(KERNEL, NOTHING + KERNEL.lstrip())],
}
WRONG = {
    "an ignored copy behind twenty queries": [
        (FIRST, QUERIES.format(count=20) + FIRST),
        (COPY_BACK, COPY_BACK.replace("error = ", "", 1)),
    ],
    "an ignored error of what is set once": [
        (FIRST, ONCE.replace("CONDITION", "(cudaGetLastError(), false)") + FIRST)
    ],
    "an ignored launch behind another one": [
        (KERNEL, NOTHING + KERNEL.lstrip().replace("error = ", "", 1))
    ],
}


def lost(edits: list[tuple[str, str]], folder: Path) -> set[str]:
    """The checks of errors in part B that the changed solution fails."""
    text = SOLUTION.read_text()
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = folder / SOLUTION.name
    file.write_text(
        text.replace("/* ---- part B", "__global__ void nothing() {}\n/* ---- part B", 1)
    )
    result = folder / "grade.json"
    argv = ["./grade", "lab2", "--src", str(file), "-k", "B", "--json", str(result)]
    done = captured.run(argv, cwd=paths.ROOT)
    assert result.exists(), done.stdout + done.stderr
    checks = msgspec.json.decode(result.read_bytes())["checks"]
    assert all(c["verdict"] in ("pass", "fail", "skip") for c in checks), checks
    failed = {c["name"] for c in checks if c["verdict"] == "fail"}
    assert not failed or any("cuda" in str(c["message"]) for c in checks if c["name"] in failed)
    return failed


@pytest.mark.slow("grades a changed solution each")
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_keeps_its_points(name: str, tmp_path: Path) -> None:
    assert lost(RIGHT[name], tmp_path) == set()


@pytest.mark.slow("grades a changed solution each")
@pytest.mark.parametrize("name", WRONG)
def test_an_ignored_error_costs_points(name: str, tmp_path: Path) -> None:
    assert "any call of correlate_host()" in lost(WRONG[name], tmp_path)


SITES: list[tuple[str, int, int, int]] = [
    ("cudaMalloc", 5, 1, 3),
    ("cudaMallocAsync", 7, 4, 4),
    ("launch", 9, 5, 11),
]


def test_a_case_makes_the_calls_fail_that_there_are() -> None:
    status = Status(True, 0, calls=12, sites=SITES)
    assert failing_calls.numbers(status, "cudaMalloc", 0) == [1, 3, 4]
    assert failing_calls.numbers(status, "cudaMalloc:first", 0) == [1]
    assert failing_calls.numbers(status, "cudaMalloc:later", 0) == [3, 4]
    assert failing_calls.numbers(status, "launch:last", 0) == [11]
    assert failing_calls.numbers(status, "cudaMemcpy", 0) == []


def test_first_and_last_of_many_calls_fail() -> None:
    sites = [("launch", line, line, line) for line in range(1, 40)]
    chosen = failing_calls.numbers(Status(True, 0, calls=39, sites=sites), "launch", 7)
    assert len(chosen) == failing_calls.MOST and {1, 39} < set(chosen)
    assert chosen != failing_calls.numbers(Status(True, 0, calls=39, sites=sites), "launch", 8)


def generated(calls: int, sites: list[tuple[str, int, int, int]], seed: int) -> list[int]:
    return injected_failures.numbers(StepStatus(0, calls=calls, sites=sites), random.Random(seed))


def test_each_call_of_few_fails_and_each_place_of_many() -> None:
    assert sorted(generated(12, SITES, 1)) == list(range(1, 13))
    chosen = generated(900, [*SITES, ("cudaFree", 20, 600, 900)], 1)
    assert {1, 3, 4, 5, 11, 600, 900} < set(chosen) and len(chosen) == injected_failures.MOST
    assert set(chosen) != set(generated(900, [*SITES, ("cudaFree", 20, 600, 900)], 2))


def test_call_made_only_first_fails_in_its_own_process() -> None:
    nothing: Array = np.zeros(1)
    first = Result(StepStatus(0, calls=2, sites=[("once", 3, 1, 1), ("launch", 9, 2, 2)]), nothing)
    later = Result(StepStatus(1, calls=1, sites=[("launch", 9, 1, 1)]), nothing)
    step = Step("A", 2, 2)
    larger = replace(step, width=99)
    whole, alone = injected_failures.sequences(
        (step, step), [first, later], 1, lambda _: [larger], lambda _: step
    )
    assert [(s.failing.call, s.width) for s in whole if s.failing] == [(1, 2), (1, 99), (1, 2)]
    assert [s.failing.call if s.failing else 0 for s in alone] == [1, 0]


def test_failures_per_process_are_bounded() -> None:
    sites = [("cudaFree", line, line, line) for line in range(1, 31)]
    result = Result(StepStatus(0, calls=30, sites=sites), np.zeros(1))
    step = Step("A", 2, 2)
    pieces = [
        *injected_failures.sequences(
            (step, step), [result, result], 1, lambda _: [step, step], lambda _: step
        )
    ]
    assert all(len(piece) <= injected_failures.LENGTH for piece in pieces)
    numbers = [s.failing.call for piece in pieces for s in piece if s.failing]
    assert min(numbers.count(number) for number in range(1, 31)) == 3
    assert len(numbers) == 3 * 30 + injected_failures.MOST_AGAIN


def test_a_kernel_runs_only_before_calls_that_come_after_its_launch() -> None:
    sites = [("cudaMalloc", 1, 1, 1), ("launch", 2, 2, 2), ("cudaFree", 3, 3, 3)]
    result = Result(StepStatus(0, calls=3, sites=sites), np.zeros(1))
    step, runs = Step("A", 2, 2), Step("A", 7, 7)
    (piece,) = injected_failures.sequences(
        (step, step),
        [result, result],
        1,
        lambda computes: [runs if computes else step],
        lambda _: step,
    )
    assert [s.failing.call for s in piece if s.failing and s.width == runs.width] == [3]


def test_a_call_that_has_failed_is_made_again() -> None:
    result = Result(StepStatus(0, calls=1, sites=[("once", 3, 1, 1)]), np.zeros(1))
    step, most = Step("A", 2, 2), Step("A", 2, 2, radius=9)
    (piece,) = injected_failures.sequences(
        (step, step), [result, result], 1, lambda _: [], lambda _: most
    )
    assert [bool(s.failing) for s in piece if s.radius == most.radius] == [True, False]
