"""Has a plain run notice vectors at addresses where a device stops.

One instruction loads a float4 that is used as a whole, and its address must be a multiple of 16.
The pointer of such an access is looked at (sim/vectors.h): `v[i]`, `*v`, and those that a cast has
just made. `v[i].x` is a load of 4 bytes, and `&v[i]` none.
"""

from __future__ import annotations

from local_arrays import NUMBERS, is_local_array
from setters import ends_operand, is_step
from tokens import Function, Tokens

CASTS = (b"reinterpret_cast", b"static_cast")
MEMBERS = (b".", b"->")
MORE = (b"[", b"(", *MEMBERS, b"::")  # of an operand
QUALIFIERS = (b"const", b"volatile", b"__restrict__", b"__restrict", b"restrict")
UNARY = (b"*", b"&", b"-", b"~", b"!")
IN_TYPES = (b"*", b"::", b"<", b">", b",")


def check_vectors(tokens: Tokens) -> None:
    declared = [i for i in range(len(tokens)) if _declares_pointer(tokens, i)]
    for function in tokens.functions:
        if not function.is_device:  # the host may read them anywhere
            continue
        names = _names(tokens, function, declared)
        for i in range(function.opened + 1, function.closed):
            pointer = _pointer(tokens, i, names) if tokens.around(i) == function else None
            if pointer and _is_access(tokens, i, pointer):
                is_made = any(_made(tokens, k) for k in (pointer.start, pointer.start + 1))
                any_type = "<true>" if is_made else ""
                tokens.insert(tokens.start[pointer.start], f" ::sim_vectors{any_type}(")
                tokens.insert(tokens.end(pointer.stop - 1), ")")


def _declares_pointer(tokens: Tokens, i: int) -> bool:
    """Is the name at token i declared as a pointer to what may be a vector?"""
    if not tokens.is_name(i):
        return False
    star = _back(tokens, i - 1)
    if tokens.at(star) != b"*":
        return tokens.at(i - 1) == b"auto"
    of = _back(tokens, star - 1)
    is_type = tokens.is_name(of) or tokens.at(of) == b">"
    is_declared = i > star + 1 or tokens.at(i + 1) == b":" or tokens.declares(i)
    return is_type and tokens.text[of] not in NUMBERS and is_declared


def _back(tokens: Tokens, i: int) -> int:
    while tokens.at(i) in QUALIFIERS:
        i -= 1
    return i


def _names(tokens: Tokens, function: Function, declared: list[int]) -> set[bytes]:
    """The names of pointers in a function, and those of members with a point before them."""
    around, brace = {-1}, tokens.up[function.opened]
    while brace >= 0:
        around.add(brace)
        brace = tokens.up[brace]
    own = {
        tokens.text[i]
        for i in declared
        if tokens.up[i] in around or function.head <= i < function.closed
    }
    return own | {b"." + tokens.text[i] for i in declared}


def _pointer(tokens: Tokens, i: int, names: set[bytes]) -> range | None:
    """The pointer of the access that begins at token i."""
    text = tokens.text[i]
    if text == b"*" and (tokens.at(i - 1) == b")" or not ends_operand(tokens, i - 1)):
        last = _made(tokens, i + 1) or _named(tokens, i + 1, names)
        behind = last and (tokens.at(last) in MORE or _steps(tokens, last))
        return range(i + 1, last) if last and not behind else None
    if text == b"(":
        last = tokens.past(i) if _made(tokens, i + 1) == tokens.match[i] else None
    elif text in CASTS:
        last = _made(tokens, i)
    else:
        is_new = tokens.declares(i) or is_local_array(tokens, i) or tokens.at(i - 1) in MORE[2:]
        last = None if is_new else _named(tokens, i, names)
    return range(i, last) if last and tokens.at(last) == b"[" else None


def _named(tokens: Tokens, i: int, names: set[bytes]) -> int | None:
    """The token after the name of a pointer, as in v or this->v, or after (v + i)."""
    if tokens.at(i) == b"(" and tokens.match[i] > i:
        inside = tokens.text[i + 1 : tokens.match[i]]
        return tokens.past(i) if tokens.at(i + 1) in names and b"," not in inside else None
    first = i
    while tokens.is_name(i) and tokens.at(i + 1) in MEMBERS:
        i += 2
    name = b"." * (i > first) + tokens.at(i)
    return i + 1 if tokens.is_name(i) and name in names else None


def _made(tokens: Tokens, i: int) -> int | None:
    """The token after a cast to a pointer and what it casts."""
    if tokens.at(i) in CASTS and tokens.at(i + 1) == b"<":
        closed = tokens.angle(i + 1)
        is_pointer = closed is not None and _is_pointer_type(tokens, i + 2, closed)
        return tokens.past(closed + 1) if closed and is_pointer else None
    if not _is_cast(tokens, i):
        return None
    while tokens.at(i) in UNARY or _is_cast(tokens, i):
        i = tokens.past(i)
    if not (tokens.is_name(i) or tokens.at(i) == b"("):
        return None
    i = tokens.past(i)
    while tokens.at(i) in MORE:
        i = tokens.past(i) if tokens.text[i] in MORE[:2] else i + 2
    return None if _steps(tokens, i) else i


def _is_cast(tokens: Tokens, i: int) -> bool:
    return tokens.at(i) == b"(" and _is_pointer_type(tokens, i + 1, tokens.match[i])


def _is_pointer_type(tokens: Tokens, first: int, last: int) -> bool:
    words = [w for w in tokens.text[first:last] if w not in QUALIFIERS]
    inside = range(first, last)
    is_type = all(tokens.is_name(k) or tokens.text[k] in IN_TYPES for k in inside)
    return len(words) > 1 and words[-1] == b"*" and is_type


def _steps(tokens: Tokens, i: int) -> bool:
    return tokens.at(i) in (b"+", b"-") and is_step(tokens, i)


def _is_access(tokens: Tokens, first: int, pointer: range) -> bool:
    """Is what is at the address accessed as a whole, not its address taken, nor a member of it?"""
    before = first - 1
    if tokens.at(before) == b"&" and not ends_operand(tokens, before - 1):
        return False
    after = pointer.stop if tokens.text[first] == b"*" else tokens.past(pointer.stop)
    while tokens.at(first - 1) == b"(" and tokens.at(after) == b")":
        first, after = first - 1, after + 1
    return tokens.at(after) not in (*MEMBERS, b"[", b"(")
