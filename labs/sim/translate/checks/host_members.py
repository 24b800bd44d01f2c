"""Constructors, operators and members of the host alone that functions of the device use.

Which one an expression uses only a compiler knows. So g++ reads the program once more, with each of
them marked as deprecated: it warns of every use, and one in a function of the device is refused. A
line that has other code, too, or a sizeof, is left alone.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence

from labs.sim.translate.reader.definitions import (
    UNEVALUATED,
    is_class,
    is_compiled,
    is_declared_outside,
)
from labs.sim.translate.reader.program import MARKS, NUMBERS, Program

NO_NAMES = NUMBERS | frozenset(
    b"void auto __attribute__ alignas static_assert decltype explicit noexcept".split()
)
OTHERS = (b"=", b"constexpr", b"using", b"typedef", b"__device__", b"__global__")
MARK = '__attribute__((deprecated("the host\'s {}"))) '
READ = ["-fsyntax-only", "-Wdeprecated-declarations", "-fno-diagnostics-show-caret"]
FROM_INPUT = ["-x", "c++-cpp-output", "-"]
USED = re.compile(
    r"^(?P<file>.*?):(?P<line>\d+):\d+: warning: .* is deprecated: the host's (?P<name>\d+) \[",
    re.MULTILINE,
)


def refuse_host_members(program: Program, compiler: Sequence[str]) -> None:
    """Raises Refusal for the first such use. The program has all its edits."""
    names = list(_names(program))
    lines = _device_lines(program) if names else {}
    if not lines:
        return
    edits = list(program.edits)
    for i in names:
        program.insert(program.start[_behind_template(program, i)], MARK.format(i))
    command = [*(flag for flag in compiler if flag != "-w"), *READ, *FROM_INPUT]
    done = subprocess.run(command, input=program.edited(), capture_output=True, check=False)
    program.edits = edits
    for used in USED.finditer(done.stderr.decode(errors="replace")):
        at = lines.get((used["file"], int(used["line"])))
        if at is not None and (function := program.around(at)):
            kind = "__global__" if b"__global__" in function.marks else "__device__"
            raise program.refusal(at, f'calling a __host__ function("'
                                  f'{_shown(program, int(used["name"]))}") from a {kind} function '
                                  "is not allowed: mark it __device__")  # fmt: skip


def _device_lines(program: Program) -> dict[tuple[str, int], int]:
    """The first token of each line of which all code runs on the device alone."""
    lines: dict[tuple[str, int], int] = {}
    others = set()
    compiled = {f for f in program.functions if f.is_device and is_compiled(program, f)}
    place = ("", 0)
    for i in range(len(program) if compiled else 0):
        if i == 0 or b"\n" in program.source[program.start[i - 1] : program.start[i]]:
            place = program.position(i)[:2]
        if program.around(i) in compiled and program.text[i] not in UNEVALUATED:
            lines.setdefault(place, i)
        elif program.around(i) in compiled or not is_declared_outside(program, i):
            others.add(place)
    return {line: i for line, i in lines.items() if line not in others}


def _names(program: Program) -> Iterator[int]:
    """The names of constructors, operators and members that no mark gives to the device."""
    marked = {program.text[i] for i in range(len(program)) if program.at(i - 1) == b"::"
              and b"__device__" in program.text[program.statement(i) : i]}  # fmt: skip
    for i in range(len(program)):
        is_operator = program.text[i] == b"operator"
        if not (is_operator or program.is_name(i)) or program.text[i] in NO_NAMES | marked:
            continue
        is_member = is_class(program, program.up[i])
        if not is_member and not is_operator:
            continue  # execution_spaces.py knows functions by their names
        opened = program.until(i + 1, b"(", b";", b"{") if is_operator else i + 1
        if is_operator and program.text[opened : opened + 3] == [b"(", b")", b"("]:
            opened += 2
        if program.at(opened) == b"(" and is_declared_outside(program, i) and (
            program.at(opened + 1) != b"*" and _is_of_host(program, i, opened)):  # fmt: skip
            yield i


def _is_of_host(program: Program, i: int, opened: int) -> bool:
    first = program.statement(i)
    begins_list = program.at(first - 1) == b":" and program.at(first - 2) not in (
        b"public", b"private", b"protected")  # fmt: skip
    if begins_list or program.at(first - 1) in (b"(", b"[") or program.at(i - 1) == b"::":
        return False
    end = program.until(opened, b"{", b";", b":")
    behind = program.text[program.past(opened) : end]
    head = program.text[first:i]
    return not (
        any(word in head for word in OTHERS)
        or b"default" in behind
        or b"delete" in behind
        or (b"friend" in head and program.at(end) != b"{")
    )


def _behind_template(program: Program, i: int) -> int:
    """The first token of the declaration of token i behind template<...> and [[...]]."""
    first = program.statement(i)
    while first < i:
        if program.text[first] == b"template" and program.at(first + 1) == b"<":
            first = (program.angle(first + 1) or first) + 1
        elif program.text[first] == b"[" or program.text[first] in MARKS:
            first = program.past(first)
        else:
            break
    return first


def _shown(program: Program, i: int) -> str:
    last = program.until(i, b"(") if program.text[i] == b"operator" else i + 1
    if program.text[i] == b"operator" and last == i + 1:
        last += 2  # operator()
    name = program.flat(i, last)
    brace = program.up[i]
    if not is_class(program, brace):
        return name
    words = program.text[program.statement(brace) : brace]
    kind = next(k for k, word in enumerate(words) if word in (b"struct", b"class", b"union"))
    return f"{words[kind + 1].decode()}::{name}" if len(words) > kind + 1 else name
