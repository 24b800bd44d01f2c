"""Has a traced program check each index into an array of a thread: see sim_index in sim/marks.h.

No allocation has such an array, and the stack around it is the thread's own. An array whose name
stands for something else in the same function is left out, and so is an address: `&v[9]` may lie
right behind `v`. The second index of `m[0][i]` may run through the whole array.
"""

from __future__ import annotations

from dataclasses import dataclass

from expanded import quoted
from tokens import Function, Tokens

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
