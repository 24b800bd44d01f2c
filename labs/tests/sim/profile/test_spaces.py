"""Lanes of one instruction may access different memories: each is counted and checked where its
address leads. kernels4.cu of labs/studies/nsight has more, as Nsight Compute counted them."""

import json
from pathlib import Path

import pytest

from grader.tests import captured
from labs.tests.sim.translate.one_warp import Counters, Kernel, counters

TYPES = """
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__constant__ float c_table[64];
float h_values[8192];
__constant__ const float *c_host;
struct SetsPointer {
    SetsPointer() { const float *h = h_values; cudaMemcpyToSymbol(c_host, &h, sizeof h); }
} sets_pointer;
template <typename T> __device__ T *kept() { static T values[64]; return values; }
__host__ __device__ float *both() { static float values[64]; return values; }
"""
TILE = "__shared__ float s[64]; s[i] = s[i + 32] = i; __syncthreads(); "
# The body of a kernel of one warp, which makes one store of 32 floats to `out` beside what is said:
# requests and sectors of loads and of stores of global memory, requests of loads of shared memory.
COUNTED = {
    "lane_zero_shared": (TILE + "out[i] = *(i == 0 ? s : in + i);", 1, 4, 1, 4, 1),
    "lanes_alternate": (TILE + "out[i] = *(i & 1 ? s + i : in + 8 * i);", 1, 16, 1, 4, 1),
    "lane_zero_constant": ("out[i] = *(i == 0 ? c_table : in + i);", 1, 5, 1, 4, 0),
    "constant": ("out[i] = c_table[i];", 0, 0, 1, 4, 0),
    "literal": ('out[i] = *(i == 0 ? (const float *)"0123456789abcdef" : in + i);', 1, 5, 1, 4, 0),
    "table": ("static const float t[4] = {1, 2, 3, 4}; out[i] = t[threadIdx.x & 3];",
              1, 1, 1, 4, 0),
    "table_unrolled": ("static const float t[2] = {1, 2}; float a = 0;"
                       " for (int k = 0; k < 2; k++) a += t[k]; out[i] = a;", 0, 0, 1, 4, 0),
    "static": ("static float t[64]; t[i] = i; __syncthreads(); out[i] = t[31 - i];", 1, 5, 2, 9, 0),
    "static_of_template": ("float *t = kept<float>(); t[i] = i; __syncthreads();"
                           " out[i] = t[31 - i];", 1, 5, 2, 9, 0),
    "static_of_both": ("float *t = both(); t[i] = i; __syncthreads(); out[i] = t[31 - i];",
                       1, 5, 2, 9, 0),
    "store_alternate": (TILE + "*(i & 1 ? s + i : out + i) = 1; __syncthreads(); out[i] = s[i];",
                        0, 0, 2, 8, 1),
}  # fmt: skip
# Accesses of what a device does not have there: each lane counts by itself, in every memory.
UNKNOWN = {
    "host_variable": "out[i] = c_host[4096 + i];",
    "lane_zero_host": "out[i] = *(i == 0 ? c_host + 4096 : in + i);",
    "stack_of_another": "__shared__ float *p; float own[2] = {1, 2}; if (i == 0) p = own;"
                        " __syncthreads(); out[i] = i > 3 ? p[i & 1] : 0; __syncthreads();"
                        " own[i & 1] = out[i]; out[i] = own[0];",
}  # fmt: skip
UNKNOWN_LANES = {"host_variable": 32, "lane_zero_host": 1, "stack_of_another": 28}
COPY = "__shared__ float s[32]; auto b = cg::this_thread_block(); "
BEGIN = "cg::memcpy_async(b, s, in, sizeof s); "
# What the checks find; None: nothing.
CHECKED = {
    "race_in_static": ("static float sum; sum = sum + in[i]; out[i] = sum;", "global-race"),
    "race_in_static_of_template": ("*kept<float>() = i; out[i] = 0;", "global-race"),
    "static_and_barrier": ("static float t[32]; t[i] = i; __syncthreads(); out[i] = t[31 - i];",
                           None),
    "lanes_and_barrier": (TILE + "out[i] = *(i & 1 ? s + i : in + i);", None),
    "race_of_lanes": (TILE + "*(i & 1 ? s + 1 : out + i) = i; out[i + 64] = 1;", "shared-race"),
    "host_variable": ("out[i] = c_host[4096 + i];", "wrong-space"),
    "stack_of_another": (UNKNOWN["stack_of_another"], "wrong-space"),
    "store_to_constant": ("if (i == 3) c_table[i] = in[i]; out[i] = 1;", "wrong-space"),
    "copy": (COPY + BEGIN + "cg::wait(b); out[i] = s[31 - i];", None),
    "copy_without_wait": (COPY + BEGIN + "b.sync(); out[i] = s[31 - i];", "uninitialised-read"),
    "copy_waited_for_later": (COPY + "s[i] = 0; b.sync(); " + BEGIN
                              + "out[i] = s[31 - i]; cg::wait(b); out[i + 32] = s[i];",
                              "shared-race"),
    "copy_in_stages": ("__shared__ float s[2][32]; auto b = cg::this_thread_block();"
                       " cg::memcpy_async(b, s[0], in, 128); cg::memcpy_async(b, s[1], in, 128);"
                       " cg::wait_prior<1>(b); out[i] = s[0][31 - i]; cg::wait(b);"
                       " out[i + 32] = s[1][31 - i];", None),
    "copy_of_the_next_stage": ("__shared__ float s[2][32]; auto b = cg::this_thread_block();"
                               " cg::memcpy_async(b, s[0], in, 128);"
                               " cg::memcpy_async(b, s[1], in, 128); cg::wait_prior<1>(b);"
                               " out[i] = s[1][31 - i]; cg::wait(b);", "shared-race"),
}  # fmt: skip


def kernel(name: str, body: str) -> Kernel:
    return Kernel(name, "float", "float", body)


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Counters:
    bodies = {name: body for name, (body, *_) in COUNTED.items()} | UNKNOWN
    kernels = [kernel(f"k_{name}", body) for name, body in bodies.items()]
    return counters(kernels, TYPES, tmp_path_factory.mktemp("spaces"))


@pytest.mark.parametrize("name", COUNTED)
def test_lanes_are_counted_in_the_memory_of_their_addresses(name: str, counted: Counters) -> None:
    found = counted[f"k_{name}"]
    names = ("global_load_requests", "global_load_sectors", "global_store_requests",
             "global_store_sectors", "shared_load_requests")  # fmt: skip
    load, sectors, stores, stored, shared = COUNTED[name][1:]
    assert found["unknown_lanes"] == 0
    # Where the linker puts a variable, it may begin within a sector.
    exact = dict(zip(names, (load, sectors, stores, stored, shared), strict=True))
    for counter, value in exact.items():
        slack = counter.endswith("sectors") and ("static" in name or name in ("literal", "table"))
        assert value - slack <= found[counter] <= value + (slack and name == "table"), counter


@pytest.mark.parametrize("name", UNKNOWN)
def test_unresolved_addresses_count_as_worst_case(name: str, counted: Counters) -> None:
    found, lanes = counted[f"k_{name}"], UNKNOWN_LANES[name]
    assert found["unknown_lanes"] == lanes
    assert found["global_load_sectors"] >= lanes
    assert found["shared_load_wavefronts"] >= lanes


@pytest.mark.parametrize("name", CHECKED)
def test_checks_follow_each_lane(name: str, tmp_path: Path) -> None:
    body, kind = CHECKED[name]
    source, target = tmp_path / "program.cu", tmp_path / "findings.json"
    one = kernel("k", body)
    source.write_text(
        f"{TYPES}\n{one.text}\nint main(void) {{ char *in, *out; cudaMalloc(&in, 4096);"
        f" cudaMalloc(&out, 4096); cudaMemset(in, 0, 4096); {one.launch}"
        " cudaError_t e = cudaDeviceSynchronize(); cudaFree(in); cudaFree(out); return e; }\n"
    )
    captured.grade("run", "--check", source, "--json", target)
    findings = json.loads(target.read_text())["findings"]
    assert {f["kind"] for f in findings if f["severity"] == "error"} == ({kind} if kind else set())
