"""Checks of the instructions that a function in C executes: the record, the verdict, the words."""

import json
import re
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
from grader.tests.known_submissions.test_known import grade

SOLUTION = paths.SOLUTIONS / "lab8_grayscale"
NEEDS_AVX2 = pytest.mark.skipif(not cpu_has("avx2"), reason="this CPU has no AVX2")


def record(*sites: tuple[int, int], gave_up: bool = False) -> bytes:
    """What the runner writes: how often the instruction at each address was executed."""
    seen = [{"pc": pc, "executed": n} for pc, n in sites]
    return json.dumps({"stepped": 100, "gave_up": gave_up, "sites": seen}).encode() + b"\n"


def counted(
    folder: Path, counter: str, executed: dict[str, int], gave_up: bool = False
) -> instructions.Instructions | None:
    """Of a program with these instructions, executed so often, a line each from the second on."""
    source, program = folder / "a.c", folder / "a"
    lines = "\n".join(
        f'__asm__(".globl at{i}\\nat{i}: {text}");' for i, text in enumerate(executed)
    )
    source.write_text("int main(void) {\n" + lines + "\n}\n")
    subprocess.run(["gcc", "-g1", "-gdwarf-4", source, "-o", program], check=True)
    symbols = captured.run(["nm", program], check=True).stdout
    at = {name: int(pc, 16) for pc, name in re.findall(r"(?m)^(\w+) \w (at\d+)$", symbols)}
    sites = [(at[f"at{i}"], count) for i, count in enumerate(executed.values())]
    seen = instructions.read_instructions(record(*sites, gave_up=gave_up))
    assert seen is not None
    return instructions.counted(seen, counter, program)


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
def test_malformed_or_empty_record_is_undecided(raw: bytes) -> None:
    assert instructions.read_instructions(raw) is None


def test_counts_by_line_and_names_the_widest_instruction(tmp_path: Path) -> None:
    executed = {"vpxor %xmm1,%xmm1,%xmm1": 5, "vpxor %ymm2,%ymm2,%ymm2": 7, "nop": 50}
    every = counted(tmp_path, "avx_instructions", executed)
    assert every is not None and (every.executed, every.at_location) == (12, 7)
    assert every.location[1] == 3 and every.text == "vpxor %ymm2,%ymm2,%ymm2"


OF_EACH_KIND = {
    "paddd %xmm1,%xmm2": 1000,
    "pmulld %xmm1,%xmm2": 7,
    "vpaddd %xmm1,%xmm2,%xmm3": 20,
    "vpaddd %ymm1,%ymm2,%ymm3": 100,
    "vpmaddwd %ymm1,%ymm2,%ymm3": 9,
    "vmulss %xmm1,%xmm2,%xmm3": 2,
    "fmulp": 3,
    "imul %eax,%ecx": 4,
}


@pytest.mark.parametrize(
    ("counter", "executed"),
    [
        ("newer_instructions", 7 + 20 + 100 + 9 + 2),
        ("avx_instructions", 20 + 100 + 9 + 2),
        ("wide_instructions", 100 + 9),
        ("wide_multiplications", 9),
    ],
)
def test_counters_classify_instructions(counter: str, executed: int, tmp_path: Path) -> None:
    seen = counted(tmp_path, counter, OF_EACH_KIND)
    assert seen is not None and seen.executed == executed


def test_wide_multiplications_are_a_share_of_all(tmp_path: Path) -> None:
    wide = counted(tmp_path, "wide_multiplications", OF_EACH_KIND)
    assert wide is not None and (wide.executed, wide.multiplications) == (9, 9 + 7 + 2 + 3 + 4)
    share = asks(counter="wide_multiplications", at_most=None, at_least=0.35, per="multiplication")
    assert share.holds(wide.value(share))


def test_count_is_zero_without_such_instructions(tmp_path: Path) -> None:
    none = counted(tmp_path, "wide_instructions", {"nop": 5})
    assert none is not None and none.executed == 0


@pytest.mark.parametrize("text", ["xsave (%rsp)", "popf", "rdfsbase %rax"])
def test_an_instruction_that_the_table_does_not_have_is_named(text: str, tmp_path: Path) -> None:
    seen = counted(tmp_path, "wide_multiplications", {"nop": 5, text: 1})
    assert seen is not None and seen.unknown.startswith(text[:4]) and seen.location[1] == 3
    assert judging.not_known(seen)[0].endswith("AVX2 or AVX-512")
    assert ":3 executes" in judging.not_known(seen)[0]


def test_incomplete_trace_is_undecided(tmp_path: Path) -> None:
    executed = {"vpaddd %xmm1,%xmm2,%xmm3": 5}
    assert counted(tmp_path, "wide_instructions", executed, gave_up=True) is None
    some = counted(tmp_path, "avx_instructions", executed, gave_up=True)
    assert some is not None and some.executed == 5


def test_undecodable_code_is_undecided(tmp_path: Path) -> None:
    seen = instructions.read_instructions(record((1, 5)))
    assert seen is not None
    assert instructions.counted(seen, "wide_instructions", tmp_path / "none") is None


@pytest.mark.parametrize(
    ("limit", "value", "holds"),
    [
        ({"at_most": 0}, 0, True),
        ({"at_most": 0}, 1, False),
        ({"at_most": None, "at_least": 1}, 1, True),
        ({"at_most": None, "at_least": 1}, 0, False),
    ],
)
def test_limits_bound_the_count(limit: dict[str, Any], value: int, holds: bool) -> None:
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
