"""The mistakes that the grader names: "mistakes explained" on a page for all labs, most with a
picture, and "mistakes all", the links of a lab to it.

The sentences are those of grader/diagnose/mistakes.toml; draw_mistakes.py draws the pictures and
lists them in mistakes.json.
"""

from grader.diagnose import catalogue
from grader.diagnose.catalogue import Entry, Group
from grader.model.lab import Lab
from handouts.facts import markdown, mistake_list
from handouts.facts.blocks import FactsError
from handouts.facts.mistake_list import MistakeList

PAGE = "mistakes.md"
LEGEND = """\
In each picture: left the right output for a part of the photograph, in the middle what the \
mistake makes of it, right the difference: red where the output is too high, blue where it is too \
low, the darker the more. Violet is no value: NaN, or a pixel that was never written."""


def links(lab: Lab) -> str:
    """The names of a lab's mistakes. Raises FactsError where the list of pictures is missing or
    older than the catalogue."""
    groups, found = _read()
    drawn = found.labs.get(lab.id, [])
    lines = []
    for group in groups:
        names = [e.name for e in group.mistake if (lab.id in e.labs if e.labs else e.name in drawn)]
        if names:
            listed = ", ".join(f"[{name}]({PAGE}#mistake-{name})" for name in names)
            lines.append(markdown.paragraph(f"- *{group.title}*: {listed}", "  "))
    return "\n".join(lines)


def explained() -> str:
    """The mistakes of all labs. Raises FactsError as links() does."""
    groups, found = _read()
    parts = [markdown.paragraph(LEGEND)]
    for group in groups:
        parts.append(f"## {group.title}")
        parts += [_with_picture(entry, found) for entry in group.mistake if entry.picture]
        rows = [(f"{_anchor(e)}**{e.name}**", _code(e)) for e in group.mistake if not e.picture]
        parts += [markdown.table(("name", "what is wrong"), rows)] if rows else []
    return "\n\n".join(parts)


def _read() -> tuple[list[Group], MistakeList]:
    """The catalogue, and what was drawn of it."""
    found = mistake_list.read()
    try:
        groups = catalogue.groups()
    except ValueError as problem:
        raise FactsError(str(problem)) from problem
    entries = [entry for group in groups for entry in group.mistake]
    names = {name for of_lab in found.labs.values() for name in of_lab}
    unknown = names - {entry.name for entry in entries}
    files = {file for entry in entries if entry.picture for file in mistake_list.pictures_of(entry)}
    if unknown or files != found.pictures.keys():
        differing = ", ".join(sorted(unknown | (files ^ found.pictures.keys())))
        raise FactsError(
            f"handouts/facts/mistakes.json and grader/diagnose/mistakes.toml differ: {differing}; "
            f"run {mistake_list.COMMAND}"
        )
    return groups, found


def _anchor(entry: Entry) -> str:
    return f'<a id="mistake-{entry.name}"></a>'


def _code(entry: Entry) -> str:
    """What is wrong, in all labs and in those with words of their own."""
    own = [f"In {_title(lab)}: {code}" for lab, code in entry.codes.items()]
    return " ".join([entry.code, *own])


def _title(lab: str) -> str:
    return lab.replace("lab", "lab ")


def _with_picture(entry: Entry, found: MistakeList) -> str:
    """The words and the picture for most labs, and those of the labs that have their own."""
    words = f"**{entry.name}**: {entry.code} {_seen(entry.picture)}"
    parts = [f"{_anchor(entry)}\n{markdown.paragraph(words)}", _picture(entry, "", found)]
    for lab in dict.fromkeys([*entry.codes, *entry.pictures]):
        own = [f"**{entry.name}** in {_title(lab)}:"]
        own += [entry.codes[lab]] if lab in entry.codes else []
        own += [_seen(entry.pictures[lab])] if lab in entry.pictures else []
        parts.append(markdown.paragraph(" ".join(own)))
        parts += [_picture(entry, lab, found)] if lab in entry.pictures else []
    return "\n\n".join(parts)


def _seen(picture: str) -> str:
    return f"*The\N{NO-BREAK SPACE}picture:* {picture}"


def _picture(entry: Entry, lab: str, found: MistakeList) -> str:
    file = mistake_list.picture_of(entry, lab)
    drawn = found.pictures[file]
    alt = (
        f"The right output, the output with {entry.name}, and their difference: {drawn.wrong} of "
        f"{drawn.pixels} pixels differ, {drawn.high} of them too high"
    )
    return f"![{alt}](figures/mistakes/{file})"
