"""What integer instructions of an sm_90 compute, for many lanes at once: the results of each from
the values of its operands.

A value is 32 bits in an int64, of a predicate 0 or 1. Where an instruction adds, a negated operand
is its complement and one, 33 bits, so that the sum has the processor's carry. A function returns
the registers and the predicates that are set; it raises ValueError for a form that is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.int64]
Results = tuple[list[Values], list[Values]]
Parts = list[str]  # of an instruction's name, behind the first
MASK = 0xFFFFFFFF


def signed(value: Values) -> Values:
    return (value ^ 0x80000000) - 0x80000000


def _pick(parts: Parts, *values: Values) -> list[Values]:
    """As signed numbers, if the instruction is not one of unsigned ones."""
    return list(values) if "U32" in parts else [signed(value & MASK) for value in values]


def _sum(terms: Iterable[Values]) -> Values:
    return np.asarray(np.sum(list(terms), axis=0, dtype=np.int64))


def _bits(value: NDArray[np.bool_]) -> Values:
    return value.astype(np.int64)


def _add(_: Parts, *terms: Values) -> Results:
    whole = _sum(terms)
    return [whole & MASK], [_bits(whole >> 32 >= number) for number in (1, 2)]


def _multiply_add(parts: Parts, a: Values, b: Values, c: Values, *more: Values) -> Results:
    """more: a carry, and the upper word of c where the product has 64 bits."""
    if "WIDE" not in parts and "HI" not in parts:
        return [_sum([a * b, c, *more]) & MASK], []
    x, y = _pick(parts, a, b)
    *carry, upper = more
    whole = _sum([x * y, upper << 32, c, *carry])
    high = whole >> 32 & MASK
    return ([high] if "HI" in parts else [whole & MASK, high]), []


def _shift_add(parts: Parts, a: Values, b: Values, *more: Values) -> Results:
    """LEA: (a << shift) + b; of HI, the upper word of a shift of a and the next operand."""
    rest = list(more)
    upper = a & MASK
    if "HI" in parts:
        upper = signed(a & MASK) >> 32 if "SX32" in parts else rest.pop(0)
    shift, *carry = rest
    x = (upper << shift | (a & MASK) >> 32 - shift) if "HI" in parts else a << shift
    whole = _sum([x & MASK, b, *carry])
    return [whole & MASK], [whole >> 32 & 1]


def _table(table: int, a: Values, b: Values, c: Values) -> Values:
    """Of three bits, what the table has for each."""
    found = a & 0
    for index in range(8):
        if table >> index & 1:
            found |= (a if index & 4 else ~a) & (b if index & 2 else ~b) & (c if index & 1 else ~c)
    return found & MASK


def _logic(_: Parts, a: Values, b: Values, c: Values, table: Values, *__: Values) -> Results:
    found = _table(int(table[0]), a, b, c)
    return [found], [_bits(found != 0)]


def _predicates(_: Parts, a: Values, b: Values, c: Values, *tables: Values) -> Results:
    return [], [_table(int(table[0]), a, b, c) & 1 for table in tables]


_COMPARE: dict[str, Callable[[Values, Values], NDArray[np.bool_]]] = {
    "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal,
    "EQ": np.equal, "NE": np.not_equal,
}  # fmt: skip
_UPPER = {"LE": "LT", "GE": "GT"}  # of 64 bits, what decides before the lower words do


def _compare(parts: Parts, a: Values, b: Values, other: Values, *low: Values) -> Results:
    how = parts[0]
    if how not in _COMPARE:
        raise ValueError(how)
    x, y = _pick(parts, a, b)
    holds = _COMPARE[how](x, y)
    if low:
        upper = _COMPARE[_UPPER.get(how, how)](x, y)
        holds = upper | (low[0] != 0) if how == "NE" else (x == y) & (low[0] != 0)
        holds = holds | upper if how not in ("EQ", "NE") else holds
    joined = (
        np.bitwise_or if "OR" in parts else np.bitwise_xor if "XOR" in parts else np.bitwise_and
    )
    return [], [joined(_bits(which), other) for which in (holds, ~holds)]


def _shift(parts: Parts, low: Values, by: Values, high: Values) -> Results:
    """SHF: of 64 bits, or of one of their words."""
    wide = "U64" in parts or "S64" in parts
    by = np.minimum(by, 63 if wide else 32)
    top = signed(high) if "S32" in parts or "S64" in parts else high
    if parts[0] == "L":
        found = high << by | low >> np.maximum(32 - by, 0) if "HI" in parts else low << by
    elif "HI" in parts:
        found = top >> by
    else:
        found = (top << 32 | low) >> by if wide else low >> by
    return [found & MASK], []


def _extreme(parts: Parts, *operands: Values) -> Results:
    """VIMNMX, and VIADDMNMX, whose first value is a sum."""
    *terms, last, least = operands
    x, y = _pick(parts, _sum(terms) & MASK, last)
    found = np.where(least != 0, np.minimum(x, y), np.maximum(x, y))
    return [(np.maximum(found, 0) if "RELU" in parts else found) & MASK], []


def _bytes(_: Parts, a: Values, chosen: Values, b: Values) -> Results:
    whole, found = b << 32 | a, a & 0
    for index in range(4):
        selector = int(chosen[0]) >> 4 * index & 15
        byte = whole >> 8 * (selector & 7) & 0xFF
        byte = (byte >> 7) * 0xFF if selector & 8 else byte
        found = found | byte << 8 * index
    return [found], []


# A division of whole numbers begins with a float's inverse.


def _floats(value: Values) -> NDArray[np.float32]:
    return value.astype(np.uint32).view(np.float32)


def _word(value: NDArray[np.float32]) -> Values:
    return np.asarray(value, np.float32).view(np.uint32).astype(np.int64)


def _to_float(parts: Parts, a: Values) -> Results:
    """Rounded up."""
    _require("RP" in parts and "U64" not in parts)
    exact = _pick(parts, a)[0]
    found = exact.astype(np.float32)
    above = np.nextafter(found, np.float32(np.inf))
    return [_word(np.where(found.astype(np.float64) < exact, above, found))], []


def _inverse(parts: Parts, a: Values) -> Results:
    _require(parts == ["RCP"])
    with np.errstate(all="ignore"):
        return [_word(np.float32(1) / _floats(a))], []


def _to_integer(parts: Parts, a: Values) -> Results:
    _require("U32" in parts and "TRUNC" in parts)
    found = np.nan_to_num(_floats(a).astype(np.float64), nan=0, posinf=MASK, neginf=0)
    return [np.clip(found, 0, MASK).astype(np.int64)], []


def _require(known: bool) -> None:
    if not known:
        raise ValueError


def _select(_: Parts, a: Values, b: Values, which: Values) -> Results:
    return [np.asarray(np.where(which != 0, a, b))], []


FUNCTIONS: dict[str, Callable[..., Results]] = {
    "IADD3": _add, "VIADD": _add, "IMAD": _multiply_add, "LEA": _shift_add, "LOP3": _logic,
    "PLOP3": _predicates, "ISETP": _compare, "SHF": _shift, "SEL": _select,
    "VIMNMX": _extreme, "VIADDMNMX": _extreme, "PRMT": _bytes, "I2F": _to_float,
    "MUFU": _inverse, "F2I": _to_integer,
    "IABS": lambda _, a: ([np.abs(signed(a & MASK))], []),
}  # fmt: skip
for _name in ("MOV", "S2R", "R2UR", "S2UR", "LDC", "CS2R", "HFMA2"):
    FUNCTIONS[_name] = lambda _, *words: (list(words), [])
