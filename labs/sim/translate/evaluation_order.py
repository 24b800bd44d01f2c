"""Evaluates arguments and operands in the order of the source, as nvcc does in device code.

C++ leaves the order open, and g++ begins with the last argument. `make_float3(draw(&s), draw(&s),
0)` then has other numbers than on a GPU. A call is edited where two of its arguments change
something; the list between braces has an order. Of the operands of `+` and its like g++ takes the
first one first, but for a variable: in `j + (j = 5)` it is read when both are known. Where the rest
of the expression sets it, sim_now() reads it at once.
"""

from __future__ import annotations

from tokens import Function, Tokens

CALLED = "(static_cast<decltype(sim_arguments) &&>(sim_arguments)...); }, "
BEFORE = "sim_in_order{[&](auto &&...sim_arguments) -> decltype(auto) { return "
# What may stand before a call; before the name of a variable stands its type.
STARTS = frozenset(b"= ( , return + - / % ; { } ! | ? : [ else do".split())
OPERATORS = frozenset(b"+ - * / % & | ^ < > = !".split())


def order_evaluation(tokens: Tokens) -> None:
    """Edits the calls and the operands of device code."""
    device = [f for f in tokens.functions if f.may_run_on_device]
    changing = {name for f in device for name in [_changes(tokens, f)] if name}
    inside = sorted({i for f in device for i in range(f.opened + 1, f.closed)})
    _order_arguments(tokens, inside, changing)
    _order_operands(tokens, inside, changing)


def _order_arguments(tokens: Tokens, inside: list[int], changing: set[bytes]) -> None:
    for i in inside:
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


def _order_operands(tokens: Tokens, inside: list[int], changing: set[bytes]) -> None:
    """Edits the variables that are read before something in the same expression sets them."""
    for i in inside:
        if not tokens.is_name(i) or not _is_read(tokens, i):
            continue
        first, after = i - 1, i + 1
        while (
            tokens.at(first) == b"(" and tokens.at(after) == b")" and not tokens.is_name(first - 1)
        ):
            first, after = first - 1, after + 1
        rest = _rest(tokens, after) if tokens.at(after) in OPERATORS else range(0)
        if any(tokens.text[k] == tokens.text[i] and _is_set(tokens, k, changing) for k in rest):
            tokens.insert(tokens.start[i], "sim_now(")
            tokens.insert(tokens.end(i), ")")


def _is_read(tokens: Tokens, i: int) -> bool:
    """Is the name at i that of a variable whose value is an operand?"""
    before = tokens.at(i - 1)
    is_sign = before in (b"+", b"-", b"&") and not _ends_operand(tokens, i - 2)
    is_twice = is_sign and tokens.at(i - 2) == before
    if before in (b".", b"->", b"::", b"struct", b"class", b"union", b"enum"):
        return False
    return not (is_twice or (is_sign and before == b"&"))


def _ends_operand(tokens: Tokens, i: int) -> bool:
    is_word = tokens.is_name(i) and tokens.at(i) != b"return"
    return is_word or tokens.kind[i] == "number" or tokens.at(i) in (b")", b"]")


def _rest(tokens: Tokens, i: int) -> range:
    """What is evaluated with the operand before the operator at i, in no order that C++ says."""
    if tokens.at(i) == b"=" or (
        tokens.at(i + 1) == b"=" and tokens.at(i) not in (b"<", b">", b"!")
    ):
        first = i + 2 if tokens.at(i) == tokens.at(i + 1) else len(tokens)  # == or an assignment
    elif tokens.at(i) in (b"+", b"-") and _is_step(tokens, i):
        first = len(tokens)
    else:
        first = i + 1
    last = first
    while 0 <= last < len(tokens) and tokens.text[last] not in (b";", b",", b"?", b")", b"]", b"}"):
        if tokens.text[last] in (b"&", b"|") and tokens.at(last + 1) == tokens.text[last]:
            break
        last = tokens.past(last)
    return range(first, last)


def _is_step(tokens: Tokens, i: int) -> bool:
    """Do the signs at i and behind it make ++ or --?"""
    return tokens.at(i + 1) == tokens.text[i] and tokens.start[i + 1] == tokens.end(i)


def _is_set(tokens: Tokens, i: int, changing: set[bytes]) -> bool:
    """Is the variable at i set there, or handed to a function that may?"""
    before, sign = tokens.at(i - 1), tokens.at(i + 1)
    if before in (b"+", b"-") and tokens.at(i - 2) == before and _is_step(tokens, i - 2):
        return True
    if before == b"&" and not _ends_operand(tokens, i - 2):
        return True
    if before in (b"(", b",") and sign in (b")", b",") and _called(tokens, i) in changing:
        return True
    if sign in (b"+", b"-") and _is_step(tokens, i + 1):
        return True
    is_shift = sign in (b"<", b">") and tokens.at(i + 2) == sign
    behind = tokens.at(i + 3) if is_shift else tokens.at(i + 2)
    if sign == b"=":
        return behind != b"="
    return (
        sign in OPERATORS
        and sign != b"!"
        and behind == b"="
        and (is_shift or sign not in (b"<", b">"))
    )


def _called(tokens: Tokens, i: int) -> bytes:
    """What the innermost brackets around token i are the arguments of."""
    k = i - 1
    while k >= 0 and tokens.match[k] < i:
        k -= 1
    return tokens.at(k - 1)


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
