"""Static shared memory above the limit of a block: an error at the student's line, as in nvcc."""

import os
import re
from pathlib import Path

import pytest

from grader.compile import compiler_messages
from grader.paths import ROOT
from grader.tests import captured
from labs.tests.sim.translate.test_rewrite import compile_it, rewrite

FILE = "/student.cu"  # diagnostics_in() wants a folder; the rewriter gets no other name

# What is too large: line, what the message says before "more than", and the program.
REFUSED = {
    "one array": (
        2,
        "s_tile takes 65536 bytes",
        "__global__ void k(float *o) {\n    __shared__ float s_tile[128][128];\n"
        "    s_tile[threadIdx.x][1] = 1; __syncthreads(); o[0] = s_tile[1][threadIdx.x];\n}\n",
    ),
    "one byte too many": (
        1,
        "s takes 49153 bytes",
        "__global__ void k(char *o) { __shared__ char s[49153]; s[threadIdx.x] = 1;\n"
        "    __syncthreads(); o[0] = s[o[1]]; }\n",
    ),
    "a sum": (
        3,
        "a and b take 80000 bytes",
        "__global__ void k(float *o) {\n    __shared__ float a[10000];\n"
        "    __shared__ float b[10000];\n"
        "    a[threadIdx.x] = b[threadIdx.x] = 1; __syncthreads();\n"
        "    o[0] = a[o != 0] + b[o != 0]; }\n",
    ),
    "a sum of three in one declaration": (
        2,
        "a, b and c take 60000 bytes",
        "__global__ void k(char *o) {\n    __shared__ char a[20000], b[20000], c[20000];\n"
        "    a[threadIdx.x] = b[threadIdx.x] = c[threadIdx.x] = 1; __syncthreads();\n"
        "    o[0] = a[o[1]] + b[o[2]] + c[o[3]]; }\n",
    ),
    "a sum over two scopes": (
        4,
        "outer and inner take 80000 bytes",
        "__global__ void k(float *o) {\n    __shared__ float outer[10000];\n"
        "    outer[threadIdx.x] = 1;\n    if (o) { __shared__ float inner[10000];\n"
        "        inner[threadIdx.x] = 1; __syncthreads(); o[0] = inner[o[1] != 0]; }\n"
        "    __syncthreads(); o[2] = outer[o[3] != 0]; }\n",
    ),
    "a template kernel": (
        2,
        "s_tile takes 160000 bytes",
        "template <int N> __global__ void k(float *o) {\n    __shared__ float s_tile[N][N];\n"
        "    s_tile[threadIdx.x][0] = 1; __syncthreads(); o[0] = s_tile[o[1] != 0][0]; }\n"
        "void run(float *o) { k<16><<<1, 1>>>(o); k<200><<<1, 1>>>(o); }\n",
    ),
    "a struct": (
        3,
        "both takes 80008 bytes",
        "struct tiles { float left[100][100], right[100][100]; double sum; };\n"
        "__global__ void k(float *o) {\n    __shared__ struct tiles both;\n"
        "    both.left[threadIdx.x][0] = 1; __syncthreads(); o[0] = both.left[o[1] != 0][0]; }\n",
    ),
    "a variable at file scope": (
        1,
        "g_tile takes 120000 bytes",
        "__shared__ int g_tile[30000];\n"
        "__global__ void k(int *o) { g_tile[threadIdx.x] = 1; __syncthreads();\n"
        "    o[0] = g_tile[o[1]]; }\n",
    ),
    "a macro": (
        2,
        "s takes 65536 bytes",
        "#define TILE(name, n) __shared__ float name[n][n]\n"
        "__global__ void k(float *o) { TILE(s, 128);\n"
        "    s[threadIdx.x][1] = 1; __syncthreads(); o[0] = s[1][threadIdx.x]; }\n",
    ),
}

ACCEPTED = {
    "exactly the limit": "__global__ void k(char *o) { __shared__ char s[49152];\n"
    "    s[threadIdx.x] = 1; __syncthreads(); o[0] = s[o[1]]; }\n",
    "two kernels, each below the limit": "".join(
        f"__global__ void {name}(float *o) {{ __shared__ float s[10000];\n"
        "    s[threadIdx.x] = 1; __syncthreads(); o[0] = s[o != 0]; }\n"
        for name in ("one", "two")
    ),
    "an array that is not used": "__global__ void k(float *o) { __shared__ float a[10000];\n"
    "    a[threadIdx.x] = 1; __syncthreads(); o[0] = a[o != 0]; __shared__ float b[10000]; }\n",
    "dynamic memory of any size": "__global__ void k(float *o) { extern __shared__ float s[];\n"
    "    float (*t)[200] = (float (*)[200])s; __shared__ float a[12000];\n"
    "    t[199][threadIdx.x] = 1; __syncthreads(); o[0] = t[199][0] + a[o != 0]; }\n",
    "a template that nothing instantiates": "template <int N> __global__ void k(float *o) {\n"
    "    __shared__ float s[N][N]; s[0][threadIdx.x] = 1; __syncthreads(); o[0] = s[0][1]; }\n"
    "template __global__ void k<64>(float *);\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_message_names_line_bytes_limit_and_what_to_do(tmp_path: Path, name: str) -> None:
    line, says, source = REFUSED[name]
    done, _ = rewrite(tmp_path, source)
    assert done.returncode == 0, done.stderr
    log = compile_it(tmp_path).replace("student.cu:", FILE + ":")
    errors = [d for d in compiler_messages.diagnostics_in(log, "") if d.severity == "error"]
    assert [(d.file, d.line) for d in errors] == [(FILE, line)]
    assert errors[0].text.startswith(
        f"static shared memory: {says}, more than the limit of a block, 49152 bytes (48 KB): "
        "use a smaller tile, or declare it extern __shared__"
    )
    assert "cudaFuncSetAttribute(" in errors[0].text
    assert any(says in text for text in compiler_messages.program_errors(log))


@pytest.mark.parametrize("name", ACCEPTED)
def test_valid_static_shared_memory_compiles(tmp_path: Path, name: str) -> None:
    done, _ = rewrite(tmp_path, ACCEPTED[name])
    assert done.returncode == 0, done.stderr
    assert "error" not in compile_it(tmp_path)


@pytest.mark.parametrize("name", [*REFUSED, *ACCEPTED])
def test_nvcc_agrees_on_static_shared_memory(tmp_path: Path, name: str, real_nvcc: str) -> None:
    source = REFUSED[name][2] if name in REFUSED else ACCEPTED[name]
    file = tmp_path / "student.cu"
    file.write_text(source)
    path = f"{Path(real_nvcc).parent}{os.pathsep}{os.environ['PATH']}"
    done = captured.run(
        [real_nvcc, "-std=c++17", "-arch=sm_90", "-cubin", file, "-o", tmp_path / "out"],
        timeout=120,
        env={**os.environ, "PATH": path},
    )
    if name in ACCEPTED:
        assert done.returncode == 0, done.stderr
        return
    [said] = compiler_messages.shared_data(done.stderr)
    bytes_ = re.search(r"takes? (\d+ bytes)", REFUSED[name][1])
    assert bytes_ and bytes_[1] in said
    assert said.startswith("static shared memory: the kernel k has ")


def test_the_limit_is_the_simulators() -> None:
    header = (ROOT / "labs/sim/include/sim/abi.h").read_text()
    limit = re.search(r"#define SIM_BLOCK_SHARED (.*?)(?:/\*|\n)", header)
    assert limit
    assert eval(limit[1].replace("(size_t)", "")) == 49152
