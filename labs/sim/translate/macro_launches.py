"""Launches in the body of a #define, which is text and no tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

UNCLEAR = (
    "this kernel launch inside a #define could not be understood: write it as a function instead"
)
GAP = rb"(?:\s|\\\r?\n)*"
KERNEL = re.compile(
    rb"(?P<kernel>[A-Za-z_][\w:]*(?:%s##%s\w+)*(?:%s<[^<>;(){}]*>)?)%s(?P<open><<<)"
    % (GAP, GAP, GAP, GAP)
)
BEHIND = re.compile(rb">>>%s(?=\()" % GAP)


def _closed(body: bytes, at: int) -> int | None:
    """The place behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(body)):
        depth += (body[i] in b"([{") - (body[i] in b")]}")
        if depth == 0:
            return i + 1
    return None


def launches(body: bytes, parameters: list[str]) -> Iterator[list[tuple[int, int, str]] | None]:
    """For every `<<<` of the body the edits (begin, end, text) that make it a call of sim_kernel(),
    whose line is that of the macro's use; None for one that could not be understood."""
    known = {m.start("open"): m for m in KERNEL.finditer(body)}
    for token in re.finditer(rb"<<<", body):
        found, behind = known.get(token.start()), BEHIND.search(body, token.end())
        end = _closed(body, behind.end()) if behind else None
        if found is None or behind is None or end is None:
            yield None
            continue
        begin = found.start("kernel")
        plain = found["kernel"].decode(errors="replace").split("<")[0].split("::")[-1].strip()
        shown = f"#{plain}" if plain in parameters else f'"{plain.split("#")[0]}"'
        yield [
            (begin, begin, f"(sim_kernel(__FILE__, __LINE__, {shown}, "),
            (*found.span("open"), ").on("),
            (behind.start(), behind.start() + len(b">>>"), ")"),
            (end, end, ")"),
        ]
