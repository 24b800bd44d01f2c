"""The kinds of generated blocks, and what fills each."""

import functools
import re
from collections.abc import Callable

from grader.model import outline, spec
from grader.model.lab import Lab
from handouts.facts import (
    badges,
    checks,
    counted,
    libraries,
    limits,
    mistakes,
    packages,
    reproduced,
    source_times,
    work,
)
from handouts.facts.blocks import Block, FactsError
from labs.studies.bench import pages as bench

# Blocks of simulator.md that labs/sim/supported.py fills.
ELSEWHERE = ("refused", "names")
# By the kind of a block: these also get its argument.
OF_A_PART: dict[str, Callable[[Lab, str], str]] = {
    "limits": limits.content,
    "experiment": lambda lab, argument: reproduced.one(lab.id, argument),
}
LAB_PAGE = re.compile(r"(lab\d+)\.md")

# By the name of a block. Each is given a lab.
OF_A_LAB: dict[str, Callable[[Lab], str]] = {
    "checks all": checks.content,
    "mistakes all": mistakes.links,
    "timed bench": libraries.content,
    "source reproduced": source_times.content,
    "counted sim": counted.content,
}


@functools.cache
def _lab(name: str, hidden: bool) -> Lab:
    return spec.load(name, hidden=hidden)


def lab_of(page: str) -> str | None:
    """The lab whose handout a page is, by the page's file name; None for other pages."""
    match = LAB_PAGE.fullmatch(page)
    return match[1] if match and match[1] in outline.available() else None


def content(page: str, block: Block) -> str | None:
    """The text of a block of a page; None for one that another script fills. Raises FactsError."""
    if block.name in ELSEWHERE:
        return None
    if f"{block.name} {page}" == f"mistakes explained {mistakes.PAGE}":
        return mistakes.explained()
    if block.kind == "packages" and page == "CONTRIBUTING.md":
        return packages.content(block.argument)
    if f"{block.name} {page}" == "bench results README.md":
        return bench.table_of_readme(bench.runs())
    if f"{block.name} {page}" == "badges links README.md":
        return badges.content()
    if f"{block.name} {page}" == "work labs teaching.md":
        return work.content()
    lab = lab_of(page)
    if block.kind not in OF_A_PART and block.name not in OF_A_LAB:
        known = ", ".join(("limits PART", "experiment SOURCE", *OF_A_LAB))
        raise FactsError(f"is of no known kind; the kinds: {known}")
    if lab is None:
        raise FactsError("belongs on the page of a lab, labN.md")
    if block.kind in OF_A_PART:
        return OF_A_PART[block.kind](_lab(lab, hidden=False), block.argument)
    return OF_A_LAB[block.name](_lab(lab, hidden=True))


def missing(page: str, blocks: list[Block]) -> list[str]:
    """The blocks that a page must have and has not: the limits of every part of its lab."""
    lab = lab_of(page)
    if lab is None:
        return []
    there = {block.name for block in blocks}
    wanted = [f"limits {part}" for part in limits.parts(_lab(lab, hidden=False))]
    return [name for name in wanted if name not in there]
