"""The proctor's page: who hands in, who does not any more, and what is to be looked at."""

from collections.abc import Sequence
from datetime import datetime

from markupsafe import Markup

from grader.classroom.exam.collect import Seen
from grader.student.exam import Exam

REFRESH = 5  # seconds
STYLE = """\
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #8886; padding: .3rem .6rem; text-align: left }
td { vertical-align: top }
th, td:not(:last-child) { white-space: nowrap }
td.n { text-align: right; font-variant-numeric: tabular-nums }
strong { color: light-dark(#a40e26, #ff7b72) }
"""


def page(its: Exam, seen: Sequence[Seen], now: float) -> bytes:
    """An HTML document that loads itself again until the exam has ended."""
    over = now >= its.ends
    state = "has ended" if over else f"runs until {its.until()}"
    if now < its.starts:
        state = f"begins at {datetime.fromtimestamp(its.starts):%H:%M:%S}"
    rows = Markup("").join(_row(each) for each in sorted(seen, key=lambda each: each.student))
    again = "" if over else Markup(f'<meta http-equiv="refresh" content="{REFRESH}">')
    noted = sum(bool(each.notes or each.log) for each in seen)
    return (
        Markup(
            '<!doctype html><html lang="en"><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width">{}<title>Exam: {}</title>'
            "<style>{}</style><h1>Exam: {}</h1><p>The exam {}. {} hand in, {} to be looked at. "
            "This page has names: do not project it.</p><table><thead><tr><th>student"
            "<th>last copy<th>grades<th>points of the last<th>to be looked at</thead>"
            "<tbody>{}</tbody></table></html>\n"
        )
        .format(again, its.lab, Markup(STYLE), its.lab, state, len(seen), noted, rows)
        .encode(errors="replace")
    )


def _row(each: Seen) -> Markup:
    looked = Markup("<br>").join(
        Markup("<strong>{}</strong>").format(n) for n in each.notes + each.log
    )
    return Markup("<tr><td>{}<td>{}<td class=n>{}<td class=n>{}<td>{}").format(
        each.student,
        f"{datetime.fromtimestamp(each.at):%H:%M:%S}",
        each.grades,
        each.points,
        looked,
    )
