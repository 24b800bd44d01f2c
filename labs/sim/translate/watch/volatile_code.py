"""Finds the device code of a program that may access volatile memory."""

from __future__ import annotations

from itertools import takewhile

from labs.sim.translate.reader.program import Function, Program

VOLATILE = (b"volatile", b"__volatile__")
TYPES = (b"typedef", b"using", b"struct", b"class", b"union")
SPACES = (b"__device__", b"__managed__", b"__shared__")


def volatile_functions(program: Program) -> list[Function]:
    """The device functions of which the text has the word; all of them if any may use it."""
    device = [f for f in program.functions if f.may_run_on_device]
    if is_in_all(program):
        return device
    words = list(program.words(*VOLATILE))
    return [f for f in device if any(f.head <= i < f.closed for i in words)]


def is_in_all(program: Program) -> bool:
    """Does a type or a variable outside of functions have the word?"""
    device = [f for f in program.functions if f.may_run_on_device]
    return any(
        not any(f.head <= i < f.closed for f in device) and _is_shared(program, i)
        for i in program.words(*VOLATILE)
    )


def _is_shared(program: Program, i: int) -> bool:
    """Does the token belong to a type, or to a variable in the memory of the device?"""
    for brace in takewhile(lambda brace: not program.is_scope(brace), program.braces(i)):
        head = program.text[program.statement(brace) : brace]
        if not any(word in TYPES for word in head) or b"(" in head:
            return False  # a function of the host
    first = program.statement(i)
    words = program.text[first : program.until(first, b";", b"{", b"=")]
    return not program.is_global(i) or any(word in TYPES + SPACES for word in words)
