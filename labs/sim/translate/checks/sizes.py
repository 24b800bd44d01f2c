"""Warns of sizes and values in bytes that compile and are not meant."""

from __future__ import annotations

import re
from itertools import takewhile

from labs.sim.translate.reader.declared import functions
from labs.sim.translate.reader.program import ENDS, Program

FRACTION = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[fF]))[fF]?")
OF_BYTES = (b"cudaMemset", b"cudaMemcpy", b"cudaMalloc", b"cudaHostAlloc")


def warn_of_sizes(program: Program) -> None:
    """Warns of values and sizes in calls of the runtime API, and of products with a sizeof."""
    for i, text in enumerate(program.text):
        is_call = text.startswith(OF_BYTES) and program.kind[i] == "word"
        is_call = is_call and program.at(i + 1) == b"(" and text in functions()
        if is_call and program.at(i - 1) not in (b".", b"->"):
            _warn_of_bytes(program, i + 1)
    _warn_of_pointers(program)


def _warn_of_bytes(program: Program, opened: int) -> None:
    """The value of a cudaMemset() is a byte, 1.0f that of the integer 1. And sizeof of a
    pointer that is copied, filled or allocated is 8."""
    name = program.text[opened - 1].decode()
    given = program.commas(opened + 1, program.match[opened])
    names = {program.text[first] for first, last in given if last == first + 1}
    allocated = given[0][1] - 1 if given and "lloc" in name else -1
    if program.at(allocated - 1) == b"&" and _declared_as(program, allocated).count(b"*") == 1:
        names.add(program.text[allocated])
    for first, last in given[1:]:
        text = program.flat(first, last)
        is_name = last == first + 1 and program.is_name(first)
        words = _declared_as(program, first) if is_name else []
        is_float = FRACTION.fullmatch(text) and text.strip("-+.0fF")
        if name.startswith("cudaMemset") and (is_float or b"float" in words or b"double" in words):
            why = f"sets bytes: {text} becomes an integer, and each byte gets it"
            program.warn(first, f"{name}() {why}; write numbers with a kernel, or copy them")
        for i in range(first, last):
            of = i + 2 if program.at(i + 1) == b"(" else i + 1
            is_whole = of == i + 1 or program.at(of + 1) == b")"
            is_size = program.text[i] == b"sizeof" and is_whole and program.text[of] in names
            if is_size and b"*" in _declared_as(program, of):
                of_what = program.text[of].decode(errors="replace")
                why = f"{of_what} is a pointer, whose sizeof is 8 bytes"
                better = f"write the number of elements * sizeof(*{of_what})"
                program.warn(i, f"{name}(): {why}; {better}")


def _warn_of_pointers(program: Program) -> None:
    """A number of elements * sizeof p, where p is the pointer to them: 8 bytes for each."""
    for i in program.words(b"sizeof"):
        closed = program.match[i + 1] if program.at(i + 1) == b"(" else i + 1
        of = i + 2 if closed > i + 1 else i + 1
        is_product = b"*" in (program.at(i - 1), program.at(closed + 1))
        is_name = of in (closed, closed - 1) and program.is_name(of)
        if is_product and is_name and _declared_as(program, of).count(b"*") == 1:
            name = program.text[of].decode(errors="replace")
            why = f"{name} is a pointer, whose sizeof is 8 bytes"
            program.warn(i, f"{why}; sizeof(*{name}) is that of an element")


def _declared_as(program: Program, i: int) -> list[bytes]:
    """The type and the declarator before the name at token i, where it was declared last; a
    parameter `float a[]` has a *, too."""
    inner = list(takewhile(lambda brace: not program.is_scope(brace), program.braces(i)))
    body = inner[-1] if inner else program.up[i]
    head = program.statement(max(body, 0))
    for k in reversed([k for k in program.words(program.text[i]) if k < i]):
        is_seen = program.is_global(k) if k < head else k < body
        if not is_seen and not (k > body and i < program.match[program.up[k]]):
            continue
        if program.declares(k) or program.at(k - 1) in (b"restrict", b"__restrict__"):
            first = k
            while program.at(first - 1) not in (*ENDS, b"(", b",", b")", b"<", b""):
                first -= 1
            is_array = program.at(k + 1) == b"["
            array = [b"*"] if head <= k < body else []
            return array if is_array else program.text[first:k]
        start = program.statement(k)
        is_type = program.is_name(start) and program.at(start - 1) in ENDS
        if k > body and is_type and (program.is_name(start + 1) or program.at(start + 1) == b"*"):
            star = [b"*"] if program.at(k - 1) == b"*" else []
            return [] if program.at(k + 1) == b"[" else [program.text[start], *star]
    return []
