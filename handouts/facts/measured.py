"""The block "measured speeds": what this course's own files take in the speed checks on our H200,
from labs/studies/gpu/results.json."""

import re

from grader.model.lab import Lab
from handouts.facts import markdown
from handouts.facts.blocks import FactsError
from labs.studies.gpu import speeds
from labs.studies.gpu.speeds import Results, Speed

COMMAND = "python -m labs.studies.gpu.suite --table FOLDER"
TIMED = re.compile(r"^speed (of|with) ")  # what the names of the checks have in common


def content(lab: Lab) -> str:
    """The table of a lab. Raises FactsError where the results are missing or of other checks."""
    try:
        results = speeds.read()
    except (OSError, ValueError) as problem:
        raise FactsError(f"labs/studies/gpu/results.json: {problem}; run {COMMAND}") from problem
    return _table(lab, results, [speed for speed in results.speeds if speed.lab == lab.id])


def _table(lab: Lab, results: Results, measured: list[Speed]) -> str:
    names = {check.name: check for check in lab.speed}
    if {speed.check for speed in measured} != names.keys():
        differing = sorted({speed.check for speed in measured} ^ names.keys())
        raise FactsError(
            "labs/studies/gpu/results.json and lab.toml have other speed checks: "
            f"{'; '.join(differing)}; measure again, then run {COMMAND}"
        )
    has_floor = any(speed.floor_ns for speed in measured)
    rows = []
    for speed in measured:
        on = "CPU" if lab.file_of(names[speed.check]).endswith(".c") else "GPU"
        row = [speed.part, markdown.plain(TIMED.sub("", speed.check)), on]
        row += _times(speed) + (_floor(speed) if has_floor else [])
        rows.append(row)
    head = ["part", "what", "on", "µs", "baseline, µs", "speed-up"]
    head += ["least possible, µs", "reached"] if has_floor else []
    lead = (
        "The speed checks with this course's own files. Measured on "
        f"{_date(lab, results.date)} on an {results.gpu} (driver {results.driver}) by "
        f"`{results.command}`."
    )
    return f"{markdown.paragraph(lead)}\n\n{markdown.table(head, rows, right=range(3, len(head)))}"


def _date(lab: Lab, text: str) -> str:
    """The date of a lab, of a text such as "2026-11-23 (lab 7 B and C: 2026-11-24)"."""
    day, _, others = text.partition(" (")
    for clause in others.rstrip(")").split("; "):
        where, _, other_day = clause.partition(": ")
        named, _, parts = where.removeprefix("lab ").partition(" ")
        if f"lab{named}" == lab.id:
            return f"{day} ({parts}: {other_day})" if parts else other_day
    return day


def _times(speed: Speed) -> list[str]:
    time = markdown.microseconds(speed.solution_ns / 1e3)
    if not speed.baseline_ns:
        return [time, "–", "–"]
    ratio = markdown.ratio(speed.baseline_ns / speed.solution_ns)
    return [time, markdown.microseconds(speed.baseline_ns / 1e3), ratio]


def _floor(speed: Speed) -> list[str]:
    """The least time of a call on that machine, by copying and multiplying, and the share of it."""
    if not speed.floor_ns:
        return ["–", "–"]
    share = 100 * speed.floor_ns / speed.solution_ns
    return [markdown.microseconds(speed.floor_ns / 1e3), f"{share:.0f} %"]
