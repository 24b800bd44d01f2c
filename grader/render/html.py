"""The HTML report of a grade: one file, without scripts or links to the network."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jinja2

from grader.checks.speed_points import tiers
from grader.model import plain_text
from grader.model.result import Check, Result
from grader.render import (
    handout,
    images,
    index_link,
    page_templates,
    predicted_times,
    roofline,
    source_counters,
    timing_chart,
    warp_access,
)
from grader.render.sandbox import sandbox_in_words
from grader.render.terminal import points
from grader.session.report_data import Failure, ReportData

STYLE = page_templates.SHARED / "report.css"
KINDS = {
    "build": "Build",
    "correct": "Correct results",
    "safe": "Safe",
    "technique": "Technique",
    "speed": "Speed",
}
WORDS = {
    "pass": ("✓", "ok"),
    "fail": ("✕", "fail"),
    "uncertain": ("?", "unsure"),
    "error": ("!", "error"),
    "skip": ("–", "skip"),
}


# What a check saw, not why: which pixels differ, the first of them, and what the check is for.
SEEN = re.compile(
    r"    |\d+ of \d+ .* differ: |out\[|(?:this case|why|smallest case that fails|hint): "
)
UNWRITTEN = re.compile(r" (?:were never|was) written\b")  # seen, too, where a line explains it
AT_A_LINE = re.compile(r"\S+\.cu?:\d+")


@dataclass(frozen=True)
class Share:
    """The points that one kind of checks earned."""

    name: str
    earned: float
    most: float


@dataclass(frozen=True)
class Item:
    """A check and what the page shows with it."""

    check: Check
    sign: str
    word: str
    failure: Failure | None
    figures: list[images.Figure]
    section: handout.Section | None  # of the handout, about the mistake
    first: bool  # the first check that failed; its details are open
    step: str  # the command that steps through it, or ""
    step_page: str  # the address of the page that it made, or ""
    calculator: str | None  # see index_link.of_check()

    def lines(self) -> list[str]:
        """The check's message. The cause comes first, as it has been found; then what was seen."""
        lines = self.check.message
        causes = [line for line in lines if not SEEN.match(line)]
        if not causes:
            return lines
        named = [line for line in causes if AT_A_LINE.match(line)]
        cause = (named or causes)[0] if UNWRITTEN.search(causes[0]) else causes[0]
        return [cause, *(line for line in lines if line is not cause)]

    def has_cause(self) -> bool:
        failed = self.check.verdict == "fail"
        return failed and any(not SEEN.match(line) for line in self.check.message)


@dataclass(frozen=True)
class Steps:
    """The commands that step through checks, by their ids; and the page of one of them, if it has
    been made."""

    commands: Mapping[str, str] = field(default_factory=dict)
    check: str = ""
    file: Path | None = None


def page(
    result: Result,
    report: ReportData,
    on_this_machine: bool = False,
    steps: Steps | None = None,
    again: str = "",
) -> str:
    """The report of one submission, as HTML. `on_this_machine`: whether its reader is here, where
    links to the handouts lead somewhere. `again`: the command that grades the same file; "": the
    one for the starter."""
    runs = list(report.runs.values())
    failed = {check.name for check in result.checks if check.verdict == "fail"}
    speeds = _speeds(result, report)
    text = _template().render(
        result=result,
        again=again or f"./grade {result.lab}",
        on_this_machine=on_this_machine,
        score=points(result.score, result.selected),
        shares=_shares(result),
        groups=_groups(result, report, on_this_machine, steps or Steps()),
        runs=[(run, source_counters.listings(report.submission, run)) for run in runs],
        shown_run=next((r for r in runs if failed & {*r.checks}), runs[0] if runs else None),
        accesses=[
            (a, on_this_machine and index_link.address(a.warp, a.kernel, report.submission))
            for a in warp_access.worst(runs)
        ],
        roofline=roofline.of_traced(runs),
        speeds=speeds,
        predictions=predicted_times.charts(result.predictions),
        not_predicted=predicted_times.reasons(result.predictions),
        sandbox_in_words=sandbox_in_words,
        style=page_templates.style(STYLE),
    )
    return plain_text.document(text)  # names of kernels and files are the student's


@cache
def _template() -> jinja2.Template:
    return page_templates.environment().get_template("report.html")


def _shares(result: Result) -> list[Share]:
    """The kinds of checks that have points. A check that was skipped because another one failed has
    lost its points."""
    measured = [
        c
        for c in result.checks
        if c.verdict in ("pass", "fail") or (c.verdict == "skip" and c.needs)
    ]
    shares = []
    for kind, name in KINDS.items():
        checks = [c for c in measured if c.kind == kind]
        most = sum(c.max_points for c in checks)
        if most:
            shares.append(Share(name, sum(c.points for c in checks), most))
    return shares


def _groups(
    result: Result, report: ReportData, on_this_machine: bool, steps: Steps
) -> list[tuple[str, str, list[Item]]]:
    """For each kind of checks: its heading, how many passed, and the checks."""
    failures = {failure.check: failure for failure in report.failures}
    first = next((c for c in result.checks if c.verdict in ("fail", "error")), None)
    groups = []
    for kind, name in KINDS.items():
        checks = [c for c in result.checks if c.kind == kind]
        items = []
        for check in checks:
            failure = None if check.hidden else failures.get(check.id)
            figures = images.figures(failure) if failure else []
            section = handout.section(check.diagnosis, on_this_machine)
            made = steps.file.as_uri() if steps.file and steps.check == check.id else ""
            what = (check, *WORDS[check.verdict], failure, figures, section, check is first)
            step, link = steps.commands.get(check.id, ""), index_link.of_check(check, report)
            items.append(Item(*what, step, made, link))
        if items:
            passed = sum(c.verdict == "pass" for c in checks)
            groups.append((name, f"{passed} of {len(checks)} passed", items))
    return groups


def _speeds(
    result: Result, report: ReportData
) -> list[tuple[Check, timing_chart.Times, roofline.Roofline | None]]:
    """The checks that were timed, each with its chart and its roofline."""
    specs = {s.name: s for s in report.submission.lab.speed}
    checks = {c.id: c for c in result.checks}
    speeds = []
    for timed in report.times:
        check = checks[timed.check]
        bars = [bar for bar, _ in tiers(specs[check.name])]
        chart = timing_chart.times(timed, check.details, bars)
        speeds.append((check, chart, roofline.of_timed(timed)))
    return speeds
