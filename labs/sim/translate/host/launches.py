"""Launches: k<<<grid, block>>>(a) becomes ((void)sizeof((k(a), 0)), sim_kernel(...).on(...)(a)).

A kernel that its name alone does not determine, because it is a template, overloaded, or called
without its default arguments, gets a companion beside it:

    template <class T> auto k_sim_kernel(T *p, int n = 1) -> void (*)(T *p, int n);

It is never defined. decltype(k_sim_kernel(a)) is the type of the instance that k(a) would call, and
a cast of `k` to that type is its address. A template with __launch_bounds__(N) gets another one
beside it, k_sim_bounds, whose type says what N of that instance is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from labs.sim.translate.reader.expanded import quoted
from labs.sim.translate.reader.program import Bounds, Program

UNCLEAR = (
    "this kernel launch could not be understood: it should read "
    "kernel<<<grid, block>>>(arguments); is a parenthesis missing?"
)
NESTED = (
    "a kernel that launches a kernel (dynamic parallelism): the simulator does not support it; "
    "launch it from the host, or call its work as a __device__ function"
)
COMPANION, BOUNDED = "_sim_kernel", "_sim_bounds"


@dataclass(frozen=True)
class Kernel:
    """A declaration of a kernel: indices of tokens."""

    first: int  # its first token
    name: int
    template: tuple[int, int] | None  # the < and > of its template parameters
    parameters: tuple[int, int]  # the ( and )
    defaults: int  # the number of parameters that have one
    is_shadowed: bool  # a friend, an instance or a specialization of another declaration


def kernel_at(program: Program, mark: int) -> Kernel | None:
    """The kernel that a __global__ marks."""
    i = mark
    while i < len(program) and not (
        program.text[i] == b"("
        and (program.is_name(i - 1) or program.text[i - 1] == b">")
        and program.text[i - 1] not in (b"__attribute__", b"alignas", b"decltype", b"noexcept")
    ):
        if program.text[i] in (b";", b"{", b"}", b"="):
            return None
        i = program.past(i)
    if i >= len(program) or program.match[i] < 0:
        return None
    name = i - 1
    if program.text[name] == b">":
        name = (program.angle_back(name) or 1) - 1
    first = program.statement(mark)
    words = program.text[first:name]
    template = None
    if program.text[first] == b"template" and program.at(first + 1) == b"<":
        closed = program.angle(first + 1)
        template = (first + 1, closed) if closed is not None else None
    instance = b"template" in words and (template is None or template[1] == template[0] + 1)
    parts = program.commas(i + 1, program.match[i])
    defaults = sum(b"=" in program.text[a:b] for a, b in parts)
    is_shadowed = b"friend" in words or instance or name != i - 1 or program.text[name - 1] == b"::"
    return Kernel(first, name, template, (i, program.match[i]), defaults, is_shadowed)


def bounds_of(program: Program, kernel: Kernel) -> Bounds | None:
    """The __launch_bounds__() in the head of a declaration."""
    first, last = program.start[kernel.first], program.start[kernel.parameters[0]]
    return next((b for b in program.bounds if first <= b.start < last), None)


def type_of(program: Program, kernel: Kernel) -> str:
    """The type of a pointer to the kernel: no default arguments."""
    types = []
    for begin, end in program.commas(kernel.parameters[0] + 1, kernel.parameters[1]):
        given = next((i for i in range(begin, end) if program.text[i] == b"="), end)
        types.append(program.flat(begin, given))
    return f"void (*)({', '.join(types)})"


class Launches:
    """Rewrites the launches of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.kernels: dict[bytes, list[Kernel]] = {}
        for mark in program.words(b"__global__"):
            kernel = kernel_at(program, mark)
            if kernel is not None:
                self.kernels.setdefault(program.text[kernel.name], []).append(kernel)
        self.special = {name for name, found in self.kernels.items() if self._is_special(found)}
        self.bounded = {n: t for n, found in self.kernels.items() if (t := self._threads(found))}
        self.companions: set[bytes] = set()

    def rewrite(self) -> None:
        program = self.program
        for i, closing in program.launches:
            self._launch(i, closing)
        for name in sorted(self.companions):
            for kernel in self.kernels[name]:
                if not kernel.is_shadowed:
                    self._companion(kernel)

    # ---- kernels that their name does not determine

    def _is_special(self, kernels: list[Kernel]) -> bool:
        own = [k for k in kernels if not k.is_shadowed]
        heads = {self.program.flat(*k.parameters) for k in own}
        return len(heads) > 1 or any(k.template or k.defaults for k in own)

    def _threads(self, kernels: list[Kernel]) -> str:
        """What the template of a kernel has in __launch_bounds__(); "" where it has none, and where
        other declarations or a specialization may have another number."""
        program = self.program
        own = [k for k in kernels if not k.is_shadowed]
        found = {b.threads if (b := bounds_of(program, k)) else b"" for k in own}
        special = any(k.template for k in kernels if k.is_shadowed)
        if len(found) != 1 or special or not all(k.template for k in own):
            return ""
        return " ".join(found.pop().decode(errors="surrogateescape").split())

    def _companion(self, kernel: Kernel) -> None:
        program = self.program
        first, last = kernel.parameters
        head = "template <int...> "  # g++ warns of a plain function that is never defined
        if kernel.template:
            head = "template " + program.flat(kernel.template[0], kernel.template[1] + 1) + " "
        name = program.text[kernel.name].decode(errors="surrogateescape")
        parameters = f"({program.flat(first + 1, last)})"
        text = f"{head}auto {name}{COMPANION}{parameters} -> {type_of(program, kernel)}; "
        if threads := self.bounded.get(program.text[kernel.name]):
            bound = f"sim_bound<(long long)({threads})>"
            text += f"{head}auto {name}{BOUNDED}{parameters} -> {bound}; "
        program.insert(program.start[kernel.first], text)

    def _is_hidden(self, name: bytes, i: int) -> bool:
        """Does a variable or parameter of the functions around token i have the name?"""
        program = self.program
        inner = list(takewhile(lambda brace: not program.is_scope(brace), program.braces(i)))
        outer = inner[-1] if inner else i
        first = program.statement(outer) if outer < i else i
        return any(
            program.text[j] == name and program.declares(j) and program.kind[j] == "word"
            for j in range(first, i)
        )

    # ---- one launch

    def _kernel_before(self, i: int) -> int | None:
        """The first token of the expression that ends before token i."""
        program = self.program
        i -= 1
        while i >= 0:
            if program.text[i] == b">":
                i = (program.angle_back(i) or 0) - 1
            if i < 0:
                return None
            if program.text[i] in (b")", b"]"):
                opened = program.match[i]
                if opened < 0:
                    return None
                before = program.at(opened - 1)
                if not (program.is_name(opened - 1) or before in (b")", b"]", b">")):
                    return opened
                if program.text[i] == b")" and before == b")":
                    return opened  # if (...) (k)<<<...>>>
                i = opened - 1
                continue
            if not program.is_name(i):
                return None
            if program.at(i - 1) == b"template":
                i -= 1
            if program.at(i - 1) == b"::":
                if not (program.is_name(i - 2) or program.at(i - 2) == b">"):
                    return i - 1
                i -= 2
            elif program.at(i - 1) in (b".", b"->"):
                i -= 2
            else:
                return i
        return None

    def _launch(self, i: int, closing: int | None) -> None:
        program = self.program
        first = self._kernel_before(i)
        if first is None or closing is None or program.match[closing + 3] < 0:
            raise program.refusal(i, UNCLEAR)
        opened, closed = closing + 3, program.match[closing + 3]
        if any(program.text[j : j + 3] == [b"<"] * 3 for j in range(opened, closed)):
            raise program.refusal(i, UNCLEAR)
        inside = program.around(i)
        if inside is not None and inside.is_device:
            raise program.refusal(first, NESTED)
        if not 2 <= len(program.commas(i + 3, closing)) <= 4:
            raise program.refusal(i, "a launch takes <<<grid, block>>> and at most two more values")
        kernel = program.flat(first, i)
        name = kernel.split("<")[0].split("::")[-1].strip() if "(" not in kernel else kernel
        file, line, _ = program.position(first)
        where = f"{quoted(file)}, {line}, {quoted(name)}, "
        arguments = program.flat(opened, closed + 1)
        is_plain = not any(
            program.text[j] == b"{" or program.kind[j] == "raw" for j in range(opened, closed)
        )
        companion = self._chosen(first, i)
        if companion is None:
            fits = f"(void)sizeof(({kernel}{arguments}, 0)), " if is_plain else ""
            program.insert(program.start[first], f"({fits}sim_kernel({where}")
            program.cut(program.start[i], program.end(i + 2), ").on(")
            program.cut(program.start[closing], program.end(closing + 2), ")")
            program.insert(program.end(closed), ")")
            return
        # A lambda may stand in no decltype: there, a parameter stands for it.
        passed = arguments if is_plain else "(static_cast<decltype(sim_a)>(sim_a)...)"
        made = f"static_cast<decltype({companion}{passed})>({kernel})"
        if program.text[self._kernel_name(i)] in self.bounded:
            made = f"decltype({companion.replace(COMPANION, BOUNDED, 1)}{passed})::of({made})"
        made = f"sim_kernel({where}{made})"
        count = len(program.commas(opened + 1, closed))
        if count < self._parameters(i):
            made = (
                f"sim_shorter_kernel<{count}>{made[len('sim_kernel') : -1]}, "
                f"[=](auto... sim_b) {{ {kernel}(sim_b...); }})"
            )
        lines = "\n" * program.source.count(b"\n", program.start[first], program.start[i])
        begin, end = ("(", "") if is_plain else ("([&](auto &&...sim_a) { return ", f"{passed}; }}")
        program.cut(program.start[first], program.end(i + 2), f"{begin}{lines}{made}.on(")
        program.cut(program.start[closing], program.end(closing + 2), ")" + end)
        program.insert(program.end(closed), ")")

    def _kernel_name(self, i: int) -> int:
        """The token that is the kernel's name, in the expression that ends before token i."""
        last = i - 1
        return (self.program.angle_back(last) or 1) - 1 if self.program.text[last] == b">" else last

    def _parameters(self, i: int) -> int:
        """The greatest number of parameters of the kernels of that name with default arguments."""
        kernels = self.kernels[self.program.text[self._kernel_name(i)]]
        counts = [len(self.program.commas(k.parameters[0] + 1, k.parameters[1])) for k in kernels
                  if k.defaults]  # fmt: skip
        return max(counts, default=0)

    def _chosen(self, first: int, i: int) -> str | None:
        """The companion's name with its scope and template arguments, if the arguments select the
        kernel whose expression is first..i; else None."""
        program = self.program
        last = self._kernel_name(i)
        given = len(program.commas(last + 2, i - 1)) if last < i - 1 else 0
        kernel = program.text[last]
        if kernel not in self.special or not all(
            program.is_name(j) or program.text[j] in (b"::", b"<", b">", b",")
            for j in range(first, last)
        ):
            return None
        declared = [k for k in self.kernels[kernel] if not k.is_shadowed]
        templates = [k.template for k in declared if k.template]
        if (
            not any(k.defaults for k in declared)
            and len(templates) == len(declared)
            and len({program.flat(*k.parameters) for k in declared}) == 1
            and all(given >= len(program.commas(t[0] + 1, t[1])) for t in templates)
            and not any(b"." in program.text[t[0] : t[1]] for t in templates)
            and kernel not in self.bounded
        ):
            return None  # fully named
        if first == last and self._is_hidden(kernel, i):
            return None
        self.companions.add(kernel)
        return program.flat(first, last + 1) + COMPANION + program.flat(last + 1, i)
