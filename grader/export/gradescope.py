"""Gradescope's results.json: one per student and lab of a bulk run, and the autograder's answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from grader.bulk.store import Store
from grader.export import not_graded
from grader.model.result import Check, Result

Results = dict[str, Any]  # results.json, before it is encoded


def render(store: Store) -> Iterator[tuple[str, bytes]]:
    for row in store.rows():
        result = store.result_of(row)
        document = ungraded(not_graded.sentence(row)) if result is None else results(result)
        yield f"{row.student}/{row.lab}/results.json", to_json(document)


def results(result: Result) -> Results:
    """A test for each check. The score counts what was measured on this machine."""
    return {
        "score": result.score.earned,
        "output": _summary(result),
        "output_format": "text",
        "visibility": "visible",
        "tests": [
            _test(check) for check in result.checks if check.verdict != "skip" or check.needs
        ],
    }


def together(documents: list[Results]) -> Results:
    """One document for several labs that were handed in at once."""
    return {
        "score": sum(document["score"] for document in documents),
        "output": "\n".join(document["output"] for document in documents),
        "output_format": "text",
        "visibility": "visible",
        "tests": [test for document in documents for test in document.get("tests", [])],
    }


def ungraded(reason: str) -> Results:
    """A document without tests, which says why nothing was graded."""
    return {"score": 0, "output": reason, "output_format": "text", "visibility": "visible"}


def to_json(document: Results) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _summary(result: Result) -> str:
    """The score, and the points that were not measured: they must not look lost."""
    score = result.score
    lines = [f"{result.lab}: {score.earned:g} of the {score.measured:g} points measured here"]
    lines += [f"{rest.points:g} points {rest.reason}" for rest in score.unmeasured]
    return "\n".join(lines)


def _test(check: Check) -> dict[str, Any]:
    lines = [f"needs: {check.needs}"] if check.needs else check.message
    test: dict[str, Any] = {
        "name": f"{check.part}  {check.name}" if check.part else check.name,
        "score": check.points,
        "max_score": check.max_points if check.verdict in ("pass", "fail", "skip") else 0,
        "output": "\n".join(lines),
        "output_format": "text",
        "visibility": "visible",
    }
    if check.verdict in ("pass", "fail", "skip"):
        test["status"] = "passed" if check.verdict == "pass" else "failed"
    return test
