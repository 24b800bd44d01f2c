"""What is counted beside loads and stores: textures, surfaces, blocks and threads that store."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grader.tests import captured

PROGRAM = r"""#include <cooperative_groups.h>
__global__ void by_texture(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x) + tex1Dfetch<float>(t, 31 - threadIdx.x);
}
__global__ void by_array(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex2D<float>(t, 0.5f, threadIdx.x + 0.5f);
}
__global__ void to_surface(cudaSurfaceObject_t s) {
    if (blockIdx.x == 1) {
        surf2Dwrite(1.0f, s, 4 * threadIdx.x, 2);
    }
}
__global__ void one_of_four(float *out) {
    if (blockIdx.y == 0 && threadIdx.x < 40) {
        out[blockIdx.x * 64 + threadIdx.x] = 1;
    }
}
__global__ void shared_only(float *out) {
    __shared__ float s[32];
    s[threadIdx.x] = 1;
    if (blockIdx.x == 9) {
        *out = s[0];
    }
}
__global__ void atomics(int *out) {
    __shared__ int s;
    atomicAdd(&s, 1);
    if (blockIdx.x == 2 && threadIdx.x == 5) {
        atomicAdd(out, 1);
    }
}
__global__ void by_turns(float *out) {
    if (blockIdx.x < 3) {
        out[blockIdx.x * 32 + threadIdx.x] = 1;
    }
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0) {
        out[threadIdx.x] = 2;
    }
}
__global__ void lower_half(float *out) {
    if (threadIdx.y >= 2) {
        out[blockIdx.x * 32 + threadIdx.x] = 1.0f;
    }
}
__global__ void zero_first(float *out, char *bytes) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = 0;
    out[i] = bytes[i];
    bytes[i] = 1;
    *(int *)(bytes + 128 + 4 * (i / 3 * 3 % 32)) = 2;
}
__global__ void get_values(float *out) {
    __shared__ float s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < (threadIdx.x < 32 ? 10 : 15); i++) {
        sum += s[(threadIdx.x + i) % 64];
    }
    for (int i = 0; i < 6 && threadIdx.x < 32; i++) {
        sum += __shfl_xor_sync(~0u, sum, 1 << i % 5);
    }
    out[threadIdx.x] = sum;
}
__global__ void store_results(float *result, int from) {
    result[from + threadIdx.x] = 1;
}
__global__ void add_results(float *result) {
    atomicAdd(result + threadIdx.x, 1.0f);
}
int main(void) {
    float *in, *out, *result;
    cudaMalloc(&result, 512);
    sim_expect_result(result);
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    cudaResourceDesc linear = {}, grid = {};
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = in;
    linear.res.linear.desc = cudaCreateChannelDesc<float>();
    linear.res.linear.sizeInBytes = 4096;
    grid.resType = cudaResourceTypeArray;
    cudaMallocArray(&grid.res.array.array, &linear.res.linear.desc, 32, 32,
                    cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(grid.res.array.array, 0, 0, in, 128, 128, 32, cudaMemcpyDeviceToDevice);
    cudaTextureObject_t t, u;
    cudaSurfaceObject_t s;
    cudaCreateTextureObject(&t, &linear, &how, NULL);
    cudaCreateTextureObject(&u, &grid, &how, NULL);
    cudaCreateSurfaceObject(&s, &grid);
    by_texture<<<1, 32>>>(t, out);
    by_array<<<1, 32>>>(u, out);
    to_surface<<<2, 32>>>(s);
    one_of_four<<<dim3(2, 4), 64>>>(out);
    shared_only<<<4, 32>>>(out);
    atomics<<<4, 32>>>((int *)out);
    int parts = 4;
    void *arguments[] = {&out};
    cudaLaunchCooperativeKernel((void *)by_turns, dim3(parts), dim3(32), arguments, 0, 0);
    zero_first<<<3, 32>>>(out, (char *)in);
    lower_half<<<3, dim3(32, 4)>>>(out);
    get_values<<<1, 64>>>(out);
    store_results<<<1, 64>>>(result, 0);
    store_results<<<1, 32>>>(result, 32);
    store_results<<<1, 32>>>(result, 96);
    add_results<<<1, 32>>>(result);
    return cudaDeviceSynchronize();
}
"""
# Of each kernel: counters, and the grid that is not idle.
COUNTED = {
    "by_texture": (
        {"texture_requests": 2, "texture_sectors": 8, "dram_bytes": 256, "global_load_lanes": 0},
        [1, 1, 1],
    ),
    "by_array": ({"texture_requests": 1, "texture_sectors": 32}, [1, 1, 1]),
    "to_surface": (
        {
            "surface_store_requests": 1,
            "texture_requests": 0,
            "idle_blocks": 1,
            "storing_threads": 32,
        },
        [2, 1, 1],
    ),
    "one_of_four": ({"blocks": 8, "idle_blocks": 6, "storing_threads": 80}, [2, 1, 1]),
    "shared_only": ({"blocks": 4, "idle_blocks": 4, "storing_threads": 0}, [0, 0, 0]),
    "atomics": (
        {
            "shared_atomic_lanes": 128,
            "receiving_threads": 4 * 32 // 16,
            "idle_blocks": 3,
            "storing_threads": 1,
            "global_store_lanes": 0,
        },
        [3, 1, 1],
    ),
    "get_values": (
        {
            "shared_load_words": 32 * 10 + 32 * 15,
            "exchanges": 32 * 6,
            "receiving_threads": 32 + 32 * 15 // 16,
            "shared_atomic_lanes": 0,
        },
        [1, 1, 1],
    ),
    "by_turns": (
        {"blocks": 4, "idle_blocks": 1, "storing_threads": 96, "global_bytes_stored_again": 128},
        [3, 1, 1],
    ),
    # The same words a second time, no byte, and of 96 words all but 32.
    "zero_first": ({"global_bytes_stored_again": 4 * 96 + 4 * (96 - 32)}, [3, 1, 1]),
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("work")
    source, target = folder / "work.cu", folder / "work.json"
    source.write_text(PROGRAM)
    process = captured.grade("run", source, "--json", target)
    assert target.exists(), process.stderr
    # The launches of a kernel that has several are numbered.
    launches = json.loads(target.read_text())["kernels"]
    names = [k["name"] for k in launches]
    counts = {name: names[:i].count(name) for i, name in enumerate(names)}
    return {
        k["name"] + (f" {names[:i].count(k['name'])}" if counts[k["name"]] else ""): k
        for i, k in enumerate(launches)
    }


@pytest.mark.parametrize("name", COUNTED)
def test_arithmetic_and_exchanges_are_counted(name: str, kernels: dict[str, Any]) -> None:
    wanted, covers = COUNTED[name]
    counted = kernels[name]["counters"]
    assert {counter: counted[counter] for counter in wanted} == wanted
    assert kernels[name]["covers"] == covers


def test_a_launch_knows_what_of_the_results_it_stores_and_what_remains(
    kernels: dict[str, Any],
) -> None:
    found = {n: (k["result_bytes"], k["result_remains"]) for n, k in kernels.items()}
    assert {name: stored for name, stored in found.items() if stored[0]} == {
        "store_results 0": (256, 0),
        "store_results 1": (128, 128),
        "store_results 2": (128, 128),
        "add_results": (128, 128),
    }


def test_threads_that_access_no_memory_are_counted(kernels: dict[str, Any]) -> None:
    idle = {name: (k["idle_threads"], k["first_idle"]) for name, k in kernels.items()}
    some = {name: found for name, found in idle.items() if found[0]}
    assert some == {"lower_half": (64, 0), "one_of_four": (24, 40)}  # shared memory is memory, too
