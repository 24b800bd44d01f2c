"""How wide the columns of a table are on paper: typst would make the long ones as narrow as the
short ones."""

import unicodedata

from handouts.site import tree
from handouts.site.tree import Element

FITS = 88  # characters beside each other in a line of a table
CAP = 70  # a longer cell asks for no more room than this


def widen(table: Element) -> None:
    """Sets the columns' shares of the line where a table's longest cells do not fit beside each
    other."""
    _, _, specs, head, bodies, _ = table["c"]
    rows = [*head[1], *(row for part in bodies for row in part[3])]
    texts = [[tree.text(row[1][column][4]) for row in rows] for column in range(len(specs))]
    longest = [min(CAP, max(map(_width, cells), default=0)) + 2 for cells in texts]
    if sum(longest) <= FITS:
        return
    words = [max((_width(w) for text in cells for w in _words(text)), default=0) for cells in texts]
    least = [min(word + 2, most) for word, most in zip(words, longest, strict=True)]
    rest = max(0, FITS - sum(least))
    wanted = [most - low for most, low in zip(longest, least, strict=True)]
    widths = [
        low + rest * more / max(1, sum(wanted)) for low, more in zip(least, wanted, strict=True)
    ]
    for spec, width in zip(specs, widths, strict=True):
        spec[1] = {"t": "ColWidth", "c": width / sum(widths)}


def _width(text: str) -> int:
    """Characters; those of Chinese, Japanese and Korean count twice."""
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def _words(text: str) -> list[str]:
    """What a line may not break; long names of code break at their punctuation."""
    spaced = "".join(
        f"{c} " if c in "/_.,(:" or unicodedata.east_asian_width(c) in "WF" else c for c in text
    )
    return spaced.split()
