"""The addresses of kernels: the runtime must know which kernel an untyped pointer means."""

from __future__ import annotations

from collections.abc import Collection

from labs.sim.translate.reader.program import Program

CASTS = (b"reinterpret_cast", b"static_cast")


def rewrite(program: Program, kernels: Collection[bytes]) -> None:
    """(void *)k -> (void *)sim_kernel_address("k", k), which makes k known to the runtime"""
    for i in program.words(*kernels):
        first, last = program.first_of_name(i), i
        if program.at(first - 1) == b"&":
            first -= 1
        if program.at(i + 1) == b"<":
            last = program.angle(i + 1) or i
        before = first - 1
        cast = program.at(before) == b")" and _is_untyped(program, program.match[before], before)
        if program.at(before) == b"(" and program.at(before - 1) == b">":
            opened = program.angle_back(before - 1) or 0
            cast = program.at(opened - 1) in CASTS and _is_untyped(program, opened, before - 1)
        if cast:
            name = program.text[i].decode(errors="surrogateescape")
            program.insert(program.start[first], f'sim_kernel_address("{name}", ')
            program.insert(program.end(last), ")")


def remove_cast(program: Program, i: int, kernels: Collection[bytes]) -> None:
    """Removes the cast of (void *)kernel at token i: the simulator needs the kernel's type."""
    cast = program.at(i) == b"(" and _is_untyped(program, i, program.match[i])
    if cast and not _is_of_the_host(program, program.match[i] + 1, kernels):
        program.blank(i, program.match[i])


def _is_untyped(program: Program, opened: int, closed: int) -> bool:
    """Do these brackets hold `void *`, with a const or without?"""
    inner = program.text[opened + 1 : closed] if 0 <= opened < closed else []
    return [text for text in inner if text != b"const"] == [b"void", b"*"]


def _is_of_the_host(program: Program, i: int, kernels: Collection[bytes]) -> bool:
    """Is this the name of a function that is no kernel, which a device cannot launch?"""
    name = program.at(i + 1 if program.at(i) == b"&" else i)
    return name not in kernels and any(
        program.at(k + 1) == b"(" and program.at(program.match[k + 1] + 1) == b"{"
        for k in program.words(name)
    )
