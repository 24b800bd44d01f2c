"""The glossary's terms: each has an anchor and an entry of the search."""

import re
from collections.abc import Iterator
from typing import Any

from handouts.site import tree
from handouts.site.tree import Element

NAME = "glossary"  # the page's


def add_anchors(blocks: list[Any]) -> None:
    """Gives each row of the page's tables an anchor."""
    for table in (block for block in blocks if block["t"] == "Table"):
        for row in _rows(table):
            words = re.findall(r"\w+", tree.text(row[1][0][4]).lower())
            row[0][0] = "-".join(["term", *words])


def terms(table: Element) -> Iterator[tuple[str, str, str]]:
    """The anchor of each term, the term, and its meaning with its names in other languages."""
    for row in _rows(table):
        term, *rest = (tree.text(cell[4]) for cell in row[1])
        yield row[0][0], term, " · ".join(rest)


def _rows(table: Element) -> list[Any]:
    return [row for part in table["c"][4] for row in part[3]]
