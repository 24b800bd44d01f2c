"""Has a traced program check variables of a thread: each index into an array, and whether a number
or an element is set before it is read. See sim_index, sim_get and sim_get_at in sim/marks.h.

No allocation has such an array, and the stack around it is the thread's own. An array whose name
stands for something else in the same function is left out, and so is an address: `&v[9]` may lie
right behind `v`. The second index of `m[0][i]` may run through the whole array. A number is watched
if the next statement that names it does not simply set it; a function that takes it as an argument
may set it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from labs.sim.translate.reader.expanded import quoted
from labs.sim.translate.reader.program import NUMBERS, Function, Program

NO_PLACE = frozenset(b"asm __asm__ goto switch decltype typeof __typeof__ sizeof".split())
ELSEWHERE = (b"extern", b"static", b"typedef", b"using")


@dataclass(frozen=True)
class Array:
    """A declared array: the token of its name, the last of its scope, its sizes, and whether it is
    __shared__: then only its columns are looked at."""

    name: int
    end: int
    sizes: tuple[str, ...]
    is_shared: bool


def check_indices(program: Program, has_columns: bool) -> None:
    """has_columns: also those into rows of __shared__ arrays, and whether elements are set: the
    counters then may change."""
    for function in program.functions:
        if function.may_run_on_device:
            _check(program, function, has_columns)


def _check(program: Program, function: Function, has_columns: bool) -> None:
    body = range(function.opened + 1, function.closed)
    arrays: dict[bytes, list[Array]] = {}
    others: set[bytes] = set()
    for i in body:
        if program.at(i + 1) == b"[":
            array = _declared(program, i) if program.is_name(i) else None
            if array and (not array.is_shared or (has_columns and len(array.sizes) > 1)):
                arrays.setdefault(program.text[i], []).append(array)
        elif program.is_name(i) and program.declares(i):
            others.add(program.text[i])
    watched = {
        array
        for name in (arrays.keys() - others if has_columns else ())
        for array in arrays[name]
        if len(arrays[name]) == 1 and _watch_elements(program, array)
    }
    for i in body:
        text = program.text[i]
        if text not in arrays or text in others or program.at(i - 1) in (b".", b"->", b"::"):
            continue
        is_address = program.at(i - 1) == b"&" and program.at(i - 2) != b"&"
        found = [a for a in arrays[text] if a.name <= i < a.end]
        if found and found[-1].name != i and not is_address and found[-1] not in watched:
            _check_use(program, i, found[-1])


def _declares(program: Program, i: int) -> bool:
    """Is the name of an array declared: after a type, or after another name of its declaration?"""
    first = program.statement(i)
    if program.at(first - 1) not in (b";", b"{", b"}", b":") or not program.is_name(first):
        return False
    if program.at(i - 1) == b",":
        second = first + 1 + (program.at(first + 1) == b"*")
        return program.is_name(second)
    words = range(first, i)
    return first < i and all(
        program.is_name(k)
        or program.kind[k] == "number"
        or program.text[k] in (b"::", b"<", b">", b",")
        for k in words
    )


def _declared(program: Program, i: int) -> Array | None:
    sizes = []
    at = i + 1
    while program.at(at) == b"[" and program.match[at] > at + 1:
        sizes.append(program.flat(at + 1, program.match[at]).replace("\n", " "))
        at = program.match[at] + 1
    words = program.text[program.statement(i) : i]
    is_own = not any(word in ELSEWHERE for word in words)
    if (
        not sizes
        or not _declares(program, i)
        or not is_own
        or program.at(at) not in (b";", b"=", b",", b"{")
    ):
        return None
    return Array(i, program.match[program.up[i]], tuple(sizes), b"__shared__" in words)


def is_local_array(program: Program, i: int) -> bool:
    """Is the name of an array of a thread declared at token i?"""
    array = _declared(program, i) if program.at(i + 1) == b"[" else None
    return array is not None and not array.is_shared


def _check_use(program: Program, i: int, array: Array) -> None:
    file, line, _ = program.position(i)
    name = quoted(program.text[i].decode(errors="surrogateescape"))
    at = i + 1
    kind = "sim_column" if array.is_shared else "sim_index"
    for k, size in enumerate(array.sizes):
        if program.at(at) != b"[" or program.at(at + 1) == b"]":
            return
        is_number = program.match[at] == at + 2 and program.kind[at + 1] == "number"
        is_row = array.is_shared and k == 0
        text = program.text[at + 1]
        is_inside = is_number and size.isdecimal() and text.isdigit() and int(text) < int(size)
        if not is_row and not is_inside:
            check = f"{kind}{{(unsigned long)({size}), {name}, {quoted(file)}, {line}}} = "
            program.insert(program.start[at + 1], check)
        if is_number and program.text[at + 1] == b"0":
            return
        at = program.match[at] + 1


# ---- elements and numbers that are read before they are set


def _watch_elements(program: Program, array: Array) -> bool:
    """Watches the elements of an array of numbers without values; returns whether it can."""
    name, behind = array.name, program.past(array.name + 1)
    uses = [i for i in range(behind, array.end) if program.text[i] == program.text[name]]
    is_plain = len(array.sizes) == 1 and not array.is_shared and program.at(behind) in (b";", b",")
    if not is_plain or not _declares_number(program, name) or any(map(_is_odd_use(program), uses)):
        return False
    flags, last = f"sim_is_set_{program.start[name]}", program.until(name, b";")
    program.insert(program.end(last), f" bool {flags}[{array.sizes[0]}] = {{}};")
    shown = quoted(program.text[name].decode(errors="surrogateescape"))
    for i in uses:
        file, line, _ = program.position(i)
        kind = "set" if _is_set(program, i, program.match[i + 1]) else "get"
        check = f"sim_{kind}_at{{{flags}, (unsigned long)({array.sizes[0]}), {shown}, "
        program.insert(program.start[i + 2], f"{check}{quoted(file)}, {line}}} = ")
    return True


def _is_odd_use(program: Program) -> Callable[[int], bool]:
    """Tells whether a use of an array is another one than that of an element."""

    def is_odd(i: int) -> bool:
        is_address = program.at(i - 1) == b"&" and program.at(i - 2) != b"&"
        is_element = program.at(i + 1) == b"[" and program.match[i + 1] > i + 2
        return is_address or not is_element or program.at(i - 1) in (b".", b"->", b"::")

    return is_odd


def check_numbers(program: Program) -> None:
    for function in program.functions:
        body = range(function.opened + 1, function.closed)
        words = program.text[function.opened : function.closed]
        is_lambda = any(program.at(i) == b"[" and not _is_operand(program, i - 1) for i in body)
        if not function.may_run_on_device or is_lambda or any(w in NO_PLACE for w in words):
            continue
        for i in body:
            if program.at(i + 1) in (b";", b",") and _declares_number(program, i):
                _check_number(program, i)


def _is_operand(program: Program, i: int) -> bool:
    return program.is_name(i) or program.at(i) in (b"]", b")")


def _declares_number(program: Program, i: int) -> bool:
    """Is token i the name of a number that is declared without a value?"""
    first = program.statement(i)
    if not program.is_name(i) or program.at(first - 1) not in (b";", b"{", b"}"):
        return False
    words = first
    while program.text[words] in NUMBERS:
        words += 1
    return first < words <= i and program.at(i - 1) in (*NUMBERS, b",")


def _check_number(program: Program, declared: int) -> None:
    name = program.text[declared]
    end = program.match[program.up[declared]]
    uses = [
        i
        for i in range(declared + 1, end)
        if program.text[i] == name and program.at(i - 1) not in (b".", b"->", b"::")
    ]
    if any(program.declares(i) or program.at(i + 1) in (b"(", b".", b"[", b"->") for i in uses):
        return  # another variable of this name, or no number
    if _are_certain(program, uses):
        return
    flag = f"sim_is_set_{program.start[declared]}"
    last = program.until(declared, b";")
    program.insert(program.end(last), f" bool {flag} = false;")
    shown = quoted(name.decode(errors="surrogateescape"))
    for i in uses:
        if i < last:
            continue
        file, line, _ = program.position(i)
        read = f"sim_get{{{flag}, {shown}, {quoted(file)}, {line}}}"
        check = f"sim_set{{{flag}}}" if _is_set(program, i, i) else read
        program.insert(program.start[i], f"({check}->*")
        program.insert(program.end(i), ")")


def _is_set(program: Program, i: int, last: int) -> bool:
    """Is the variable or element of the tokens i..last set here, or may it be: an address, an
    argument, a reference?"""
    before, after = program.at(i - 1), program.at(last + 1)
    joins = after == b"=" and program.at(last + 2) == b"=" and (
        program.start[last + 2] == program.end(last + 1)
    )  # fmt: skip
    is_argument = before in (b"(", b",") and after in (b")", b",")
    is_reference = before == b"=" and program.at(program.statement(i) + 1) == b"&"
    is_shifted = before == b">" and program.at(i - 2) == b">"
    return (
        (after == b"=" and not joins)
        or is_argument
        or is_reference
        or is_shifted
        or (before == b"&" and program.at(i - 2) != b"&")
    )


def _are_certain(program: Program, uses: list[int]) -> bool:
    """Is the variable set before each of these uses, whatever way a thread takes?"""
    if not uses:
        return True
    if not _is_certain(program, uses[0]):
        return False
    opened = program.up[uses[0]]
    closed = program.match[opened]
    rest = [i for i in uses if i > closed]
    head = (
        program.text[program.match[opened - 1] : opened] if program.at(opened - 1) == b")" else []
    )
    if program.at(opened - 1) == b"do" or head == [b"(", b";", b";", b")"]:
        return True  # once at least
    if program.text[closed + 1 : closed + 3] == [b"else", b"{"]:
        other = program.match[closed + 2]
        if rest and rest[0] < other and _is_certain(program, rest[0]):
            return True
    return _are_certain(program, rest)


def _is_certain(program: Program, i: int) -> bool:
    """Is the variable set at token i whenever a thread is in the block around it?"""
    first = program.statement(i)
    before = program.at(first - 1)
    begins = before in (b";", b"{", b"}") or (before == b"(" and program.at(first - 2) == b"for")
    words = program.text[first:i]
    skips = (b"if", b"else", b"for", b"while", b"do", b"?", b"|")
    may_skip = any(word in skips for word in words) or words.count(b"&") > 1
    return _is_set(program, i, i) and begins and not may_skip
