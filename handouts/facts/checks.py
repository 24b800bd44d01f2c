"""The block "checks all": what a lab grades, part by part, with points, from lab.toml.

Of hidden cases it says how many a part has and what they are worth. Their names stay out: spec.load
has replaced them by numbers before this module sees them.
"""

from grader.contract import draw
from grader.model.lab import CheckSpec, Contract, Lab, Part
from handouts.facts import markdown
from handouts.facts.blocks import FactsError

KINDS = ("correct", "safe", "technique", "speed")  # in the order of grading


def content(lab: Lab) -> str:
    """The table of a lab. Raises FactsError where this copy has no hidden cases to count."""
    if not lab.hidden_included:
        raise FactsError(
            f"solutions/{lab.folder}/hidden.toml is missing, "
            "so the points of hidden cases are unknown"
        )
    rows = [row for part in lab.part for row in _rows(lab, part)]
    head = ("part", "check", "kind", "points")
    return f"{_totals(lab)}\n\n{markdown.table(head, rows, right=[3])}"


def _totals(lab: Lab) -> str:
    each = {kind: getattr(lab.points, kind) for kind in KINDS}
    points = ", ".join(f"{points:g} for {kind}" for kind, points in each.items() if points)
    return f"{lab.points.total():g} points: {points}."


def _rows(lab: Lab, part: Part) -> list[tuple[str, str, str, str]]:
    """The checks of a part, in the order of grading; hidden cases together in one row."""
    rows: list[tuple[str, str, str, str]] = [
        (part.id, _name(lab, check), check.kind, f"{check.points:g}")
        for check in lab.shown_checks()
        if check.part == part.id
    ]
    hidden = [case for case in lab.case if case.part == part.id and case.hidden]
    if hidden:
        after = sum(row[2] == "correct" for row in rows)
        points = f"{sum(check.points for check in hidden):g}"
        text = f"*{markdown.count(len(hidden), 'hidden case')}*"
        rows.insert(after, (part.id, text, "correct", points))
    return rows


def _name(lab: Lab, check: CheckSpec) -> str:
    name = markdown.plain(check.name)
    if isinstance(check, Contract):
        count = draw.generator(lab, check, check.seed).count
        return f"{name} ({count} calls or more, generated at random)"
    return name
