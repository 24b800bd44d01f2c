"""Has device code compute what C++ leaves undefined as a device does: see sim/conversions.h and
sim/integer.h.

A number is converted to an integer by a cast, where a variable is set or changed (`i += f`), as an
argument of a function of the program's own, by a function that returns one, and by make_uchar4(),
lrint() and their like. A shift by a number that fits is left alone.
"""

from __future__ import annotations

import re
from functools import cached_property

from tokens import Function, Tokens

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
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.types = INTEGERS | self._own_types()
        self.casts: set[tuple[int, int]] = set()
        self.known: dict[int, dict[bytes, bool]] = {}  # of a function: is a name an integer?
        # Where the program has a template of operator << or >>, no other one can be put before it.
        self.shifts = not any(
            tokens.at(i + 1) in (b"<", b">")
            and tokens.at(i + 2) == tokens.at(i + 1)
            and b"template" in tokens.text[tokens.statement(i) : i]
            for i in tokens.words(b"operator")
        )

    def rewrite(self) -> None:
        tokens = self.tokens
        bodies = [f for f in tokens.functions if f.may_run_on_device]
        inside = sorted({i for f in bodies for i in range(f.opened + 1, f.closed)})
        for i in inside:
            text = tokens.text[i]
            if tokens.kind[i] == "word":
                self._word(i, text)
                if text in self.own and tokens.at(i + 1) in (b"(", b"<"):
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
        tokens = self.tokens
        names = set()
        for i in tokens.words(b"typename", b"class", b"using"):
            ends = (b"=",) if tokens.text[i] == b"using" else (b",", b">", b"=")
            if tokens.is_name(i + 1) and tokens.at(i + 2) in ends:
                names.add(tokens.text[i + 1])
        for i in tokens.words(b"typedef"):
            last = i
            while last < len(tokens) and tokens.text[last] != b";":
                last = tokens.past(last)
            if any(word in INTEGERS for word in tokens.text[i:last]) and tokens.is_name(last - 1):
                names.add(tokens.text[last - 1])
        return names

    def _is_type(self, first: int, last: int) -> bool:
        """Do the tokens first..last (exclusive) name a type that may be an integer?"""
        words = [w for w in self.tokens.text[first:last] if w not in QUALIFIERS]
        return bool(words) and all(word in self.types for word in words)

    # ---- what is an integer already

    def _declared(self, first: int, last: int) -> dict[bytes, bool]:
        """The names that are declared there: is each an integer, or a pointer to integers?"""
        tokens = self.tokens
        known: dict[bytes, bool] = {}
        for i in range(first, last):
            if not tokens.is_name(i) or tokens.text[i] in INTEGERS:
                continue
            before = i - 1
            while tokens.at(before) in BETWEEN:
                before -= 1
            text = tokens.at(before)
            if text == b"," and tokens.at(i + 1) in (b"=", b",", b";", b"["):
                before = self._first_of_type(i)
                text = tokens.at(before) if tokens.is_name(before + 1) else b""
            if tokens.is_name(before) or (text == b">" and tokens.declares(i)):
                known[tokens.text[i]] = known.get(tokens.text[i], True) and text in INTEGERS
        return known

    @cached_property
    def _declared_anywhere(self) -> dict[bytes, bool]:
        return self._declared(0, len(self.tokens))

    def _integers(self, i: int) -> dict[bytes, bool]:
        """What the names in the function around token i are, by its own declarations first."""
        function = self.tokens.around(i)
        if function is None:
            return self._declared_anywhere
        if function.opened not in self.known:
            own = self._declared(self.tokens.statement(function.head), function.closed)
            self.known[function.opened] = self._declared_anywhere | own
        return self.known[function.opened]

    def _is_integral(self, first: int, last: int) -> bool:
        """Is it certain that no number with a fraction is in this expression?"""
        tokens, known = self.tokens, self._integers(first)
        return all(
            tokens.text[i] in INDICES or known.get(tokens.text[i], False)
            if tokens.is_word(i)
            else tokens.kind[i] == "sign" or WHOLE.fullmatch(tokens.text[i])
            for i in range(first, last)
        )

    def _first_of_type(self, i: int) -> int:
        """The first token of the declaration that holds token i, behind its attributes."""
        tokens = self.tokens
        first = tokens.statement(i)
        while tokens.text[first : first + 2] == [b"[", b"["] or tokens.at(first) in LEADS:
            first = tokens.past(first if tokens.at(first) == b"[" else first + 1)
        return first

    # ---- arguments of the program's own functions

    @cached_property
    def own(self) -> dict[bytes, list[str]]:
        """For each function whose name no other one has, the types of its parameters: "" is none
        of an integer."""
        tokens = self.tokens
        found: dict[bytes, list[str]] = {}
        for function in tokens.functions:
            opened = tokens.parameters(function)
            if opened is not None:
                name = tokens.text[opened - 1]
                parts = tokens.commas(opened + 1, tokens.match[opened])
                types = [self._integer_type(*part) for part in parts]
                found[name] = [] if name in found else types
        return {name: types for name, types in found.items() if any(types)}

    def _integer_type(self, first: int, last: int) -> str:
        """The type of a parameter, or "" where it is none of an integer."""
        words = self.tokens.text[first:last]
        words = words[: words.index(b"=")] if b"=" in words else words
        if words[-1:] and words[-1] not in INTEGERS:
            words.pop()  # its name
        is_integer = bool(words) and all(w in INTEGERS or w in QUALIFIERS for w in words)
        return b" ".join(w for w in words if w in INTEGERS).decode() if is_integer else ""

    def _call(self, i: int) -> None:
        tokens = self.tokens
        opened = i + 1
        if tokens.at(opened) == b"<":
            opened = (tokens.angle(opened) or i) + 1
        if tokens.at(opened) != b"(" or tokens.at(i - 1) in (b".", b"->") or tokens.is_name(i - 1):
            return
        function, name = tokens.around(i), tokens.text[i]
        if function is None or any(
            tokens.at(k + 1) not in (b"(", b"<")
            for k in range(function.head, function.closed)
            if tokens.text[k] == name
        ):
            return  # a variable of that name
        given = tokens.commas(opened + 1, tokens.match[opened])
        for (first, last), kind in zip(given, self.own[name], strict=False):
            if kind and tokens.text[first] != b"{" and not self._is_integral(first, last):
                tokens.insert(tokens.start[first], f"sim_from<{kind}>{{}} = ")

    # ---- casts

    def _word(self, i: int, text: bytes) -> None:
        tokens = self.tokens
        if text == b"static_cast" and tokens.at(i + 1) == b"<":
            closed = tokens.angle(i + 1)
            if closed is not None and self._is_type(i + 2, closed):
                tokens.replace(i, "sim_convert")
            return
        if NEAREST.fullmatch(text) and tokens.at(i + 1) == b"(":
            first = i - 2 if tokens.text[i - 2 : i] == [b"std", b"::"] else i
            if tokens.at(first - 1) not in (b".", b"->", b"::"):
                tokens.cut(tokens.start[first], tokens.end(i), f"sim_{text.decode()}")
            return
        made = MADE.fullmatch(text)
        if tokens.at(i + 1) != b"(" or not (made or text in self.types):
            return
        inner = tokens.commas(i + 2, tokens.match[i + 1])
        if made:
            kind = re.sub(r"^u", "unsigned ", made[1].decode()).replace("longlong", "long long")
            kind = f"signed {kind}" if kind == "char" else kind
            for first, last in inner:
                if not self._is_whole(first, last) and tokens.text[first] != b"{":
                    tokens.insert(tokens.start[first], f"sim_from<{kind}>{{}} = ")
        elif len(inner) == 1 and self._opens(i):
            is_declarator = tokens.text[i + 2] in (b"*", b"&")
            if not is_declarator and tokens.at(i - 1) not in (b";", b"{", b"}", b"<"):
                tokens.replace(i, f"sim_convert<{text.decode()}>")

    def _opens(self, i: int) -> bool:
        """May an expression begin at token i?"""
        before = self.tokens.at(i - 1)
        if before == b">":
            return self.tokens.angle_back(i - 1) is None
        return before in OPENS or before in BEFORE

    def _cast(self, i: int) -> None:
        tokens = self.tokens
        closed = tokens.match[i]
        if closed < i or not self._is_type(i + 1, closed) or not self._begins_operand(closed + 1):
            return
        first, outer = i, []  # casts of this one to types that are no integers
        while tokens.at(first - 1) == b")":
            last, first = first - 1, tokens.match[first - 1]
            if not self._is_any_type(first + 1, last):
                return
            if not self._is_type(first + 1, last):
                outer.append((first, last))
        if self._opens(first) and not self._is_folded(i):
            for opened, last in [*outer, (i, closed)]:
                if (opened, last) not in self.casts:
                    self.casts.add((opened, last))
                    tokens.replace(opened, "sim_to<")
                    tokens.replace(last, ">{}->*")

    def _is_folded(self, i: int) -> bool:
        """Is it in a pack's fold, (0 + ... + (int)x), where g++ wants a cast as it is?"""
        tokens = self.tokens
        first = last = tokens.statement(i)
        while last < len(tokens) and tokens.text[last] not in (b";", b")", b"{"):
            last = tokens.past(last)
        return b"..." in b"".join(tokens.text[first:last])

    def _begins_operand(self, i: int) -> bool:
        tokens, text = self.tokens, self.tokens.at(i)
        if tokens.is_word(i):
            return text not in NOT_OPERANDS
        return (
            text in SIGNS
            or text in (b"(", b"*", b"&", b"::")
            or tokens.kind[i] in ("number", "letter")
        )

    def _is_any_type(self, first: int, last: int) -> bool:
        words = self.tokens.text[first:last]
        names = all(
            self.tokens.is_name(i)
            for i in range(first, last)
            if words[i - first] not in (b"*", b"::")
        )
        return bool(words) and names

    # ---- where a variable is set

    def _assignment(self, i: int) -> None:
        tokens = self.tokens
        before = tokens.at(i - 1)
        is_joined = tokens.end(i - 1) == tokens.start[i]
        if tokens.at(i + 1) == b"=" and tokens.start[i + 1] == tokens.end(i):
            return
        if is_joined and tokens.kind[i - 1] == "sign" and before not in (b")", b"]"):
            if before in (b"+", b"-", b"*", b"/"):
                self._change(i)
            return
        if (
            tokens.at(i + 1) in (b"{", b"[")
            or before == b"operator"
            or self._is_whole_until_end(i + 1)
        ):
            return
        start = self._begin_of_operand(i - 1)
        if start is not None:
            target = tokens.flat(start, i).replace("\n", " ")
            tokens.insert(tokens.start[i + 1], f"sim_from<decltype(({target}))>{{}} = ")

    def _change(self, i: int) -> None:
        """i += f -> i = sim_from<...>{} = i + (f). The = is token i."""
        tokens = self.tokens
        first, last = self._begin_of_operand(i - 2), i + 1
        if first is None or not self._is_integral(first, i - 1):
            return
        if any(tokens.text[k] in (b"(", b"=", tokens.at(k + 1)) for k in range(first, i - 1)):
            return  # to write it twice may do something twice
        while last < len(tokens) and tokens.text[last] not in (b";", b")", b"]", b"}"):
            last = tokens.past(last)
        parts = tokens.commas(i + 1, last)
        if not parts:
            return  # g++ says what is missing
        last = parts[0][1]
        if not self._is_integral(i + 1, last):
            target, sign = tokens.flat(first, i - 1).replace("\n", " "), tokens.text[i - 1].decode()
            changed = f"= sim_from<decltype(({target}))>{{}} = {target} {sign} ("
            tokens.cut(tokens.start[i - 1], tokens.end(i), changed)
            tokens.insert(tokens.end(last - 1), ")")

    def _begin_of_operand(self, i: int) -> int | None:
        """The first token of the variable that ends at token i and is set; None if it is none."""
        tokens = self.tokens
        end = i
        while True:
            text = tokens.at(i)
            if text in (b"+", b"-") and tokens.at(i - 1) == text:
                i -= 2
            elif text == b"]":
                if tokens.at(tokens.match[i] + 1) == b"[":
                    return None  # int n [[maybe_unused]] = ...
                i = tokens.match[i] - 1
            elif text == b")":
                opened = tokens.match[i]
                if tokens.at(opened - 1) == b">":
                    opened = tokens.angle_back(opened - 1) or opened  # at<3>(a) = ...
                if tokens.is_name(opened - 1) and tokens.at(opened + 1) in (b"*", b"&"):
                    return None  # a declaration: float (*rows)[32] = ...
                if not tokens.is_name(opened - 1) and tokens.at(opened - 1) != b"]":
                    i = opened
                    break
                if tokens.at(opened + 1) == b"*":
                    return None  # int (*rows)[2] = ...
                i = opened - 1
            elif tokens.is_name(i):
                if tokens.at(i - 1) not in (b".", b"->", b"::"):
                    break
                i -= 2
            else:
                return None
        first = i
        is_second = tokens.at(i - 1) == b"," and b"auto" in tokens.text[tokens.statement(i) : i]
        if tokens.text[i] == b"auto" or is_second or self._is_enumerator(i):
            return None
        while tokens.at(first - 1) == b"*":
            first -= 1
        before = tokens.at(first - 1)
        if before == b")":
            opened = tokens.match[first - 1]
            return first if tokens.at(opened - 1) in (b"if", b"for", b"while", b"switch") else None
        if before == b"," and self._is_captured(first):
            return None
        if before in (b";", b"{", b"}", b":", b"(", b",", b"else", b"do"):
            return first if before != b":" or tokens.at(first - 2) != b":" else None
        start = self._first_of_type(i)
        is_parameter = tokens.at(start - 1) == b"(" and tokens.at(start - 2) in (b"]", b">")
        is_declared = first == end and self._is_type(start, first) and not is_parameter
        return first if is_declared else None

    def _is_captured(self, i: int) -> bool:
        """Is token i in the captures of a lambda, as [&, n = f]?"""
        tokens = self.tokens
        while i > 0 and tokens.text[i - 1] not in (b";", b"(", b"[", b"{"):
            i = tokens.match[i - 1] if tokens.match[i - 1] >= 0 else i - 1
        return tokens.at(i - 1) == b"["

    def _is_enumerator(self, i: int) -> bool:
        brace = self.tokens.up[i]
        return b"enum" in self.tokens.text[max(0, brace - 7) : max(0, brace)]

    def _is_whole(self, first: int, last: int) -> bool:
        """Is it a number without a fraction, in the text of the program?"""
        return all(WHOLE.fullmatch(text) for text in self.tokens.text[first:last])

    def _is_whole_until_end(self, first: int) -> bool:
        tokens = self.tokens
        last = first
        while last < len(tokens) and tokens.text[last] not in (b";", b",", b")", b"}"):
            last = tokens.past(last)
        texts = tokens.text[first:last]
        return self._is_whole(first, last) or b"__null" in texts or b"nullptr" in texts

    def _returns(self, function: Function) -> None:
        tokens = self.tokens
        opened = tokens.parameters(function)
        start, name = tokens.statement(function.head), (opened or function.opened) - 1
        if tokens.at(start) == b"template" and tokens.at(start + 1) == b"<":
            start = (tokens.angle(start + 1) or start) + 1
        words = [w for w in tokens.text[start:name] if w not in QUALIFIERS and w not in BEFORE_NAME]
        if not words or not all(word in self.types for word in words):
            return
        body = range(function.opened, function.closed)
        if any(tokens.at(k) == b"]" and tokens.at(k + 1) in (b"(", b"{") for k in body):
            return  # perhaps a lambda, whose result has another type
        kind = b" ".join(words).decode()
        for k in body:
            is_return = tokens.text[k] == b"return" and tokens.at(k + 1) not in (b";", b"{")
            if not is_return or tokens.around(k) != function or self._is_whole_until_end(k + 1):
                continue
            if words[0] in INTEGERS or not self._may_be_void(k + 1):
                tokens.insert(tokens.start[k + 1], f" sim_from<{kind}>{{}} = ")

    def _may_be_void(self, i: int) -> bool:
        """Does a return of a template's result at token i only call something that may have none?
        A function that the program does not declare, such as floorf(), has one."""
        tokens = self.tokens
        at = i
        while tokens.is_name(at) or tokens.at(at) in (b"::", b".", b"->", b"(", b"[", b"<"):
            at = (tokens.angle(at) or at) + 1 if tokens.at(at) == b"<" else tokens.past(at)
        if not tokens.is_name(i) or tokens.text[at - 1 : at + 1] != [b")", b";"]:
            return False
        is_own = any(tokens.is_name(k - 1) for k in tokens.words(tokens.text[i]))
        return is_own or tokens.match[i + 1] != at - 1

    # ---- shifts

    def _shift(self, i: int, sign: bytes) -> None:
        tokens = self.tokens
        is_second = tokens.at(i - 1) == sign and tokens.end(i - 1) == tokens.start[i]
        if not is_second or tokens.at(i - 2) in (sign, b"operator", b"."):
            return
        if tokens.at(i + 1) in (sign, b"."):
            return
        if sign == b">" and self._closes_templates(i):
            return
        if tokens.at(i + 1) == b"=" and tokens.start[i + 1] == tokens.end(i):
            if not self._is_small(i + 2):
                tokens.insert(tokens.end(i + 1), " sim_shift{} %=")
        elif not self._is_small(i + 1):
            mark = (sign + sign).decode()
            tokens.insert(tokens.end(i), f"sim_shift{{}}{mark}")

    def _closes_templates(self, i: int) -> bool:
        tokens = self.tokens
        opened = tokens.angle_back(i)
        return opened is not None and b"<" not in (tokens.at(opened - 1), tokens.at(opened + 1))

    def _is_small(self, i: int) -> bool:
        """Is the number to shift by fewer than 32, in the text of the program?"""
        after = self.tokens.at(i + 1)
        ends = after not in (b"*", b"/", b"%", b"+", b"-")
        return bool(SMALL.fullmatch(self.tokens.at(i))) and ends
