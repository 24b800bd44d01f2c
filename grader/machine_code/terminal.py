"""The machine code by line, for a terminal."""

import textwrap
from collections.abc import Mapping, Sequence

from grader.machine_code import report
from grader.machine_code.report import Kernel, Said

NUMBER = 6  # columns


def text(found: Sequence[Kernel], sources: Mapping[str, list[str]], width: int) -> str:
    """The kernels that ran, one instance of each other template, and a line for the rest."""
    shown = report.detailed(list(found))
    blocks = [_kernel(kernel, sources, width) for kernel in shown]
    rest = [f"{k.name}: {k.needs}" for k in found if k not in shown]
    return "\n\n".join([*blocks, "\n".join(_wrapped(line, "", width) for line in rest)]).strip()


def _kernel(kernel: Kernel, sources: Mapping[str, list[str]], width: int) -> str:
    rows = [kernel.name, _wrapped(kernel.needs, "  ", width)]
    file = ""
    for said in kernel.lines:
        if said.line.place[0] != file:
            file = said.line.place[0]
            rows.append(f"  {file}")
        rows += _line(said, sources, width)
    return "\n".join(rows)


def _line(said: Said, sources: Mapping[str, list[str]], width: int) -> list[str]:
    file, number = said.line.place
    lines = sources[file]
    source = " ".join(lines[number - 1].split()) if number <= len(lines) else ""
    room = (width - NUMBER) // 2
    cut = source if len(source) < room else source[: room - 2] + "…"
    indent = " " * (NUMBER + 2)
    counted = textwrap.wrap(said.counted, max(width - NUMBER - room - 2, 20)) or [""]
    rows = [f"{number:>{NUMBER}}  {cut:<{room}}{counted[0]}".rstrip()]
    rows += [" " * (NUMBER + 2 + room) + more for more in counted[1:]]
    return rows + ([_wrapped(f"→ {said.sentence}", indent, width)] if said.sentence else [])


def _wrapped(line: str, indent: str, width: int) -> str:
    return textwrap.fill(line, width, initial_indent=indent, subsequent_indent=indent + "  ")
