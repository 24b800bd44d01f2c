"""Faults of programs that people bring, and right programs that are like them: what is printed."""

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from grader.tests import captured

BOTH = ((), ("--check",))
HOST = "int main() { int *d; cudaMalloc(&d, 256); %s cudaDeviceSynchronize(); cudaFree(d); }\n"


def ran(folder: Path, source: str, *options: str) -> CompletedProcess[str]:
    program = folder / "program.cu"
    program.write_text("#include <cstdio>\n" + source)
    return captured.grade("run", *options, str(program), timeout=120)


# ---- constant memory

CONSTANTS = """struct pair { int a, b; };
__constant__ pair c_pair;
__constant__ int c_last[5];
__global__ void k(int *d, pair *p, int i) { STORE; d[0] = c_pair.b + c_last[4]; }
"""
STORES = {
    "c_last[i] = 1": "c_last (20 bytes of constant memory, declared",
    "p->b += 1": "c_pair (8 bytes of constant memory, declared",
    "atomicAdd(&c_last[i], 2)": "c_last (20 bytes of constant memory, declared",
}


@pytest.mark.parametrize("options", BOTH)
@pytest.mark.parametrize("store", STORES)
def test_store_to_constant_memory_is_found(
    store: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    calls = "void *p; cudaGetSymbolAddress(&p, c_pair); k<<<1, 1>>>(d, (pair *)p, 4);"
    done = ran(tmp_path, CONSTANTS.replace("STORE", store) + HOST % calls, *options)
    assert f"{STORES[store]}" in done.stderr
    assert "which no kernel can change" in done.stderr
    assert "program.cu:5: " in done.stderr


@pytest.mark.parametrize("options", BOTH)
def test_host_may_set_constant_memory_between_kernels(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    calls = """pair h = {1, 2}; cudaStream_t s; cudaStreamCreate(&s);
    for (int i = 0; i < 3; i++, h.b++) {
        k<<<1, 1, 0, s>>>(d, nullptr, 0);
        cudaMemcpyToSymbolAsync(c_pair, &h, sizeof h, 0, cudaMemcpyHostToDevice, s);
        cudaStreamSynchronize(s);
    }
    int v; k<<<1, 1>>>(d, nullptr, 0); cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost);
    printf("%d\\n", v); cudaStreamDestroy(s);"""
    done = ran(tmp_path, CONSTANTS.replace("STORE", "") + HOST % calls, *options)
    assert done.stdout.startswith("4\n") and done.returncode == 0, done.stderr
