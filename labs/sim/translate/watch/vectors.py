"""Has a plain run notice vectors at addresses where a device stops.

One instruction loads a float4 that is used as a whole, and its address must be a multiple of 16.
The pointer of such an access is looked at (sim/vectors.h): `v[i]`, `*v`, and those that a cast has
just made. `v[i].x` is a load of 4 bytes, and `&v[i]` none.
"""

from __future__ import annotations

from labs.sim.translate.reader.program import NUMBERS, Function, Program
from labs.sim.translate.watch.local_arrays import is_local_array

CASTS = (b"reinterpret_cast", b"static_cast")
MEMBERS = (b".", b"->")
MORE = (b"[", b"(", *MEMBERS, b"::")  # of an operand
QUALIFIERS = (b"const", b"volatile", b"__restrict__", b"__restrict", b"restrict")
UNARY = (b"*", b"&", b"-", b"~", b"!")
IN_TYPES = (b"*", b"::", b"<", b">", b",")


def check_vectors(program: Program) -> None:
    declared = [i for i in range(len(program)) if _declares_pointer(program, i)]
    for function in program.functions:
        if not function.is_device:  # the host may read them anywhere
            continue
        names = _names(program, function, declared)
        for i in range(function.opened + 1, function.closed):
            pointer = _pointer(program, i, names) if program.around(i) == function else None
            if pointer and _is_access(program, i, pointer):
                is_made = any(_made(program, k) for k in (pointer.start, pointer.start + 1))
                any_type = "<true>" if is_made else ""
                program.insert(program.start[pointer.start], f" ::sim_vectors{any_type}(")
                program.insert(program.end(pointer.stop - 1), ")")


def _declares_pointer(program: Program, i: int) -> bool:
    """Is the name at token i declared as a pointer to what may be a vector?"""
    if not program.is_name(i):
        return False
    star = _back(program, i - 1)
    if program.at(star) != b"*":
        return program.at(i - 1) == b"auto"
    of = _back(program, star - 1)
    is_type = program.is_name(of) or program.at(of) == b">"
    is_declared = i > star + 1 or program.at(i + 1) == b":" or program.declares(i)
    return is_type and program.text[of] not in NUMBERS and is_declared


def _back(program: Program, i: int) -> int:
    while program.at(i) in QUALIFIERS:
        i -= 1
    return i


def _names(program: Program, function: Function, declared: list[int]) -> set[bytes]:
    """The names of pointers in a function, and those of members with a point before them."""
    around = {-1, *program.braces(function.opened)}
    own = {
        program.text[i]
        for i in declared
        if program.up[i] in around or function.head <= i < function.closed
    }
    return own | {b"." + program.text[i] for i in declared}


def _pointer(program: Program, i: int, names: set[bytes]) -> range | None:
    """The pointer of the access that begins at token i."""
    text = program.text[i]
    if text == b"*" and (program.at(i - 1) == b")" or not program.ends_operand(i - 1)):
        last = _made(program, i + 1) or _named(program, i + 1, names)
        behind = last and (program.at(last) in MORE or _steps(program, last))
        return range(i + 1, last) if last and not behind else None
    if text == b"(":
        last = program.past(i) if _made(program, i + 1) == program.match[i] else None
    elif text in CASTS:
        last = _made(program, i)
    else:
        is_new = program.declares(i) or is_local_array(program, i) or program.at(i - 1) in MORE[2:]
        last = None if is_new else _named(program, i, names)
    return range(i, last) if last and program.at(last) == b"[" else None


def _named(program: Program, i: int, names: set[bytes]) -> int | None:
    """The token after the name of a pointer, as in v or this->v, or after (v + i)."""
    if program.at(i) == b"(" and program.match[i] > i:
        inside = program.text[i + 1 : program.match[i]]
        return program.past(i) if program.at(i + 1) in names and b"," not in inside else None
    first = i
    while program.is_name(i) and program.at(i + 1) in MEMBERS:
        i += 2
    name = b"." * (i > first) + program.at(i)
    return i + 1 if program.is_name(i) and name in names else None


def _made(program: Program, i: int) -> int | None:
    """The token after a cast to a pointer and what it casts."""
    if program.at(i) in CASTS and program.at(i + 1) == b"<":
        closed = program.angle(i + 1)
        is_pointer = closed is not None and _is_pointer_type(program, i + 2, closed)
        return program.past(closed + 1) if closed and is_pointer else None
    if not _is_cast(program, i):
        return None
    while program.at(i) in UNARY or _is_cast(program, i):
        i = program.past(i)
    if not (program.is_name(i) or program.at(i) == b"("):
        return None
    i = program.past(i)
    while program.at(i) in MORE:
        i = program.past(i) if program.text[i] in MORE[:2] else i + 2
    return None if _steps(program, i) else i


def _is_cast(program: Program, i: int) -> bool:
    return program.at(i) == b"(" and _is_pointer_type(program, i + 1, program.match[i])


def _is_pointer_type(program: Program, first: int, last: int) -> bool:
    words = [w for w in program.text[first:last] if w not in QUALIFIERS]
    inside = range(first, last)
    is_type = all(program.is_name(k) or program.text[k] in IN_TYPES for k in inside)
    return len(words) > 1 and words[-1] == b"*" and is_type


def _steps(program: Program, i: int) -> bool:
    return program.at(i) in (b"+", b"-") and program.is_step(i)


def _is_access(program: Program, first: int, pointer: range) -> bool:
    """Is what is at the address accessed as a whole, not its address taken, nor a member of it?"""
    before = first - 1
    if program.at(before) == b"&" and not program.ends_operand(before - 1):
        return False
    after = pointer.stop if program.text[first] == b"*" else program.past(pointer.stop)
    while program.at(first - 1) == b"(" and program.at(after) == b")":
        first, after = first - 1, after + 1
    return program.at(after) not in (*MEMBERS, b"[", b"(")
