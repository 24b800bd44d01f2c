"""make bench and make bench-gpu, with stub clocks and, for the labs' own functions, on the CPU and
on the simulator."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from unittest.mock import Mock

import msgspec
import numpy as np
import pytest

from grader import paths
from grader.oracle.correlation import correlate64
from labs.studies.bench import __main__ as bench_command
from labs.studies.bench import (
    case,
    cpu,
    gpu,
    host,
    measure,
    pages,
    parts,
    results,
    rounds,
    sides,
    work,
)
from labs.studies.bench.case import Effort, Limits, Program
from labs.studies.bench.host import Host, QuietClock
from labs.studies.bench.results import Case, Curve, Entry, Line, Run
from labs.studies.bench.rounds import Contender
from labs.studies.bench.verify import WRONG, Verifier
from labs.studies.bench.work import Array, Work

# ---------------------------------------------------------------- rounds


def always(ns: float) -> Callable[..., float]:
    """A clock on which everything takes that long."""
    return lambda *_: ns


def steady(ns: float, log: list[str], who: str) -> Contender:
    def measure(count: int) -> float:
        log.append(f"{who}{count}")
        return ns

    return Contender(who, measure)


def test_rounds_interleave_and_rotate_the_first_program() -> None:
    log: list[str] = []
    both = [steady(2e6, log, "a"), steady(4e6, log, "b")]
    rounds.run(both, 3, budget_ns=1e9)
    assert log == ["a1", "b1", "a1", "b1", "b1", "a1", "a1", "b1"]
    assert [contender.rounds() for contender in both] == [3, 3]


def test_short_calls_are_repeated_until_they_last_long_enough() -> None:
    log: list[str] = []
    rounds.run([steady(rounds.ENOUGH_NS / 30, log, "a")], 1, budget_ns=1e9)
    assert log == ["a1", "a30"]


def test_a_slow_program_is_called_once_and_the_others_go_on() -> None:
    log: list[str] = []
    slow, quick = steady(5e9, log, "s"), steady(1e6, log, "q")
    rounds.run([slow, quick], 4, budget_ns=1e9)
    assert slow.times == [5e9, 0, 0, 0]
    assert quick.rounds() == 4
    assert rounds.ratio(quick, slow) == 5000


def test_program_runs_until_its_budget_is_used() -> None:
    contender = steady(4e6, [], "a")
    rounds.run([contender], 10, budget_ns=1e7)
    assert contender.rounds() == 3


def test_the_ratio_is_that_of_the_rounds_and_not_of_the_medians() -> None:
    own = Contender("own", always(1.0), [1.0, 4.0, 1.0, 0.0])
    other = Contender("other", always(1.0), [2.0, 4.0, 8.0, 9.0])
    assert rounds.ratio(own, other) == 2.0


# ---------------------------------------------------------------- verification


def right(computed: Work) -> Array:
    return correlate64(computed.image, computed.mask, "zero").astype(np.float32)


def test_a_right_output_is_within_its_bound() -> None:
    computed = work.correlate(5, 200, 60)
    assert 0 < Verifier(computed).error(right(computed)) <= 1


@pytest.mark.parametrize("row", [0, 199])
def test_first_and_last_rows_are_always_compared(row: int) -> None:
    computed = work.correlate(5, 200, 60)
    out = right(computed)
    out[row, 7] *= 1.001
    assert Verifier(computed).error(out) > 1


def test_a_single_wrong_pixel_anywhere_is_found_beside_a_right_output() -> None:
    computed = work.correlate(3, 400, 50)
    verifier, out = Verifier(computed), right(computed)
    assert verifier.error(out) <= 1
    for row in range(0, 400, 13):
        wrong = out.copy()
        wrong[row, 17] *= 1.001
        assert verifier.error(wrong) > 1, row
        wrong[row, 17] = np.nan
        assert verifier.error(wrong) == WRONG, row


def test_rounded_factors_pass_only_where_tf32_is_allowed() -> None:
    computed = work.correlate(3, 64, 64)
    cut = computed.image.view(np.uint32) & np.uint32(0xFFFFE000)
    rounded = correlate64(cut.view(np.float32), computed.mask, "zero").astype(np.float32)
    verifier = Verifier(computed)
    assert verifier.error(right(computed)) <= 1
    assert verifier.error(rounded) > 1
    assert verifier.error(rounded, tf32=True) <= 1
    assert verifier.error(rounded * np.float32(1.01), tf32=True) > 1


def test_grey_must_be_exact() -> None:
    computed = work.grey(64, 32)
    value = (computed.image.astype(np.int64) @ np.array(work.WEIGHTS) + 16384) >> 15
    out = value.astype(np.uint8)
    verifier = Verifier(computed)
    assert verifier.error(out) == 0
    out[30, 3] ^= 1
    assert verifier.error(out) == WRONG


@pytest.mark.parametrize(
    ("made", "least_bytes", "multiply_adds"),
    [
        (lambda: work.correlate(13, 64, 32), 2 * 64 * 32 * 4 + 169 * 4, 64 * 32 * 169),
        (lambda: work.lines(17, 64, 32), 2 * 64 * 32 * 4 + 34 * 4, 64 * 32 * 34),
        (lambda: work.separable(17, 64, 32), 2 * 64 * 32 * 4 + 289 * 4, 64 * 32 * 34),
        (lambda: work.polyphase(13, 64, 32), 2 * 64 * 32 * 4 + 4 * 169 * 4, 64 * 32 * 169),
        (
            lambda: work.convolution(3, 5, 7, 8, "float64"),
            (5 * 64 + 7 * 64 + 7 * 5 * 9) * 8,
            7 * 64 * 45,
        ),
        (lambda: work.grey(64, 32), 4 * 64 * 32 + 12, 3 * 64 * 32),
    ],
)
def test_traffic_and_multiply_adds(
    made: Callable[[], Work], least_bytes: int, multiply_adds: int
) -> None:
    assert (made().bytes, made().multiply_adds) == (least_bytes, multiply_adds)


# ---------------------------------------------------------------- a case


def measured_case(*programs: Program, missing: dict[str, str] | None = None) -> Case:
    """The case of three programs on a stub clock: a call takes as long as its name is."""
    computed = work.correlate(3, 64, 64)
    limits = Limits(copy=always(1e6), rate=1e9, rate_of="float")
    (one,) = case.measure(
        computed,
        programs,
        limits,
        lambda call, _: {"reference": 4e6, "expert": 1e6, "CuPy": 2e6}[str(call())],
        Effort(3, 1e9),
        missing or {},
    )
    return one


def program(who: str, factor: float = 1.0) -> Program:
    owner = ("lab4", "D") if who in ("reference", "expert") else None
    out = right(work.correlate(3, 64, 64)) * np.float32(factor)
    return Program(who, lambda: who, lambda: out, owner)


def test_a_case_has_times_and_ratios_to_the_reference() -> None:
    one = measured_case(program("expert"), program("reference"), program("CuPy"))
    assert (one.lab, one.part, one.work) == ("lab4", "D", "3x3 on 64x64")
    assert {e.who: (e.ns, e.ratio) for e in one.entries} == {
        "copy": (1e6, 4),
        "expert": (1e6, 4),
        "reference": (4e6, 1),
        "CuPy": (2e6, 2),
    }
    assert (one.floor_ns, one.bound) == (1e6, "bandwidth")


def test_floor_is_the_longer_of_memory_and_arithmetic() -> None:
    computed = work.correlate(13, 64, 64)
    limits = Limits(copy=always(10.0), rate=1e9, rate_of="float")
    only = Program("reference", lambda: None, lambda: right(computed), ("lab4", "D"))
    (one,) = case.measure(computed, [only], limits, always(1e6), Effort(1, 1e9), {})
    assert (one.floor_ns, one.bound) == (64 * 64 * 169, "float")


def test_a_wrong_result_has_no_time_and_says_so() -> None:
    one = measured_case(program("reference"), program("expert", factor=1.01))
    entry = one.entry("expert")
    assert entry is not None
    assert entry.ns is None
    assert entry.note.startswith("wrong result: ")
    assert "times the bound" in entry.note


def test_a_program_that_fails_is_named_with_the_reason() -> None:
    def result() -> Array:
        raise ValueError("no such shape")

    failing = Program("CuPy", lambda: None, result)
    one = measured_case(program("reference"), failing, missing={"cuDNN": "no PyTorch here"})
    notes = {e.who: e.note for e in one.entries}
    assert notes["CuPy"] == "failed: ValueError: no such shape"
    assert notes["cuDNN"] == "no PyTorch here"


# ---------------------------------------------------------------- results and pages


def a_run(**changes: object) -> Run:
    entries = [
        Entry("copy", 4e4, 2.5, 15),
        Entry("baseline", 1e6, 0.1, 15, 0.5),
        Entry("reference", 1e5, 1.0, 15, 0.25),
        Entry("expert", 4.2e4, 2.38, 15, 0.3),
        Entry("cuDNN", 1.516e6, 0.066, 15, 0.1),
        Entry("cuDNN TF32", 2e4, 5.0, 15, 0.9),
        Entry("CuPy", note="no such module"),
    ]
    one = Case("lab4", "D", "13x13 on 4096x4096", 2**27, 10**9, 4e4, "bandwidth", entries)
    curve = Curve("gpu-mask", "masks", "side", "ms", [Line("expert", [(3.0, 0.5), (17.0, 4.0)])])
    run = Run(
        results.FORMAT,
        "gpu",
        "2026-01-02",
        "python -m labs.studies.bench gpu",
        {"name": "a GPU"},
        {"Python": "3.12"},
        {"CuPy": "no such module"},
        {"float": 3e13},
        [one],
        [curve],
    )
    return msgspec.structs.replace(run, **changes)


def test_a_run_is_written_and_read_again(tmp_path: Path) -> None:
    results.write(a_run(), tmp_path)
    assert results.names(tmp_path) == ["gpu"]
    assert results.read("gpu", tmp_path) == a_run()


def test_a_second_machine_has_a_run_of_its_own(tmp_path: Path) -> None:
    later = a_run(date="2026-02-01", machine={"name": "another GPU"})
    results.write(a_run(), tmp_path)
    results.write(later, tmp_path, "another")
    assert results.names(tmp_path) == ["gpu", "gpu-another"]
    first, second = (results.read(name, tmp_path) for name in results.names(tmp_path))
    assert first == a_run()
    assert (second.date, second.cases) == (later.date, later.cases)
    assert [curve.name for curve in (*first.curves, *second.curves)] == [
        "gpu-mask",
        "gpu-mask-another",
    ]
    page = pages.page([a_run(), later])
    assert "## `make bench-gpu`: a GPU\n" in page
    assert "## `make bench-gpu`: another GPU\n" in page


@pytest.mark.parametrize(
    ("options", "file"), [([], "gpu.json"), (["--machine", "h2"], "gpu-h2.json")]
)
def test_a_run_is_written_where_the_command_says(
    options: list[str], file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "runs", lambda *_: [a_run()])
    command = ["labs.studies.bench", "gpu", "--out", str(tmp_path), *options]
    monkeypatch.setattr(sys, "argv", command)
    assert bench_command.main() == 0
    assert [path.name for path in tmp_path.glob("*.json")] == [file]


@pytest.mark.parametrize("name", ["../h100", "a b", "H100"])
def test_a_machine_has_a_name_that_a_file_can_have(name: str) -> None:
    command = [sys.executable, "-m", "labs.studies.bench", "gpu", "--machine", name]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is not made of small letters and digits" in done.stderr


def test_malformed_runs_are_refused(tmp_path: Path) -> None:
    document = msgspec.to_builtins(a_run())
    for change in ({"format": "other/v1"}, {"kind": "cpu"}, {"surplus": 1}):
        (tmp_path / "gpu.json").write_text(json.dumps(document | change))
        with pytest.raises(ValueError, match=r"is not a|unknown field"):
            results.read("gpu", tmp_path)


@pytest.mark.parametrize(("floor", "known"), [(4.3e4, True), (5e4, False)])
def test_a_floor_that_a_program_goes_below_is_not_known(floor: float, known: bool) -> None:
    """The expert takes 42 us. A copy or a TF32 result that takes less says nothing of the floor."""
    run = a_run()
    case = msgspec.structs.replace(run.cases[0], floor_ns=floor)
    run = msgspec.structs.replace(run, cases=[case])
    assert (f"| {floor / 1e3:.1f} | bandwidth |" in pages.page([run])) == known
    assert ("| not known [1] |  |" in pages.page([run])) == (not known)
    assert ("| not known |" in pages.table_of_readme([run])) == (not known)


def test_committed_pages_match_the_committed_runs() -> None:
    assert pages.update(check=True) == []


def test_a_stale_page_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(pages, "runs", lambda: [a_run(curves=[])])
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    assert len(pages.update(check=True)) == 1
    assert not (tmp_path / "RESULTS.md").exists()
    pages.update(check=False)
    assert pages.update(check=True) == []
    assert "42.0 (2.38)" in (tmp_path / "RESULTS.md").read_text()


# ---------------------------------------------------------------- the labs' own functions


@pytest.mark.slow("the functions of all labs are built")
def test_the_labs_functions_on_the_cpu() -> None:
    bench = cpu.Bench(cpu.LABS, {})
    missing = {"OpenCV": "not asked for"}
    measured = list(cpu.cases(bench, cpu.SMALL, cpu.LABS, missing))
    assert {(one.lab, one.part) for one in measured} >= {("lab1", "B"), ("lab8", "D")}
    for one in measured:
        entries = {entry.who: entry for entry in one.entries}
        if one.lab == "lab1":
            assert entries["OpenCV"].note == "not asked for"
        for who in {"baseline", "reference", "expert"} & set(entries):
            assert entries[who].ns, (one, entries[who].note)
            assert (entries[who].error or 0) <= 1


def test_arguments_of_every_part_are_described() -> None:
    from labs.studies.bench.host import HostImages

    known = set(HostImages(work.lines(3, 8, 8)).values(0)) | {"between"}
    tables = [parts.LAB1, parts.LAB2, parts.LAB3, parts.LAB4, parts.LAB5, parts.LAB6, parts.LAB8]
    chosen = [part for table in tables for part in table.values()]
    for part in [
        *chosen,
        *parts.LAB7.values(),
        *parts.LAB8_HOST.values(),
        parts.LAB8_KERNEL,
    ]:
        calls = (part.call, part.prepare, part.baseline, part.baseline_prepare)
        for call in calls:
            assert set(call.split()[1:]) <= known, call


ON_SIMULATOR = """
import sys
from labs.studies.bench import gpu
lab, side = sys.argv[1:]
bench = gpu.Bench("sim", [lab], {}, (side,))
for one in gpu.cases(bench, gpu.SMALL, [lab], {}):
    entry = one.entry(side)
    print(one.lab, one.part, bool(entry and entry.ns), entry and entry.note)
"""
PARTS = {"lab2": "AD", "lab3": "AB", "lab4": "ABCD", "lab5": "ABC", "lab6": "ABC", "lab7": "ABC"}
OF_EXPERTS = {"lab4": "D", "lab5": "C", "lab7": "C"}
SIMULATED = [
    (lab, side)
    for lab in gpu.LABS
    for side in ("baseline", "reference", "expert")
    if sides.sources(lab, side, ".cu")
]


@pytest.mark.slow("the functions of all labs are built")
@pytest.mark.parametrize(("lab", "side"), SIMULATED)
def test_the_labs_functions_on_the_simulator(lab: str, side: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ON_SIMULATOR, lab, side],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split(maxsplit=2) for line in done.stdout.splitlines() if line.startswith("lab")]
    shown = {(part, rest.strip()) for _, part, rest in lines}
    if lab == "lab8":
        assert len(lines) == 4
        assert all("True" in rest for _, _, rest in lines)
    else:
        timed = OF_EXPERTS[lab] if side == "expert" else PARTS[lab]
        assert {part for part, said in shown if said == "True"} == set(timed)
        assert {said for _, said in shown} <= {"True", "False None"}


@pytest.mark.slow("the functions of all labs are built")
def test_gpu_programs_compile(real_nvcc: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(real_nvcc).parent), prepend=os.pathsep)
    monkeypatch.setenv("GPU_ARCH", "sm_90")
    sides.make("bench-device", *sides.architecture())
    built = sides.build([("lab3", side, ".cu") for side in ("baseline", "reference")], "gpu")
    assert {side for _, side in built} == {"baseline", "reference"}
    assert all(path.exists() for path in built.values())


def test_a_source_that_does_not_build_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = paths.BUILD / "bench" / "broken.c"
    broken.parent.mkdir(parents=True, exist_ok=True)
    broken.write_text("this is no C\n")
    monkeypatch.setattr(sides, "sources", lambda *_: broken)
    monkeypatch.setattr(sides, "FOLDER", broken.parent / tmp_path.name)
    with pytest.raises(sides.BuildError, match="bench-side"):
        sides.build([("lab1", "reference", ".c")], "cpu")


# ---------------------------------------------------------------- a run


def case_of(part: str) -> Case:
    return Case("lab4", part, "work", 1, 1, 1.0, "bandwidth", [Entry("reference", 1.0, 1.0, 1)])


@pytest.fixture
def two_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which there are two cases and one curve."""
    curve = Curve("some", "images", "side", "ms", [Line("reference", [(1.0, 1.0)])])
    monkeypatch.setattr(
        measure,
        "_cpu",
        lambda _: measure._Start(
            {"processor": "some"},
            {"OpenCV": "5"},
            {"SciPy": "not installed"},
            {"float": 1e9},
            iter([case_of("A"), case_of("B")]),
            iter([curve]),
        ),
    )


@pytest.mark.usefixtures("two_cases")
def test_run_is_saved_after_each_result_and_lists_what_is_missing() -> None:
    found = list(measure.runs("cpu", measure.Plan()))
    assert [(len(run.cases), len(run.curves)) for run in found] == [(1, 0), (2, 0), (2, 1), (2, 1)]
    assert found[0].missing["the rest"] == "the run ended after lab4 A, work"
    assert found[-1].missing == {"SciPy": "not installed"}
    assert found[-1].versions["OpenCV"] == "5"


@pytest.mark.usefixtures("two_cases")
def test_a_run_ends_when_its_seconds_are_over() -> None:
    (only,) = measure.runs("cpu", measure.Plan(seconds=0))
    assert [one.part for one in only.cases] == ["A"]
    assert only.missing["the rest"] == "the run ended after lab4 A, work"


@pytest.mark.usefixtures("two_cases")
def test_a_run_without_curves() -> None:
    assert list(measure.runs("cpu", measure.Plan(curves=False)))[-1].curves == []


def test_times_of_several_threads_count_only_on_quiet_cores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host, "_cores_lost", lambda: 0)
    clock = QuietClock(cast("Host", SimpleNamespace(library={"calibrate_threads": Mock()})), 2)
    answers = iter([False, True, False, True, True])
    clock.quiet = lambda: next(answers)  # type: ignore[method-assign]
    calls: list[int] = []
    assert clock(lambda: calls.append(1), 3) > 0
    assert len(calls) == 12  # the third time it was quiet before and after; one call each warms up
    assert (clock.measured, clock.disturbed) == (1, 0)
    clock.quiet = lambda: False  # type: ignore[method-assign]
    clock(lambda: None, 1)
    assert (clock.measured, clock.disturbed) == (2, 1)


def test_a_time_does_not_count_when_another_program_took_a_core(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = QuietClock(cast("Host", SimpleNamespace(library={"calibrate_threads": Mock()})), 2)
    clock.quiet = lambda: True  # type: ignore[method-assign]
    lost = iter([0, 1, 5, 5])
    monkeypatch.setattr(host, "_cores_lost", lambda: next(lost))
    calls: list[int] = []
    clock(lambda: calls.append(1), 1)
    assert (len(calls), clock.disturbed) == (4, 0)


def test_busy_machine_has_no_thread_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QuietClock, "__call__", busy)
    monkeypatch.setattr(cpu, "Effort", lambda **_: Effort(1, 1e6))
    missing: dict[str, str] = {}
    bench = cpu.Bench(["lab1"], {})
    names = [curve.name for curve in cpu.scaling(bench, cpu.SMALL, ["lab1"], missing)]
    assert names == ["cpu-image", "cpu-mask"]
    assert missing == {"curve cpu-threads": "other programs used the cores: at 1 thread(s)"}


def busy(clock: QuietClock, call: Callable[[], object], _: int) -> float:
    clock.measured += 1
    clock.disturbed += 1
    call()
    return 1e6
