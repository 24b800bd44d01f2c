"""Counts from nvcc's machine code: which kernel, which unit, and a launch from end to end."""

import os
from pathlib import Path

import pytest

from grader.execute.program import build, execute_sampled
from grader.predict import nvcc
from grader.sass import compiled
from grader.sass.listing import Function, Instruction
from grader.setup import nvcc as setup

PROGRAM = """
#include <cuda_runtime.h>
namespace {
template <class T> __global__ void sums(const T *in, T *out, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        T sum = 0;
        for (int t = 0; t < taps; t++) {
            sum += in[i + t] * in[t];
        }
        out[i] = sum;
    }
}
__global__ void waits(long long *out) {
    const long long begun = clock64();
    while (clock64() - begun < 1000) {
    }
    *out = begun;
}
}
int main(void) {
    float *in, *out;
    cudaMalloc(&in, 5000 * 4);
    cudaMalloc(&out, 4096 * 4);
    sums<<<16, 256>>>(in, out, 4000, 37);
    waits<<<1, 1>>>((long long *)out);
    cudaFree(in);
    cudaFree(out);
}
"""


def test_a_launch_is_counted_from_its_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """37 taps of 4,000 sums: 125 warps; the other three end before the loop."""
    monkeypatch.setenv("PATH", os.environ["PATH"])
    setup.add_to_path()
    if compiled.missing():
        pytest.skip("needs nvcc and nvdisasm")
    file = tmp_path / "program.cu"
    file.write_text(PROGRAM)
    built = build([str(file)], True, coded=True)
    done, launches, _ = execute_sampled(built, [], 60, 16)
    assert done.status == 0
    sums, waits = nvcc.of_launches(built.binary, launches, compiled.of_program(built.binary))
    assert sums.by_nvcc and 16 <= sums.registers < 64
    assert sums.operations["memory"] == 125 * (2 * 37 + 1)
    assert 125 * 37 <= sums.operations["fma"] < 2 * 125 * 37
    assert sums.sources["issue"].file.endswith("program.cu")
    assert not waits.by_nvcc or waits.operations["clock"] > 0
    assert not nvcc.of_launches(built.binary, launches, None)[0].by_nvcc


@pytest.mark.parametrize(
    ("gcc", "other"),
    [
        ("_Z4tilePf.constprop.0", "_Z4tilePf"),
        ("_ZN12_GLOBAL__N_14bulkEPf", "_ZN38_GLOBAL__N__bc883c95_4_k_cu_284fa7d1_94bulkEPf"),
    ],
)
def test_a_kernel_has_one_name_for_both_compilers(gcc: str, other: str) -> None:
    assert nvcc._plain(gcc) == nvcc._plain(other)


@pytest.mark.parametrize(
    ("op", "operands", "kind"),
    [
        ("FFMA", "R1, R2, R3, R1", "fma"),
        ("FFMA", "R1, R2, c[0x3][0x10], R1", "fma"),
        ("IMAD.WIDE", "R2, R4, R5, R6", "imul"),
        ("UIADD3", "UR4, UR4, 0x1, URZ", "uniform"),
        ("ISETP.GE.AND", "P0, PT, R1, R2, PT", "alu"),
        ("LDS.128", "R4, [R2]", "memory"),
        ("LDC", "R4, c[0x3][R2]", "constant"),
        ("LDC", "R4, c[0x0][0x210]", "parameter"),
        ("STL", "[R1], R2", "frame"),
    ],
)
def test_an_instruction_goes_to_the_unit_of_its_name(op: str, operands: str, kind: str) -> None:
    assert nvcc.kind(op, operands) == kind


def test_loads_that_are_used_together_are_waited_for_once() -> None:
    lines = [
        ("LDG.E", "R1, desc[UR4][R8.64]"),
        ("LDG.E", "R2, desc[UR4][R8.64+0x4]"),
        ("IADD3", "R5, R6, R7, RZ"),
        ("FADD", "R3, R1, R2"),
        ("LDG.E", "R1, desc[UR4][R8.64+0x8]"),
        ("EXIT", ""),
    ]
    code = [Instruction(16 * i, "", op, names, ()) for i, (op, names) in enumerate(lines)]
    counts = {one.address: 10.0 for one in code} | {80: 5.0}
    assert nvcc.waits(Function("k", True, code), counts) == 20
