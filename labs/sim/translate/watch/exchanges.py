"""Finds where lanes of a warp may exchange values with no barrier, for a plain run to watch.

A device runs the lanes of a warp together where it can, and programs rely on it; a plain run takes
one after the other. What a kernel stores into and loads from an array with no barrier between,
under different indices, is watched: where two lanes do access one word, sim/exchange.h says so, and
lets them make these accesses together. Each thread's own words, and tiles between barriers, need
no watch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from labs.sim.translate.reader.expanded import quoted
from labs.sim.translate.reader.program import ENDS, NUMBERS, Function, Program
from labs.sim.translate.watch.local_arrays import is_local_array
from labs.sim.translate.watch.volatile_code import VOLATILE, is_in_all, volatile_functions

# What orders lanes, or hands values over by itself.
ORDERS = re.compile(
    rb"_*sync\w*|__(?:shfl|ballot|any|all|match|reduce|bar|nv_atomic|threadfence)\w*"
    rb"|atomic\w*|asm|__asm__"
)
FENCES = b"__threadfence __threadfence_block __threadfence_system".split()
SYNCTHREADS = re.compile(rb"__syncthreads\w*")
PARTS = frozenset(b"tiled_partition coalesced_threads this_grid".split())
MEMBERS = re.compile(
    rb"\w*sync\w*|shfl\w*|ballot|any|all|match_\w+|wait\w*|arrive\w*|fetch_\w+|compare_\w+"
    rb"|load|store|exchange"
)
SAME_FOR_ALL = frozenset(b"blockIdx gridDim blockDim x y z".split())
HEADS = frozenset(b"if while switch".split())
IN_TYPES = frozenset(b":: < > * & , const".split())
ASSIGNS = frozenset(b"+ - * / % & | ^".split())
MOST = 20_000  # accesses of a kernel that are compared
DEEPEST = 4  # calls

Name = tuple[bytes, str]  # which array a name means, and what it adds to the address


@dataclass(frozen=True)
class Access:
    """An access to an array. where: what its address is made of; stores, loads: what it does."""

    array: bytes
    where: str
    is_same: bool
    stores: bool
    loads: bool
    first: int
    last: int

    def meets(self, other: Access) -> bool:
        """May one lane load what another one stores, by these two?"""
        if not ((self.stores and other.loads) or (self.loads and other.stores)):
            return False
        return self.array == other.array and (self.where != other.where or self.is_same)


def watch_exchanges(program: Program, ordered: Sequence[Function]) -> None:
    """Edits the accesses. ordered: functions whose lanes are in lock step already."""
    found: dict[int, Access] = {}
    search = Search(program, {f.opened for f in ordered})
    for function in program.functions:
        if b"__global__" in function.marks:
            search.kernel(function, found)
    for at, access in sorted(found.items()):
        file, line, _ = program.position(at)
        how = int(access.loads) + 2 * int(access.stores) + 4 * at
        kind = "sim_exchange_value" if _is_assigned(program, access, found) else "sim_exchange"
        text = f"({kind}{{{quoted(file)}, {line}, {how}}}->*"
        program.insert(program.start[at], text)
        program.insert(program.end(access.last), ")")
    for end in sorted({end for at in found for end in program.loops_around(at)}):
        program.insert(program.start[end], f"sim_exchange_round({4 * end});")


def place_fences(program: Program, ordered: Sequence[Function]) -> None:
    """Tells each fence where it is in the source: g++ may make several copies of one, and the lanes
    that come to them are together. ordered: functions whose lanes know their place by marks."""
    device = [f for f in program.functions if f.may_run_on_device and f not in ordered]
    for i in program.words(*FENCES):
        is_called = program.at(i + 1) == b"(" and program.at(i + 2) == b")"
        if is_called and any(f.opened < i < f.closed for f in device):
            program.insert(program.start[i + 2], str(i))


def in_lock_step(program: Program) -> list[Function]:
    """The functions whose lanes may exchange values by volatile accesses. They do not where the
    word stands before shared arrays alone, and no such array is both stored into and loaded from
    between two barriers."""
    functions = volatile_functions(program)
    if not functions or is_in_all(program):
        return functions
    search = Search(program, set())
    return [f for f in functions if not _has_tiles_alone(program, search, f)]


def _has_tiles_alone(program: Program, search: Search, function: Function) -> bool:
    names: set[bytes] = set()
    declared: set[int] = set()
    for i in program.words(*VOLATILE):
        if function.head <= i < function.closed:
            last = program.until(i, b"[", b";", b"(", b"{", b"=")
            words = program.text[program.statement(i) : last]
            is_array = program.at(last) == b"[" and program.at(program.past_indices(last)) == b";"
            if not is_array or b"__shared__" not in words or not program.is_name(last - 1):
                return False
            names.add(program.text[last - 1])
            declared.add(last - 1)
    body = range(function.opened, function.closed)
    used = {i for i in body if program.text[i] in names} - declared
    of_block = b"this_thread_block" in program.text[function.opened : function.closed]
    for i in body:
        is_barrier = SYNCTHREADS.fullmatch(program.text[i]) or (
            program.text[i] == b"sync" and of_block
        )
        is_own = program.text[i] in search.by_name or program.text[i] in PARTS
        if is_own or (program.is_word(i) and search.orders(i) and not is_barrier):
            return False  # what may order a part of the block alone
    events = search.events(function, {}, 0) if b"__global__" in function.marks else []
    if len(events) >= MOST or not used <= {event.first for event in events if event}:
        return False
    stored: set[bytes] = set()
    loaded: set[bytes] = set()
    for event in events:
        if event is None:
            stored, loaded = set(), set()
        elif event.first in used:
            stored |= {event.array} if event.stores else set()
            loaded |= {event.array} if event.loads else set()
            if event.array in stored & loaded:
                return False
    return True


def _is_assigned(program: Program, access: Access, found: dict[int, Access]) -> bool:
    """Is it a term of what the statement stores by another one of these accesses?"""
    stores = [other for other in found.values() if other.stores and other.last < access.first]
    if access.stores or not stores:
        return False
    i = max(other.last for other in stores) + 1
    while i < access.first and program.at(i) not in (b";", b"?"):
        i = program.past(i)
    return i == access.first


def _repeat(events: list[Access | None], first: int) -> None:
    """Adds those from `first` on once more, up to MOST: nested loops double them each time."""
    events += events[first : first + max(MOST - len(events), 0)]


class Search:
    def __init__(self, program: Program, skipped: set[int]) -> None:
        self.program = program
        self.skipped = skipped
        self.by_name: dict[bytes, Function] = {}
        self.parameters: dict[int, list[tuple[int, int]]] = {}
        for function in program.functions:
            opened = program.parameters(function)
            if opened is not None:
                self.parameters[function.opened] = program.commas(opened + 1, program.match[opened])
                self.by_name.setdefault(program.text[opened - 1], function)
        self.globals: dict[bytes, Name] = {}
        self.scalars: set[bytes] = set()  # arrays of one element
        for i in program.words(b"__device__", b"__shared__", b"__managed__"):
            if program.is_global(i):
                self._declared(i, self.globals, b"")

    def kernel(self, kernel: Function, found: dict[int, Access]) -> None:
        events = self.events(kernel, {}, 0)
        current: dict[bytes, set[Access]] = {}
        for event in events[:MOST]:
            if event is None:
                current.clear()
                continue
            others = current.setdefault(event.array, set())
            others.add(event)
            for other in others:
                if event.meets(other):
                    found[event.first], found[other.first] = event, other

    def events(
        self, function: Function, given: dict[bytes, Name], depth: int
    ) -> list[Access | None]:
        """The accesses of a function in the order of the source, a loop's twice, and None for what
        orders lanes. given: what its parameters mean."""
        program = self.program
        if function.opened in self.skipped:
            return [None]
        names = dict(self.globals)
        for first, last in self.parameters.get(function.opened, []):
            name = program.at(last - 1)
            names.pop(name, None)
            if depth == 0 and b"*" in program.text[first:last]:
                names[name] = (name, "")
        names |= given
        events: list[Access | None] = []
        own: set[bytes] = set()  # arrays of the thread
        loops: list[tuple[int, int, list[bytes], str]] = []  # end, first event, counters, head
        i = function.opened + 1
        while i < function.closed and len(events) < MOST:
            while loops and i > loops[-1][0]:
                _repeat(events, loops.pop()[1])
            text = program.text[i]
            if text in (b"for", b"while", b"do"):
                loops.append((program.statement_end(i), len(events), *self._head(i)))
            elif text == b"__shared__":
                i = self._declared(i, names, str(function.opened).encode())
            elif program.is_name(i):
                before = program.at(i - 1)
                called = program.at(i + 1) == b"("
                if called and self.orders(i):
                    events.append(None)
                elif text in self.by_name and depth < DEEPEST and before not in (b".", b"->"):
                    events += self._call(i, names, depth)
                elif program.at(i + 1) == b"=" and self._is_pointer(i):
                    self._pointer(i, names, own)
                elif is_local_array(program, i):
                    names.pop(text, None)
                    own.add(text)
                elif text in names and self._is_declared(i):
                    names.pop(text)  # another variable, of the thread
                elif text in names and before not in (b".", b"->", b"::"):
                    access = self._access(i, names[text], text in self.scalars)
                    if access is not None:
                        heads = [h for _, _, counters, h in loops if self._uses(access, counters)]
                        where = access.where + "".join(heads)
                        events.append(replace(access, where=where))
            i += 1
        while loops:
            _repeat(events, loops.pop()[1])
        return events

    # ---- names

    def _declared(self, i: int, names: dict[bytes, Name], scope: bytes) -> int:
        """Adds the variables that a statement with a memory space declares. Returns its end."""
        program = self.program
        last = i
        while last < len(program) and program.text[last] not in (b";", b"{", b"("):
            after = program.past(last)
            if program.is_name(last) and program.at(last + 1) in (b"[", b";", b",", b"="):
                name = program.text[last]
                names[name] = (name + b"@" + scope, "")
                if program.at(last + 1) != b"[":
                    self.scalars.add(name)
                after = program.past_indices(after)
            last = after
        return last

    def _is_pointer(self, i: int) -> bool:
        """Is a pointer declared at token i?"""
        program = self.program
        if program.at(i - 1) != b"*" or program.declares(i):
            return program.at(i - 1) in (b"*", b"__restrict__", b"restrict")
        return self._is_declared(i)

    def _is_declared(self, i: int) -> bool:
        """Is a variable declared at token i, or a parameter of a lambda?"""
        program = self.program
        if program.is_name(i - 1):
            return True
        first = program.statement(i)
        while (
            program.at(first) == b"," and program.match[first - 1] >= 0
        ):  # int a[4] = {}, *p = ...
            first = program.statement(program.match[first - 1])
        opener, outer, after = program.at(first - 1), program.at(first - 2), program.at(first + 1)
        is_head = outer == b"for" or (outer in HEADS and program.at(i + 1) == b"=")
        if opener == b"(" and outer == b"]":
            return program.declares(i)
        if not program.is_name(first) or not (opener in ENDS or (opener == b"(" and is_head)):
            return False
        before = i - 1
        while program.at(before) in (b"*", b"&", b"const"):
            before -= 1
        if program.at(before) == b",":
            if after == b"(":  # int (*rows)[32] = m, *p = ...
                closed = program.match[first + 1]
                return program.at(first + 2) in (b"*", b"&") and program.at(closed + 1) == b"["
            second = (program.angle(first + 1) or first) + 1 if after == b"<" else first + 1
            return program.is_name(second) or program.at(second) in (b"*", b"&")
        return i > first + 1 and all(
            program.is_name(k) or program.kind[k] == "number" or program.text[k] in IN_TYPES
            for k in range(first, i)
        )

    def _pointer(self, i: int, names: dict[bytes, Name], own: set[bytes]) -> None:
        """Adds a pointer that is set to something at its declaration."""
        program = self.program
        last = program.until(i + 2, b";", b",")
        name = program.text[i]
        meant = self._meant(i + 2, last, names)
        names.pop(name, None)
        if own.isdisjoint(program.text[i + 2 : last]):
            names[name] = meant or (name + b"@" + str(i).encode(), "own")

    def _meant(self, first: int, last: int, names: dict[bytes, Name]) -> Name | None:
        """The array that an address is in."""
        program = self.program
        for k in range(first, last):
            name = names.get(program.text[k])
            if name is not None and program.at(k - 1) not in (b".", b"->", b"::"):
                offset = "" if last == first + 1 else f"({program.flat(first, last)})"
                return name[0], name[1] + offset
        return None

    def _call(self, i: int, names: dict[bytes, Name], depth: int) -> list[Access | None]:
        program = self.program
        opened = i + 1
        if program.at(opened) == b"<":
            opened = (program.angle(opened) or i) + 1
        function = self.by_name[program.text[i]]
        if program.at(opened) != b"(":
            return []
        given: dict[bytes, Name] = {}
        arguments = program.commas(opened + 1, program.match[opened])
        parameters = self.parameters[function.opened]
        for (first, last), (_, end) in zip(arguments, parameters, strict=False):
            meant = self._meant(first, last, names)
            if meant is not None and program.is_name(end - 1):
                given[program.text[end - 1]] = meant
        return self.events(function, given, depth + 1) if given else self._only_orders(function)

    def _only_orders(self, function: Function) -> list[Access | None]:
        body = range(function.opened, function.closed)
        return [None] if any(self.orders(k) for k in body if self.program.is_word(k)) else []

    # ---- accesses

    def orders(self, i: int) -> bool:
        program = self.program
        words = MEMBERS if program.at(i - 1) in (b".", b"->") else ORDERS
        return bool(words.fullmatch(program.text[i]))

    def _access(self, i: int, name: Name, is_scalar: bool) -> Access | None:
        program = self.program
        first = last = i
        if program.at(i) in NUMBERS:
            return None  # a type, which a parameter without a name has
        if program.at(i + 1) == b"[":
            while program.at(last + 1) == b"[":
                last = program.match[last + 1]
        elif not is_scalar and program.at(i - 1) == b"*" and not self._is_operand(i - 2):
            first = i - 1
        elif (
            not is_scalar
            and program.text[i - 2 : i] == [b"*", b"("]
            and not self._is_operand(i - 3)
        ):
            first, last = i - 2, program.match[i - 1]
        elif not is_scalar:
            return None
        after = last + 1
        is_behind = program.at(after) in (b".", b"->", b"[", b"(") or (
            program.at(after) in (b"+", b"-") and program.at(after + 1) == program.at(after)
        )
        if first < i and is_behind:
            return None  # *p++ is *(p++)
        if last < i or self._takes_address(first - 1):
            return None
        while program.at(after) == b"." and program.is_word(after + 1):
            after += 2
        sign, second = program.at(after), program.at(after + 1)
        if sign == b"(":
            return None
        is_step = (sign in (b"+", b"-") and second == sign) or (
            program.at(first - 1) in (b"+", b"-") and program.at(first - 2) == program.at(first - 1)
        )
        is_shift = sign in (b"<", b">") and second == sign and program.at(after + 2) == b"="
        joins = is_step or is_shift or (sign in ASSIGNS and second == b"=")
        sets = sign == b"=" and second != b"="
        where = name[1] + program.flat(first, last + 1).replace(program.text[i].decode(), "", 1)
        names = set(re.findall(rb"[A-Za-z_]\w*", where.encode(errors="surrogateescape")))
        is_same = names <= SAME_FOR_ALL
        return Access(name[0], where, is_same, joins or sets, not sets, first, last)

    def _is_operand(self, i: int) -> bool:
        """Does a number, or a type, end at token i, so that a * behind it takes no value?"""
        program = self.program
        ends = program.is_word(i) and program.at(i) != b"return"
        return ends or program.kind[i] == "number" or program.at(i) in (b")", b"]")

    def _takes_address(self, i: int) -> bool:
        """Is token i a & that is no operator between two numbers?"""
        program = self.program
        before = program.at(i - 1)
        if program.at(i) != b"&" or before in (b"]", b"&") or program.kind[i - 1] == "number":
            return False
        if before == b")":  # perhaps of a cast
            opened = program.match[i - 1]
            inner = range(opened + 1, i - 1)
            names = all(program.is_name(k) or program.at(k) in (b"*", b"::") for k in inner)
            return names and not program.is_name(opened - 1)
        return not program.is_name(i - 1)

    # ---- loops

    def _head(self, i: int) -> tuple[list[bytes], str]:
        """The counters of a for loop, and its head."""
        program = self.program
        if program.text[i] != b"for" or program.at(i + 1) != b"(":
            return [], ""
        closed = program.match[i + 1]
        parts = [k for k in range(i + 2, closed) if program.text[k] == b"="]
        counters = [program.text[k - 1] for k in parts if program.is_name(k - 1)]
        return counters, program.flat(i + 1, closed)

    def _uses(self, access: Access, counters: list[bytes]) -> bool:
        return any(word in counters for word in self.program.text[access.first : access.last + 1])
