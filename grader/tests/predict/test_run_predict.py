"""`./grade run --predict`: a program whose kernels differ in one thing only."""

import json
import re
import subprocess
import time
from pathlib import Path

import pytest

from grader.execute.program import build, execute_sampled
from grader.predict import counts
from grader.tests import captured

PROGRAM = """
#include <cstdio>
enum { N = 4096, TILE = 32 };
__global__ void rows(const float *in, float *out) {
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    out[y * N + x] = in[y * N + x] + 1.0f;
}
__global__ void columns(const float *in, float *out) {
    const int y = blockIdx.x * TILE + threadIdx.x, x = blockIdx.y * TILE + threadIdx.y;
    out[y * N + x] = in[y * N + x] + 1.0f;
}
template <int PITCH> __global__ void tile(const float *in, float *out) {
    __shared__ float s_tile[TILE][PITCH];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    s_tile[threadIdx.y][threadIdx.x] = in[y * N + x];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 64; k++) {
        sum += s_tile[threadIdx.x][(threadIdx.y + k * 5) % TILE];
    }
    out[y * N + x] = sum;
}
__global__ void one_block(const float *in, float *out) {
    for (int i = threadIdx.x; i < N * 64; i += 1024) {
        out[i] = in[i] + 1.0f;
    }
}
int main(void) {
    const dim3 grid(N / TILE, N / TILE), block(TILE, TILE);
    float *in, *out;
    cudaMalloc(&in, N * N * sizeof *in);
    cudaMalloc(&out, N * N * sizeof *out);
    rows<<<grid, block>>>(in, out);
    columns<<<grid, block>>>(in, out);
    tile<TILE + 1><<<grid, block>>>(in, out);
    tile<TILE><<<grid, block>>>(in, out);
    one_block<<<1, 1024>>>(in, out);
    cudaFree(in);
    cudaFree(out);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
"""


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return captured.grade("run", *arguments, timeout=120)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("predict") / "program.cu"
    file.write_text(PROGRAM)
    return file


@pytest.fixture(scope="module")
def predicted(program: Path) -> tuple[str, list[tuple[str, float, str]]]:
    """What is printed, and for each launch its kernel, its microseconds and what binds it."""
    file = program.with_suffix(".json")
    done = run(program, "--predict", "--json", file)
    assert done.returncode == 0, done.stderr
    kernels = json.loads(file.read_bytes())["kernels"]
    assert all(each["low_us"] < each["us"] < each["high_us"] for each in kernels)
    return done.stderr, [(each["kernel"], each["us"], each["bound"]) for each in kernels]


def test_wrong_turns_are_slower(predicted: tuple[str, list[tuple[str, float, str]]]) -> None:
    _, found = predicted
    assert [name for name, _, _ in found] == ["rows", "columns", "tile", "one_block"]
    rows, columns, _, one_block = (time for _, time, _ in found)
    assert columns > 2 * rows, "lanes down a column"
    assert 64 * one_block > 10 * rows, "one block, of a 64th of the image"


def test_bottleneck_is_named_with_its_line(
    predicted: tuple[str, list[tuple[str, float, str]]],
) -> None:
    text, found = predicted
    assert found[2][2] == "shared" and "bound by wavefronts of shared memory" in text
    line = 1 + PROGRAM.splitlines().index(
        "        sum += s_tile[threadIdx.x][(threadIdx.y + k * 5) % TILE];"
    )
    assert f"program.cu:{line}" in text


def test_time_is_labelled_as_a_prediction(
    predicted: tuple[str, list[tuple[str, float, str]]],
) -> None:
    text, _ = predicted
    assert "predicted on an NVIDIA H200, not measured" in text


def test_a_second_gpu_is_slower_and_marked(program: Path) -> None:
    done = run(program, "--predict", "--gpu", "rtx4060")
    assert "published ones, not measured" in done.stderr
    assert "ms" in done.stderr


def test_an_unknown_gpu_and_a_wrong_mix_of_options(program: Path) -> None:
    assert "h200, rtx4060" in run(program, "--predict", "--gpu", "none").stderr
    done = run(program, "--predict", "--profile")
    assert done.returncode == 2 and "--predict cannot be combined with" in done.stderr


def test_prediction_runs_only_some_blocks(program: Path) -> None:
    """All blocks of five launches with 16 million threads each would take minutes."""
    begun = time.monotonic()
    assert run(program, "--predict").returncode == 0
    assert time.monotonic() - begun < 20


def test_the_sums_of_a_thread_are_counted(program: Path) -> None:
    built = build([str(program)], True)
    done, launches, _ = execute_sampled(built, [], 60, 16)
    assert done.status == 0
    assert all(len(each.arguments) == 2 * 16 and each.function for each in launches), "two pointers"
    found = counts.of_launches(built.binary, launches)
    assert found[2].operations["fma"] == pytest.approx(64 * found[2].warps)


def test_a_kernel_is_printed_once_and_written_as_json(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "prediction.json"
    done = run(program, "--predict", "--json", file)
    assert done.stderr.count("tile: 2 launches, from ") == 1
    document = json.loads(file.read_bytes())
    assert document["schema"] == "convlabs-prediction/v1" and document["measured"] is False
    kernels = {kernel["kernel"]: kernel for kernel in document["kernels"]}
    assert [*kernels] == ["rows", "columns", "tile", "one_block"]
    tile = kernels["tile"]
    assert tile["launches"] == 2 and tile["longest_us"] > 4 * tile["shortest_us"]
    assert tile["shortest_us"] <= tile["us"] and tile["low_us"] < tile["us"] < tile["high_us"]
    assert tile["line"]["file"].endswith("program.cu") and tile["unknown"] == ""


UNKNOWN = """
__global__ void waits(long long *out) {
    const long long begun = clock64();
    while (clock64() - begun < 1000) {
    }
    out[blockIdx.x] = begun;
}
__global__ void uneven(float *out) {
    float sum = 0.0f;
    for (unsigned i = 0; i < (blockIdx.x * 2654435761u >> 20); i++) {
        sum += out[i & 1023u];
    }
    out[blockIdx.x] = sum;
}
__global__ void even(float *out) {
    out[blockIdx.x * 64 + threadIdx.x] = 1.0f;
}
__managed__ int ready;
__global__ void shares(void) {
    ready = 1;
}
__global__ void shares_pages(int *word) {
    *word = 1;
}
int main(void) {
    int *word;
    long long *times;
    float *out;
    cudaMalloc(&times, 4096 * sizeof *times);
    cudaMalloc(&out, 4096 * 64 * sizeof *out);
    waits<<<4096, 32>>>(times);
    uneven<<<4096, 64>>>(out);
    cudaMallocManaged(&word, sizeof *word);
    shares<<<1, 1>>>();
    shares_pages<<<1, 1>>>(word);
    even<<<4096, 64>>>(out);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
"""


def test_unpredictable_kernel_has_no_time(tmp_path: Path) -> None:
    file = tmp_path / "unknown.cu"
    file.write_text(UNKNOWN)
    said = run(file, "--predict").stderr
    assert "waits: cannot tell: it reads the clock" in said
    assert "uneven: cannot tell: its blocks differ" in said
    for kernel in ("shares", "shares_pages"):
        assert f"{kernel}: cannot tell: it uses memory that it shares with the host" in said
    assert re.findall(r"^  (\w+): (?!.*cannot tell)", said, re.M) == ["even"]
