"""The committed predictions meet what handouts/prediction.md says, and still come out so."""

import csv
import re
from pathlib import Path

import pytest

from grader import paths
from grader.predict import estimate, gpu
from labs.studies.predict import collect, explained, fit, foreign, timed_code
from labs.studies.predict.programs import HERE, Call, calls

HANDOUT = (paths.ROOT / "handouts" / "prediction.md").read_text()
TABLE = HERE / "h200" / "predictions.csv"
OF_NVCC = HERE / "h200" / "predictions_nvcc.csv"
RESULTS = (HERE / "RESULTS.md").read_text()
GENERAL = (
    "window_of", "uncoalesced", "transpose_naive", "transpose_conflicts", "transpose_padded",
)  # fmt: skip


def rows(table: Path = TABLE) -> list[dict[str, str]]:
    with table.open() as file:
        return list(csv.DictReader(file))


def held_out(table: Path = TABLE) -> list[dict[str, str]]:
    return [row for row in rows(table) if row["half"] == "held out"]


def error(row: dict[str, str]) -> float:
    return abs(float(row["predicted_us"]) / float(row["measured_us"]) - 1)


def test_every_call_that_was_timed_is_predicted() -> None:
    assert {row["call"] for row in rows()} == set(collect.truth())
    assert len(held_out()) > 80 and len(rows()) - len(held_out()) > 80


def test_the_halves_are_those_of_the_rule() -> None:
    by_name = {call.name: call for call in calls()}
    for row in rows():
        assert (row["half"] == "held out") == (fit.half(by_name[row["call"]]) == 1)


@pytest.mark.parametrize(("table", "median", "near"), [(TABLE, 0.15, 0.75), (OF_NVCC, 0.1, 0.9)])
def test_the_bars_of_the_held_out_half(table: Path, median: float, near: float) -> None:
    errors = sorted(error(row) for row in held_out(table))
    assert errors[len(errors) // 2] <= median
    assert sum(e <= 0.3 for e in errors) / len(errors) >= near
    inside = [
        float(row["low_us"]) <= float(row["measured_us"]) <= float(row["high_us"])
        for row in held_out(table)
    ]
    assert sum(inside) / len(inside) >= 0.9


@pytest.mark.parametrize("card", ["h200", "h100"])
def test_the_bars_of_other_programs(card: str) -> None:
    """As far as they are met: median, factor of two, and interval of the held-out half. Nothing was
    fitted to times of an H100."""
    half = [row for row in foreign.rows(card=card) if row.kernel.held_out]
    ratios = sorted(abs(row.ratio - 1) for row in half)
    assert len(half) > 100 and ratios[len(half) // 2] <= 0.2
    assert sum(0.5 < row.ratio < 2 for row in half) >= 0.9 * len(half)
    assert sum(row.covered for row in half) >= 0.9 * len(half)
    assert abs(sum(row.covered for row in half) / len(half) - estimate.weights().held) < 0.01


def test_each_lab_is_ranked() -> None:
    pattern = r"^\| (?:general|lab\d) \|(?: \S+(?: %)? \|){3} (\S+) \|"
    ranks = re.findall(pattern, RESULTS, re.MULTILINE)
    assert len(ranks) == 8
    assert all(float(rank) >= 0.85 for rank in ranks)


def test_the_handout_has_the_figures_of_the_results() -> None:
    found = re.findall(r"\| held out \| \d+ \| (\S+ %) \| (\S+ %) \| (\S+ %) \| \d", RESULTS)
    for name, numbers in zip(("held out", "held out, with nvcc"), found, strict=True):
        assert f"| {name} | {' | '.join(numbers)} |" in HANDOUT


def test_what_a_comparison_says_is_right() -> None:
    """At least 95 %, and with nvcc something is said of 80 % of the pairs that differ."""
    found = re.findall(r"\| with(?:out| nvcc) \| \d+ \| (\S+) % \| (\S+) % \|", RESULTS)
    (right, said), (other, _) = ((float(a), float(b)) for a, b in found)
    assert right >= 95 and said >= 80 and other >= 95


def test_lists_of_the_results_are_complete() -> None:
    """Each of the worst is explained, and each wrong turn but lab 3's constants is ranked right."""
    assert "not explained" not in RESULTS
    turns = RESULTS.split("## Solutions and wrong turns")[1].split("\n## ")[0]
    rows = [line for line in turns.splitlines() if line.endswith(("| yes |", "| no |"))]
    assert len(rows) == len(explained.TURNS) >= 24
    wrong = [row for row in rows if row.endswith("| no |")]
    assert len(wrong) <= 3 and all("lab3-" in row for row in wrong)


def test_a_lab_that_was_left_out_is_predicted_little_worse() -> None:
    numbers = re.search(r"each lab left out \| \d+ \| (\S+) % \| (\S+) %", RESULTS)
    assert numbers is not None
    assert float(numbers[1]) <= 17 and float(numbers[2]) >= 70


@pytest.mark.slow("calls are counted and predicted again")
def test_some_calls_are_counted_and_predicted_again_as_committed() -> None:
    """Of one lab's solution and some general kernels: the simulator, the model and its weights give
    what the table says, and every conflict, uncoalesced access or single block its place."""
    committed = {row["call"]: float(row["predicted_us"]) for row in rows()}
    counted = collect.count("general", GENERAL) + collect.count("lab6-solution")
    device = gpu.gpu("h200")
    found = {one.call: 1e6 * estimate.predict_time(one.launches, device).seconds for one in counted}
    for one in counted:
        assert timed_code.differences(one.call.name, one.launches) == []
        assert abs(found[one.call] / committed[one.call.name] - 1) < 0.02, one.call.name

    def of(program: str, function: str, *size: int) -> float:
        return found[Call(program, function, (size[0], size[1], size[2], 0))]

    for side, radius in ((512, 4), (4096, 4)):
        window = of("general", "window_of", side, side, radius)
        assert of("general", "uncoalesced", side, side, radius) > 2 * window
    for side in (1024, 4096):
        padded = of("general", "transpose_padded", side, side, 0)
        assert of("general", "transpose_conflicts", side, side, 0) > padded
        assert of("general", "transpose_naive", side, side, 0) > padded
    filters = ("filter_vectorised", "filter_conflict_free", "filter_coalesced", "baseline_filter")
    times = [of("lab6-solution", name, 4096, 4096, 8) for name in filters]
    assert times == sorted(times)
