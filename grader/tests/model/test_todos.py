"""Which TODOs are still open."""

import pytest

from grader.model import outline, spec, todos
from grader.paths import SOLUTIONS
from solutions import starters

FILES = [
    f"{lab.folder}/{name}" for lab in map(spec.load, outline.available()) for name in lab.submit
]
KERNEL = """
static __device__ float sum(const float *line) {
    /* TODO 1: add the taps.  (about 3 lines) */
    %s
}
/* ---- part A: one ---- */
__global__ void __launch_bounds__(64) sum_kernel(float *d_out) {
    d_out[0] = sum(d_out);
}
/* ---- part B: two ---- */
cudaError_t launch(float *d_out) {
    /* TODO 2: launch. */
    sum_kernel<<<1, 64>>>(d_out);
    return cudaGetLastError();
}
"""
OPEN = "(void)line;\n    return 0.0f;", "", "// not yet\n    (void)line;"
DONE = "return line[0] + line[1];", "(void)line;\n    return line[0];", "(void)line;\n    x();"


@pytest.mark.parametrize("file", FILES)
def test_a_starter_has_open_todos_and_a_solution_has_none(file: str) -> None:
    solution = (SOLUTIONS / file).read_text()
    starter, exercises = starters.split(solution)
    found = todos.open_in(starter)
    lines = starter.splitlines()
    assert [f"TODO {n}:" in lines[t.line - 1] for n, t in enumerate(found, 1)] == [True] * len(
        found
    )
    assert len(found) == len(exercises) and all(todo.function for todo in found)
    assert todos.open_in(solution) == []


@pytest.mark.parametrize("code", [*OPEN, *DONE])
def test_called_functions_with_open_todos_are_needed(code: str) -> None:
    text = KERNEL % code
    found = [todos.Todo(3, "", "sum")] if code in OPEN else []
    assert todos.open_in(text) == found
    assert todos.open_in(text.replace("\n", "\r\n")) == found
    assert todos.needed(text, ["launch"]) == found, "through a kernel"
    assert todos.needed(text, ["sum"]) == [], "it says so itself"
    assert todos.needed(text, ["other"]) == []
