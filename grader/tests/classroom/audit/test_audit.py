"""What an audit grades, and what it makes of it."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from grader.classroom.audit import cheats, variants
from grader.classroom.audit.audit import Audit, interval
from grader.classroom.audit.cheats import Answer
from grader.classroom.audit.mutants import Edit, Mutant, solved_text
from grader.classroom.audit.trial import Outcome
from grader.model import spec
from grader.model.lab import Computation, GivenArray, OutputArray
from grader.model.result import Check

SOLUTION = """\
#include "lab.h"
enum { THREADS = 256 };
__global__ void sum_kernel(const float *d_x, int n, float *d_out) {
    // BEGIN SOLUTION
    // STARTER: (void)d_x;
    const int i = threadIdx.x;  /* its number */
    if (i < n) {
        atomicAdd(d_out, d_x[i]);
    }
    // END SOLUTION
}
cudaError_t total(const float *d_x, int n,
                  float *d_out) {
    sum_kernel<<<1, THREADS>>>(d_x, n, d_out);
    return cudaGetLastError();
}
"""
ANSWER = Answer("kernels with other names", "", "total.cu", "")
SLIP = Mutant("lab9", "total.cu", "f", "bound", "bound", "bound-1", (Edit(0, 1, "<", "<=", 1),))


@pytest.fixture
def lab() -> Any:
    """Lab 2 with another operation, and without a driver of its own."""
    lab = spec.load("lab2")
    part = msgspec.structs.replace(lab.part[0], call="total(d_x, n, d_out)", operation="sum")
    computes = Computation({"x": GivenArray(["n"])}, OutputArray([1]))
    return msgspec.structs.replace(
        lab, part=[part], operation={"sum": computes}, submit=["total.cu"], folder="lab99_none"
    )


def test_cheats_keep_the_signature_and_call_the_solution_by_another_name(lab: Any) -> None:
    made = {a.name: a.text for a in cheats.of(lab, {"total.cu": solved_text(SOLUTION)})}
    assert set(made) == {"empty", "zeros", "memo"}
    for text in made.values():
        assert "STARTER" not in text and text.count(" total(const float *d_x, int n,") == 1
        assert "cudaError_t total_solved(" in text
    assert "total_solved(d_x, n, d_out);" in made["memo"]
    assert "cudaMemset(d_out, 0, sizeof(float) * (size_t)1)" in made["zeros"]


def test_a_lab_with_a_driver_of_its_own_has_no_cheats() -> None:
    assert list(cheats.of(spec.load("lab2"), {"global_memory.cu": SOLUTION})) == []


def test_variants_differ_from_the_solution_and_change_what_they_say() -> None:
    made = {a.name: a.text for a in variants.of({"total.cu": SOLUTION})}
    assert SOLUTION not in made.values()
    assert "its number" not in made["without comments"]
    renamed = made["kernels with other names"]
    assert "my_sum_kernel<<<1" in renamed and " sum_kernel" not in renamed
    assert "if (n > i) {" in made["comparisons turned round"]
    several = "if (first + u < k && v < n || a <= b) {}\nfor (i = 0; i < n; i++) {}\n"
    turned = {a.name: a.text for a in variants.of({"f": several})}["comparisons turned round"]
    assert turned == "if (first + u < k && n > v || b >= a) {}\nfor (i = 0; n > i; i++) {}\n"
    assert "THREADS = 512" in made["blocks of twice the size"]


def made(caught: list[str | None], **more: Any) -> Audit:
    found = Audit(spec.load("lab2"), [Check("lab2/A/x", "x", "correct", "pass")])
    for number, kind in enumerate(caught):
        found.slips[replace(SLIP, name=f"bound-{number}")] = Outcome("", kind)
    return replace(found, **more)


def test_problems_are_what_misses_the_bar() -> None:
    assert made(["correct"] * 19 + [None]).problems() == []
    assert "90% of the slips are caught" in made(["correct"] * 18 + [None] * 2).problems()[0]
    assert made(["correct"] * 20, lost={ANSWER: []}).problems() == []
    assert "right variant loses" in made(["safe"], lost={ANSWER: ["speed"]}).problems()[0]
    blocks = replace(ANSWER, name="blocks of half the size")
    assert made(["safe"], lost={blocks: ["few loads"]}).problems() == []
    assert "cheat" in made(["safe"], cheats={ANSWER: Outcome("", None)}).problems()[0]
    assert made(["correct", "safe", "error"]).caught() == {"correct": 1, "safe": 1}
    assert len(made(["error", None]).survivors()) == 2
    broken = Check("lab2/A/x", "x", "correct", "error", message=["no disk"])
    assert made([], solution=[broken]).problems() == ["the solution does not pass x: no disk"]
    assert "cheat" in made(["safe"], cheats={ANSWER: Outcome("", "error")}).problems()[0]


def test_the_interval_holds_the_share_and_shrinks() -> None:
    for hits, of in ((0, 10), (5, 10), (10, 10), (95, 100)):
        low, high = interval(hits, of)
        assert 0 <= low <= hits / of <= high <= 1
    assert interval(10, 10)[0] < interval(100, 100)[0] < 1
    assert interval(0, 0) == (0.0, 1.0)
