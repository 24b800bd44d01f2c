"""The table of `make prove-bulk`: promised figures, other figures, and what each attack earned."""

import json
import platform
import time
from datetime import date

from grader import paths
from grader.model import spec
from grader.sandbox import choice
from grader.tests.classroom.bulk import hostile
from grader.tests.classroom.bulk.canvas_class import Student
from grader.tests.classroom.bulk.measured import CORES
from grader.tests.classroom.bulk.proof import LAB, START, WHOLE_CLASS, Proof, require, say

RESULTS = paths.ROOT / "grader" / "classroom" / "bulk" / "RESULTS.md"
STOPPED = ("timeout", "waiting", "flood", "crashed", "no-result")  # of a program that was ended


def hostile_table(proof: Proof, students: list[Student]) -> list[str]:
    """A row for each attack: what it earned, and the longest of its checks."""
    rows = []
    known = {*hostile.archives(spec.load(LAB))}
    for one in students:
        folder = proof.home / "whole" / one.id / LAB
        result = folder / "result.json"
        if one.status == "rejected" and one.kind in known:
            reason = (folder / "feedback.txt").read_text().splitlines()[-1].strip()
            rows.append(f"| {one.kind} | archive | rejected | {reason.split(': ', 1)[-1]} | |")
        elif one.score == "none" and one.kind not in ("does not compile", "starter"):
            rows.append(_program_row(proof, one, json.loads(result.read_text())))
    return rows


def _program_row(proof: Proof, one: Student, document: dict[str, object]) -> str:
    checks: list[dict[str, object]] = document["checks"]  # type: ignore[assignment]
    score: dict[str, float] = document["score"]  # type: ignore[assignment]
    require(score["earned"] == 0, f"{one.kind}: 0 points")
    failed = [c for c in checks if c["verdict"] == "fail" and c["message"]]
    stopped = [c for c in failed if c["diagnosis"] in STOPPED]
    why = str((stopped or failed)[0]["message"][0]).replace("|", "/")  # type: ignore[index]
    why = why.replace(str(proof.home), "COURSE").replace(str(paths.ROOT), "COURSE")
    longest = max(float(str(c["seconds"])) for c in checks if c["kind"] != "build")
    what = f"{score['earned']:g}/{score['measured']:g}"
    return f"| {one.kind} | program | {what} | {why} | {longest:.1f} s |"


def write(proof: Proof, table: list[str], load: float) -> None:
    """The table; that of a small class, or without the class page, goes to the proof's folder."""
    usual = proof.count >= WHOLE_CLASS and LAB == "lab1" and proof.page
    target = RESULTS if usual else proof.home / "RESULTS.md"
    where = f"{platform.platform()}, {CORES} cores, {choice.name()}"
    minutes = (time.monotonic() - START) / 60
    measured = f"{proof.count} x {LAB}, {date.today():%-d %B %Y}"
    lines = [
        *HEAD,
        f"A class of {proof.count} x {LAB} on {where}, in {minutes:.0f} min. The load average at",
        f"the start was {load:.1f}, from other programs.",
        "",
        "| promised | measured | | class, day |",
        "|---|---|---|---|",
        *(
            f"| {b.claim} | {b.measured} | {'holds' if b.holds else '**no**'} | {measured} |"
            for b in proof.bars
        ),
        "",
        "| besides | | class, day |",
        "|---|---|---|",
        *(f"| {what} | {figure} | {measured} |" for what, figure in proof.facts),
        "",
        "| attack | as | verdict | reason | longest check |",
        "|---|---|---|---|---|",
        *table,
    ]
    target.write_text("\n".join([*lines, ""]))
    say(f"written: {target}")


HEAD = [
    "# Bulk grading: what was measured",
    "",
    "Made by `make prove-bulk`: a class as Canvas gives it (`canvas_class.py` in the tests),",
    "with attacks, broken archives, late submissions, groups, names in many scripts, a gradebook",
    "as roster, and a course.toml. No two files are the same. Every attacking program is the right",
    "solution behind a gate that opens only if the attack succeeds (`hostile.py` there): 0 points",
    "mean that the attack failed. The time limit of a case is 4 s here; `longest check` includes",
    "the start and the end of the program. Other programs on the same cores make times longer.",
    "",
]
