"""The words for what the machine code shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.machine_code.lines import Line
from grader.machine_code.ran import Ran
from grader.model import plain_text
from grader.predict import estimate, gpu
from grader.sandbox import launcher
from grader.sass.kinds import OPERAND, Access
from grader.sass.listing import Function
from grader.sass.resources import Resources

WIDE = 8  # bytes


def names(functions: Sequence[Function]) -> dict[str, str]:
    """Their names as the source has them, with the template's arguments and the parameters."""
    mangled = [f.name for f in functions if re.fullmatch(r"_Z\w+", f.name)]
    said = launcher.tool_output(["c++filt", *mangled], None).splitlines() if mangled else []
    known = dict(zip(mangled, said, strict=False))
    return {f.name: _short(known.get(f.name, f.name)) for f in functions}


def _short(name: str) -> str:
    return plain_text.line(re.sub(r"^void (?=\S+[<(])|\(anonymous namespace\)::", "", name), 200)


def counted(line: Line) -> str:
    """Its instructions by their kind."""
    order = ("FMA", "float", "integer", "barrier")
    accesses = [f"{n} {access.name}" for access, n in sorted(line.accesses.items())]
    kinds = sorted(line.kinds.items(), key=lambda kind: (kind[0] not in order, -kind[1]))
    return ", ".join([*accesses, *(f"{n} {kind}" for kind, n in kinds)])


def sentence(line: Line, resources: Resources | None, ran: Ran | None) -> str:
    """What the compiler did with a line, as far as its code shows that; "" for nothing."""
    said = [
        *_unrolled(line),
        *(text for access in sorted(line.accesses) for text in _wide(line, access, ran)),
        *_hoisted(line),
        *_local(line, resources),
        *_constant(line),
        *([f"{line.fused} is product and sum in one"] if line.fused else []),
        *([f"in the run {often}"] if (often := _often(line, ran)) else []),
    ]
    return "; ".join(said)


def _unrolled(line: Line) -> list[str]:
    if line.unrolled is None:
        return []
    access, number, in_loop = line.unrolled
    where = "in one round of the loop" if in_loop else "in a row, without a loop"
    return [f"unrolled: {number} {access.name} {where}"]


def _wide(line: Line, access: Access, ran: Ran | None) -> list[str]:
    if access.name.startswith("LDGSTS"):
        return [f"{access.name} copies to shared memory without a register"]
    width = ran.widths.get((line.place, access.space, access.way)) if ran else None
    if width and access.bytes > width and access.space != "constant":
        return [f"{access.name} merges {access.bytes // width} accesses of {width} bytes"]
    is_wide = access.bytes >= WIDE and access.space in ("global", "shared")
    return [f"{access.name} moves {access.bytes} bytes at once"] if is_wide else []


def _hoisted(line: Line) -> list[str]:
    if line.moved:
        return [f"{line.moved.name} was moved here: the line itself has no such access"]
    if line.hoisted is None:
        return []
    access, loop = line.hoisted
    return [f"hoisted: {access.name} stands before the loop of line {loop}"]


def _local(line: Line, of: Resources | None) -> list[str]:
    found = [access.name for access in sorted(line.accesses) if access.space == "local"]
    if not found or of is None:
        return []
    what = "an array and spilled registers are" if of.spill_stores else "an array is"
    what = "spilled registers are" if of.only_spills() else what
    return [f"{what} in local memory ({' and '.join(found)})"]


def _constant(line: Line) -> list[str]:
    is_operand = any(access.name == OPERAND for access in line.accesses)
    return ["constant memory is an operand, without a load"] if is_operand else []


def _often(line: Line, ran: Ran | None) -> str:
    """How often its accesses ran, for those that the code has, too."""
    said = []
    for (place, space, way), requests in ran.requests.items() if ran else ():
        own = {a: n for a, n in line.accesses.items() if (a.space, a.way) == (space, way)}
        if ran and place == line.place and own and requests:
            often = _number(requests / ran.warps)
            text = f"{often} {space} {way}{'' if often == '1' else 's'} per warp"
            width = ran.widths[place, space, way]
            served = sum(n * max(1, a.bytes // width) for a, n in own.items())
            if space == "shared" and way == "load" and space not in line.looped:
                is_less = served < requests / ran.warps
                text += f", of which at most {served} are left" if is_less else ""
            said.append(text)
    return ", ".join(said)


def _number(value: float) -> str:
    return f"{value:.2g}" if value < 10 and not value.is_integer() else f"{value:.4g}"


def resources(of: Resources, ran: Ran | None) -> str:
    """What a kernel needs, and how many of its blocks an H200's multiprocessor holds."""
    spilled = of.spill_stores + of.spill_loads
    shared = max(of.shared, ran.launch.shared if ran else 0)
    text = f"{of.registers} registers, {f'{spilled} bytes of' if spilled else 'no'} spills"
    text += f", {shared} bytes of shared memory, {of.local} of local"
    if ran is None:
        return text
    grid, block = ("x".join(map(str, size)) for size in (ran.launch.grid, ran.launch.block))
    number = estimate.resident_blocks(gpu.gpu(), ran.threads, shared, of.registers)
    blocks = f"{number} block{'s' if number != 1 else ''}"
    text += f"; ran with grid {grid}, block {block}: {blocks} resident"
    return f"{text} on an H200's multiprocessor"
