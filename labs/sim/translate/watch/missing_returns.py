"""Has a run notice a function that ends without the `return` that its type needs.

nvcc goes on with an undefined value, and so does g++ with -fsanitize=unreachable (flags.mk). What
C++ lets end without one (void, main(), a constructor) is left alone, and so are a lambda and a
function whose type is `auto`: only g++ knows what they return.
"""

from __future__ import annotations

from collections.abc import Iterator

from labs.sim.translate.reader.definitions import closing_of, name_of, parameters_end
from labs.sim.translate.reader.expanded import quoted
from labs.sim.translate.reader.program import KEYWORDS, Program

# Of a function, beside its type.
SPECIFIERS = frozenset(
    b"static inline __inline__ __inline extern virtual constexpr friend __forceinline__ "
    b"__noinline__ __device__ __host__ __global__".split()
)
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
    closing, is_trailing = closing_of(program, opened)
    last = name_of(program, opened)
    name = None if last is None else program.first_of_name(last)
    while name and program.text[name] == b"::" and program.at(name - 1) == b">":
        name = program.first_of_name((program.angle_back(name - 1) or 1) - 1)  # of a class template
    if name is None or program.text[name] in (b"main", *SPECIFIERS, *ATTRIBUTES):
        return None
    words = range(program.statement(name), name)
    if is_trailing:
        words = range(program.until(closing, b"->") + 1, parameters_end(program, opened))
    kept = list(_without_specifiers(program, words))
    kind = [program.text[k] for k in kept]
    is_odd = any(program.kind[k] == "sign" and program.text[k] not in IN_TYPES for k in kept)
    if is_odd or kind in ([], [b"void"]) or not NO_TYPES.isdisjoint(kind):
        return None
    is_hidden = any(program.text[k] in kind and program.declares(k)
                    and program.at(k + 1) in (b",", b")", b"=", b";") for k in range(
                        name, program.match[opened]))  # fmt: skip
    return None if is_hidden else b" ".join(kind).decode(errors="surrogateescape")


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
