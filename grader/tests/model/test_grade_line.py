"""A line of a grade: what it may say of secret inputs, and in which characters."""

import msgspec
import pytest

from grader.checks import technique
from grader.model import spec
from grader.model.counters import WORDS
from grader.model.grade_line import build_line, grade_line
from grader.model.lab import Case, Contract, Lab, Technique
from grader.model.result import Verdict

LEAK = "it printed: the image is 61x97"


def lab() -> Lab:
    loaded = spec.load("lab3")
    if not loaded.hidden_included:
        pytest.skip("this copy has no hidden cases")
    return loaded


@pytest.mark.parametrize("verdict", ["pass", "fail", "error", "uncertain"])
def test_a_hidden_case_says_nothing_of_its_input(verdict: Verdict) -> None:
    hidden = next(c for c in lab().case if c.hidden)
    message = [] if verdict == "pass" else [LEAK]
    details = {} if verdict == "pass" else {"got": 61}
    line = grade_line(lab(), hidden, verdict, message, details=details, seconds=0.183)
    assert "61" not in msgspec.json.encode(line).decode() and line.seconds == 0
    assert verdict == "pass" or line.message


def test_a_public_case_says_what_happened() -> None:
    public = next(c for c in lab().case if not c.hidden)
    line = grade_line(lab(), public, "error", [LEAK], seconds=0.183)
    assert line.message == [LEAK] and line.seconds == 0.183


def test_checks_with_a_secret_part_have_no_time() -> None:
    secret = [c for c in lab().checks() if c.is_secret()]
    assert {type(c) for c in secret} == {Case, Contract, Technique}
    assert all(grade_line(lab(), c, "pass", seconds=0.2).seconds == 0 for c in secret)


def test_a_technique_check_is_run_at_another_size_than_students_know() -> None:
    for check in lab().technique:
        if check.per == "launch":
            assert not check.is_secret()
        else:
            public = check.at_public_size()
            assert public.size != check.size and not public.is_secret()
            assert public == check.public


def test_limits_from_above_hold_for_a_smaller_radius_that_only_the_seed_tells() -> None:
    masks = set()
    for seed in range(40):
        for check in spec.load("lab3", secret_seed=seed).technique:
            other = check.second()
            assert other and other.size == check.size and other.is_secret()
            assert all(bound.at_most is not None for bound in other.bounds())
            masks.add(other.mask)
    assert masks == {f"{of}{side}" for of in ("random", "bank4x") for side in (11, 7, 9)}
    others = [check.second() for check in spec.load("lab7").technique]
    assert all(other and other.type == "f4" for other in others)


def test_layers_are_counted_with_other_channels_and_masks() -> None:
    for check in spec.load("lab7").technique:
        public = check.at_public_size()
        assert 1 < check.channels < public.channels
        assert check.mask != public.mask or check.part == "A"


def test_lab_6_is_counted_at_widths_that_only_its_promise_allows() -> None:
    """lab.h speaks of multiples of 8 (A) and of 4 (C); tiles and warps like those of 16 to 256."""
    for check in spec.load("lab6").technique:
        assert check.size is not None
        multiple = 4 if check.part == "C" else 8
        assert check.size[0] % multiple == 0 != check.size[0] % (2 * multiple), check.name


def test_failure_at_a_secret_size_names_limit_and_rounded_ratio() -> None:
    check = next(c for c in lab().technique if c.is_secret())
    details = {
        "counter": check.counter,
        "value": 12.345,
        "limit": check.at_most,
        "kernels": ["k"],
        "line": 7,
    }
    failed = grade_line(lab(), check, "fail", ["k: 1234.5 loads"], details=details)
    passed = grade_line(lab(), check, "pass", details=details)
    public = grade_line(lab(), check, "fail", ["k: 10 loads"], details={"value": 10})
    right = grade_line(lab(), check, "pass", details={"value": 5})
    assert technique.without_secrets(failed, check, public) == public
    assert technique.without_secrets(passed, check, right) == right
    line = technique.without_secrets(failed, check, right)
    assert line.verdict == "fail" and line.message[-1] == technique.OTHER_SIZE
    assert f"about 12 {WORDS[check.counter]} per pixel; it should be at most" in line.message[0]
    assert f"why: {check.why}" in line.message
    assert "12.345" not in msgspec.json.encode(line).decode()
    line = technique.without_secrets(passed, check, public)
    assert line.verdict == "pass" and "value" not in line.details and line.details["kernels"]


def test_a_line_can_be_shown() -> None:
    hostile = "\x1b[2J\u202efile.c:1: x\rok"
    line = grade_line(
        lab(), lab().case[0], "fail", [hostile, "two\nlines"], details={"printed": [hostile]}
    )
    assert line.message == ["?file.c:1: x?ok", "two", "lines"]
    assert line.details == {"printed": ["?file.c:1: x?ok"]}
    assert build_line(lab(), "compiles", "fail", [hostile]).message == ["?file.c:1: x?ok"]
