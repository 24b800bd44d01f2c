"""Decides before a submission's program runs what its code may do: looks at its object files.

An object may use only what symbol_rules.toml allows, and what the submission, its lab and the
simulator's headers define. It may define nothing that would take the place of the course's own
code or a library's, and nothing that runs before or after the function that is graded.

This is for a clear message and against shortcuts. The sandbox is what keeps a program in, and it
holds without this. source_check.py refuses in the source what no object shows, such as assembly.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.compile.permitted import before_main, elf, runtime_symbols, symbol_rules
from grader.compile.permitted.elf import ObjectError, ObjectFile, Symbol
from grader.compile.permitted.refusal import Refusal, Where, place, short, shown
from grader.compile.permitted.symbol_rules import Kind

# The parts of an object that gcc, g++ and nvcc make, and those in which the simulator's translator
# keeps the variables of each memory space and the build lists what may be called by a pointer.
SECTIONS = re.compile(
    r"(?:\.(?:text|data|rodata|bss|tdata|tbss|rela|debug_|note|group|comment|eh_frame"
    r"|gcc_except_table|symtab|strtab|shstrtab|init_array|fini_array|ctors|dtors|preinit_array"
    r"|nv_fatbin|nvFatBin|nv\.|symtab_shndx)[\w.$-]*"
    r"|__nv_module_id|__nv_relfatbin|__nv_managed_data__|sim_(?:constant|device|managed)\w*"
    r"|sim_call_targets|sim_layouts|asan_globals)?"
)
# Weak symbols that need no group: the simulator's operator new, and what exceptions refer to.
WEAK = re.compile(r"_Zn[wa]\w+|_Zd[la]\w+|DW\.ref\.\w+")
OF_LIBRARY = re.compile(r"_Z(?:N?[VKRO]*S[tabdios]|n[wa]|d[la]|N[VKRO]*(?:9__gnu|10__cxxabi))")
NESTED = re.compile(r"[A-Za-z_]\w*\.\d+")  # a nested function's symbol
CALLS = {4, 282, 283}  # relocations that only calls and jumps have, on x86-64 and aarch64


@dataclass(frozen=True)
class Checked:
    """An object of a submission. course: the folder where the lab's own parts are built."""

    file: Path
    kind: Kind
    lab_folder: str
    course: Path


def defined_by(file: Path) -> set[str]:
    """The names that an object defines for others; none if it cannot be read."""
    try:
        symbols = elf.read_object(file).symbols
    except (OSError, ObjectError):
        return set()
    return {s.name for s in symbols if s.is_defined() and s.binding != elf.LOCAL}


def check_object(checked: Checked, others: Sequence[Path] = ()) -> list[Refusal]:
    """Why an object may not be linked, in no order; [] when it may. others: the other objects of
    the same program that come from the submission. Raises OSError."""
    try:
        parts = elf.read_object(checked.file)
        if any(s.name == "GOMP_target_ext" and not s.is_defined() for s in parts.symbols):
            return [*_uses(parts, checked, others)]  # with its line, and not all that comes with it
        return [
            *_sections(parts),
            *_stack(parts, checked.kind),
            *before_main.check_before_main(parts, checked.kind),
            *_definitions(parts, checked),
            *_uses(parts, checked, others),
        ]
    except (ObjectError, IndexError) as problem:
        return [Refusal("", f"what the compiler made of this file cannot be checked: {problem}")]


# ---------------------------------------------------------------- sections


def _sections(parts: ObjectFile) -> Iterator[Refusal]:
    for section in parts.sections:
        writable_code = section.flags & elf.EXECUTABLE and section.flags & elf.WRITE
        if not SECTIONS.fullmatch(section.name) or writable_code:
            text = f"adds to the section {short(section.name)} of the program; "
            yield Refusal("", text + "remove the attribute or the assembly that does so")


def _stack(parts: ObjectFile, kind: Kind) -> Iterator[Refusal]:
    """Refuses an executable stack, on which a program could write its own machine code."""
    flags = [s.flags for s in parts.sections if s.name == ".note.GNU-stack"]
    if all(not f & elf.EXECUTABLE for f in flags) and (flags or kind == "gpu"):
        return
    nested = [s for s in parts.symbols if s.kind == elf.FUNCTION and NESTED.fullmatch(s.name)]
    text = "takes the address of a function inside a function, which needs code on the stack; "
    text += "move it out of the other function, and pass it what it needs"
    yield Refusal("", text, place(parts, nested[0]) if nested else None)


# ---------------------------------------------------------------- what it defines


def _definitions(parts: ObjectFile, checked: Checked) -> Iterator[Refusal]:
    course = machine = None
    own = runtime_symbols.of_lab_headers(checked.lab_folder)
    for symbol in parts.symbols:
        if symbol.kind == elf.IFUNC:
            text = f"{shown(symbol.name)} is chosen while the program starts (ifunc); "
            yield Refusal(symbol.name, text + "use an if instead", place(parts, symbol))
            continue
        if symbol.section == elf.ABSOLUTE and symbol.kind != elf.FILE:
            yield Refusal(symbol.name, f"{shown(symbol.name)} has a fixed address")
        if not symbol.is_defined() or symbol.binding == elf.LOCAL or symbol.name in own:
            continue
        inline = symbol.binding in (elf.WEAK, elf.UNIQUE)
        if inline and checked.kind != "gpu" and not _is_shared_by_files(parts, symbol):
            text = f"{shown(symbol.name)} is weak: other code could take its place; "
            text += "remove the attribute"
            yield Refusal(symbol.name, text, place(parts, symbol))
            continue
        if _is_own_cpp(symbol.name) or (inline and symbol.name.startswith(("_Z", "DW."))):
            continue
        if course is None or machine is None:
            course = runtime_symbols.of_course(checked.course)
            machine = runtime_symbols.of_machine()
        text = f"defines {shown(symbol.name)}, "
        if symbol.name in course:
            text += "which the course's own code defines as well; "
        elif symbol.name in machine:
            text += "which the C library defines as well; "
        elif _is_reserved(symbol.name, checked.kind):
            text += "a name that belongs to the course or to the system; "
        else:
            continue
        text += "give it another name, or make it static"
        yield Refusal(symbol.name, text, place(parts, symbol))


def _is_reserved(name: str, kind: Kind) -> bool:
    """Is it a name that a submission may not even use, or the simulator's?"""
    return symbol_rules.refusal(name, kind) is not None or name.startswith("sim_") or "@" in name


def _is_own_cpp(name: str) -> bool:
    """Is it the name of a C++ function or variable outside of the C++ library?"""
    return name.startswith("_Z") and not OF_LIBRARY.match(name)


def _is_shared_by_files(parts: ObjectFile, symbol: Symbol) -> bool:
    """Is it a template's or an inline function's, which every file has that uses it?"""
    if WEAK.fullmatch(symbol.name):
        return True
    if symbol.section >= len(parts.sections):
        return False
    section = parts.sections[symbol.section]
    return bool(section.flags & elf.GROUPED) or section.name.startswith("sim_")


# ---------------------------------------------------------------- what it uses


def _uses(parts: ObjectFile, checked: Checked, others: Sequence[Path]) -> Iterator[Refusal]:
    known: set[str] | None = None
    for index, symbol in enumerate(parts.symbols):
        name = symbol.name
        if symbol.is_defined() or not name or symbol_rules.is_allowed(name, checked.kind):
            continue
        refused = symbol_rules.refusal(name, checked.kind)
        given = _is_baseline(name, checked)
        if refused is None and not given:
            if known is None:
                known = set().union(*(defined_by(file) for file in others))
                known |= runtime_symbols.of_lab_headers(checked.lab_folder)
                known |= runtime_symbols.of_simulator_headers()
            if name in known:
                continue
        if refused:
            why = refused.why
        elif given:
            why = "it is the version to beat; compute the result with your own code"
        elif _is_defined_somewhere(name, checked):
            why = "it is not among the functions that a lab's code may call"
        else:
            why = "but no file defines it"
        uses = parts.relocations_of(index)
        code = [u for u in uses if parts.sections[u.section].flags & elf.EXECUTABLE]
        verb = "calls" if code and code[0].kind in CALLS else "uses"
        called = (refused.shown if refused else "") or shown(name) + "()" * (verb == "calls")
        where = Where(parts.sections[code[0].section].name, code[0].offset) if code else None
        yield Refusal(name, f"{verb} {called}; {why}", where)


def _is_baseline(name: str, checked: Checked) -> bool:
    """Is it a function of the lab's baseline, which does what the submission is asked to do?"""
    return name.startswith("baseline_") and name in runtime_symbols.of_lab_headers(
        checked.lab_folder
    )


def _is_defined_somewhere(name: str, checked: Checked) -> bool:
    course = runtime_symbols.of_course(checked.course)
    return name in course or name in runtime_symbols.of_machine()
