"""Refuses a program whose text is another one in the build for counters and checks: what these see
would not be what runs. Headers of the simulator may differ, and what they make of memcpy().
"""

from __future__ import annotations

import re
from itertools import zip_longest

from labs.sim.translate.reader.expanded import MARKERS, TOKEN, Expanded

CLOCK = re.compile(rb'"(?:\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d{4})"')  # __TIME__, __DATE__
CALL = re.compile(rb"(?:__builtin_|sim_)(mem(?:cpy|move|set)|str(?:n?cat|n?cpy))")
ENTERED = re.compile(rb'^# 1 "([^\n]*)" 1\b[^\n]*\n', re.MULTILINE)
WHY = "this line is another one in the build that is checked; remove the #if or the macro of the "
WHY += "compiler that tells the builds apart"


def refuse_differences(checked: Expanded, plain: Expanded) -> None:
    """Raises Refusal at the first difference."""
    last = 0
    for here, there in zip_longest(_words(checked), _words(plain)):
        if not here or not there or here[1] != there[1]:
            raise checked.refusal(here[0] if here else last, WHY)
        last = here[0]


def _words(text: Expanded) -> list[tuple[int, bytes]]:
    """The program's words, and the headers that it includes and that say something, each with its
    place."""
    found = [(at, name) for at, block in text.foreign[1:] if (name := _header(block))]
    for token in TOKEN.finditer(text.own):
        word = token[0]
        if token["directive"] and MARKERS.match(word):
            continue
        if token["string"]:
            word = CLOCK.sub(b'"now"', word)
        elif token["word"]:
            word = CALL.sub(rb"\1", word)
        found.append((token.start(), word))
    return sorted(found, key=lambda word: word[0])


def _header(block: bytes) -> bytes:
    """The header that begins a block of foreign text; b"" where it was included before."""
    entered = ENTERED.search(block)
    return entered[1] if entered and MARKERS.sub(b"", block).strip() else b""
