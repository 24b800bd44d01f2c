"""Calls whose result the program ignores, as far as the source shows it."""

from __future__ import annotations

from tokens import Tokens

BEFORE = (b";", b"{", b"}", b"else", b"do")


def _begins(tokens: Tokens, i: int) -> bool:
    """Is token i the first of a statement?"""
    before = tokens.at(i - 1)
    if before == b")" and tokens.match[i - 1] > 0:
        return tokens.text[tokens.match[i - 1] - 1] in (b"if", b"for", b"while", b"switch")
    if before == b":":  # of a label, not of a ? b : c
        label = tokens.statement(i - 1)
        return b"?" not in tokens.text[label:i]
    return before in BEFORE or i == 0


def is_unchecked(tokens: Tokens, call: int, closed: int) -> bool:
    """Does the program ignore what the call returns? call..closed: its name and its last bracket.

    It stands alone as a statement, or a variable takes its result and, before anything else
    mentions that variable, takes that of another expression. `(void)call` ignores it on purpose.
    """
    if tokens.at(closed + 1) != b";":
        return False
    first = call - 1 if tokens.at(call - 1) == b"::" and not tokens.is_name(call - 2) else call
    if _begins(tokens, first):
        return True
    if tokens.at(first - 1) != b"=" or not tokens.is_name(first - 2):
        return False
    target = first - 2
    if not _begins(tokens, target) and not tokens.is_name(target - 1):
        return False
    return _is_overwritten(tokens, target, closed + 2)


def _is_overwritten(tokens: Tokens, target: int, i: int) -> bool:
    """Is the first later mention of the variable, in its block, a statement that assigns to it?"""
    name = tokens.text[target]
    while i < len(tokens) and tokens.text[i] != name:
        if tokens.text[i] == b"}" and tokens.match[i] < target:
            return False
        i += 1
    if i >= len(tokens) or tokens.up[i] != tokens.up[target]:
        return False
    if not (tokens.at(i - 1) in (b";", b"}", b"{") and tokens.at(i + 1) == b"="):
        return False
    end = i + 2
    if tokens.at(end) == b"=":
        return False  # a comparison
    while end < len(tokens) and tokens.text[end] != b";":
        if tokens.text[end] == name:
            return False
        end += 1
    return True
