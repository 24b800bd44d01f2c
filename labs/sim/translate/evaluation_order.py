"""Evaluates arguments and operands in the order of the source, as nvcc does in device code.

C++ leaves the order open, and g++ begins with the last argument. `make_float3(draw(&s), draw(&s),
0)` then has other numbers than on a GPU. A call is edited where one argument sets what another
uses; the list between braces has an order. Of the operands of `+` and its like g++ takes the first
one first, but if its value is a variable, as in `j + (j = 5)` and `++j * ++j`, that is read when
both are known. Where the rest of the expression sets it, sim_now() reads it at once.
"""

from __future__ import annotations

from collections.abc import Callable

from local_arrays import NUMBERS
from setters import MEMBERS, Setters, assigns, ends_operand, is_step
from tokens import ENDS, Tokens

CALLED = "(static_cast<decltype(sim_arguments) &&>(sim_arguments)...); }, "
BEFORE = "sim_in_order{[&](auto &&...sim_arguments) -> decltype(auto) { return "
LAST_FIRST = (
    "one argument changes {0} and another uses it; nvcc begins with the first one, g++ here with "
    "the last: change {0} in a line of its own"
)
LEFT_LAST = (
    "both operands change {0}; nvcc begins with the left one, g++ here with the right one, as "
    "the operator is a class's own: change {0} in a line of its own"
)
# What may stand before a call; before the name of a variable stands its type.
STARTS = frozenset(b"= ( , return + - / % ; { } ! | ? : [ else do".split())
OPERATORS = frozenset(b"+ - * / % & | ^ < > = !".split())
DECLARES = (*ENDS, b"const", b"struct", b"class", b"union", b"enum")
BEFORE_LEFT = frozenset(b"; { } ( [ , ? : = < > & | ^ ! return".split())
BEFORE_BRACKETS = (b"return", b"else", b"do", b"case")


def order_evaluation(tokens: Tokens, warn: Callable[[int, str], None]) -> None:
    """Edits the calls and the operands of device code; `warn` is told of what it cannot edit."""
    setters = Setters(tokens)
    own = _own_operators(tokens)
    for i in setters.inside:
        if tokens.text[i] in own and ends_operand(tokens, i - 1):
            left, right = _left(tokens, i), _rest(tokens, i)
            both = setters.certainly_of(left) & setters.certainly_of(right)
            classes = own[tokens.text[i]]
            if both and (_is_of(tokens, classes, left) or _is_of(tokens, classes, right)):
                warn(i, LEFT_LAST.format(min(both).decode(errors="replace")))
        if tokens.at(i + 1) == b"(" and tokens.match[i + 1] > i and _is_callee(tokens, i):
            _order_arguments(tokens, i, setters, warn)
        operand = _operand(tokens, i)
        if operand and tokens.at(i + 1) in OPERATORS:
            held = _held(tokens, operand, setters)
            if held and held & setters.of(_rest(tokens, i + 1)):
                _read_now(tokens, operand)


def _own_operators(tokens: Tokens) -> dict[bytes, set[bytes]]:
    """The signs of operators with two operands that a device has of classes, and these classes."""
    found: dict[bytes, set[bytes]] = {}
    for k in tokens.words(b"operator"):
        sign, opened = tokens.at(k + 1), k + 2
        is_own = b"__device__" in tokens.text[tokens.statement(k) : k]
        if is_own and sign in (b"+", b"-", b"*", b"/") and tokens.at(opened) == b"(":
            around = tokens.at(tokens.up[k] - 1)
            types = {around, *tokens.text[opened : tokens.match[opened]]} - NUMBERS
            found.setdefault(sign, set()).update(t for t in types if t[:1].isalpha())
    return found


def _left(tokens: Tokens, i: int) -> range:
    """The terms before the operator at i."""
    first = i
    while tokens.at(first - 1) not in BEFORE_LEFT and first > 0:
        first = tokens.match[first - 1] if tokens.match[first - 1] >= 0 else first - 1
    return range(first, i)


def _is_of(tokens: Tokens, classes: set[bytes], operand: range) -> bool:
    """Is a variable or a function of these classes in it, outside of the arguments of calls?"""
    i = operand.start
    while i < operand.stop:
        for k in tokens.words(tokens.text[i]) if tokens.is_name(i) else ():
            type_at = k - 1 - (tokens.at(k - 1) == b"&")
            if tokens.text[i] in classes or tokens.at(type_at) in classes:
                return True
        is_call = tokens.text[i] == b"(" and tokens.is_name(i - 1)
        i = tokens.past(i) if is_call or tokens.text[i] == b"[" else i + 1
    return False


def _order_arguments(
    tokens: Tokens, i: int, setters: Setters, warn: Callable[[int, str], None]
) -> None:
    closed = tokens.match[i + 1]
    parts = [range(*part) for part in tokens.commas(i + 2, closed)]
    shared = _set_and_used(tokens, parts, setters) if len(parts) > 1 else set()
    if not shared and sum(any(setters.acts(k) for k in part) for part in parts) < 2:
        return
    first = _first_of_name(tokens, i)
    texts = [tokens.text[part.start : part.stop] for part in parts]
    # a null pointer, and what has no type of its own
    untyped = any(text in ([b"0"], [b"NULL"]) or b"{" in text or b"..." in text for text in texts)
    if untyped or tokens.at(first - 1) not in STARTS:
        if shared:
            warn(first, LAST_FIRST.format(min(shared).decode(errors="replace")))
        return
    tokens.insert(tokens.start[first], BEFORE)
    tokens.replace(i + 1, CALLED)
    for n, part in enumerate(parts):
        if _variable(tokens, part) in shared and _takes_value(tokens, i, n):
            _read_now(tokens, part)
    tokens.replace(closed, "}()")


def _set_and_used(tokens: Tokens, parts: list[range], setters: Setters) -> set[bytes]:
    """The variables that one argument sets and another uses."""
    found: set[bytes] = set()
    for part in parts:
        # f(&j) and f(j) may set j, but not before the other arguments are known
        is_place = len(part) == 1 or tokens.text[part.start] == b"&"
        names = setters.certainly_of(() if is_place else part)
        for other in parts:
            if names and other != part:
                used = {tokens.text[k] for k in other if tokens.at(k - 1) not in MEMBERS}
                found |= names & (used | setters.certainly_of(other))
    return found


def _variable(tokens: Tokens, part: range) -> bytes:
    """The variable whose value an argument is, as in j, ++j, j = 1 and j += 1; else nothing."""
    at = part.start
    at += 2 * (len(part) == 3 and tokens.text[at] in (b"+", b"-") and is_step(tokens, at))
    is_variable = at + 1 == part.stop or (at == part.start and assigns(tokens, at + 1))
    return tokens.text[at] if is_variable and tokens.is_name(at) else b""


def _takes_value(tokens: Tokens, i: int, n: int) -> bool:
    """Has the function that is called at token i no n-th parameter that is a reference?"""
    after = tokens.angle_back(i) if tokens.text[i] == b">" else i + 1
    name = tokens.at((after or 0) - 1)
    lists = [tokens.parameters(f) for f in tokens.functions]
    heads = [opened for opened in lists if opened and tokens.text[opened - 1] == name]
    for opened in heads:
        parameters = tokens.commas(opened + 1, tokens.match[opened])
        words = tokens.text[slice(*parameters[n])] if n < len(parameters) else [b"..."]
        if b"..." in words or (b"&" in words and b"const" not in words):
            return False
    return bool(heads) or not any(tokens.declares(k) for k in tokens.words(name))


def _is_callee(tokens: Tokens, i: int) -> bool:
    if tokens.text[i] == b">":
        opened = tokens.angle_back(i)
        return opened is not None and tokens.is_name(opened - 1)
    return tokens.is_name(i)


def _first_of_name(tokens: Tokens, i: int) -> int:
    """The first token of a name such as space::function<int>, which ends at token i."""
    if tokens.text[i] == b">":
        i = (tokens.angle_back(i) or i) - 1
    while tokens.at(i - 1) == b"::":
        i -= 2 if tokens.is_name(i - 2) else 1
    return i


def _read_now(tokens: Tokens, part: range) -> None:
    tokens.insert(tokens.start[part.start], "sim_now((")
    tokens.insert(tokens.end(part.stop - 1), "))")


def _operand(tokens: Tokens, i: int) -> range | None:
    """The operand that ends at token i, within its brackets, if its value may be a variable."""
    if tokens.at(i) == b")":
        opened = tokens.match[i]
        is_call = tokens.is_word(opened - 1) and tokens.at(opened - 1) not in BEFORE_BRACKETS
        is_call = is_call or tokens.at(opened - 1) == b"]"
        return None if is_call or opened + 1 == i or opened < 0 else range(opened + 1, i)
    if not tokens.is_name(i):
        return None
    sign = tokens.at(i - 1)
    if sign in (b"+", b"-") and tokens.at(i - 2) == sign and is_step(tokens, i - 2):
        return None if ends_operand(tokens, i - 3) else range(i - 2, i + 1)
    return range(i, i + 1) if _is_read(tokens, i) else None


def _held(tokens: Tokens, operand: range, setters: Setters) -> set[bytes]:
    """The variables that the value of an operand may be."""
    names = [k for k in operand if tokens.text[k] not in (b"(", b")")]
    alone = {tokens.text[names[0]]} if len(names) == 1 else set()
    return alone | setters.of(operand)


def _is_read(tokens: Tokens, i: int) -> bool:
    """Is the name at i that of a variable whose value is an operand?"""
    before = tokens.at(i - 1)
    is_sign = before in (b"+", b"-", b"&") and not ends_operand(tokens, i - 2)
    is_twice = is_sign and tokens.at(i - 2) == before
    if before in (*MEMBERS, *DECLARES):
        return False
    return not (is_twice or (is_sign and before == b"&"))


def _rest(tokens: Tokens, i: int) -> range:
    """What is evaluated with the operand before the operator at i, in no order that C++ says."""
    sign, is_twice = tokens.at(i), tokens.at(i) == tokens.at(i + 1)
    if assigns(tokens, i) or (is_twice and sign in (b"+", b"-") and is_step(tokens, i)):
        return range(0)
    if is_twice and sign in (b"&", b"|"):
        return range(0)
    first = last = i + 1 + (tokens.at(i + 1) in (sign, b"="))
    while last < len(tokens) and tokens.text[last] not in (b";", b",", b"?", b")", b"]", b"}"):
        if tokens.text[last] in (b"&", b"|") and tokens.at(last + 1) == tokens.text[last]:
            break
        last = tokens.past(last)
    return range(first, last)
