"""Errors of a student's file in the words of CUDA, through the compilers."""

import platform
from pathlib import Path

import pytest

from grader.compile import cuda_words, make
from grader.compile.compiler_messages import Diagnostic, program_errors
from grader.compile.make import BuildRequest
from grader.model import spec
from grader.model import submission as submissions

KERNEL = "__global__ void k(float *p, int n) { p[0] = n; }\n"
TEMPLATE = "template <int N> __global__ void k(float *p) { p[0] = N; }\n"
LAUNCH = "a launch is written kernel<<<grid, block>>>(arguments): here it has "
SAID = {
    "__global__ int k(float *p) { return 0; }\nvoid f(float *p) { k<<<1, 1>>>(p); }\n": (
        "1: a kernel returns void: write __global__ void k(...)"
    ),
    "template <int N> __global__ float k(float *p) { return N; }\n"
    "void f(float *p) { k<3><<<1, 1>>>(p); }\n": (
        "1: a kernel returns void: write __global__ void k(...)"
    ),
    "__global__ k(float *p) { p[0] = 1; }\nvoid f(float *p) { k<<<1, 1>>>(p); }\n": (
        "1: a kernel returns void: write __global__ void k(...)"
    ),
    KERNEL + "void f(float *p) { k<<1, 1>>(p, 1); }\n": f"2: {LAUNCH}`<<`",
    KERNEL + "void f(float *p) { k<<<1, 1>>(p, 1); }\n": f"2: {LAUNCH}`>>`",
    KERNEL + "void f(float *p) { k<‹<1, 1>>>(p, 1); }\n": f"2: {LAUNCH}`<‹<`",
    TEMPLATE + "void f(float *p) { dim3 g(1); k<3><<g, g>>(p); }\n": f"2: {LAUNCH}`<<`",
    "template <int N> __global__ void t(float *p) { __syncThreads(); }\n": (
        "1: __syncThreads() is not declared: did you mean __syncthreads()?"
    ),
    "__global__ void t(float *p) { syncthreads(); }\n": (
        "1: syncthreads() is not declared: did you mean __syncthreads()?"
    ),
    "template <int N> __global__ void t(float *p) { __syncwrap(); }\n": (
        "1: __syncwrap() is not declared: did you mean __syncwarp()?"
    ),
    "int f(int n) {\n    int s = 0;\n    for (int i = 0; i < n; i++);\n        s += i;\n"
    "    return s;\n}\n": "3: the `;` after `for (...)` ends the loop: below it there is no `i`",
    KERNEL + "void f(float *p) { int k2 = 1; k2<<<1, 1>>>(p); }\n": (
        "2: k2 is no kernel: a launch is written kernel<<<grid, block>>>(arguments)"
    ),
    KERNEL + "void f(float *p) { k(p, 1); }\n": (
        "2: k() is a kernel: a launch is written k<<<grid, block>>>(arguments)"
    ),
    "float f(float x) { return x; }\n__global__ void k(float *p) { p[0] = f(1); }\n": (
        "2: a kernel cannot call f(), a __host__ function: mark it __host__ __device__ if both may "
        "call it"
    ),
    "#include <numeric>\n__global__ void k(int *p) { std::iota(p, p + 3, 0); }\n": (
        '2: calling a __host__ function("std::iota") from a __global__ function is not allowed; if '
        "it is constexpr, --expt-relaxed-constexpr allows it, as for nvcc"
    ),
    "template <class T> __global__ void k(T *p, T n) {}\n"
    "void f(float *p) { k<<<1, 1>>>(p, 1); }\n": (
        "2: no matching function for call to ‘k(float*&, int)’"
    ),
}


@pytest.mark.parametrize("text", SAID)
def test_an_error_is_said_in_cudas_words(tmp_path: Path, text: str) -> None:
    (tmp_path / "constant_mask.cu").write_text(text)
    found = submissions.find(spec.load("lab3"), str(tmp_path))
    built = make.build(BuildRequest(found, "sim"))
    assert built.binary is None
    assert built.errors[0] == f"{found.path('constant_mask.cu')}:{SAID[text]}"
    assert "sim_" not in "".join(built.errors)
    if LAUNCH in SAID[text]:
        assert len(built.errors) == 2, "the line of the launch, and nothing about its signs"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("int x = a << 3.0f;", "invalid operands of types ‘int’ and ‘float’ to ‘operator<<’"),
        ("k<<<1, 1>>>(p, 1, 2);", "too many arguments to function ‘void k(float*, int)’"),
        ("int x = wdth;", "‘wdth’ was not declared in this scope; did you mean ‘width’?"),
        ("for (int i = 0; i < 3; i++) {} i;", "‘i’ was not declared in this scope"),
    ],
)
def test_another_error_stays(tmp_path: Path, line: str, error: str) -> None:
    (tmp_path / "constant_mask.cu").write_text(f"{KERNEL}{line}\n")
    found = submissions.find(spec.load("lab3"), str(tmp_path))
    diagnostic = Diagnostic(found.path("constant_mask.cu"), 2, "error", error)
    assert cuda_words.reworded([diagnostic], "", found) == [diagnostic]


BROKEN = {
    "void grey_avx2(const uint8_t *rgb, int w, int h, struct weights c, uint8_t *grey) {\n"
    "    __m256i v = _mm256_loadu_si256((const __m256i *)rgb);\n"
    "    v = _mm256_madd_epi16(v, v);\n"
    "    _mm256_storeu_si256((__m256i *)grey, v);\n}\n": (
        '4: _mm256_loadu_si256() needs __attribute__((target("avx2"))) before grey_avx2()'
    ),
    "__m128i sums(__m128i a) {\n    return _mm_shuffle_epi8(a, a);\n}\n": (
        '4: _mm_shuffle_epi8() needs __attribute__((target("ssse3"))) before sums()'
    ),
    '__attribute__((target("ssse3"))) int least(__m128i a) {\n'
    "    return _mm_extract_epi32(_mm_min_epi32(a, a), 0);\n}\n": (
        '4: _mm_min_epi32() needs __attribute__((target("sse4.1"))) before least()'
    ),
}


@pytest.mark.parametrize("text", BROKEN)
@pytest.mark.skipif(platform.machine() != "x86_64", reason="SSE and AVX2 are of x86-64")
def test_a_vector_function_names_the_attribute_that_is_missing(tmp_path: Path, text: str) -> None:
    (tmp_path / "grayscale.c").write_text(f'#include "lab.h"\n#include <immintrin.h>\n{text}')
    (tmp_path / "grayscale.cu").write_text("")
    found = submissions.find(spec.load("lab8"), str(tmp_path))
    built = make.build(BuildRequest(found, "sim"))
    assert built.errors[0] == f"{found.path('grayscale.c')}:{BROKEN[text]}"


def test_a_program_of_ones_own_has_no_internal_names_either() -> None:
    log = "a.cu:2:1: error: no matching function for call to ‘sim_kernel(int&)’\n"
    log += "a.cu:3:1: error: no matching function for call to ‘k_sim_kernel(int)’\n"
    said = "\n".join(program_errors(log))
    assert "sim_" not in said and "call to ‘k(int)’" in said
