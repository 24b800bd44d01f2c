"""__CUDA_ARCH__: one program for the host's and for the device's reading of the source.

nvcc compiles a file once for the host, with __CUDA_ARCH__ undefined, and once for each device,
where it is a number: 900 for the device that the simulator stands for. The simulator's program is
compiled once. It is the host's reading, except for the bodies of functions that differ in the
device's:

- a __global__ or __device__ function has the body of the device;
- a __host__ __device__ function has both, and chooses when it is called;
- a function that only the device's reading defines is added, or takes the place of the host's of
  the same name and parameters: `#if __CUDA_ARCH__ ... #else ...` often has one on each side.

A body with inline PTX yields to the other reading's, if that has none: programs often have such an
alternative for old devices.
"""

from __future__ import annotations

from collections import Counter

from labs.sim.translate.reader.expanded import Expanded, blanked, quoted
from labs.sim.translate.reader.program import Function, Program

ASSEMBLY = (b"asm", b"__asm__", b"__asm")
PTX = (
    "inline PTX (asm) in a device function: the simulator does not support it; write it in "
    "CUDA C++ (__shfl_sync(), __ldg(), threadIdx, ... do not need it)"
)
Key = tuple[str, int, int]
Part = tuple[int, int, bytes]  # of a text: what replaces it


def _outermost(program: Program) -> dict[Key, Function]:
    """The functions with a mark, without those inside another, by file, line and number there."""
    found: dict[Key, Function] = {}
    seen: Counter[tuple[str, int]] = Counter()
    end = -1
    for function in program.functions:
        if function.opened < end:
            continue
        end = function.closed
        file, line, _ = program.position(function.head)
        seen[file, line] += 1
        found[file, line, seen[file, line]] = function
    return found


def _assembly(program: Program, function: Function) -> int | None:
    """The first inline PTX of a function."""
    for i in range(function.opened, function.closed):
        if program.text[i] in ASSEMBLY and program.kind[i] == "word":
            return i
    return None


def _nested(program: Program, function: Function) -> bool:
    return any(function.opened < i < function.closed for i, _ in program.launches)


def refuse_assembly(program: Program) -> None:
    """Refuses inline PTX: assembly in a function of the device."""
    for function in _outermost(program).values():
        at = _assembly(program, function)
        if at is not None and function.is_device | (b"__device__" in function.marks):
            raise program.refusal(at, PTX)


def _marker(program: Program, i: int) -> bytes:
    file, line, _ = program.position(i)
    return b"\n# %d %s\n" % (line, quoted(file).encode(errors="surrogateescape"))


def merged(host: Expanded, device: Expanded | None) -> Expanded:
    """The host's reading with the functions of the device's; see above. Refuses inline PTX."""
    here = Program(host)
    if device is None:
        refuse_assembly(here)
        return host
    there = Program(device)
    bodies = _outermost(there)
    parts: list[Part] = []
    hosts = _outermost(here)
    hosts_only = [f for key, f in hosts.items() if key not in bodies]
    only = {key: f for key, f in bodies.items() if key not in hosts}
    parts += _other_branch(here, there, hosts_only, only)
    for key, function in hosts.items():
        other = bodies.pop(key, None)
        plain = _assembly(here, function)
        if other is None:
            if plain is not None and function.is_device:
                raise here.refusal(plain, PTX)
            continue
        ours = here.text[function.opened : function.closed]
        theirs = there.text[other.opened : other.closed]
        ptx = _assembly(there, other)
        if ours == theirs or ptx is not None or _nested(there, other):
            if ptx is not None and (ours == theirs or (plain is not None and function.is_device)):
                raise there.refusal(ptx, PTX)
            continue
        start, end = here.start[function.opened], here.end(function.closed)
        body = device.own[there.start[other.opened] : there.end(other.closed)]
        if host.holds_foreign(start, end) or device.holds_foreign(
            there.start[other.opened], there.end(other.closed)):  # fmt: skip
            continue
        after = _marker(here, function.closed)
        if function.is_device:
            parts.append((start, end, body + after))
        elif b"constexpr" not in here.text[here.statement(function.head) : function.opened]:
            both = b"{ if (sim_on_device()) " + body + _marker(here, function.opened) + b"else "
            parts.append((start, end, both + host.own[start:end] + b" }"))
    added = _added(here, there, only)  # in the order of the device's text
    return host.replaced(sorted(parts + added, key=lambda part: part[:2]))


def _parameters(program: Program, name: int) -> list[tuple[list[bytes], bytes]]:
    """The type and name of each parameter of the function whose name is a token."""
    found = []
    for first, last in program.commas(name + 2, program.match[name + 1]):
        words = program.text[first:last]
        words = words[: words.index(b"=")] if b"=" in words else words
        is_named = len(words) > 1 and program.is_name(first + len(words) - 1)
        found.append((words[:-1], words[-1]) if is_named else (words, b""))
    return found


def _heading(program: Program, name: int) -> str:
    """What tells a function from others: its name, the types of its parameters, and the scopes
    around it."""
    scopes = [program.text[program.statement(brace) : brace] for brace in program.braces(name)]
    return repr((program.text[name], [kind for kind, _ in _parameters(program, name)], scopes))


def _name(program: Program, function: Function) -> int | None:
    """The token that is the name of a function; None for an operator or a lambda."""
    for i in range(function.head, function.opened):
        if program.at(i + 1) == b"(" and program.is_name(i) and program.text[i] != b"__attribute__":
            return i
    return None


def _other_branch(
    here: Program, there: Program, ours: list[Function], only: dict[Key, Function]
) -> list[Part]:
    """Takes out of `only` the device's functions that the host's reading has elsewhere, and returns
    what becomes of those. A function without a mark is for the host alone, and stays for it."""
    marked = {_heading(here, i): (i, f) for f in ours if (i := _name(here, f)) is not None}
    parts: list[Part] = []
    for key, function in list(only.items()):
        name = _name(there, function)
        if name is None or not there.is_global(there.statement(function.head)):
            continue
        at, other = marked.get(_heading(there, name)) or (_unmarked(here, there, name), None)
        if at is None:
            continue
        opened = other.opened if other else here.past(at + 1)
        start, end = here.start[here.statement(at)], here.end(here.match[opened])
        first, last = there.start[there.statement(name)], there.end(function.closed)
        if here.expanded.holds_foreign(start, end) or there.expanded.holds_foreign(first, last):
            continue
        del only[key]
        after = _marker(here, here.match[opened])
        if other and other.is_device:
            text = _marker(there, there.statement(name)) + there.source[first:last]
            parts.append((start, end, text + after))
            continue
        names = [(a, b) for (_, a), (_, b) in zip(_parameters(here, at), _parameters(there, name),
                                                  strict=True) if b not in (a, b"")]  # fmt: skip
        text = b"{ if (sim_on_device()) { "
        text += b"".join(b"auto &%s = %s; " % (b, a) for a, b in names)
        text += _marker(there, function.opened) + there.source[there.start[function.opened] : last]
        text += b" }" + _marker(here, opened) + b"else " + here.source[here.start[opened] : end]
        parts.append((here.start[opened], end, text + b" }" + after))
    return parts


def _unmarked(here: Program, there: Program, name: int) -> int | None:
    """The name of the host's function without a mark that has the heading of the device's."""
    heading = _heading(there, name)
    for i in here.words(there.text[name]):
        opened = here.past(i + 1) if here.at(i + 1) == b"(" else len(here)
        is_definition = here.at(opened) == b"{" and here.is_global(i)
        if is_definition and _heading(here, i) == heading:
            return i
    return None


def _added(here: Program, there: Program, only: dict[Key, Function]) -> list[Part]:
    """The functions that only the device's reading defines, and the variables that it defines
    elsewhere, each before the next function that both have."""
    both = _outermost(here)
    order = sorted(both.items(), key=lambda item: item[1].opened)
    parts: list[Part] = []
    pieces = _moved_variables(here, there)
    pieces |= {there.statement(f.head): (f.closed, []) for f in only.values() if f.is_device}
    for first, (last, taken_out) in sorted(pieces.items()):
        file, line, _ = there.position(first)
        following = [f for (name, number, _), f in order if name == file and number > line]
        if not there.is_global(first) or not following:
            continue
        at = here.statement(following[0].head)
        if not here.is_global(at):
            continue
        start, end = there.start[first], there.end(last)
        if there.expanded.holds_foreign(start, end):
            continue
        text = there.expanded.own[start:end]
        parts += taken_out
        parts.append((here.start[at], here.start[at],
                      _marker(there, first) + text + _marker(here, at)))  # fmt: skip
    return parts


def _moved_variables(here: Program, there: Program) -> dict[int, tuple[int, list[Part]]]:
    """The device's variables that the host's reading defines, with the same words, in another line:
    their first and last token in the device's reading, and the host's definition, taken out."""
    ours = _variables(here)
    moved = {}
    for words, (first, last) in _variables(there).items():
        at = ours.get(words)
        if at is not None and there.position(first)[:2] != here.position(at[0])[:2]:
            start, end = here.start[at[0]], here.end(at[1])
            moved[first] = last, [(start, end, blanked(here.source[start:end]))]
    return moved


def _variables(program: Program) -> dict[tuple[bytes, ...], tuple[int, int]]:
    """Each variable of the device at the scope of a file: the first and last token."""
    found = {}
    for i in program.words(b"__device__", b"__constant__"):
        first, last = program.statement(i), program.until(i, b";", b"(")
        if program.is_global(first) and program.at(last) == b";":
            found[tuple(program.text[first:last])] = first, last
    return found
