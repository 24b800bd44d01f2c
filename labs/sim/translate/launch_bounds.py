"""__launch_bounds__(N): a launch of the kernel with more threads a block fails.

Behind the declaration of a kernel that is no template comes a variable whose initializer tells the
runtime. An instance of a template keeps the device's own limit.
"""

from __future__ import annotations

import re

from launches import Kernel, type_of
from tokens import BEFORE_MAIN, Bounds, Tokens


def rewrite(tokens: Tokens, kernels: dict[bytes, list[Kernel]]) -> None:
    """Removes the bounds, and has the runtime told. kernels: all declarations by name."""
    declared = [kernel for same in kernels.values() for kernel in same]
    for number, bounds in enumerate(tokens.bounds):
        blank = re.sub(rb"[^\n]", b" ", tokens.source[bounds.start : bounds.end])
        tokens.cut(bounds.start, bounds.end, blank.decode())
        kernel = next((k for k in declared if _is_in_head(tokens, k, bounds)), None)
        if kernel is not None and kernel.template is None and not kernel.is_shadowed:
            _tell(tokens, kernel, bounds, number)


def _is_in_head(tokens: Tokens, kernel: Kernel, bounds: Bounds) -> bool:
    return tokens.start[kernel.first] <= bounds.start < tokens.start[kernel.parameters[0]]


def _tell(tokens: Tokens, kernel: Kernel, bounds: Bounds, number: int) -> None:
    name = tokens.text[kernel.name].decode(errors="surrogateescape")
    threads = " ".join(bounds.threads.decode(errors="surrogateescape").split())
    end = kernel.parameters[1]
    while end < len(tokens) and tokens.text[end] not in (b";", b"{"):
        end += 1
    if end < len(tokens) and tokens.text[end] == b"{":
        end = tokens.match[end]
    if 0 <= end < len(tokens):
        tokens.insert(
            tokens.end(end),
            f" {BEFORE_MAIN} static const sim_bounded_kernel {name}_sim_bounds_{number}("
            f"(const void *)({type_of(tokens, kernel)}){name}, {threads});",
        )
