"""Has a run notice a function that ends without the `return` that its type needs.

nvcc goes on with an undefined value, and so does g++ with -fsanitize=unreachable (flags.mk). What
C++ lets end without one (void, main(), a constructor) is left alone, and so are a lambda and a
function whose type is `auto`: only g++ knows what they return.
"""

from __future__ import annotations

from collections.abc import Iterator

from labs.sim.translate.reader.expanded import quoted
from labs.sim.translate.reader.program import ENDS, KEYWORDS, Program

# Of a function, beside its type.
SPECIFIERS = frozenset(
    b"static inline __inline__ __inline extern virtual constexpr friend __forceinline__ "
    b"__noinline__ __device__ __host__ __global__".split()
)
BEHIND = (b"const", b"noexcept", b"override", b"final", b"&")  # the parameters
IN_TYPES = (b"*", b"&", b"::", b"<", b">", b",")
NO_TYPES = KEYWORDS | {b"auto", b"explicit"}
ATTRIBUTES = (b"__attribute__", b"alignas", b"__declspec")


def watch_ends(program: Program) -> None:
    """Each function that is not certain to end with a `return` says so when it comes to its end."""
    for opened, text in enumerate(program.text):
        closed = program.match[opened]
        if text != b"{" or closed < opened or _returns(program, opened, closed):
            continue
        if kind := _type(program, opened):
            file, line, _ = program.position(closed)
            note = f" sim_ends<{kind}>(__func__, {quoted(file)}, {line});"
            program.insert(program.start[closed], note)


def _returns(program: Program, opened: int, closed: int) -> bool:
    """Is the last statement of the body a `return`?"""
    first = program.statement(closed - 1)
    return program.up[first] == opened and program.at(first) in (b"return", b"throw")


def _type(program: Program, opened: int) -> str | None:
    """What the function whose body { opens returns; None: it is no function, or nothing."""
    closing = end = _parameters_end(program, opened)
    while program.at(closing - 1) not in (b"->", b")", *ENDS) and closing > 0:
        closing -= 1
    is_trailing = program.at(closing - 1) == b"->"
    closing = _parameters_end(program, closing - 1) if is_trailing else end
    name = _name(program, program.match[closing - 1]) if program.at(closing - 1) == b")" else None
    if name is None or program.text[name] in (b"main", *SPECIFIERS, *ATTRIBUTES):
        return None
    words = range(program.statement(name), name)
    if is_trailing:
        words = range(program.until(closing, b"->") + 1, end)
    kept = list(_without_specifiers(program, words))
    kind = [program.text[k] for k in kept]
    is_odd = any(program.kind[k] == "sign" and program.text[k] not in IN_TYPES for k in kept)
    if is_odd or kind in ([], [b"void"]) or not NO_TYPES.isdisjoint(kind):
        return None
    is_hidden = any(program.text[k] in kind and program.declares(k)
                    and program.at(k + 1) in (b",", b")", b"=", b";") for k in range(
                        name, program.match[opened]))  # fmt: skip
    return None if is_hidden else b" ".join(kind).decode(errors="surrogateescape")


def _parameters_end(program: Program, i: int) -> int:
    """The token after the ) of the parameters, where only qualifiers lie between it and token i."""
    while program.at(i - 1) in BEHIND:
        i -= 1
    return i


def _name(program: Program, parameters: int) -> int | None:
    """The first token of the function's name, whose parameters begin at a (; None: no function."""
    i = parameters - 1
    for k in range(i, max(i - 3, 0), -1):
        if program.text[k] == b"operator":
            return program.first_of_name(k)
    if program.at(i) == b">":
        i = (program.angle_back(i) or 0) - 1
    return program.first_of_name(i) if program.is_name(i) else None


def _without_specifiers(program: Program, words: range) -> Iterator[int]:
    """The tokens of the type among them."""
    i = words.start
    while i < words.stop:
        text = program.text[i]
        if text == b"template":
            i = (program.angle(i + 1) or i) + 1
        elif text in ATTRIBUTES:
            i = program.past(i + 1)
        elif text == b"[":
            i = program.past(i)
        else:
            if text not in SPECIFIERS and program.kind[i] != "string":
                yield i
            i += 1
