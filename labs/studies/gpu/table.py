"""Writes RESULTS.md: grades on a GPU, compute-sanitizer, the simulator's counters and ncu's; and
beside it results.json, the times that the handouts quote."""

import json
from pathlib import Path
from typing import Any

from labs.studies.gpu import speeds

NEAR = 0.02  # largest relative difference from ncu's counter that counts as near


def write(target: Path, folder: Path, simulated: list[dict[str, Any]]) -> None:
    """Writes the results of a measured folder and of the simulator to `target`."""
    machine = json.loads((folder / "machine.json").read_text())
    text = ["# The labs on a GPU", ""]
    text += [f"- {name}: {machine[name]}" for name in ("date", "gpu", "nvcc", "ncu", "command")]
    text += ["", "`python -m labs.studies.gpu.suite` measured this; `--table` wrote it.", ""]
    grades = _entries(folder / "grades.json")
    text += _grades(grades)
    text += _speed(grades)
    text += _sanitizer(_entries(folder / "sanitizer.json"))
    if (folder / "bulk.json").exists():
        text += _bulk(json.loads((folder / "bulk.json").read_text()))
    text += _counters(_entries(folder / "counters.json"), simulated)
    target.write_text("\n".join(text) + "\n")
    speeds.write(target.with_name("results.json"), machine, speeds.of_grades(grades))


def _entries(file: Path) -> list[dict[str, Any]]:
    """The results of a step, sorted by lab."""
    entries: list[dict[str, Any]] = json.loads(file.read_text())
    return sorted(entries, key=lambda e: e["lab"])


def _grades(entries: list[dict[str, Any]]) -> list[str]:
    rows = ["## Grades, `--backend gpu`", "", "| lab | file | points | exit | s |",
            "|---|---|---|---|---|"]  # fmt: skip
    for e in entries:
        points = "no result"
        if e["result"]:
            score = e["result"]["score"]
            points = f"{score['earned']:g} of {score['measured']:g} measured"
            for rest in score["unmeasured"]:
                points += f", {rest['points']:g} {rest['reason']}"
        rows.append(f"| {e['lab']} | {e['source']} | {points} | {e['exit']} | {e['seconds']} |")
    return [*rows, ""]


def _speed(entries: list[dict[str, Any]]) -> list[str]:
    """The times of the solutions in the speed checks. A part in C is timed on the CPU."""
    rows = ["## Speed of the solutions", "",
            "| part | check | µs per call | baseline, µs | baseline / solution | rounds |",
            "|---|---|---|---|---|---|"]  # fmt: skip
    for e in speeds.of_grades(entries):
        ratio = "- | -"
        if e.baseline_ns:
            ratio = f"{_us(e.baseline_ns)} | {e.baseline_ns / e.solution_ns:.3g}"
        rows.append(
            f"| {e.lab} {e.part} | {e.check} | {_us(e.solution_ns)} | {ratio} | {e.rounds} |"
        )
    return [*rows, ""]


def _us(ns: float) -> str:
    """Microseconds, with one decimal below a thousand."""
    return f"{ns / 1e3:.1f}" if ns < 1e6 else f"{ns / 1e3:.0f}"


def _sanitizer(entries: list[dict[str, Any]]) -> list[str]:
    rows = ["## compute-sanitizer on the solutions", "",
            "| lab | parts | memcheck | racecheck | initcheck | synccheck |",
            "|---|---|---|---|---|---|"]  # fmt: skip
    for lab in sorted({e["lab"] for e in entries}):
        of_lab = [e for e in entries if e["lab"] == lab]
        parts = ", ".join(sorted({e["part"] for e in of_lab}))
        cells = []
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            of_tool = [e for e in of_lab if e["tool"] == tool]
            cells.append(f"{sum(e['clean'] for e in of_tool)} of {len(of_tool)} clean")
        rows.append(f"| {lab} | {parts} | {' | '.join(cells)} |")
    return [*rows, ""]


def _bulk(bulk: dict[str, Any]) -> list[str]:
    surprises = "; ".join(bulk["surprises"]) or "all as expected"
    rows = [
        "## Misuse of a GPU in a bulk run",
        "",
        f"`./grade bulk --backend gpu --labs lab3 --jobs 4`, in the sandbox ({bulk['sandbox']}): "
        f"{bulk['seconds']} s. {bulk['probes']} probes of a sandbox with a GPU: {surprises}.",
        "",
        "| submission | status | points | failed checks | message of the first |",
        "|---|---|---|---|---|",
    ]
    for e in bulk["rows"]:
        points = f"{e['score']} of {e['most']}"
        message = e["message"].replace("|", "\\|")[:120]
        rows.append(f"| {e['student']} | {e['status']} | {points} | {e['failed']} | {message} |")
    return [*rows, ""]


def _counters(ncu: list[dict[str, Any]], ours: list[dict[str, Any]]) -> list[str]:
    simulated = {(e["lab"], e["part"], e["input"]): e["launches"] for e in ours}
    rows: list[str] = []
    equal = near = total = 0
    for e in ncu:
        mine = simulated.get((e["lab"], e["part"], e["input"]), [])
        for number, launch in enumerate(e["launches"]):
            match = mine[number] if number < len(mine) else None
            for counter, theirs in launch["counters"].items():
                here = match["counters"][counter] if match else None
                if here == 0 and theirs == 0:
                    continue
                total += 1
                equal += here == theirs
                near += here is not None and abs(here - theirs) <= NEAR * theirs
                if here != theirs:
                    ratio = f"{here / theirs:.3f}" if here is not None and theirs else "-"
                    rows.append(
                        f"| {e['lab']} {e['part']} | {launch['name']} | {e['input']} | {counter} | "
                        f"{here} | {theirs} | {ratio} |"
                    )
    head = [
        "## Counters: the simulator's and Nsight Compute's",
        "",
        f"Of {total} counter values of solutions and baselines that are not 0 on both sides, "
        f"{equal} are equal and {near} within {NEAR:.0%}. Those that differ:",
        "",
        "| part | kernel | input | counter | simulator | ncu | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    return [*head, *rows]
