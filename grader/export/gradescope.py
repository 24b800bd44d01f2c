"""Gradescope's results.json. A run in bulk gives one for each student and lab; the autograder that
`make gradescope` packs gives its own."""

from __future__ import annotations

from typing import Any

import msgspec

from grader.bulk.store import Store
from grader.export.feedback import WORDS, result_of
from grader.model.result import Check, Result


def render(store: Store) -> dict[str, bytes]:
    files = {}
    for row in store.rows():
        result = result_of(store, row)
        made = ungraded(WORDS[row.status], row.reason) if result is None else results(result)
        files[f"{row.student}/{row.lab}/results.json"] = to_json(made)
    return files


def results(result: Result) -> dict[str, Any]:
    """A test for each check. The score is that of what was measured here."""
    return {
        "score": result.score.earned,
        "output": _said(result),
        "output_format": "text",
        "visibility": "visible",
        "tests": [
            _test(check) for check in result.checks if check.verdict != "skip" or check.needs
        ],
    }


def together(made: list[dict[str, Any]]) -> dict[str, Any]:
    """Several labs that were handed in at once, as one."""
    return {
        "score": sum(one["score"] for one in made),
        "output": "\n".join(one["output"] for one in made),
        "output_format": "text",
        "visibility": "visible",
        "tests": [test for one in made for test in one.get("tests", [])],
    }


def ungraded(what: str, reason: str) -> dict[str, Any]:
    """Nothing was graded: no tests, and why."""
    output = f"{what}: {reason}" if reason else what
    return {"score": 0, "output": output, "output_format": "text", "visibility": "visible"}


def to_json(made: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n"


def _said(result: Result) -> str:
    """What was not measured: it must not look lost."""
    of = f"{result.score.measured:g} points that were measured"
    lines = [f"{result.lab}: {result.score.earned:g} of {of}"]
    lines += [f"{u.points:g} points {u.reason}" for u in result.score.unmeasured]
    return "\n".join(lines)


def _test(check: Check) -> dict[str, Any]:
    lines = [f"needs: {check.needs}"] if check.needs else check.message
    made: dict[str, Any] = {
        "name": f"{check.part}  {check.name}" if check.part else check.name,
        "score": check.points,
        "max_score": check.max_points if check.verdict in ("pass", "fail", "skip") else 0,
        "output": "\n".join(lines),
        "output_format": "text",
        "visibility": "visible",
    }
    if check.verdict in ("pass", "fail", "skip"):
        made["status"] = "passed" if check.verdict == "pass" else "failed"
    return made
