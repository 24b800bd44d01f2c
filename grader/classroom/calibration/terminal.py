"""Calibrated thresholds as a table, and as TOML to paste into a lab.toml."""

import json
import textwrap
from collections.abc import Iterable, Sequence

from grader.classroom.calibration.calibration import Calibration
from grader.model.plain_text import line
from grader.model.result import Machine
from grader.render.terminal import WORDS

HEAD = (
    "check",
    "solution",
    "threshold",
    "margin",
    "told apart",
    "unsure at most",
    "gradings",
    "suggested",
    "name",
)
LEGEND = """\
solution: the speed of our solution, compared with what the check compares a file with.
margin: from the highest threshold to the solution's low end.
told apart: a file exactly at a threshold differs by more than the noise from our solution, and from
a file at the other threshold.
unsure at most: files of these speeds may be `unsure` here. Near a threshold a grading takes more
rounds, so the range is usually narrower.
"""


def table(calibrations: Sequence[Calibration]) -> str:
    """A row for each check, its columns aligned."""
    rows = [HEAD, *map(_row, calibrations)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
    return "\n".join(lines)


def below(calibrations: Iterable[Calibration], width: int) -> str:
    """What a row of the table has no room for: why nothing is suggested, and notes on a check."""
    texts = []
    for one in calibrations:
        problem = [f"nothing is suggested: {one.problem}"] if one.problem else []
        texts += [line(f"{_short(one)}: {text}") for text in (*problem, *one.notes)]
    return "\n".join(textwrap.fill(text, width, subsequent_indent="  ") for text in texts)


def not_measured(checks: Sequence[tuple[str, str]], reason: str) -> str:
    """One line on checks that this machine does not time. checks: (lab, part) of each."""
    labs: dict[str, list[str]] = {}
    for lab, part in checks:
        labs.setdefault(lab, []).append(part)
    words = "; ".join(f"{lab} {', '.join(dict.fromkeys(parts))}" for lab, parts in labs.items())
    return f"not measured, {reason}: {words}"


def fragment(calibrations: Sequence[Calibration], machine: Machine, day: str, rounds: int) -> str:
    """The suggested thresholds as valid TOML, for each check the keys of its [[part.speed]] and,
    as a comment, the file into which they go. day: ISO 8601."""
    cores = f"{machine.cores} core{'s' if machine.cores != 1 else ''}"
    where = line(f"{machine.system}, {cores}, {machine.compiler}")
    lines = [
        f"# ./grade calibrate on {day}: {where}",
        f"# {rounds} grading{'s' if rounds != 1 else ''} of our solution. Put the thresholds of a "
        "check directly below the line `name` of its",
        "# [[part.speed]] in lab.toml: they then hold for everyone who is graded with this copy.",
    ]
    file = ""
    for one in calibrations:
        if file != (file := f"labs/{one.lab.folder}/lab.toml"):
            lines += ["", f"# ---- {file}"]
        if one.problem or one.solution is None:
            lines += ["", f"# {line(_short(one))}, {line(one.speed.name)}: nothing is suggested"]
            continue
        low, high = one.solution.low, one.solution.high
        kept = "" if one.changes() else "; as in lab.toml"
        lines += ["", "[[part.speed]]", f"name = {_quoted(one.speed.name)}"]
        lines += [f"# our solution has {low:.2f} to {high:.2f} here{kept}"]
        lines += [f"{tier.name} = {tier.suggested:g}" for tier in one.tiers]
    return "\n".join(lines) + "\n"


def _row(one: Calibration) -> tuple[str, ...]:
    verdicts = ", ".join(f"{count} {WORDS[verdict]}" for verdict, count in one.verdicts.items())
    ends = (line(_short(one)), line(one.speed.name))
    if one.solution is None:
        return (ends[0], "-", "-", "-", "-", "-", verdicts, "-", ends[1])
    unsure = (f"{tier.unsure_from:.2f}-{tier.unsure_to:.2f}" for tier in one.tiers)
    suggested = [f"{tier.suggested:g}" for tier in one.tiers if tier.suggested is not None]
    return (
        ends[0],
        f"{one.solution.low:.2f} to {one.solution.high:.2f}",
        ", ".join(f"{tier.threshold:g}" for tier in one.tiers),
        f"{100 * one.tiers[-1].margin:+.0f} %",
        "yes" if one.told_apart else "no",
        ", ".join(unsure),
        verdicts,
        ", ".join(suggested) or "-",
        ends[1],
    )


def _short(one: Calibration) -> str:
    return f"{one.lab.id} {one.speed.part}"


def _quoted(text: str) -> str:
    """A TOML string: JSON's, which differs in one character that it does not escape."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
