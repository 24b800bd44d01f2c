"""Calls of the runtime API: a result that the program ignores is noted, a launcher gets the kernel
itself, and the C functions have another name."""

from __future__ import annotations

from collections.abc import Collection

from labs.sim.translate.host.kernel_addresses import remove_cast
from labs.sim.translate.reader.declared import functions
from labs.sim.translate.reader.expanded import quoted
from labs.sim.translate.reader.program import Program

ERROR_QUERIES = (b"cudaGetLastError", b"cudaPeekAtLastError")
LAUNCHERS = {  # which argument is the kernel
    b"cudaLaunchKernel": 0,
    b"cudaLaunchCooperativeKernel": 0,
    b"cudaLaunchKernelExC": 1,
}
BEFORE = (b";", b"{", b"}", b"else", b"do")


def rewrite(program: Program, kernels: Collection[bytes]) -> None:
    """Edits the calls of the runtime API. kernels: the names of the program's kernels."""
    known = functions()
    for i, text in enumerate(program.text):
        if not text.startswith(b"cuda") or program.kind[i] != "word":
            continue
        if text in LAUNCHERS and program.at(i + 1) == b"(":
            given = program.commas(i + 2, program.match[i + 1])
            if len(given) > LAUNCHERS[text]:
                remove_cast(program, given[LAUNCHERS[text]][0], kernels)
        if text not in known or program.at(i - 1) in (b".", b"->"):
            continue
        name = text.decode()
        opened = i + 1
        if program.at(opened) != b"(":
            if not program.declares(i) or program.at(i - 1) == b"&":
                # the C function, without its default arguments
                program.replace(i, f"sim_c_{name}")
            continue
        closed = program.match[opened]
        if closed > 0 and text not in ERROR_QUERIES and _is_unchecked(program, i, closed):
            file, line, _ = program.position(i)
            first = i - 1 if program.at(i - 1) == b"::" else i
            program.insert(program.start[first], "sim_unchecked_call(")
            program.insert(program.end(closed), f', "{name}", {quoted(file)}, {line})')


def _begins(program: Program, i: int) -> bool:
    """Is token i the first of a statement?"""
    before = program.at(i - 1)
    if before == b")" and program.match[i - 1] > 0:
        return program.text[program.match[i - 1] - 1] in (b"if", b"for", b"while", b"switch")
    if before == b":":  # of a label, not of a ? b : c
        label = program.statement(i - 1)
        return b"?" not in program.text[label:i]
    return before in BEFORE or i == 0


def _is_unchecked(program: Program, call: int, closed: int) -> bool:
    """Does the program ignore what the call returns? call..closed: its name and its last bracket.

    It stands alone as a statement, or a variable takes its result and, before anything else
    mentions that variable, takes that of another expression. `(void)call` ignores it on purpose.
    """
    if program.at(closed + 1) != b";":
        return False
    first = call - 1 if program.at(call - 1) == b"::" and not program.is_name(call - 2) else call
    if _begins(program, first):
        return True
    if program.at(first - 1) != b"=" or not program.is_name(first - 2):
        return False
    target = first - 2
    if not _begins(program, target) and not program.is_name(target - 1):
        return False
    return _is_overwritten(program, target, closed + 2)


def _is_overwritten(program: Program, target: int, i: int) -> bool:
    """Is the first later mention of the variable, in its block, a statement that assigns to it?"""
    name = program.text[target]
    while i < len(program) and program.text[i] != name:
        if program.text[i] == b"}" and program.match[i] < target:
            return False
        i += 1
    if i >= len(program) or program.up[i] != program.up[target]:
        return False
    if not (program.at(i - 1) in (b";", b"}", b"{") and program.at(i + 1) == b"="):
        return False
    end = i + 2
    if program.at(end) == b"=":
        return False  # a comparison
    while end < len(program) and program.text[end] != b";":
        if program.text[end] == name:
            return False
        end += 1
    return True
