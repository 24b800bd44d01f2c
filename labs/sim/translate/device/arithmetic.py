"""Has device code compute what C++ leaves undefined as a device does: see sim/conversions.h and
sim/integer.h.

A number is converted to an integer by a cast, where a variable is set or changed (`i += f`), as an
argument of a function of the program's own, by a function that returns one, and by make_uchar4(),
lrint() and their like. A shift by a number that fits is left alone.
"""

from __future__ import annotations

import re
from functools import cached_property

from labs.sim.translate.reader.program import Function, Program

INTEGERS = frozenset(
    b"char short int long signed unsigned size_t ssize_t ptrdiff_t intptr_t uintptr_t uchar ushort "
    b"uint ulong int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t".split()
)
QUALIFIERS = frozenset(b"const volatile constexpr static register std ::".split())
OPENS = frozenset(b"( , [ { ; = + - * / % < > & | ^ ! ~ ? : }".split())  # an expression, before it
BEFORE = frozenset(b"return case else do throw".split())
SIGNS = frozenset(b"- + ! ~".split())
NOT_OPERANDS = frozenset(b"const volatile noexcept override final mutable".split())
MADE = re.compile(rb"make_(u?(?:char|short|int|longlong|long))[1-4]")
NEAREST = re.compile(rb"l?l(?:rint|round)f?")
SMALL = re.compile(rb"(?:[0-9]|[1-2][0-9]|3[01])[uU]?$")
INDICES = frozenset(b"threadIdx blockIdx blockDim gridDim x y z warpSize".split())
LEADS = frozenset(b"__attribute__ alignas __align__".split())  # to a type
BEFORE_NAME = frozenset(
    b"inline __device__ __host__ __forceinline__ __inline__ __noinline__".split()
)
BETWEEN = frozenset(b"* & const volatile restrict __restrict__".split())  # a type and a name
WHOLE = re.compile(rb"0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|[-+~()]")


class DeviceArithmetic:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.types = INTEGERS | self._own_types()
        self.casts: set[tuple[int, int]] = set()
        self.known: dict[int, dict[bytes, bool]] = {}  # of a function: is a name an integer?
        # Where the program has a template of operator << or >>, no other one can be put before it.
        self.shifts = not any(
            program.at(i + 1) in (b"<", b">")
            and program.at(i + 2) == program.at(i + 1)
            and b"template" in program.text[program.statement(i) : i]
            for i in program.words(b"operator")
        )

    def rewrite(self) -> None:
        program = self.program
        bodies = [f for f in program.functions if f.may_run_on_device]
        inside = sorted({i for f in bodies for i in range(f.opened + 1, f.closed)})
        for i in inside:
            text = program.text[i]
            if program.kind[i] == "word":
                self._word(i, text)
                if text in self.own and program.at(i + 1) in (b"(", b"<"):
                    self._call(i)
            elif text == b"(":
                self._cast(i)
            elif text in (b"<", b">") and self.shifts:
                self._shift(i, text)
            elif text == b"=":
                self._assignment(i)
        for function in bodies:
            self._returns(function)

    def _own_types(self) -> set[bytes]:
        """The names of types that may be integers: parameters of templates, and other names."""
        program = self.program
        names = set()
        for i in program.words(b"typename", b"class", b"using"):
            ends = (b"=",) if program.text[i] == b"using" else (b",", b">", b"=")
            if program.is_name(i + 1) and program.at(i + 2) in ends:
                names.add(program.text[i + 1])
        for i in program.words(b"typedef"):
            last = program.until(i, b";")
            if any(word in INTEGERS for word in program.text[i:last]) and program.is_name(last - 1):
                names.add(program.text[last - 1])
        return names

    def _is_type(self, first: int, last: int) -> bool:
        """Do the tokens first..last (exclusive) name a type that may be an integer?"""
        words = [w for w in self.program.text[first:last] if w not in QUALIFIERS]
        return bool(words) and all(word in self.types for word in words)

    # ---- what is an integer already

    def _declared(self, first: int, last: int) -> dict[bytes, bool]:
        """The names that are declared there: is each an integer, or a pointer to integers?"""
        program = self.program
        known: dict[bytes, bool] = {}
        for i in range(first, last):
            if not program.is_name(i) or program.text[i] in INTEGERS:
                continue
            before = i - 1
            while program.at(before) in BETWEEN:
                before -= 1
            text = program.at(before)
            if text == b"," and program.at(i + 1) in (b"=", b",", b";", b"["):
                before = self._first_of_type(i)
                text = program.at(before) if program.is_name(before + 1) else b""
            if program.is_name(before) or (text == b">" and program.declares(i)):
                known[program.text[i]] = known.get(program.text[i], True) and text in INTEGERS
        return known

    @cached_property
    def _declared_anywhere(self) -> dict[bytes, bool]:
        return self._declared(0, len(self.program))

    def _integers(self, i: int) -> dict[bytes, bool]:
        """What the names in the function around token i are, by its own declarations first."""
        function = self.program.around(i)
        if function is None:
            return self._declared_anywhere
        if function.opened not in self.known:
            own = self._declared(self.program.statement(function.head), function.closed)
            self.known[function.opened] = self._declared_anywhere | own
        return self.known[function.opened]

    def _is_integral(self, first: int, last: int) -> bool:
        """Is it certain that no number with a fraction is in this expression?"""
        program, known = self.program, self._integers(first)
        return all(
            program.text[i] in INDICES or known.get(program.text[i], False)
            if program.is_word(i)
            else program.kind[i] == "sign" or WHOLE.fullmatch(program.text[i])
            for i in range(first, last)
        )

    def _first_of_type(self, i: int) -> int:
        """The first token of the declaration that holds token i, behind its attributes."""
        program = self.program
        first = program.statement(i)
        while program.text[first : first + 2] == [b"[", b"["] or program.at(first) in LEADS:
            first = program.past(first if program.at(first) == b"[" else first + 1)
        return first

    # ---- arguments of the program's own functions

    @cached_property
    def own(self) -> dict[bytes, list[str]]:
        """For each function whose name no other one has, the types of its parameters: "" is none
        of an integer."""
        program = self.program
        found: dict[bytes, list[str]] = {}
        for function in program.functions:
            opened = program.parameters(function)
            if opened is not None:
                name = program.text[opened - 1]
                parts = program.commas(opened + 1, program.match[opened])
                types = [self._integer_type(*part) for part in parts]
                found[name] = [] if name in found else types
        return {name: types for name, types in found.items() if any(types)}

    def _integer_type(self, first: int, last: int) -> str:
        """The type of a parameter, or "" where it is none of an integer."""
        words = self.program.text[first:last]
        words = words[: words.index(b"=")] if b"=" in words else words
        if words[-1:] and words[-1] not in INTEGERS:
            words.pop()  # its name
        is_integer = bool(words) and all(w in INTEGERS or w in QUALIFIERS for w in words)
        return b" ".join(w for w in words if w in INTEGERS).decode() if is_integer else ""

    def _call(self, i: int) -> None:
        program = self.program
        opened = i + 1
        if program.at(opened) == b"<":
            opened = (program.angle(opened) or i) + 1
        if (
            program.at(opened) != b"("
            or program.at(i - 1) in (b".", b"->")
            or program.is_name(i - 1)
        ):
            return
        function, name = program.around(i), program.text[i]
        if function is None or any(
            program.at(k + 1) not in (b"(", b"<")
            for k in range(function.head, function.closed)
            if program.text[k] == name
        ):
            return  # a variable of that name
        given = program.commas(opened + 1, program.match[opened])
        for (first, last), kind in zip(given, self.own[name], strict=False):
            if kind and program.text[first] != b"{" and not self._is_integral(first, last):
                program.insert(program.start[first], f"sim_from<{kind}>{{}} = ")

    # ---- casts

    def _word(self, i: int, text: bytes) -> None:
        program = self.program
        if text == b"static_cast" and program.at(i + 1) == b"<":
            closed = program.angle(i + 1)
            if closed is not None and self._is_type(i + 2, closed):
                program.replace(i, "sim_convert")
            return
        if NEAREST.fullmatch(text) and program.at(i + 1) == b"(":
            first = i - 2 if program.text[i - 2 : i] == [b"std", b"::"] else i
            if program.at(first - 1) not in (b".", b"->", b"::"):
                program.cut(program.start[first], program.end(i), f"sim_{text.decode()}")
            return
        made = MADE.fullmatch(text)
        if program.at(i + 1) != b"(" or not (made or text in self.types):
            return
        inner = program.commas(i + 2, program.match[i + 1])
        if made:
            kind = re.sub(r"^u", "unsigned ", made[1].decode()).replace("longlong", "long long")
            kind = f"signed {kind}" if kind == "char" else kind
            for first, last in inner:
                if not self._is_whole(first, last) and program.text[first] != b"{":
                    program.insert(program.start[first], f"sim_from<{kind}>{{}} = ")
        elif len(inner) == 1 and self._opens(i):
            is_declarator = program.text[i + 2] in (b"*", b"&")
            if not is_declarator and program.at(i - 1) not in (b";", b"{", b"}", b"<"):
                program.replace(i, f"sim_convert<{text.decode()}>")

    def _opens(self, i: int) -> bool:
        """May an expression begin at token i?"""
        before = self.program.at(i - 1)
        if before == b">":
            return self.program.angle_back(i - 1) is None
        return before in OPENS or before in BEFORE

    def _cast(self, i: int) -> None:
        program = self.program
        closed = program.match[i]
        if closed < i or not self._is_type(i + 1, closed) or not self._begins_operand(closed + 1):
            return
        first, outer = i, []  # casts of this one to types that are no integers
        while program.at(first - 1) == b")":
            last, first = first - 1, program.match[first - 1]
            if not self._is_any_type(first + 1, last):
                return
            if not self._is_type(first + 1, last):
                outer.append((first, last))
        if self._opens(first) and not self._is_folded(i):
            for opened, last in [*outer, (i, closed)]:
                if (opened, last) not in self.casts:
                    self.casts.add((opened, last))
                    program.replace(opened, "sim_to<")
                    program.replace(last, ">{}->*")

    def _is_folded(self, i: int) -> bool:
        """Is it in a pack's fold, (0 + ... + (int)x), where g++ wants a cast as it is?"""
        program = self.program
        first = program.statement(i)
        last = program.until(first, b";", b")", b"{")
        return b"..." in b"".join(program.text[first:last])

    def _begins_operand(self, i: int) -> bool:
        program, text = self.program, self.program.at(i)
        if program.is_word(i):
            return text not in NOT_OPERANDS
        return (
            text in SIGNS
            or text in (b"(", b"*", b"&", b"::")
            or program.kind[i] in ("number", "letter")
        )

    def _is_any_type(self, first: int, last: int) -> bool:
        words = self.program.text[first:last]
        names = all(
            self.program.is_name(i)
            for i in range(first, last)
            if words[i - first] not in (b"*", b"::")
        )
        return bool(words) and names

    # ---- where a variable is set

    def _assignment(self, i: int) -> None:
        program = self.program
        before = program.at(i - 1)
        is_joined = program.end(i - 1) == program.start[i]
        if program.at(i + 1) == b"=" and program.start[i + 1] == program.end(i):
            return
        if is_joined and program.kind[i - 1] == "sign" and before not in (b")", b"]"):
            if before in (b"+", b"-", b"*", b"/"):
                self._change(i)
            return
        if (
            program.at(i + 1) in (b"{", b"[")
            or before == b"operator"
            or self._is_whole_until_end(i + 1)
        ):
            return
        start = self._begin_of_operand(i - 1)
        if start is not None:
            target = program.flat(start, i).replace("\n", " ")
            program.insert(program.start[i + 1], f"sim_from<decltype(({target}))>{{}} = ")

    def _change(self, i: int) -> None:
        """i += f -> i = sim_from<...>{} = i + (f). The = is token i."""
        program = self.program
        first = self._begin_of_operand(i - 2)
        if first is None or not self._is_integral(first, i - 1):
            return
        if any(program.text[k] in (b"(", b"=", program.at(k + 1)) for k in range(first, i - 1)):
            return  # to write it twice may do something twice
        parts = program.commas(i + 1, program.until(i + 1, b";", b")", b"]", b"}"))
        if not parts:
            return  # g++ says what is missing
        last = parts[0][1]
        if not self._is_integral(i + 1, last):
            target, sign = (
                program.flat(first, i - 1).replace("\n", " "),
                program.text[i - 1].decode(),
            )
            changed = f"= sim_from<decltype(({target}))>{{}} = {target} {sign} ("
            program.cut(program.start[i - 1], program.end(i), changed)
            program.insert(program.end(last - 1), ")")

    def _begin_of_operand(self, i: int) -> int | None:
        """The first token of the variable that ends at token i and is set; None if it is none."""
        program = self.program
        end = i
        while True:
            text = program.at(i)
            if text in (b"+", b"-") and program.at(i - 1) == text:
                i -= 2
            elif text == b"]":
                if program.at(program.match[i] + 1) == b"[":
                    return None  # int n [[maybe_unused]] = ...
                i = program.match[i] - 1
            elif text == b")":
                opened = program.match[i]
                if program.at(opened - 1) == b">":
                    opened = program.angle_back(opened - 1) or opened  # at<3>(a) = ...
                if program.is_name(opened - 1) and program.at(opened + 1) in (b"*", b"&"):
                    return None  # a declaration: float (*rows)[32] = ...
                if not program.is_name(opened - 1) and program.at(opened - 1) != b"]":
                    i = opened
                    break
                if program.at(opened + 1) == b"*":
                    return None  # int (*rows)[2] = ...
                i = opened - 1
            elif program.is_name(i):
                if program.at(i - 1) not in (b".", b"->", b"::"):
                    break
                i -= 2
            else:
                return None
        first = i
        is_second = program.at(i - 1) == b"," and b"auto" in program.text[program.statement(i) : i]
        if program.text[i] == b"auto" or is_second or self._is_enumerator(i):
            return None
        while program.at(first - 1) == b"*":
            first -= 1
        before = program.at(first - 1)
        if before == b")":
            opened = program.match[first - 1]
            return first if program.at(opened - 1) in (b"if", b"for", b"while", b"switch") else None
        if before == b"," and self._is_captured(first):
            return None
        if before in (b";", b"{", b"}", b":", b"(", b",", b"else", b"do"):
            return first if before != b":" or program.at(first - 2) != b":" else None
        start = self._first_of_type(i)
        is_parameter = program.at(start - 1) == b"(" and program.at(start - 2) in (b"]", b">")
        is_declared = first == end and self._is_type(start, first) and not is_parameter
        return first if is_declared else None

    def _is_captured(self, i: int) -> bool:
        """Is token i in the captures of a lambda, as [&, n = f]?"""
        program = self.program
        while i > 0 and program.text[i - 1] not in (b";", b"(", b"[", b"{"):
            i = program.before(i)
        return program.at(i - 1) == b"["

    def _is_enumerator(self, i: int) -> bool:
        brace = self.program.up[i]
        return b"enum" in self.program.text[max(0, brace - 7) : max(0, brace)]

    def _is_whole(self, first: int, last: int) -> bool:
        """Is it a number without a fraction, in the text of the program?"""
        return all(WHOLE.fullmatch(text) for text in self.program.text[first:last])

    def _is_whole_until_end(self, first: int) -> bool:
        program = self.program
        last = program.until(first, b";", b",", b")", b"}")
        texts = program.text[first:last]
        return self._is_whole(first, last) or b"__null" in texts or b"nullptr" in texts

    def _returns(self, function: Function) -> None:
        program = self.program
        opened = program.parameters(function)
        start, name = program.statement(function.head), (opened or function.opened) - 1
        if program.at(start) == b"template" and program.at(start + 1) == b"<":
            start = (program.angle(start + 1) or start) + 1
        words = [
            w for w in program.text[start:name] if w not in QUALIFIERS and w not in BEFORE_NAME
        ]
        if not words or not all(word in self.types for word in words):
            return
        body = range(function.opened, function.closed)
        if any(program.at(k) == b"]" and program.at(k + 1) in (b"(", b"{") for k in body):
            return  # perhaps a lambda, whose result has another type
        kind = b" ".join(words).decode()
        for k in body:
            is_return = program.text[k] == b"return" and program.at(k + 1) not in (b";", b"{")
            if not is_return or program.around(k) != function or self._is_whole_until_end(k + 1):
                continue
            if words[0] in INTEGERS or not self._may_be_void(k + 1):
                program.insert(program.start[k + 1], f" sim_from<{kind}>{{}} = ")

    def _may_be_void(self, i: int) -> bool:
        """Does a return of a template's result at token i only call something that may have none?
        A function that the program does not declare, such as floorf(), has one."""
        program = self.program
        at = i
        while program.is_name(at) or program.at(at) in (b"::", b".", b"->", b"(", b"[", b"<"):
            at = (program.angle(at) or at) + 1 if program.at(at) == b"<" else program.past(at)
        if not program.is_name(i) or program.text[at - 1 : at + 1] != [b")", b";"]:
            return False
        is_own = any(program.is_name(k - 1) for k in program.words(program.text[i]))
        return is_own or program.match[i + 1] != at - 1

    # ---- shifts

    def _shift(self, i: int, sign: bytes) -> None:
        program = self.program
        is_second = program.at(i - 1) == sign and program.end(i - 1) == program.start[i]
        if not is_second or program.at(i - 2) in (sign, b"operator", b"."):
            return
        if program.at(i + 1) in (sign, b"."):
            return
        if sign == b">" and self._closes_templates(i):
            return
        if program.at(i + 1) == b"=" and program.start[i + 1] == program.end(i):
            if not self._is_small(i + 2):
                program.insert(program.end(i + 1), " sim_shift{} %=")
        elif not self._is_small(i + 1):
            mark = (sign + sign).decode()
            program.insert(program.end(i), f"sim_shift{{}}{mark}")

    def _closes_templates(self, i: int) -> bool:
        program = self.program
        opened = program.angle_back(i)
        return opened is not None and b"<" not in (program.at(opened - 1), program.at(opened + 1))

    def _is_small(self, i: int) -> bool:
        """Is the number to shift by fewer than 32, in the text of the program?"""
        after = self.program.at(i + 1)
        ends = after not in (b"*", b"/", b"%", b"+", b"-")
        return bool(SMALL.fullmatch(self.program.at(i))) and ends
