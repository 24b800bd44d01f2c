"""Profiles beyond the counters that a GPU confirms: models, samples of blocks, damaged lines."""

import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader import paths
from grader.execute import profile
from grader.tests import captured

# Arguments: columns and rows of blocks of 32x8 threads. A 5x5 correlation with a border test and
# constant coefficients, and a read of constant memory by lane. Prints a sum over all pixels and the
# most memory that the process has held, in KB.
PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
__constant__ float c_mask[25];
__global__ void correlate(const float *image, float *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = c_mask[threadIdx.x % 4];
    for (int b = -2; b <= 2; b++)
        for (int a = -2; a <= 2; a++)
            if (x + a >= 0 && x + a < w && y + b >= 0 && y + b < h)
                sum += image[(y + b) * w + x + a] * c_mask[(b + 2) * 5 + a + 2];
    out[y * w + x] = sum;
}
__global__ void again_and_again(float *data) { data[threadIdx.x] += 1; }
int main(int argc, char **argv)
{
    int columns = atoi(argv[1]), rows = atoi(argv[2]);
    int w = 32 * columns, h = 8 * rows, n = w * h;
    float *image, *out, *host = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) host[i] = 1;
    cudaMalloc(&image, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpyToSymbol(c_mask, host, sizeof c_mask);
    cudaMemcpy(image, host, n * sizeof(float), cudaMemcpyHostToDevice);
    correlate<<<dim3(columns, rows), dim3(32, 8)>>>(image, out, w, h);
    again_and_again<<<argc > 3 ? atoi(argv[3]) : 1, 128>>>(out);
    cudaMemcpy(host, out, n * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += host[i];
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.0f %ld\\n", sum, usage.ru_maxrss);
    cudaFree(image);
    cudaFree(out);
    free(host);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("profile") / 'a "quoted\\name".cu'
    file.write_text(PROGRAM)
    return file


def run(source: Path, tmp_path: Path, sample: int, *arguments: int) -> tuple[list[int], list[Any]]:
    """What the program prints, and its kernels' profiles."""
    target = tmp_path / "profile.json"
    options: list[str | Path] = ["--json", target, "--sample", str(sample)]
    done = captured.grade("run", source, *options, "--", *map(str, arguments), timeout=120)
    assert done.returncode == 0, done.stderr
    return [int(x) for x in done.stdout.split()], json.loads(target.read_text())["kernels"]


def test_counters_follow_the_memory_model(source: Path, tmp_path: Path) -> None:
    _, (first, second) = run(source, tmp_path, 0, 4, 8)
    pixels = 4 * 32 * 8 * 8
    assert first["counters"]["dram_bytes"] == 2 * 4 * pixels  # each read once, each written once
    assert second["counters"]["dram_bytes"] == 4 * 128  # read and written: the same sectors
    by_line = {line["line"]: line["counters"] for line in first["lines"]}
    assert by_line[8]["constant_serialisation"] == 4.0  # lanes i and i + 4 read the same word
    assert by_line[12]["constant_serialisation"] == 1.0
    assert by_line[13]["constant_serialisation"] == 0.0
    total = first["counters"]
    assert total["constant_words"] / total["constant_requests"] == total["constant_serialisation"]
    assert (first["blocks"], first["counted_blocks"]) == (32, 32)


@pytest.mark.parametrize(("columns", "rows", "sample"), [(9, 31, 27), (1, 100, 9), (40, 12, 64)])
def test_sampled_counters_are_the_exact_ones(
    source: Path, tmp_path: Path, columns: int, rows: int, sample: int
) -> None:
    """Of a kernel whose blocks differ at the borders of the image only; results do not change."""
    exact_output, exact = run(source, tmp_path, 0, columns, rows)
    output, sampled = run(source, tmp_path, sample, columns, rows)
    assert output[0] == exact_output[0]
    for whole, part in zip(exact, sampled, strict=True):
        assert part["blocks"] == whole["blocks"] == whole["counted_blocks"]
        if part["name"] == "correlate":
            assert part["counted_blocks"] <= sample < part["blocks"]
            assert part["counters"].pop("dram_bytes") is None
            whole["counters"].pop("dram_bytes")
        assert part["counters"] == whole["counters"]


def test_memory_does_not_grow_with_the_grid(source: Path, tmp_path: Path) -> None:
    """64 times the blocks on the same data."""
    (_, few), _ = run(source, tmp_path, 0, 1, 1, 256)
    (_, many), kernels = run(source, tmp_path, 0, 1, 1, 64 * 256)
    assert kernels[1]["counters"]["global_load_requests"] == 64 * 256 * 4
    assert many < few + 1024  # KB


def test_an_incomplete_line_is_skipped() -> None:
    site = (
        b'{"pc":1,"space":"global","store":false,"width":4,"requests":1,"lanes":32,"sectors":4,'
        b'"fresh":4,"wavefronts":0,"ideal":0,"words":0}'
    )
    line = (
        b'{"launch":0,"name":"k","file":"f.cu","line":3,"grid":[1,1,1],"block":[32,1,1],'
        b'"shared":0,"blocks":1,"counted":1,"complete":true,"sites":[' + site + b"]}\n"
    )
    whole = profile.read_launches(line)
    assert len(whole) == 1 and whole[0].sites[0].sectors == 4
    for cut in range(len(line) - 1):
        assert profile.read_launches(line + line[:cut]) == whole
    with pytest.raises(msgspec.DecodeError):
        profile.read_launches(b"\xff\xfe\n" + line)
    assert profile.read_launches(b"\xff\xfe\n" + line + b"\0", strict=False) == whole


def test_a_killed_program_leaves_the_profile_of_its_launches(tmp_path: Path) -> None:
    file = tmp_path / "killed.cu"
    file.write_text(
        "#include <stdlib.h>\n"
        "__global__ void one(float *p) { p[threadIdx.x] = 1; }\n"
        "int main() { float *p; cudaMalloc(&p, 128); one<<<1, 32>>>(p);"
        " cudaDeviceSynchronize(); abort(); }\n"
    )
    done = captured.grade("run", file, "--profile", timeout=120)
    assert done.returncode == 128 + 6
    assert "launch 0: one" in done.stderr and "Traceback" not in done.stderr


STRUCTS = """
__device__ float at(const float *d, int w, int h, int x, int y, int border)
{
    int u = min(max(x, 0), w - 1), v = min(max(y, 0), h - 1);
    return (u != x || v != y) && border == 0 ? 0.0f : d[v * w + u];
}
__device__ float4 four(const float *d, int w, int h, int x, int y, int border)
{
    if (w % 4 == 0 && x >= 0 && x < w && y >= 0 && y < h) return *(const float4 *)(d + y * w + x);
    return make_float4(at(d, w, h, x, y, border), at(d, w, h, x + 1, y, border),
                       at(d, w, h, x + 2, y, border), at(d, w, h, x + 3, y, border));
}
__global__ void rows(const float *d, int w, int h, int border, float4 *out)
{
    __shared__ float4 s[34];
    for (int i = threadIdx.x; i < 34; i += 32) s[i] = four(d, w, h, 4 * i - 4, blockIdx.x, border);
    __syncthreads();
    out[32 * blockIdx.x + threadIdx.x] = s[threadIdx.x + 2];
}
__global__ void columns(const float *d, int w, int h, int border, float4 *out)
{
    __shared__ float4 s[6][32];
    for (int i = 0; i < 6; i++) s[i][threadIdx.x] = four(d, w, h, 4 * threadIdx.x, i - 1, border);
    __syncthreads();
    for (int i = 0; i < 4; i++) out[32 * i + threadIdx.x] = s[i + 2][threadIdx.x];
}
int main(void)
{
    float *d, *out;
    cudaMalloc(&d, 4 * 128 * 4);
    cudaMalloc(&out, 4 * 128 * 4);
    cudaMemset(d, 0, 4 * 128 * 4);
    rows<<<4, 32>>>(d, 128, 4, 0, (float4 *)out);
    columns<<<1, 32>>>(d, 128, 4, 0, (float4 *)out);
    cudaFree(d);
    cudaFree(out);
}
"""


def test_the_store_of_a_struct_that_a_function_returns_is_counted(tmp_path: Path) -> None:
    """Two callers of a large function: g++ by itself does not inline it."""
    file = tmp_path / "structs.cu"
    file.write_text(STRUCTS)
    out = tmp_path / "profile.json"
    command = [str(paths.ROOT / "grade"), "run", "--profile", "--json", str(out), str(file)]
    subprocess.run(command, check=True, capture_output=True)
    rows, columns = json.loads(out.read_text())["kernels"]
    assert rows["counters"]["shared_store_requests"] == 4 * 2
    assert columns["counters"]["shared_store_requests"] == 6
