"""Finds the device code of a program that may access volatile memory."""

from __future__ import annotations

from tokens import Function, Tokens

VOLATILE = (b"volatile", b"__volatile__")
TYPES = (b"typedef", b"using", b"struct", b"class", b"union")
SPACES = (b"__device__", b"__managed__", b"__shared__")


def volatile_functions(tokens: Tokens) -> list[Function]:
    """The device functions of which the text has the word; all of them if a type or a variable
    outside of functions has it."""
    found: dict[int, Function] = {}
    for i in tokens.words(*VOLATILE):
        around = [f for f in tokens.functions if f.head <= i < f.closed and f.may_run_on_device]
        found |= {f.opened: f for f in around}
        if not around and _is_shared(tokens, i):
            return [f for f in tokens.functions if f.may_run_on_device]
    return list(found.values())


def _is_shared(tokens: Tokens, i: int) -> bool:
    """Does the token belong to a type, or to a variable in the memory of the device?"""
    brace = tokens.up[i]
    while brace >= 0 and not tokens.is_scope(brace):
        head = tokens.text[tokens.statement(brace) : brace]
        if not any(word in TYPES for word in head) or b"(" in head:
            return False  # a function of the host
        brace = tokens.up[brace]
    first = last = tokens.statement(i)
    while last < len(tokens) and tokens.text[last] not in (b";", b"{", b"="):
        last = tokens.past(last)
    words = tokens.text[first:last]
    return not tokens.is_global(i) or any(word in TYPES + SPACES for word in words)
