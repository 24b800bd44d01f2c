"""Has the machine code of a traced program report the accesses that gcc does not: see
labs/sim/src/trace/machine_accesses.h.

    python machine_accesses.py < FILE.s > OTHER.s

An instruction whose accesses are not known here is refused, with the line of its source.

gcc reports an access by a call in front of it, but not each one: none to a local variable whose
address stays in the function, with whatever index; none that passes a structure by value or
receives one; none of an intrinsic that loads or stores a part of a register. So a call in front of
every instruction with an address that is computed at run time gives the address once more. It
keeps all registers and flags. One in front of a call of the C++ library is of 0 bytes: no kernel
may get there. What is at a fixed place in the stack frame of its own function, or
is a variable by its name, is left alone: the first cannot be another's, and gcc reports the second.
So is an access right behind a callback that got its address from the same registers: that is how
nearly every access looks, and a call for each would take most of a traced program's time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache

# A memory operand with a register. That of a thread-local variable counts from the segment %fs on.
_MEMORY = re.compile(
    r"(?<![-+\w.$@:])(?P<of_thread>%fs:)?"
    r"(?P<place>[-+\w.$@]*)\((?P<base>%r\w+)?(?:,(?P<index>%\w+)(?:,\d)?)?\)"
)
_LINE = re.compile(
    r"\t(?:(?:lock|rep\w*|xacquire|xrelease|notrack|bnd)[; ]+)*(?P<word>[a-z]\w*)\t(?P<operands>.*)"
)
# A line, and those before it that say nothing: directives, and the most frequent instructions of a
# kernel, which access no memory and change no address.
_NEXT = re.compile(
    r"(?P<dull>(?:\t\.(?!cfi_)[^\n]*\n|\tv(?!maskmov)\w+\t(?:%[xyz]mm\d+|\$\d+|, )+\n)*)"
    r"(?P<line>[^\n]*\n?)"
)
# The next frequent ones: of vectors, and of a place in the frame.
_OF_FRAME = re.compile(
    r"\t(?P<word>v(?!maskmov)\w+)\t(?:%[xyz]mm\d+, )*(?P<place>\d*)\(%rsp\)(?:, %[xyz]mm\d+)*\n"
)
_WORD_ALONE = re.compile(r"\t(?:rep\w* )?(?P<word>[a-z]\w*)$")
# Of AVX-512: which parts of a vector are accessed, or that one value stands for all.
_DECORATION = re.compile(r"\{[^}]*\}")
# Instructions whose accesses are those of their operand, and others, which access what no operand
# says, or more than that.
_KNOWN = re.compile(
    r"v?(?:c?mov|cvt|add|sub|mul|div|min|max|sqrt|rsqrt|rcp|round|cmp|u?comi|and|or|xor|blend|shuf|unpck"
    r"|insert|extract|lddqu|ldmxcsr|stmxcsr|dpp|hadd|hsub|aes|sha|gf2p8|pclmul|mpsad|test|mask)\w*"
    r"|v?p(?!refetch|tw)[a-z]\w*|v(?:f|broadcast|perm|scalef|getexp|getmant|reduce|range|rndscale|fixup"
    r"|expand|compress|align|dbpsad|dp|ternlog)\w*|k\w*|f(?!nsave|save|rstor|x)\w+"
    r"|(?:adc|sbb|inc|dec|neg|not|imul|idiv|sh[lr]|sa[lr]|ro[lr]|rc[lr]|bt|set|xchg|xadd|cmpxchg|push|pop"
    r"|bs[fr]|bls|bextr|bzhi|lzcnt|tzcnt|crc32|adox|adcx|rorx|lea|nop|call|jmp|prefetch|cldemote|clflush"
    r"|clwb)\w*"
)
_HIDDEN = re.compile(r"clzero|xlat\w*|movdir64b|enqcmds?|tile\w+|monitorx?|mwaitx?")
_LANES = re.compile(r"v(?:p?gather|p?scatter)(?P<index>[dq])(?P<element>[dq]|p[sd])")
_NO_ACCESS = re.compile(r"lea[wlq]?|nop[wlq]?|prefetch\w*|call|jmp|v?maskmov(?:dqu|q)")
_READS_LAST = re.compile(
    r"cmp[bwlq]|test[bwlq]|bt[wlq]|v?u?comis[sd]|push[wlq]?|i?mul[bwlq]|i?div[bwlq]|fi?ld\w*|v?p?test\w*"
    r"|f(?:i?add|i?mul|i?subr?|i?divr?|i?comp?)[sl]?|ldmxcsr|vldmxcsr|fldcw|fldenv"
)
_SIZES = {"d": 4, "ps": 4, "q": 8, "pd": 8}
_MASK = re.compile(r"\{%(k[1-7])\}")
_BYTES = {"x": 16, "y": 32, "z": 64}  # of the registers %xmm, %ymm and %zmm
_LOCATION = re.compile(r"\t\.loc (?P<file>\d+) (?P<line>\d+)")
_FILE = re.compile(r'(?m)^\t\.file (?P<number>\d+)(?: "(?P<folder>[^"]*)")? "(?P<name>[^"]*)"')
_STRING = re.compile(r"(?:movs|stos|cmps|scas|lods)[bwlq]")
_WIDTHS = (
    (re.compile(r"v?mov(?:ss|d)|v?\w+ss|v?cvts[is]2s[sd]l?|movs[xl]?lq|movslq"), 4),
    (re.compile(r"v?mov(?:sd|q|[lh]p[sd]|nti)|v?\w+sd|v?movddup"), 8),
    (re.compile(r"mov[sz]b[wlq]"), 1),
    (re.compile(r"mov[sz]w[lq]"), 2),
    (re.compile(r"cmpxchg16b"), 16),
    (re.compile(r"fn?stenv|fldenv"), 28),
    (re.compile(r"[a-z]+b"), 1),
    (re.compile(r"[a-z]+w"), 2),
    (re.compile(r"[a-z]+l"), 4),
    (re.compile(r"[a-z]+q"), 8),
)
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
_STORES = 1  # of the number that goes with an address: 2 * bytes + 1 for a store


class Frame:
    """Where, from the stack pointer or the frame pointer on, the function's own frame ends."""

    def __init__(self) -> None:
        self._remembered: list[tuple[int, bool, bool]] = []
        self._begin()

    def _begin(self) -> None:
        self.bytes, self.by_pointer, self.is_known = 8, False, True
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
        elif word == ".cfi_escape":
            self.is_known = False
        elif word == ".cfi_remember_state":
            self._remembered.append((self.bytes, self.by_pointer, self.is_known))
        elif word == ".cfi_restore_state" and self._remembered:
            self.bytes, self.by_pointer, self.is_known = self._remembered.pop()

    def has(self, place: str, base: str) -> bool:
        """Is the address, a number from a register on, inside the frame for certain?"""
        if not self.is_known or (place and not place.lstrip("-").isdecimal()):
            return False
        offset = int(place or "0")
        if base == "%rsp":
            return not self.by_pointer and 0 <= offset < self.bytes - 8
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
        """Does an access that one of them was told of include this one?"""
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
            f"{name}:{line}: error: the instruction {word} accesses memory in "
            "a way that the checks cannot follow: use another intrinsic or attribute"
        )


def reported(text: str) -> Iterator[str]:
    """The pieces of a file of assembly, with the calls. Raises UnknownInstructionError."""
    frame = Frame()
    callbacks = Callbacks()
    source = Source(text)
    own = set(_DEFINED.findall(text))
    written_by_hand = False
    for piece in _NEXT.finditer(text):
        yield piece["dull"]
        line = piece["line"]
        if line.startswith("\t.cfi_"):
            frame.note(line)
        elif line.startswith("#"):
            written_by_hand = line.startswith("#APP") or (
                written_by_hand and not line.startswith("#NO_APP")
            )
        elif (
            (slot := _OF_FRAME.fullmatch(line))
            and _sort_of(slot["word"])[2]
            and frame.has(slot["place"], "%rsp")
        ):
            pass
        elif not line.startswith("\t."):
            if line.startswith("\t") and not written_by_hand:
                source.at = piece.start("line")
                if (called := _LIBRARY.match(line)) and called["name"] not in own:
                    yield from _call("0", "", 0, is_store=False)
                yield from _calls(line.rstrip("\n"), frame, callbacks, source)
            callbacks.note(line.rstrip("\n"))
        yield line


def _calls(line: str, frame: Frame, callbacks: Callbacks, source: Source) -> Iterator[str]:
    if alone := _WORD_ALONE.fullmatch(line):
        if _STRING.fullmatch(alone["word"]):
            yield from _string(alone["word"])
        elif _HIDDEN.fullmatch(alone["word"]):
            raise source.refusal(alone["word"])
        return
    found = _LINE.match(line)
    if not found:
        return
    word, operands = found["word"], found["operands"]
    if "{" in operands:
        operands = _DECORATION.sub("", operands)
    if word.startswith(("maskmov", "vmaskmovdqu")):
        yield from _call("(%rdi)", "%rdi", 16, is_store=True)
    is_hidden, has_no_access, is_known = _sort_of(word)
    if is_hidden:
        raise source.refusal(word)
    if has_no_access:
        return
    memory = _MEMORY.search(operands)
    if not memory or memory["base"] == "%rip":
        return
    base, index = memory["base"] or "", memory["index"]
    if index and not index.startswith("%r"):
        lanes, mask = _LANES.fullmatch(word), _mask(found["operands"], operands)
        if not lanes or not mask or memory["of_thread"]:
            raise source.refusal(word)
        yield from _lanes(lanes, memory, operands, mask)
        return
    if not is_known:
        raise source.refusal(word)
    if not index and not memory["of_thread"] and frame.has(memory["place"], base):
        return
    is_last = memory.end() == len(operands)
    is_store = is_last and not _READS_LAST.fullmatch(word)
    width = _width(word, operands)
    if not callbacks.had(memory[0], width, is_store):
        yield from _call(memory[0], base, width, is_store)


@cache
def _sort_of(word: str) -> tuple[bool, bool, bool]:
    """Of an instruction: does it access what no operand says? Does it access nothing? Are its
    accesses known?"""
    hidden, without, known = (rule.fullmatch(word) for rule in (_HIDDEN, _NO_ACCESS, _KNOWN))
    return hidden is not None, without is not None, known is not None


def _mask(decorated: str, operands: str) -> str:
    """What says which lanes a gather or scatter accesses: a register of bits, or a vector of signs,
    which comes first. "" where there is none."""
    bits = _MASK.search(decorated)
    first = re.match(r"%[xy]mm\d+(?=,)", operands)
    return f"%{bits[1]}" if bits else first[0] if first else ""


def _lanes(lanes: re.Match[str], memory: re.Match[str], operands: str, mask: str) -> Iterator[str]:
    """Of a gather or a scatter, each lane that its mask has."""
    indices, wide = _SIZES[lanes["index"]], _SIZES[lanes["element"]]
    vectors = re.findall(r"%([xyz])mm\d+", operands)
    data = vectors[0] if memory.end() == len(operands) else vectors[-1]
    index = memory["index"]
    count = min(_BYTES[index[1]] // indices, _BYTES[data] // wide)
    scale = re.search(r",(\d)\)$", memory[0])
    of_stack = "24" if memory["base"] == "%rsp" else ""  # for what is pushed first
    place = "+".join(filter(None, (memory["place"], of_stack))) or "0"
    what = 2 * wide + lanes[0].startswith(("vscatter", "vpscatter")) * _STORES
    yield "\tpushq\t%rax\n\tpushq\t%rcx\n\tpushfq\n"
    yield (
        f"\tleaq\t{place}({memory['base']}), %rcx\n"
        if memory["base"]
        else (f"\tmovq\t${place}, %rcx\n")
    )
    yield "\tleaq\t-128(%rsp), %rsp\n"
    yield f"\tvmovdqu{'64' * (mask[1] == 'k')}\t{index}, (%rsp)\n"
    if mask[1] == "k":
        yield f"\tkmovw\t{mask}, %eax\n\tmovl\t%eax, 64(%rsp)\n"
    else:
        yield f"\tvmovdqu\t{mask}, 64(%rsp)\n"
    for lane in range(count):
        bit = lane if mask[1] == "k" else 8 * wide * (lane + 1) - 1
        yield f"\tbtl\t${bit % 32}, {64 + bit // 32 * 4}(%rsp)\n\tjnc\t1f\n"
        yield f"\tmov{'slq' if indices == 4 else 'q'}\t{indices * lane}(%rsp), %rax\n"
        yield f"\tleaq\t(%rcx,%rax,{scale[1] if scale else 1}), %rax\n"
        yield f"\tpushq\t${what}\n\tcall\tsim_machine_access\n\tleaq\t8(%rsp), %rsp\n1:\n"
    yield "\tleaq\t128(%rsp), %rsp\n\tpopfq\n\tpopq\t%rcx\n\tpopq\t%rax\n"


def _string(word: str) -> Iterator[str]:
    """Of an instruction that repeats itself, where it begins."""
    if word[:4] in ("movs", "lods", "cmps"):
        yield from _call("(%rsi)", "%rsi", 8, is_store=False)
    if word[:4] != "lods":
        yield from _call("(%rdi)", "%rdi", 8, is_store=word[:4] in ("movs", "stos"))


def _call(address: str, base: str, width: int, is_store: bool) -> Iterator[str]:
    of_thread, address = address.startswith("%fs:"), address.removeprefix("%fs:")
    if base == "%rsp":  # what is pushed below moves it
        place, _, rest = address.partition("(")
        address = f"{place + '+' if place else ''}8({rest}"
    yield "\tpushq\t%rax\n"
    yield f"\tleaq\t{address}, %rax\n"
    if of_thread:
        yield "\tpushq\t%rcx\n\tmovq\t%fs:0, %rcx\n\tleaq\t(%rax,%rcx), %rax\n\tpopq\t%rcx\n"
    yield f"\tpushq\t${2 * width + is_store * _STORES}\n"
    yield "\tcall\tsim_machine_access\n"
    yield "\tleaq\t8(%rsp), %rsp\n"
    yield "\tpopq\t%rax\n"


def _width(word: str, operands: str) -> int:
    """How many bytes it accesses, or may."""
    if "%zmm" in operands:
        return 64
    wide = 32 if "%ymm" in operands else 16
    for pattern, width in _WIDTHS:
        if pattern.fullmatch(word):
            return width
    return wide if "%xmm" in operands or "%ymm" in operands else 8


def main() -> int:
    try:
        sys.stdout.writelines(reported(sys.stdin.read()))
    except UnknownInstructionError as refused:
        print(refused, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
