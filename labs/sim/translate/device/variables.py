"""Variables in a memory space: __shared__, __constant__, __device__ and __managed__."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass

from labs.sim.translate.reader.definitions import at_run_time
from labs.sim.translate.reader.expanded import quoted
from labs.sim.translate.reader.program import BEFORE_MAIN, Program

SECTIONS = {
    b"__constant__": "sim_constant",
    b"__device__": "sim_device",
    b"__managed__": "sim_managed",
}
# Variables that begin as zeros take no room in a file: the assembler is told so in the section's
# name, and its comment sign hides what g++ writes after the name.
ZERO = 'sim_device_zero,\\"aw\\",' + (
    "%nobits//" if platform.machine() == "aarch64" else "@nobits#"
)
# Types whose variables are zero unless they have an initial value.
PLAIN_TYPE = re.compile(
    rb"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]|u?int(?:8|16|32|64)_t|size_t"
    rb"|int|float|double|char|short|long|unsigned|signed|bool"
)
NOT_TYPES = (b"static", b"volatile", b"__device__")
SPACES = (b"__shared__", *SECTIONS)
ALIGNED = (b"aligned", b"__aligned__", b"alignas")
STORAGE = (b"static", b"extern")
INLINE = (b"inline", b"__inline__", b"__inline")
# Of a kernel whose __shared__ variables take too much; compiler_messages.py of the grader adds the
# number of bytes, which only the compiler knows.
TOO_MUCH_SHARED = (
    "static shared memory: {names} more than the limit of a block, 49152 bytes (48 KB): use a "
    "smaller tile, or declare it extern __shared__ and ask for its bytes with "
    "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)"
)

# A variable template: g++ ignores the section of a copy, so the assembler makes room for it there.
VARIABLE_TEMPLATE = (
    "{head} struct {it}_sim_template {{ typedef {type}; "
    '__attribute__((visibility("hidden"))) static {it}_sim_type storage; '
    "__attribute__((used, noinline, noclone)) static void room() {{ "
    'asm(".pushsection {section},\\"aw\\"\\n'
    ".balign 16\\n.rept %c2\\n.byte 0\\n.endr\\n.weak %c0\\n%c0: .zero %c1\\n"
    '.popsection" :: "i"(&storage), "i"(sizeof storage), "i"(sim_variable_gap)); }} '
    "static inline sim_registered_variable variable{{"
    '"{it}", {file}, {line}, (const void *)&storage, sizeof storage}}; }}; '
    "{head} constexpr auto &{it} = ((void)&{it}_sim_template<{args}>::room, "
    "(void)&{it}_sim_template<{args}>::variable, {it}_sim_template<{args}>::storage);"
)
NO_TEMPLATE = (
    "the simulator does not support this variable template with {}, as one with an initial value: "
    "write one variable for each type that the program uses"
)
SCOPE = "{} does not apply to {}: declare the variable outside of it, at the scope of the file"
RUN_TIME_SIZE = (
    "the size of the __shared__ array {} must be a constant, and {} is known only when the kernel "
    "runs: use a constant (constexpr, #define, a template parameter), or declare the array extern "
    "__shared__ and give its bytes in the launch, k<<<grid, block, bytes>>>()"
)


@dataclass(frozen=True)
class Declaration:
    """A variable's declaration: indices of tokens."""

    first: int
    last: int  # the ;
    marks: dict[bytes, int]  # specifiers before, between or after the type: const, static, ...
    names: list[int]  # of the variables


class Variables:
    """Rewrites the variables of a program. is_traced: there are gaps between them. own_copies: no
    other file uses them, as in nvcc without -rdc."""

    def __init__(self, program: Program, is_traced: bool, own_copies: bool = False) -> None:
        self.program = program
        self.is_traced = is_traced
        self.own_copies = own_copies
        self.done: set[int] = set()
        self.bound: set[tuple[str, int]] = set()  # __shared__ names of a file, and their scopes
        self.total: dict[int, str] = {}  # of the scope that a { opens: the constant with its bytes
        # The same of its __shared__ variables, and their names.
        self.total_shared: dict[int, tuple[str, list[str]]] = {}

    def rewrite(self) -> None:
        for mark in self.program.words(*SPACES):
            declaration = self._declaration(mark)
            if declaration is None or declaration.first in self.done:
                continue
            self.done.add(declaration.first)
            self._refuse_scope(declaration, mark)
            if self.program.text[declaration.first] == b"template":
                self._template(declaration, mark)
            elif b"__shared__" in declaration.marks:
                self._shared(declaration)
            else:
                self._in_section(declaration)
        if self.is_traced:
            self._statics()

    def _statics(self) -> None:
        """A local variable of a device function that is static is in the device's memory, too."""
        program = self.program
        device = [f for f in program.functions if f.may_run_on_device]
        for i in program.words(b"static"):
            last = program.until(i, b";", b"=", b"(", b"{")
            words = {b"const", b"constexpr", *SPACES}.intersection(program.text[i:last])
            if not words and any(f.opened < i < f.closed for f in device):
                self._note_static(i)

    def _note_static(self, first: int) -> None:
        """Tells the checks where the variables are: g++ gives those of templates no section."""
        program = self.program
        last = program.until(first + 1, b";")
        begin = program.until(first + 1, b"<", b"=", b"(", b"[", b"{")
        is_type = begin < last and program.text[begin] == b"<"
        begin = (program.angle(begin) or first) + 1 if is_type else first + 1
        for name in (self._name(*part) for part in program.commas(begin, last)):
            if name is not None:
                it = program.text[name].decode()
                file, line, _ = program.position(name)
                note = f'sim_note_static("{it}", {quoted(file)}, {line}, (const void *)&{it}, '
                program.insert(program.end(last), f" {note}sizeof {it});")

    def _refuse_scope(self, declaration: Declaration, mark: int) -> None:
        """Refuses a member of a class, and a variable on the stack of a function."""
        program, marks = self.program, declaration.marks
        if program.is_global(declaration.first) or any(word in marks for word in (
            *STORAGE, b"constexpr", b"const")):  # fmt: skip
            return
        brace = program.up[declaration.first]
        space, head = program.text[mark].decode(), program.statement(brace)
        if self._is_type(head, brace) and b"(" not in program.text[head:brace]:
            raise program.refusal(mark, SCOPE.format(space, "a member of a class"))
        if b"__shared__" not in marks:
            raise program.refusal(mark, SCOPE.format(space, "a local variable of a function"))

    def declares(self, mark: int) -> bool:
        """Does the mark belong to a variable, not to a function?"""
        return self._declaration(mark) is not None

    # ---- reading a declaration

    def _declaration(self, mark: int) -> Declaration | None:
        """The variables' declaration that holds the mark; None for a function's or a lambda."""
        program = self.program
        i = first = program.statement(mark)
        marks: dict[bytes, int] = {}
        assigned = False
        while i < len(program) and program.text[i] != b";":
            text = program.text[i]
            if i == mark and assigned:
                return None  # a lambda's
            if text == b"," and program.kind[i] == "sign":
                assigned = False
            elif text == b"=":
                assigned = True
            elif not assigned and program.is_word(i):
                marks.setdefault(text, i)
                if text == b"operator":
                    return None
            if not assigned and text == b"(" and self._begins_parameters(i):
                return None
            if not assigned and text == b"{" and i > mark and not self._is_type(first, i):
                before = program.text[i - 1]
                if before in (b")", b"const", b"noexcept", *SPACES, b"__host__"):
                    return None  # a function or lambda
            if text == b"<" and not assigned and program.is_name(i - 1):
                i = program.angle(i) or i
            if text in (b"}", b")", b"]"):
                self._unclear(mark)
                return None
            i = program.past(i)
        names = [self._name(begin, end) for begin, end in program.commas(first, i)]
        if program.at(first) in (b"typedef", b"using", b"friend"):
            return None
        known = [name for name in names if name is not None]
        if i >= len(program) or not known or len(known) < len(names):
            self._unclear(mark)
            return None
        return Declaration(first, i, marks, known)

    def _unclear(self, mark: int) -> None:
        """A __device__ may be a function's; any other mark stands only in variables."""
        space = self.program.text[mark]
        if space != b"__device__":
            message = f"this {space.decode()} variable could not be understood"
            raise self.program.refusal(mark, message)

    def _is_type(self, first: int, opened: int) -> bool:
        """Is the { the body of a struct, in a declaration that begins at first?"""
        words = self.program.text[first:opened]
        return any(word in words for word in (b"struct", b"class", b"union", b"enum"))

    def _begins_parameters(self, i: int) -> bool:
        """Is the ( that of a function's parameters?"""
        program = self.program
        before, after = program.text[i - 1], program.at(i + 1)
        if before in (b"__attribute__", b"alignas", b"decltype", b"__typeof__", b"typeof"):
            return False
        if after in (b"*", b"&") or program.kind[i + 1] in ("number", "string"):
            return False  # a pointer to a function or an array; a value
        if before in (b"]", *SPACES, b"__host__"):
            return True  # a lambda
        return program.is_name(i - 1) or before == b">"

    def _name(self, begin: int, end: int) -> int | None:
        """The token that is the name of the variable declared by the tokens begin..end."""
        program = self.program
        name: int | None = None
        i = begin
        while i < end:
            text = program.text[i]
            if text == b"=" or (text in (b"[", b"{") and name is not None
                                and not self._is_type(begin, i)):  # fmt: skip
                break
            if text in (b"__attribute__", b"alignas", b"decltype", b"__typeof__"):
                i = program.past(i + 1)
                continue
            if text == b"[" and name is not None:
                break
            if text == b"(" and program.at(i + 1) in (b"*", b"&"):
                inner = [j for j in range(i, program.match[i]) if program.is_name(j)
                         and program.text[j] not in (b"const", b"volatile")]  # fmt: skip
                return inner[0] if inner else i
            if text == b"(" and name is not None:
                break
            if text == b"<" and program.is_name(i - 1):
                i = program.angle(i) or i
            elif program.is_name(i) and text not in SPACES and text not in (b"const", b"volatile"):
                name = i
            i = program.past(i)
        return name

    # ---- __constant__, __device__, __managed__

    def _in_section(self, declaration: Declaration) -> None:
        """Puts it into the section of its space, without `const`: the runtime writes to it."""
        program, marks = self.program, declaration.marks
        spaces = [mark for mark in SECTIONS if mark in marks]
        space = next(s for s in (b"__managed__", b"__constant__", b"__device__") if s in spaces)
        for other in spaces:
            if other != space:
                program.blank(marks[other])
        if b"constexpr" in marks:
            program.blank(marks[space])
            return
        shape = program.text[declaration.first : declaration.last]
        if b"=" in shape:
            shape = shape[: shape.index(b"=")]
        if b"const" in marks and b"*" not in shape:
            if space == b"__device__" and b"[" not in shape:
                program.blank(marks[space])  # it may serve as a constant expression
                return
            program.blank(marks[b"const"])
        if b"extern" in marks and b"=" not in program.text[declaration.first : declaration.last]:
            program.blank(marks[space])
            return
        section = ZERO if space == b"__device__" and self._is_zero(declaration) else SECTIONS[space]
        weak = self._weak(declaration)
        own = self.own_copies and not weak and program.is_global(declaration.first)
        own = own and not any(program.at(name - 1) == b"::" for name in declaration.names)
        static = "static " if own and not any(word in marks for word in STORAGE) else ""
        program.replace(marks[space], f'{static}__attribute__((used, {weak}section("{section}")))')
        after = program.end(declaration.last)
        in_class = not program.is_global(declaration.first)
        for name in declaration.names:
            it = program.text[name].decode(errors="surrogateescape")
            is_qualified = program.at(name - 1) == b"::"
            if not in_class and not is_qualified:
                file, line, _ = program.position(name)
                gap = (
                    f' __attribute__((used, section("{section}"))) static char '
                    f"{it}_sim_gap[sim_variable_gap];"
                )
                program.insert(
                    after,
                    f"{gap if self.is_traced else ''} {BEFORE_MAIN} static sim_registered_variable "
                    f'{it}_sim_variable("{it}", {quoted(file)}, {line}, (const void *)&{it}, '
                    f"sizeof {it});",
                )
            limit, why = "sim_variable_bytes", "the simulator has no __device__ variable above "
            why += "1.75 GB: use cudaMalloc()"
            if space == b"__constant__":
                limit, why = "sim_constant_bytes", "a device has 65536 bytes of __constant__ memory"
            if not is_qualified and (not in_class or program.around(name) is not None):
                program.insert(after, f' static_assert(sizeof({it}) <= {limit}, "{why}");')
            if not is_qualified and not in_class and space != b"__constant__":
                self._add_up(it, program.up[declaration.first], after)

    def _template(self, declaration: Declaration, mark: int) -> None:
        """template <class T> __constant__ T a[N];  ->  a template of a struct that holds it"""
        program, first, last = self.program, declaration.first, declaration.last
        space, closed = program.text[mark], program.angle(declaration.first + 1)
        shape = program.text[(closed or first) + 1 : last]
        is_plain = closed is not None and not any(word in shape for word in (b"=", b"{", b"extern"))
        is_plain = is_plain and space in SECTIONS and program.is_global(first)
        if closed is None or not is_plain or len(declaration.names) > 1 or closed == first + 2:
            raise program.refusal(mark, NO_TEMPLATE.format(space.decode()))
        name = declaration.names[0]
        it = program.text[name].decode(errors="surrogateescape")
        args = []
        for begin, end in program.commas(first + 2, closed):
            words = program.text[begin:end]
            words = words[: words.index(b"=")] if b"=" in words else words
            args.append(words[-1].decode() + ("..." if b"." in words else ""))
        left_out = (*SPACES, *STORAGE, *INLINE)
        kind = " ".join(
            f"{it}_sim_type" if i == name else program.text[i].decode(errors="surrogateescape")
            for i in range(closed + 1, last) if program.text[i] not in left_out
        )  # fmt: skip
        file, line, _ = program.position(name)
        text = VARIABLE_TEMPLATE.format(
            head=program.flat(first, closed + 1), it=it, type=kind, section=SECTIONS[space],
            file=quoted(file), line=line, args=", ".join(args))  # fmt: skip
        start, end = program.start[first], program.end(last)
        program.cut(start, end, text + "\n" * program.source.count(b"\n", start, end))

    def _add_up(self, name: str, scope: int, at: int) -> None:
        """Adds a variable to the bytes of those before it in its scope, which have a limit."""
        before = self.total.get(scope, "0")
        self.total[scope] = total = f"{name}_sim_total"
        why = f"{name} and the __device__ variables before it take more than 1.9 GB, which the "
        why += "simulator does not have for them: use cudaMalloc()"
        self.program.insert(
            at,
            f" static constexpr size_t {total} = {before} + sizeof({name});"
            f" static_assert({before} > sim_variables_bytes || {total} <= sim_variables_bytes, "
            f'"{why}");',
        )

    def _weak(self, declaration: Declaration) -> str:
        """The attribute that takes the place of `inline`, which it removes: g++ lets no variable
        that may be defined again share a section with others, unless it is weak."""
        program, marks = self.program, declaration.marks
        words = [word for word in INLINE if word in marks]
        if not words or not program.is_global(declaration.first):
            return ""
        for word in words:
            program.blank(marks[word])
        return "" if b"static" in marks else "weak, "

    def _is_zero(self, declaration: Declaration) -> bool:
        """Is it certain that these variables begin as zeros, and are defined once?"""
        program = self.program
        i = declaration.first
        while i < declaration.last:
            if program.text[i] in (b"=", b"{", b"(", b"::") or (
                program.is_word(i) and i not in declaration.names
                and program.text[i] not in NOT_TYPES
                and not PLAIN_TYPE.fullmatch(program.text[i])):  # fmt: skip
                return False
            i = program.past(i)
        return program.is_global(declaration.first)

    # ---- __shared__

    def _shared(self, declaration: Declaration) -> None:
        """__shared__ T a[N], b;  ->  typedef T a_sim_type[N], b_sim_type; and two references."""
        program, marks = self.program, declaration.marks
        align = "16"
        program.replace(marks[b"__shared__"], "typedef")
        for word in (*STORAGE, b"__device__", b"__volatile__"):
            if word in marks:
                program.blank(marks[word])
        for i in range(declaration.first, declaration.last):
            text = program.text[i]
            if text in (b"__attribute__", b"alignas") and program.match[i + 1] > i and (
                not self._is_type(declaration.first, i)):  # fmt: skip
                align = self._alignment(i) or align
                program.blank(i, program.match[i + 1])
        after = program.end(declaration.last)
        for name in declaration.names:
            it = program.text[name].decode(errors="surrogateescape")
            if self._is_initialised(name, declaration.last):
                raise program.refusal(name, "a __shared__ variable cannot have an initial value")
            if (unknown := at_run_time(program, name + 1)) is not None:
                raise program.refusal(name, RUN_TIME_SIZE.format(it, unknown))
            kind = f"{it}_sim_type"
            program.insert(program.end(name), "_sim_type")
            if b"extern" in marks:
                element = f"sizeof(std::remove_all_extents_t<{kind}>)"
                bound = f' {kind} &{it} = *({kind} *)sim_dynamic_shared("{it}", {element});'
            else:
                file, line, _ = program.position(name)
                program.insert(after, f" struct {it}_sim_tag;")
                bound = (
                    f" {kind} &{it} = sim_shared<{it}_sim_tag, {kind}>"
                    f'("{it}", {quoted(file)}, {line}, {align});'
                )
            is_static = b"extern" not in marks
            if program.is_global(declaration.first):
                is_again = (it, program.up[name]) in self.bound and not is_static
                self.bound.add((it, program.up[name]))
                is_used = not is_again and self._bind_where_used(name, bound)
                if is_static and is_used:
                    self._limit_shared(it, f"sizeof({kind})", [it], after)
            else:
                program.insert(after, bound)
                brace = program.up[declaration.first]
                if is_static and self._is_used(it, declaration.last):
                    self._add_up_shared(it, kind, declaration.first, after)
                if brace >= 0 and program.match[brace] > 0:
                    self._capture(it, declaration.last, program.match[brace])

    def _add_up_shared(self, name: str, kind: str, declared: int, at: int) -> None:
        """Adds a variable to the bytes of the function's __shared__ variables before it that its
        scope sees. As in nvcc, together they must fit."""
        program = self.program
        function = program.around(declared)
        scope = outer = program.up[declared]
        while outer >= 0 and outer not in self.total_shared and (
            function is None or outer != function.opened):  # fmt: skip
            outer = program.up[outer]
        before, names = self.total_shared.get(outer, ("0", []))
        total, names = f"{name}_sim_shared_bytes", [*names, name]
        self.total_shared[scope] = total, names
        # (size_t): the enumeration's name alone would not be a number in a message of g++.
        program.insert(at, f" enum : size_t {{ {total} = {before} + sizeof({kind}) }};")
        self._limit_shared(name, f"(size_t){total}", names, at)

    def _limit_shared(self, name: str, total: str, names: list[str], at: int) -> None:
        listed = f"{name} takes"
        if len(names) > 1:
            listed = f"{', '.join(names[:-1])} and {name} take"
        why = TOO_MUCH_SHARED.format(names=listed)
        self.program.insert(at, f' static_assert({total} <= sim_static_shared_bytes, "{why}");')

    def _is_used(self, name: str, last: int) -> bool:
        """Does the scope use the variable whose declaration ends at token last? nvcc gives an
        unused one no memory."""
        program, it = self.program, name.encode(errors="surrogateescape")
        brace = program.up[last]
        end = program.match[brace] if brace >= 0 and program.match[brace] > 0 else len(program)
        return it in program.text[last:end]

    def _capture(self, name: str, first: int, last: int) -> None:
        """A __shared__ variable is static, so that lambdas use it without capturing it. Those of
        the tokens first..last capture the reference that takes its place."""
        program, it = self.program, name.encode(errors="surrogateescape")
        for i in range(first, last):
            if program.text[i] != b"[" or program.at(i + 1) == b"[" or program.match[i] < 0:
                continue
            if program.is_name(i - 1) or program.at(i - 1) in (b")", b"]", b"["):
                continue  # an index, or an attribute
            listed = program.text[i + 1 : program.match[i]]
            body = min(program.until(program.match[i], b"{", b";"), last)
            if (listed[:1] == [b"&"] and listed[1:2] in ([], [b","])) or it in listed or (
                it not in program.text[body : max(program.match[body], body)]):  # fmt: skip
                continue
            program.insert(
                program.end(program.match[i] - 1), f", &{name}" if listed else f"&{name}"
            )

    def _is_initialised(self, name: int, last: int) -> bool:
        program = self.program
        i = name + 1
        while i < last and program.text[i] != b",":
            if program.text[i] == b"=" or (program.text[i] == b"(" and program.text[i - 1] != b")"
                                          and program.text[i - 1] != b"__attribute__"):  # fmt: skip
                return True
            if program.text[i] == b"{" and program.match[i] > i + 1:
                return True
            i = program.past(i)
        return False

    def _alignment(self, i: int) -> str | None:
        """The N of __attribute__((aligned(N))) or alignas(N), whose first word is token i."""
        program = self.program
        for j in range(i, program.match[i + 1]):
            if program.text[j] in ALIGNED and program.at(j + 1) == b"(":
                inner = program.flat(j + 2, program.match[j + 1])
                return f"alignof({inner})" if program.text[j] == b"alignas" and not (
                    any(c.isdigit() for c in inner) or "sizeof" in inner or "alignof" in inner
                ) else inner  # fmt: skip
        return None

    def _bind_where_used(self, declared: int, bound: str) -> bool:
        """A __shared__ variable at file scope: each function that uses it gets a reference. Does
        one use it?"""
        program = self.program
        places = [i for i in program.words(program.text[declared]) if i != declared]
        hidden = [  # a parameter `int (&name)[4]` stands outside of every function
            self._hidden_by(i) for i in places
            if program.declares(i) or (program.around(i) is None and program.at(i + 1) == b")")
        ]  # fmt: skip
        users: list[int] = []
        for i in places:
            function = program.around(i)
            if function is None or program.at(i - 1) in (b".", b"->"):
                continue
            if function.opened not in users and not any(a <= i < b for a, b in hidden):
                users.append(function.opened)
        for opened in users:
            program.insert(program.end(opened), bound)
            name = program.text[declared].decode(errors="surrogateescape")
            self._capture(name, opened, program.match[opened])
        return bool(users)

    def _hidden_by(self, i: int) -> tuple[int, int]:
        """The tokens in which the name declared at token i is that variable: a block, or what a
        parameter or a variable of a loop belongs to."""
        program = self.program
        opened = program.statement(i) - 1
        while program.at(opened) == b"(" and program.at(opened + 1) in (b"&", b"*"):
            opened = program.statement(opened) - 1  # of a pointer or reference to an array
        if program.at(opened) != b"(":
            brace = program.up[i]
            return i, program.match[brace] if brace >= 0 else i + 1
        body = program.until(program.match[opened] + 1, b"{", b";")
        return i, program.past(body) if body < len(program) else body
