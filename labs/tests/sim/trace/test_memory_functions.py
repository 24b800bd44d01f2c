"""memcpy(), memset() and the heap in a kernel are counted and checked like any other access."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader import paths
from grader.tests import captured

PROGRAM = r"""#include <cstdio>
#include <cstring>
__device__ int *d_p;
__global__ void copy(char *to, const char *from, int n) {
    memcpy(to + 4 * threadIdx.x, from + 4 * threadIdx.x, n);
}
__global__ void odd(char *to, const char *from) { memcpy(to + 4 * threadIdx.x + 1, from + 3, 2); }
__global__ void unequal(char *to, const char *from) {
    std::memcpy(to + 4 * threadIdx.x, from + 4 * threadIdx.x, threadIdx.x % 4);
}
__global__ void fill(char *to, int n) { memset(to, 0, n); }
__global__ void shared(float *to, const float *from) {
    __shared__ float s_tile[32];
    memcpy(&s_tile[threadIdx.x], &from[threadIdx.x], sizeof(float));
    __syncthreads();
    to[threadIdx.x] = s_tile[31 - threadIdx.x];
}
__global__ void bits(int *to, const float *from) {
    float x = from[threadIdx.x];
    int y;
    memcpy(&y, &x, sizeof y);
    to[threadIdx.x] = y;
}
__global__ void past_heap() {
    d_p = (int *)malloc(40);
    d_p[0] = 1;
    d_p[10] = 2;
}
__global__ void after_free() {
    int *p = (int *)malloc(40);
    d_p = p;
    free(p);
    d_p[3] = 2;
}
__global__ void unwritten_heap(int *to) {
    d_p = new int[4];
    to[0] = d_p[2];
    delete[] d_p;
}
__global__ void right_heap(int *to) {
    int *mine = new int[4]();
    mine[threadIdx.x % 4]++;
    atomicAdd(to, mine[0] + mine[1] + mine[2] + mine[3]);
    delete[] mine;
}
int main(int argc, char **argv) {
    char *a, *b, h[128] = {0};
    cudaMalloc(&a, 128);
    cudaMalloc(&b, 128);
    cudaMemset(a, 0, 128);
    cudaMemset(b, 0, 128);
    memcpy(h, "host", 5);
    switch (argc > 1 ? argv[1][0] : '0') {
    case '0': copy<<<1, 32>>>(a, b, 4); break;
    case '1': copy<<<1, 32>>>(a, b, 5); break;
    case '2': odd<<<1, 16>>>(a, b); break;
    case '3': unequal<<<1, 32>>>(a, b); break;
    case '4': fill<<<1, 1>>>(a, 130); break;
    case '5': shared<<<1, 32>>>((float *)a, (float *)b); break;
    case '6': bits<<<1, 32>>>((int *)a, (float *)b); break;
    case '7': past_heap<<<1, 1>>>(); break;
    case '8': after_free<<<1, 1>>>(); break;
    case '9': unwritten_heap<<<1, 1>>>((int *)a); break;
    case 'a': right_heap<<<2, 64>>>((int *)a); break;
    }
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return strlen(h) != 4;
}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("memory") / "memory.cu"
    file.write_text(PROGRAM)
    return file


def run(source: Path, which: str, *options: str) -> dict[str, Any]:
    """The profile of one kernel of the program, with its findings."""
    result = source.with_suffix(".json")
    command: list[str | Path] = [
        paths.ROOT / "grade",
        "run",
        source,
        "--json",
        result,
        *options,
        "--",
        which,
    ]
    captured.run(command, timeout=120)
    return dict(json.loads(result.read_text()))


@pytest.mark.parametrize(
    ("which", "loads", "stores", "shared_stores"),
    [
        ("0", 4, 4, 0),  # nvcc copies byte by byte
        ("3", 3, 3, 0),  # 0 to 3 bytes: the warp makes as many rounds as its longest copy
        ("5", 4, 1, 4),
        ("6", 1, 1, 0),  # between local variables there is no access
    ],
)
def test_memory_functions_count_their_copies(
    source: Path, which: str, loads: int, stores: int, shared_stores: int
) -> None:
    counters = run(source, which, "--profile")["kernels"][0]["counters"]
    assert counters["global_load_requests"] == loads
    assert counters["global_store_requests"] == stores
    assert counters["shared_store_requests"] == shared_stores
    if which == "0":
        assert counters["global_load_sectors"] == 4 * 4


@pytest.mark.parametrize(
    ("which", "kind", "line", "message"),
    [
        ("1", "out-of-bounds", 5, "reads 5 bytes, 1 of them past the end"),
        ("4", "out-of-bounds", 11, "writes 130 bytes, 2 of them past the end"),
        ("7", "out-of-bounds", 27, "the 40 bytes that a kernel allocated at"),
        ("8", "use-after-free", 33, "the 40 bytes that a kernel allocated at"),
        ("9", "uninitialised-read", 37, "bytes that a kernel allocated with new"),
    ],
)
def test_wrong_accesses_are_found(
    source: Path, which: str, kind: str, line: int, message: str
) -> None:
    findings = run(source, which, "--check")["findings"]
    assert any(
        f["kind"] == kind and f["line"] == line and message in f["message"] for f in findings
    ), findings


@pytest.mark.parametrize("which", ["0", "2", "3", "5", "6", "a"])
def test_right_programs_have_no_findings(source: Path, which: str) -> None:
    assert run(source, which, "--check")["findings"] == []
