"""Launches in the body of a #define, which the grammar leaves as text."""

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
AFTER = re.compile(rb">>>%s(?=\()" % GAP)


def _closed(body: bytes, at: int) -> int | None:
    """The index after the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(body)):
        depth += (body[i] in b"([{") - (body[i] in b")]}")
        if depth == 0:
            return i + 1
    return None


def launches(body: bytes, parameters: list[str]) -> Iterator[list[tuple[int, int, str]] | None]:
    """For every `<<<` of the body, the edits (begin, end, text) that turn the launch into a call of
    sim_kernel() with the line where the macro is used; None for a launch that is unclear."""
    known = {m.start("open"): m for m in KERNEL.finditer(body)}
    for token in re.finditer(rb"<<<", body):
        match, after = known.get(token.start()), AFTER.search(body, token.end())
        end = _closed(body, after.end()) if after else None
        if match is None or after is None or end is None:
            yield None
            continue
        begin = match.start("kernel")
        plain = match["kernel"].decode(errors="replace").split("<")[0].split("::")[-1].strip()
        shown = f"#{plain}" if plain in parameters else f'"{plain.split("#")[0]}"'
        yield [
            (begin, begin, f"(sim_kernel(__FILE__, __LINE__, {shown}, "),
            (*match.span("open"), ").on("),
            (after.start(), after.start() + len(b">>>"), ")"),
            (end, end, ")"),
        ]
