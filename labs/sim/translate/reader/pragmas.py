"""#pragma unroll and the other directives in a program's text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from labs.sim.translate.reader.expanded import blanked

DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n\\]|\\[\s\S])*", re.MULTILINE)
# Only before a loop, as g++ allows it nowhere else.
UNROLL = re.compile(
    rb"""^[ \t]*\#[ \t]*pragma[ \t]+(?P<unroll>unroll\b[ \t]*(?P<count>[^\n]*))\n
    (?=(?P<between>(?:\s|\#[^\n]*\n)*)(?:for|while|do)\b)""",
    re.MULTILINE | re.VERBOSE,
)
BEFORE_LOOP = re.compile(rb"#[ \t]*pragma[ \t]+(?:no)?unroll[^\n]*\s*(?:#[^\n]*\s*)*$")
FARTHEST = 300  # bytes between it and the loop


@dataclass(frozen=True)
class Unroll:
    """A #pragma unroll: its bytes from the word on, what stands behind the word, and where the loop
    begins."""

    start: int
    end: int
    count: bytes
    loop: int


class Pragmas:
    """Those of a source."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.unrolls = [
            Unroll(
                *found.span("unroll"), _count(found["count"]), found.end() + len(found["between"])
            )
            for found in UNROLL.finditer(source)
        ]

    def before(self, loop: int) -> bytes | None:
        """The text from a #pragma unroll or nounroll to the loop that begins at a byte."""
        found = BEFORE_LOOP.search(self.source[max(loop - FARTHEST, 0) : loop])
        return found.group() if found else None

    def line_above(self, unroll: Unroll) -> int:
        """The end of the nearest line above that is no directive."""
        source = self.source
        end = source.rfind(b"\n", 0, unroll.start)
        while end > 0 and source[source.rfind(b"\n", 0, end) + 1 : end].lstrip()[:1] == b"#":
            end = source.rfind(b"\n", 0, end)
        return max(end, 0)


def _count(text: bytes) -> bytes:
    return text.split(b"//")[0].strip()


def without_directives(source: bytes) -> bytes:
    """A directive between a loop's head and its body would end the loop for the grammar."""
    return DIRECTIVE.sub(lambda found: blanked(found.group()), source)
