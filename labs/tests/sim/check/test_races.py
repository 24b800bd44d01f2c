"""Which accesses the checks call a race, and which not: all kernels of one program, checked once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.tests import captured

# A kernel gets 64 words of zeros; every line marked RACE is part of one, and no other line is.
KERNELS = {
    # Atomic functions in both arms of a branch: neither arm loads the word.
    "both_arms<<<2, 32>>>": """
    if (blockIdx.x == 0)
        atomicMax(&a[0], 3);
    else
        atomicMin(&a[0], -2);""",
    "reference_in_both_arms<<<2, 32>>>": """
    if (blockIdx.x == 0) {
        int &word = a[0];
        atomicOr(&word, 3);
    } else {
        int &word = a[0];
        atomicAnd(&word, 4);
    }""",
}
MAIN = """
int main() {
    int *a;
    cudaMalloc(&a, 64 * sizeof *a);
    LAUNCHES
    cudaFree(a);
    return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
"""


def _program() -> str:
    kernels, launches = "", ""
    for launch, body in KERNELS.items():
        name, configuration = launch.split("<<<")
        kernels += f"__global__ void {name}(int *a) {{{body}\n}}\n"
        launches += f"cudaMemset(a, 0, 64 * sizeof *a); {name}<<<{configuration}(a);\n    "
    return kernels + MAIN.replace("LAUNCHES", launches + "cudaDeviceSynchronize();")


@pytest.fixture(scope="module")
def racing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[int]]:
    """The lines of each kernel's findings."""
    folder = tmp_path_factory.mktemp("races")
    (folder / "races.cu").write_text(_program())
    done = captured.grade(
        "run", "--check", "--json", folder / "found.json", folder / "races.cu", timeout=120
    )
    lines: dict[str, set[int]] = {}
    assert (folder / "found.json").exists(), done.stderr
    for f in json.loads((folder / "found.json").read_text())["findings"]:
        assert f["kind"] == "global-race", f
        lines.setdefault(f["kernel"], set()).update({f["line"], f.get("other_line", f["line"])})
    return lines


@pytest.mark.parametrize("launch", KERNELS)
def test_only_the_marked_lines_race(launch: str, racing: dict[str, set[int]]) -> None:
    name = launch.split("<<<")[0]
    text = _program().split("\n")
    begins = next(i for i, line in enumerate(text) if f" {name}(int" in line)
    ends = begins + KERNELS[launch].count("\n")
    marked = {i + 1 for i in range(begins, ends + 1) if "// RACE" in text[i]}
    assert racing.get(name, set()) == marked
