"""`./grade labN --step`: which check and block it opens, and where the command is named."""

import base64
import gzip
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader import paths
from grader.execute.step_lines import Access
from grader.execute.steps import Recording
from grader.grading import stepping
from grader.model import spec
from grader.model.lab import CheckSpec, Lab
from grader.model.result import Check
from grader.tests import captured
from grader.tests.known_submissions import entries

pytestmark = pytest.mark.apart
DATA = re.compile(r'<script type="text/plain" id="data">(.*?)</script>')


def opened(entry: str, pattern: str, *more: str | Path) -> tuple[Recording, str]:
    """The recording in the page of a known submission, and what the grade printed."""
    lab = entry.split("/")[0]
    source = entries.write(entries.find(entry))
    options = ["--src", str(source), "-k", pattern, "--step", "--no-speed"]
    done = captured.grade(lab, *options, *more, timeout=300)
    page = re.search(r"step through it: (build/step/\S+\.html)", done.stdout)
    assert page, done.stdout + done.stderr
    file = paths.ROOT / page[1]
    assert file.stat().st_size <= 500_000
    (data,) = DATA.findall(file.read_text())
    packed = gzip.decompress(base64.b64decode(data))
    return msgspec.json.decode(packed, type=Recording), done.stdout


def line(recording: Recording) -> str:
    """The source line at which the page opens."""
    assert recording.focus
    file, number = recording.place(recording.steps[recording.focus.step])
    return recording.sources[file][number - 1] or ""


@pytest.mark.slow("a grade with the instrumented program")
def test_a_wrong_pixel_opens_at_its_store_with_the_missing_taps(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    recording, printed = opened("lab4/apron-left-missing", "tile: Ando 3x3", "--html", str(report))
    assert "-k 'tile: Ando 3x3' --step" in printed
    assert recording.head.index == (1, 0, 0) and "d_out[" in line(recording)
    assert recording.pixel and recording.pixel.index == "out[y=0][x=32]"
    missing = {(t.dx, t.dy) for t in recording.pixel.taps if t.step < 0}
    assert missing == {(-1, 0), (-1, 1)}
    assert all(tap.wanted for tap in recording.pixel.taps)
    assert re.search(r'href="file:///[^"]*/build/step/lab4-B-tile-Ando', report.read_text())


@pytest.mark.slow("a grade with the instrumented program")
def test_a_race_opens_at_both_threads() -> None:
    recording, printed = opened("lab4/barrier-missing", "B")
    assert recording.focus and recording.focus.other >= 0
    assert "data race" in recording.focus.words[0] and "--step" in printed


@pytest.mark.slow("a grade with the instrumented program")
@pytest.mark.parametrize(
    ("entry", "pattern", "source", "cost"),
    [
        ("lab4/poor-transposed-tile", "lanes read", "window[a * stride + b]", "meet in a bank"),
        ("lab2/poor-lanes-down-a-column", "neighbouring", "d_image[", "sectors"),
    ],
)
def test_a_technique_check_opens_at_its_worst_line(
    entry: str, pattern: str, source: str, cost: str
) -> None:
    recording, _ = opened(entry, pattern)
    assert recording.focus and source in line(recording) and cost in recording.focus.words[0]
    assert [limit.at_most for limit in recording.limits]


@pytest.mark.slow("a grade with the instrumented program")
def test_a_grid_with_idle_blocks_opens_an_idle_one() -> None:
    recording, _ = opened("lab5/poor-grid-by-threads", "row pass: each pixel")
    x, y, z = recording.head.grid
    assert recording.head.index == (x - 1, y - 1, z - 1)
    assert recording.focus and "blocks wrote nothing" in recording.focus.words[0]
    assert "this block is one of them" in recording.focus.words[1]
    accesses = [step for step in recording.steps if isinstance(step, Access)]
    assert accesses and not [s for s in accesses if (s.way, s.space) == ("store", "global")]


def _failed(lab: Lab, check: CheckSpec, **changes: Any) -> Check:
    line = Check(lab.id_of(check), check.name, check.kind, "fail", 0, 1, check.part)
    return msgspec.structs.replace(line, **changes)


def test_grade_names_the_step_command_for_failures() -> None:
    lab = spec.load("lab4")
    case = next(c for c in lab.case if c.name == "tile: Ando 3x3 on 97x61, zero border")
    asked = stepping.command(lab, _failed(lab, case), "sim", "./grade lab4")
    assert asked == "./grade lab4 -k 'tile: Ando 3x3' --step"
    assert not stepping.command(lab, _failed(lab, case, verdict="pass"), "sim", "")
    assert not stepping.command(lab, _failed(lab, case, diagnosis="returned-error"), "sim", "")
    injected = next(c for c in lab.case if c.inject)
    large = next(c for c in lab.case if c.name.startswith("tile: Ando 5x5 on 1920x1080"))
    others: list[CheckSpec] = [injected, lab.contract[0], lab.speed[0], large]
    assert not any(stepping.command(lab, _failed(lab, c), "sim", "") for c in others)
    elsewhere = _failed(lab, lab.safe[0], details={"in_call": True})
    assert not stepping.command(lab, elsewhere, "sim", "")
    assert stepping.command(lab, msgspec.structs.replace(elsewhere, details={}), "sim", "")
    in_c = spec.load("lab1")
    assert not stepping.command(in_c, _failed(in_c, in_c.case[0]), "cpu", "")


def test_step_explains_what_it_cannot_record() -> None:
    done = captured.grade("lab1", "--src", "solutions", "-k", "Ando 5x5 on 64x3", "--step")
    assert "no page to step through: no selected check runs kernels" in done.stdout
    assert done.returncode == 0
    lab = spec.load("lab4", hidden=True)
    hidden = next(c for c in lab.case if c.hidden)
    assert "hidden checks have no page" in stepping.no_page(lab, hidden, "sim")
    assert "generated calls" in stepping.no_page(lab, lab.contract[0], "sim")
    assert not stepping.no_page(lab, next(c for c in lab.case if not c.hidden), "sim")
