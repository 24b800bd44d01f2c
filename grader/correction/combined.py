"""One mistake in several places: the same in a statement or a function, or two names exchanged."""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from grader.correction.edits import Edit

RANK = 2  # from this one on, edits are not combined
BESIDE = 2  # lines
MOST = 5  # places, of which two are changed as well
REPLACED = re.compile(r"`(?P<old>.+)` should be `(?P<new>.+)`")


FACTOR = re.compile(r"(`\* .+` is missing) after `.+`")


def combined(alone: Sequence[Edit]) -> Iterator[Edit]:
    """The edits of several places that those of one place in a function make together."""
    same: dict[Hashable, list[Edit]] = {}
    exchanged: dict[Hashable, list[Edit]] = {}
    for edit in alone:
        if len(edit.places) > 1 or edit.places[0].is_statement:
            continue
        if (factor := FACTOR.fullmatch(edit.what)) and edit.rank <= RANK:
            same.setdefault((edit.statement, factor[1]), []).append(replace(edit, what=factor[1]))
        if edit.rank > RANK:
            continue
        for scope in (edit.statement, None)[: 1 + (edit.rank < RANK)]:
            if edit.rank < RANK:
                same.setdefault((scope, edit.what), []).append(edit)
            if found := REPLACED.fullmatch(edit.what):
                exchanged.setdefault((scope, frozenset(found.groups())), []).append(edit)
    for edits in same.values():
        yield from _together(edits, f"{edits[0].what}, {len(edits)} times")
        for two in combinations(edits, 2) if 2 < len(edits) <= MOST else ():
            yield from _together(list(two), f"{two[0].what}, 2 times")
    for edits in exchanged.values():
        edits = [replace(edit, rank=max(0, edit.rank - 1)) for edit in edits]  # people do that
        names = REPLACED.match(edits[0].what)
        what = f"`{names['old']}` and `{names['new']}` are exchanged" if names else ""
        if len({edit.what for edit in edits}) == 2:
            yield from _together(edits, what)
        for one, other in combinations(edits, 2) if len(edits) > 2 else ():
            if one.what != other.what and abs(one.line - other.line) < BESIDE:
                yield from _together([one, other], what)


def _together(edits: list[Edit], what: str) -> Iterator[Edit]:
    places = sorted({place for edit in edits for place in edit.places}, key=lambda p: p.start)
    is_apart = all(a.end <= b.start for a, b in pairwise(places))
    if len(places) > 1 and is_apart:
        yield replace(edits[0], places=tuple(places), what=what)
