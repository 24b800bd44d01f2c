"""The block "mistakes all": the mistakes that the grader names in a lab, most with a picture.

The sentences are those of grader/diagnose/mistakes.toml; draw_mistakes.py draws the pictures and
lists them in mistakes.json.
"""

from __future__ import annotations

from grader.diagnose import catalogue
from grader.diagnose.catalogue import Entry
from grader.model.spec import Lab
from handouts.facts import markdown, mistake_list
from handouts.facts.blocks import FactsError
from handouts.facts.mistake_list import Drawn

LEGEND = """\
In each picture: left the right output for a part of the photograph, in the middle what the \
mistake makes of it, right the pixels that differ, in red. Violet is no value: NaN, or a pixel \
that was never written."""


def content(lab: Lab) -> str:
    """The mistakes of a lab. Raises FactsError where the list of pictures is missing or older than
    the catalogue."""
    drawn = {each.name: each for each in mistake_list.read().get(lab.id, [])}
    try:
        groups = catalogue.groups()
    except ValueError as problem:
        raise FactsError(str(problem)) from problem
    unknown = drawn.keys() - {entry.name for group in groups for entry in group.mistake}
    if unknown:
        raise FactsError(
            f"handouts/facts/mistakes.json has a picture of {', '.join(sorted(unknown))}, which "
            f"grader/diagnose/mistakes.toml does not know; run {mistake_list.COMMAND}"
        )
    parts = [markdown.paragraph(LEGEND)]
    for group in groups:
        entries = [
            e.for_page(lab.id)
            for e in group.mistake
            if (e.name in drawn if e.labs is None else lab.id in e.labs)
        ]
        if entries:
            parts.append(f"### Mistakes: {group.title[0].lower()}{group.title[1:]}")
            parts += [_with_picture(e, drawn.get(e.name)) for e in entries if e.picture]
            parts += _without_picture([e for e in entries if not e.picture])
    return "\n\n".join(parts)


def _without_picture(entries: list[Entry]) -> list[str]:
    rows = [(f"{_anchor(entry)}**{entry.name}**", entry.code) for entry in entries]
    return [markdown.table(("name", "what is wrong"), rows)] if rows else []


def _anchor(entry: Entry) -> str:
    return f'<a id="mistake-{entry.name}"></a>'


def _with_picture(entry: Entry, drawn: Drawn | None) -> str:
    words = f"**{entry.name}**: {entry.code} *The\N{NO-BREAK SPACE}picture:* {entry.picture}"
    text = f"{_anchor(entry)}\n{markdown.paragraph(words)}"
    if drawn is None:
        return text
    alt = (
        f"The right output, the output with {entry.name}, and {drawn.wrong} of {drawn.pixels} "
        "pixels marked, which differ"
    )
    return f"{text}\n\n![{alt}](figures/mistakes/{drawn.file})"
