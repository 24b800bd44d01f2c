"""Finds the device code of a program that may access volatile memory."""

from __future__ import annotations

from tokens import Function, Tokens

VOLATILE = (b"volatile", b"__volatile__")
TYPES = (b"typedef", b"using", b"struct", b"class", b"union")
SPACES = (b"__device__", b"__managed__", b"__shared__")


def volatile_functions(tokens: Tokens) -> list[Function]:
    """The device functions of which the text has the word; all of them if any may use it."""
    device = [f for f in tokens.functions if f.may_run_on_device]
    if is_in_all(tokens):
        return device
    words = list(tokens.words(*VOLATILE))
    return [f for f in device if any(f.head <= i < f.closed for i in words)]


def is_in_all(tokens: Tokens) -> bool:
    """Does a type or a variable outside of functions have the word?"""
    device = [f for f in tokens.functions if f.may_run_on_device]
    return any(
        not any(f.head <= i < f.closed for f in device) and _is_shared(tokens, i)
        for i in tokens.words(*VOLATILE)
    )


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
