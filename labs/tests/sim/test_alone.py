"""labs/sim/ by itself: a copy of the folder, with nothing else of the course, makes programs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SIM = Path(__file__).resolve().parents[2] / "sim"
NO_PACKAGES = f"{sys.executable} -S"  # a Python that has its own library alone
PAST_THE_END = """#include <cuda_runtime.h>
#include <stdio.h>
__global__ void shift(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x + 1]; }
int main(void) {
    float *in, *out, host[4] = {1, 2, 3, 4};
    cudaMalloc((void **)&in, sizeof host);
    cudaMalloc((void **)&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    shift<<<1, 4>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g %g\\n", host[0], host[1], host[2]);
    return cudaFree(in) || cudaFree(out);
}
"""


@pytest.mark.slow("compiles the simulator's runtime")
def test_a_copy_of_the_folder_makes_plain_and_checked_programs(tmp_path: Path) -> None:
    shutil.copytree(
        SIM, tmp_path / "labs" / "sim", ignore=shutil.ignore_patterns("build", "__pycache__")
    )
    for name in ("plain", "checked"):
        (tmp_path / f"{name}.cu").write_text(PAST_THE_END)
    make = ["make", "-s", "-j2", "-C", "labs/sim"]
    findings = tmp_path / "findings"
    env = {"CONVLABS_SIM_CHECK": "1", "CONVLABS_SIM_FINDINGS": str(findings)}
    plain = [*make, f"PYTHON={NO_PACKAGES}", str(tmp_path / "plain")]
    subprocess.run(plain, cwd=tmp_path, check=True)
    checked = [*make, "CHECK=1", f"PYTHON={sys.executable}", str(tmp_path / "checked")]
    subprocess.run(checked, cwd=tmp_path, check=True)
    for name in ("plain", "checked"):
        ran = subprocess.run([tmp_path / name], env=env, capture_output=True, text=True, check=True)
        assert ran.stdout == "2 3 4\n"
    assert '"kind":"out-of-bounds"' in findings.read_text()
