"""The lines of a grade: what is folded where nothing is written yet, and what never is."""

from pathlib import Path

import msgspec
import pytest

from grader.model import spec
from grader.model.result import Check
from grader.model.submission import Submission
from grader.render.terminal import Terminal
from grader.session.report_data import ReportData
from grader.tests.render import reports

UNSOLVED = ["f() returned cudaErrorNotSupported", "begin with the TODO at a.cu:3"]


def case(name: str, part: str = "A", message: list[str] | None = None, **changes: object) -> Check:
    check = Check(f"lab3/{part}/{name}", name, "correct", "fail", 0, 1, part)
    given = {"message": message or UNSOLVED, "diagnosis": "returned-error"} | changes
    return msgspec.structs.replace(check, **given)


def skipped(part: str = "A") -> Check:
    return Check(f"lab3/{part}/s", "s", "safe", "skip", 0, 1, part, needs="one")


def lines(*checks: Check, verbose: bool = False) -> list[str]:
    terminal = Terminal(100, verbose=verbose)
    return [terminal.check(check, "lab3", 0) for check in checks]


def test_untouched_starter_prints_one_check() -> None:
    hidden = case("h", message=["part A has produced no result yet"], hidden=True, diagnosis=None)
    shown = lines(case("one"), case("two"), hidden, case("b", "B"), skipped(), skipped("B"))
    assert "begin with the TODO" in shown[0] and shown[1:] == [""] * 5
    assert all(lines(case("one"), case("two"), verbose=True))


@pytest.mark.parametrize(
    "check",
    [
        case("two", message=["f() returned cudaErrorInvalidValue"]),
        case("two", message=["crashed"], diagnosis="crashed"),
        case("two", message=["3 of 9 pixels differ"], diagnosis=None),
        case("two", verdict="error", message=["the runner failed"]),
    ],
)
def test_second_failure_is_printed(check: Check) -> None:
    assert all(lines(case("one"), check))


def test_part_without_result_is_printed_once_another_has_one() -> None:
    passed = Check("lab3/A/one", "one", "correct", "pass", 1, 1, "A")
    shown = lines(passed, case("b", "B"), case("c", "B"))
    assert shown[0] and "TODO" in shown[1] and not shown[2]


def test_checks_skipped_for_a_wrong_result_are_printed() -> None:
    assert all(lines(case("one", message=["3 of 9 pixels differ"], diagnosis=None), skipped()))


@pytest.mark.parametrize("verbose", [False, True])
def test_a_line_that_came_before_its_reason_is_not_printed_again(verbose: bool) -> None:
    found = case("one", message=["3 of 9 pixels differ"], diagnosis=None)
    terminal = Terminal(100, verbose=verbose)
    early = terminal.failing(msgspec.structs.replace(found, message=[]))
    assert terminal.failing(found) == ""
    (whole,) = lines(found, verbose=verbose)
    assert whole == f"{early}\n{terminal.check(found, 'lab3', 0)}"
    again = msgspec.structs.replace(found, id="lab3/A/two", name="two")
    assert terminal.failing(again) and ("as above" in terminal.check(again, "lab3", 0)) != verbose


def test_starter_failures_are_not_printed_early() -> None:
    terminal = Terminal(100)
    assert terminal.failing(case("one")) and terminal.check(case("one"), "lab3", 0)
    assert not terminal.failing(case("two")) and not terminal.check(case("two"), "lab3", 0)


def test_a_finding_is_printed_once_whichever_input_shows_it() -> None:
    race = ["a.cu:3 and :9: data race: ...", "add __syncthreads()"]
    smaller = ["on the smaller input of the check 's':", *race, "this case: the largest"]
    one, two = lines(
        case("one", message=[*race, "this case: a small one"], diagnosis="shared-race"),
        case("two", message=smaller, diagnosis="shared-race"),
    )
    assert "data race" in one and two.endswith("as above  0/1") and "\n" not in two


def test_a_finding_of_another_thread_is_not_printed_again() -> None:
    advice = "add __syncthreads() between lines 3 and 9"
    messages = [
        [f"{n} pixels differ", f"a.cu:3 and :{line}: thread ({n},0) reads t[{n}]", advice]
        for n, line in ((1, 9), (2, 9), (3, 8))
    ]
    cases = [case(str(n), message=m, diagnosis="shared-race") for n, m in enumerate(messages)]
    first, again, other = lines(*cases)
    assert "thread (1,0)" in first and advice in first
    assert again.endswith("2 pixels differ\n        a.cu:3 and :9: as above")
    assert "thread (3,0)" in other and advice in other
    assert all("thread (2,0)" in shown for shown in lines(cases[0], cases[1], verbose=True)[1:])


def test_a_long_sentence_is_not_printed_again_with_other_numbers() -> None:
    why = f"pixels were never written: of every 32 columns only the first are, {'and so on ' * 9}"
    this_case = f"this case: {'many words ' * 9}"
    cases = [case(str(n), message=[f"{n} {why}", this_case], diagnosis="x") for n in (5, 6)]
    first, again = lines(*cases)
    assert "only the first are" in first
    assert "6 pixels were never written: as above\n        this case: many words" in again


def test_call_warning_is_printed_for_compiling_files() -> None:
    told = ["warning: a.cu:3: unused variable", "warning: a.cu:7: cudaMemcpy(): d is a pointer"]
    compiles = Check("lab3/compiles", "compiles", "build", "pass", 0, 0, message=told)
    (shown,) = lines(compiles)
    assert "cudaMemcpy" in shown and "unused" not in shown


def test_a_warning_is_repeated_before_the_first_wrong_result() -> None:
    said = "line 3: set_mask() can reach its end without `return`"
    compiles = Check("lab3/compiles", "compiles", "build", "pass", message=[said])
    slow = case("slow", kind="technique", message=["too many reads"], diagnosis="x")
    wrong = [case(str(n), message=[f"{n} pixels differ"], diagnosis="x") for n in (1, 2)]
    first, technique, cause, later = lines(compiles, slow, *wrong)
    assert said not in first + technique + later
    assert cause.startswith(f"  note  the compiler warns:\n        {said}\n  FAIL")
    assert said in lines(compiles, verbose=True)[0]
    terminal = Terminal(100)
    terminal.check(compiles, "lab3", 0)
    assert said in terminal.failing(wrong[0])
    assert said not in terminal.check(wrong[0], "lab3", 0)


def test_the_header_fits_80_columns() -> None:
    terminal = Terminal(100)
    header = terminal.header("lab8", "grayscale with SIMD", ["starter/a.c", "starter/b.cu"], "sim")
    assert [len(line) <= 80 for line in header.splitlines()] == [True] * 3
    assert header.endswith("      your files: starter/a.c\n      starter/b.cu")


def test_a_failure_names_the_command_that_steps_through_it() -> None:
    failed = case("one", message=["3 of 9 pixels differ"], diagnosis=None)
    asked = "./grade lab3 -k one --step"
    assert f"        step through it: {asked}" in Terminal(60).check(failed, "lab3", 0, asked)


def test_the_next_commands_grade_the_same_file() -> None:
    failed = case("one", message=["3 of 9 pixels differ"], diagnosis=None)
    passed = Check("lab3/B/two", "two", "correct", "pass", 1, 1, "B")
    submission = Submission(spec.load("lab3"), Path(), "mine", {}, [])
    graded = reports.graded(ReportData(submission), [failed, passed])
    said = Terminal(100).score(graded, "./grade lab3 --src mine")
    assert "  again: ./grade lab3 --src mine -k 'one'" in said
    assert "  pictures: ./grade lab3 --src mine --html report.html" in said
