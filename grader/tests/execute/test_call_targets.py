"""Traced code calls through a pointer only its own functions and those that its source names."""

import platform

import pytest

from grader.tests.execute import switched_program
from grader.tests.execute.switched_program import SwitchedProgram

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="only gcc for x86-64 has calls that can be checked"
)

HEADERS = """
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
typedef int (*function)(int);
typedef int (*comparison)(const void *, const void *);
static volatile uintptr_t zero;
static int square(int x) { return x * x; }
__attribute__((noinline)) static int guarded(int x) {
    if (x != 12345) return -1;
    puts("behind the check");
    return 7;
}
struct shape {
    __host__ __device__ virtual ~shape() {}
    __host__ __device__ virtual int sides() const { return 3; }
    int n = 1;
};
struct quad : shape { __host__ __device__ int sides() const override { return 4; } };
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static float (*root)(float) = sqrtf;
static int table[100];
static int total;
template <typename T> static T call(T (*f)(T), T x) { return f(x); }
static int labelled(int x) {
    if (x == 1) { puts("one"); }
    void *volatile at = &&here;
    if (x == 2) { return ((function)at)(x); }
    puts("two");
here:
    puts("three");
    return (int)(intptr_t)at;
}
static __device__ float twice(float x) { return 2 * x; }
static __device__ float thrice(float x) { return 3 * x; }
__device__ float (*chosen[2])(float) = {twice, thrice};
__global__ void by_pointer(float *out) { out[threadIdx.x] = chosen[threadIdx.x & 1](0.0f); }
__global__ void wild(float *out, uintptr_t at) { out[0] = ((float (*)(float))at)(1.0f); }
__global__ void virtually(float *out) { quad q; shape *volatile s = &q; out[0] += s->sides() - 4; }
"""
FOREIGN = {
    "behind memcpy()": "((function)((uintptr_t)&memcpy + 16))(width);",
    "memcpy() of the C library itself": (
        "auto f = (uintptr_t)(void *(*)(void *, const void *, size_t))memcpy;"
        "((function)(f + 1))(width);"
    ),
    "another function of the C library": "((function)((uintptr_t)&puts + 0x1000))(width);",
    "the runner, from an own function": "((function)((uintptr_t)&guarded + 0x8000))(width);",
    "the runtime, from one of its functions": "((function)((uintptr_t)&cudaMalloc + 64))(width);",
    "behind a check": "((function)((uintptr_t)&guarded + 6 + zero))(width);",
    "a constant": "((function)(0x400000 + zero))(width);",
    "a union": (
        "union { uintptr_t number; function f; } u; u.f = square; u.number += 3; u.f(width);"
    ),
    "bytes on the stack": (
        "volatile unsigned char code[] = {0xc3, 0xc3}; ((void (*)())(uintptr_t)&code[0])();"
    ),
    "bytes of a constant": (
        "static const unsigned char code[] = {0xc3, 0xc3}; auto volatile at = &code[0];"
        "((void (*)())(uintptr_t)at)();"
    ),
    "a variable": "auto volatile at = &total; ((function)(uintptr_t)at)(width);",
    "a virtual table in own memory": """
        uintptr_t forged[4]; for (auto &f : forged) f = (uintptr_t)&puts + 8;
        shape *s = new quad; uintptr_t *first = forged; memcpy((void *)s, &first, sizeof first);
        shape *volatile p = s; total += p->sides();""",
    "std::function, overwritten": """
        std::function<int(int)> f = square; uintptr_t words[4]; memcpy(words, &f, sizeof words);
        words[3] += 5; memcpy((void *)&f, words, sizeof words); total += f(width);""",
    "a label": "total += labelled(2);",
    "qsort()": "qsort(table, 9, 4, (comparison)((uintptr_t)&by_value + 4 + zero));",
    "bsearch()": (
        "auto search = bsearch; auto volatile s = search;"
        "s(table, table, 9, 4, (comparison)((uintptr_t)&by_value + 4 + zero));"
    ),
    "cudaLaunchHostFunc()": ("cudaLaunchHostFunc(0, (cudaHostFn_t)((uintptr_t)&puts + 4), table);"),
    "a kernel by an address": (
        "auto k = (void (*)(float *))((uintptr_t)&guarded + 9 + zero); k<<<1, 1>>>(d_out);"
        "cudaDeviceSynchronize();"
    ),
    "in a kernel": "wild<<<1, 1>>>(d_out, (uintptr_t)&puts + 4); cudaDeviceSynchronize();",
}
OWN = {
    "a function of the library by its name": "root = width > 99 ? cosf : sqrtf; total += root(4);",
    "a template with a function pointer": (
        "total += call(square, width) + (int)call<double>(sin, 1);"
    ),
    "std::function": """
        int k = 3; std::function<int(int)> f = [k](int x) { return x + k; }; f = std::bind(f, 2);
        total += f(width); f = square; total += f(width);""",
    "virtual functions": """
        std::unique_ptr<shape> s(new quad); shape *volatile p = s.get(); total += p->sides();
        auto shared = std::make_shared<quad>(); std::shared_ptr<shape> other = shared;""",
    "qsort() and bsearch()": (
        "qsort(table, 100, 4, by_value); int k = 0; bsearch(&k, table, 100, 4, by_value);"
    ),
    "std::sort() with a function": """
        std::vector<int> v(50, 1); bool (*less)(int, int) = [](int a, int b) { return a < b; };
        std::sort(v.begin(), v.end(), less);
        std::transform(v.begin(), v.end(), v.begin(), square);""",
    "a table of functions and a switch": """
        static int (*const all[])(int) = {square, abs, toupper, labelled};
        for (int i = 0; i < 3; i++) total += all[(i + width) % 3](i);
        switch (width % 9) { case 0: puts("a"); break; case 1: total += square(9); break;
        case 2: total++; break; case 3: total += abs(width); break; case 4: labelled(0); break;
        case 5: total--; break; default: break; }""",
    "virtual functions of the C++ library": """
        std::ostringstream s; s << std::hex << 255 << std::endl << 1.5;
        std::cout << s.str() << std::endl;
        std::istringstream in("12 x"); std::locale l;
        total += std::use_facet<std::ctype<char>>(l).toupper('a');
        std::ostream &(*volatile end)(std::ostream &) = std::endl; std::cout << end;""",
    "exceptions": """
        try { std::vector<int>(3).at(width + 10); }
        catch (const std::exception &e) { puts(e.what()); }
        try { throw std::runtime_error("own"); }
        catch (const std::exception &e) { puts(e.what()); }
        std::map<std::string, std::function<void()>> m; m["a"] = [] { throw 3; };
        try { m["a"](); } catch (int x) { total += x; }""",
    "std::call_once()": "static std::once_flag once; std::call_once(once, [] { total++; });",
    "members by pointer": (
        "int (shape::*m)() const = &shape::sides; quad q; shape *p = &q; total += (p->*m)();"
    ),
    "callbacks of the runtime": """
        cudaStream_t s; cudaStreamCreate(&s);
        cudaLaunchHostFunc(s, [](void *p) { ((int *)p)[0] = 0; }, table);
        cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t, void *) { total++; }, nullptr, 0);
        cudaStreamSynchronize(s); cudaStreamDestroy(s);""",
    "kernels by pointer": """
        float *d; cudaMalloc(&d, 8); cudaMemset(d, 0, 8); void *arguments[] = {&d};
        void (*k)(float *) = by_pointer; k<<<1, 2>>>(d); virtually<<<1, 1>>>(d);
        cudaLaunchKernel((const void *)by_pointer, dim3(1), dim3(1), arguments, 0, 0);
        if (cudaDeviceSynchronize() != cudaSuccess) return cudaErrorUnknown; cudaFree(d);""",
    "a deleter and malloc() by pointer": """
        std::unique_ptr<void, void (*)(void *)> p(malloc(10), free);
        void *(*volatile get)(size_t) = malloc; p.reset(get(20)); memset(p.get(), 0, 20);""",
}
# The call is in code of the simulator's headers: no line of the submission is known.
IN_A_HEADER = ("a kernel by an address",)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> SwitchedProgram:
    return switched_program.build(tmp_path_factory.mktemp("targets"), HEADERS, {**FOREIGN, **OWN})


@pytest.mark.parametrize("name", FOREIGN)
def test_call_to_a_non_function_ends_the_run_at_its_line(built: SwitchedProgram, name: str) -> None:
    outcome = built.run(name).outcome
    assert outcome.end == "no-result", (outcome.reason, outcome.findings)
    (finding,) = (f for f in outcome.findings if f.kind == "foreign-call")
    if name not in IN_A_HEADER:
        assert finding.file.endswith("global_memory.cu") and finding.line
    assert not outcome.evidence.is_complete()


@pytest.mark.parametrize("name", OWN)
def test_functions_named_in_the_source_may_be_called(built: SwitchedProgram, name: str) -> None:
    run = built.run(name)
    assert run.outcome.end == "completed" and run.right, (run.outcome.reason, run.outcome.findings)
    assert not [f for f in run.outcome.findings if f.severity == "error"]
