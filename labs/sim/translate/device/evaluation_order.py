"""Evaluates arguments and operands in the order of the source, as nvcc does in device code.

C++ leaves the order open, and g++ begins with the last argument. `make_float3(draw(&s), draw(&s),
0)` then has other numbers than on a GPU. A call is edited where one argument sets what another
uses; the list between braces has an order. Of the operands of `+` and its like g++ takes the first
one first, but if its value is a variable, as in `j + (j = 5)` and `++j * ++j`, that is read when
both are known. Where the rest of the expression sets it, sim_now() reads it at once.
"""

from __future__ import annotations

from labs.sim.translate.device.setters import MEMBERS, Setters
from labs.sim.translate.reader.program import ENDS, NUMBERS, Program

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


def order_evaluation(program: Program) -> None:
    """Edits the calls and the operands of device code, and warns of what it cannot edit."""
    setters = Setters(program)
    own = _own_operators(program)
    for i in setters.inside:
        if program.text[i] in own and program.ends_operand(i - 1):
            left, right = _left(program, i), _rest(program, i)
            both = setters.certainly_of(left) & setters.certainly_of(right)
            classes = own[program.text[i]]
            if both and (_is_of(program, classes, left) or _is_of(program, classes, right)):
                program.warn(i, LEFT_LAST.format(min(both).decode(errors="replace")))
        if program.at(i + 1) == b"(" and program.match[i + 1] > i and _is_callee(program, i):
            _order_arguments(program, i, setters)
        operand = _operand(program, i)
        if operand and program.at(i + 1) in OPERATORS:
            held = _held(program, operand, setters)
            if held and held & setters.of(_rest(program, i + 1)):
                _read_now(program, operand)


def _own_operators(program: Program) -> dict[bytes, set[bytes]]:
    """The signs of operators with two operands that a device has of classes, and these classes."""
    found: dict[bytes, set[bytes]] = {}
    for k in program.words(b"operator"):
        sign, opened = program.at(k + 1), k + 2
        is_own = b"__device__" in program.text[program.statement(k) : k]
        if is_own and sign in (b"+", b"-", b"*", b"/") and program.at(opened) == b"(":
            around = program.at(program.up[k] - 1)
            types = {around, *program.text[opened : program.match[opened]]} - NUMBERS
            found.setdefault(sign, set()).update(t for t in types if t[:1].isalpha())
    return found


def _left(program: Program, i: int) -> range:
    """The terms before the operator at i."""
    first = i
    while program.at(first - 1) not in BEFORE_LEFT and first > 0:
        first = program.before(first)
    return range(first, i)


def _is_of(program: Program, classes: set[bytes], operand: range) -> bool:
    """Is a variable or a function of these classes in it, outside of the arguments of calls?"""
    i = operand.start
    while i < operand.stop:
        for k in program.words(program.text[i]) if program.is_name(i) else ():
            type_at = k - 1 - (program.at(k - 1) == b"&")
            if program.text[i] in classes or program.at(type_at) in classes:
                return True
        is_call = program.text[i] == b"(" and program.is_name(i - 1)
        i = program.past(i) if is_call or program.text[i] == b"[" else i + 1
    return False


def _order_arguments(program: Program, i: int, setters: Setters) -> None:
    closed = program.match[i + 1]
    parts = [range(*part) for part in program.commas(i + 2, closed)]
    shared = _set_and_used(program, parts, setters) if len(parts) > 1 else set()
    if not shared and sum(any(setters.acts(k) for k in part) for part in parts) < 2:
        return
    first = _first_of_name(program, i)
    texts = [program.text[part.start : part.stop] for part in parts]
    # a null pointer, and what has no type of its own
    untyped = any(text in ([b"0"], [b"NULL"]) or b"{" in text or b"..." in text for text in texts)
    if untyped or program.at(first - 1) not in STARTS:
        if shared:
            program.warn(first, LAST_FIRST.format(min(shared).decode(errors="replace")))
        return
    program.insert(program.start[first], BEFORE)
    program.replace(i + 1, CALLED)
    for n, part in enumerate(parts):
        if _variable(program, part) in shared and _takes_value(program, i, n):
            _read_now(program, part)
    program.replace(closed, "}()")


def _set_and_used(program: Program, parts: list[range], setters: Setters) -> set[bytes]:
    """The variables that one argument sets and another uses."""
    found: set[bytes] = set()
    for part in parts:
        # f(&j) and f(j) may set j, but not before the other arguments are known
        is_place = len(part) == 1 or program.text[part.start] == b"&"
        names = setters.certainly_of(() if is_place else part)
        for other in parts:
            if names and other != part:
                used = {program.text[k] for k in other if program.at(k - 1) not in MEMBERS}
                found |= names & (used | setters.certainly_of(other))
    return found


def _variable(program: Program, part: range) -> bytes:
    """The variable whose value an argument is, as in j, ++j, j = 1 and j += 1; else nothing."""
    at = part.start
    at += 2 * (len(part) == 3 and program.text[at] in (b"+", b"-") and program.is_step(at))
    is_variable = at + 1 == part.stop or (at == part.start and program.assigns(at + 1))
    return program.text[at] if is_variable and program.is_name(at) else b""


def _takes_value(program: Program, i: int, n: int) -> bool:
    """Has the function that is called at token i no n-th parameter that is a reference?"""
    after = program.angle_back(i) if program.text[i] == b">" else i + 1
    name = program.at((after or 0) - 1)
    lists = [program.parameters(f) for f in program.functions]
    heads = [opened for opened in lists if opened and program.text[opened - 1] == name]
    for opened in heads:
        parameters = program.commas(opened + 1, program.match[opened])
        words = program.text[slice(*parameters[n])] if n < len(parameters) else [b"..."]
        if b"..." in words or (b"&" in words and b"const" not in words):
            return False
    return bool(heads) or not any(program.declares(k) for k in program.words(name))


def _is_callee(program: Program, i: int) -> bool:
    if program.text[i] == b">":
        opened = program.angle_back(i)
        return opened is not None and program.is_name(opened - 1)
    return program.is_name(i)


def _first_of_name(program: Program, i: int) -> int:
    """The first token of a name such as space::function<int>, which ends at token i."""
    if program.text[i] == b">":
        i = (program.angle_back(i) or i) - 1
    return program.first_of_name(i)


def _read_now(program: Program, part: range) -> None:
    program.insert(program.start[part.start], "sim_now((")
    program.insert(program.end(part.stop - 1), "))")


def _operand(program: Program, i: int) -> range | None:
    """The operand that ends at token i, within its brackets, if its value may be a variable."""
    if program.at(i) == b")":
        opened = program.match[i]
        is_call = program.is_word(opened - 1) and program.at(opened - 1) not in BEFORE_BRACKETS
        is_call = is_call or program.at(opened - 1) == b"]"
        return None if is_call or opened + 1 == i or opened < 0 else range(opened + 1, i)
    if not program.is_name(i):
        return None
    sign = program.at(i - 1)
    if sign in (b"+", b"-") and program.at(i - 2) == sign and program.is_step(i - 2):
        return None if program.ends_operand(i - 3) else range(i - 2, i + 1)
    return range(i, i + 1) if _is_read(program, i) else None


def _held(program: Program, operand: range, setters: Setters) -> set[bytes]:
    """The variables that the value of an operand may be."""
    names = [k for k in operand if program.text[k] not in (b"(", b")")]
    alone = {program.text[names[0]]} if len(names) == 1 else set()
    return alone | setters.of(operand)


def _is_read(program: Program, i: int) -> bool:
    """Is the name at i that of a variable whose value is an operand?"""
    before = program.at(i - 1)
    is_sign = before in (b"+", b"-", b"&") and not program.ends_operand(i - 2)
    is_twice = is_sign and program.at(i - 2) == before
    if before in (*MEMBERS, *DECLARES):
        return False
    return not (is_twice or (is_sign and before == b"&"))


def _rest(program: Program, i: int) -> range:
    """What is evaluated with the operand before the operator at i, in no order that C++ says."""
    sign, is_twice = program.at(i), program.at(i) == program.at(i + 1)
    if program.assigns(i) or (is_twice and sign in (b"+", b"-") and program.is_step(i)):
        return range(0)
    if is_twice and sign in (b"&", b"|"):
        return range(0)
    first = last = i + 1 + (program.at(i + 1) in (sign, b"="))
    while last < len(program) and program.text[last] not in (b";", b",", b"?", b")", b"]", b"}"):
        if program.text[last] in (b"&", b"|") and program.at(last + 1) == program.text[last]:
            break
        last = program.past(last)
    return range(first, last)
