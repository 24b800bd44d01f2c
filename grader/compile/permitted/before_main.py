"""Refuses what an object would run before main() or after it."""

import re
from collections.abc import Iterator

from grader.compile.permitted import elf
from grader.compile.permitted.elf import ObjectFile, Relocation, Symbol
from grader.compile.permitted.refusal import Refusal, Where, place, shown
from grader.compile.permitted.symbol_rules import Kind

BEFORE_MAIN = re.compile(
    r"\.(?:preinit_array|init_array|fini_array|ctors|dtors|init|fini)(?:\.\d+)?"
)
# The priorities at which gcc's instrumentation and the simulator's variables register themselves
# (labs/sim/translate/reader/program.py), and the functions that do so.
REGISTERING = {
    "00099": re.compile(r"_sub_[ID]_00099_\w+"),
    "00200": re.compile(r"_GLOBAL__sub_I\.00200_.+"),
}
NVCC_REGISTERS = re.compile(r"__sti____cudaRegisterAll\w*|_ZL\d+__sti____cudaRegisterAll\w*")
# What the C++ library's header <iostream> does before main(), and how a destructor is noted.
STREAMS = "_ZNSt8ios_base4InitC1Ev"
NOTES_DESTRUCTOR = re.compile(
    r"__cxa_atexit|__dso_handle|_ZN\w+D[012]Ev|_ZNSt8ios_base4InitC1Ev|__tsan_write\d+"
)
# At most, for each destructor that such a function notes: uses of variables, and bytes of code.
OBJECTS_OF_A_CALL, BYTES_OF_A_CALL = 4, 128


def check_before_main(parts: ObjectFile, kind: Kind) -> Iterator[Refusal]:
    """Refuses functions that run before main() or at the end of the process, except for those by
    which compilers, the simulator and <iostream> register what they made."""
    for index, section in enumerate(parts.sections):
        if not BEFORE_MAIN.fullmatch(section.name) or section.kind == elf.RELA:
            continue
        entries = parts.relocations_in(index)
        priority = section.name.rpartition(".")[2]
        expected = REGISTERING.get(priority)
        if priority == "00099" and kind not in ("checked", "raced"):
            expected = None
        for function in [_target(parts, entry) for entry in entries] or [None]:
            name = function.name if function else ""
            known = expected and len(entries) == 1 and expected.fullmatch(name)
            if known or (kind == "gpu" and NVCC_REGISTERS.fullmatch(name)):
                continue
            if function and section.name == ".init_array" and _notes_destructors(parts, function):
                continue
            yield _runs_before_main(parts, function)


def _target(parts: ObjectFile, entry: Relocation) -> Symbol | None:
    """The function whose address is there."""
    symbol = parts.symbols[entry.symbol] if entry.symbol < len(parts.symbols) else None
    if symbol and symbol.kind == elf.SECTION:
        return parts.function_at(symbol.section, entry.addend)
    return symbol


def _notes_destructors(parts: ObjectFile, function: Symbol) -> bool:
    """Does a function that runs before main() only set up std::cout, and note which destructors
    are to run at the end? (The runner ends without them.) Compilers also set their objects to 0
    there, so this bounds the code and does not prove that it is theirs alone."""
    calls = objects = 0
    for use in _inside(parts, function):
        symbol = parts.symbols[use.symbol]
        is_variable = symbol.kind == elf.OBJECT and symbol.is_defined()
        if symbol.name in ("__cxa_atexit", STREAMS):
            calls += 1
        elif symbol.kind == elf.SECTION or is_variable:
            objects += 1
        elif not NOTES_DESTRUCTOR.fullmatch(symbol.name):
            return False
    return objects <= OBJECTS_OF_A_CALL * calls and function.size <= BYTES_OF_A_CALL * calls


def _inside(parts: ObjectFile, function: Symbol) -> list[Relocation]:
    end = function.value + function.size
    uses = parts.relocations_in(function.section)
    return [
        use
        for use in uses
        if function.value <= use.offset < end and use.symbol < len(parts.symbols)
    ]


def _runs_before_main(parts: ObjectFile, function: Symbol | None) -> Refusal:
    text = (
        "a variable outside of all functions needs code that runs before main(); "
        "give it a constant value, or declare it inside the function that uses it"
    )
    if function is None or not function.name.startswith("_GLOBAL__"):
        name = function.name if function else "a function"
        text = f"{shown(name)} would run before main() or after it; call it where it is needed"
        where = place(parts, function) if function else None
        return Refusal(name, text, where)
    uses = _inside(parts, function)
    own = [u for u in uses if not NOTES_DESTRUCTOR.fullmatch(parts.symbols[u.symbol].name)]
    called = [u for u in own if not parts.symbols[u.symbol].is_defined()]
    offset = next((u.offset for u in [*called, *own]), function.value)
    return Refusal("", text, Where(parts.sections[function.section].name, offset))
