"""What functions of the device use and nvcc does not give them, and the reverse.

Which overload, operator, constructor or variable an expression means only a compiler knows. So g++
compiles the program once more, without optimization, and its assembly says which symbols each
function names, on which line. A function that is not certain to be the program's is left alone.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labs.sim.translate.checks.execution_spaces import RELAXED
from labs.sim.translate.reader.declared import INCLUDE
from labs.sim.translate.reader.definitions import is_declared_outside, name_of
from labs.sim.translate.reader.program import MARKS, Program

COMPILE = ["-w", "-O0", "-g1", "-fno-sanitize=all", "-S", "-x", "c++-cpp-output", "-", "-o", "-"]
FILE = re.compile(r'^\t\.file (\d+) (?:"([^"]*)" )?"([^"]*)"', re.MULTILINE)
OBJECT = re.compile(r"^\t\.(?:type|comm)\t([\w.$]+),(?: [@%]\w*object|\d)", re.MULTILINE)
ALIAS = re.compile(r"^\t\.set\t([\w.$]+),([\w.$]+)", re.MULTILINE)
FUNCTION = re.compile(r"^([\w.$]+):\n\.LFB\d+:\n(.*?)^\t\.cfi_endproc", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"\t(?:\.loc (\d+) (\d+) (\d+)|(?P<word>[a-z]\w*)\t(?P<operands>.*))")
SYMBOL = re.compile(r"(?<![\w%.@])[A-Za-z_][\w.$]*")
CALLS = ("call", "jmp", "bl", "b")
BEFORE_MAIN = "__static_initialization_and_destruction_0"
# What the device has of the host's headers: mathematics, std::move(), placement new.
OF_DEVICE = re.compile(r"/(?:cmath|std_abs\.h|initializer_list|new|math\.h)$")
MOVES = ("std::move", "std::forward")
CLOSURE = re.compile(r"Ul\w*E\d*_clE")
ODD = re.compile(r"operator ?(?:\(\)|<=>|<<=?|>>=?|<=|>=|->\*?|<|>|[\w:]+[ &*]*)(?=\()")
HIDDEN = str.maketrans("<>() ", "\1\2\3\4\5")  # signs of an operator
SHOWN = str.maketrans("\1\2\3\4\5", "<>() ")
INNERMOST = re.compile(r"\[abi:\w+\]|[<({][^<>(){}]*[>)}]")
STATIC = (
    "dynamic initialization is not supported for a function-scope static __device__ variable "
    "within a __device__/__global__ function"
)
SPACES = (b"__device__", b"__constant__", b"__managed__", b"__shared__")


@dataclass(frozen=True)
class Use:
    """A symbol that the function `by` names, and on which line of which file."""

    by: str
    symbol: str
    is_call: bool
    place: tuple[str, int]


@dataclass(frozen=True)
class Body:
    """A function of the program: its name, without its class, and where it may run."""

    name: str
    opened: int
    on_device: bool
    on_host: bool


def refuse_host_uses(program: Program, compiler: Sequence[str]) -> None:
    """Raises Refusal for the first such use. The program has all its edits."""
    if not _may_have(program):
        return
    done = subprocess.run([*compiler, *COMPILE], input=program.edited(), capture_output=True,
                          check=False)  # fmt: skip
    if done.returncode == 0:
        _Uses(program, done.stdout.decode(errors="replace"), compiler).judge()


class _Uses:
    """The uses in the assembly of a program."""

    def __init__(self, program: Program, assembly: str, compiler: Sequence[str]) -> None:
        self.program = program
        self.is_relaxed = f"-D{RELAXED}" in compiler
        files = {n: f"{d}/{f}" if d and f[:1] != "/" else f for n, d, f in FILE.findall(assembly)}
        self.objects = set(OBJECT.findall(assembly))
        self.defined: dict[str, tuple[str, int]] = {}
        self.of_device: set[str] = set()  # variables
        self.aliases = dict(ALIAS.findall(assembly))  # S::S() of an object as of a part of another
        self.uses = [use for found in FUNCTION.finditer(assembly)
                     for use in self._of_function(found[1], found[2], files)]  # fmt: skip
        self.shown = _demangled({n for use in self.uses for n in (use.by, use.symbol)})
        self.bodies: dict[tuple[str, int], list[Body]] = {}
        for body, place in _bodies(program):
            self.bodies.setdefault(place, []).append(body)

    def _of_function(self, name: str, text: str, files: dict[str, str]) -> list[Use]:
        place = ("", 0, 0)
        ours = set()  # where the simulator's own code is
        uses = []
        for found in LINE.finditer(text):
            if found[1]:
                place = (files.get(found[1], ""), int(found[2]), int(found[3]))
                self.defined.setdefault(name, place[:2])
                continue
            is_call = found["word"] in CALLS
            for symbol in SYMBOL.findall(found["operands"]):
                if "sim_" in symbol:
                    ours.add(place)
                elif is_call or symbol in self.objects:
                    named = self.aliases.get(symbol, symbol)
                    uses.append((place, Use(name, named, is_call, place[:2])))
        if BEFORE_MAIN not in name:
            return [use for _, use in uses]
        self.of_device |= {use.symbol for place, use in uses if place in ours}
        # A destructor is registered there; on the device, none runs.
        ends = {place for place, use in uses if use.is_call and use.symbol == "__cxa_atexit"}
        ends -= {place for place, use in uses if use.is_call and use.symbol != "__cxa_atexit"}
        return [use for place, use in uses if place not in ours | ends]

    def judge(self) -> None:
        on_device = self._on_device()
        for use in self.uses:
            by = self._body(use.by)
            if BEFORE_MAIN in use.by:
                self._refuse_start(use)
            elif use.by in on_device:
                self._refuse_on_device(use, by)
            elif by and not by.on_device and use.is_call:
                called = self._body(use.symbol)
                if called and called.on_device and not called.on_host and (
                    b"__global__" not in self._marks(called)):  # fmt: skip
                    self._refuse(use, called.name, f'calling a __device__ function("'
                                 f'{self.shown[use.symbol]}") from a __host__ function is not '
                                 "allowed")  # fmt: skip

    def _on_device(self) -> set[str]:
        """The functions that run on the device alone, and what these call and the program does
        not write: lambdas, and constructors that the compiler makes."""
        found = {use.by for use in self.uses
                 if (by := self._body(use.by)) and by.on_device and not by.on_host}  # fmt: skip
        files = {file for file, _ in self.bodies}
        more = found
        while more:
            more = {use.symbol for use in self.uses if use.is_call and use.by in more
                    and self.defined.get(use.symbol, ("", 0))[0] in files
                    and not self._found(use.symbol)} - found  # fmt: skip
            found |= more
        return found

    def _refuse_on_device(self, use: Use, by: Body | None) -> None:
        shown = self.shown[use.symbol]
        name = shown.rpartition("::")[2]
        if use.symbol.startswith("_ZGVZ") and "sim_" not in use.symbol:
            self._refuse(use, name, STATIC)
        if not use.is_call:
            if self._is_hosts_variable(use.symbol, name):
                self._refuse(use, name, f'identifier "{shown}" is undefined in device code: the '
                             "host's memory is not the device's: declare it __constant__ or "
                             "__device__, or pass it")  # fmt: skip
            return
        body = self._body(use.symbol)
        if not body and CLOSURE.search(use.symbol) and self._is_on_host(
            self.defined.get(use.symbol, ("", 0))):  # fmt: skip
            self._refuse(use, name, "the closure type of a lambda of the host cannot be used in "
                         "device code: mark it __device__, with --extended-lambda")  # fmt: skip
        head = self._head(body) if body else []
        is_relaxed = self.is_relaxed and b"constexpr" in head
        if (body and not body.on_device and not is_relaxed) or self._is_of_library(use.symbol):
            kind = "__global__" if by and b"__global__" in self._marks(by) else "__device__"
            is_constexpr = b"constexpr" in head or (not body and use.symbol in self.defined)
            why = ": mark it __device__" if body else ""
            if is_constexpr:
                why += "; if it is constexpr, --expt-relaxed-constexpr allows it, as for nvcc"
            self._refuse(use, name, f'calling a __host__ function("{shown}") from a {kind} '
                         f"function is not allowed{why}")  # fmt: skip

    def _refuse_start(self, use: Use) -> None:
        """A variable of the device that code before main() would have to set."""
        program = self.program
        variable = self.shown[use.symbol].rpartition("::")[2].encode()
        for i in program.words(*SPACES[:3]) if use.symbol in self.of_device else ():
            end = program.until(i, b";")
            name = next((k for k in range(i, end) if program.text[k] == variable), None)
            if name and program.is_global(name) and program.position(name)[:2] == use.place:
                raise program.refusal(name, "dynamic initialization is not supported for a "
                                      f"{program.text[i].decode()} variable")  # fmt: skip

    def _is_hosts_variable(self, symbol: str, name: str) -> bool:
        if symbol in self.of_device or re.match(r"_ZT|_ZGV|_ZZ|_ZN?St", symbol):
            return False
        program, text = self.program, name.encode()
        declared = [i for i in program.words(text) if program.declares(i)]
        others = {*SPACES, b"texture", b"surface"}
        return bool(declared) and all(
            others.isdisjoint(program.text[program.statement(i) : i]) for i in declared
        )

    def _is_of_library(self, symbol: str) -> bool:
        shown = self.shown[symbol]
        file, _ = self.defined.get(symbol, ("", 0))
        if file.startswith(str(INCLUDE)) or "sim_" in symbol or shown in MOVES:
            return False
        if file:
            is_own = any(place[0] == file for place in self.bodies)
            return not (is_own or self.is_relaxed or OF_DEVICE.search(file)) and (
                shown.startswith(("std::", "__gnu_cxx::")))  # fmt: skip
        return shown.startswith("std::") and "__throw" not in shown

    def _found(self, symbol: str) -> list[Body]:
        name = self.shown[symbol].rpartition("::")[2]
        found = self.bodies.get(self.defined.get(symbol, ("", 0)), [])
        kind = "operator" if name.startswith("operator") else name
        return [body for body in found if body.name == kind]

    def _body(self, symbol: str) -> Body | None:
        """The function of the program that a symbol is, if it is certain."""
        found = self._found(symbol)
        return found[0] if len({(b.on_device, b.on_host) for b in found}) == 1 else None

    def _is_on_host(self, place: tuple[str, int]) -> bool:
        """Is it a line of the program, of which nothing is in a function with a mark?"""
        program = self.program
        near = [i for i in range(len(program)) if program.position(i)[:2] == place]
        lambdas = [f for f in program.functions if program.at(f.head - 1) == b"]"]
        marked = any(
            program.position(program.match[f.head - 1])[:2] <= place
            and place <= program.position(f.opened)[:2]
            for f in lambdas
        )
        return bool(near) and not marked and not any(program.around(i) for i in near)

    def _marks(self, body: Body) -> frozenset[bytes]:
        function = self.program.bodies.get(body.opened)
        return function.marks if function else frozenset()

    def _head(self, body: Body) -> list[bytes]:
        name = _name_of(self.program, body.opened)
        return self.program.text[self.program.statement(name or 0) : name]

    def _refuse(self, use: Use, name: str, why: str) -> None:
        """At the name on the line of the use, or at the first token there."""
        program = self.program
        near = [i for i in range(len(program)) if program.position(i)[:2] == use.place]
        named = [i for i in near if program.text[i] == name.encode()]
        inside = [i for i in near if program.around(i)]
        raise program.refusal((named or inside or near or [0])[0], why)


def _may_have(program: Program) -> bool:
    """Is there anything that a function or a variable of the device may wrongly use?"""
    names = {b"std", b"static"}
    has_references = b"&" in program.text
    classes = {program.at(i + 1) for i in program.words(b"struct", b"class")}
    for i in program.words(*SPACES[:3]):
        words = program.text[i : program.until(i, b";")]
        value = words[words.index(b"=") :] if b"=" in words else []
        if not classes.isdisjoint(words) or any(re.match(rb"[A-Za-z_]", word) for word in value):
            return True
    for i in range(len(program)):
        is_name = program.is_name(i) and (program.declares(i) or program.at(i + 1) == b"(")
        if not (is_name or program.text[i] == b"operator") or not is_declared_outside(program, i):
            continue
        words = program.text[program.statement(i) : i]
        is_value = not has_references and not {b"const", b"constexpr"}.isdisjoint(words)
        if {*MARKS, *SPACES}.isdisjoint(words) and not is_value:
            names.add(program.text[i])
    is_any = b"operator" in names or b"using" in program.text or (
        b"std" in program.text and bool(classes))  # fmt: skip
    return is_any or any(
        text in names for f in program.functions if f.may_run_on_device
        for text in program.text[f.head : f.closed])  # fmt: skip


def _bodies(program: Program) -> Iterator[tuple[Body, tuple[str, int]]]:
    """Each function with a name, and its file and line."""
    marked = {program.text[i] for i in range(len(program)) if program.at(i + 1) == b"("
              and any(mark in program.text[program.statement(i) : i] for mark in MARKS[:2])
              and program.at(program.until(i, b"{", b";")) == b";"}  # fmt: skip
    for opened, text in enumerate(program.text):
        name = _name_of(program, opened) if text == b"{" else None
        if name is None:
            continue
        function = program.bodies.get(opened)
        head = program.text[program.statement(name) : name]
        is_special = b"template" in head and program.at(program.statement(name) + 2) == b">"
        on_device = function is not None and function.may_run_on_device
        is_odd = is_special or (not on_device and program.text[name] in marked)
        shown = "operator" if program.text[name] == b"operator" else program.text[name].decode(
            errors="replace")  # fmt: skip
        if program.at(name - 1) == b"~":
            shown = "~" + shown
        yield Body(
            shown, opened, is_odd or on_device,
            is_odd or function is None or b"__host__" in function.marks,
        ), program.position(name)[:2]  # fmt: skip


def _name_of(program: Program, opened: int) -> int | None:
    """Also of a constructor with initializers."""
    first = program.statement(opened)
    if program.at(first - 1) == b":" and program.at(first - 2) == b")":
        return program.match[first - 2] - 1
    return name_of(program, opened)


def _demangled(symbols: set[str]) -> dict[str, str]:
    """The names in the program, without arguments, parameters and results."""
    listed = sorted(symbols)
    done = subprocess.run(["c++filt"], input="\n".join(listed), capture_output=True, text=True,
                          check=False)  # fmt: skip
    lines = done.stdout.splitlines() if done.returncode == 0 else listed
    return {symbol: _plain(line) for symbol, line in zip(listed, lines, strict=True)}


def _plain(text: str) -> str:
    text = ODD.sub(lambda found: found[0].translate(HIDDEN), text.partition(" [clone")[0])
    while (shorter := INNERMOST.sub("", text)) != text:
        text = shorter
    return text.removesuffix(" const").rpartition(" ")[2].translate(SHOWN)
