"""What the checks call a race, and what not: all kernels of one program, checked once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from grader.tests import captured

# A kernel gets 64 words of zeros; every line marked RACE is part of one, and no other line is.
KERNELS = {
    # Atomic functions in both arms of a branch: neither arm loads the word.
    "both_arms<<<2, 32>>>": """
    if (blockIdx.x == 0)
        atomicMax(&a[0], 3);
    else
        atomicMin(&a[0], -2);""",
    "reference_in_both_arms<<<2, 32>>>": """
    if (blockIdx.x == 0) {
        int &word = a[0];
        atomicOr(&word, 3);
    } else {
        int &word = a[0];
        atomicAnd(&word, 4);
    }""",
    # Handed over by a fence and a flag, which others read before they go on.
    "warp_to_warp<<<2, 64>>>": """
    a += 8 * blockIdx.x;
    if (threadIdx.x == 5) {
        a[0] = 42;
        __threadfence_block();
        atomicExch_block(&a[1], 1);
    } else if (threadIdx.x == 40) {
        while (atomicAdd_block(&a[1], 0) == 0) { }
        __threadfence_block();
        a[2] = a[0];
    }""",
    "block_waits_for_a_later_one<<<2, 32>>>": """
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            while (*(volatile int *)&a[1] == 0) { }
            __threadfence();
        }
        __syncwarp();
        a[2 + threadIdx.x] = a[0];
    } else if (threadIdx.x == 0) {
        a[0] = 42;
        __threadfence();
        *(volatile int *)&a[1] = 1;
    }""",
    "chain_of_three<<<3, 1>>>": """
    if (blockIdx.x == 2) a[10] = 7;
    if (blockIdx.x < 2) while (atomicAdd(&a[blockIdx.x + 1], 0) == 0) { }
    __threadfence();
    if (blockIdx.x == 0) a[11] = a[10];
    atomicExch(&a[blockIdx.x], 1);""",
    "every_thread_fences<<<4, 64>>>": """
    __shared__ int last;
    if (threadIdx.x < 8) a[1 + 8 * blockIdx.x + threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&a[0], 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x < 8) a[40 + threadIdx.x] = a[1 + threadIdx.x] + a[25 + threadIdx.x];""",
    "last_block_adds_up<<<4, 64>>>": """
    __shared__ bool last;
    volatile int *sums = a + 1;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = 1;
        __threadfence();
        last = atomicInc((unsigned *)a, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int part = threadIdx.x < gridDim.x ? sums[threadIdx.x] : 0;
        int sum = __syncthreads_count(part);
        if (threadIdx.x == 0) sums[0] = sum;
        if (threadIdx.x == 0) a[0] = 0;
    }""",
    "barrier_of_the_grid_by_hand<<<3, 64>>>": """
    if (threadIdx.x < 16) a[1 + 16 * blockIdx.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&a[0], 1);
        while (*(volatile int *)&a[0] < gridDim.x) { }
        __threadfence();
    }
    __syncthreads();
    int sum = a[1 + (16 * blockIdx.x + 16 + threadIdx.x) % 48];
    if (sum != 1) a[63] = sum;""",
    "lock_of_blocks<<<3, 40>>>": """
    while (atomicCAS(&a[0], 0, 1) != 0) { }
    __threadfence();
    a[1] += 1;
    __threadfence();
    atomicExch(&a[0], 0);""",
    "lock_given_back_by_a_store<<<3, 1>>>": """
    while (atomicCAS(&a[0], 0, 1) != 0) { }
    __threadfence();
    a[1] += 1;
    __threadfence();
    *(volatile int *)&a[0] = 0;""",
    "lock_held_by_a_block<<<3, 64>>>": """
    if (threadIdx.x == 0) while (atomicCAS(&a[0], 0, 1) != 0) { }
    __syncthreads();
    if (threadIdx.x > 0) a[threadIdx.x]++;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(&a[0], 0);
    }""",
    "turns<<<2, 1>>>": """
    volatile int *turn = a, *sum = a + 1;
    for (int i = 0; i < 5; i++) {
        while (*turn % 2 != blockIdx.x) { }
        __threadfence();
        *sum = *sum + 1;
        __threadfence();
        *turn = *turn + 1;
    }""",
    "several_say_stop<<<4, 40>>>": """
    volatile int *stop = a;
    for (int i = 0; i < 9 && !*stop; i++)
        if (threadIdx.x == i + 3 * blockIdx.x) *stop = 1;""",
    # Blocks that poll with a barrier or a vote in the loop: the check must end.
    "polls_around_a_barrier<<<2, 40>>>": """
    volatile int *flag = a, *data = a + 1;
    if (blockIdx.x == 1) {
        if (threadIdx.x == 0) {
            *data = 42;
            __threadfence();
            *flag = 1;
        }
        return;
    }
    for (int seen = 0; !seen; __syncthreads()) seen = *flag;
    if (threadIdx.x == 0) a[2] = *data;""",
    "one_thread_tries_the_lock<<<3, 64>>>": """
    __shared__ int mine;
    for (bool waits = true; waits; __syncthreads()) {
        if (threadIdx.x == 0) mine = atomicCAS(&a[0], blockIdx.x, 9) == blockIdx.x;
        __syncthreads();
        waits = !mine;
    }
    if (threadIdx.x == 0) {
        __threadfence();
        a[1] += 1;
        __threadfence();
        atomicExch(&a[0], (blockIdx.x + 2) % 3);
    }""",
    "lanes_poll_many_flags<<<9, 32>>>": """
    volatile int *flags = a;
    int earlier = blockIdx.x + 1 + threadIdx.x;
    bool waits = earlier < gridDim.x;
    while (__any_sync(~0u, waits && flags[earlier] + flags[gridDim.x - 1] < 2)) { }
    if (threadIdx.x == 0) flags[blockIdx.x] = 1;""",
    # The same with a fence or a barrier too few, or too narrow.
    "counter_is_volatile<<<4, 40>>>": """
    volatile int *n = a;
    *n = *n + 1; // RACE""",
    "lock_without_a_fence_at_its_end<<<3, 1>>>": """
    while (atomicCAS(&a[0], 0, 1) != 0) { }
    __threadfence();
    a[1] += 1; // RACE
    atomicExch(&a[0], 0);""",
    "store_behind_the_end_of_the_lock<<<3, 1>>>": """
    while (atomicCAS(&a[0], 0, 1) != 0) { }
    __threadfence();
    a[1] += 1;
    __threadfence();
    atomicExch(&a[0], 0);
    a[2] = blockIdx.x; // RACE""",
    "block_lock_without_a_fence<<<3, 64>>>": """
    if (threadIdx.x == 0) while (atomicCAS(&a[0], 0, 1) != 0) { }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 33) a[1] += 1; // RACE
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&a[0], 0);""",
    "waits_for_a_fence_of_the_block<<<2, 1>>>": """
    if (blockIdx.x == 0) {
        while (atomicAdd(&a[1], 0) == 0) { }
        __threadfence();
        a[2] = a[0]; // RACE
    } else {
        a[0] = 42; // RACE
        __threadfence_block();
        atomicExch(&a[1], 1);
    }""",
    "volatile_data_and_a_fence_of_the_block<<<2, 1>>>": """
    volatile int *data = a + 2;
    if (blockIdx.x == 0) {
        *data = 42; // RACE
        __threadfence_block();
        atomicExch(&a[1], 1);
    } else {
        while (atomicAdd(&a[1], 0) == 0) { }
        a[4] = *data; // RACE
    }""",
    "atomic_functions_of_the_block<<<2, 40>>>": """
    atomicAdd_block(&a[0], 1); // RACE
    atomicAdd_block(&a[1 + blockIdx.x], 1);
    atomicAdd_system(&a[4], 1);""",
    "published_before_all_have_stored<<<4, 64>>>": """
    __shared__ int last;
    if (threadIdx.x == 35) a[8 + blockIdx.x] = 1; // RACE
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&a[0], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) a[20] = a[8] + a[9] + a[10]; // RACE""",
    "one_thread_polls_for_another<<<2, 64>>>": """
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) a[0] = 42; // RACE
        __threadfence();
        if (threadIdx.x == 0) atomicExch(&a[1], 1);
    } else {
        if (threadIdx.x == 0) while (atomicAdd(&a[1], 0) == 0) { }
        if (threadIdx.x == 40) a[2] = a[0]; // RACE
    }""",
}
MAIN = """
int main() {
    int *a;
    cudaMalloc(&a, 64 * sizeof *a);
    LAUNCHES
    cudaFree(a);
    return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
"""


def _program() -> str:
    kernels, launches = "", ""
    for launch, body in KERNELS.items():
        name, configuration = launch.split("<<<")
        kernels += f"__global__ void {name}(int *a) {{{body}\n}}\n"
        launches += f"cudaMemset(a, 0, 64 * sizeof *a); {name}<<<{configuration}(a);\n    "
    return kernels + MAIN.replace("LAUNCHES", launches + "cudaDeviceSynchronize();")


@pytest.fixture(scope="module")
def racing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[int]]:
    """The lines of each kernel's findings."""
    folder = tmp_path_factory.mktemp("races")
    (folder / "races.cu").write_text(_program())
    done = captured.grade(
        "run", "--check", "--json", folder / "found.json", folder / "races.cu", timeout=120
    )
    lines: dict[str, set[int]] = {}
    assert (folder / "found.json").exists(), done.stderr
    for f in json.loads((folder / "found.json").read_text())["findings"]:
        assert f["kind"] == "global-race", f
        lines.setdefault(f["kernel"], set()).update({f["line"], f.get("other_line", f["line"])})
    return lines


@pytest.mark.parametrize("launch", KERNELS)
def test_races_are_reported_only_at_marked_lines(launch: str, racing: dict[str, set[int]]) -> None:
    name = launch.split("<<<")[0]
    text = _program().split("\n")
    begins = next(i for i, line in enumerate(text) if f" {name}(int" in line)
    ends = begins + KERNELS[launch].count("\n")
    marked = {i + 1 for i in range(begins, ends + 1) if "// RACE" in text[i]}
    assert racing.get(name, set()) == marked


# Only the first and the last block of each launch run, on arrays of 8 GB: what they do wrong is
# found, and nothing that the other blocks leave undone.
VAST = r"""
const size_t pixels = ((size_t)1 << 31) + ((size_t)1 << 20), bytes = pixels * sizeof(float);
__device__ void go(float *out, bool waits) {
    __shared__ float s[64];
    for (size_t at = blockIdx.x * 64; at < pixels; at += gridDim.x * 64) {
        s[threadIdx.x] = at; // STORE
        __syncthreads();
        out[at + threadIdx.x] = s[63 - threadIdx.x]; // LOAD
        if (waits)
            __syncthreads();
    }
}
__global__ void in_tiles(float *out) { go(out, true); }
__global__ void without_waiting(float *out) { go(out, false); }
__global__ void for_ever(float *out) {
    for (size_t at = 0;; at = (at + 70000) % pixels)
        out[at] += 1;
}
__global__ void of_all(const float *in, float *out) {
    out[pixels - 1 - blockIdx.x] = in[blockIdx.x];
}
__global__ void by_int(float *out) {
    const int at = blockIdx.x * 64 + threadIdx.x;
    out[at] = 1; // OUTSIDE
}
int main(void) {
    float *in, *out;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemset(in, 0, bytes);
    of_all<<<1000000, 1>>>(in, out);
    in_tiles<<<65535, 64>>>(out);
    for_ever<<<9, 32>>>(out);
    without_waiting<<<65535, 64>>>(out);
    cudaMemcpy(in, out, bytes, cudaMemcpyDeviceToDevice);
    by_int<<<pixels / 64, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return 0;
}
"""


def test_the_ends_of_a_launch_on_a_vast_array(tmp_path: Path) -> None:
    (tmp_path / "vast.cu").write_text(VAST)
    found = tmp_path / "found.json"
    options = ("run", "--check", "--json", found, tmp_path / "vast.cu")
    captured.grade(*options, env=os.environ | {"CONVLABS_SIM_BLOCKS": "ends"}, timeout=60)
    findings = [f for f in json.loads(found.read_text())["findings"] if f["kind"] != "global-race"]
    marks = {m: n for n, line in enumerate(VAST.split("\n"), 1) for m in line.split("// ")[1:]}
    assert {(f["kernel"], f["kind"], f["line"], f["other_line"]) for f in findings} == {
        ("without_waiting", "shared-race", marks["LOAD"], marks["STORE"]),
        ("by_int", "out-of-bounds", marks["OUTSIDE"], 0),
    }
