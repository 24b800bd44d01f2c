"""Where lanes meet again is the source's business: the replay's load requests are those of a model
of structured SIMT, in whatever way the program is spelt and however g++ arranges it."""

import json
import re
from pathlib import Path

import pytest

from grader.tests import captured
from labs.tests.sim.profile import random_programs, reconvergence, simt

PROGRAMS = 30
THREADS = 120  # the last warp is not full


def counted(source: str, folder: Path) -> dict[str, tuple[int, int]]:
    """Load and store requests of every kernel of a program, as `./grade run` counts them."""
    # The model does not unroll loops, as nvcc does with those whose length it can compute.
    lines: list[str] = []
    for line in source.splitlines():
        if not line.startswith("#") and not (lines and lines[-1].startswith("#pragma")):
            line = re.sub(r"\bfor \((?![^;]*;\s*;)|^while \(", "\n#pragma unroll 1\n\\g<0>", line)
        lines.append(line)
    source = "\n".join([*lines, ""])
    program, target = folder / "program.cu", folder / "counters.json"
    program.write_text(source)
    process = captured.grade("run", program, "--json", target)
    assert process.returncode == 0, process.stderr
    return {
        kernel["name"]: (
            kernel["counters"]["global_load_requests"],
            kernel["counters"]["global_store_requests"],
        )
        for kernel in json.loads(target.read_text())["kernels"]
    }


@pytest.fixture(scope="module")
def spelt(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, int]]:
    programs = {
        f"{name}_{i}": body
        for name, spellings in reconvergence.SPELLINGS.items()
        for i, body in enumerate(spellings)
    }
    source = simt.cuda(programs, reconvergence.FUNCTIONS, THREADS, reconvergence.AHEAD)
    return counted(source, tmp_path_factory.mktemp("reconvergence"))


@pytest.mark.parametrize("name", reconvergence.SPELLINGS)
def test_every_spelling_counts_like_the_model(name: str, spelt: dict[str, tuple[int, int]]) -> None:
    spellings = reconvergence.SPELLINGS[name]
    models = [
        simt.requests(body, reconvergence.FUNCTIONS, THREADS)
        for body in spellings
        if not isinstance(body, str)
    ]
    assert all(model == models[0] for model in models), "the spellings are not equivalent"
    assert [spelt[f"{name}_{i}"] for i in range(len(spellings))] == [models[0]] * len(spellings)


@pytest.mark.slow("random programs against a model of warps")
def test_random_programs_count_like_the_model(tmp_path: Path) -> None:
    programs: dict[str, list[simt.Statement] | str] = {}
    functions: simt.Functions = {}
    expected = {}
    for seed in range(PROGRAMS):
        body, own = random_programs.program(seed)
        programs[f"p{seed}"] = body
        functions |= own
        expected[f"p{seed}"] = simt.requests(body, own, THREADS)
    assert counted(simt.cuda(programs, functions, THREADS), tmp_path) == expected
