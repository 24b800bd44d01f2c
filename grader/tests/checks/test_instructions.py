"""Checks of the instructions that a function in C executes: the record, the verdict, the words."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader import paths
from grader.checks import instructions as judging
from grader.execute import instructions
from grader.execute.backend import cpu_has
from grader.execute.case import Outcome
from grader.execute.instrumented import InstrumentedRun
from grader.model import counters, spec
from grader.model.result import Check
from grader.model.submission import Submission
from grader.session.plan import plan_for
from grader.session.programs import Programs
from grader.session.session import Session
from grader.tests import captured
from grader.tests.checks.test_technique import asks, lab_file, loaded
from grader.tests.zoo.test_zoo import grade

SOLUTION = paths.SOLUTIONS / "lab8_grayscale"
NEEDS_AVX2 = pytest.mark.skipif(not cpu_has("avx2"), reason="this CPU has no AVX2")


def record(*sites: tuple[int, int, int], gave_up: bool = False) -> bytes:
    """What the runner writes: pc, bits and how often executed of each newer instruction."""
    seen = [{"pc": pc, "bits": bits, "executed": n, "multiplies": False} for pc, bits, n in sites]
    return json.dumps({"stepped": 100, "gave_up": gave_up, "sites": seen}).encode() + b"\n"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b'{"stepped":0,"gave_up":false,"sites":[]}',
        b'{"stepped":-1,"gave_up":false,"sites":[]}',
        b'{"launch":1}',
    ],
)
def test_what_is_no_record_or_saw_nothing_decides_nothing(raw: bytes) -> None:
    assert instructions.read_instructions(raw) is None


def test_counts_by_line_and_names_the_widest_instruction(tmp_path: Path) -> None:
    """At line 2 the wide instruction is the example, and line 3 has fewer."""
    source, program = tmp_path / "a.c", tmp_path / "a"
    source.write_text(
        "int main(void) {\n"
        '    __asm__("vpxor %xmm1,%xmm1,%xmm1\\n\\tvpxor %ymm2,%ymm2,%ymm2");\n'
        '    __asm__("vpxor %xmm3,%xmm3,%xmm3");\n'
        "}\n"
    )
    subprocess.run(["gcc", "-g1", "-gdwarf-4", source, "-o", program], check=True)
    listing = captured.run(["objdump", "-d", program], check=True).stdout
    pcs = [int(line.split(":")[0], 16) for line in listing.splitlines() if "vpxor" in line]
    assert len(pcs) == 3
    seen = instructions.read_instructions(
        record((pcs[0], 128, 5), (pcs[1], 256, 5), (pcs[2], 128, 7))
    )
    assert seen is not None
    every = instructions.counted(seen, "avx_instructions", program)
    wide = instructions.counted(seen, "wide_instructions", program)
    assert every is not None and wide is not None
    assert wide.executed == 5
    assert (every.executed, every.at_location) == (17, 10)
    assert every.location[1] == 2 and every.text == "vpxor %ymm2,%ymm2,%ymm2"


def test_no_instruction_of_the_kind(tmp_path: Path) -> None:
    seen = instructions.read_instructions(record((1, 128, 5)))
    assert seen is not None
    none = instructions.counted(seen, "wide_instructions", tmp_path / "none")
    assert none is not None and none.executed == 0


def test_what_each_counter_counts(tmp_path: Path) -> None:
    """Of SSE4, of AVX with 128 bits, and of AVX with 256."""
    seen = instructions.read_instructions(record((1, 0, 7), (2, 128, 20), (3, 256, 100)))
    assert seen is not None
    counted = {
        name: instructions.counted(seen, name, tmp_path / "none") for name in counters.INSTRUCTIONS
    }
    assert {name: c.executed for name, c in counted.items() if c} == {
        "newer_instructions": 127,
        "avx_instructions": 120,
        "wide_instructions": 100,
        "wide_multiplications": 0,
    }


def test_wide_multiplications_are_a_share_of_all(tmp_path: Path) -> None:
    """9 of 256 bits, 2 of AVX with 128, and one that any processor has."""
    sites = [
        {"pc": pc, "bits": bits, "executed": executed, "multiplies": multiplies}
        for pc, bits, executed, multiplies in (
            (1, 256, 9, True), (2, 256, 50, False), (3, 128, 2, True), (4, -1, 1, True)
        )
    ]  # fmt: skip
    raw = json.dumps({"stepped": 100, "gave_up": False, "sites": sites}).encode() + b"\n"
    seen = instructions.read_instructions(raw)
    assert seen is not None
    wide = instructions.counted(seen, "wide_multiplications", tmp_path / "none")
    assert wide is not None and (wide.executed, wide.multiplications) == (9, 12)
    share = asks(counter="wide_multiplications", at_most=None, at_least=0.75, per="multiplication")
    assert share.holds(wide.value(share))
    newer = instructions.counted(seen, "newer_instructions", tmp_path / "none")
    assert newer is not None and newer.executed == 61


def test_what_was_not_watched_to_its_end_decides_nothing(tmp_path: Path) -> None:
    seen = instructions.read_instructions(record((1, 128, 5), gave_up=True))
    assert seen is not None
    assert instructions.counted(seen, "wide_instructions", tmp_path / "none") is None
    some = instructions.counted(seen, "avx_instructions", tmp_path / "none")
    assert some is not None and some.executed == 5


@pytest.mark.parametrize(
    ("limit", "value", "holds"),
    [
        ({"at_most": 0}, 0, True),
        ({"at_most": 0}, 1, False),
        ({"at_most": None, "at_least": 1}, 1, True),
        ({"at_most": None, "at_least": 1}, 0, False),
    ],
)
def test_limits(limit: dict[str, Any], value: int, holds: bool) -> None:
    assert asks(counter="avx_instructions", **limit).holds(value) == holds


@pytest.mark.parametrize(("executed", "verdict"), [(0, "fail"), (9, "fail"), (10, "pass")])
def test_a_share_is_of_all_instructions(executed: int, verdict: str, tmp_path: Path) -> None:
    asked = asks(counter="wide_instructions", at_most=None, at_least=0.1, per="instruction")
    lab = spec.load("lab8")
    session = Session(
        plan_for(lab, "cpu"), Submission(lab, tmp_path, "f", {}, []), Programs([]), tmp_path
    )
    run = InstrumentedRun(Outcome("completed", "", 0.1), 1, True)
    seen = instructions.Instructions(100, executed)
    line = judging.judge_stepped(session, asked, run, seen)
    assert line.verdict == verdict and line.details["value"] == executed / 100
    assert ("at least 10" in "".join(line.message)) == (verdict == "fail")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "avx_instructions is counted in a file of C alone"),
        ({"per": '"pixel"'}, "is not counted by kernel, pixel or launch"),
        ({"kernel": '"grey"'}, "is not counted by kernel, pixel or launch"),
    ],
)
def test_spec_that_cannot_be_is_refused(
    changes: dict[str, str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table: dict[str, Any] = {"counter": '"avx_instructions"'} | changes
    labs = lab_file(tmp_path, **table)
    with pytest.raises(Exception, match=says):
        loaded(monkeypatch, labs)


def test_each_counter_has_words_and_no_other_name() -> None:
    assert all(counters.in_words(name).counted != name for name in counters.INSTRUCTIONS)
    assert not set(counters.INSTRUCTIONS) & counters.NAMES


def graded(folder: Path, changes: dict[str, str], part: str) -> dict[str, Any]:
    """The technique check of a part of lab 8, of the solution with these texts exchanged."""
    source = (SOLUTION / "grayscale.c").read_text()
    for old, new in changes.items():
        assert source.count(old) >= 1, old
        source = source.replace(old, new)
    (folder / "grayscale.c").write_text(source)
    (folder / "grayscale.cu").write_text((SOLUTION / "grayscale.cu").read_text())
    _, document = grade("lab8", "--src", str(folder), "-k", part, "--no-speed")
    (check,) = (c for c in document["checks"] if c["kind"] == "technique")
    return dict(check)


@pytest.mark.slow("lab 8 is built and graded")
@NEEDS_AVX2
def test_an_avx_instruction_is_named_with_its_line(tmp_path: Path) -> None:
    check = graded(tmp_path, {'target("ssse3")': 'target("avx")'}, "C")
    assert (check["verdict"], check["points"]) == ("fail", 0)
    assert "are instructions newer than SSSE3; there should be none" in check["message"][0]
    line = check["details"]["line"]
    text = (tmp_path / "grayscale.c").read_text().splitlines()[line - 1]
    assert f"grayscale.c:{line} accounts for" in check["message"][1]
    assert ", such as v" in check["message"][1]
    assert check["message"][2].strip() == text.strip()


@pytest.mark.slow("lab 8 is built and graded")
@NEEDS_AVX2
def test_part_d_without_wide_registers(tmp_path: Path) -> None:
    check = graded(tmp_path, {"share_out(convert_avx2,": "share_out(convert_sse,"}, "D")
    assert check["verdict"] == "fail"
    assert check["message"][0].startswith("none of the ")


@pytest.mark.slow("lab 8 is built and graded")
def test_sse4_is_newer_than_the_processors_of_part_c(tmp_path: Path) -> None:
    if not cpu_has("sse4_1"):
        pytest.skip("this CPU has no SSE4.1")
    changes = {
        'target("ssse3")': 'target("sse4.1")',
        "b = _mm_madd_epi16(": "b = _mm_mullo_epi32(",
    }
    check = graded(tmp_path, changes, "C")
    assert (check["verdict"], check["points"]) == ("fail", 0)
    assert "are instructions newer than SSSE3; there should be none" in check["message"][0]
    assert ", such as pmulld" in check["message"][1]
    assert check["message"][2].strip().startswith("const __m128i b = _mm_mullo_epi32(")


@pytest.mark.slow("lab 8 is built and graded")
@NEEDS_AVX2
def test_threads_that_the_function_starts_do_not_disturb(tmp_path: Path) -> None:
    old = "#pragma omp parallel for schedule(static)\n"
    check = graded(tmp_path, {old: old.replace("\n", " num_threads(4)\n")}, "C")
    assert check["verdict"] == "pass", check


def test_a_machine_that_cannot_step_decides_nothing(tmp_path: Path) -> None:
    lab = spec.load("lab8")
    asked = next(t for t in lab.technique if t.counter == "newer_instructions")
    right = InstrumentedRun(Outcome("completed", "", 0.1), 4, True)
    submission = Submission(lab, tmp_path, "f", {}, [])
    session = Session(plan_for(lab, "sim"), submission, Programs([]), tmp_path)
    session.add(Check("", "a case", "correct", "fail", part=asked.part))
    line = judging.judge_stepped(session, asked, right, None)
    assert (line.verdict, line.points) == ("uncertain", 0)
    wrong = InstrumentedRun(Outcome("completed", "", 0.1), 4, False)
    line = judging.judge_stepped(session, asked, wrong, None)
    assert (line.verdict, line.needs) == ("skip", "a case")
