"""The limits of the technique checks in words, and the counters beside them."""

import textwrap

from grader.checks.technique import bound_of, limit, number
from grader.model import counters
from grader.model.lab import Technique
from grader.model.result import Check
from grader.render.terminal import WORDS

INDENT = " " * 11  # below the name of a check


def counted(technique: Technique) -> str:
    """What a check counts: "thread stores to global memory per pixel"."""
    words = counters.in_words(technique.counter, technique.per)
    whose = ", of the launches that store the result" if technique.over == "results" else ""
    return words.counted + words.unit + whose


def line(technique: Technique, check: Check, width: int | None = None) -> str:
    """The verdict and the name of a check and, below, its counter beside the limit. width: of the
    terminal; None: no line is broken."""
    technique = bound_of(technique, check.details)
    value = check.details.get("value")
    if value is not None:
        result = f"{number(value)} of {limit(technique)}"
    elif check.verdict == "fail":
        result = f"nothing counted, {limit(technique)}"
    else:
        result = limit(technique)
    lines = [
        f"  {WORDS[check.verdict]:<5} {check.part}  {check.name}",
        f"{INDENT}{result}: {counted(technique)}",
    ]
    if width is not None:
        lines = [_wrapped(text, width) for text in lines]
    return "\n".join(lines)


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(
        text, width, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False
    )
