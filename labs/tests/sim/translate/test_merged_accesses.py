"""The requests of kernels with neighbouring accesses are those of the machine code that nvcc 13.0
makes of them: the numbers here are counted in it."""

import pytest

from labs.tests.sim.translate.one_warp import Counters, Kernel, counters

TYPES = """
struct narrow { float x, y, z, w; };
struct __align__(16) wide { float x, y, z, w; };
struct point { short x, y; float score; int label; };
struct pixel { unsigned char r, g, b, a; };
struct packed { unsigned int low : 16, high : 16; unsigned int z; };
__global__ void bit_fields(const packed *p, unsigned int *out) { // have no address for a tag
    out[threadIdx.x] = p[threadIdx.x].low + p[threadIdx.x].high + p[threadIdx.x].z;
}
template <int N> __device__ float sum_of(const float *p) {
    float a = 0;
    for (int k = 0; k < N; k++) a += p[k];
    return a;
}
"""
SHARED = "__shared__ float s[512]; s[i] = in[i]; __syncthreads(); float a = 0;"
# Body of a kernel of one warp; its loads of shared memory, without SHARED's store and load.
SHARED_LOADS = {
    "constants": (SHARED + "a = s[0] + s[1] * s[2] + s[3] + s[5] + s[6];", 3),
    "odd": (SHARED + "a = s[1] + s[2];", 2),
    "gap": (SHARED + "a = s[4 * i] + s[4 * i + 2];", 2),
    "three_of_four": (SHARED + "a = s[4 * i + 2] + s[4 * i + 1] + s[4 * i + 3];", 1),
    "two_per_thread": (SHARED + "a = s[2 * i] + s[2 * i + 1];", 1),
    "three_per_thread": (SHARED + "a = s[3 * i] + s[3 * i + 1] + s[3 * i + 2];", 3),
    "variable": (SHARED + "int r = i / 4; a = s[r * 4] + s[r * 4 + 1] + s[4 * r + 3];", 1),
    "masked": (SHARED + "a = s[i & ~1] + s[(i & ~1) + 1];", 1),
    "shifted": (SHARED + "a = s[(i << 1) + 1] + s[i << 1];", 1),
    "parameter": (SHARED + "a = s[n] + s[n + 1];", 2),
    "block": (SHARED + "a = s[threadIdx.y * blockDim.x] + s[threadIdx.y * blockDim.x + 1];", 2),
    "unrolled": (SHARED + "for (int k = 0; k < 9; k++) a += s[k] * in[i + k];", 3),
    "nested": (
        SHARED + "for (int j = 0; j < 5; j++) for (int k = 0; k < 5; k++)"
        " a += s[j * 5 + k] * in[i + j * n + k];",
        7,
    ),
    "border": (
        SHARED + "for (int k = 0; k < 9; k++) { int x = i + k - 4; float v = 0;"
        " if (x >= 0 && x < n) v = in[x]; a += s[k] * v; }",
        3,
    ),
    "guarded": (
        SHARED + "for (int k = 0; k < 4; k++) if (k < n) a += s[k] * in[i + k];",
        4,
    ),
    "length_of_run_time": (SHARED + "for (int k = 0; k < n; k++) a += s[k] * in[i + k];", 2),
    "no_unrolling": (
        SHARED + "\n#pragma unroll 1\nfor (int k = 0; k < n; k++) a += s[k] * in[i + k];",
        8,
    ),
    "walking": (SHARED + "for (int k = 0; k < n; k++) a += s[i * 8 + k] * in[i + k];", 4),
    "from_minus_n": (SHARED + "for (int k = -n; k < n; k++) a += s[k + n] * in[i + k + n];", 16),
    "between_stores": (SHARED + "out[i] = s[2 * i]; out[i + 64] = s[2 * i + 1];", 1),
    "barrier": (SHARED + "a = s[0]; __syncthreads(); s[i + 64] = a; a += s[1];", 2),
    "row_of_9": (
        "__shared__ float s[32][9]; s[i][0] = in[i]; __syncthreads(); float a = 0;"
        "for (int k = 0; k < 9; k++) a += s[i][k];",
        9,
    ),
    "row_of_12": (
        "__shared__ float s[32][12]; s[i][0] = in[i]; __syncthreads(); float a = 0;"
        "for (int k = 0; k < 12; k++) a += s[i][k];",
        3,
    ),
    "doubles": (
        "__shared__ double s[64]; s[i] = in[i]; __syncthreads();"
        "double a = s[2 * n] + s[2 * n + 1];",
        1,
    ),
    "bytes": (
        "__shared__ unsigned char s[128]; s[i] = in[i]; __syncthreads();"
        "int a = s[4 * i] + s[4 * i + 1] + s[4 * i + 2] + s[4 * i + 3];",
        4,
    ),
    "volatile": (
        "__shared__ volatile float s[128]; s[i] = in[i]; __syncthreads();"
        "float a = s[4 * i] + s[4 * i + 1];",
        2,
    ),
    "structures": (
        "__shared__ float4 s[32]; s[i].x = in[i]; __syncthreads();"
        "float a = s[31 - i].x + s[31 - i].y + s[31 - i].w;",
        1,
    ),
}  # fmt: skip
# The same of loads of global memory: the type, the body.
GLOBAL_LOADS = {
    "type_of_4": ("narrow", "out[i] = in[i].x + in[i].y;", 2),
    "type_of_16": ("wide", "out[i] = in[i].x + in[i].y;", 1),
    "xyz": ("float4", "out[i] = in[i].x + in[i].y + in[i].z;", 1),
    "yzw": ("float4", "out[i] = in[i].y + in[i].z + in[i].w;", 2),
    "xw": ("float4", "out[i] = in[i].x + in[i].w;", 2),
    "shorts": ("point", "int x = in[i].x, y = in[i].y; out[i] = x * y;", 1),
    "bytes": ("uchar4", "out[i] = in[i].x + in[i].y + in[i].z;", 1),
    "bytes_alone": ("pixel", "out[i] = in[i].r + in[i].g + in[i].b;", 3),
    "store_between": ("float4", "out[i] = in[i].x; out[i + 64] = in[i].y;", 2),
    "two_statements": ("float2", "float a = in[i].x; a *= in[i].y; out[i] = a;", 1),
    "other_elements": ("float2", "out[i] = in[i].x + in[i + 1].y;", 2),
    "a_test_between": ("float4", "float a = in[i].x; if (a < 3) a += in[i].y; out[i] = a;", 2),
}
# Stores: the type of the output, the body, and how many of them.
STORES = {
    "xyzw": (
        "float4",
        "float a = in[i]; out[i].x = a; out[i].y = 1; out[i].z = 3; out[i].w = 2;",
        1,
    ),
    "xyz": ("float4", "float a = in[i]; out[i].x = a; out[i].y = 1; out[i].z = a + 1;", 2),
    "bytes": (
        "uchar4",
        "int a = in[i]; out[i].x = a; out[i].y = 1; out[i].z = 3; out[i].w = 2;",
        1,
    ),
    "load_between": ("float4", "out[i].x = in[i]; out[i].y = in[i + 3];", 2),
    "type_of_4": ("narrow", "float a = in[i]; out[i].x = a; out[i].y = 1;", 2),
}


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Counters:
    kernels = [
        Kernel(f"shared_{name}", "float", "float", body + " out[i] = a;")
        for name, (body, _) in SHARED_LOADS.items()
    ]
    kernels += [
        Kernel(f"global_{name}", kind, "float", body)
        for name, (kind, body, _) in GLOBAL_LOADS.items()
    ]
    kernels += [
        Kernel(f"store_{name}", "float", kind, body) for name, (kind, body, _) in STORES.items()
    ]
    return counters(kernels, TYPES, tmp_path_factory.mktemp("merged"))


@pytest.mark.parametrize("name", SHARED_LOADS)
def test_loads_of_shared_memory(name: str, counted: Counters) -> None:
    assert counted[f"shared_{name}"]["shared_load_requests"] == SHARED_LOADS[name][1]


@pytest.mark.parametrize("name", GLOBAL_LOADS)
def test_loads_of_global_memory(name: str, counted: Counters) -> None:
    assert counted[f"global_{name}"]["global_load_requests"] == GLOBAL_LOADS[name][2]


@pytest.mark.parametrize("name", STORES)
def test_stores_count_merged_requests(name: str, counted: Counters) -> None:
    assert counted[f"store_{name}"]["global_store_requests"] == STORES[name][2]
