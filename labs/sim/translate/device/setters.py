"""What sets a variable in device code: an assignment, ++ and --, or a call of a function that does.

For evaluation_order.py. A function counts if it stores through a pointer or a reference that it is
given, or sets a variable of the file; a lambda without marks, if it sets any.
"""

from __future__ import annotations

from collections.abc import Iterable

from labs.sim.translate.reader.program import Function, Program

MEMBERS = (b".", b"->", b"::")
DEPTH = 3  # of calls in calls that set a variable of the file
NONE: frozenset[bytes] = frozenset()


class Setters:
    """inside: the tokens of device code. of(): the variables that some of them set."""

    def __init__(self, program: Program) -> None:
        self.program = program
        device = [f for f in program.functions if f.may_run_on_device]
        self.changing = {name for f in device for name in [_changes(program, f)] if name}
        self.inside = sorted({i for f in device for i in range(f.opened + 1, f.closed)})
        self._set = {i: frozenset([program.text[i]]) for i in self.inside if self._is_set(i)}
        self._by_calls(device)

    def of(self, some: Iterable[int]) -> frozenset[bytes]:
        return NONE.union(*(self._set.get(i, NONE) for i in some))

    def certainly_of(self, some: Iterable[int]) -> frozenset[bytes]:
        """Without those whose address alone is taken, as in __ldg(&j)."""
        return self.of(i for i in some if not self._is_place(i))

    def _is_place(self, i: int) -> bool:
        program = self.program
        return program.at(i - 1) == b"&" and not (
            program.ends_operand(i - 2)
            or program.assigns(i + 1)
            or _called(program, i) in self.changing
        )

    def acts(self, i: int) -> bool:
        """Does token i change a variable, or call what may?"""
        text = self.program.text[i]
        if text in (b"+", b"-"):
            return self.program.at(i + 1) == text and self.program.is_step(i)
        if not self.program.is_name(i) or self.program.at(i + 1) != b"(":
            return False
        return text in self.changing or text.startswith(b"atomic") or i in self._set

    def _by_calls(self, device: list[Function]) -> None:
        """Adds what calls set beside their arguments."""
        program, outside = self.program, _of_the_file(self.program)
        bodies: list[tuple[bytes, range, frozenset[bytes] | None]] = [
            (_name(program, f), range(f.opened, f.closed), outside) for f in device
        ]
        bodies += [(program.text[at], body, None) for at, body in self._lambdas()]
        sets: dict[bytes, frozenset[bytes]] = {}
        for _ in range(DEPTH):
            for name, body, known in bodies:
                found = self.of(body)
                sets[name] = sets.get(name, NONE) | (found if known is None else found & known)
            for i in self.inside:
                if program.at(i + 1) == b"(" and sets.get(program.text[i]):
                    self._set[i] = sets[program.text[i]]

    def _lambdas(self) -> list[tuple[int, range]]:
        """The name and the body of each `name = [...] ... {...}`."""
        found, program = [], self.program
        for i in self.inside:
            if program.text[i] == b"[" and program.at(i - 1) == b"=" and program.is_name(i - 2):
                opened = program.until(program.past(i), b"{", b";", b"}")
                if program.at(opened) == b"{":
                    found.append((i - 2, range(opened, program.match[opened])))
        return found

    def _is_set(self, i: int) -> bool:
        """Is the variable at i set there, or handed to a function that may?"""
        program = self.program
        before, sign = program.at(i - 1), program.at(i + 1)
        if not program.is_name(i):
            return False
        if before in (b"+", b"-") and program.at(i - 2) == before and program.is_step(i - 2):
            return True
        if before == b"&" and not program.ends_operand(i - 2):
            return sign not in (b"->", b"[")  # that is the address of another
        if before in (b"(", b",") and sign in (b")", b",") and _called(program, i) in self.changing:
            return True
        return (sign in (b"+", b"-") and program.is_step(i + 1)) or program.assigns(i + 1)


def _of_the_file(program: Program) -> frozenset[bytes]:
    """The variables outside of functions, and other names before a = or a comma."""
    found, i = set(), 0
    while i < len(program):
        if program.is_name(i) and program.at(i + 1) in (b"=", b";", b"[", b","):
            found.add(program.text[i])
        i = i + 1 if program.text[i] == b"{" and program.is_scope(i) else program.past(i)
    return frozenset(found)


def _called(program: Program, i: int) -> bytes:
    """What the innermost brackets around token i are the arguments of."""
    k = i - 1
    while k >= 0 and program.match[k] < i:
        k -= 1
    return program.at(k - 1)


def _name(program: Program, function: Function) -> bytes:
    opened = program.parameters(function)
    return program.at(opened - 1) if opened else b""


def _changes(program: Program, function: Function) -> bytes:
    """The name of a function that stores through a pointer or a reference; else nothing."""
    opened = program.parameters(function)
    if opened is None or not program.is_name(opened - 1):
        return b""
    for first, last in program.commas(opened + 1, program.match[opened]):
        words = program.text[first:last]
        is_open = (b"*" in words or b"&" in words) and b"const" not in words
        if is_open and any(
            program.text[k] == words[-1] and _is_stored(program, k)
            for k in range(function.opened, function.closed)
        ):
            return program.text[opened - 1]
    return b""


def _is_stored(program: Program, i: int) -> bool:
    """Is what the name at i points to assigned, or is the name handed on?"""
    if program.at(i - 1) in (b"(", b",") and program.at(i + 1) in (b",", b")"):
        return True
    k = i - 1
    while program.at(k) in (b"*", b"("):
        k -= 1
    if k < i - 1 and program.at(k) in (b"+", b"-") and program.is_step(k - 1):
        return True  # ++*p
    k = i + 1
    while program.at(k) in (b"[", b".", b"->", b")"):
        k = program.past(k) + (program.text[k] in (b".", b"->"))
    sign = program.at(k)
    if sign in (b"+", b"-", b"*", b"/", b"%", b"&", b"|", b"^", b"<", b">"):
        k += 1 + (program.at(k + 1) == sign)
        steps = sign in (b"+", b"-") and program.at(k - 1) == sign and k > i + 2
        return steps or program.at(k) == b"="
    return sign == b"=" and program.at(k + 1) != b"="
