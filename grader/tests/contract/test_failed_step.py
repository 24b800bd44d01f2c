"""A runner's status of a step decides whether the contract is broken."""

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from grader.contract import arrays, play, prepared
from grader.contract.failed_step import Failure, find_failure, tell_failed_call
from grader.contract.play import Played, Player, Result, StepStatus
from grader.contract.prepared import Prepared
from grader.contract.script import Slot
from grader.contract.step import Failing, Step
from grader.model import spec
from grader.model.finding import Finding
from grader.model.lab import Contract, Lab
from grader.oracle import compare, disk_cache
from grader.oracle.inputs import Inputs
from grader.oracle.operations import Array

STEP = Step("B", 4, 3, 1, "zero", seed=5)


def lab_and(part: str, lab_id: str = "lab2") -> tuple[Lab, Contract]:
    lab = spec.load(lab_id)
    return lab, next(c for c in lab.contract if c.part == part)


def right(player: Player, step: Step) -> Array:
    contract = player.contract
    return prepared.expected(player.operation(step), contract.exact, step).value.astype(np.float32)


Said = dict[str, str | int]


def judged(
    said: Said | None = None, step: Step = STEP, output: Array | None = None, part: str = "B"
) -> str:
    """The name of the failure of one step of which the runner said that, "" for none."""
    player = Player(*lab_and(part), Path(), Path())
    got = right(player, step) if output is None else output
    status = msgspec.convert({"step": 0, **(said or {})}, StepStatus)
    failure = find_failure(player, Played((step,), [Result(status, got)], "completed"))
    if failure:
        assert all(failure.lines)
        assert failure.lines or failure.comparison
    return failure.name if failure else ""


def untouched() -> Array:
    words = np.full((3, 4), compare.SIGNALLING[4], dtype=np.uint32)
    return words.view(np.float32)


def test_correct_step_is_accepted() -> None:
    assert judged() == ""


@pytest.mark.parametrize(
    ("status", "name"),
    [
        ({"guards": "written after"}, "wrote-outside"),
        ({"changed": "image"}, "changed-input"),
        ({"returned": 2, "error": "f() returned"}, "returned-error"),
        ({"returned": -1, "error": "f() launched in another stream"}, "rejected"),
        ({"left": "1 stream"}, "leak"),
    ],
)
def test_runner_status_names_the_failure(status: Said, name: str) -> None:
    assert judged(status) == name


def test_one_wrong_element_fails_the_step() -> None:
    player = Player(*lab_and("B"), Path(), Path())
    output = right(player, STEP)
    output[2, 3] += 0.01
    assert judged(output=output) == "wrong-output"


FAILING = replace(STEP, failing=Failing(3, 214))


@pytest.mark.parametrize(("failed", "name"), [("launch", "old-error"), ("", "returned-error")])
def test_unread_launch_error_surfaces_in_the_next_call(failed: str, name: str) -> None:
    player = Player(*lab_and("B"), Path(), Path())
    first = StepStatus(0, returned=214 if failed else 0, failed_call=failed, error="f() returned e")
    then = StepStatus(1, returned=214, error="f() returned e")
    results = [Result(status, right(player, STEP)) for status in (first, then)]
    before = FAILING if failed else STEP
    failure = find_failure(player, Played((before, STEP), results, "completed"))
    assert failure and (failure.index, failure.name) == (1, name)


@pytest.mark.parametrize("threw", [True, False])
def test_a_host_without_memory_for_an_image_that_no_memory_holds(threw: bool) -> None:
    player = Player(*lab_and("B"), Path(), Path())
    huge = replace(STEP, huge=(1 << 30, 65_535))
    ended = Played((huge, STEP), [], "stopped", "crashed", "abort()", no_memory=threw)
    assert (find_failure(player, ended) is None) == threw
    small = replace(ended, sequence=(STEP, huge))
    assert find_failure(player, small) is not None


@pytest.mark.parametrize(
    ("status", "name"),
    [
        ({"failed_call": ""}, ""),  # it was not reached
        ({"failed_call": "cudaMalloc", "returned": 214, "error": "x"}, ""),
        ({"failed_call": "cudaMalloc", "returned": 0}, "error-not-checked"),
        ({"failed_call": "launch", "returned": 0}, "error-not-checked"),
        ({"failed_call": "cudaMalloc", "returned": 2, "error": "x"}, "another-error"),
        ({"failed_call": "cudaMemcpy", "returned": 214, "left": "1 stream"}, "leak-on-error"),
        ({"failed_call": "cudaMemcpy", "returned": -1, "error": "x"}, "leak-on-error"),
        ({"failed_call": "cudaFree", "returned": -1, "error": "x"}, "rejected"),
        (
            {"failed_call": "cudaFree", "returned": -1, "error": "x", "left": "1 event"},
            "leak-on-error",
        ),
        ({"failed_call": "cudaFree", "returned": 0}, ""),
        ({"failed_call": "cudaFreeAsync", "returned": 0}, ""),
        ({"failed_call": "cudaFree", "returned": 214, "error": "x"}, ""),
        ({"failed_call": "cudaFree", "returned": 0, "left": "1 event"}, "leak-on-error"),
        ({"failed_call": "cudaGetDevice", "returned": 0}, ""),
        ({"failed_call": "cudaStreamSynchronize", "returned": 0}, "error-not-checked"),
    ],
)
def test_after_a_call_that_failed(status: Said, name: str) -> None:
    assert judged(status, FAILING) == name


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ({"failed_call": "cudaMalloc", "failed_line": 7}, "code, cudaMalloc() at line 7, was made"),
        ({"failed_call": "launch"}, "code, a kernel launch, was made to fail"),
        (None, "code was made to fail"),  # the program ended in it
    ],
)
def test_injected_failure_is_reported_first(status: Said | None, words: str) -> None:
    said = msgspec.convert({"step": 0, **(status or {})}, StepStatus)
    results = [Result(said, untouched())] if status else []
    assert words in tell_failed_call(Played((FAILING,), results, "completed"), 0)
    assert tell_failed_call(Played((STEP,), results, "completed"), 0) == ""


def test_a_query_that_failed_must_still_give_the_right_result() -> None:
    wrong = np.zeros((3, 4), dtype=np.float32)
    assert judged({"failed_call": "cudaGetDevice"}, FAILING, wrong) == "wrong-output"


def test_a_refused_call_writes_nothing() -> None:
    refused = replace(STEP, part="C", refuse=3)
    assert judged(None, refused, untouched(), "C") == ""
    written = untouched()
    written[0, 0] = 0
    assert judged(None, refused, written, "C") == "refused-but-wrote"


def test_other_bits_with_other_threads() -> None:
    player = Player(*lab_and("C", "lab1"), Path(), Path())
    step = replace(STEP, part="C", threads=1)
    one = right(player, step)
    other = one.copy()
    other[1, 2] = np.nextafter(other[1, 2], np.float32(9))
    statuses = [StepStatus(step=0), StepStatus(step=1)]
    for second, name in ((one, None), (other, "depends-on-threads")):
        played = Played(
            (step, replace(step, threads=7)),
            [Result(statuses[0], one), Result(statuses[1], second)],
            "completed",
        )
        failure = find_failure(player, played)
        assert (failure.name if failure else None) == name


def test_a_program_that_was_stopped() -> None:
    player = Player(*lab_and("B"), Path(), Path())
    good = Result(StepStatus(step=0), right(player, STEP))
    crashed = Played(
        (STEP, STEP), [good], "stopped", "crashed", "crashed", "read memory past the end of image"
    )
    failure = find_failure(player, crashed)
    assert failure
    assert (failure.index, failure.name) == (1, "out-of-bounds")
    assert failure.lines[0] == "your function read memory past the end of image"
    unchecked = find_failure(player, replace(crashed, sequence=(STEP, FAILING)))
    assert unchecked and unchecked.lines[1:] == failure.lines
    assert "call number 3" in unchecked.lines[0]
    assert "made to fail with cudaErrorECCUncorrectable" in unchecked.lines[0]


@pytest.mark.parametrize(
    ("status", "name"),
    [
        ({"returned": 2, "error": "f() returned cudaErrorMemoryAllocation"}, ""),
        ({"returned": 999, "error": "f() returned cudaErrorUnknown"}, "another-error"),
        ({"returned": 0}, "another-error"),
        ({"returned": 2, "error": "x", "left": "1 event"}, "leak-on-error"),
        ({"returned": 2, "error": "x", "changed": "image"}, "changed-input"),
    ],
)
def test_an_image_too_large_for_memory(status: Said, name: str) -> None:
    assert judged(status, replace(FAILING, huge=(1 << 30, 65535))) == name


@pytest.mark.parametrize(
    ("end", "kind", "fault", "name"),
    [
        ("stopped", "crashed", "read memory past the end of image", ""),
        ("stopped", "crashed", "", ""),
        ("stopped", "timeout", "", "timeout"),
        ("completed", "", "", "pixels-left-out"),
    ],
)
def test_a_call_that_no_function_can_return_from(
    end: play.End, kind: str, fault: str, name: str
) -> None:
    lab, contract = lab_and("B", "lab8")
    step = Step("B", 4, 1, mask="none", type="u1", weights="709", huge=(1 << 16, 1 << 16))
    results = [Result(StepStatus(0), np.zeros((1, 4), np.uint8))] if end == "completed" else []
    played = Played((step,), results, end, kind, "ended", fault)
    failure = find_failure(Player(lab, contract, Path(), Path()), played)
    assert (failure.name if failure else "") == name
    with_memory = replace(played, sequence=(replace(step, huge=None),))
    assert find_failure(Player(lab, contract, Path(), Path()), with_memory)


def test_a_finding_belongs_to_its_step() -> None:
    player = Player(*lab_and("B"), Path(), Path())
    results = [Result(StepStatus(step=i), right(player, STEP)) for i in range(3)]
    finding = Finding("out-of-bounds", "nowhere", file="x.cu", line=3, step=1)
    played = Played((STEP,) * 3, results, "completed", findings=[finding])
    failure = find_failure(player, played)
    assert failure
    assert (failure.index, failure.name) == (1, "out-of-bounds")
    note = replace(played, findings=[Finding("leak", "event", severity="note", step=1)])
    assert find_failure(player, note) is None
    at_end = replace(played, findings=[Finding("leak", "sanitizer", bytes=4)])
    late = find_failure(player, at_end)
    assert late
    assert (late.index, late.name) == (2, "leak")


def test_a_refused_launch_says_why_the_function_returned_its_error() -> None:
    player = Player(*lab_and("B"), Path(), Path())
    status = StepStatus(0, returned=1, error="f() returned cudaErrorInvalidValue")
    notes = [
        Finding("invalid-launch", "shared", severity="note", step=0, kernel="k"),
        Finding("invalid-launch", "stream", severity="note", step=1),
        Finding("exchange", severity="note", step=0),
    ]
    played = Played((STEP,), [Result(status, right(player, STEP))], "completed", findings=notes)
    failure = find_failure(player, played)
    assert failure
    assert failure.lines == ("f() returned cudaErrorInvalidValue", notes[0].render())
    passing = replace(played, results=[Result(StepStatus(0), right(player, STEP))])
    assert find_failure(player, passing) is None
    copied = [Finding("invalid-copy", "elements", severity="note", step=0, bytes=9)]
    wrong = Result(StepStatus(0), right(player, STEP) + 1)
    failure = find_failure(player, replace(played, results=[wrong], findings=copied))
    assert failure and failure.lines == (copied[0].render(),)


@pytest.mark.parametrize(
    ("kind", "case", "shown", "says"),
    [
        ("wrong-space", "free-unknown", "cudaFree()", "past the end of an array"),
        ("leak", "graph", "cudaGraphDestroy()", "cudaDeviceReset()"),
    ],
)
def test_finding_in_grader_files_is_described_in_words(
    kind: str, case: str, shown: str, says: str
) -> None:
    player = Player(*lab_and("B"), Path(), Path())
    result = Result(StepStatus(0), right(player, STEP))

    def of(file: str) -> Failure:
        finding = Finding(kind, case, call="cudaFree", file=file)
        played = Played((STEP,), [result], "completed", findings=[replace_step(finding)])
        failure = find_failure(player, played)
        assert failure
        return failure

    ours = of("labs/runtime/runner/device_case.c")
    assert ours.name == "wrote-outside"
    assert says in ours.lines[0]
    students = of("work/global_memory.cu")
    assert students.name == kind
    assert shown in students.lines[0]


def replace_step(finding: Finding) -> Finding:
    return msgspec.structs.replace(finding, step=0)


@pytest.mark.parametrize("name", ["data.bin", "values.npy", "slots.json"])
def test_truncated_cache_file_is_rebuilt(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_cache, "FOLDER", tmp_path)
    first = prepared.prepare_drawn(*lab_and("B"), (STEP,), tmp_path)
    file = first.folder / name
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    again = prepared.prepare_drawn(*lab_and("B"), (STEP,), tmp_path)
    assert again.folder == first.folder and file.read_bytes() == whole


def test_cache_of_a_concurrent_grader_survives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs a program on these files, after the first has seen that there are none."""
    monkeypatch.setattr(disk_cache, "FOLDER", tmp_path)
    look, others = prepared._cached_slots, list[Prepared]()

    def other_is_faster(place: Path) -> list[Slot] | None:
        monkeypatch.setattr(prepared, "_cached_slots", look)
        found = look(place)
        others.append(prepared.prepare_drawn(*lab_and("B"), (STEP,), tmp_path))
        return found

    monkeypatch.setattr(prepared, "_cached_slots", other_is_faster)
    removed: list[Path] = []
    monkeypatch.setattr("shutil.rmtree", lambda path, **_: removed.extend(path.glob("slots.json")))
    mine = prepared.prepare_drawn(*lab_and("B"), (STEP,), tmp_path)
    assert others[0].folder == mine.folder and mine.folder / "slots.json" not in removed


@pytest.mark.parametrize("reason", ["too large", "no room"])
def test_uncached_inputs_are_made_once(
    reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Step] = []

    def count(step: Step) -> Inputs:
        made.append(step)
        return arrays.inputs(step)

    monkeypatch.setattr(disk_cache, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(prepared, "_new_inputs", count)
    monkeypatch.setattr(prepared, "MOST_IN_MEMORY", 0)
    if reason == "too large":
        monkeypatch.setattr(prepared, "MOST_GIVEN", 0)
    else:
        (tmp_path / "kept").touch()
    given = prepared.prepare_drawn(*lab_and("B"), (STEP,), tmp_path)
    assert given.folder == tmp_path and (tmp_path / "data.bin").exists()
    assert given.expected(0).value.shape == (STEP.height, STEP.width)
    assert made == [STEP]
