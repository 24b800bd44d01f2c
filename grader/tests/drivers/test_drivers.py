"""The files in C that are written for a lab which has none."""

import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.classroom.commands import new_lab
from grader.contract import draw
from grader.contract.any_arrays import AnyArrays
from grader.drivers import driver, speed, unit_test
from grader.model import part_call, spec
from grader.model.lab import Computation, GivenArray, Lab, OutputArray
from grader.model.outline import SpecError
from grader.oracle import inputs
from grader.tests import tiny_course

SUM = Computation({"x": GivenArray(["n"])}, OutputArray([1]))
PRODUCT = Computation(
    {"a": GivenArray(["m", "k"]), "b": GivenArray(["k", "n"])}, OutputArray(["m", "n"]), work="k"
)
INCLUDES = [f"-I{paths.LABS / name}" for name in ("runtime", "sim/include", "sim/src")]


@pytest.fixture(params=["cuda", "cpu"])
def lab(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A lab of a template, in a course of its own."""
    tiny_course.make(tmp_path, monkeypatch)
    for path, text in new_lab._of_template(request.param, "sum", "lab8", "lab8_total").items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return spec.load("lab8")


def test_a_call_is_read() -> None:
    call = part_call.read("product(d_a, d_b, m, k, n, bins, 3, d_out)", PRODUCT)
    assert call.function == "product" and call.on_device()
    assert call.settings() == ["bins"]
    assert call.template() == "product(d_a, d_b, {m}, {k}, {n}, {bins}, 3, d_out)"
    assert not part_call.read("total(x, n, out)", SUM).on_device()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no call such as"),
        ("total(d_x, n, d_out", "is no call such as"),
        ("total(d_x, n); exit(0, d_out)", "is no call such as"),
        ("total(n, d_out)", "no argument for `x`, such as d_x"),
        ("total(d_x, n)", "no argument for `out`, such as d_out"),
    ],
)
def test_what_is_no_call_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"call|argument") as refused:
        part_call.read(text, SUM)
    assert said in str(refused.value)


@pytest.mark.parametrize("written", [driver, speed, unit_test])
def test_the_files_compile_without_a_warning(lab: Lab, written: object, tmp_path: Path) -> None:
    (tmp_path / "written.c").write_text(written.text(lab))  # type: ignore[attr-defined]
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
    folder = f"-I{paths.LABS / lab.folder}"
    argv = ["gcc", *flags, folder, *INCLUDES, "-fsyntax-only", str(tmp_path / "written.c")]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_drawn_calls_stay_within_the_contract(lab: Lab) -> None:
    contract = lab.contract[0]
    low, high = contract.between["n"]
    sequences = draw.draw_sequences(lab, contract, contract.seed)
    sizes = {step.sizes[0][1] for sequence in sequences for step in sequence}
    assert low in sizes and min(sizes) >= low and max(sizes) <= high
    assert max(sizes) > 1 << 16 and {31, 33} & {size % 64 for size in sizes}
    assert sequences == draw.draw_sequences(lab, contract, contract.seed)
    refused = {step.refuse for sequence in sequences for step in sequence} - {0}
    assert refused == set() or (max(refused) < 0 and -1 in refused and len(refused) > 3)
    assert isinstance(draw.generator(lab, contract, 1), AnyArrays)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("call = ", "cal = ", "unknown field `cal`"),
        ('output = { type = "f4"', 'output = { type = "f2"', "Invalid enum value 'f2'"),
        ("shape = [1]", 'shape = ["m"]', "no input has the axis m of the output"),
        ('work = "n"', 'work = "n * q"', "no input has the axis q of `work`"),
        ("between = { n", "between = { m", "`between` needs the least and the most n"),
        ('oracle = "sum_of"', 'oracle = "sum_off"', "there is no function sum_off()"),
        ("sizes = { n = 1000 }", "sizes = { m = 1000 }", "`sizes` has no n"),
        ('x = "ramp"', 'x = "rampe"', "there is no content 'rampe'"),
    ],
)
def test_a_mistake_in_lab_toml_names_the_file(
    lab: Lab, old: str, new: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "labs" / lab.folder / "lab.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(SpecError) as refused:
        inputs.require(spec.load("lab8"))
    assert said in str(refused.value) and f"labs/{lab.folder}/" in str(refused.value)
