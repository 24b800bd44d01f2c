"""Text and tables as Markdown."""

import re
import textwrap
from collections.abc import Sequence

WIDTH = 108
SPECIAL = re.compile(r"([\\|*`<\[])|(?<!\w)_|_(?!\w)")


def plain(text: str) -> str:
    """Text that Markdown shows as it is, in a paragraph or in a cell of a table."""
    return SPECIAL.sub(lambda match: f"\\{match[0]}", " ".join(text.split()))


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table. right: the columns whose cells are aligned to the right, counted from 0."""
    rule = ["--:" if column in right else "---" for column in range(len(head))]
    lines = [_row(head), f"|{'|'.join(rule)}|", *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def count(number: int, thing: str) -> str:
    """ "1 case", "2 cases"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def microseconds(time: float) -> str:
    """As labs/studies/gpu/RESULTS.md has them, with two decimals below ten: 4.63, 150.4, 1384."""
    return f"{time:.2f}" if time < 10 else f"{time:.1f}" if time < 1000 else f"{time:.0f}"


def milliseconds(seconds: float) -> str:
    """With three significant digits, and no exponent: 0.172, 4.63, 97.3, 1908."""
    time = 1e3 * seconds
    return f"{time:.0f}" if time >= 100 else f"{time:.3g}"


def ratio(value: float) -> str:
    """Two significant digits, and two decimals near 1: 0.77, 1.22, 8.6, 14, 239."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if value < 2 else f"{float(f'{value:.2g}'):g}"


def paragraph(text: str, indent: str = "") -> str:
    """Text in lines of the handouts' width. indent: of all lines but the first. No line begins with
    an operator such as "+ ", which would begin a list."""
    together = re.sub(r" ([-+*/=x]) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)
    lines = textwrap.fill(
        together, WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
    return lines.replace("\N{NO-BREAK SPACE}", " ")
