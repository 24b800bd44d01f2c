"""The block "limits PART": the limits of the technique checks of a part, from lab.toml."""

import re
from itertools import groupby

from grader.checks.technique import limit
from grader.model.lab import Lab, Technique
from grader.render import technique_counters
from handouts.facts import markdown
from handouts.facts.blocks import FactsError

MASK = re.compile(r"([a-z]+?)(?:(\d+)x)?(\d+)")  # "random13", "bank32x1"
TYPES = {"f4": "", "f8": " in double", "u1": " in bytes"}


def mask_in_words(name: str) -> str:
    """ "a 13x13 mask" for random13, "13 + 13 taps" for lines13."""
    match = MASK.fullmatch(name)
    if match is None:
        raise FactsError(f"no size in the name of the mask {name}")
    kind, masks, size = match.groups()
    if kind == "lines":
        return f"{size} + {size} taps"
    if kind == "row":
        return f"{size} taps"
    return f"{masks} masks of {size}x{size}" if masks else f"a {size}x{size} mask"


def input_in_words(technique: Technique) -> str:
    """What is counted: "for a 13x13 mask on 96x64 pixels, zero border"."""
    assert technique.size, technique.name
    text = f"on {technique.size[0]}x{technique.size[1]} pixels"
    if technique.mask:
        text = f"for {mask_in_words(technique.mask)} {text}"
    if technique.channels > 1:
        text += f" with {technique.channels} channels"
    text += TYPES[technique.type]
    if chunks := technique.set.get("chunks"):
        text += f" in {chunks} sections"
    return f"{text}, {technique.border} border" if technique.border else text


def listing(techniques: list[Technique]) -> str:
    """The limits of one part, as Markdown."""
    lines: list[str] = []
    for words, group in groupby(techniques, input_in_words):
        lines += [f"Technique, counted {words}:", "", *map(_item, group), ""]
    return "\n".join(lines)


def _item(technique: Technique) -> str:
    text = f"- **{technique.name}**, {limit(technique)}: {technique_counters.counted(technique)}."
    if technique.why:
        text += f" {technique.why[0].upper()}{technique.why[1:]}."
    return markdown.paragraph(text, indent="  ")


def content(lab: Lab, part: str) -> str:
    """The limits of a part. Raises FactsError where the part has none."""
    of_part = [technique for technique in lab.technique if technique.part == part]
    if not of_part:
        known = ", ".join(parts(lab)) or "none"
        raise FactsError(f"part {part} of {lab.id} has no technique check; parts with one: {known}")
    return listing(of_part)


def parts(lab: Lab) -> list[str]:
    """The parts that have technique checks."""
    return sorted({technique.part for technique in lab.technique})
