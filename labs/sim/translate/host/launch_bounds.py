"""__launch_bounds__(N): a launch of the kernel with more threads a block fails.

Behind the declaration of a kernel that is no template comes a variable whose initializer tells the
runtime. An instance of a template tells it at each launch (launches.py).
"""

from __future__ import annotations

import re

from labs.sim.translate.host.launches import Kernel, bounds_of, type_of
from labs.sim.translate.reader.program import BEFORE_MAIN, Bounds, Program


def rewrite(program: Program, kernels: dict[bytes, list[Kernel]]) -> None:
    """Removes the bounds, and has the runtime told. kernels: all declarations by name."""
    declared = [kernel for same in kernels.values() for kernel in same]
    for number, bounds in enumerate(program.bounds):
        blank = re.sub(rb"[^\n]", b" ", program.source[bounds.start : bounds.end])
        program.cut(bounds.start, bounds.end, blank.decode())
        kernel = next((k for k in declared if bounds_of(program, k) == bounds), None)
        if kernel is not None and kernel.template is None and not kernel.is_shadowed:
            _tell(program, kernel, bounds, number)


def _tell(program: Program, kernel: Kernel, bounds: Bounds, number: int) -> None:
    name = program.text[kernel.name].decode(errors="surrogateescape")
    threads = " ".join(bounds.threads.decode(errors="surrogateescape").split())
    end = program.until(kernel.parameters[1], b";", b"{")
    if program.at(end) == b"{":
        end = program.match[end]
    if 0 <= end < len(program):
        program.insert(
            program.end(end),
            f" {BEFORE_MAIN} static const sim_bounded_kernel {name}_sim_bounds_{number}("
            f"(const void *)({type_of(program, kernel)}){name}, {threads});",
        )
