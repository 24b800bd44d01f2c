"""results.json: written from the grades of a run on a GPU, read by the handouts."""

import json
from pathlib import Path
from typing import Any

import pytest

from labs.studies.gpu import speeds, table

MACHINE = {
    "date": "2030-01-02",
    "gpu": "NVIDIA Example, 1.2.3, 9.0",
    "nvcc": "release 13.0",
    "ncu": "2025.3",
    "command": "python -m labs.studies.gpu.suite --out FOLDER",
}


def _check(name: str, kind: str = "speed", **details: int) -> dict[str, Any]:
    return {"part": "A", "name": name, "kind": kind, "details": details}


CHECKS = [
    _check("speed of all", reference_ns=2000, baseline_ns=9000, floor_ns=1500, rounds=7),
    _check("speed without a baseline", reference_ns=1_234_567, rounds=9),
    _check("not timed"),
    _check("a case", "correct", reference_ns=1, rounds=1),
]


def _grade(source: str, checks: list[dict[str, Any]] | None) -> dict[str, Any]:
    score = {"earned": 1, "measured": 1, "unmeasured": []}
    result = None if checks is None else {"score": score, "checks": checks}
    return {"lab": "lab2", "source": source, "exit": 0, "seconds": 1, "result": result}


def test_the_table_command_writes_the_times_of_the_solutions(tmp_path: Path) -> None:
    (tmp_path / "machine.json").write_text(json.dumps(MACHINE))
    grades = [_grade("solutions", CHECKS), _grade("starter", CHECKS), _grade("solutions", None)]
    for name, entries in (("grades", grades), ("sanitizer", []), ("counters", [])):
        (tmp_path / f"{name}.json").write_text(json.dumps(entries))
    table.write(tmp_path / "RESULTS.md", tmp_path, [])
    results = speeds.read(tmp_path / "results.json")
    assert (results.date, results.gpu, results.driver) == ("2030-01-02", "NVIDIA Example", "1.2.3")
    assert [(s.check, s.solution_ns, s.baseline_ns, s.floor_ns) for s in results.speeds] == [
        ("speed of all", 2000, 9000, 1500),
        ("speed without a baseline", 1_234_567, None, None),
    ]
    text = (tmp_path / "RESULTS.md").read_text()
    assert "| lab2 A | speed of all | 2.0 | 9.0 | 4.5 | 7 |" in text
    assert "| lab2 A | speed without a baseline | 1235 | - | - | 9 |" in text


def test_committed_results_match_the_table() -> None:
    results = speeds.read()
    text = speeds.FILE.with_name("RESULTS.md").read_text()
    assert f"- date: {results.date}\n" in text and f"- command: {results.command}\n" in text
    rows = [row for row in text.splitlines() if "| speed " in row]
    assert len(rows) == len(results.speeds) > 15
    for row, speed in zip(rows, results.speeds, strict=True):
        time = speed.solution_ns / 1e3
        shown = f"{time:.1f}" if time < 1000 else f"{time:.0f}"
        assert f"| {speed.lab} {speed.part} | {speed.check} | {shown} |" in row


@pytest.mark.parametrize("text", ["", "[]", '{"date": 1}', "\xff", '{"speeds": []}'])
def test_malformed_results_are_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError):
        speeds.read(file)
