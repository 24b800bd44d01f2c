"""Which loops nvcc unrolls, by four although their length is known only when they begin, or
completely: as nvcc 13.0 does, read off its machine code."""

import pytest
from tree_sitter import Node

from labs.sim.translate.control_flow.marks import Marker
from labs.sim.translate.loops.constant_values import Constants
from labs.sim.translate.loops.unrolled_loops import (
    BY_TWO,
    COUNTED,
    LOOPS,
    REMAINDER_LAST,
    UNROLLED,
    unrolling,
)
from labs.sim.translate.loops.whole_loops import is_whole, rounds
from labs.sim.translate.reader.expanded import Expanded
from labs.sim.translate.reader.program import Program

HEAD = """
const int SIDE = 5, AREA = SIDE * SIDE;
enum { LENGTH = 1 << 4 };
template <int R> __global__ void k(float *a, const float *b, int n, int i, float s) {
"""


def first_loop(body: str) -> tuple[Node, Program]:
    program = Program(Expanded(f"{HEAD}{body}\n}}\n".encode(), []))
    root = program.root
    assert not root.has_error
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in LOOPS:
            return node, program
        stack.extend(reversed(node.named_children))
    raise AssertionError(f"no loop in {body}")


def how(body: str) -> int:
    loop, program = first_loop(body)
    return unrolling(loop, program.pragmas, Marker(program, is_counted=True).is_heavy)


FOUR = UNROLLED | COUNTED
UNROLLED_BY_FOUR = {
    "begins_with_a_constant": ("for (int k = 0; k < n; k++) s += b[k];", FOUR | REMAINDER_LAST),
    "begins_with_a_variable": ("for (int k = i; k < n; k++) s += b[k];", FOUR),
    "downwards": ("for (int k = n; k >= 1; --k) s += b[k];", FOUR),
    "step_of_a_constant": ("for (int k = i; k < n; k += 32) s += b[k];", FOUR),
    "step_of_a_variable": ("for (int k = i; k < n; k += i) s += b[k];", UNROLLED),
    "two_bounds": ("for (int k = i; k < n && k < 9; k++) s += b[k];", FOUR),
    "while": ("while (i < n) { s += b[i]; i++; }", FOUR),
    "a_branch": ("for (int k = i; k < n; k++) { if (b[k] > 0) s += b[k]; }", FOUR),
    "a_counter_beside_it": (
        "int j = 0;\nfor (int k = i; k < n; k++) { s += b[j]; j++; }",
        FOUR | REMAINDER_LAST,
    ),
    "a_long_body": (
        "for (int k = i; k < n; k++) { " + "s += b[k] * b[k + 1] + b[k + 2]; " * 4 + "}",
        UNROLLED | BY_TWO,
    ),
}


@pytest.mark.parametrize("name", UNROLLED_BY_FOUR)
def test_loops_that_are_unrolled_by_four_or_two(name: str) -> None:
    assert how(UNROLLED_BY_FOUR[name][0]) == UNROLLED_BY_FOUR[name][1]


NOT_UNROLLED = {
    "break": "for (int k = 0; k < n; k++) { if (b[k] > s) break; s += b[k]; }",
    "return": "for (int k = 0; k < n; k++) { if (b[k] > s) return; s += b[k]; }",
    "barrier": "for (int k = 0; k < n; k++) { s += b[k]; __syncthreads(); }",
    "shuffle": "for (int k = 0; k < n; k++) s += __shfl_sync(~0u, s, k);",
    "inner_loop": "for (int k = 0; k < n; k++) for (int j = 0; j < k; j++) s += b[j];",
    "call": "for (int k = 0; k < n; k++) s += f(b[k]);",
    "pragma": "\n#pragma unroll 1\nfor (int k = 0; k < n; k++) s += b[k];",
    "data_decide": "while (b[i] > s) i++;",
    "bound_in_memory": "for (int k = 0; k < b[0]; k++) s += b[k];",
    "bound_changes": "for (int k = 0; k < n; k++) { s += b[k]; n--; }",
    "variable_changes_twice": "for (int k = 0; k < n; k++) { s += b[k]; if (s > 3) k++; }",
    "step_multiplies": "for (int k = 1; k < n; k *= 2) s += b[k];",
    "step_of_a_grid": "for (int k = i; k < n; k += gridDim.x * blockDim.x) s += b[k];",
    "do": "do { s += b[i]; i++; } while (i < n);",
    "too_long": "for (int k = i; k < n; k++) { " + "s += b[k] * b[k + 1] + b[k + 2]; " * 9 + "}",
}


@pytest.mark.parametrize("name", NOT_UNROLLED)
def test_loops_that_stay_loops(name: str) -> None:
    assert how(NOT_UNROLLED[name]) == 0


ROUNDS = {
    "for (int k = 0; k < 9; k++) s += b[k];": 9,
    "for (int k = -2; k <= 2; ++k) s += b[k];": 5,
    "for (int k = 16; k > 0; k /= 2) s += b[k];": 5,
    "for (int d = 128; d; d >>= 1) s += b[d];": None,
    "for (int d = 1; d < 256; d *= 2) s += b[d];": 8,
    "for (int d = 1; d < 256; d <<= 1) s += b[d];": 8,
    "for (int k = 0; k < AREA; k += SIDE) s += b[k];": 5,
    "int k; for (k = 0; k != LENGTH; k++) s += b[k];": 16,
    "for (int k = 9; k < 3; k++) s += b[k];": 0,
    "for (int k = 0; k < n; k++) s += b[k];": None,
    "for (int k = 0; k < R; k++) s += b[k];": None,
    "for (int k = 0; k < 9; k--) s += b[k];": None,
    "while (i < 9) i++;": None,
}


@pytest.mark.parametrize("loop", ROUNDS)
def test_trip_count_is_computed(loop: str) -> None:
    node, program = first_loop(loop)
    assert rounds(node, Constants(program.root)) == ROUNDS[loop]


def mask(side: int, taps: str) -> str:
    return f"for (int j = 0; j < {side}; j++) for (int k = 0; k < {side}; k++) {{ {taps} }}"


PLAIN = "s += a[k] * b[i + k];"
BORDER = (
    "int y = j + n, x = i + k; float v = 0; if (x >= 0 && x < n && y >= 0 && y < n)"
    " v = b[y * n + x]; s += a[j * {} + k] * v;"
)
CLAMP = (
    "int y = min(max(j + n, 0), n - 1), x = min(max(i + k, 0), n - 1);"
    " s += a[j * {} + k] * b[y * n + x];"
)
WHOLE = {
    "121_short_rounds": (f"for (int k = 0; k < 121; k++) {PLAIN}", True),
    "128_short_rounds": (f"for (int k = 0; k < 128; k++) {PLAIN}", False),
    "9x9_border": (mask(9, BORDER.format(9)), True),
    "11x11_border": (mask(11, BORDER.format(11)), False),
    "7x7_clamp": (mask(7, CLAMP.format(7)), True),
    "9x9_clamp": (mask(9, CLAMP.format(9)), False),
    "pragma": (f"\n#pragma unroll\nfor (int k = 0; k < 200; k++) {PLAIN}", True),
    "pragma_of_all": (f"\n#pragma unroll 9\nfor (int k = 0; k < 9; k++) {PLAIN}", True),
    "pragma_of_some": (f"\n#pragma unroll 4\nfor (int k = 0; k < 9; k++) {PLAIN}", False),
    "pragma_of_a_parameter": (f"\n#pragma unroll\nfor (int k = -R; k <= R; k++) {PLAIN}", True),
    "pragma_of_run_time": (f"\n#pragma unroll\nfor (int k = 0; k < n; k++) {PLAIN}", False),
    "nounroll": (f"\n#pragma nounroll\nfor (int k = 0; k < 9; k++) {PLAIN}", False),
    "inner_of_run_time": (
        f"for (int j = 0; j < 3; j++) for (int k = 0; k < n; k++) {PLAIN}",
        False,
    ),
    "while": ("while (i < 9) i++;", False),
}


@pytest.mark.parametrize("name", WHOLE)
def test_loops_that_are_unrolled_completely(name: str) -> None:
    node, program = first_loop(WHOLE[name][0])
    assert is_whole(node, Constants(program.root), program.pragmas) == WHOLE[name][1]


VALUES = {
    "SIDE * 2 + 1": 11, "LENGTH - AREA": -9, "(7 + 1) / 3": 2, "-7 / 2": -3, "-7 % 4": -3,
    "0x10 | 3": 19, "~1": -2, "1 << 40": None, "5 / 0": None, "n + 1": None, "R * 2": None,
    "010": None, "(int)SIDE": 5, "sizeof(float)": None, "2.5f": None,
}  # fmt: skip


@pytest.mark.parametrize("text", VALUES)
def test_constant_expressions_are_evaluated(text: str) -> None:
    node, program = first_loop(f"for (int k = {text}; k < n; k++) s += b[k];")
    constants = Constants(program.root)
    first = node.child_by_field_name("initializer")
    assert first is not None
    value = first.named_children[-1].child_by_field_name("value")
    assert constants.value(value) == VALUES[text]
    assert constants.is_known(b"R") and constants.is_known(b"SIDE") and not constants.is_known(b"n")
