"""The rewriter: what it refuses and where, what it leaves alone, and files made to hurt it."""

import random
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest

from grader.compile.permitted import own_text as judged
from grader.paths import ROOT
from grader.tests import captured
from labs.sim.translate.reader.expanded import Expanded
from labs.sim.translate.reader.program import Program

TRANSLATE: list[str | Path] = [sys.executable, "-m", "labs.sim.translate"]
INCLUDE = ROOT / "labs" / "sim" / "include"
COMPILER = ["g++", "-std=c++17", "-remap", "-I", str(INCLUDE)]
TRACED = "-fsanitize=thread"


def rewrite(
    folder: Path, source: str | bytes, *flags: str, options: Sequence[str] = ()
) -> tuple[subprocess.CompletedProcess[str], str]:
    """Runs it on `source`, shown as student.cu; what it said and what it wrote. flags: for the
    compiler."""
    given, made = folder / "given.cu", folder / "made.ii"
    given.write_bytes(source.encode() if isinstance(source, str) else source)
    made.unlink(missing_ok=True)
    command = [*TRANSLATE, "--shown", "student.cu", *options, given, "-o", made]
    done = captured.run([*command, "--", *COMPILER, *flags], timeout=60, cwd=ROOT)
    return done, own_text(made.read_text(errors="replace")) if made.exists() else ""


def own_text(made: str) -> str:
    """What stands in the program's own files, without line markers."""
    own, lines = False, []
    for line in made.splitlines():
        if line.startswith("# "):
            own = "student.cu" in line or ("/sim/include/" not in line and line[-1:] not in "34")
        elif own:
            lines.append(line)
    return "\n".join(lines) + "\n"


def compile_it(folder: Path) -> str:
    """What g++ says of the result; nothing when it compiles."""
    made = folder / "made.ii"
    done = captured.run(
        ["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-I", INCLUDE, made]
    )
    return done.stderr


REFUSED = {
    "#include <stdio.h>\n#include <thrust/device_vector.h>\n": (2, "thrust needs a GPU"),
    "#include <cub/cub.cuh>\n": (1, "cub needs a GPU"),
    "#include <cublas_v2.h>\nint main() {\n  cublasHandle_t h;\n}\n": (
        3,
        "cublasHandle_t: cuBLAS needs a GPU machine and nvcc; here, write the product of matrices",
    ),
    "#include <cufft.h>\nint n = CUFFT_FORWARD;\n": (2, "cuFFT"),
    "#include <curand_kernel.h>\n\n__global__ void k(curandState *s) {}\n": (3, "cuRAND"),
    "#include <opencv2/opencv.hpp>\n": (1, "not found; OpenCV: install libopencv-dev"),
    '#include "helper_cuda.h"\n': (1, "cuda-samples: give -I"),
    "#include <wb.h>\n": (1, "libwb: give -I"),
    "#include <nvrtc.h>\n": (1, "compilation at run time"),
    "#include <mma.h>\n": (1, "tensor cores"),
    "#include <cuda/barrier>\n": (1, "libcu++"),
    "#include <cuda/std/atomic>\n": (1, "libcu++"),
    "#include <cuda_gl_interop.h>\n": (1, "copy the image to the host"),
    "#include <cuda.h>\nint main() {\n  cuInit(0);\n}\n": (3, "use the runtime API"),
    "int main() {\n  cudaGraphicsNoSuchThing(0);\n}\n": (2, "write it to a file"),
    "cudaIpcMemHandle_t h;\n": (1, "let one process do the work of both"),
    "int main() {\n  cudaImportExternalMemory(0, 0);\n}\n": (2, "through the host's memory"),
    "#include <cuda_fp6.h>\n": (1, "compute with half or __nv_bfloat16"),
    "__global__ void k(cudaTextureObject_t t) {\n  float4 d = {};\n"
    "  texCubemapGrad<float>(t, 1, 0, 0, d, d);\n}\n": (3, "an array of its own"),
    "__global__ void\n__cluster_dims__(2, 1, 1) k() {}\n": (2, "between blocks through global"),
    "cudaNoSuchHandle_t g;\n": (1, "cudaNoSuchHandle_t"),
    "__global__ void k(int *p) {\n  *p = __nosuch4a(1, 2, 3);\n}\n": (2, "__nosuch4a"),
    '__global__ void k() {\n  asm volatile("bar.sync 0;");\n}\n': (2, "inline PTX"),
    '__host__ __device__ int f() {\n\n  asm("mov %r1, %r2;"); return 1;\n}\n': (3, "inline PTX"),
    "__global__ void k() {}\n__global__ void p() {\n  k<<<1, 1>>>();\n}\n": (
        3,
        "launches a kernel",
    ),
    "#define GO(k) k<<<1, 1>>>\nint main() {\n  GO(f);\n}\n": (3, "could not be understood"),
    "__global__ void k() {\n  __shared__ int s = 1;\n}\n": (2, "initial value"),
    "__global__ void k(int n) {\n  const int w = n + 1;\n  __shared__ int s[2][w];\n}\n": (
        3,
        "and w is known only when the kernel runs: use a constant",
    ),
    "__global__ void k() {\n  __shared__ int s[blockDim.x];\n}\n": (
        2,
        "or declare the array extern",
    ),
    "struct s {\n  __constant__ float mask[9];\n};\n": (2, "does not apply to a member of a class"),
    "void host() {\n  __device__ int n;\n}\n": (2, "a local variable of a function: declare"),
    "\ntemplate <class T> __constant__ T pi = T(3.14);\n": (2, "one variable for each type"),
    "__global__ void k() {}\nint main() { k<<<1>>>(); }\n": (2, "<<<grid, block>>>"),
    "__global__ void k() {}\nint main() { k<<<1, 1>>>; }\n": (2, "could not be understood"),
    "__global__ void k() {}\nint main() {\n  k<<<1, 1>>>(;\n}\n": (3, "could not be understood"),
    "__global__ void k() {}\nint main() {\n  k<<<1, 1>>(1);\n}\n": (3, "could not be understood"),
    "<<<<<<< HEAD\nint a;\n": (1, "could not be understood"),
}


@pytest.mark.parametrize("source", REFUSED, ids=lambda s: REFUSED[s][1])
def test_refused_by_name_and_line(tmp_path: Path, source: str) -> None:
    line, name = REFUSED[source]
    done, made = rewrite(tmp_path, source)
    assert done.returncode == 1
    assert not made
    assert done.stderr.startswith(f"student.cu:{line}:"), done.stderr
    assert ": error: " in done.stderr
    assert name in done.stderr
    assert done.stderr.count("\n") == 1


def test_sizes_that_are_constants(tmp_path: Path) -> None:
    source = """#define N 4
constexpr int M = 3;
const int C = 5;
enum { E = 3 };
template <int K> struct P { static const int size = K; };
template <int K, int L = 2> __global__ void k(float *p, int n) {
  __shared__ float a[N][M + 1], b[C * E][K * L], c[sizeof(n)], d[P<K>::size];
  const int w = K + 2;
  constexpr int v = 3;
  __shared__ float e[w * v];
  static __device__ int count;
  { const int n = 4; __shared__ int y[n]; y[0] = count; }
  a[0][0] = b[0][0] = c[0] = d[0] = e[0] = *p;
}
struct Q { float n; __device__ int f() { __shared__ int s[8]; return s[0]; } __device__ Q() {} };
int main() { k<3><<<1, 1>>>(0, 1); }
"""
    done, _ = rewrite(tmp_path, source)
    assert (done.returncode, done.stderr, compile_it(tmp_path)) == (0, "", "")


def test_small_headers_of_the_toolkit(tmp_path: Path) -> None:
    names = [line.split()[0] for line in (INCLUDE / "header.gcc").read_text().splitlines()]
    assert len(names) == len(set(names)) and not any((INCLUDE / name).exists() for name in names)
    source = "".join(f"#include <{name}>\n" for name in names) + "cudaExtent e;\n"
    done, _ = rewrite(tmp_path, source)
    assert (done.returncode, done.stderr, compile_it(tmp_path)) == (0, "", "")


def test_a_cluster_of_one_block(tmp_path: Path) -> None:
    source = "#define ONE 1\n__cluster_dims__(ONE, 1, 1) __global__ void k() {}\n"
    done, _ = rewrite(tmp_path, source + "int main() { k<<<1, 1>>>(); }\n")
    assert (done.returncode, done.stderr, compile_it(tmp_path)) == (0, "", "")


LEFT_ALONE = """\
// k<<<1, 1>>>(); __shared__ cudaMallocManaged asm
/* thrust: #include <thrust/sort.h>
   k<<<1, 1>>>() */
const char *text = "k<<<1, 1>>>(x) __managed__ cudaGraph_t";
const char *raw = R"(k<<<1, 1>>>() __shared__)";
const char letter = '<';
#if 0
#include <thrust/sort.h>
k<<<1, 1>>>(
cuInit(0);
so it is
#endif
static long host_clock(void) { long t; asm volatile("rdtsc" : "=a"(t) : : "rdx"); return t; }
static int   cudaOwnThing, shifted = 1 << 3 >> 1;
#define cudaCheckErrors(what) ((void)(what))
static inline int cudaMyFree(void *p) { return cudaFree(p); }
typedef struct { int cu; } cuContainer;
int cuFoo(cuContainer c)   { return c.cu; }
template <class T> struct __mything { T it; };
int __my_count(int n) { return n; }
struct cudaImage { int width; cudaImage(int w) : width(w) {} };
enum { cudaEvenHere };
static int use(int cudaStatus) { cudaImage i = {cudaStatus}; return i.width + cudaEvenHere; }
int main() { cudaCheckErrors(1); cudaMyFree(0); __mything<int> m = {__my_count(2)};
    cuContainer c = {1};
    return use(cudaOwnThing) + shifted + cuFoo(c) + m.it + (int)host_clock(); }
"""


def test_other_code_is_unchanged(tmp_path: Path) -> None:
    done, made = rewrite(tmp_path, LEFT_ALONE)
    assert done.stderr == ""
    source = LEFT_ALONE.split("*/\n")[1].replace("cudaCheckErrors(1)", "((void)(1))").splitlines()
    kept = [line for line in made.splitlines() if line.strip()]
    assert kept == [line for line in source if line in kept], "the author's spaces"
    assert len(kept) == 16
    assert compile_it(tmp_path) == ""


DROPPED = {
    "cudaFree(p);": True,
    "if (p) cudaFree(p);": True,
    "cudaError_t e = cudaFree(p); e = cudaFree(p); if (e) return;": True,
    "cudaError_t e; e = cudaFree(p); p = 0; e = cudaFree(p); if (e) return;": True,
    "(void)cudaFree(p);": False,
    "cudaGetLastError();": False,
    "if (cudaFree(p)) return;": False,
    "cudaError_t e = cudaFree(p); if (e) return; e = cudaFree(p); if (e) return;": False,
    "cudaError_t e = cudaFree(p); e = e ? e : cudaFree(p); if (e) return;": False,
    "cudaError_t e = cudaFree(p); { use(e); } e = cudaSuccess;": False,
    "use(cudaFree(p));": False,
}


@pytest.mark.parametrize("statements", DROPPED)
def test_discarded_results_are_marked_unchecked(tmp_path: Path, statements: str) -> None:
    done, made = rewrite(tmp_path, f"void use(int);\nvoid f(void *p) {{ {statements} }}\n")
    assert done.stderr == ""
    assert ("sim_unchecked_call(" in made) == DROPPED[statements]
    if DROPPED[statements]:
        assert ', "cudaFree", "student.cu", 2)' in made


PROGRAM = """\
\ufeff#include <stdio.h>
#include <cuda.h>
#include "math_constants.h"
namespace n { __constant__ const float c_w[4] = {1, 2, 3, 4}; }
extern __shared__ float s_file[];
template <int R, class T = float>
__global__ void __launch_bounds__(256) k(const float *a, T *b) {
    __shared__ float tile[R + 2]
                         [17], one;
    static __shared__ __align__(16) volatile int flags[R];
    extern __shared__ double dyn[];
    tile[0][0] = a[0] + n::c_w[1]; one = 1; flags[0] = (int)sizeof tile; dyn[0] = s_file[0];
    __syncthreads();
    b[0] = tile[0][0] + one + flags[0] + (T)dyn[0];
}
template <class T> __global__ void g(T *p, T v) { p[threadIdx.x] = v; }
__global__ void same(float *) {}
__global__ void same(int *) {}
#define CHECK(call) do { (call); printf("%d\\n", (int)cudaGetLastError()); } while (0)
struct entry { void (*f)(float *, float); };
template <class F> __global__ void each(int n, F f) { int i = threadIdx.x; if (i < n) f(i); }
__global__ void record(int *p) {
    __shared__ struct alignas(8) { short a; char b; } one;
    one.b = 1;
    p[0] = one.b + CUDART_PI_F;
}
int main() {
    float *a = 0;
    each<<<1, 2>>>(2, [=] __device__ (int i) { a[i] = i; });
    auto next = [] __host__
        __device__ { return 1; };
    each<<<1, 2>>>(2, [=]__device__(int i) mutable -> void { a[i] += next(); });
    record<<<1, {1, 1}>>>((int *)a), record<<<{1}, dim3{1, 1}>>>((int *)a);
    dim3 grid(1, 2);
    k<3><<<grid,
        dim3(16, 2), // a comment ( with , everything >>>
        64>>>(a,
              a);
    CHECK((k<2, float><<<1, 2>>>(a, a)));
    CHECK((g<<<1, 2>>>(a, 1.0f)));
    entry table[] = {{g<float>}};
    for (int i = 0; i < 1; i++)
        table[i].f <<<1, 2, 0, 0>>> (a, 2);
    same<<<1, 1>>>(a);
    if (a) ::same<<<1, 1>>>((int *)a); else same<<<1, 1>>>(a);
    auto release = &cudaFree;
    release(a);
    return __LINE__;
}
"""


def test_unrolling_has_another_name(tmp_path: Path) -> None:
    """Before a loop; elsewhere, and where g++ would not take the number, it is passed over."""
    source = """#define TIMES (2 * 4)
#define FIVE 5
#define UNROLL _Pragma("unroll")
template <int N> __global__ void k(float *p) {
    #pragma unroll
    // every tap
    for (int i = 0; i < 3; i++) p[i] = 1;
# pragma unroll 4 // four
    while (p[0] < 4) p[0] += 1;
#pragma unroll(2)\r
    /* twice */ do p[1] += 1; while (p[1] < 4);
#pragma unroll N
    for (int i = 0; i < N; i++) p[i] = 1;
#pragma unroll FIVE
    for (int i = 0; i < N; i++) p[i] = 1;
    UNROLL for (int i = 0; i < FIVE; i++) p[i] = 1;
#pragma unroll
    p[0] = 2;
}
int main() { k<4><<<1, 1>>>(0); }
"""
    done, made = rewrite(tmp_path, source, TRACED)
    assert done.returncode == 0, done.stderr
    named = [line.strip() for line in made.splitlines() if "pragma" in line]
    assert named == [
        "#pragma GCC unroll 1024",
        "#pragma GCC unroll 4",
        "#pragma GCC unroll 2",
        "#pragma unroll N",
        "#pragma GCC unroll 5",
        "#pragma GCC unroll 1024",
        "#pragma unroll",
    ]
    assert "error" not in compile_it(tmp_path)


# A loop, and how many copies of its body g++ makes: 4 where nothing can make straight code of it.
LENGTHS = {
    "for (int i = 0; i < 8; i++) p[i] = 1;": 1024,
    "for (int i = threadIdx.x; i < 128; i += 32) p[i] = 1;": 4,
    "const int lane = threadIdx.x, at = lane + 1; LOOP for (int i = at; i < N; i++) p[i] = 1;": 4,
    "for (int i = 0; i < n; i++) p[i] = 1;": 4,
    "for (int i = 0; i < M; i++) p[i] = 1;": 1024,
    "for (int s = M / 2; s > 0; s >>= 1) p[s] = 1;": 1024,
    "for (int i = 0; i < (int)sizeof(float4); i++) p[i] = threadIdx.x;": 1024,
    "for (int i = 0; i < rounded(M); i++) p[i] = n;": 1024,
    # an argument of a lambda may be a constant; a name may stand for both
    "auto f = [&](int k) { LOOP for (int i = 0; i < k; i++) p[i] = 1; }; f(3);": 1024,
    "{ int k = n; p[k] = 1; } int k = 2; LOOP for (int i = 0; i < k; i++) p[i] = 1;": 1024,
}


@pytest.mark.parametrize("body", LENGTHS)
def test_copies_of_a_loop_of_any_length(body: str, tmp_path: Path) -> None:
    """1024 copies of a body took g++ minutes."""
    loop = body if "LOOP" in body else f"LOOP {body}"
    source = f"""
__host__ __device__ constexpr int rounded(int size) {{ return (size + 3) / 4 * 4; }}
template <int M> __device__ void of(float *p, int n) {{
#pragma unroll
    for (int i = 0; i < n; i++) p[i] = 1;
}}
template <int M, int N> __global__ void k(float *p, int n) {{
    of<M>(p, 5);
    {loop.replace("LOOP", chr(10) + "#pragma unroll" + chr(10))}
}}
int main() {{ k<4, 5><<<1, 1>>>(0, 5); }}
"""
    done, made = rewrite(tmp_path, source, TRACED)
    assert done.returncode == 0, done.stderr
    named = [line.strip() for line in made.splitlines() if "pragma" in line]
    assert named == [f"#pragma GCC unroll {n}" for n in (1024, LENGTHS[body])]


SHORT = "for (int i = 0; i < 3; i++) p[i] = 1;"
PLACES = [  # of short loops, each on one line
    "SHORT SHORT",
    "if (n) SHORT else SHORT",
    "while (n--) SHORT",
    "do SHORT while (n--);",
    "switch (n) { case 1: SHORT default: SHORT }",
    "unused: SHORT",
    "auto f = [&] { SHORT }; f();",
    "for (int k = 0; k < 2; k++) SHORT",
    "ALL(3)",
]


@pytest.mark.parametrize("place", PLACES)
def test_short_loops_are_unrolled_in_place(place: str, tmp_path: Path) -> None:
    """A pragma needs a line of its own, and the lines of the program keep their numbers."""
    source = f"""#define ALL(N) for (int i = 0; i < N; i++) p[i] = 1;
__global__ void k(float *p, int n) {{
    {place.replace("SHORT", SHORT)}
    p[0] = unknown;
}}
int main() {{ k<<<1, 1>>>(0, 5); }}
"""
    done, made = rewrite(tmp_path, source, TRACED)
    assert done.returncode == 0, done.stderr
    loops = source.count("for (") - 1 + place.count("ALL")
    assert made.count("#pragma GCC unroll") == loops
    errors = [line for line in compile_it(tmp_path).splitlines() if "error" in line]
    assert len(errors) == 1 and "unknown" in errors[0]
    assert ":4:" in errors[0]


KERNEL = "__global__ void k(int *p) { BODY }\n"
IN_STEP = {  # source: how many marks of loops and branches
    "__global__ void k(volatile int *p) { if (p[0]) p[1] = 2; }": 2,
    KERNEL.replace("BODY", "((volatile int *)p)[0] = 1;"): 0,
    KERNEL.replace("BODY", "__shared__ volatile float s_v[3]; for (;;) s_v[p[0]] += s_v[1];"): 2,
    KERNEL.replace(
        "BODY",
        "__shared__ volatile int s_v[3]; for (;;) { p[1] = s_v[0]; __syncthreads(); s_v[1] = 1; }",
    ): 2,
    KERNEL.replace("BODY", "__shared__ volatile int s_v[3]; int *q = (int *)s_v; q[0]++;"): 0,
    KERNEL.replace(
        "BODY", "__shared__ volatile int s_v[3]; s_v[*p] = 1; __threadfence_block(); p[1] = s_v[0];"
    ): 0,
    KERNEL.replace("BODY", "__shared__ volatile int s_v[3], *s_p; s_p = p; s_p[0] = 1;"): 0,
    KERNEL.replace("BODY", "auto f = [=](volatile int *v) { *v = 1; }; f(p);"): 1,
    "typedef volatile int flag;" + KERNEL.replace("BODY", "while (*(flag *)p) { }"): 3,
    "struct cell { volatile int v; };" + KERNEL.replace("BODY", "((cell *)p)->v = 1;"): 0,
    "namespace n { struct a { struct b { volatile int v; } c; }; }" + KERNEL: 0,
    "volatile __device__ int d_flag;" + KERNEL.replace("BODY", "d_flag = 1;"): 0,
    "template <class T> __device__ void f(volatile T *t) { *t = 1; }" + KERNEL: 1,
    "#define V volatile\n__device__ int f(V int *t) { return *t; }\n" + KERNEL: 1,
    # only the function that has the word
    KERNEL.replace("BODY", "if (p[0]) p[1] = 1;")
    + "__device__ void f(volatile int *q) { *q = 1; }": 1,
}
NOT_IN_STEP = [
    KERNEL.replace("BODY", "if (p[0]) p[1] = 2; // volatile"),
    KERNEL + "volatile int h_flag;\nvoid wait(volatile int *flag) { while (*flag) { } }",
    KERNEL + "int main() { volatile int x = 1; struct s { int v; }; return (volatile int &)x; }",
    KERNEL.replace("BODY", 'p[0] = sizeof "volatile";') + 'void f() { asm volatile("nop"); }',
    "struct host { int f() { volatile int x = 1; return x; } };" + KERNEL,
    # a tile of which barriers order all accesses
    KERNEL.replace(
        "BODY",
        "volatile __shared__ int s_v[2][3]; s_v[0][*p] = 1; __syncthreads(); p[2] = s_v[0][1];",
    ),
]


@pytest.mark.parametrize("source", IN_STEP)
def test_device_code_with_volatile_is_in_lock_step(tmp_path: Path, source: str) -> None:
    done, made = rewrite(tmp_path, source.replace("BODY", ""), options=["--lock-step"])
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "made.ii").read_text().startswith("#pragma sim_lock_step\n")
    assert len(re.findall(r"sim_mark_here|sim_marked_\w+<", made)) == IN_STEP[source]
    assert "error" not in compile_it(tmp_path)


@pytest.mark.parametrize("source", NOT_IN_STEP)
def test_other_programs_are_the_same(tmp_path: Path, source: str) -> None:
    done, _ = rewrite(tmp_path, source.replace("BODY", ""), options=["--lock-step"])
    assert done.returncode == 0, done.stderr
    marked = r"pragma sim_lock_step|sim_mark_here\(SIM_MARK_\w+, \d+, \d"
    assert not re.search(marked, (tmp_path / "made.ii").read_text())


def test_launches_in_macros_are_rewritten(tmp_path: Path) -> None:
    source = """template <int N> __global__ void k(int *p) { *p = N; }
__global__ void one(int *p) { *p = 1; }
#define GO(kernel, ...) kernel<<<dim3(1, 1), 1>>>(__VA_ARGS__)
#define CASE(N) case N: \\
    k<N> <<<(1), 1, 0>>> (p); \\
    break
int main(int n, char **) {
    int *p = 0;
    switch (n) { CASE(1); CASE(2); default: GO(one, p); GO(k<3>, p); }
    return __LINE__;
}
"""
    done, made = rewrite(tmp_path, source)
    assert done.returncode == 0, done.stderr
    assert "<<<" not in made
    assert f"return {source.count(chr(10)) - 1};" in made, "__LINE__"
    assert compile_it(tmp_path) == ""


def test_the_librarys_own_noinline(tmp_path: Path) -> None:
    """<memory> writes the word inside __attribute__(()), where no macro may stand for it."""
    source = """#include <memory>
#define APART __device__ __noinline__
__device__ __noinline__ int one() { return 1; }
APART int two() { return 2; }
__attribute__((cold, __noinline__)) int three() { return 3; }
int main() { return *std::make_shared<int>(3) - three(); }
"""
    done, made = rewrite(tmp_path, source)
    assert done.returncode == 0, done.stderr
    assert made.count("__attribute__((noinline))") == 2
    assert compile_it(tmp_path) == ""


def test_a_program_with_everything_compiles(tmp_path: Path) -> None:
    done, made = rewrite(tmp_path, PROGRAM, "-D__CUDACC_EXTENDED_LAMBDA__")
    assert done.stderr == ""
    assert compile_it(tmp_path) == ""
    assert f"return {PROGRAM.count(chr(10)) - 1};" in made, "__LINE__"
    assert "<<<" not in made


WRONG = {
    "int main() {\n  k<<<1, 1>>>(0);\n}": (3, "too few arguments to function"),
    "int main() {\n  double *d = 0;\n  k<<<1, 1>>>(d, 1);\n}": (4, "cannot convert"),
    "int main() {\n  k<<<1, 1>>>(\n      0, 1, 2);\n}": (3, "too many arguments to function"),
    "int main() {\n\n  missing<<<1, 1>>>();\n}": (4, "was not declared"),
    "int main() {\n  return 0\n}": (3, "expected"),
    "__constant__ float c_big[16385];": (2, "65536 bytes"),
}


@pytest.mark.parametrize("source", WRONG, ids=lambda s: WRONG[s][1])
def test_g_plus_plus_names_the_students_line(tmp_path: Path, source: str) -> None:
    line, message = WRONG[source]
    done, _ = rewrite(tmp_path, f"__global__ void k(float *p, int n) {{ p[0] = n; }}\n{source}\n")
    assert done.stderr == ""
    errors = [text for text in compile_it(tmp_path).splitlines() if "error: " in text]
    assert errors[0].startswith(f"student.cu:{line}:")
    assert message in errors[0]
    assert not any("/sim/include/" in text for text in errors)


def test_a_header_of_ones_own_may_be_called_like_a_librarys(tmp_path: Path) -> None:
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda" / "kernels.cuh").write_text("__global__ void k() {}\n")
    source = '#include "cuda/kernels.cuh"\nint main() { k<<<1, 1>>>(); }\n'
    done, _ = rewrite(tmp_path, source)
    assert done.stderr == ""
    assert compile_it(tmp_path) == ""


def test_headers_of_the_programs_own(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#define cudaCheck(x) (x)\ntypedef int cudaNumber;\n")
    kernels = '#include "own.h"\n__global__ void k(int *p) { __shared__ int s; s = 1; *p = s; }\n'
    (tmp_path / "kernels.cuh").write_text("#pragma once\n" + kernels)
    source = '#include "kernels.cuh"\ncudaNumber n;\nint main() { k<<<1, 1>>>(&n); }\n'
    done, _ = rewrite(tmp_path, source)
    assert done.stderr == ""
    assert compile_it(tmp_path) == ""
    (tmp_path / "kernels.cuh").write_text('#include "own.h"\n\nint m = cuInit(0);\n')
    done, _ = rewrite(tmp_path, source)
    assert done.returncode == 1
    assert f"{tmp_path}/kernels.cuh:3:9: error: cuInit" in done.stderr


HOST = {
    "a name": (
        "#include <cuda_runtime.h>\n\nint main() { return cuInit(0); }\n",
        3,
        "cuInit: the driver",
    ),
    "a type": (
        "#include <cuda.h>\nint main() { CUmodule c; }\n",
        2,
        "CUmodule: the driver",
    ),
    "a header": ("#include <stdio.h>\n#include <cub/cub.cuh>\nint main() {}\n", 2, "cub needs"),
    "a library": ("#include <cublas_v2.h>\nint main() { cublasCreate(0); }\n", 2, "cuBLAS"),
}


@pytest.mark.parametrize("suffix", [".cpp", ".c"])
@pytest.mark.parametrize("case", HOST)
def test_host_files_are_refused_by_name_too(tmp_path: Path, case: str, suffix: str) -> None:
    source, line, name = HOST[case]
    file = tmp_path / f"host{suffix}"
    file.write_text(source)
    done = host(file)
    assert done.returncode == 1
    assert done.stderr.startswith(f"host.cpp:{line}:") and name in done.stderr


@pytest.mark.parametrize(
    "source",
    [
        "int main() { return undeclared; }\n",
        "int cuBoid(int); int main() { return cuBoid(1); }\n",
        "struct CUstom { int __x; }; int main() { CUstom c = {1}; return c.__x; }\n",
        '#include "cuFFT_of_my_own.h"\nint main() { return cufftOfMyOwn(); }\n',
    ],
)
def test_host_files_that_are_not_refused(tmp_path: Path, source: str) -> None:
    """Right or wrong, they are for g++ to judge."""
    (tmp_path / "cuFFT_of_my_own.h").write_text("inline int cufftOfMyOwn() { return 1; }\n")
    file = tmp_path / "host.cpp"
    file.write_text(source)
    done = host(file)
    assert (done.returncode, done.stderr) == (0, "")


def host(file: Path) -> subprocess.CompletedProcess[str]:
    compiler = ["g++", "-remap", f"-I{INCLUDE}"]
    command = [*TRANSLATE, "--host", "--shown", "host.cpp", file]
    return captured.run([*command, "--", *compiler], cwd=ROOT)


def test_a_header_that_cannot_be_found(tmp_path: Path) -> None:
    source = '\n#include "elsewhere.h"\ncudaSomething x;\n'
    done, _ = rewrite(tmp_path, source)
    assert "student.cu:2:10: fatal error: elsewhere.h: No such file" in done.stderr
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "elsewhere.h").write_text("typedef int other;\n")
    done, _ = rewrite(tmp_path, source, "-I", str(tmp_path / "inc"))
    assert "cudaSomething" in done.stderr


HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)) * 50,
    "zeros": bytes(5000),
    "no-end-of-line": b"int a;",
    "windows": b"__global__ void k() {}\r\nint main() {\r\n  k<<<1,\r\n 1>>>();\r\n}\r\n",
    "open-comment": b"/* k<<<1, 1>>>()\n" * 10,
    "open-string": b'const char *s = "k<<<1, 1>>>\n' * 10,
    "only-launches": b"<<<" * 2000,
    "deep-parentheses": b"int a = " + b"(" * 20000 + b"cudaGraph_t" + b")" * 20000 + b";\n",
    "deep-braces": b"void f() " + b"{" * 5000 + b"k<<<1, 1>>>();" + b"}" * 5000,
    "unterminated": b"__global__ void k() {\n  __shared__ float a[",
    "marks-alone": b"__shared__ __constant__ __device__ __global__ <<< >>> #include",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_rewritten_in_bounded_time(tmp_path: Path, name: str) -> None:
    started = time.monotonic()
    done, _ = rewrite(tmp_path, HOSTILE[name])
    assert time.monotonic() - started < 20
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr
    if done.returncode == 1:
        assert done.stderr.startswith("student.cu:")


def test_a_hundred_thousand_lines(tmp_path: Path) -> None:
    kernel = "__global__ void k%d(float *p) {\n  __shared__ float s[4];\n  s[0] = *p;\n}\n"
    lines = "".join(kernel % i for i in range(500)) + "int x;\n" * 98000
    started = time.monotonic()
    done, made = rewrite(tmp_path, lines)
    assert time.monotonic() - started < 30
    assert done.returncode == 0
    assert made.count("sim_shared<") == 500


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    made = tmp_path / "made.cpp"
    done = captured.run([*TRANSLATE, tmp_path / "none.cu", "-o", made], cwd=ROOT)
    assert done.returncode == 1
    assert "No such file" in done.stderr


def errors_of(folder: Path) -> list[str]:
    return [text for text in compile_it(folder).splitlines() if "error: " in text]


@pytest.mark.parametrize(
    ("statement", "column"),
    [
        ("    int   x = unknown;", 15),
        ("\tint\tx  =  unknown; // why", 12),
        ("    /* a */ int x = unknown;", 21),
        ("    int x = unknown; /* begins", 13),
    ],
)
def test_columns_are_the_authors(tmp_path: Path, statement: str, column: int) -> None:
    """Whatever spaces and comments surround them. (g++ counts a tab as a step to the next 8.)"""
    rest = "ends */" if "begins" in statement else ""
    done, _ = rewrite(tmp_path, f"int main() {{\n{statement}\n{rest}\n    return x;\n}}\n")
    assert done.stderr == ""
    options = ["-ftabstop=1", "-fsyntax-only"]
    said = captured.run(["g++", *options, tmp_path / "made.ii"])
    assert f"student.cu:2:{column}: error: ‘unknown’" in said.stderr


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("int main() {\n  int a = (1 + 2;\n}\n", 2, "expected ‘)’"),
        (
            "#define CHECK(x) (x)\nint main() {\n  CHECK(cudaFree(0);\n}\n",
            3,
            "parenthesis missing?",
        ),
        ("#if 1\nint a;\n", 1, "unterminated #if"),
        ('int main() {\n  const char *s = "open;\n}\n', 2, "missing terminating"),
        ("__global__ void k() {\n  int a\n}\n", 3, "expected"),
        ('#error "sm_70 wanted"\n', 1, "sm_70 wanted"),
    ],
)
def test_syntax_errors_reach_the_compiler(
    tmp_path: Path, source: str, line: int, message: str
) -> None:
    """g++ finds them, in the preprocessor or in the result."""
    done, _ = rewrite(tmp_path, source)
    said = [text for text in done.stderr.splitlines() if "error: " in text] or errors_of(tmp_path)
    assert any(s.startswith(f"student.cu:{line}:") and message in s for s in said), said


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_all_line_endings_are_preserved(tmp_path: Path, ends: str) -> None:
    """A byte order mark, continued lines, Windows' line ends, and no end of the last line."""
    lines = [
        "__global__ void k(int *p) { *p = 1; }",
        "#define GO(p) \\",
        "    k<<<1, \\",
        "        32>>>(p)",
        "int main() { int *p = 0;",
        "    k<<<1,",
        "        32>>>(p);",
        "    GO(p); // a comment \\",
        "    goes on",
        "    return __LINE__; }",
    ]
    done, made = rewrite(tmp_path, "\ufeff" + ends.join(lines))
    assert done.returncode == 0, done.stderr
    assert made.count("sim_kernel(") == 2 and "<<<" not in made
    assert "return 10; }" in made
    assert "error" not in compile_it(tmp_path)


def test_files_that_are_included(tmp_path: Path) -> None:
    """A header with CUDA in it, one from -I in <>, and a .cu file; each keeps its own lines."""
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "tools.cuh").write_text(
        "#pragma once\ninline void go(void (*k)(int)) {\n    k<<<1, 1>>>(__LINE__);\n}\n"
    )
    (tmp_path / "part.cu").write_text(
        '#include "own.h"\n__global__ void one(int n) {\n    __shared__ int s;\n    s = n;\n}\n'
    )
    (tmp_path / "own.h").write_text('extern "C" {\n#include <string.h>\nint of_c(void);\n}\n')
    source = (
        '#include <tools.cuh>\n#include "part.cu"\n\nint main() {\n    go(one);\n    wrong;\n}\n'
    )
    done, made = rewrite(tmp_path, source, "-I", str(tmp_path / "inc"))
    assert done.stderr == ""
    assert f'sim_kernel("{tmp_path}/inc/tools.cuh", 3, "k", k).on(1, 1)(3)' in made
    assert f'"s", "{tmp_path}/part.cu", 3' in made
    assert [e.split(" error: ")[0] for e in errors_of(tmp_path)] == ["student.cu:6:5:"]


def test_zero_variables_use_no_file_space(tmp_path: Path) -> None:
    """Only variables that are certainly zero may stand in the section without content."""
    source = """#include <stdint.h>
struct point { int x = 3; };
__device__ float zeros[1 << 28];
static __device__ unsigned long long counter, many[5];
__device__ float4 vectors[4];
namespace deep { __device__ uint8_t bytes[1 << 20]; }
__device__ int one = 1;
__device__ int some[] = {1, 2}, none;
__device__ point p;
int main() { return (int)(zeros[0] + counter + many[0] + vectors[0].x + deep::bytes[0]) + one
    + some[0] + none + p.x - 5; }
"""
    done, made = rewrite(tmp_path, source)
    assert done.returncode == 0, done.stderr
    marked = [line.split(";")[0] for line in made.splitlines() if '"sim_device' in line]
    assert ["sim_device_zero" in line for line in marked] == [True] * 4 + [False] * 3, marked
    built = tmp_path / "made.o"
    subprocess.run(["g++", "-std=c++17", "-c", tmp_path / "made.ii", "-o", built], check=True)
    assert built.stat().st_size < 1 << 20


def test_a_variable_beyond_the_reach_of_code(tmp_path: Path) -> None:
    done, _ = rewrite(tmp_path, "__device__ char huge[(size_t)3 << 30];\nint main() {}\n")
    assert done.returncode == 0
    assert "no __device__ variable above 1.75 GB: use cudaMalloc()" in compile_it(tmp_path)


LARGE = "__device__ char a[1 << 30], b[{second}];\n__device__ int c;\n{more}\nint main() {{}}\n"


@pytest.mark.parametrize(
    ("second", "more", "line"),
    [
        ("1 << 30", "", 1),
        ("1 << 29", "__managed__ float4 d[1 << 25];", 3),
        ("1 << 29", "__device__ int d[1 << 26]; __device__ int d2;", None),
        ("1 << 29", "void f() { static char s[1 << 29]; s[0] = 1; }", None),
        ("1 << 29", "namespace n { __device__ char a[1 << 29]; }", None),  # the linker's to say
    ],
)
def test_variables_that_together_are_beyond_the_reach_of_code(
    tmp_path: Path, second: str, more: str, line: int | None
) -> None:
    done, _ = rewrite(tmp_path, LARGE.format(second=second, more=more))
    assert done.returncode == 0
    errors = errors_of(tmp_path)
    assert len(errors) == (line is not None), errors
    if line is not None:
        assert f"student.cu:{line}:" in errors[0]
        assert "more than 1.9 GB" in errors[0] and "use cudaMalloc()" in errors[0]


@pytest.mark.parametrize(
    ("value", "is_warned"),
    [("1.0f", True), ("-.5", True), ("2.", True), ("0.0f", False), ("0", False), ("255", False)],
)
def test_bytes_are_set_to_a_fraction(value: str, is_warned: bool, tmp_path: Path) -> None:
    source = (
        f"float a = 1, b = 0;\nint main() {{ float c = 7, d = 0; cudaMemset(0, {value}, 8); }}\n"
    )
    done, _ = rewrite(tmp_path, source)
    warned = done.stderr.startswith("student.cu:2:48: warning: cudaMemset() sets bytes")
    assert (done.returncode, warned) == (0, is_warned), done.stderr


@pytest.mark.parametrize(
    ("call", "is_warned"),
    [
        ("v.at(i++, i)", True),
        ("pair x(i = 2, i)", True),
        ("pair(i++, i)", False),  # is put into order
        ("v.at(i++, 2)", False),
        ("v.at(next(&i), v.i)", False),
        ("v.at(next(&w->i), w->j)", False),
        ("pair x{i++, i}", False),
        ("v.at(__ldg(&i), *(int *)&i)", False),
    ],
)
def test_arguments_that_are_not_put_into_order(call: str, is_warned: bool, tmp_path: Path) -> None:
    source = (
        "struct pair { int i, j; __device__ pair(int a, int b); __device__ int at(int, int); };\n"
        "__device__ int next(int *p) { return *p += 1; }\n"
        f"__device__ void f(pair v, pair *w, int i) {{\n    {call};\n}}\n"
    )
    done, _ = rewrite(tmp_path, source)
    warned = "student.cu:4:" in done.stderr and "one argument changes i" in done.stderr
    assert (done.returncode, warned) == (0, is_warned), done.stderr
    assert not compile_it(tmp_path).count("error")


@pytest.mark.parametrize(
    ("value", "is_warned"),
    [
        ("a * draw(&s) + b * draw(&s)", True),
        ("(a += draw(&s)) + b * draw(&s)", True),
        ("a * draw(&s) + b * draw(&t)", False),
        ("a * draw(&s) + b * s", False),  # it is read when both are known, and that is later
        ("draw(&s) * draw(&s) - 2 * draw(&s)", False),  # of numbers
        ("draw(&s) > 1 ? a * draw(&s) : b + 1", False),
    ],
)
def test_operands_of_a_class(value: str, is_warned: bool, tmp_path: Path) -> None:
    source = (
        "struct vec { float x; __device__ vec operator+(vec) const; __device__ vec(float = 0);\n"
        "__device__ vec operator+=(float); };\n"
        "__device__ float operator*(vec, vec);\n"
        "__device__ int draw(int *p) { return ++*p; }\n"
        f"__device__ void f(vec a, vec b, int s, int t) {{\n    vec({value});\n}}\n"
    )
    done, _ = rewrite(tmp_path, source)
    warned = "student.cu:6:" in done.stderr and "both operands change s" in done.stderr
    assert (done.returncode, warned) == (0, is_warned), done.stderr
    assert not compile_it(tmp_path).count("error")


BYTES = """__constant__ float c_mask[9];
typedef struct { float v[9]; } block;
void copy(float *d, const float *__restrict__ h, const float mask[9], block *b) {
  float own[9], value = 1, *last = d, x; int n = 9;
  block whole = *b;
  { float *own = d; (void)own; }
  CALL;
}
int main() { return 0; }
"""


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("cudaMemcpyToSymbol(c_mask, mask, sizeof(mask))", "mask is a pointer"),
        ("cudaMemcpy(d, h, n * sizeof h, cudaMemcpyHostToDevice)", "h is a pointer"),
        ("cudaMemset(last, 0, sizeof(last))", "last is a pointer"),
        ("cudaMemset(d, value, n * sizeof(float))", "sets bytes: value becomes"),
        ("size_t bytes = n * n * sizeof(mask); (void)bytes", "sizeof(*mask) is that of an element"),
        ("cudaMalloc((void **)&last, sizeof h * n)", "h is a pointer"),
        ("cudaMalloc((void **)&last, sizeof last)", "last is a pointer"),
        ("cudaHostAlloc(&last, sizeof(last), 0)", "last is a pointer"),
        ("float **all; cudaMalloc(&all, sizeof all)", ""),
        ("cudaMalloc(&last, sizeof(*last)); cudaMalloc(&last, sizeof own)", ""),
        ("size_t bytes = n * sizeof(b->v[0]) + sizeof(h); (void)bytes", ""),
        ("float **all = 0; n = n * sizeof(all) + n * sizeof(float *) + n * sizeof(own)", ""),
        ("cudaMemcpyToSymbol(c_mask, own, sizeof(own))", ""),
        ("cudaMemcpyToSymbol(c_mask, own, sizeof c_mask)", ""),
        ("cudaMemcpy(d, h, n * sizeof(*h), cudaMemcpyHostToDevice)", ""),
        ("cudaMemcpy(d, h, n * sizeof(h[0]), cudaMemcpyHostToDevice)", ""),
        ("cudaMemcpy(d, &last, sizeof(last), cudaMemcpyHostToDevice)", ""),
        ("cudaMemcpy(d, &whole, sizeof(whole), cudaMemcpyHostToDevice)", ""),
        ("cudaMemset(d, n, sizeof(x))", ""),
    ],
)
def test_bytes_of_a_pointer(call: str, said: str, tmp_path: Path) -> None:
    done, _ = rewrite(tmp_path, BYTES.replace("CALL", call))
    assert done.returncode == 0 and bool(done.stderr) == bool(said), done.stderr
    assert said in done.stderr and (not said or done.stderr.startswith("student.cu:7:"))
    (kept,) = tmp_path.glob("*.warnings")
    assert kept.read_text() == done.stderr


ODD_ARITHMETIC = """
template <class T, int N> struct table { T of[N]; };
struct packed { unsigned low : 4; int high; };
enum { EIGHT = 1 << 3 };
template <class... A> __device__ int sum(A... a) { return (0 + ... + (int)a); }
template <class T> __device__ T made(float f) { T x = f; return T(x) + (T)(f > 1); }
__device__ unsigned char byte(float f) { if (f > 1) return f; else return(0); }
__device__ int larger(int a, float b) { if (a > b) return(a); else return(b); }
__global__ void k(int *p, float f, packed b, unsigned n) {
  table<table<int, 2>, (1 << 2)> nested = {};
  int (*rows)[2] = &nested.of[0].of, counts[EIGHT] = {}, *end = &counts[EIGHT];
  b.low = f; b.high = (int)b.low >> n; (*rows)[0] = f;
  p[0] = (n >> 1) < (unsigned)f ? (int)n : -(int)!(bool)f;
  for (int i = f, j = (int)sizeof(int); i < j; i++) p[i] += i << n | j >> (int)n;
  *p++ = f; p--;
  char text[] = "text"; const char *at = text; p[1] = at[(int)f];
  void *raw = (void *)(size_t)p; p = (int *)(size_t)raw;
  const unsigned char pixel = f > 255 ? 255 : f;
  auto convert = [=](double x) { return (long)x; };
  auto one = (long)f, two = one + (int)f; const auto half = n / 2, rest = n - half;
  p[2] = static_cast<int>(convert(pixel)) << EIGHT; p = nullptr; end = 0;
  volatile int seen = f; seen = (float)(double)(int)f; seen <<= n; counts[n] = sum(f, seen);
  switch ((int)f) { case (int)3: case 1 << 2: n >>= seen; default: break; }
  *end = made<short>(f) + byte(f) + counts[seen] + nested.of[1].of[n] + (f > counts[n]);
}
"""


@pytest.mark.parametrize("flags", [(), (TRACED,)])
def test_arithmetic_in_odd_places_compiles(flags: tuple[str, ...], tmp_path: Path) -> None:
    done, _ = rewrite(tmp_path, ODD_ARITHMETIC, *flags)
    assert done.returncode == 0, done.stderr
    said = captured.run(
        ["g++", "-std=c++17", "-fsyntax-only", *flags, "-I", INCLUDE, tmp_path / "made.ii"]
    )
    assert said.returncode == 0, said.stderr


WATCHED = [  # no declarations, though some look like one: another lane's s[t ^ 1] is read
    "a[t] = fabsf(a[t] * s[t ^ 1]);", "if (t > s[t ^ 1]) a[t] = 1;", "g(t & s[t ^ 1], 1);",
    "while (t < 3 && t > s[t ^ 1]) t++;", "a[t] = t ? t : t * s[t ^ 1];", "a[t * s[t ^ 1]] = 1;",
    "a[t] = (float)t * s[t ^ 1];", "t = 1, s[t] = t; a[t] = s[t ^ 1];", "f<3>(t), *s += s[t ^ 1];",
    "f(*a), *s = s[t ^ 1];", "x = 1, *s = s[t ^ 1];",
]  # fmt: skip


def test_lane_exchanges_are_instrumented(tmp_path: Path) -> None:
    kernels = [
        f"__global__ void k{n}(int *a, int t) {{ __shared__ int s[32]; s[t] = t; {statement} }}\n"
        for n, statement in enumerate(WATCHED)
    ]
    _, made = rewrite(tmp_path, "".join(kernels), options=("--lock-step",))
    counts = [line.count("(sim_exchange{") for line in made.splitlines() if "void k" in line]
    assert len(counts) == len(WATCHED) and min(counts) >= 2


@pytest.mark.slow("builds a program of 650 lines")
@pytest.mark.parametrize("option", [(), ("--check",)])
def test_odd_syntax_keeps_its_meaning(option: tuple[str, ...]) -> None:
    """Each kernel gives its value, and no check accuses it."""
    done = captured.grade("run", *option, Path(__file__).with_name("odd_syntax.cu"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ("checks: nothing found\n" if option else "")


PIECES = [  # of programs, each a token that only a lexer of C++ gets right
    'R"(a " b)"', 'LR"x(a)" )" )x"', 'u8R"(\n# 7 "b.cu"\n)"', '"a\\"b"', 'u8"R\\"("', "'\\''",
    "'\"'", "L'x'", "1'000'000", "0x1p-3f", ".5e+3", "1.e5f", "a$b", "é", "R", "u8", "_1", "x<y>",
    "a->b", "n::m", "&&", ">>=", "\n", "\n#pragma unroll 4\n", '\n# 40 "a.cu"\n',
    "k<<<1, 2>>>(p)", '"a" R"(b)"',
]  # fmt: skip


def test_the_grader_and_the_simulator_read_the_same_tokens() -> None:
    """The grader judges a text that the translator then rewrites: neither may see a word where the
    other sees a string. (They cut signs differently.)"""
    draw = random.Random(1)
    kinds = {"raw": "text", "string": "text", "letter": "text", "glued": "text"}
    for _ in range(500):
        body = " ".join(draw.choices(PIECES, k=12))
        text = f'# 1 "a.cu"\n{body}\n'.encode()
        program = Program(Expanded(text, []))
        ours = [
            (kinds.get(str(kind), kind), word.decode(), program.position(i)[1])
            for i, (kind, word) in enumerate(zip(program.kind, program.text, strict=True))
            if kind != "sign"
        ]
        read = iter(judged.own_text(text, lambda _: "a.cu").tokens)
        theirs = []
        for kind, word, line in read:
            if kind == "pragma":  # its words, which only the grader reads, come after it
                assert [w for _, w, _ in islice(read, 3)] == ["pragma", "unroll", "4"]
            elif kind != "sign":
                theirs.append((kinds.get(kind, kind), word, line))
        assert ours == theirs, body
