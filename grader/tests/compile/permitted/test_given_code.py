"""A baseline under another name is refused; code beside it, and a helper taken from it, are not."""

import re

import pytest

from grader import paths
from grader.compile.permitted.given_code import check_given
from grader.model import spec

LAB1, LAB3, LAB6 = (spec.load(name) for name in ("lab1", "lab3", "lab6"))


def baseline(lab: str) -> str:
    (file,) = paths.LABS.glob(f"{lab}_*/baseline.c*")
    return file.read_text()


def solution(lab: str) -> str:
    folder = spec.load(lab).folder
    return (paths.SOLUTIONS / folder / spec.load(lab).submit[0]).read_text()


def refused(lab: str, source: str) -> list[str]:
    return [refusal.text.split()[1] for refusal in check_given("x", source, spec.load(lab))]


CALL = "void correlate_loops(void) {{ {}(1); }}\nvoid correlate_rows(void) {{ {}(2); }}\n"


@pytest.mark.parametrize("lab", ["lab1", "lab2"])
def test_baseline_of_any_lab_under_another_name_is_refused(lab: str) -> None:
    source = baseline(lab).replace("baseline_correlate", "mine") + CALL.format("mine", "mine")
    assert refused("lab1", source) == ["A", "B"]
    text = next(iter(check_given("x.c", source, LAB1)))
    assert text.line == source[: source.index("void mine")].count("\n") + 1
    assert "part A runs mine(), which is baseline_correlate() of labs/lab" in text.text


def test_kernel_of_a_later_lab_is_refused_in_another_layout() -> None:
    source = re.sub(r"/\*.*?\*/", "", baseline("lab4"), flags=re.DOTALL)
    source = (
        re.sub(r"\n *", "\n ", source)
        .replace("baseline_kernel", "k")
        .replace("baseline_set_mask", "set_mask")
        .replace("baseline_correlate", "correlate_constant")
    )
    assert refused("lab3", source) == ["A"]


@pytest.mark.parametrize("number", range(1, 9))
def test_solution_and_unused_baseline_are_accepted(number: int) -> None:
    lab = f"lab{number}"
    assert refused(lab, solution(lab)) == []
    assert refused(lab, baseline(lab).replace("baseline_", "unused_") + solution(lab)) == []


def test_own_function_beside_one_of_the_baseline_is_accepted() -> None:
    """Lab 6 says to start from the column pass of the baseline."""
    source = baseline("lab6").replace("baseline_filter", "filter_coalesced")
    assert refused("lab6", source) == ["A"]
    assert refused("lab6", source.replace("v = threadIdx.x", "v = (int)threadIdx.x")) == []


@pytest.mark.parametrize("inner", ["", "#pragma omp simd\n"])
def test_loops_of_the_baseline_below_a_directive_are_what_lab_8_asks_for(inner: str) -> None:
    source = baseline("lab8").replace("baseline_grey", "grey_openmp")
    loop = "    for (int x"
    assert refused("lab8", source) == ["A"]
    assert refused("lab8", source.replace(loop, f"#pragma omp parallel for\n{inner}{loop}")) == []
    outside = f'#pragma GCC target("avx2")\n{source}\n#pragma unroll\nint after;\n'
    assert refused("lab8", outside) == ["A"]


def test_another_order_of_the_loops_is_ones_own() -> None:
    source = baseline("lab1").replace("baseline_correlate", "mine") + CALL.format("mine", "mine")
    assert refused("lab1", source.replace("int x = 0", "int X = 0", 1)) == []
    assert refused("lab1", source.replace("{ mine(2)", "{ int s = 0; mine(2)")) == ["A", "B"]
