"""A part's checks decide which later ones run; a run under all checks extends a case."""

from pathlib import Path

import msgspec
import pytest

from grader.checks import prerequisites
from grader.grading import pipeline
from grader.model import spec
from grader.model import submission as submissions
from grader.model.lab import Case, Lab, Limits
from grader.model.result import Check, Result
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.tests.known_submissions import entries

LAB = spec.load("lab1")
ENDLESS = """#include "lab.h"
void correlate_loops(const float *i, int w, int h, const float *m, int r, enum border b, float *o) {
    %s
}
void correlate_rows(const float *i, int w, int h, const float *m, int r, enum border b, float *o) {
}
void correlate_openmp(const float *i, int w, int h, const float *m, int r, enum border b,
                      float *o) {
}
"""
FOREVER = "for (volatile int n = 0;; n++) { }"


def stopped(name: str, diagnosis: str = "timeout") -> Check:
    return Check(f"lab1/A/{name}", name, "correct", "fail", part="A", diagnosis=diagnosis)


def case(name: str) -> Case:
    return next(c for c in LAB.case if c.name == name)


def test_a_part_that_never_comes_back_is_not_waited_for_again() -> None:
    zero, replicate = "Ando 3x3 on 97x61, zero border", "Ando 5x5 on 97x61, replicate border"
    first = "identity 3x3 on a ramp 64x48"
    twice = [stopped(first), stopped(zero)]
    assert prerequisites.endless(LAB, twice, case("13x13 on one column 1x101")) == first
    assert prerequisites.endless(LAB, twice[:1], case(zero)) is None
    assert (
        prerequisites.endless(LAB, twice, case(replicate)) is None
    )  # this border has not been tried
    assert prerequisites.endless(LAB, [*twice, stopped(replicate)], case(replicate)) == first
    wrong = [*twice, stopped(replicate, "mask-flipped")]
    assert prerequisites.endless(LAB, wrong, case("13x13 on one column 1x101")) is None
    other = next(c for c in LAB.case if c.part == "B" and not c.hidden)
    assert prerequisites.endless(LAB, twice, other) is None


def test_two_large_images_do_not_show_that_a_part_is_endless() -> None:
    large = [msgspec.structs.replace(c, size=(1920, 1080)) for c in LAB.case if c.part == "A"]
    lab = msgspec.structs.replace(LAB, case=large)
    done = [stopped(c.name) for c in large[:2]]
    assert prerequisites.endless(LAB, done, large[4])
    assert prerequisites.endless(lab, done, large[4]) is None


def test_case_with_failing_calls_always_runs() -> None:
    lab = spec.load("lab2")
    cases = [c for c in lab.case if c.part == "B"]
    done = [Check("", c.name, "correct", "fail", part="B", diagnosis="timeout") for c in cases[:2]]
    made_to_fail = next(c for c in cases if c.inject)
    assert prerequisites.endless(lab, done, made_to_fail) is None


def test_waiting_for_ever_is_as_endless() -> None:
    names = "identity 3x3 on a ramp 64x48", "Ando 3x3 on 97x61, zero border"
    waited = [stopped(name, "waiting") for name in names]
    assert prerequisites.endless(LAB, waited, case("13x13 on one column 1x101")) == names[0]


def graded(folder: Path, body: str, seconds: float = 0.5) -> Result:
    (folder / "cpu_loop.c").write_text(ENDLESS % body)
    lab: Lab = msgspec.structs.replace(LAB, limits=Limits(seconds=seconds))
    submission = submissions.find(lab, str(folder))
    return pipeline.grade(plan_for(lab, "cpu", "A", timed=False), submission, Observer())


def test_an_endless_loop_is_stopped_a_few_times_only(tmp_path: Path) -> None:
    seen = graded(tmp_path, FOREVER)
    cases = [c for c in seen.checks if c.kind == "correct"]
    ended = [c for c in cases if c.diagnosis == "timeout"]
    left = [c for c in cases if c.verdict == "skip"]
    assert 2 <= len(ended) <= 3 and len(ended) + len(left) == len(cases) > 5
    assert all(c.needs == ended[0].name for c in left)
    assert "a loop that never ends" in ended[0].message[1]
    total = sum(c.max_points for c in seen.checks)
    assert (seen.score.earned, seen.score.measured) == (0, total)  # as if all had run


def test_a_loop_that_ends_with_one_border_keeps_its_points(tmp_path: Path) -> None:
    seen = graded(tmp_path, f"if (b == BORDER_ZERO) {FOREVER} o[0] = i[0];")
    replicate = [c for c in seen.checks if "replicate" in c.name]
    assert replicate and all(c.verdict != "skip" for c in replicate)
    assert all(c.diagnosis != "timeout" for c in replicate)
    assert seen.score.earned == sum(c.points for c in replicate) > 0


def test_hidden_case_of_unstarted_part_reports_only_no_result(tmp_path: Path) -> None:
    seen = graded(tmp_path, "", seconds=10)  # enough for any machine: nothing here is endless
    hidden = [c for c in seen.checks if c.hidden]
    message = ["part A has produced no result yet, not even in its first check"]
    assert hidden and all(c.message == message for c in hidden)


def test_a_hidden_case_points_to_the_public_one_that_fails(tmp_path: Path) -> None:
    """Its hint may be about another mistake."""
    seen = graded(tmp_path, "o[0] = i[0];", seconds=10)
    wrong = next(c for c in seen.checks if c.verdict == "fail" and not c.hidden)
    hidden = [c for c in seen.checks if c.hidden and c.verdict == "fail"]
    first = f"the check '{wrong.name}' fails, too: begin with that one"
    assert hidden and all(c.message[-1] == first for c in hidden)
    assert not any("hint:" in line for c in hidden for line in c.message)


@pytest.mark.slow("whole grades, one of which must stop early")
def test_a_race_leads_where_pixels_depend_on_it(tmp_path: Path) -> None:
    home = entries.write(entries.find("lab4/barrier-missing"), tmp_path)
    submission = submissions.find(spec.load("lab4"), str(home))
    seen = pipeline.grade(plan_for(submission.lab, "sim", "B"), submission, Observer())
    cases = [c for c in seen.checks if c.name in {case.name for case in submission.lab.case}]
    wrong = [c for c in cases if c.verdict == "fail" and not c.hidden]
    assert len(wrong) > 2 and {c.diagnosis for c in wrong} == {"shared-race"}
    large = [c for c in wrong if "1920x1080" in c.name]
    small = [c for c in wrong if c not in large]
    assert large and all("on the smaller input of the check" in c.message[0] for c in large)
    assert all("shared_tile.cu:" in c.message[1] for c in large)
    assert small and all("shared_tile.cu:" in c.message[0] for c in small)
    assert len({c.message[0].partition(": ")[0] for c in small}) == 1  # the same lines
