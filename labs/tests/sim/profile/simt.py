"""A model of structured SIMT: how many memory instructions a warp issues for a small program.

A program is a list of statements, which are tuples, over unsigned 32-bit variables. `requests()`
runs it as a warp with masks does: lanes that a statement separates go on together after it.
`cuda()` writes the same program as a CUDA kernel. Its loads depend on what was loaded before, so no
compiler can drop, merge or move one of them. Hence the kernel's load requests must be those of the
model, however the compiler arranges its blocks.

Expressions:
    "text"                          no memory; the same in C and in Python
    ("load", e)                     the word of the table at e % SIZE
    ("and", a, b) ("or", a, b) ("not", a) ("?", c, a, b) ("op", "+", a, b)
    ("call", function, [e, ...])    a function of `functions`: name -> (parameters, body)
Statements:
    ("let", variable, e)            a new variable
    ("set", variable, e)
    ("if", c, [...]) ("if", c, [...], [...])
    ("while", c, [...]) ("do", [...], c)
    ("for", variable, start, c, step, [...])    `variable += step` after each round
    ("switch", e, [([1, 2], [...]), (None, [...])])     None: default; falls through as C does
    ("break",) ("continue",) ("return", e)
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SIZE = 4096
WARP = 32
WORD = 0xFFFFFFFF

Expression = Any  # a string or a tuple
Statement = tuple[Any, ...]
Functions = dict[str, tuple[list[str], list[Statement]]]


def table() -> list[int]:
    """The words that programs load: the generator of `cuda()`'s host code gives the same."""
    words, state = [], 2463534242
    for _ in range(SIZE):
        state = state * 1664525 + 1013904223 & WORD
        words.append(state >> 12)
    return words


TABLE = table()
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b & WORD,
    "^": lambda a, b: a ^ b,
    "*": lambda a, b: a * b & WORD,
    "%": lambda a, b: a % b,
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "==": lambda a, b: int(a == b),
    "&": lambda a, b: a & b,
}

Mask = frozenset[int]


@dataclass
class Frame:
    """A function that runs: the variables and the returned value of each lane."""

    variables: list[dict[str, int]]
    returned: dict[int, int] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)  # lanes that left the innermost loop or switch
    skipped: set[int] = field(default_factory=set)  # lanes that go on with its next round


class Warp:
    def __init__(self, functions: Functions) -> None:
        self.functions = functions
        self.loads = 0

    def value(self, e: Expression, mask: Mask, frame: Frame) -> dict[int, int]:
        if isinstance(e, str):
            return {i: eval(e, {}, frame.variables[i]) & WORD for i in mask}
        kind = e[0]
        if kind == "load":
            at = self.value(e[1], mask, frame)
            self.loads += bool(mask)
            return {i: TABLE[at[i] % SIZE] for i in mask}
        if kind == "not":
            return {i: int(not v) for i, v in self.value(e[1], mask, frame).items()}
        if kind in ("and", "or"):
            first = self.value(e[1], mask, frame)
            on = frozenset(i for i in mask if bool(first[i]) == (kind == "and"))
            second = self.value(e[2], on, frame)
            return {i: int(bool(second[i] if i in on else first[i])) for i in mask}
        if kind == "?":
            condition = self.value(e[1], mask, frame)
            yes = frozenset(i for i in mask if condition[i])
            return self.value(e[2], yes, frame) | self.value(e[3], mask - yes, frame)
        if kind == "op":
            a, b = self.value(e[2], mask, frame), self.value(e[3], mask, frame)
            return {i: OPERATIONS[e[1]](a[i], b[i]) for i in mask}
        parameters, body = self.functions[e[1]]
        arguments = [self.value(argument, mask, frame) for argument in e[2]]
        inner = Frame([{} for _ in range(WARP)])
        for i in mask:
            inner.variables[i] = {p: a[i] for p, a in zip(parameters, arguments, strict=True)}
        self.run(body, mask, inner)
        return inner.returned

    def run(self, body: list[Statement], mask: Mask, frame: Frame) -> Mask:
        """Returns the lanes that go on after the statements."""
        for statement in body:
            mask = self.step(statement, mask, frame)
        return mask

    def step(self, statement: Statement, mask: Mask, frame: Frame) -> Mask:
        if not mask:
            return mask
        kind = statement[0]
        if kind in ("let", "set"):
            for i, v in self.value(statement[2], mask, frame).items():
                frame.variables[i][statement[1]] = v
        elif kind == "if":
            condition = self.value(statement[1], mask, frame)
            yes = frozenset(i for i in mask if condition[i])
            other = statement[3] if len(statement) > 3 else []
            return self.run(statement[2], yes, frame) | self.run(other, mask - yes, frame)
        elif kind == "while":
            return self.loop(mask, frame, statement[1], statement[2], [])
        elif kind == "do":
            return self.loop(mask, frame, statement[2], statement[1], [], asks_first=False)
        elif kind == "for":
            _, variable, start, condition, step, rounds = statement
            self.step(("let", variable, start), mask, frame)
            last = [("set", variable, f"{variable} + {step}")]
            return self.loop(mask, frame, condition, rounds, last)
        elif kind == "switch":
            return self.switch(statement, mask, frame)
        elif kind == "break":
            frame.left |= mask
            return frozenset()
        elif kind == "continue":
            frame.skipped |= mask
            return frozenset()
        elif kind == "return":
            frame.returned |= self.value(statement[1], mask, frame)
            return frozenset()
        return mask

    def loop(self, mask: Mask, frame: Frame, condition: Expression, body: list[Statement],
             last: list[Statement], asks_first: bool = True) -> Mask:  # fmt: skip
        outer = frame.left, frame.skipped
        frame.left, done = set(), set()
        asks = asks_first
        while mask:
            if asks:
                holds = self.value(condition, mask, frame)
                done |= {i for i in mask if not holds[i]}
                mask = frozenset(i for i in mask if holds[i])
            asks = True
            frame.skipped = set()
            mask = self.run(body, mask, frame) | frame.skipped
            mask = self.run(last, mask, frame)
        done |= frame.left
        frame.left, frame.skipped = outer
        return frozenset(done)

    def switch(self, statement: Statement, mask: Mask, frame: Frame) -> Mask:
        value = self.value(statement[1], mask, frame)
        outer, frame.left = frame.left, set()
        named = {v for values, _ in statement[2] if values for v in values}
        inside: Mask = frozenset()
        taken: Mask = frozenset()
        for values, body in statement[2]:
            new = frozenset(
                i for i in mask if (value[i] in values if values else value[i] not in named)
            )
            taken |= new
            inside = self.run(body, inside | new, frame)
        done = inside | (mask - taken) | frame.left
        frame.left = outer
        return done


def requests(body: list[Statement], functions: Functions, threads: int) -> tuple[int, int]:
    """The load and store requests of a kernel: every lane that returns stores once, at the end."""
    loads = stores = 0
    for first in range(0, threads, WARP):
        warp = Warp(functions)
        lanes = range(min(WARP, threads - first))
        frame = Frame([{"t": first + i, "s": first + i} for i in range(WARP)])
        warp.run(body, frozenset(lanes), frame)
        loads += warp.loads
        stores += 1
    return loads, stores


# ---- the same as CUDA


def expression(e: Expression) -> str:
    if isinstance(e, str):
        return f"({e})"
    kind = e[0]
    if kind == "load":
        return f"a[{expression(e[1])} % {SIZE}u]"
    if kind == "not":
        return f"!{expression(e[1])}"
    if kind in ("and", "or"):
        return f"({expression(e[1])} {'&&' if kind == 'and' else '||'} {expression(e[2])})"
    if kind == "?":
        return f"({expression(e[1])} ? {expression(e[2])} : {expression(e[3])})"
    if kind == "op":
        return f"({expression(e[2])} {e[1]} {expression(e[3])})"
    return f"{e[1]}({', '.join(['a', *map(expression, e[2])])})"


def statements(body: list[Statement], indent: str) -> list[str]:
    lines: list[str] = []
    more = indent + "    "

    def block(head: str, inner: list[Statement], tail: str = "}") -> None:
        lines.extend([f"{indent}{head} {{", *statements(inner, more), indent + tail])

    for s in body:
        kind = s[0]
        if kind == "let":
            lines.append(f"{indent}unsigned {s[1]} = {expression(s[2])};")
        elif kind == "set":
            lines.append(f"{indent}{s[1]} = {expression(s[2])};")
        elif kind == "if":
            block(f"if ({expression(s[1])})", s[2])
            if len(s) > 3 and s[3]:
                block("else", s[3])
        elif kind == "while":
            block(f"while ({expression(s[1])})", s[2])
        elif kind == "do":
            block("do", s[1], f"}} while ({expression(s[2])});")
        elif kind == "for":
            head = f"for (unsigned {s[1]} = {expression(s[2])}; {expression(s[3])}; "
            block(f"{head}{s[1]} += {s[4]})", s[5])
        elif kind == "switch":
            lines.append(f"{indent}switch ({expression(s[1])}) {{")
            for values, inner in s[2]:
                names = [f"case {v}:" for v in values] if values else ["default:"]
                lines.append(f"{indent}{' '.join(names)} {{")
                lines += [*statements(inner, more), f"{indent}}}"]
            lines.append(f"{indent}}}")
        elif kind == "return":
            lines.append(f"{indent}return {expression(s[1])};")
        else:
            lines.append(f"{indent}{kind};")
    return lines


def cuda(programs: dict[str, list[Statement] | str], functions: Functions, threads: int,
         ahead: str = "") -> str:  # fmt: skip
    """One file with a kernel for each program, each launched once: thread t stores what its program
    returns. The program is inlined, so its returns are jumps to the store. A program may be CUDA
    instead, the body of a function of `a` and `t`; `ahead` precedes all."""
    lines = ["#include <cuda_runtime.h>"]
    for name, (parameters, body) in functions.items():
        listed = ", ".join(["const unsigned *a", *(f"unsigned {p}" for p in parameters)])
        lines += [f"__device__ unsigned {name}({listed})", "{", *statements(body, "    "), "}"]
    lines.append(ahead)
    for name, program in programs.items():
        lines += [f"__device__ unsigned {name}_of(const unsigned *a, unsigned t)", "{",
                  "    unsigned s = t;",
                  *([program] if isinstance(program, str) else statements(program, "    ")), "}",
                  f"__global__ void {name}(const unsigned *a, unsigned *out)", "{",
                  "    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;",
                  f"    if (t < {threads}) out[t] = {name}_of(a, t);", "}"]  # fmt: skip
    lines += ["int main()", "{", "    unsigned *a, *out, state = 2463534242u;",
              f"    static unsigned words[{SIZE}], results[{threads}];",
              "    for (unsigned &w : words) {",
              "        state = state * 1664525u + 1013904223u;", "        w = state >> 12;",
              "    }",
              "    cudaMalloc(&a, sizeof words);", "    cudaMalloc(&out, sizeof results);",
              "    cudaMemcpy(a, words, sizeof words, cudaMemcpyHostToDevice);"]  # fmt: skip
    for name in programs:
        lines.append(f"    {name}<<<{(threads + 63) // 64}, 64>>>(a, out);")
        lines.append("    cudaDeviceSynchronize();")
    lines += ["    cudaFree(a);", "    cudaFree(out);", "}"]
    return "\n".join(lines) + "\n"
