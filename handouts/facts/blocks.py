"""Finds the generated blocks of a page, and replaces what stands between their marks.

A block begins with the mark `<!-- KIND ARGUMENT: begin -->` and ends with the same mark with `end`,
each in a line of its own. Marks inside fenced code or between backticks are text.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

MARK = re.compile(r"<!--\s*(?P<name>[^<>:]*?)\s*:\s*(?P<which>begin|end)\s*-->")
FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


class FactsError(ValueError):
    """What a block needs is missing or wrong; the text says where, and what to do."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with a page. line: of the page, from 1. block: its name, such as "limits A"."""

    line: int
    block: str
    text: str


@dataclass(frozen=True)
class Block:
    """Two marks of the same name. first, last: the lines of the marks, from 0."""

    name: str
    first: int
    last: int

    @property
    def kind(self) -> str:
        return self.name.partition(" ")[0]

    @property
    def argument(self) -> str:
        return self.name.partition(" ")[2]


def find(lines: list[str]) -> tuple[list[Block], list[Problem]]:
    """The blocks of a page, and what is wrong with its marks."""
    blocks: list[Block] = []
    problems: list[Problem] = []
    opened: tuple[str, int] | None = None
    fence = ""
    for number, line in enumerate(lines):
        if edge := FENCE.match(line):
            mark = edge["fence"]
            if not fence:
                fence = mark
            elif mark.startswith(fence):
                fence = ""
            continue
        match = None if fence else MARK.search(CODE.sub("", line))
        if match is None:
            continue
        name = " ".join(match["name"].split())
        if line.strip() != match[0]:
            problems.append(Problem(number + 1, name, "a mark must be alone in its line"))
        elif match["which"] == "begin":
            if opened:
                problems.append(_unfinished(*opened))
            opened = (name, number)
        elif opened is None:
            problems.append(Problem(number + 1, name, "has an end mark and no begin mark"))
        elif opened[0] != name:
            problems.append(Problem(number + 1, name, f"ends inside the block '{opened[0]}'"))
        else:
            blocks.append(Block(name, opened[1], number))
            opened = None
    if opened:
        problems.append(_unfinished(*opened))
    return blocks, problems


def _unfinished(name: str, number: int) -> Problem:
    mark = f"<!-- {name}: end -->"
    return Problem(number + 1, name, f"has no end mark: put {mark} in a line below what it holds")


def fill(
    page: str, content: Callable[[Block], str | None]
) -> tuple[str, list[Problem], list[Problem]]:
    """The page with new text between its marks; what is wrong with it; and the blocks that changed.

    content: the text of a block, or None for a block that another script fills. It may raise
    FactsError. Line ends stay as the page has them.
    """
    end = "\r\n" if "\r\n" in page else "\n"
    lines = page.split(end)
    blocks, problems = find(lines)
    stale = []
    for block in reversed(blocks):  # those before it keep their line numbers
        try:
            text = content(block)
        except FactsError as error:
            problems.append(Problem(block.first + 1, block.name, str(error)))
            continue
        if text is None:
            continue
        new = ["", *text.strip("\n").split("\n"), ""]
        old = lines[block.first + 1 : block.last]
        if new != old:
            stale.append(Problem(_difference(block, old, new), block.name, "is stale"))
            lines[block.first + 1 : block.last] = new
    return end.join(lines), sorted(problems, key=lambda p: p.line), stale[::-1]


def _difference(block: Block, old: list[str], new: list[str]) -> int:
    """The line of the page, from 1, in which a block first differs from its new text."""
    same = next(
        (i for i, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), None
    )
    return block.first + 2 + (min(len(old), len(new)) if same is None else same)
