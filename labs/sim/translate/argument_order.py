"""Evaluates the arguments of a call in the order of the source, as nvcc does in device code.

C++ leaves the order open, and g++ begins with the last one. `make_float3(draw(&s), draw(&s), 0)`
then has other numbers than on a GPU. A call is edited where two of its arguments change something;
the list between braces has an order.
"""

from __future__ import annotations

from tokens import Function, Tokens

CALLED = "(static_cast<decltype(sim_arguments) &&>(sim_arguments)...); }, "
BEFORE = "sim_in_order{[&](auto &&...sim_arguments) -> decltype(auto) { return "
# What may stand before a call; before the name of a variable stands its type.
STARTS = frozenset(b"= ( , return + - / % ; { } ! | ? : [ else do".split())


def order_arguments(tokens: Tokens) -> None:
    """Edits the calls of device code."""
    device = [f for f in tokens.functions if f.may_run_on_device]
    changing = {name for f in device for name in [_changes(tokens, f)] if name}
    for i in sorted({i for f in device for i in range(f.opened + 1, f.closed)}):
        is_call = tokens.is_name(i) and tokens.at(i + 1) == b"(" and tokens.match[i + 1] > i
        if not is_call or tokens.at(i - 1) not in STARTS:
            continue
        closed = tokens.match[i + 1]
        parts = tokens.commas(i + 2, closed)
        texts = [tokens.text[first:last] for first, last in parts]
        if any(text in ([b"0"], [b"NULL"]) or b"{" in text or b"..." in text for text in texts):
            continue  # a null pointer, and what has no type of its own
        if sum(any(_acts(tokens, k, changing) for k in range(*part)) for part in parts) > 1:
            tokens.insert(tokens.start[i], BEFORE)
            tokens.replace(i + 1, CALLED)
            tokens.replace(closed, "}()")


def _acts(tokens: Tokens, i: int, changing: set[bytes]) -> bool:
    """Does token i change a variable, or call what may?"""
    text = tokens.text[i]
    if text in (b"+", b"-"):
        return tokens.at(i + 1) == text and tokens.start[i + 1] == tokens.end(i)
    if not tokens.is_name(i) or tokens.at(i + 1) != b"(":
        return False
    return text in changing or text.startswith(b"atomic")


def _changes(tokens: Tokens, function: Function) -> bytes:
    """The name of a function that stores through a pointer or a reference; else nothing."""
    opened = tokens.parameters(function)
    if opened is None or not tokens.is_name(opened - 1):
        return b""
    for first, last in tokens.commas(opened + 1, tokens.match[opened]):
        words = tokens.text[first:last]
        is_open = (b"*" in words or b"&" in words) and b"const" not in words
        if is_open and any(
            tokens.text[k] == words[-1] and _is_stored(tokens, k)
            for k in range(function.opened, function.closed)
        ):
            return tokens.text[opened - 1]
    return b""


def _is_stored(tokens: Tokens, i: int) -> bool:
    """Is what the name at i points to assigned, or is the name handed on?"""
    if tokens.at(i - 1) in (b"(", b",") and tokens.at(i + 1) in (b",", b")"):
        return True
    k = i + 1
    while tokens.at(k) in (b"[", b".", b"->", b")"):
        k = tokens.past(k) + (tokens.text[k] in (b".", b"->"))
    sign = tokens.at(k)
    if sign in (b"+", b"-", b"*", b"/", b"%", b"&", b"|", b"^", b"<", b">"):
        k += 1 + (tokens.at(k + 1) == sign)
        is_step = sign in (b"+", b"-") and tokens.at(k - 1) == sign and k > i + 2
        return is_step or tokens.at(k) == b"="
    return sign == b"=" and tokens.at(k + 1) != b"="
