"""Faults of programs that people bring, and right programs that are like them: what is printed."""

import fcntl
import os
import struct
import subprocess
import sys
import termios
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from grader import exit_codes, paths
from grader.tests import captured

pytestmark = [pytest.mark.apart, pytest.mark.slow("each builds and runs a program")]
BOTH = ((), ("--check",))
HOST = "int main() { int *d; cudaMalloc(&d, 256); %s cudaDeviceSynchronize(); cudaFree(d); }\n"


def ran(folder: Path, source: str, *options: str) -> CompletedProcess[str]:
    program = folder / "program.cu"
    program.write_text("#include <cstdio>\n" + source)
    return captured.grade("run", *options, str(program), timeout=120)


# ---- constant memory

CONSTANTS = """struct pair { int a, b; };
__constant__ pair c_pair;
__constant__ int c_last[5];
__global__ void k(int *d, pair *p, int i) { STORE; d[0] = c_pair.b + c_last[4]; }
"""
STORES = {
    "c_last[i] = 1": "c_last (20 bytes of constant memory, declared",
    "p->b += 1": "c_pair (8 bytes of constant memory, declared",
    "atomicAdd(&c_last[i], 2)": "c_last (20 bytes of constant memory, declared",
}


@pytest.mark.parametrize("options", BOTH)
@pytest.mark.parametrize("store", STORES)
def test_store_to_constant_memory_is_found(
    store: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    calls = "void *p; cudaGetSymbolAddress(&p, c_pair); k<<<1, 1>>>(d, (pair *)p, 4);"
    done = ran(tmp_path, CONSTANTS.replace("STORE", store) + HOST % calls, *options)
    assert f"{STORES[store]}" in done.stderr
    assert "which no kernel can change" in done.stderr
    assert "program.cu:5: " in done.stderr


@pytest.mark.parametrize("options", BOTH)
def test_host_may_set_constant_memory_between_kernels(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    calls = """pair h = {1, 2}; cudaStream_t s; cudaStreamCreate(&s);
    for (int i = 0; i < 3; i++, h.b++) {
        k<<<1, 1, 0, s>>>(d, nullptr, 0);
        cudaMemcpyToSymbolAsync(c_pair, &h, sizeof h, 0, cudaMemcpyHostToDevice, s);
        cudaStreamSynchronize(s);
    }
    int v; k<<<1, 1>>>(d, nullptr, 0); cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost);
    printf("%d\\n", v); cudaStreamDestroy(s);"""
    done = ran(tmp_path, CONSTANTS.replace("STORE", "") + HOST % calls, *options)
    assert done.stdout.startswith("4\n") and done.returncode == 0, done.stderr


# ---- functions that end without `return`

ENDINGS = """#include <vector>
enum side { LEFT, RIGHT };
struct grid { int n; __device__ int at(int i) const { if (i < n) return i; } };  // 4
template <class T> __device__ T half(T x) { if (x > 0) { return x / 2; } }  // 5
auto above(int x) -> int { if (x > 0) return x; }  // 6
unsigned operator+(const grid &a, const grid &b) { if (a.n > b.n) throw 1; }  // 7
__device__ int chosen(side s) { switch (s) { case LEFT: return 1; case RIGHT: return 2; } }
__device__ int waits(volatile int *p) { for (;;) { if (*p == 0) return 3; } }
__host__ __device__ constexpr int known(int x) { if (x) { return 4; } else { return 5; } }
template <class T> T nothing(T (*f)()) { if (f) f(); }
static_assert(known(0) == 5, "");
void empty() {}
struct made {
    int i;
    made() : i(0) {}
    explicit made(int x) { i = x; }
    operator int() const { return i; }
    ~made() {}
};
__global__ void k(int *d, int i) {
    d[0] = grid{3}.at(i) + half(i) + chosen(RIGHT) + waits(d + 1) + known(i);
}
"""


def test_end_without_return_is_found_by_name(tmp_path: Path) -> None:
    calls = "cudaMemset(d, 0, 8); k<<<1, 1>>>(d, 0); k<<<1, 1>>>(d, 4); above(0);"
    done = ran(tmp_path, ENDINGS + HOST % (calls + "grid{1} + grid{2};"), "--check")
    for line, name in (4, "at"), (5, "half"), (6, "above"), (7, "operator+"):
        assert f"program.cu:{line}: {name}() ends without `return`" in done.stderr
    assert done.stderr.count("ends without") == 4


def test_function_with_a_value_on_each_way_is_right(tmp_path: Path) -> None:
    done = ran(tmp_path, ENDINGS + HOST % "cudaMemset(d, 0, 8); k<<<2, 32>>>(d, 2); nothing(empty);"
               " made m; printf(\"%d\\n\", above(7) + m);")  # fmt: skip
    assert done.stdout == "7\n" and "ends without" not in done.stderr


# ---- 32 bits that overflow in an address

FAR = """__global__ void k(TYPE *p, int i, int j) { p[INDEX] = 1; }
int main() {
    TYPE *p, *q; size_t bytes = 9ull << 30;
    cudaMalloc(&p, bytes); cudaMalloc(&q, bytes);
    k<<<1, 1>>>(q, I, J);
    printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(p); cudaFree(q);
}
"""
OVERFLOWED = "an index or a product of 32 bits has overflowed"
ADDRESSES = {  # type, index, i, j; what is said
    "bytes": ("char", "i * j", "65536", "40000", OVERFLOWED),
    "floats": ("float", "i * j", "65536", "32768", OVERFLOWED),
    "an unsigned index": ("int", "(unsigned)i - j", "1", "3", "16 GB beyond"),
    "just below 0": ("float", "i * j", "-1", "3", "12 bytes before"),
    "row below 0": ("char", "(long)i * j", "-100", "4000000", "400000000 bytes before"),
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_address_that_overflowed_leaves_no_array_unnoticed(address: str, tmp_path: Path) -> None:
    kind, index, i, j, said = ADDRESSES[address]
    source = FAR.replace("TYPE", kind).replace("INDEX", index).replace("I, J", f"{i}, {j}")
    checked = ran(tmp_path, source, "--check")
    assert said in checked.stderr and checked.stdout == "an illegal memory access was encountered\n"
    assert (OVERFLOWED in checked.stderr) == (said == OVERFLOWED)
    plain = ran(tmp_path, source)
    assert plain.stdout == checked.stdout
    assert "of the array of 9663676416 bytes" in plain.stderr or said in plain.stderr


def test_many_allocations_are_right(tmp_path: Path) -> None:
    calls = """static float *p[3000]; cudaError_t e = cudaSuccess;
    for (int round = 0; round < 2; round++) {
        for (float *&x : p) e = e ? e : cudaMalloc(&x, 5000);
        for (float *x : p) e = e ? e : cudaFree(x);
    }
    puts(cudaGetErrorString(e));"""
    assert ran(tmp_path, HOST % calls).stdout == "no error\n"


def test_registered_memory_that_was_freed_hides_no_other(tmp_path: Path) -> None:
    calls = """size_t all = 400ull << 30, bytes = 240ull << 30; float *p[8];
    char *h = (char *)mmap(0, all, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cudaHostRegister(h + all - bytes, bytes, cudaHostRegisterDefault);
    munmap(h, all); // not unregistered
    for (float *&x : p) cudaMalloc(&x, 1 << 20);
    for (float *x : p) k<<<1, 32>>>(x);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
    for (float *x : p) cudaFree(x);"""
    kernel = "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n"
    done = ran(tmp_path, "#include <sys/mman.h>\n" + kernel + HOST % calls)
    assert done.stdout == "no error\n"
    assert "257698037760 bytes of host memory registered here were never" in done.stderr


# ---- what nvcc refuses and g++ takes

KERNEL = "__global__ void k(float *o, int n) { %s }\n"
USES = "int main() { k<<<1, 1>>>(nullptr, 1); }\n"
REFUSED = {  # of each, nvcc's words
    "const float w[3] = {1, 2, 1};\n"
    + KERNEL % "o[0] = w[n];"
    + USES: '"w" is undefined in device',
    "struct M { static constexpr float w[2] = {1, 2}; };\n" + KERNEL % "*o = M::w[n];" + USES: (
        '"w" is undefined in device'
    ),
    "float *d_in, *d_out;\n" + KERNEL % "o[n] = d_in[n];" + USES: '"d_in" is undefined in device',
    KERNEL % "float w[2 * n + 1]; w[0] = 1; o[0] = w[n];"
    + USES: "must have a constant value: n is",
    KERNEL % "o[n] = 1;" + "int main() { k(nullptr, 1); }": "a __global__ function call must be",
    "__device__ void f(float *o) { *o = 1; }\nint main() { f<<<1, 1>>>(nullptr); }": (
        'calling a __device__ function("f") from a __host__'
    ),
    "void f(float *o) { *o = 1; }\nint main() { f<<<1, 1>>>(nullptr); }": "cannot be configured",
    "float twice(float x) { return 2 * x; }\n" + KERNEL % "*o = twice(n);" + USES: (
        'calling a __host__ function("twice") from a __global__'
    ),
    "struct S { int v; int got() { return v; } };\n" + KERNEL % "S s{n}; *o = s.got();" + USES: (
        'calling a __host__ function("got")'
    ),
    "#include <cstdlib>\n" + KERNEL % "*o = rand();" + USES: 'calling a __host__ function("rand")',
    "__device__ int f() { return 1; }\nint main() { return f(); }": '__device__ function("f") from',
    KERNEL % "if (n) throw 1;" + USES: "does not support exception handling",
    "int main() { int n = 0; atomicAdd(&n, 1); }": '__device__ function("atomicAdd") from a',
    "int main() { __shared__ int n; n = 1; }": "is not allowed inside a host function body",
    KERNEL % "cudaMemcpy(o, o + n, 4, cudaMemcpyDefault);"
    + USES: '__host__ function("cudaMemcpy")',
    "#include <cmath>\nconst double pi = 4 * atan(1);\n" + KERNEL % "*o = pi;" + USES: (
        '"pi" is undefined in device'
    ),
    "int f();\n__constant__ int c[2] = {1, f()};\n": "is not supported for a __const",
    "float twice(float x);\n" + KERNEL % "float (*f)(float) = twice; *o = f(n);" + USES: (
        '"twice" is undefined in device'
    ),
    "struct P { int a; } p;\n" + KERNEL % "*o = p.a;" + USES: '"p" is undefined in device',
    "struct C { float r; C(float r) : r(r) {} };\n" + KERNEL % "C c(n); *o = c.r;" + USES: (
        'calling a __host__ function("C::C") from a __global__'
    ),
    "struct V { float x; };\nV operator-(V a) { return {-a.x}; }\nV operator-(V a, int);\n"
    + KERNEL % "V v{1};\n*o = (-v).x;"
    + USES: 'calling a __host__ function("operator-") from a __global__',
    "#include <vector>\n"
    + KERNEL % "std::vector<int> &v = *(std::vector<int> *)o; *o = v[n];"
    + USES: 'calling a __host__ function("std::vector::operator[]") from a __global__',
    "#include <numeric>\nusing namespace std;\n" + KERNEL % "iota(o, o + n, 0);" + USES: (
        'calling a __host__ function("std::iota")'
    ),
    "#include <vector>\nstruct S { std::vector<int> v; };\n" + KERNEL % "S s; *o = n;" + USES: (
        'calling a __host__ function("std::vector::'
    ),
    "#include <limits>\n"
    + KERNEL % "const float m = std::numeric_limits<float>::max(); *o = m;"
    + USES: "'--expt-relaxed-constexpr' can be used",
    "constexpr int twice(int n) { return 2 * n; }\n" + KERNEL % "*o = twice(n);" + USES: (
        'calling a __host__ function("twice") from a __global__'
    ),
    "const int n_taps = 3;\n__device__ int f(const int &n) { return n; }\n"
    + KERNEL % "*o = f(n_taps);"
    + USES: '"n_taps" is undefined in device',
    "struct S { int v; S() : v(3) {} };\n__device__ S s[2];\n" + KERNEL % "*o = s[n].v;" + USES: (
        "dynamic initialization is not supported for a __device__ variable"
    ),
    "int first = 3;\n__constant__ int c = first;\n" + KERNEL % "*o = c;" + USES: (
        "dynamic initialization is not supported for a __constant__ variable"
    ),
    KERNEL % "static int calls = n; *o = ++calls;" + USES: "for a function-scope static",
    "__constant__ int c;\n" + KERNEL % "c += n; *o = c;" + USES: "must be a modifiable lvalue",
    "struct S { __device__ S() {} };\nint main() { S s; }": '__device__ function("S::S") from a',
    "template <class F> __global__ void k(F f) { f(1); }\n"
    "int main() { k<<<1, 1>>>([](int) {}); }": "the closure type of a lambda of the host",
    "template <class F> __global__ void k(F f) { f(); }\n"
    "int main() { k<<<1, 1>>>([] __device__ () {}); }": "requires --extended-lambda",
    "int most = 3;\n__global__ void __launch_bounds__(most) k() {}\n": "most has none",
    KERNEL % "\n#pragma unroll n\nfor (int i = 0; i < 4; i++) o[i] = 1;" + USES: "n has none",
    "__global__ void k(int &&n) {}\n": "cannot have a parameter with rvalue reference type",
    "constexpr __global__ void k() {}\n": "cannot be marked constexpr",
}
# With nvcc's option, the same is right.
ALLOWED = {
    "--extended-lambda": "template <class F> __global__ void k(F f) { f(); }\n"
    "int main() { k<<<1, 1>>>([] __device__ () {}); cudaDeviceSynchronize(); }",
    "--expt-relaxed-constexpr": "#include <algorithm>\nconstexpr int one() { return 1; }\n"
    "__global__ void k(int n) { std::max(n, one()); }\n"
    "int main() { k<<<1, 1>>>(3); cudaDeviceSynchronize(); }",
}
TAKEN = """#include <algorithm>
#include <cmath>
#include <vector>
const int n_taps = 3; static const float scale = 0.5f; constexpr int sizes[2] = {4, 8};
int count, w; float weights[8]; struct pair { int w; int count() const; };
template <int N> __device__ int number() { return N; }
template <class T> __global__ void unused(T *p) { *p = count; }
__host__ __device__ float both(float x) { return x; }
float both(float x, int) { return -x; }
template <class F> __device__ float apply(F twice, float x) { return twice(x); }
float twice(float x) { return 2 * x; }
float min(float a, float b, float c) { return a + b + c; }
__device__ int operator-=(pair &a, int b) { return a.w -= b; }
__constant__ float first = 2 * (float)n_taps, more[2] = {float(1), sizeof(pair)};
struct Timer { cudaEvent_t e; Timer() { cudaEventCreate(&e); } ~Timer() { cudaEventDestroy(e); } };
struct Complex {
    float r;
    __host__ __device__ Complex(float r) : r(r) {}
    Complex(const char *text) : r(sizeof text) {}
    friend Complex operator+(Complex a, Complex b) { return Complex(a.r + b.r); }
    Complex operator-(Complex b) const { return Complex("") + b; }
};
__device__ Complex operator*(Complex a, Complex b) { return Complex(a.r * b.r); }
struct Tail { int n; __host__ __device__ ~Tail() {} };
__device__ Tail tail;
__device__ int known();
__host__ int known() { return 1; }
template <class T> __device__ T nested(T &&a) { return std::abs(std::forward<T>(a)) + known(); }
template <class T> struct Cell { T v; void set(T); T got(); };
template <class T> void Cell<T>::set(T to) { v = to; }
template <class T> T Cell<T>::got() { if (v) return v; throw v; }
template struct Cell<int>;
std::vector<int> sizes_of(int n) { return std::vector<int>(std::max(n, 1), n_taps); }
__global__ void k(float *o, pair p, int count) {
    for (int x : {1, 2, count}) o[count] += nested(std::move(x)) + std::pow(o[0], 2) + tail.n;
    const unsigned int u = 2;
    float own[(int)4 + n_taps], sums[(n_taps * u)];
    int i, w = sizeof weights / sizeof weights[0];
    for (i = 0; i < n_taps * n_taps; i += n_taps) { float more[n_taps]; more[i / n_taps] = 0; }
    for (i = 0; i < n_taps; i++) own[i] = scale * (p.w + w), sums[i] = own[i];
    auto half = [=](float x) { return x / 2; };
    own[0] += (Complex(1) * Complex(sizeof(Complex(2) - Complex(1)))).r - 4;
    o[count * number<sizes[0]>()] = both(own[0] + sums[1]) + apply(half, min(3, n_taps));
}
"""


@pytest.mark.parametrize("program", REFUSED)
def test_what_nvcc_refuses_is_refused_in_its_words(program: str, tmp_path: Path) -> None:
    source = tmp_path / "program.cu"
    source.write_text(program)
    words: list[str | Path] = ["-m", "labs.sim.translate", source, "-o", tmp_path / "program.ii"]
    done = captured.run([sys.executable, *words], cwd=paths.ROOT)
    assert done.returncode == 1 and REFUSED[program] in done.stderr, done.stderr


@pytest.mark.parametrize("option", ALLOWED)
def test_what_nvcc_takes_with_an_option_needs_it(option: str, tmp_path: Path) -> None:
    assert option[2:] in ran(tmp_path, ALLOWED[option]).stderr
    done = ran(tmp_path, ALLOWED[option], option)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_nvcc_takes_is_taken(tmp_path: Path) -> None:
    calls = "k<<<1, 1>>>((float *)d, pair{1}, 0); count = w = twice(both(1, 2)) + min(1, 2, 3);"
    done = ran(tmp_path, TAKEN + HOST % calls)
    assert done.returncode == 0 and "error" not in done.stderr, done.stderr


BRANCHES = """#if __CUDA_ARCH__ >= 120
__device__ int total = 0;
__constant__ int step = 2;
__device__ void count() { atomicAdd(&total, step); }
__global__ void k() { count(); }
#else
__global__ void k() {}
__device__ int total = 0;
__constant__ int step = 2;
#endif
"""


def test_variables_in_both_branches_of_the_architecture(tmp_path: Path) -> None:
    calls = 'int n; k<<<1, 32>>>(); cudaMemcpyFromSymbol(&n, total, sizeof n); printf("%d\\n", n);'
    assert ran(tmp_path, BRANCHES + HOST % calls).stdout == "64\n"


# ---- what is told together


@pytest.mark.parametrize("body, kinds", [
    ("*d += threadIdx.x;", ["uninitialised-read", "global-race"]),
    ("int n = *d;\n*d = n + 1;", ["uninitialised-read", "global-race"]),
    ("d[32 + threadIdx.x] = 1; d[0] = d[33 + threadIdx.x];", ["global-race"]),
])  # fmt: skip
def test_unset_sum_is_told_beside_its_race(body: str, kinds: list[str], tmp_path: Path) -> None:
    """A race explains an unset read only if another order of the threads may have set the word."""
    kernel = "__global__ void k(int *d) { BODY }\n".replace("BODY", body)
    done = ran(tmp_path, kernel + HOST % "k<<<1, 31>>>(d);", "--check")
    told = [line.split(": ")[1] for line in done.stderr.splitlines() if line.startswith("error")]
    assert list(dict.fromkeys(told)) == kinds, done.stderr


# ---- what nvcc takes

TWICE = """#include <cuda.h>
extern __shared__ int t[];
__global__ void a(int *o) { t[threadIdx.x] = 1; o[0] = t[31]; }
extern __shared__ int t[];
__global__ void k(int *o) { t[threadIdx.x] = 2; o[1] = t[31]; }
"""


def test_dynamic_shared_memory_declared_twice_and_cuda_success(tmp_path: Path) -> None:
    calls = """int h[2]; if (cudaMemset(d, 0, 8) != (cudaError_t)CUDA_SUCCESS) return 1;
    a<<<1, 32, 128>>>(d); k<<<1, 32, 128>>>(d); cudaMemcpy(h, d, 8, cudaMemcpyDefault);
    printf("%d %d\\n", h[0], h[1]);"""
    assert ran(tmp_path, TWICE + HOST % calls).stdout == "1 2\n"


def test_findings_begin_on_a_line_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text('#include <cstdio>\nint main() { int *d; cudaMalloc(&d, 4); '
                                   'printf("done %d", 3); }\n')  # fmt: skip
    terminal, end = os.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    captured.grade("run", tmp_path / "p.cu", capture_output=False, stdout=end, stderr=end)
    os.close(end)
    said = os.read(terminal, 65536).decode()
    assert f"done 3{' ' * 79}\rconvlabs-sim: " in said


# ---- the host's side of a copy

COPIES = """#include <cstdlib>
#include <vector>
struct two { float a[32], b[32]; };
static float file_scope[64];
int main(int argc, char **) {
    float stack[100], *d, *made = (float *)malloc(argc * 400), *array = new float[argc * 100];
    two both;
    std::vector<float> v(100); v.reserve(120);
    cudaMalloc(&d, 1024); cudaMemset(d, 0, 1024);
#define UP(to, bytes) cudaMemcpy(to, d, bytes, cudaMemcpyDeviceToHost)
    UP(both.a, 256); UP(v.data(), 480); UP(made + 50, 200); UP(array, 400); UP(stack + 99, 4);
    cudaMemcpy2D(stack, 16, d, 32, 16, 25, cudaMemcpyDeviceToHost);
    CALL; // 14
    cudaFree(d); free(made); delete[] array;
}
"""
BEYOND = {  # a call, and whether a plain run finds it, too
    "cudaMemcpy(stack, d, 512, cudaMemcpyDeviceToHost)": True,
    "cudaMemcpyAsync(d, file_scope, 260, cudaMemcpyHostToDevice)": True,
    "cudaMemcpy(v.data(), d, 484, cudaMemcpyDeviceToHost)": False,
    "cudaMemcpy(d, made + 10, 364, cudaMemcpyHostToDevice)": False,
    "cudaMemcpy2D(array, 16, d, 16, 16, 26, cudaMemcpyDeviceToHost)": False,
}


@pytest.mark.parametrize("call", BEYOND)
def test_copy_beyond_host_memory_is_found(call: str, tmp_path: Path) -> None:
    side = "source" if call.split("(")[1].startswith("d,") else "destination"
    for options, is_found in ((), BEYOND[call]), (("--check",), True):
        done = ran(tmp_path, COPIES.replace("CALL", call), *options)
        assert ("program.cu:14: this call accesses" in done.stderr) == is_found, done.stderr
        assert (f"but the {side} has only" in done.stderr) == is_found


def test_copy_to_the_end_of_host_memory_is_right(tmp_path: Path) -> None:
    assert ran(tmp_path, COPIES.replace("CALL", ""), "--check").returncode == 0


def test_race_of_a_memcpy_names_the_store_that_changed(tmp_path: Path) -> None:
    kernel = """__global__ void k(int *g) {
    __shared__ int s[2];
    memcpy(s, g, 8);
    if (threadIdx.x == 0) s[0] = 1;
    __syncthreads();
    g[2 + threadIdx.x] = s[1];
}
"""
    calls = "cudaMemset(d, 0, 256); k<<<1, 33>>>(d);"
    done = ran(tmp_path, "#include <cstring>\n" + kernel + HOST % calls, "--check")
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: shared-race")]
    assert "program.cu:5 and :6: " in error


# ---- what a report says

WAITED = "__global__ void k(int *d) { if (d) d[threadIdx.x] = 1; }\n"


def test_kernel_that_nothing_waits_for_is_said_in_a_plain_run(tmp_path: Path) -> None:
    done = ran(tmp_path, WAITED + "int main() { k<<<1, 4>>>(nullptr); }\n")
    assert "program.cu:3: the program ends without waiting for kernel k" in done.stderr
    for wait in "cudaDeviceReset()", "cudaStreamSynchronize(0)":
        done = ran(tmp_path, WAITED + f"int main() {{ k<<<1, 4>>>(nullptr); {wait}; }}\n")
        assert "without waiting" not in done.stderr


def test_old_error_is_not_the_launchs(tmp_path: Path) -> None:
    calls = """float *q; cudaError_t e = cudaMalloc(&q, 1ull << 50);
    FORGET k<<<1, 4>>>(d); e = cudaGetLastError(); puts(cudaGetErrorString(e));"""
    said = "program.cu:4: cudaErrorMemoryAllocation is the error of cudaMalloc() at"
    done = ran(tmp_path, WAITED + HOST % calls.replace("FORGET", ""))
    assert said in done.stderr and done.stdout == "out of memory\n"
    done = ran(tmp_path, WAITED + HOST % calls.replace("FORGET", "cudaGetLastError();"))
    assert "is the error of" not in done.stderr and done.stdout == "no error\n"
    launch = "k<<<1, 4000>>>(d); cudaError_t e = cudaGetLastError(); puts(cudaGetErrorName(e));"
    assert "is the error of" not in ran(tmp_path, WAITED + HOST % launch).stderr


def test_volatile_store_is_no_atomic_update(tmp_path: Path) -> None:
    kernel = "__global__ void k(volatile int *f) { if (threadIdx.x % 32 == 0) *f = threadIdx.x; }\n"
    done = ran(tmp_path, kernel + HOST % "k<<<1, 64>>>(d);", "--check")
    assert "global-race" in done.stderr and "atomically" not in done.stderr
    atomic = kernel.replace("*f = threadIdx.x", "atomicExch((int *)f, 1); else *f = 2")
    assert (
        "atomically updates" in ran(tmp_path, atomic + HOST % "k<<<1, 64>>>(d);", "--check").stderr
    )


SURFACE = """__global__ void fill(cudaSurfaceObject_t s, int bytes) {
    surf2Dwrite(1.0f, s, threadIdx.x * bytes, 0);
}
int main() {
    cudaArray_t a; cudaSurfaceObject_t s;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &d, 64, 2, cudaArraySurfaceLoadStore);
    cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a;
    cudaCreateSurfaceObject(&s, &r);
    fill<<<1, 64>>>(s, BYTES);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
    cudaDestroySurfaceObject(s); cudaFreeArray(a);
}
"""


@pytest.mark.parametrize("options", BOTH)
def test_surface_whose_x_counts_elements_is_found(options: tuple[str, ...], tmp_path: Path) -> None:
    done = ran(tmp_path, SURFACE.replace("BYTES", "1"), *options)
    assert done.stdout == "misaligned address\n" and "x counts bytes, not elements" in done.stderr
    assert ran(tmp_path, SURFACE.replace("BYTES", "4"), *options).stdout == "no error\n"


ROWS = """__global__ void k(int *o, int n) {
    __shared__ int t[4][32], all[2][8], cube[2][2][32];
    int x = threadIdx.x, *row = &t[1][0];
    for (int y = 0; y < 4; y++) t[y][x] = cube[0][0][x] = x;
    for (int i = x; i < 16; i += 32) all[0][i] = i;
    __syncthreads();
    o[x] = t[1][(x + n) % 33] + all[1][x % 8] + row[x + 3] + cube[0][0][32 * 0 + x]; // here
}
"""


def test_column_beyond_a_row_of_shared_memory_is_found(tmp_path: Path) -> None:
    calls = "k<<<1, 32>>>(d, 0);"
    assert ran(tmp_path, ROWS + HOST % calls, "--check").returncode == 0
    done = ran(tmp_path, ROWS + HOST % (calls + "k<<<1, 32>>>(d, 1);"), "--check")
    assert "program.cu:8: thread (31,0,0) of block (0,0,0) uses column 32" in done.stderr
    assert "of `t`, whose columns are 0 to 31" in done.stderr
    assert ran(tmp_path, ROWS + HOST % calls, "--check", "--profile").returncode == 0


@pytest.mark.parametrize("end", ["", "fflush(stdout);", "fflush(nullptr);"])
def test_findings_begin_a_line(end: str, tmp_path: Path) -> None:
    text = f"int main() {{ int *d; cudaMalloc(&d, 4); std::cout << 5 << 3; {end} }}\n"
    (tmp_path / "program.cu").write_text("#include <cstdio>\n#include <iostream>\n" + text)
    together = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "capture_output": False}
    done = captured.grade("run", tmp_path / "program.cu", "--check", **together)
    assert done.stdout.startswith("53\nnote: leak: ") and done.returncode == exit_codes.LEAKED


def test_exchange_is_no_read_of_what_was_never_written(tmp_path: Path) -> None:
    kernel = """__global__ void k(int *o) {
    __shared__ int s[32];
    s[threadIdx.x] = atomicExch(&o[threadIdx.x], 3);
    o[32] = s[threadIdx.x / 32];
    %s(&o[40], 1);
}
"""
    for call, is_found in ("atomicExch", False), ("atomicAdd", True):
        done = ran(tmp_path, kernel % call + HOST % "k<<<1, 32>>>(d);", "--check")
        assert ("uninitialised-read" in done.stderr) == is_found, done.stderr


def test_unset_index_is_told_beside_a_race_of_another_array(tmp_path: Path) -> None:
    kernel = "__global__ void k(int *o) { __shared__ int s[32]; o[s[threadIdx.x] & 7] = %s; }\n"
    done = ran(tmp_path, kernel % "threadIdx.x" + HOST % "k<<<1, 32>>>(d);", "--check")
    assert "global-race" in done.stderr and "never written: s[0]" in done.stderr


def test_copy_names_the_call_for_an_array(tmp_path: Path) -> None:
    calls = "cudaArray_t a; auto f = cudaCreateChannelDesc<int>(); cudaMallocArray(&a, &f, 4, 4);"
    calls += " int h[16]; cudaMemcpy(h, a, 64, cudaMemcpyDeviceToHost); cudaFreeArray(a);"
    done = ran(tmp_path, HOST % calls)
    assert (
        "the source of this call is a CUDA array, which has no address: use cudaMemcpy2DFrom"
        in (done.stderr)
    )


def test_host_file_without_the_header_is_told_its_name(tmp_path: Path) -> None:
    (tmp_path / "program.cpp").write_text(HOST % "")
    done = captured.grade("run", tmp_path / "program.cpp")
    assert "cudaMalloc: include <cuda_runtime.h>: nvcc includes it by itself" in done.stderr


def test_unset_element_of_an_own_array_is_found(tmp_path: Path) -> None:
    kernel = """#define N 4
__device__ float first(const float *p) { return p[0]; }
__global__ void k(int *o) {
    float a[N], b[2 * N], c[2], d[3];
    for (int j = 0; j < N; j++) { a[j] = 0; a[j] += j; b[j] = b[j + N] = a[j]; }
    d[0] = 1; c[0] = d[0]; c[1] = first(c);
    float e[2]; e[0] = e[1] = 2; for (float &x : e) x += 1;
    if (o[40] > 4) d[1] = 3;
    o[threadIdx.x] = a[N - 1] + b[7] + c[1] + e[1] + (o[40] > 4 ? d[1] : 0);
    USE
}
"""
    calls = "cudaMemset(d, 0, 256); k<<<1, 1>>>(d);"
    for use, found in ("", None), ("o[1] = d[1];", "`d[1]`"), ("o[1] = ++d[o[40] + 2];", "`d[2]`"):
        done = ran(tmp_path, kernel.replace("USE", use) + HOST % calls, "--check")
        assert ("own array" in done.stderr) == bool(found) and (found or "") in done.stderr
