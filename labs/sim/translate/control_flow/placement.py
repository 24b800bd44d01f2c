"""Puts the marks of control flow into a program, and gives #pragma unroll its name in g++."""

from __future__ import annotations

import re
from collections.abc import Sequence

from labs.sim.translate.control_flow.marks import Marker
from labs.sim.translate.reader.expanded import quoted
from labs.sim.translate.reader.program import Function, Program

MAX_ITERATIONS = 1024  # of a loop that is to be unrolled completely
COPIES = 4  # of the body of a loop that cannot be: its length is known only when it begins
UNROLL_HERE = re.compile(r"SIM_UNROLL\((\d+)\)")
MARK = re.compile(r"SIM_(FUNCTION|LOOP|ROUND|ARM|END)\((\d+)(?:, (\d+))?\)")


def mark_lock_step(program: Program, functions: Sequence[Function]) -> None:
    """Marks these functions, without what only counters need."""
    for at, mark in _inserts(program, Marker(program, is_counted=False)):
        if any(program.start[f.opened] < at < program.end(f.closed) for f in functions):
            program.insert(at, mark)


def mark_counted(program: Program, counts: dict[bytes, int]) -> None:
    """Marks all device code for counters, which depend on unrolled loops, too. counts: the values
    of macros in #pragma unroll."""
    marker = Marker(program, is_counted=True)
    for at, mark in _inserts(program, marker):
        program.insert(at, mark)
    # g++ takes long over unrolled loops: no other build has them.
    _unroll(program, counts, marker.of_any_length)


def _inserts(program: Program, marker: Marker) -> list[tuple[int, str]]:
    """What to insert, and before which byte: between a loop and its #pragma unroll g++ allows
    nothing."""
    marker.file()
    above = {u.loop: program.pragmas.line_above(u) for u in program.pragmas.unrolls}
    places = [(above.get(at, at), mark) for at, mark in marker.inserts]
    return [(at, MARK.sub(_marked, _unrolled(program, at, mark))) for at, mark in places]


def _unroll(program: Program, counts: dict[bytes, int], of_any_length: set[int]) -> None:
    """Only a number of iterations: an expression may depend on a template parameter, which g++ does
    not allow. of_any_length: where loops begin that no pragma can unroll completely."""
    for unroll in program.pragmas.unrolls:
        number = re.fullmatch(rb"\(*\s*(\d{1,5})\s*\)*", unroll.count)
        count = int(number[1]) if number else counts.get(unroll.count)
        if not unroll.count:
            count = COPIES if unroll.loop in of_any_length else MAX_ITERATIONS
        if count is not None and 1 <= count < 65535:
            program.cut(unroll.start, unroll.end, f"GCC unroll {count}")


def _unrolled(program: Program, at: int, mark: str) -> str:
    """The mark before a loop that g++ is to unroll, as it reads it: a pragma ends with its line, so
    a line marker says where the rest comes from."""
    found = UNROLL_HERE.fullmatch(mark)
    if found is None:
        return mark
    file, line, _ = program.expanded.position(at)
    return f"\n#pragma GCC unroll {found[1]}\n# {line} {quoted(file)}\n"


def _marked(mark: re.Match[str]) -> str:
    """A mark as sim/marks.h defines it: the preprocessor is done already."""
    kind, number, arm = mark[1], mark[2], mark[3] or "0"
    if kind in ("FUNCTION", "ROUND"):
        return f"sim_marked_{kind.lower()}<{number}> sim_{kind.lower()}_{number};"
    return f"sim_mark_here(SIM_MARK_{kind}, {arm}, {number});"
