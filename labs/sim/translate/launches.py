"""Launches: k<<<grid, block>>>(a) becomes ((void)sizeof((k(a), 0)), sim_kernel(...).on(...)(a)).

A kernel that its name alone does not determine, because it is a template, overloaded, or called
without its default arguments, gets a companion beside it:

    template <class T> auto k_sim_kernel(T *p, int n = 1) -> void (*)(T *p, int n);

It is never defined. decltype(k_sim_kernel(a)) is the type of the instance that k(a) would call, and
a cast of `k` to that type is its address.
"""

from __future__ import annotations

from dataclasses import dataclass

from expanded import quoted
from tokens import Tokens

UNCLEAR = (
    "this kernel launch could not be understood: it should read "
    "kernel<<<grid, block>>>(arguments); is a parenthesis missing?"
)
NESTED = (
    "a kernel that launches a kernel (dynamic parallelism): the simulator does not support it; "
    "launch it from the host, or call its work as a __device__ function"
)
COMPANION = "_sim_kernel"


@dataclass(frozen=True)
class Kernel:
    """A declaration of a kernel: indices of tokens."""

    first: int  # its first token
    name: int
    template: tuple[int, int] | None  # the < and > of its template parameters
    parameters: tuple[int, int]  # the ( and )
    defaults: int  # the number of parameters that have one
    is_shadowed: bool  # a friend, an instance or a specialization of another declaration


def kernel_at(tokens: Tokens, mark: int) -> Kernel | None:
    """The kernel that a __global__ marks."""
    i = mark
    while i < len(tokens) and not (
        tokens.text[i] == b"("
        and (tokens.is_name(i - 1) or tokens.text[i - 1] == b">")
        and tokens.text[i - 1] not in (b"__attribute__", b"alignas", b"decltype", b"noexcept")
    ):
        if tokens.text[i] in (b";", b"{", b"}", b"="):
            return None
        i = tokens.past(i)
    if i >= len(tokens) or tokens.match[i] < 0:
        return None
    name = i - 1
    if tokens.text[name] == b">":
        name = (tokens.angle_back(name) or 1) - 1
    first = tokens.statement(mark)
    words = tokens.text[first:name]
    template = None
    if tokens.text[first] == b"template" and tokens.at(first + 1) == b"<":
        closed = tokens.angle(first + 1)
        template = (first + 1, closed) if closed is not None else None
    instance = b"template" in words and (template is None or template[1] == template[0] + 1)
    parts = tokens.commas(i + 1, tokens.match[i])
    defaults = sum(b"=" in tokens.text[a:b] for a, b in parts)
    is_shadowed = b"friend" in words or instance or name != i - 1 or tokens.text[name - 1] == b"::"
    return Kernel(first, name, template, (i, tokens.match[i]), defaults, is_shadowed)


def type_of(tokens: Tokens, kernel: Kernel) -> str:
    """The type of a pointer to the kernel: no default arguments."""
    types = []
    for begin, end in tokens.commas(kernel.parameters[0] + 1, kernel.parameters[1]):
        given = next((i for i in range(begin, end) if tokens.text[i] == b"="), end)
        types.append(tokens.flat(begin, given))
    return f"void (*)({', '.join(types)})"


class Launches:
    """Rewrites the launches of a program."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.kernels: dict[bytes, list[Kernel]] = {}
        for mark in tokens.words(b"__global__"):
            kernel = kernel_at(tokens, mark)
            if kernel is not None:
                self.kernels.setdefault(tokens.text[kernel.name], []).append(kernel)
        self.special = {name for name, found in self.kernels.items() if self._is_special(found)}
        self.companions: set[bytes] = set()
        self.configurations: list[tuple[int, int]] = []  # the bytes <<<...>>> of each launch

    def rewrite(self) -> None:
        tokens = self.tokens
        i = 0
        while i < len(tokens) - 2:
            # `operator<<` followed by `<` declares an operator's template arguments.
            if tokens.text[i : i + 3] == [b"<"] * 3 and tokens.at(i - 1) != b"operator":
                self._launch(i)
                i += 2
            i += 1
        for name in sorted(self.companions):
            for kernel in self.kernels[name]:
                if not kernel.is_shadowed:
                    self._companion(kernel)

    # ---- kernels that their name does not determine

    def _is_special(self, kernels: list[Kernel]) -> bool:
        own = [k for k in kernels if not k.is_shadowed]
        heads = {self.tokens.flat(*k.parameters) for k in own}
        return len(heads) > 1 or any(k.template or k.defaults for k in own)

    def _companion(self, kernel: Kernel) -> None:
        tokens = self.tokens
        first, last = kernel.parameters
        head = "template <int...> "  # g++ warns of a plain function that is never defined
        if kernel.template:
            head = "template " + tokens.flat(kernel.template[0], kernel.template[1] + 1) + " "
        name = tokens.text[kernel.name].decode(errors="surrogateescape")
        tokens.insert(
            tokens.start[kernel.first],
            f"{head}auto {name}{COMPANION}"
            f"({tokens.flat(first + 1, last)}) -> {type_of(tokens, kernel)}; ",
        )

    def _is_hidden(self, name: bytes, i: int) -> bool:
        """Does a variable or parameter of the functions around token i have the name?"""
        tokens = self.tokens
        brace, outer = tokens.up[i], i
        while brace >= 0 and not tokens.is_scope(brace):
            outer, brace = brace, tokens.up[brace]
        first = tokens.statement(outer) if outer < i else i
        return any(
            tokens.text[j] == name and tokens.declares(j) and tokens.kind[j] == "word"
            for j in range(first, i)
        )

    # ---- one launch

    def _kernel_before(self, i: int) -> int | None:
        """The first token of the expression that ends before token i."""
        tokens = self.tokens
        i -= 1
        while i >= 0:
            if tokens.text[i] == b">":
                i = (tokens.angle_back(i) or 0) - 1
            if i < 0:
                return None
            if tokens.text[i] in (b")", b"]"):
                opened = tokens.match[i]
                if opened < 0:
                    return None
                before = tokens.at(opened - 1)
                if not (tokens.is_name(opened - 1) or before in (b")", b"]", b">")):
                    return opened
                if tokens.text[i] == b")" and before == b")":
                    return opened  # if (...) (k)<<<...>>>
                i = opened - 1
                continue
            if not tokens.is_name(i):
                return None
            if tokens.at(i - 1) == b"template":
                i -= 1
            if tokens.at(i - 1) == b"::":
                if not (tokens.is_name(i - 2) or tokens.at(i - 2) == b">"):
                    return i - 1
                i -= 2
            elif tokens.at(i - 1) in (b".", b"->"):
                i -= 2
            else:
                return i
        return None

    def _closing(self, i: int) -> int | None:
        """The first of the last three > of a configuration that begins at token i."""
        tokens = self.tokens
        while i < len(tokens):
            text = tokens.text[i]
            if tokens.kind[i] == "sign" and text in (b";", b")", b"]", b"}"):
                return None
            run = i
            while tokens.at(run) == b">":
                run += 1
            if run - i >= 3 and tokens.at(run) == b"(":
                return run - 3
            if tokens.match[i] < 0 and text in (b"(", b"[", b"{"):
                return None
            i = run if run > i else tokens.past(i)
        return None

    def _launch(self, i: int) -> None:
        tokens = self.tokens
        first = self._kernel_before(i)
        closing = self._closing(i + 3)
        if first is None or closing is None or tokens.match[closing + 3] < 0:
            raise tokens.refusal(i, UNCLEAR)
        opened, closed = closing + 3, tokens.match[closing + 3]
        if any(tokens.text[j : j + 3] == [b"<"] * 3 for j in range(opened, closed)):
            raise tokens.refusal(i, UNCLEAR)
        self.configurations.append((tokens.start[i], tokens.end(closing + 2)))
        inside = tokens.around(i)
        if inside is not None and inside.is_device:
            raise tokens.refusal(first, NESTED)
        if not 2 <= len(tokens.commas(i + 3, closing)) <= 4:
            raise tokens.refusal(i, "a launch takes <<<grid, block>>> and at most two more values")
        kernel = tokens.flat(first, i)
        name = kernel.split("<")[0].split("::")[-1].strip() if "(" not in kernel else kernel
        file, line, _ = tokens.expanded.position(tokens.start[first])
        where = f"{quoted(file)}, {line}, {quoted(name)}, "
        arguments = tokens.flat(opened, closed + 1)
        is_plain = not any(
            tokens.text[j] == b"{" or tokens.kind[j] == "raw" for j in range(opened, closed)
        )
        companion = self._chosen(first, i)
        if companion is None:
            fits = f"(void)sizeof(({kernel}{arguments}, 0)), " if is_plain else ""
            tokens.insert(tokens.start[first], f"({fits}sim_kernel({where}")
            tokens.cut(tokens.start[i], tokens.end(i + 2), ").on(")
            tokens.cut(tokens.start[closing], tokens.end(closing + 2), ")")
            tokens.insert(tokens.end(closed), ")")
            return
        # A lambda may stand in no decltype: there, a parameter stands for it.
        passed = arguments if is_plain else "(static_cast<decltype(sim_a)>(sim_a)...)"
        made = f"sim_kernel({where}static_cast<decltype({companion}{passed})>({kernel}))"
        count = len(tokens.commas(opened + 1, closed))
        if count < self._parameters(i):
            made = (
                f"sim_shorter_kernel<{count}>{made[len('sim_kernel') : -1]}, "
                f"[=](auto... sim_b) {{ {kernel}(sim_b...); }})"
            )
        lines = "\n" * tokens.source.count(b"\n", tokens.start[first], tokens.start[i])
        begin, end = ("(", "") if is_plain else ("([&](auto &&...sim_a) { return ", f"{passed}; }}")
        tokens.cut(tokens.start[first], tokens.end(i + 2), f"{begin}{lines}{made}.on(")
        tokens.cut(tokens.start[closing], tokens.end(closing + 2), ")" + end)
        tokens.insert(tokens.end(closed), ")")

    def _kernel_name(self, i: int) -> int:
        """The token that is the kernel's name, in the expression that ends before token i."""
        last = i - 1
        return (self.tokens.angle_back(last) or 1) - 1 if self.tokens.text[last] == b">" else last

    def _parameters(self, i: int) -> int:
        """The greatest number of parameters of the kernels of that name with default arguments."""
        kernels = self.kernels[self.tokens.text[self._kernel_name(i)]]
        counts = [len(self.tokens.commas(k.parameters[0] + 1, k.parameters[1])) for k in kernels
                  if k.defaults]  # fmt: skip
        return max(counts, default=0)

    def _chosen(self, first: int, i: int) -> str | None:
        """The companion's name with its scope and template arguments, if the arguments select the
        kernel whose expression is first..i; else None."""
        tokens = self.tokens
        last = self._kernel_name(i)
        given = len(tokens.commas(last + 2, i - 1)) if last < i - 1 else 0
        kernel = tokens.text[last]
        if kernel not in self.special or not all(
            tokens.is_name(j) or tokens.text[j] in (b"::", b"<", b">", b",")
            for j in range(first, last)
        ):
            return None
        declared = [k for k in self.kernels[kernel] if not k.is_shadowed]
        templates = [k.template for k in declared if k.template]
        if (
            not any(k.defaults for k in declared)
            and len(templates) == len(declared)
            and len({tokens.flat(*k.parameters) for k in declared}) == 1
            and all(given >= len(tokens.commas(t[0] + 1, t[1])) for t in templates)
            and not any(b"." in tokens.text[t[0] : t[1]] for t in templates)
        ):
            return None  # fully named
        if first == last and self._is_hidden(kernel, i):
            return None
        self.companions.add(kernel)
        return tokens.flat(first, last + 1) + COMPANION + tokens.flat(last + 1, i)
