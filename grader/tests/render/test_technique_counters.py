"""A technique check's counter beside its limit, as `./grade labN --profile` prints them."""

import os

import msgspec
import pytest

from grader.checks import technique as judge
from grader.model import outline, spec
from grader.model.lab import Bound, Technique
from grader.model.result import Check
from grader.render import technique_counters as render
from grader.tests import captured

TECHNIQUE = Technique(
    name="a name that is not short",
    part="A",
    image="noise",
    points=1,
    counter="global_load_sectors / global_load_requests",
    at_most=0.75,
)
PASSED = Check("lab6/A/x", TECHNIQUE.name, "technique", "pass", part="A", details={"value": 0.5})
FAILED = msgspec.structs.replace(PASSED, verdict="fail", details={"value": 1.67578125})


def test_counter_is_printed_beside_its_limit() -> None:
    words = "32-byte sectors loaded per warp load from global memory"
    assert render.line(TECHNIQUE, PASSED).splitlines() == [
        "  ok    A  a name that is not short",
        f"           0.5 of at most 0.75: {words}",
    ]
    assert render.line(TECHNIQUE, FAILED).splitlines() == [
        "  FAIL  A  a name that is not short",
        f"           1.676 of at most 0.75: {words}",
    ]
    at_least = msgspec.structs.replace(TECHNIQUE, at_most=None, at_least=2, per="launch")
    assert f"1.676 of at least 2: {words}" in render.line(at_least, FAILED)


def test_failing_second_limit_is_printed_beside_the_value() -> None:
    further = Bound(counter="exchanges", over="results", per="pixel", at_most=16, why="w")
    both = msgspec.structs.replace(TECHNIQUE, also=[further])
    details = {"counter": "exchanges", "value": 24, "limit": 16}
    text = render.line(both, msgspec.structs.replace(FAILED, details=details))
    assert "24 of at most 16: values that threads get from other lanes, as by shuffles" in text
    assert text.endswith(" per pixel, of the launches that store the result")


def test_without_a_value_the_limit_is_still_there() -> None:
    skipped = msgspec.structs.replace(PASSED, verdict="skip", details={})
    assert "           at most 0.75: 32-byte sectors" in render.line(TECHNIQUE, skipped)
    empty = msgspec.structs.replace(PASSED, verdict="fail", details={"value": None})
    assert "           nothing counted, at most 0.75: " in render.line(TECHNIQUE, empty)


def test_the_value_is_that_of_the_message() -> None:
    assert judge.number(1.67578125) in render.line(TECHNIQUE, FAILED)


@pytest.mark.parametrize("width", [40, 80, 100])
def test_technique_checks_fit_the_terminal(width: int) -> None:
    for lab in map(spec.load, outline.available()):
        for technique in lab.technique:
            check = msgspec.structs.replace(FAILED, name=technique.name)
            text = render.line(technique, check, width)
            first, *rest = text.splitlines()
            assert max(len(line) for line in (first, *rest)) <= width
            assert all(line.startswith(render.INDENT) for line in rest)
            assert technique.name in " ".join(text.split())
            assert f"1.676 of {judge.limit(technique)}:" in " ".join(text.split())


def profile(lab: str, *options: str) -> str:
    return captured.grade(
        lab, "--profile", "--no-speed", *options, env=os.environ | {"COLUMNS": "80"}
    ).stdout


def test_profile_prints_limits_above_the_tables() -> None:
    printed = profile("lab6", "--src", "solutions", "-k", "vector loads from global memory")
    limit = "of at most 0.05: warp loads from global memory per pixel\nlaunch 0: rows_vector_kernel"
    assert limit in printed, printed
    assert printed.count("of at most") == 1


def test_profile_of_the_starter_prints_limits_too() -> None:
    printed = profile("lab2")
    assert "no counters: no technique check ran on a correct result" in printed
    for technique in spec.load("lab2").technique:
        assert f"  skip  {technique.part}  {technique.name}\n           at most" in printed
