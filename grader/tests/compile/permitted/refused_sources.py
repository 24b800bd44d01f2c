"""Files that must be refused before anything of them runs: refused_sources.txt, as a list.

There each begins with a line `=== NAME | WHAT A REFUSAL SAYS`. HERE, in a comment, marks the line
that it must name. C files are compiled as one of lab 1, CUDA files as one of lab 3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_SOURCE = re.compile(r"^=== (\S+) \| ([^\n]*)\n(.*?)(?=^=== |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class RefusedSource:
    """says: what must occur in a refusal that names the marked line."""

    name: str
    says: str
    text: str

    def line(self) -> int:
        """The number of the marked line."""
        return next(n for n, text in enumerate(self.text.splitlines(), 1) if "HERE" in text)


SOURCES = [
    RefusedSource(*match.groups())
    for match in _SOURCE.finditer(Path(__file__).with_suffix(".txt").read_text())
]
