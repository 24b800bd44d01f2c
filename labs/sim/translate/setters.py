"""What sets a variable in device code: an assignment, ++ and --, or a call of a function that does.

For evaluation_order.py. A function counts if it stores through a pointer or a reference that it is
given, or sets a variable of the file; a lambda without marks, if it sets any.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokens import Function, Tokens

MEMBERS = (b".", b"->", b"::")
DEPTH = 3  # of calls in calls that set a variable of the file
ARITHMETIC = frozenset(b"+ - * / % & | ^".split())
NONE: frozenset[bytes] = frozenset()


class Setters:
    """inside: the tokens of device code. of(): the variables that some of them set."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        device = [f for f in tokens.functions if f.may_run_on_device]
        self.changing = {name for f in device for name in [_changes(tokens, f)] if name}
        self.inside = sorted({i for f in device for i in range(f.opened + 1, f.closed)})
        self._set = {i: frozenset([tokens.text[i]]) for i in self.inside if self._is_set(i)}
        self._by_calls(device)

    def of(self, some: Iterable[int]) -> frozenset[bytes]:
        return NONE.union(*(self._set.get(i, NONE) for i in some))

    def certainly_of(self, some: Iterable[int]) -> frozenset[bytes]:
        """Without those whose address alone is taken, as in __ldg(&j)."""
        return self.of(i for i in some if not self._is_place(i))

    def _is_place(self, i: int) -> bool:
        tokens = self.tokens
        return tokens.at(i - 1) == b"&" and not (
            ends_operand(tokens, i - 2)
            or assigns(tokens, i + 1)
            or _called(tokens, i) in self.changing
        )

    def acts(self, i: int) -> bool:
        """Does token i change a variable, or call what may?"""
        text = self.tokens.text[i]
        if text in (b"+", b"-"):
            return self.tokens.at(i + 1) == text and is_step(self.tokens, i)
        if not self.tokens.is_name(i) or self.tokens.at(i + 1) != b"(":
            return False
        return text in self.changing or text.startswith(b"atomic") or i in self._set

    def _by_calls(self, device: list[Function]) -> None:
        """Adds what calls set beside their arguments."""
        tokens, outside = self.tokens, _of_the_file(self.tokens)
        bodies: list[tuple[bytes, range, frozenset[bytes] | None]] = [
            (_name(tokens, f), range(f.opened, f.closed), outside) for f in device
        ]
        bodies += [(tokens.text[at], body, None) for at, body in self._lambdas()]
        sets: dict[bytes, frozenset[bytes]] = {}
        for _ in range(DEPTH):
            for name, body, known in bodies:
                found = self.of(body)
                sets[name] = sets.get(name, NONE) | (found if known is None else found & known)
            for i in self.inside:
                if tokens.at(i + 1) == b"(" and sets.get(tokens.text[i]):
                    self._set[i] = sets[tokens.text[i]]

    def _lambdas(self) -> list[tuple[int, range]]:
        """The name and the body of each `name = [...] ... {...}`."""
        found, tokens = [], self.tokens
        for i in self.inside:
            if tokens.text[i] == b"[" and tokens.at(i - 1) == b"=" and tokens.is_name(i - 2):
                opened = tokens.past(i)
                while tokens.at(opened) not in (b"{", b";", b"}", b""):
                    opened = tokens.past(opened)
                if tokens.at(opened) == b"{":
                    found.append((i - 2, range(opened, tokens.match[opened])))
        return found

    def _is_set(self, i: int) -> bool:
        """Is the variable at i set there, or handed to a function that may?"""
        tokens = self.tokens
        before, sign = tokens.at(i - 1), tokens.at(i + 1)
        if not tokens.is_name(i):
            return False
        if before in (b"+", b"-") and tokens.at(i - 2) == before and is_step(tokens, i - 2):
            return True
        if before == b"&" and not ends_operand(tokens, i - 2):
            return sign not in (b"->", b"[")  # that is the address of another
        if before in (b"(", b",") and sign in (b")", b",") and _called(tokens, i) in self.changing:
            return True
        return (sign in (b"+", b"-") and is_step(tokens, i + 1)) or assigns(tokens, i + 1)


def is_step(tokens: Tokens, i: int) -> bool:
    """Do the signs at i and behind it make ++ or --?"""
    return tokens.at(i + 1) == tokens.text[i] and tokens.start[i + 1] == tokens.end(i)


def assigns(tokens: Tokens, i: int) -> bool:
    """Is = or its like at token i?"""
    sign = tokens.at(i)
    is_shift = sign in (b"<", b">") and tokens.at(i + 1) == sign
    behind = tokens.at(i + 2) if is_shift else tokens.at(i + 1)
    if sign == b"=":
        return behind != b"="
    return behind == b"=" and (is_shift or sign in ARITHMETIC)


def ends_operand(tokens: Tokens, i: int) -> bool:
    is_word = tokens.is_name(i) and tokens.at(i) != b"return"
    return is_word or tokens.kind[i] == "number" or tokens.at(i) in (b")", b"]")


def _of_the_file(tokens: Tokens) -> frozenset[bytes]:
    """The variables outside of functions, and other names before a = or a comma."""
    found, i = set(), 0
    while i < len(tokens):
        if tokens.is_name(i) and tokens.at(i + 1) in (b"=", b";", b"[", b","):
            found.add(tokens.text[i])
        i = i + 1 if tokens.text[i] == b"{" and tokens.is_scope(i) else tokens.past(i)
    return frozenset(found)


def _called(tokens: Tokens, i: int) -> bytes:
    """What the innermost brackets around token i are the arguments of."""
    k = i - 1
    while k >= 0 and tokens.match[k] < i:
        k -= 1
    return tokens.at(k - 1)


def _name(tokens: Tokens, function: Function) -> bytes:
    opened = tokens.parameters(function)
    return tokens.at(opened - 1) if opened else b""


def _changes(tokens: Tokens, function: Function) -> bytes:
    """The name of a function that stores through a pointer or a reference; else nothing."""
    opened = tokens.parameters(function)
    if opened is None or not tokens.is_name(opened - 1):
        return b""
    for first, last in tokens.commas(opened + 1, tokens.match[opened]):
        words = tokens.text[first:last]
        is_open = (b"*" in words or b"&" in words) and b"const" not in words
        if is_open and any(
            tokens.text[k] == words[-1] and _is_stored(tokens, k)
            for k in range(function.opened, function.closed)
        ):
            return tokens.text[opened - 1]
    return b""


def _is_stored(tokens: Tokens, i: int) -> bool:
    """Is what the name at i points to assigned, or is the name handed on?"""
    if tokens.at(i - 1) in (b"(", b",") and tokens.at(i + 1) in (b",", b")"):
        return True
    k = i - 1
    while tokens.at(k) in (b"*", b"("):
        k -= 1
    if k < i - 1 and tokens.at(k) in (b"+", b"-") and is_step(tokens, k - 1):
        return True  # ++*p
    k = i + 1
    while tokens.at(k) in (b"[", b".", b"->", b")"):
        k = tokens.past(k) + (tokens.text[k] in (b".", b"->"))
    sign = tokens.at(k)
    if sign in (b"+", b"-", b"*", b"/", b"%", b"&", b"|", b"^", b"<", b">"):
        k += 1 + (tokens.at(k + 1) == sign)
        steps = sign in (b"+", b"-") and tokens.at(k - 1) == sign and k > i + 2
        return steps or tokens.at(k) == b"="
    return sign == b"=" and tokens.at(k + 1) != b"="
