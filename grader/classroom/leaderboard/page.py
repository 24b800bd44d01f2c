"""The leaderboard as HTML: one file without scripts and without requests to a network."""

from functools import cache
from pathlib import Path

import jinja2

from grader.checks.speed_points import time_of
from grader.classroom.leaderboard.standings import Standings
from grader.model import plain_text
from grader.render import html, page_templates

HERE = Path(__file__).resolve().parent / "templates"


def page(standings: Standings, title: str) -> str:
    """The page of a run. title: of the course; "" if it has none."""
    text = _template().render(
        standings=standings,
        title=title,
        style=page_templates.style(html.STYLE, HERE / "leaderboard.css"),
    )
    return plain_text.document(text)


@cache
def _template() -> jinja2.Template:
    environment = page_templates.environment(HERE)
    environment.filters |= {"time": time_of}
    return environment.get_template("leaderboard.html")
