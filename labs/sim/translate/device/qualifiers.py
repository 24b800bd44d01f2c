"""Words of CUDA at functions, lambdas, classes and texture references that C++ does not have."""

from __future__ import annotations

from labs.sim.translate.device.variables import INLINE, Variables
from labs.sim.translate.reader.program import MARKS, Program


def remove_qualifiers(program: Program) -> None:
    """Removes __global__, __device__ and __host__ of functions and lambdas. The others get their
    names in g++."""
    variables = Variables(program, is_traced=False)
    for i in program.words(*MARKS):
        if program.text[i] != b"__device__" or not variables.declares(i):
            program.blank(i)
    for i in program.words(b"__noinline__"):
        # The C++ library writes __attribute__((__noinline__)): no macro may stand for the word.
        if program.at(i - 1) not in (b"(", b","):
            program.replace(i, "__attribute__((noinline))")
    for i in program.words(b"__forceinline__"):
        first = last = i
        while program.is_word(first - 1) or program.at(first - 1) == b"]":
            first -= 1
        while program.is_word(last + 1):
            last += 1
        again = any(word in INLINE for word in program.text[first : last + 1])
        again = again or b"__forceinline__" in program.text[first:i]
        program.replace(i, ("" if again else "inline ") + "__attribute__((always_inline))")


def rename_references(program: Program) -> None:
    """Texture and surface references, unless the program has a `texture` of its own."""
    for i in program.words(b"texture", b"surface"):
        own = any(
            program.at(k - 1) in (b"struct", b"class") for k in program.words(program.text[i])
        )
        if program.at(i + 1) == b"<" and program.at(i - 1) not in (b".", b"->") and not own:
            program.replace(i, f"sim_{program.text[i].decode()}_reference")


def qualify_names(program: Program) -> None:
    """using config = config<int>; in a class: g++ lets no class use both meanings of a name."""
    for i in program.words(b"using"):
        name = program.at(i + 1)
        if program.up[i] < 0 or program.text[i + 2 : i + 4] != [b"=", name]:
            continue
        if any(program.up[k] < 0 and program.at(k - 1) in (b"struct", b"class")
               for k in program.words(name)):  # fmt: skip
            program.insert(program.start[i + 3], "::")


def mark_returns(program: Program) -> None:
    """Marks where a thread leaves its kernel early."""
    for i in program.words(b"return"):
        around = [f for f in program.functions if f.opened < i < f.closed]
        if program.at(i + 1) == b";" and [b"__global__" in f.marks for f in around] == [True]:
            line = program.position(i)[1]
            program.replace(i, f"return sim_returns({line})")
