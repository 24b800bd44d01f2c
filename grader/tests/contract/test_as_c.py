"""The test that a student can paste: a wrong program fails it, and a right one does not."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np

from grader import paths
from grader.contract import as_c, draw, prepared
from grader.contract.failed_step import Failure
from grader.contract.play import Player
from grader.contract.step import Sequence, Step
from grader.model import outline, spec
from grader.oracle import compare
from grader.tests import captured

HEAD = '#include "lab.h"\n#include "test_suite.h"\n#include <math.h>\n'
MAIN = 'SUITE("pasted")\n'


def pasted(lab_id: str, part: str, sequence: Sequence) -> str:
    lab = spec.load(lab_id)
    contract = next(c for c in lab.contract if c.part == part)
    player = Player(lab, contract, Path(), Path())
    last = sequence[-1]
    right = prepared.expected(player.operation(last), contract.exact, last)
    got = np.zeros(right.value.shape, dtype=np.float32)
    failure = Failure(0, "wrong-output", (), compare.compare(got, right))
    return as_c.write_test(player, sequence, failure)


def test_a_pasted_test_tells_wrong_from_right(tmp_path: Path) -> None:
    step = Step("A", 4, 3, 2, "replicate", mask_content="missing", image_content="huge", seed=11)
    text = pasted("lab1", "A", (Step("A", 2, 2, 0, "zero"), step))
    (tmp_path / "test.c").write_text(HEAD + text + MAIN)
    solution = (paths.ROOT / "solutions/lab1_cpu_loop/cpu_loop.c").read_text()
    wrong = solution.replace("BORDER_ZERO", "BORDER_REPLICATE")
    assert wrong != solution
    statuses = []
    for number, source in enumerate((solution, wrong)):
        (tmp_path / f"{number}.c").write_text(source)
        program = tmp_path / str(number)
        subprocess.run(
            ["gcc", "-std=gnu11", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
             f"-I{paths.ROOT}/labs/runtime", f"-I{paths.ROOT}/labs/lab1_cpu_loop",
             str(tmp_path / f"{number}.c"), str(tmp_path / "test.c"),
             "-lcheck", "-lsubunit", "-lrt", "-lm", "-pthread", "-o", str(program)],
            check=True,
        )  # fmt: skip
        statuses.append(subprocess.run([program], check=False, capture_output=True).returncode)
    assert statuses == [0, 1]


def test_pasted_tests_of_every_contract_compile(tmp_path: Path) -> None:
    for lab_id in outline.available():
        lab = spec.load(lab_id)
        for number, contract in enumerate(lab.contract):
            step = replace(draw.generator(lab, contract, 1).small(), width=4, height=3)
            player = Player(lab, contract, Path(), Path())
            right = prepared.expected(player.operation(step), contract.exact, step)
            got = np.zeros(right.value.shape, dtype=step.type)
            failure = Failure(0, "wrong-output", (), compare.compare(got, right))
            file = tmp_path / f"{lab_id}_{number}.c"
            header = "lab_cuda.h" if contract.part == "E" else "lab.h"
            text = as_c.write_test(player, (step,), failure)
            file.write_text(HEAD.replace("lab.h", header) + text + MAIN)
            flags = ["-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
            folders = ("runtime", "sim/include", lab.folder)
            places = [f"-I{paths.LABS}/{folder}" for folder in folders]
            done = captured.run(["gcc", *flags, *places, file])
            assert done.returncode == 0, f"{contract.name}: {done.stderr}\n{text}"
