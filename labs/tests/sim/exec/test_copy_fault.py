"""A copy that leaves the host memory of its program is reported at the line of the call."""

import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured

PROGRAM = """\
#include <cuda_runtime.h>
#include <sys/mman.h>

__constant__ float c_mask[2048];

int main(void)
{
    char *page = (char *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page + 4096, 4096, PROT_NONE);
    char *d_data;
    cudaMalloc((void **)&d_data, 16384);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    CALL; // here
    cudaDeviceSynchronize();
    return 0;
}
"""
READS = "reads 8192 bytes from host memory, but your program can read only 4096 from that address"
WRITES = "writes 8192 bytes to host memory that your program does not own"
CALLS = {
    "cudaMemcpy(d_data, page, 8192, cudaMemcpyHostToDevice)": f"cudaMemcpy() {READS}",
    "cudaMemcpy(page, d_data, 8192, cudaMemcpyDeviceToHost)": f"cudaMemcpy() {WRITES}",
    "cudaMemcpyToSymbol(c_mask, page, sizeof c_mask)": f"cudaMemcpyToSymbol() {READS}",
    "cudaMemcpyAsync(d_data, page, 8192, cudaMemcpyHostToDevice, stream)": (
        f"cudaMemcpyAsync() {READS}"
    ),
    "cudaMemcpy2D(d_data, 100, page, 1024, 96, 5, cudaMemcpyHostToDevice)": (
        "cudaMemcpy2D() reads 4192 bytes from host memory, but your program can read only 4096"
    ),
}


@pytest.mark.parametrize(
    ("call", "options"), [*((call, ()) for call in CALLS), (next(iter(CALLS)), ("--check",))]
)
def test_copy_fault_names_the_call(call: str, options: tuple[str, ...], tmp_path: Path) -> None:
    program = tmp_path / "copies.cu"
    program.write_text(PROGRAM.replace("CALL", call))
    line = 1 + PROGRAM[: PROGRAM.index("CALL")].count("\n")
    done = captured.grade("run", *options, str(program), timeout=120)
    assert done.returncode in (1, 139), done.stderr
    assert f"{program}:{line}: {CALLS[call]}" in done.stderr
    assert "copy.c" not in done.stderr


def test_a_copy_up_to_the_last_byte_is_right(tmp_path: Path) -> None:
    program = tmp_path / "copies.cu"
    call = "cudaMemcpy(d_data, page, 4096, cudaMemcpyHostToDevice)"
    program.write_text(PROGRAM.replace("CALL", call))
    done = subprocess.run([paths.ROOT / "grade", "run", str(program)], check=False, timeout=120)
    assert done.returncode == 0
