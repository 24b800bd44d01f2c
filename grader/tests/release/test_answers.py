"""Files of the archive as answers to other labs than theirs."""

from pathlib import Path

import pytest

from grader import paths
from grader.release import answers
from grader.tests import captured

LAB3, LAB4 = paths.LABS / "lab3_constant_mask", paths.LABS / "lab4_shared_tile"


def tried(header: Path, *files: Path) -> dict[str, dict[str, str]]:
    found = answers.candidates([*files], header)
    return {str(each.file.relative_to(paths.LABS)): each.by_name for each in found}


def test_functions_are_found_by_their_types_under_any_name() -> None:
    baselines = sorted(paths.LABS.glob("lab*_*/baseline.c*"))
    of_lab3 = tried(LAB3 / "lab.h", *baselines)
    assert of_lab3["lab4_shared_tile/baseline.cu"] == {
        "set_mask": "baseline_set_mask",
        "correlate_constant": "baseline_correlate",
        "set_bank": "baseline_set_mask",
        "correlate_polyphase": "baseline_correlate",
    }
    # Lab 3's own has the bank; its baseline_correlate() has the mask as a parameter.
    assert of_lab3["lab3_constant_mask/baseline.cu"]["correlate_polyphase"] == "baseline_polyphase"
    assert "lab1_cpu_loop/baseline.c" not in of_lab3


def test_missing_functions_get_no_wrapper(tmp_path: Path) -> None:
    header, file = tmp_path / "lab.h", tmp_path / "one.c"
    header.write_text("/* void gone(int a); */\nvoid one(const int *a, int n);\nint two(void);\n")
    file.write_text('#include "lab.h"\nvoid any(const int *in,\n         int count) { }\n')
    (found,) = answers.candidates([file], header)
    assert found.by_name == {"one": "any"}
    assert "void one(const int *a, int n) { given_any(a, n); }" in found.text
    (tmp_path / "it.c").write_text(found.text)
    done = captured.run(["gcc", "-fsyntax-only", "-I", str(tmp_path), str(tmp_path / "it.c")])
    assert done.returncode == 0, done.stderr


@pytest.mark.slow("grades two programs")
def test_lab_4s_baseline_earns_nothing_in_lab_3(tmp_path: Path) -> None:
    (answer,) = answers.candidates([LAB4 / "baseline.cu"], LAB3 / "lab.h")
    (tmp_path / "constant_mask.cu").write_text(answer.text)
    text = captured.grade("lab3", "--no-speed", "--src", tmp_path).stdout
    assert "part A runs given_baseline_kernel(), which is baseline_kernel() of labs/lab4" in (
        " ".join(text.split())
    )
    assert "0/85" in text
