"""The counters of small kernels, each of which one warp runs."""

import json
from dataclasses import dataclass
from pathlib import Path

from grader.tests import captured

Counters = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Kernel:
    """parameters: `in` and `out` with their types; the body has i = threadIdx.x and n = 8."""

    name: str
    inputs: str  # the type of what `in` points to
    outputs: str
    body: str

    @property
    def text(self) -> str:
        return (
            f"__global__ void {self.name}(const {self.inputs} *in, {self.outputs} *out, int n)"
            f" {{ int i = threadIdx.x; {self.body} }}"
        )

    @property
    def launch(self) -> str:
        return f"{self.name}<<<1, 32>>>((const {self.inputs} *)in, ({self.outputs} *)out, 8);"


def counters(kernels: list[Kernel], types: str, folder: Path) -> Counters:
    """Runs the kernels and returns what `./grade run` counts. Memory is full of zeros."""
    source, target = folder / "program.cu", folder / "counters.json"
    lines = [
        types,
        *(kernel.text for kernel in kernels),
        "int main(void) { char *in, *out; cudaMalloc(&in, 65536); cudaMalloc(&out, 65536);",
        "cudaMemset(in, 0, 65536); cudaMemset(out, 0, 65536);",
        *(kernel.launch for kernel in kernels),
        "return cudaDeviceSynchronize(); }",
    ]
    source.write_text("\n".join([*lines, ""]))
    process = captured.grade("run", source, "--json", target)
    assert target.exists(), process.stderr
    return {k["name"]: k["counters"] for k in json.loads(target.read_text())["kernels"]}
