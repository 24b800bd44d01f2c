"""Which loops need no mark for each round; the counters are the same without these marks."""

import json
from pathlib import Path

import pytest
from tree_sitter import Node

from grader.tests import captured
from labs.sim.translate.loops.constant_values import Constants
from labs.sim.translate.loops.straight_loops import Straight, constants_of
from labs.sim.translate.reader.expanded import Expanded
from labs.sim.translate.reader.program import Program

HEAD = """
enum { LENGTH = 1 << 4 };
template <bool B> inline __device__ float product(float x, float y) {
    return B ? __fmul_rn(x, y) : x * y;
}
inline __device__ float sum_of(float x, float y) {
    return product<true>(x, y) + y;
}
inline __device__ float element(const float *p, int i) {
    return p[i];
}
inline __device__ float larger(float x, float y) {
    return x > y ? x : y;
}
inline __device__ float factorial(int i) {
    return i * factorial(i - 1);
}
inline __device__ void add_to(float &x, float y) {
    x += y;
}
inline __device__ float either(float x) {
    return x;
}
inline __device__ float either(const float *p) {
    return *p;
}
template <int R> __global__ void k(float *a, const float *b, int n, int size, float s) {
    constexpr int width = 2 * R + 1;
"""


def first(node: Node, kind: str) -> Node:
    stack = [node]
    while stack:
        node = stack.pop()
        if node.type == kind:
            return node
        stack.extend(reversed(node.named_children))
    raise AssertionError(f"no {kind}")


def first_loop(body: str) -> tuple[Straight, Node, set[bytes]]:
    """The first loop of the body, and what is constant around it."""
    program = Program(Expanded(f"{HEAD}{body}\n}}\n".encode(), []))
    root = program.root
    assert not root.has_error
    kernel = [n for n in root.named_children if n.type == "template_declaration"][-1]
    local = constants_of(first(kernel, "function_definition"))
    straight = Straight(root, Constants(root), program.pragmas)
    return straight, first(root, "for_statement"), local


def straight(body: str) -> bool:
    code, loop, local = first_loop(body)
    return code.is_straight(loop, local)


UNROLL = "#pragma unroll\n"
STRAIGHT = {
    "literal": "for (int k = 0; k < 8; k++) s += b[k];",
    "enumerator": "for (int k = 0; k < LENGTH; k++) { s += b[k]; }",
    "parameter of a template": "for (int k = -R; k <= R; ++k) s += b[k];",
    "constexpr of the function": "for (int k = 0; k < width; k += 2) s = fmaf(b[k], s, b[k + 1]);",
    "downwards": "for (int k = width - 1; k >= 0; k--) s += __ldg(&b[k]);",
    "assigned first": "int k;\n#pragma unroll\nfor (k = 0; k < 4; k++) s += b[k];",
    "nested": (
        "for (int k = 0; k < 4; k++) {\n#pragma unroll\nfor (int j = 0; j < R; j++) s += b[j]; }"
    ),
    "inner loop of as many rounds as the outer counts": (
        "for (int k = 0; k < 4; k++) {\n#pragma unroll\nfor (int j = 0; j < k; j++) s += b[j]; }"
    ),
    "an array as long as a constant": "for (int k = 0; k < width; k++) s += b[k];\nfloat t[width];",
    "choice by a constant": "for (int k = 0; k < 8; k++) s += R > 2 ? b[k] : a[k];",
    "choice by the counter": "for (int k = 0; k < 8; k++) s += k > 0 && R != k ? b[k] : 0;",
    "if by the counter": "for (int k = 0; k < 8; k++) { if (k != R) s += b[k]; else s -= b[k]; }",
    "call that computes": "for (int k = 0; k < 8; k++) s += product<R == 1>(s, b[k]);",
    "inner loop without a pragma": (
        "for (int k = 0; k < 8; k++) for (int j = 0; j < 2; j++) s += b[j];"
    ),
    "call that calls": "for (int k = 0; k < 8; k++) s += sum_of(s, b[k]);",
}
MARKED = {
    "length known at run time": "for (int k = 0; k < n; k++) s += b[k];",
    "first round known at run time": "for (int k = n; k < 8; k++) s += b[k];",
    "a parameter that an inner constant hides": (
        "for (int k = 0; k < size; k++) s += b[k];\n{ constexpr int size = 3; s += size; }"
    ),
    "if": "for (int k = 0; k < 8; k++) if (b[k] > 0) s += b[k + 1];",
    "choice": "for (int k = 0; k < 8; k++) s += n > k ? b[k] : a[k];",
    "second operand of and": "for (int k = 0; k < 8; k++) s += n > k && b[k] > 0;",
    "break": "for (int k = 0; k < 8; k++) { s += b[k]; break; }",
    "continue": "for (int k = 0; k < 8; k++) { s += b[k]; continue; }",
    "return": "for (int k = 0; k < 8; k++) { a[k] = s; return; }",
    "barrier": "for (int k = 0; k < 8; k++) { a[k] = s; __syncthreads(); }",
    "shuffle": "for (int k = 1; k < 8; k += 2) s += __shfl_xor_sync(~0u, s, k);",
    "call": "for (int k = 0; k < 8; k++) s += function(b, k);",
    "call that accesses memory": "for (int k = 0; k < 8; k++) s += element(b, k);",
    "call that accesses memory in one of its forms": "for (int k = 0; k < 8; k++) s += either(s);",
    "call that chooses": "for (int k = 0; k < 8; k++) s += larger(s, b[k]);",
    "call of itself": "for (int k = 0; k < 8; k++) s += factorial(k);",
    "call that changes its argument": "for (int k = 0; k < 8; k++) add_to(s, b[k]);",
    "choice by a variable named like the counter": (
        "for (int k = 0; k < 8; k++) { int k = n; s += k > 2 ? b[k] : 0; }"
    ),
    "lambda": "for (int k = 0; k < 8; k++) s += [&] { return b[k]; }();",
    "counter changed in the body": "for (int k = 0; k < 8; k++) { s += b[k]; k += n; }",
    "counter lent": "for (int k = 0; k < 8; k++) { int *p = &k; s += b[*p]; }",
    "counter lent to a function": "for (int k = 0; k < 8; k++) { add_to(k, n); s += b[k]; }",
    "inner loop of as many rounds as a counter that is lent": (
        "for (int k = 0; k < 8; k++) { add_to(k, n);\n#pragma unroll\n"
        "for (int j = 0; j < k; j++) s += b[j]; }"
    ),
    "step that doubles": "for (int k = 1; k < 8; k *= 2) s += b[k];",
    "two conditions": "for (int k = 0; k < 8 && b[k] > 0; k++) s += b[k];",
    "inner loop that is not unrolled": (
        "for (int k = 0; k < 8; k++) {\n#pragma unroll 1\nfor (int j = 0; j < 2; j++) s += b[j]; }"
    ),
    "long inner loop without a pragma": (
        "for (int k = 0; k < 8; k++) for (int j = 0; j < 999; j++) s += b[j];"
    ),
    "inner loop of any length": (
        "for (int k = 0; k < 8; k++) {\n#pragma unroll\nfor (int j = 0; j < n; j++) s += b[j]; }"
    ),
}


@pytest.mark.parametrize("name", STRAIGHT)
def test_uniform_loops_have_no_control_flow_marks(name: str) -> None:
    body = STRAIGHT[name]
    assert straight(body if body.startswith("int") else UNROLL + body)


@pytest.mark.parametrize("name", MARKED)
def test_divergent_loops_have_control_flow_marks(name: str) -> None:
    assert not straight(UNROLL + MARKED[name])


@pytest.mark.parametrize(
    "pragma", ["#pragma unroll 4\n", "#pragma nounroll\n", "#pragma unroll 1\n"]
)
def test_a_pragma_for_fewer_copies_leaves_the_marks(pragma: str) -> None:
    assert not straight(pragma + STRAIGHT["literal"])


@pytest.mark.parametrize(("rounds", "whole"), [("8", True), ("121", True), ("999", False)])
def test_without_a_pragma_as_many_rounds_as_nvcc_unrolls(rounds: str, whole: bool) -> None:
    assert straight(f"for (int k = 0; k < {rounds}; k++) s += b[k];") == whole
    assert straight(f"{UNROLL}for (int k = 0; k < {rounds}; k++) s += b[k];")


def test_without_a_pragma_an_unknown_constant_leaves_the_marks() -> None:
    assert not straight("for (int k = 0; k < R; k++) s += b[k];")


@pytest.mark.parametrize(
    ("body", "same"),
    [
        ("if (n > k) { s += b[k]; }", True),
        ("s += sum_of(s, k);", True),
        ("add_to(s, b[k]);", True),
        ("add_to(k, n);", False),
        ("[&] { k += n; }();", False),
        ("if (n > 3) { k++; }", False),
    ],
)
def test_a_counter_is_the_same_in_all_lanes_unless_its_round_may_change_it(
    body: str, same: bool
) -> None:
    code, loop, local = first_loop(f"for (int k = 0; k < 8; k++) {{ {body} }}")
    assert code.counter(loop, local) == ({b"k"} if same else set())


# LOOP stands for a loop of 6 loads. Lanes come to it on different ways.
DIVERGED = {
    "after_a_branch": "if (t % 3 == 0) s += b[t]; LOOP",
    "before_a_branch": "LOOP if (t % 3 == 0) s += b[t + 7];",
    "in_both_arms": "if (t % 2) { LOOP } else { s += b[t]; LOOP } s += b[t + 1];",
    "in_a_loop": "for (int i = 0; i < t % 4; i++) { LOOP s += b[i + t]; }",
    "after_continue": "for (int i = 0; i < 5; i++) { if ((t + i) % 3 == 0) continue; LOOP }",
    "after_break": "for (int i = 0; i < 9; i++) { if (i > t % 5) break; LOOP } s += b[t + 3];",
    "after_return": "if (t % 8 == 5) { a[t] = s; return; } LOOP",
    "of_a_constant_choice": (
        "\n#pragma unroll\nfor (int k = 0; k < 4; k++) {"
        " if (k % 2) s += b[t + k]; else s -= b[k]; }"
        " if (t % 3 == 0) s += b[t]; LOOP"
    ),
    "in_a_switch": (
        "switch (t % 3) { case 0: s += b[t]; case 1: LOOP break; default: s += b[2 * t]; }"
    ),
    "twice": "LOOP if (t & 1) s += b[t + 9]; LOOP",
}
LOOP = "\n{}\nfor (int k = 0; k < 6; k++) s += b[t * 3 + k * 64];\n"


def counters(pragma: str, folder: Path) -> dict[str, dict[str, int]]:
    """What ./grade run counts of each kernel of DIVERGED, its loops with this pragma."""
    kernels = "".join(
        f"__global__ void {name}(float *a, const float *b) {{\n"
        "int t = threadIdx.x; float s = 0;\n"
        f"{body.replace('LOOP', LOOP.format(pragma))}\na[t] = s;\n}}\n"
        for name, body in DIVERGED.items()
    )
    calls = "".join(f"{name}<<<1, 96>>>(a, b);\n" for name in DIVERGED)
    source = folder / "diverged.cu"
    source.write_text(
        f"{kernels}int main(void) {{\nfloat *a, *b;\ncudaMalloc(&a, 4000); cudaMalloc(&b, 4000);\n"
        f"cudaMemset(b, 0, 4000);\n{calls}cudaFree(a); cudaFree(b);\n"
        "return cudaDeviceSynchronize();\n}\n"
    )
    process = captured.grade("run", source, "--json", folder / "counters.json")
    assert process.returncode == 0, process.stderr
    document = json.loads((folder / "counters.json").read_text())
    return {kernel["name"]: kernel["counters"] for kernel in document["kernels"]}


def test_the_counters_are_those_with_marks(tmp_path: Path) -> None:
    """`unroll 99` copies the rounds as often as no number does, and leaves the marks. nvcc makes
    straight code of a short loop with a pragma and without."""
    without = counters("#pragma unroll", tmp_path)
    assert set(without) == set(DIVERGED)
    assert without == counters("#pragma unroll 99", tmp_path)
    assert without == counters("", tmp_path)
    requests = {name: c["global_load_requests"] for name, c in without.items()}
    assert requests["after_a_branch"] == 3 * (1 + 6)
    assert requests["after_return"] == 3 * 6
