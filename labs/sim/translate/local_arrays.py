"""Has a traced program check variables of a thread: each index into an array, and whether a number
is set before it is read. See sim_index and sim_get in sim/marks.h.

No allocation has such an array, and the stack around it is the thread's own. An array whose name
stands for something else in the same function is left out, and so is an address: `&v[9]` may lie
right behind `v`. The second index of `m[0][i]` may run through the whole array. A number is watched
if the next statement that names it does not simply set it; a function that takes it as an argument
may set it.
"""

from __future__ import annotations

from dataclasses import dataclass

from expanded import quoted
from tokens import Function, Tokens

NUMBERS = frozenset(
    b"bool char short int long unsigned signed float double size_t int8_t int16_t int32_t int64_t "
    b"uint8_t uint16_t uint32_t uint64_t".split()
)
NO_PLACE = frozenset(b"asm __asm__ goto switch decltype typeof __typeof__ sizeof".split())
ELSEWHERE = (b"__shared__", b"extern", b"static", b"typedef", b"using")


@dataclass(frozen=True)
class Array:
    """A declared array: the token of its name, the last of its scope, and its sizes."""

    name: int
    end: int
    sizes: tuple[str, ...]


def check_indices(tokens: Tokens) -> None:
    for function in tokens.functions:
        if function.may_run_on_device:
            _check(tokens, function)


def _check(tokens: Tokens, function: Function) -> None:
    body = range(function.opened + 1, function.closed)
    arrays: dict[bytes, list[Array]] = {}
    others: set[bytes] = set()
    for i in body:
        if tokens.at(i + 1) == b"[":
            if tokens.is_name(i) and (array := _declared(tokens, i)):
                arrays.setdefault(tokens.text[i], []).append(array)
        elif tokens.is_name(i) and tokens.declares(i):
            others.add(tokens.text[i])
    for i in body:
        text = tokens.text[i]
        if text not in arrays or text in others or tokens.at(i - 1) in (b".", b"->", b"::"):
            continue
        is_address = tokens.at(i - 1) == b"&" and tokens.at(i - 2) != b"&"
        found = [a for a in arrays[text] if a.name <= i < a.end]
        if found and found[-1].name != i and not is_address:
            _check_use(tokens, i, found[-1])


def _declares(tokens: Tokens, i: int) -> bool:
    """Is the name of an array declared: after a type, or after another name of its declaration?"""
    first = tokens.statement(i)
    if tokens.at(first - 1) not in (b";", b"{", b"}", b":") or not tokens.is_name(first):
        return False
    if tokens.at(i - 1) == b",":
        second = first + 1 + (tokens.at(first + 1) == b"*")
        return tokens.is_name(second)
    words = range(first, i)
    return first < i and all(
        tokens.is_name(k)
        or tokens.kind[k] == "number"
        or tokens.text[k] in (b"::", b"<", b">", b",")
        for k in words
    )


def _declared(tokens: Tokens, i: int) -> Array | None:
    sizes = []
    at = i + 1
    while tokens.at(at) == b"[" and tokens.match[at] > at + 1:
        sizes.append(tokens.flat(at + 1, tokens.match[at]).replace("\n", " "))
        at = tokens.match[at] + 1
    is_own = not any(word in ELSEWHERE for word in tokens.text[tokens.statement(i) : i])
    if (
        not sizes
        or not _declares(tokens, i)
        or not is_own
        or tokens.at(at) not in (b";", b"=", b",", b"{")
    ):
        return None
    return Array(i, tokens.match[tokens.up[i]], tuple(sizes))


def is_local_array(tokens: Tokens, i: int) -> bool:
    """Is the name of an array of a thread declared at token i?"""
    return tokens.at(i + 1) == b"[" and _declared(tokens, i) is not None


def _check_use(tokens: Tokens, i: int, array: Array) -> None:
    file, line, _ = tokens.expanded.position(tokens.start[i])
    name = quoted(tokens.text[i].decode(errors="surrogateescape"))
    at = i + 1
    for size in array.sizes:
        if tokens.at(at) != b"[" or tokens.at(at + 1) == b"]":
            return
        is_number = tokens.match[at] == at + 2 and tokens.kind[at + 1] == "number"
        if not (is_number and size.isdecimal()):
            check = f"sim_index{{(unsigned long)({size}), {name}, {quoted(file)}, {line}}} = "
            tokens.insert(tokens.start[at + 1], check)
        if is_number and tokens.text[at + 1] == b"0":
            return
        at = tokens.match[at] + 1


# ---- numbers that are read before they are set


def check_numbers(tokens: Tokens) -> None:
    for function in tokens.functions:
        body = range(function.opened + 1, function.closed)
        words = tokens.text[function.opened : function.closed]
        is_lambda = any(tokens.at(i) == b"[" and not _is_operand(tokens, i - 1) for i in body)
        if not function.may_run_on_device or is_lambda or any(w in NO_PLACE for w in words):
            continue
        for i in body:
            if tokens.at(i + 1) in (b";", b",") and _declares_number(tokens, i):
                _check_number(tokens, i)


def _is_operand(tokens: Tokens, i: int) -> bool:
    return tokens.is_name(i) or tokens.at(i) in (b"]", b")")


def _declares_number(tokens: Tokens, i: int) -> bool:
    """Is token i the name of a number that is declared without a value?"""
    first = tokens.statement(i)
    if not tokens.is_name(i) or tokens.at(first - 1) not in (b";", b"{", b"}"):
        return False
    words = first
    while tokens.text[words] in NUMBERS:
        words += 1
    return first < words <= i and tokens.at(i - 1) in (*NUMBERS, b",")


def _check_number(tokens: Tokens, declared: int) -> None:
    name = tokens.text[declared]
    end = tokens.match[tokens.up[declared]]
    uses = [
        i
        for i in range(declared + 1, end)
        if tokens.text[i] == name and tokens.at(i - 1) not in (b".", b"->", b"::")
    ]
    if any(tokens.declares(i) or tokens.at(i + 1) in (b"(", b".", b"[", b"->") for i in uses):
        return  # another variable of this name, or no number
    if _are_certain(tokens, uses):
        return
    flag = f"sim_is_set_{tokens.start[declared]}"
    last = declared
    while tokens.text[last] != b";":
        last = tokens.past(last)
    tokens.insert(tokens.end(last), f" bool {flag} = false;")
    shown = quoted(name.decode(errors="surrogateescape"))
    for i in uses:
        if i < last:
            continue
        file, line, _ = tokens.expanded.position(tokens.start[i])
        read = f"sim_get{{{flag}, {shown}, {quoted(file)}, {line}}}"
        check = f"sim_set{{{flag}}}" if _is_set(tokens, i) else read
        tokens.insert(tokens.start[i], f"({check}->*")
        tokens.insert(tokens.end(i), ")")


def _is_set(tokens: Tokens, i: int) -> bool:
    """Is the variable set here, or may it be: an address, an argument, a reference?"""
    before, after = tokens.at(i - 1), tokens.at(i + 1)
    joins = after == b"=" and tokens.at(i + 2) == b"=" and (
        tokens.start[i + 2] == tokens.end(i + 1)
    )  # fmt: skip
    is_argument = before in (b"(", b",") and after in (b")", b",")
    is_reference = before == b"=" and tokens.at(tokens.statement(i) + 1) == b"&"
    is_shifted = before == b">" and tokens.at(i - 2) == b">"
    return (
        (after == b"=" and not joins)
        or is_argument
        or is_reference
        or is_shifted
        or (before == b"&" and tokens.at(i - 2) != b"&")
    )


def _are_certain(tokens: Tokens, uses: list[int]) -> bool:
    """Is the variable set before each of these uses, whatever way a thread takes?"""
    if not uses:
        return True
    if not _is_certain(tokens, uses[0]):
        return False
    opened = tokens.up[uses[0]]
    closed = tokens.match[opened]
    rest = [i for i in uses if i > closed]
    head = tokens.text[tokens.match[opened - 1] : opened] if tokens.at(opened - 1) == b")" else []
    if tokens.at(opened - 1) == b"do" or head == [b"(", b";", b";", b")"]:
        return True  # once at least
    if tokens.text[closed + 1 : closed + 3] == [b"else", b"{"]:
        other = tokens.match[closed + 2]
        if rest and rest[0] < other and _is_certain(tokens, rest[0]):
            return True
    return _are_certain(tokens, rest)


def _is_certain(tokens: Tokens, i: int) -> bool:
    """Is the variable set at token i whenever a thread is in the block around it?"""
    first = tokens.statement(i)
    before = tokens.at(first - 1)
    begins = before in (b";", b"{", b"}") or (before == b"(" and tokens.at(first - 2) == b"for")
    words = tokens.text[first:i]
    skips = (b"if", b"else", b"for", b"while", b"do", b"?", b"|")
    may_skip = any(word in skips for word in words) or words.count(b"&") > 1
    return _is_set(tokens, i) and begins and not may_skip
