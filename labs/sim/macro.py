"""Launches in the body of a #define, which is text and no tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

UNCLEAR = (
    "this kernel launch inside a #define could not be understood: write it as a function instead"
)
GAP = rb"(?:\s|\\\r?\n)*"
KERNEL = re.compile(
    rb"(?P<kernel>[A-Za-z_][\w:]*(?:%s##%s\w+)*(?:%s<[^<>;(){}]*>)?)%s(?P<open><<<)"
    % (GAP, GAP, GAP, GAP)
)
BEHIND = re.compile(rb">>>%s(?=\()" % GAP)


@dataclass(frozen=True)
class Launch:
    """Where its parts lie in the body: kernel <<< configuration >>> arguments."""

    kernel: tuple[int, int]
    opening: tuple[int, int]
    closing: tuple[int, int]
    end: int


def _closed(body: bytes, at: int) -> int | None:
    """The place behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(body)):
        depth += (body[i] in b"([{") - (body[i] in b")]}")
        if depth == 0:
            return i + 1
    return None


def launches(body: bytes) -> Iterator[Launch | None]:
    """Every `<<<` of the body; None for one that could not be understood."""
    known = {m.start("open"): m for m in KERNEL.finditer(body)}
    for token in re.finditer(rb"<<<", body):
        found, behind = known.get(token.start()), BEHIND.search(body, token.end())
        end = _closed(body, behind.end()) if behind else None
        if found is None or behind is None or end is None:
            yield None
        else:
            closing = (behind.start(), behind.start() + 3)
            yield Launch(found.span("kernel"), found.span("open"), closing, end)
