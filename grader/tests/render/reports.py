"""Gradings and pages for the tests of the report."""

from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from grader import paths
from grader.execute.backend import machine
from grader.execute.profile import Kernel, LineCounters, Profile
from grader.grading import pipeline, score
from grader.model import result, spec
from grader.model import submission as submissions
from grader.model.counters import Counters
from grader.model.prediction import LineShare, Prediction, Ratio
from grader.model.result import Check, Result
from grader.model.submission import Submission
from grader.predict.references import references
from grader.render import html
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.session.report_data import ReportData, Traced
from grader.tests.known_submissions import entries
from grader.tests.made_results import made
from grader.timing.statistics import Timings

HOSTILE = "</pre></style><script>alert(1)</script><img src=//x.invalid onerror=alert(2)>&quot;'"


@cache
def wrong() -> tuple[Result, ReportData]:
    """Part B of lab 4 without the left apron: public cases fail, and a hidden one."""
    entry = entries.find("lab4/apron-left-missing")
    submission = submissions.find(spec.load("lab4"), str(entries.write(entry)))
    report = ReportData(submission)
    grade = pipeline.grade(
        plan_for(submission.lab, "sim", "B "), submission, Observer(), report=report
    )
    return grade, report


def slow(lab_id: str = "lab1") -> tuple[Result, ReportData]:
    """A grade of a lab with invented times: solution 1 ms, student 2 ms, baseline 30 ms."""
    lab = spec.load(lab_id)
    submission = submissions.find(lab, str(paths.ROOT / "solutions"))
    report = ReportData(submission)
    random = np.random.default_rng(1)
    rounds = np.array([2e6, 3e7, 1e6, 1e6]) * random.normal(1, 0.03, (60, 4))
    rounds[::7, 1] = np.nan
    checks = []
    for speed in lab.speed:
        report.timed(speed, Timings(rounds, copy_ns=6e4, mac_rate=1.2e11))
        details = {"ratio": 0.5, "ratio_low": 0.48, "ratio_high": 0.52}
        name = lab.id_of(speed)
        checks.append(
            Check(
                name,
                speed.name,
                "speed",
                "fail",
                max_points=speed.points,
                part=speed.part,
                message=["slow"],
                details=details,
            )
        )
    return graded(report, checks), report


def predicted() -> tuple[Result, ReportData]:
    """A grade of lab 4 without a GPU: two predictions, one of them with a line, and none for D."""
    lab = spec.load("lab4")
    report = ReportData(Submission(lab, Path(), "mine", dict.fromkeys(lab.submit, b"x\n"), []))
    found = []
    for speed in lab.speed:
        check = lab.id_of(speed)
        known = references().checks[check]
        assert known.baseline is not None
        found.append(
            Prediction(
                check,
                "NVIDIA H200",
                time=known.baseline,
                ratio=Ratio(0.6, 0.3, 0.9),
                line=LineShare("shared_tile.cu", 96, 0.5) if speed.part == "B" else None,
                solution=known.solution,
                baseline=known.baseline,
            )
            if speed.part != "D"
            else Prediction(check, "NVIDIA H200", reason="your program crashed")
        )
    checks = [Check("lab4/B/x", "x", "correct", "pass", 5, 5, "B")]
    return msgspec.structs.replace(graded(report, checks), predictions=found), report


def hostile() -> tuple[Result, ReportData]:
    """A grade with HOSTILE in all that a student can choose: file, source, kernel, messages."""
    lab = spec.load("lab4")
    name = lab.submit[0]
    shown = HOSTILE.replace("/", "|")
    content = f"{HOSTILE}\n" * 9
    submission = Submission(lab, Path(), shown, {name: content.encode()}, [])
    report = ReportData(submission)
    counted = Counters(global_load_sectors=9, global_load_lanes=8, dram_bytes=64)
    lines = [LineCounters(f"{shown}/{name}", 2, counted)]
    kernel = Kernel(0, HOSTILE, (1, 1, 1), (32, 1, 1), 1, 1, True, counted, 1.0, lines)
    report.runs["x"] = Traced([HOSTILE], "B", True, Profile([kernel]), [], 64, 640)
    check = Check("lab4/B/x", "x", "correct", "fail", message=[HOSTILE, f"    {HOSTILE}"], part="B")
    bad = Prediction("lab4/D/x", HOSTILE, reason=HOSTILE)
    return msgspec.structs.replace(graded(report, [check]), predictions=[bad]), report


def graded(report: ReportData, checks: list[Check]) -> Result:
    """A result with these checks."""
    lab = report.submission.lab
    marks = score.score(plan_for(lab, "sim", timed=False), checks)
    files = [
        result.GradedFile(f"{report.submission.shown}/{name}", "0" * 64)
        for name in report.submission.contents
    ]
    return made(lab.id, checks, marks, title=lab.title, files=files, machine=machine("sim"))


def without_seconds(grade: Result) -> bytes:
    """A grade as JSON, without what differs from run to run."""
    checks = [msgspec.structs.replace(check, seconds=0) for check in grade.checks]
    return result.to_json(msgspec.structs.replace(grade, checks=checks))


def page(graded: tuple[Result, ReportData]) -> str:
    return html.page(*graded)
