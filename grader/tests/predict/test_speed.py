"""Predictions of speed: what they say of each lab's solution, of slow programs and of those that
cannot be predicted."""

import re
from functools import cache

import pytest

from grader import paths
from grader.compile import make
from grader.compile.make import BuildRequest
from grader.model import spec
from grader.model.lab import Lab, Speed
from grader.model.prediction import Prediction
from grader.model.submission import Submission
from grader.predict.references import references
from grader.predict.speed import CountedProgram, predict_speed
from grader.render import predicted_words
from grader.sandbox.workspace import workspace
from grader.tests.known_submissions import entries

LABS = [f"lab{number}" for number in range(2, 9)]
LAUNCH = "correlate_kernel<<<grid, block>>>(d_image, width, height, d_mask, radius, border, d_out);"
END = "    // END SOLUTION\n}\n\ncudaError_t correlate_device("
SUM = "    d_out[(size_t)y * width + x] = sum;\n" + END


@cache
def lab(name: str) -> Lab:
    return spec.load(name, hidden=False)


@cache
def solution(name: str) -> dict[str, bytes]:
    folder = paths.ROOT / "solutions" / lab(name).folder
    return {file: (folder / file).read_bytes() for file in lab(name).submit}


def entry(name: str, program: str) -> dict[str, bytes]:
    """The files of a known submission."""
    files = entries.files(entries.find(f"{name}/{program}"))
    return {file: text.encode() for file, text in files.items()}


def speeds(name: str) -> list[Speed]:
    return [s for s in lab(name).speed if lab(name).file_of(s).endswith(".cu")]


def predict(name: str, contents: dict[str, bytes], parts: str = "") -> dict[str, Prediction]:
    """What is predicted of the parts, of all when `parts` is empty."""
    submission = Submission(lab(name), paths.ROOT, "tried", contents, [])
    built = make.build(BuildRequest(submission, "sim", "checked"))
    assert built.binary is not None, built.errors
    with workspace() as work:
        program = CountedProgram(submission, built.binary, work)
        wanted = [s for s in speeds(name) if not parts or s.part in parts]
        return {s.part: predict_speed(program, s) for s in wanted}


def ratio(prediction: Prediction) -> float:
    assert prediction.ratio is not None, prediction.reason
    return prediction.ratio.middle


def changed(old: str, new: str, *more: tuple[str, str]) -> dict[str, bytes]:
    """Lab 2's solution with some of its text replaced."""
    files = dict(solution("lab2"))
    text = files["global_memory.cu"].decode()
    for before, after in ((old, new), *more):
        assert before in text, before
        text = text.replace(before, after, 1)
    return files | {"global_memory.cu": text.encode()}


# ---------------------------------------------------------------- what is said


@pytest.mark.slow("kernels are counted at the sizes that are predicted")
@pytest.mark.parametrize("name", LABS)
def test_a_solution_is_predicted_to_be_as_fast_as_itself(name: str) -> None:
    for part, found in predict(name, solution(name)).items():
        assert 0.97 < ratio(found) < 1.03, (part, found)
        text = predicted_words.line(found)
        assert text.startswith("predicted on an NVIDIA H200, not measured: ")
        assert "of our solution's speed" in text and "; bound by " in text


@pytest.mark.parametrize(
    ("name", "program", "part"),
    [
        ("lab5", "poor-two-dimensional", "C"),
        ("lab6", "poor-baseline", "C"),
    ],
)
def test_a_slow_program_is_predicted_to_be_slower(name: str, program: str, part: str) -> None:
    found = predict(name, entry(name, program), part)[part]
    assert ratio(found) < 0.7, found


def test_a_baseline_is_predicted_to_be_slower_than_the_solution() -> None:
    for check, known in references().checks.items():
        if known.baseline is not None:
            assert known.baseline.us > 1.03 * known.solution.us, check


@pytest.mark.slow("two programs are built and predicted")
def test_a_loop_without_its_pragma_is_named_where_that_costs() -> None:
    rolled = solution("lab4")["shared_tile.cu"].replace(
        b"#pragma unroll\n    for (int row", b"for (int row"
    )
    (found,) = predict("lab4", {"shared_tile.cu": rolled}, "D").values()
    line = rolled[: rolled.index(b"for (int row = 0; row < PATCH")].count(b"\n") + 1
    assert f"The loop at line {line} has no `#pragma unroll`." in found.advice
    (right,) = predict("lab4", solution("lab4"), "D").values()
    assert right.advice == ""


def test_a_grid_that_costs_most_is_named() -> None:
    small = re.sub(rb"BLOCK = \d+", b"BLOCK = 32", solution("lab8")["grayscale.cu"])
    found = predict("lab8", {**solution("lab8"), "grayscale.cu": small}, "E")["E"]
    assert found.advice.startswith("the grid of grey_kernel is 786432 blocks of 32 threads: ")


def test_the_line_that_costs_most_is_named() -> None:
    found = predict("lab6", entry("lab6", "poor-baseline"), "C")["C"]
    assert found.line is not None and found.line.file.endswith("coalescing.cu")
    assert f"of that from {found.line.file}:{found.line.line}" in predicted_words.line(found)


def test_a_program_that_crashes_or_never_ends_is_not_predicted() -> None:
    crash = changed(LAUNCH, "if (width > 1000) *(volatile int *)NULL = 1; " + LAUNCH)
    endless = changed(SUM, "    for (volatile int i = 1; width > 1000 && i;) {}\n" + SUM)
    for contents, why in ((crash, "your program"), (endless, "more than 5 s")):
        found = predict("lab2", contents, "A")["A"]
        assert found.time is None and why in found.reason


@pytest.mark.slow("a lab is built")
def test_block_beyond_the_image_represents_no_other() -> None:
    found = predict("lab2", entry("lab2", "poor-grid-by-lanes"), "A")["A"]
    assert found.time is None and "the whole grid of 512x512, stores nothing" in found.reason


def test_other_processor_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    found = predict("lab2", solution("lab2"))
    assert {p.reason for p in found.values()} == {
        "that needs an x86-64 processor, and this one is aarch64"
    }


def test_program_output_does_not_affect_the_prediction() -> None:
    said = "predicted on an NVIDIA H200, not measured: 1 us (1 to 1), 9.00 of our solution's speed"
    contents = changed(
        LAUNCH, f'printf("{said}\\n{{\\"launch\\":0,\\"name\\":\\"x\\"}}\\n"); {LAUNCH}',
        ("#include <stdlib.h>", "#include <stdio.h>\n#include <stdlib.h>"),
    )  # fmt: skip
    found = predict("lab2", contents, "A")["A"]
    assert 0.97 < ratio(found) < 1.03
