"""Writes the limits of the technique checks into the handouts, from each lab.toml.

handouts/limits.py            write them between the marks of each part in handouts/lab*.md
handouts/limits.py --check    change nothing; name the handouts that differ, exit 1 if one does
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from grader.model import spec  # noqa: E402
from grader.model.spec import Technique  # noqa: E402
from grader.render import limits  # noqa: E402

WIDTH = 108
BLOCK = re.compile(r"(<!-- limits (\w+): begin -->\n).*?(<!-- limits \2: end -->\n)", re.DOTALL)
MASK = re.compile(r"([a-z]+?)(?:(\d+)x)?(\d+)")  # "random13", "bank32x1"
TYPES = {"f4": "", "f8": " in double", "u1": " in bytes"}


class LimitsError(ValueError):
    """A handout whose marks are not those of the parts with technique checks."""


def mask_in_words(name: str) -> str:
    """ "a 13x13 mask" for random13, "13 + 13 taps" for lines13."""
    match = MASK.fullmatch(name)
    if match is None:
        raise LimitsError(f"no size in the name of the mask {name}")
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
    text = f"- **{technique.name}**, {limits.limit(technique)}: {limits.counted(technique)}."
    if technique.why:
        text += f" {technique.why[0].upper()}{technique.why[1:]}."
    together = re.sub(r" ([-+*/=x]) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)
    lines = textwrap.fill(together, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")  # no line begins with "+ ", which is a list's


def with_limits(page: str, lab: spec.Lab) -> str:
    """The page with new lists between its marks. Raises LimitsError."""
    parts = {
        part: list(group)
        for part, group in groupby(sorted(lab.technique, key=lambda t: t.part), lambda t: t.part)
    }
    marked = [match[2] for match in BLOCK.finditer(page)]
    if marked != list(parts):
        raise LimitsError(f"{lab.id}.md has marks for {marked}, technique checks for {[*parts]}")
    return BLOCK.sub(lambda m: f"{m[1]}\n{listing(parts[m[2]])}\n{m[3]}", page)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the limits into the handouts.")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; name the handouts that differ"
    )
    check = parser.parse_args().check
    differing = []
    for name in spec.available():
        path = ROOT / "handouts" / f"{name}.md"
        page = path.read_text()
        try:
            new = with_limits(page, spec.load(name, hidden=False))
        except LimitsError as error:
            print(f"limits.py: {error}", file=sys.stderr)
            return 1
        if new != page:
            differing.append(name)
            if not check:
                path.write_text(new)
    for name in differing:
        what = "is not what limits.py writes; run handouts/limits.py" if check else "written"
        print(f"handouts/{name}.md {what}")
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
