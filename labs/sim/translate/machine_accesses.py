"""Has the machine code of a traced program report the accesses that gcc does not: see
labs/sim/src/trace/machine_accesses.h.

    python -m labs.sim.translate.machine_accesses [threads] < FILE.s > OTHER.s

An instruction that labs/sim/x86.toml does not have is refused, with the line of its source.

gcc reports an access by a call in front of it, but not each one: none to a local variable whose
address stays in the function, with whatever index; none that passes a structure by value or
receives one; none of an intrinsic that loads or stores a part of a register. So a call in front of
every instruction with an address that is computed at run time gives the address once more. It
keeps all registers and flags. One in front of a call of the C++ library is of 0 bytes: no kernel
may get there. What is at a fixed place in the stack frame of its own function, or
is a variable by its name, is left alone: the first cannot be another's, and the second is the
program's. With `threads`, for the check of OpenMP's races, what another thread may access as well
is reported: a variable, and the frame of a function that creates tasks.
So is an access right behind a callback that got its address from the same registers: that is what
nearly every access looks like, and a call for each would take most of a traced program's time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from labs.sim import x86

# A memory operand with a register. Thread-local variables are at places from %fs on.
_MEMORY = re.compile(
    r"(?<![\w:.$@+-])(?P<segment>%[a-z]s:)?(?P<place>[-+\w.$@]*)"
    r"\((?P<base>%r\w+)?(?:,(?P<index>%\w+)(?:,\d)?)?\)"
)
_OF_THREAD = "%fs:"
_LINE = re.compile(rf"\t{x86.PREFIXES}(?P<word>[a-z]\w*)\t(?P<operands>.*)")
# A line, and those before it that say nothing: directives, and the most frequent instructions of a
# kernel, which access no memory and change no address.
_NEXT = re.compile(
    r"(?P<dull>(?:\t\.(?!cfi_)[^\n]*\n|\tv(?!maskmov)\w+\t(?:%[xyz]mm\d+|\$\d+|, )+\n)*)"
    r"(?P<line>[^\n]*\n?)"
)
_ONE = re.compile(r"(?P<dull>)(?P<line>[^\n]*\n?)")
# The next frequent ones: of vectors, and of a place in the frame.
_OF_FRAME = re.compile(
    r"\t(?P<word>v(?!maskmov)\w+)\t(?:%[xyz]mm\d+, )*(?P<place>\d*)\(%rsp\)(?:, %[xyz]mm\d+)*\n"
)
_WORD_ALONE = re.compile(r"\t(?P<repeats>rep\w*[; ]+)?(?P<word>[a-z]\w*)$")
# Of AVX-512: which parts of a vector are accessed, or that one value stands for all.
_DECORATION = re.compile(r"\{[^}]*\}")
_LANES = re.compile(r"v(?:p?gather|p?scatter)(?P<index>[dq])(?:[dq]|p[sd])")
_PACKED = re.compile(r"vp?(?:compress|expand)\w+")
_BY_SIGNS = re.compile(r"v?p?maskmov\w+")
_BIT_OF_STRING = re.compile(r"bt[crs]?[wlq]?")  # with a register: anywhere before or behind it
_MASK = re.compile(r"\{%(k[1-7])\}")
_KEEPS_MASK = {16: "movdqu", 8: "movq"}  # where a mask has a sign for each byte
_INDEX = {"d": 4, "q": 8}  # bytes
_VECTOR = {"x": 16, "y": 32, "z": 64}  # bytes of the registers %xmm, %ymm and %zmm
_LOCATION = re.compile(r"\t\.loc (?P<file>\d+) (?P<line>\d+)")
_FILE = re.compile(r'(?m)^\t\.file (?P<number>\d+)(?: "(?P<folder>[^"]*)")? "(?P<name>[^"]*)"')
_STRING = re.compile(r"(?P<name>movs|stos|cmps|scas|lods)(?P<size>[bwlq])")
_STRING_BYTES = {"b": 1, "w": 2, "l": 4, "q": 8}
_WORDS = re.compile(rf"(?m)^\t{x86.PREFIXES}([a-z]\w*)(?=[\t\n])")
_TASKS = re.compile(r"\tcall\tGOMP_task")
_GROWS = re.compile(r"\tsubq\t\$(\d+), %rsp")
_CALLBACK = re.compile(r"\tcall\t__tsan_(?:volatile_|unaligned_)*(read|write)(\d+)(?:@PLT)?$")
_KEEPS_REGISTERS = re.compile(
    r"\tcall\tsim_(?:lock_step_)?mark(?:@PLT)?$|\t(?:cltq|cqto|cltd|cwtl|nop)$"
)
_FOR_DEBUGGERS = re.compile(r"\.L(?:[BV]|FB|FE)[A-Z]*\d+:$")  # a label where no jump leads
# A function of the C++ library that no object here has: nvcc refuses it in a kernel. What it reads
# and computes there would be in no counter. What an exception needs may stand there, and what
# <iostream> has run before main() keeps its form (grader/compile/permitted/before_main.py).
_LIBRARY = re.compile(
    r"\t(?:call|jmp)\t(?P<name>_Z(?:N[VK]*)?(?:S[tabdios]|9__gnu_cxx)"
    r"(?!\w*(?:__throw|terminate|assert|8ios_base4Init))\w*)(?:@PLT)?$"
)
_DEFINED = re.compile(r"(?m)^(_Z\w+):")
_TWO_RESULTS = re.compile(r"xchg\w*|xadd\w*|cmpxchg\w*|mulx\w*")
# The registers that a call keeps, and the names of their parts.
_KEPT = {
    "%rbx": re.compile(r"%(?:[re]?bx|b[lh])\b"),
    "%rbp": re.compile(r"%(?:[re]?bp|bpl)\b"),
    **{f"%r{n}": re.compile(rf"%r{n}[dwb]?\b") for n in range(12, 16)},
}
_FIRST_ARGUMENT = re.compile(r"%(?:[re]?di|dil)\b")
_NOTED = re.compile("|".join(part.pattern for part in (*_KEPT.values(), _FIRST_ARGUMENT)))
# Of the number that goes with an address: 2 * bytes, 1 for a store, and for the check of threads
# this for one that is atomic.
_STORES, _ATOMIC = 1, 1 << 30
_LOCKS = re.compile(r"\t(?:x\w+[; ]+)?lock\b|\txchg")


class Frame:
    """Where, from the stack pointer or the frame pointer on, the function's own frame ends."""

    def __init__(self) -> None:
        self._remembered: list[tuple[int, bool, bool]] = []
        self._begin()

    def _begin(self) -> None:
        self.bytes, self.by_pointer, self.is_known = 8, False, True
        self.room = 0  # between a frame pointer and the stack pointer
        self._remembered.clear()

    def note(self, line: str) -> None:
        """Reads a line that begins with .cfi_."""
        word, _, rest = line.strip().partition(" ")
        values = rest.split(", ")
        if word == ".cfi_startproc":
            self._begin()
        elif word == ".cfi_def_cfa_offset":
            self.bytes = int(rest)
        elif word == ".cfi_def_cfa_register":
            self.by_pointer, self.is_known = rest == "6", rest in ("6", "7")
        elif word == ".cfi_def_cfa":
            self.by_pointer, self.is_known = values[0] == "6", values[0] in ("6", "7")
            self.bytes = int(values[1])
        elif word == ".cfi_escape" and rest.startswith("0xf,"):
            # Of a frame that is aligned, the caller's is found through the frame pointer.
            self.by_pointer = self.is_known = rest.startswith("0xf,0x3,0x76,")
        elif word == ".cfi_remember_state":
            self._remembered.append((self.bytes, self.by_pointer, self.is_known))
        elif word == ".cfi_restore_state" and self._remembered:
            self.bytes, self.by_pointer, self.is_known = self._remembered.pop()

    def note_room(self, line: str) -> None:
        """Reads an instruction: the first that lowers the stack pointer below a frame pointer."""
        if self.by_pointer and not self.room and (grows := _GROWS.fullmatch(line)):
            self.room = int(grows[1])

    def has(self, place: str, base: str) -> bool:
        """Is the address, a number from a register on, inside the frame for certain?"""
        if not self.is_known or (place and not place.lstrip("-").isdecimal()):
            return False
        offset = int(place or "0")
        if base == "%rsp":
            return 0 <= offset < (self.room if self.by_pointer else self.bytes - 8)
        return base == "%rbp" and self.by_pointer and offset < 0


class Callbacks:
    """The addresses that the callbacks of this stretch of code were given, while the registers that
    make each of them keep their values. Every doubt ends with forgetting: it costs time alone."""

    def __init__(self) -> None:
        self._given: list[tuple[int, str, int, bool]] = []  # as _parts(), bytes, store
        self._argument = ""  # the address in %rdi

    def note(self, line: str) -> None:
        """Reads a line that is no directive."""
        if callback := _CALLBACK.fullmatch(line):
            if self._argument:
                given = (*_parts(self._argument), int(callback[2]), callback[1] == "write")
                self._given.append(given)
            self._argument = ""
        elif _KEEPS_REGISTERS.fullmatch(line):
            self._argument = ""
        elif _FOR_DEBUGGERS.fullmatch(line):
            pass
        elif (instruction := _LINE.match(line)) and not _is_jump(instruction["word"]):
            self._note_result(instruction["word"], instruction["operands"])
        else:  # another call, a jump, a label
            self._given.clear()
            self._argument = ""

    def _note_result(self, word: str, operands: str) -> None:
        if not _NOTED.search(operands):
            return
        registers = re.sub(r"\([^)]*\)", "", operands)
        results = registers if _TWO_RESULTS.fullmatch(word) else registers.rpartition(",")[2]
        self._given = [g for g in self._given if not _is_changed(g[1], results)]
        if _is_changed(self._argument, results) or _FIRST_ARGUMENT.search(results):
            self._argument = ""
        source, _, result = operands.rpartition(", ")
        if result == "%rdi" and word == "movq" and source in _KEPT:
            self._argument = f"({source})"
        elif result == "%rdi" and word == "leaq" and _is_kept(source):
            self._argument = source

    def had(self, address: str, width: int, is_store: bool) -> bool:
        """Does an access that was reported to one of them include this one?"""
        offset, rest = _parts(address)
        return any(
            rest == registers and 0 <= offset - first <= size - width and (stores or not is_store)
            for first, registers, size, stores in self._given
        )


def _parts(address: str) -> tuple[int, str]:
    """The number in front of an address, and the rest."""
    number, bracket, registers = address.partition("(")
    if number.lstrip("-").isdecimal():
        return int(number), bracket + registers
    return 0, address


@cache
def _is_jump(word: str) -> bool:
    return word.startswith(("j", "call", "ret", "loop", "leave", "enter"))


def _is_kept(address: str) -> bool:
    """Is it made of numbers, and of registers that a call keeps?"""
    memory = _MEMORY.fullmatch(address)
    used = (memory["base"], memory["index"]) if memory else ("",)
    return all(register is None or register in _KEPT for register in used)


def _is_changed(address: str, results: str) -> bool:
    return any(name in address and part.search(results) for name, part in _KEPT.items())


class UnknownInstructionError(Exception):
    """A message as compilers write it, with the file and the line."""


class Source:
    """Where in the source an instruction comes from. at: its place in the assembly."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0

    def refusal(self, word: str) -> UnknownInstructionError:
        before = self._text[: self.at]
        location = _LOCATION.match(before, before.rfind("\n\t.loc ") + 1)
        number, line = (location["file"], location["line"]) if location else ("", "1")
        name = ""
        for file in _FILE.finditer(before):
            if file["number"] == number:
                folder = f"{file['folder']}/" if file["folder"] and file["name"][0] != "/" else ""
                name = folder + file["name"]
        return UnknownInstructionError(
            f"{name}:{line}: error: the instruction {word} may access memory in a way that the "
            "checks do not know: use plain C, or another intrinsic of SSE, AVX, AVX2 or AVX-512"
        )


class Function:
    """What is known of the function that is read. of_threads: may other threads access what is a
    variable, or in a frame?"""

    def __init__(self, text: str, of_threads: bool) -> None:
        self.frame = Frame()
        self.callbacks = Callbacks()
        self._text = text
        self.of_threads = of_threads
        self._has_tasks = False

    def note_directive(self, line: str, at: int) -> None:
        self.frame.note(line)
        if self.of_threads and line.startswith("\t.cfi_startproc"):
            end = self._text.find("\t.cfi_endproc", at)
            self._has_tasks = _TASKS.search(self._text, at, end) is not None

    def note(self, line: str) -> None:
        self.frame.note_room(line)
        self.callbacks.note(line)

    def owns(self, memory: re.Match[str]) -> bool:
        """Is it a variable by its name, or in the frame, that no one else may access?"""
        if memory["segment"]:
            return False
        if memory["base"] == "%rip":
            return not self.of_threads or "@" in memory["place"] or memory["place"][:2] == ".L"
        return not memory["index"] and self.has(memory["place"], memory["base"] or "")

    def has(self, place: str, base: str) -> bool:
        return not self._has_tasks and self.frame.has(place, base)


def reported(text: str, of_threads: bool = False) -> Iterator[str]:
    """The pieces of a file of assembly, with the calls. Raises UnknownInstructionError."""
    function = Function(text, of_threads)
    source = Source(text)
    own = set(_DEFINED.findall(text))
    all_known = all(x86.find(word) for word in set(_WORDS.findall(text)))
    written_by_hand = False
    for piece in (_NEXT if all_known else _ONE).finditer(text):
        yield piece["dull"]
        line = piece["line"]
        if line.startswith("\t.cfi_"):
            function.note_directive(line, piece.start("line"))
        elif line.startswith("#"):
            written_by_hand = line.startswith("#APP") or (
                written_by_hand and not line.startswith("#NO_APP")
            )
        elif (slot := _OF_FRAME.fullmatch(line)) and function.has(slot["place"], "%rsp"):
            pass
        elif not line.startswith("\t."):
            if line.startswith("\t") and not written_by_hand:
                source.at = piece.start("line")
                if (called := _LIBRARY.match(line)) and called["name"] not in own:
                    yield from _call("0", 0, is_store=False)
                yield from _calls(line.rstrip("\n"), function, source)
            function.note(line.rstrip("\n"))
        yield line


def _calls(line: str, function: Function, source: Source) -> Iterator[str]:
    if alone := _WORD_ALONE.fullmatch(line):
        if string := _STRING.fullmatch(alone["word"]):
            yield from _string(string["name"], string["size"], alone["repeats"] is not None)
        elif not x86.find(alone["word"]):
            raise source.refusal(alone["word"])
        return
    found = _LINE.match(line)
    if not found:
        return
    word, operands = found["word"], found["operands"]
    row = x86.find(word)
    if row is None:
        raise source.refusal(word)
    if row.access == "none":
        return
    plain = _DECORATION.sub("", operands) if "{" in operands else operands
    memory = _MEMORY.search(plain)
    if word.startswith(("maskmov", "vmaskmovdqu")):
        yield from _lanes(
            Lanes(row.lane, 16 if "%x" in plain else 8, plain.split(",")[0], 1), "(%rdi)"
        )
    elif not memory:
        return
    elif memory["segment"] not in (None, _OF_THREAD):
        raise source.refusal(f"{word} {plain}")
    elif (index := memory["index"]) and not index.startswith("%r"):
        yield from _gathered(word, row, plain, memory, _mask(word, operands, plain), source)
    elif _BIT_OF_STRING.fullmatch(word) and plain.startswith("%"):
        raise source.refusal(f"{word} {plain}")
    elif not function.owns(memory):
        is_store = row.stores(is_last=memory.end() == len(plain))
        width = row.width(operands)
        mask = _mask(word, operands, plain) if row.lane else ""
        if mask:
            lanes = Lanes(
                row.lane, width, mask, is_store, packed=_PACKED.fullmatch(word) is not None
            )
            yield from _lanes(lanes, memory[0])
        elif memory["segment"] or not function.callbacks.had(memory[0], width, is_store):
            is_atomic = function.of_threads and _LOCKS.match(line) is not None
            yield from _call(memory[0], width, is_store, is_atomic)


def _mask(word: str, decorated: str, operands: str) -> str:
    """What says which lanes are accessed: a register of bits, or a vector of signs. "" where there
    is none."""
    if bits := _MASK.search(decorated):
        return f"%{bits[1]}"
    vectors: list[str] = re.findall(r"(?<!,)%[xy]mm\d+(?=,)", operands)
    if _BY_SIGNS.fullmatch(word):
        return vectors[-1] if operands.endswith(")") else vectors[0]
    return vectors[0] if _LANES.fullmatch(word) and operands.startswith("%") else ""


@dataclass(frozen=True)
class Lanes:
    """The lanes of an access that a mask chooses from. bytes: of each, and of all. packed: those
    that are chosen lie side by side. index: the vector of a gather or scatter."""

    lane: int
    bytes: int
    mask: str
    is_store: bool | int
    packed: bool = False
    index: str = ""
    index_bytes: int = 0
    scale: str = ""

    def count(self) -> int:
        return self.bytes // self.lane


def _gathered(
    word: str, row: x86.Instruction, operands: str, memory: re.Match[str], mask: str, source: Source
) -> Iterator[str]:
    kind = _LANES.fullmatch(word)
    if not kind or not mask:
        raise source.refusal(word)
    vectors = re.findall(r"%([xyz])mm\d+", operands)
    is_store = memory.end() == len(operands)
    data, index = vectors[0] if is_store else vectors[-1], memory["index"]
    wide = _INDEX[kind["index"]]
    count = min(_VECTOR[index[1]] // wide, _VECTOR[data] // row.lane)
    scale = re.search(r",(\d)\)$", memory[0])
    lanes = Lanes(
        row.lane, count * row.lane, mask, is_store, False, index, wide, scale[1] if scale else "1"
    )
    base = f"({memory['base']})" if memory["base"] else ""
    yield from _lanes(lanes, (memory["segment"] or "") + (memory["place"] or "0") + base)


def _lanes(lanes: Lanes, address: str) -> Iterator[str]:
    """Calls for each lane that the mask has; the stack keeps the mask, and the index below it."""
    what, by_bits = 2 * lanes.lane + lanes.is_store * _STORES, lanes.mask.startswith("%k")
    yield "\tpushq\t%rax\n\tpushq\t%rcx\n\tpushfq\n"
    yield from _loaded(address, 24, "%rcx", spare="%rax")
    yield "\tleaq\t-128(%rsp), %rsp\n"
    if lanes.index:
        yield f"\tvmovdqu{'64' * by_bits}\t{lanes.index}, (%rsp)\n"
    if by_bits and lanes.count() > 16:
        yield f"\tkmovq\t{lanes.mask}, 64(%rsp)\n"
    elif by_bits:
        yield f"\tkmovw\t{lanes.mask}, %eax\n\tmovl\t%eax, 64(%rsp)\n"
    else:  # an instruction of SSE where there may be no other
        keep = _KEEPS_MASK[lanes.bytes] if lanes.lane == 1 else "vmovdqu"
        yield f"\t{keep}\t{lanes.mask}, 64(%rsp)\n"
    for lane in range(lanes.count()):
        bit = lane if by_bits else 8 * lanes.lane * (lane + 1) - 1
        yield f"\tbtl\t${bit % 32}, {64 + bit // 32 * 4}(%rsp)\n\tjnc\t1f\n"
        yield from _lane(lanes, lane)
        yield f"\tpushq\t${what}\n\tcall\tsim_machine_access\n\tleaq\t8(%rsp), %rsp\n1:\n"
    yield "\tleaq\t128(%rsp), %rsp\n\tpopfq\n\tpopq\t%rcx\n\tpopq\t%rax\n"


def _lane(lanes: Lanes, lane: int) -> Iterator[str]:
    """Puts the address of a lane into %rax; %rcx has that of all."""
    if lanes.index:
        move = "movslq" if lanes.index_bytes == 4 else "movq"
        yield f"\t{move}\t{lanes.index_bytes * lane}(%rsp), %rax\n"
        yield f"\tleaq\t(%rcx,%rax,{lanes.scale}), %rax\n"
    elif lanes.packed:
        yield f"\tmovq\t%rcx, %rax\n\tleaq\t{lanes.lane}(%rcx), %rcx\n"
    else:
        yield f"\tleaq\t{lanes.lane * lane}(%rcx), %rax\n"


def _string(name: str, size: str, repeats: bool) -> Iterator[str]:
    """Of an instruction that may repeat itself, all that it may access."""
    bytes_ = _STRING_BYTES[size]
    for register, used, is_store in (
        ("%rsi", name in ("movs", "lods", "cmps"), False),
        ("%rdi", name != "lods", name in ("movs", "stos")),
    ):
        if used and repeats:
            yield from _repeated(register, bytes_, is_store)
        elif used:
            yield from _call(f"({register})", bytes_, is_store)


def _repeated(register: str, width: int, is_store: bool) -> Iterator[str]:
    """As _call(), of %rcx times the width, if that is not 0."""
    yield "\tjrcxz\t1f\n\tpushq\t%rax\n"
    yield f"\tleaq\t0(,%rcx,{width}), %rax\n\tleaq\t{is_store * _STORES}(%rax,%rax), %rax\n"
    yield f"\tpushq\t%rax\n\tmovq\t{register}, %rax\n"
    yield "\tcall\tsim_machine_access\n\tleaq\t8(%rsp), %rsp\n\tpopq\t%rax\n1:\n"


def _loaded(address: str, pushed: int, register: str, spare: str) -> Iterator[str]:
    """Puts an address into a register, after so many bytes were pushed. It keeps the flags."""
    yield f"\tleaq\t{_behind_pushes(address.removeprefix(_OF_THREAD), pushed)}, {register}\n"
    if address.startswith(_OF_THREAD):  # leaq knows no segment; where it begins stands in its front
        yield f"\tpushq\t{spare}\n\tmovq\t%fs:0, {spare}\n"
        yield f"\tleaq\t({register},{spare}), {register}\n\tpopq\t{spare}\n"


def _behind_pushes(address: str, pushed: int) -> str:
    """The same address, after so many bytes were pushed."""
    if "(%rsp" not in address:
        return address
    place, _, rest = address.partition("(")
    return f"{place + '+' if place else ''}{pushed}({rest}"


def _call(address: str, width: int, is_store: bool, is_atomic: bool = False) -> Iterator[str]:
    yield "\tpushq\t%rax\n"
    yield from _loaded(address, 8, "%rax", spare="%rcx")
    yield f"\tpushq\t${2 * width + is_store * _STORES + is_atomic * _ATOMIC}\n"
    yield "\tcall\tsim_machine_access\n"
    yield "\tleaq\t8(%rsp), %rsp\n"
    yield "\tpopq\t%rax\n"


def main() -> int:
    try:
        sys.stdout.writelines(reported(sys.stdin.read(), of_threads="threads" in sys.argv[1:]))
    except UnknownInstructionError as refused:
        print(refused, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
