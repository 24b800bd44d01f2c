"""A file with many edits in it, of which a number in the built program selects one.

So a single build tries hundreds of edits: mutant schemata (Untch, Offutt and Harrold, 1993).
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.correction.edits import Edit, Place
from grader.correction.nodes import one_line

Key = tuple[int, int, bool]  # begin, minus the end, whether it is an expression
Changes = dict[Key, list[tuple[int, Place]]]
NAME = "convlabs_edit"
# What the runner sets; it stands for no edit before. In brackets: kernels may read it.
DECLARED = {
    ".c": f"extern volatile int {NAME}; volatile int {NAME} = -1;",
    ".cu": f'extern "C" {{ extern volatile int ({NAME}); volatile int ({NAME}) = -1; }}',
}


def switched(source: bytes, edits: Sequence[Edit], suffix: str) -> bytes:
    """The file with all edits, one line further down; the runner selects one by its index. suffix:
    of the file's name."""
    changes: Changes = {}
    for number, edit in enumerate(edits):
        for place in edit.places:
            key = (place.start, -place.end, not place.is_statement)
            changes.setdefault(key, []).append((number, place))
    text, _ = _rendered(source, sorted(changes), changes, 0, 0, len(source))
    return f"{DECLARED[suffix]}\n".encode() + text


def _rendered(
    source: bytes, order: list[Key], changes: Changes, first: int, start: int, end: int
) -> tuple[bytes, int]:
    """The bytes between two offsets, and the index of the first change behind them."""
    parts = []
    while first < len(order) and order[first][0] < end:
        key = order[first]
        begin, stop = key[0], -key[1]
        parts.append(source[start:begin])
        inside, first = _rendered(source, order, changes, first + 1, begin, stop)
        parts.append(_choice(source[begin:stop], inside, changes[key]))
        start = stop
    parts.append(source[start:end])
    return b"".join(parts), first


def _choice(own: bytes, inside: bytes, others: list[tuple[int, Place]]) -> bytes:
    """own: the text that stands there; inside: the same with its own edits. What is chosen keeps
    the type that a number has: -1 must not become unsigned beside an edit with sizeof."""
    chosen = _is_chosen([number for number, _ in others])
    if others[0][1].is_statement:
        ways = "else ".join(f"if ({NAME} == {number}) {p.text} " for number, p in others)
        return f"{{ if ({chosen}) {{ {ways}}} else ".encode() + inside + b" }"
    *first, (_, last) = others
    texts = [f"{NAME} == {number} ? ({p.text.removeprefix(', ')}) : " for number, p in first]
    ways = f"{chosen} ? ({''.join(texts)}({last.text.removeprefix(', ')})) : "
    if not own:  # one more argument, 1 where nobody gives it
        return f", ({ways}1)".encode()
    text = one_line(own.decode(errors="replace"))
    kind = f"(__typeof__({text}))".encode() if others[0][1].is_number else b""
    return b"(" + kind + b"(" + ways.encode() + b"(" + inside + b")))"


def _is_chosen(numbers: list[int]) -> str:
    """Is one of these the edit? Quick where they follow each other, since loops ask it often."""
    run = next((n for n, number in enumerate(numbers) if number != numbers[0] + n), len(numbers))
    rest = "".join(f" || {NAME} == {number}" for number in numbers[run:])
    apart = f" || ({NAME} >= {numbers[run]} && (0{rest}))" if rest else ""
    return f"((unsigned)({NAME} - {numbers[0]}) < {run}u{apart})"
