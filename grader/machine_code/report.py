"""All that is said of a program's machine code: kernels, and their lines with words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.machine_code import lines, words
from grader.machine_code.lines import Line
from grader.machine_code.ran import Ran
from grader.sass.compiled import Code
from grader.sass.listing import Function


@dataclass(frozen=True)
class Said:
    """A line: its instructions by kind, and what the compiler did."""

    line: Line
    counted: str
    sentence: str


@dataclass(frozen=True)
class Kernel:
    """A kernel, or a function that kernels call. ran: in the run that was counted."""

    name: str
    function: Function
    needs: str
    ran: bool
    lines: list[Said]

    @property
    def family(self) -> str:
        """Its name without template arguments and parameters."""
        return self.name.split("<")[0].split("(")[0]


def kernels(
    code: Code, texts: Mapping[str, str], ran: Mapping[str, Ran], only_ran: bool = False
) -> list[Kernel]:
    """Those that ran first, in the order of the source. only_ran: no others, but instances of the
    same template."""
    names = words.names(code.functions)
    found = [_kernel(one, names[one.name], code, texts, ran) for one in code.functions]
    families = {kernel.family for kernel in found if kernel.ran}
    kept = [k for k in found if not only_ran or k.family in families or not k.function.is_kernel]
    return sorted(kept, key=_order)


def _order(kernel: Kernel) -> tuple[bool, bool, int, str]:
    first = max((said.line.place[1] for said in kernel.lines), default=0)
    return not kernel.ran, not kernel.function.is_kernel, first, kernel.name


def _kernel(
    function: Function, name: str, code: Code, texts: Mapping[str, str], ran: Mapping[str, Ran]
) -> Kernel:
    run, resources = ran.get(function.name), code.resources.get(function.name)
    said = [
        Said(line, words.counted(line), words.sentence(line, resources, run))
        for line in lines.of_function(function, texts)
    ]
    needs = words.resources(resources, run) if resources else "a function that kernels call"
    return Kernel(name, function, needs, run is not None, said)


def detailed(found: list[Kernel]) -> list[Kernel]:
    """Of each template the instances that ran, or else the first: what a terminal shows in full."""
    ran = {kernel.family for kernel in found if kernel.ran}
    first = {kernel.family: kernel for kernel in reversed(found)}
    return [k for k in found if k.ran or (k.family not in ran and first[k.family] is k)]
