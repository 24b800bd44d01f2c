"""One mistake in several places: the same in a statement or a function, or two names exchanged."""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from grader.correction.edits import Edit

RANK = 2  # from this one on, edits are not combined
REPLACED = re.compile(r"`(?P<old>.+)` should be `(?P<new>.+)`")


def combined(alone: Sequence[Edit]) -> Iterator[Edit]:
    """The edits of several places that those of one place in a function make together."""
    same: dict[Hashable, list[Edit]] = {}
    exchanged: dict[Hashable, list[Edit]] = {}
    for edit in alone:
        if edit.rank >= RANK or len(edit.places) > 1 or edit.places[0].is_statement:
            continue
        for scope in (edit.statement, None):
            same.setdefault((scope, edit.what), []).append(edit)
            if found := REPLACED.fullmatch(edit.what):
                exchanged.setdefault((scope, frozenset(found.groups())), []).append(edit)
    for edits in same.values():
        yield from _together(edits, f"{edits[0].what}, {len(edits)} times")
    for edits in exchanged.values():
        if len({edit.what for edit in edits}) == 2 and (names := REPLACED.match(edits[0].what)):
            yield from _together(edits, f"`{names['old']}` and `{names['new']}` are exchanged")


def _together(edits: list[Edit], what: str) -> Iterator[Edit]:
    places = sorted({place for edit in edits for place in edit.places}, key=lambda p: p.start)
    is_apart = all(a.end <= b.start for a, b in pairwise(places))
    if len(places) > 1 and is_apart:
        yield replace(edits[0], places=tuple(places), what=what)
