"""`./grade audit`: how good the checks of a lab are, for its author."""

from typing import Annotated

import typer

from grader.classroom.audit import audit as audits
from grader.classroom.audit.audit import Audit, interval
from grader.commands import options
from grader.commands.errors import CommandError
from grader.commands.grade_screen import StatusLine


def audit(
    lab_id: Annotated[str, typer.Argument(metavar="LAB", help="lab1, lab2, ...")],
    count: Annotated[
        int,
        typer.Option("--count", "-n", metavar="N", min=8, max=2000, help="Slips in the solution."),
    ] = 60,
) -> None:
    """Grade slips in our solution, cheats and right variants of it: what does each check catch?

    Exits with 1 if fewer slips are caught than [audit] in lab.toml asks for, if a cheat passes or
    if a right variant loses a point."""
    lab = options.load(lab_id)
    if not lab.hidden_included:
        raise CommandError("there is no solution in this copy: audit the course's own tree", 2)
    print(f"{lab.id} {lab.title}: up to {count} slips, cheats and variants, a few seconds each")
    status = StatusLine()
    made = audits.audit(lab, count, status.show)
    status.clear()
    if not made.spoiled():
        print("\n".join(_lines(made)))
    if problems := made.problems():
        raise CommandError("\n       ".join(problems), 1)


def _lines(made: Audit) -> list[str]:
    of = len(made.slips)
    hits = of - len(made.survivors())
    low, high = interval(hits, of)
    by_kind = ", ".join(f"{kind} {n}" for kind, n in sorted(made.caught().items()))
    lines = [f"slips     {hits} of {of} caught, {made.share():.0%} ({low:.0%} to {high:.0%})"]
    lines += [f"          by the checks: {by_kind}"] if by_kind else []
    for slip in made.survivors():
        why = "" if made.slips[slip].caught_by is None else f" ({made.slips[slip].words()})"
        lines.append(f"  nothing catches {slip.file}:{slip.line}: {slip.change()}{why}")
        lines.append(f"    if it is as right as the solution, [audit] in lab.toml: {slip.id}")
    passed = [
        answer for answer, outcome in made.cheats.items() if outcome.caught_by in (None, "error")
    ]
    names = ", ".join(dict.fromkeys(answer.name for answer in made.cheats))
    lines.append(
        f"cheats    {len(made.cheats) - len(passed)} of {len(made.cheats)} caught ({names})"
        if made.cheats
        else "cheats    none: the lab has a driver of its own"
    )
    right = [answer for answer, lost in made.lost.items() if not lost]
    lines.append(f"variants  {len(right)} of {len(made.lost)} right ones lose no point")
    lines += [
        f"          {answer.name}: {', '.join(lost)}" for answer, lost in made.lost.items() if lost
    ]
    if made.wrong:
        skipped = ", ".join(answer.name for answer in made.wrong)
        lines.append(f"          not counted, since the solution does not work so: {skipped}")
    lines.append("seconds   of each check, for the solution:")
    lines += [f"  {check.seconds:6.1f}  {check.name}" for check in made.solution]
    return lines
