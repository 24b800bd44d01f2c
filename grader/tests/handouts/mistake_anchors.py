"""Which known mistakes a lab can name, and which of them a page does not explain or link to."""

from __future__ import annotations

import ast
import re
from functools import cache

from grader import paths
from grader.tests.zoo import entries, table

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
NOT_NAMES = {table.SMALLEST}  # the zoo's word for a mistake that needs no name


@cache
def known() -> frozenset[str]:
    """The words with hyphens in the code of grader/diagnose: the names of mistakes are among
    them."""
    return frozenset(
        node.value
        for file in (paths.ROOT / "grader" / "diagnose").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and NAME.fullmatch(node.value)
    )


def of_lab(lab: str) -> set[str]:
    """The known mistakes that the grader names in programs of the zoo for a lab."""
    wrong = entries.of_lab(lab, "wrong")
    named = {entry.detail for entry in wrong}.union(*(entry.also for entry in wrong))
    return (named & known()) - NOT_NAMES


def unexplained(markdown: str, names: set[str]) -> list[str]:
    """The mistakes that a handout has no anchor for."""
    anchors = set(re.findall(r"""\b(?:id|name)=["']mistake-([\w-]+)["']""", markdown))
    return sorted(names - anchors)


def unlinked(markdown: str, names: set[str]) -> list[str]:
    """The mistakes that the page of a lab has no link for."""
    return sorted(names - set(re.findall(r"\(mistakes\.md#mistake-([\w-]+)\)", markdown)))
