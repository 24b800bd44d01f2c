"""What nvcc refuses and g++ takes: code of the host in functions of the device, and the reverse.

A name counts only if the program's own text has one meaning for it; in doubt it is left alone, as
is a template that nothing uses. The messages begin with nvcc's words.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence

from labs.sim.translate.reader.declared import functions
from labs.sim.translate.reader.definitions import (
    UNEVALUATED,
    at_run_time,
    is_class,
    is_compiled,
    is_declared_outside,
    is_unknown,
    name_of,
)
from labs.sim.translate.reader.pragmas import Pragmas
from labs.sim.translate.reader.program import MARKS, NUMBERS, Function, Program

# What nvcc's options define: --extended-lambda and --expt-relaxed-constexpr.
LAMBDA = "__CUDACC_EXTENDED_LAMBDA__"
RELAXED = "__CUDACC_RELAXED_CONSTEXPR__"
WORD = re.compile(rb"[A-Za-z_]\w*")
SPACES = (b"__shared__", b"__constant__", b"__device__", b"__managed__")
CONSTANT = (b"const", b"constexpr")
# What the library of C has and programs use by mistake in a kernel.
LIBRARY = re.compile(
    rb"s?rand\w*|random|_?exit|abort|fflush|fopen|u?sleep|time|getenv|system|gettimeofday"
    rb"|str(?:len|n?cpy|n?cmp|n?cat|r?chr|str|tok|dup|to\w+)|mem(?:cmp|chr|move)|v?(?:f|sn?)printf"
    rb"|f?s?scanf|f?puts|f?putc(?:har)?|calloc|realloc|ato(?:f|ll?|i)|qsort|bsearch|l?l?div|ffs"
)
# What only the device has.
BUILT_IN = re.compile(
    rb"__syncthreads\w*|__syncwarp|__(?:shfl|ballot|any|all|match|reduce)\w*_sync|__activemask"
    rb"|__threadfence\w*|__ldg|__nanosleep"
    rb"|atomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system)?"
)
# Functions of the runtime that nvcc has on the device, too.
OF_RUNTIME = re.compile(
    rb"cuda(?:Malloc|Free|GetLastError|PeekAtLastError|GetError\w+|GetDevice\w*|DeviceGet\w+"
    rb"|Mem(?:cpy|set)\w*Async|Stream\w+|Event\w+|FuncGetAttributes|RuntimeGetVersion"
    rb"|Occupancy\w+|GetParameterBuffer\w*|LaunchDevice\w*|CG\w+|\w*Graph\w+|Gr\w+|Trigger\w+)"
)
# No initial value of a constant comes from these: nvcc does not compute it.
NOT_CONSTANT = re.compile(
    rb"a?(?:sin|cos|tan)h?f?|atan2f?|sqrtf?|cbrtf?|powf?|exp2?f?|log(?:2|10)?f?|rand|time"
)
# constexpr functions, whose values g++ may have computed before there is a call.
OF_CONSTEXPR = (b"max", b"min", b"clamp", b"numeric_limits", b"make_pair", b"pair")
FORBIDDEN = {
    b"throw": "device code does not support exception handling",
    b"try": "device code does not support exception handling",
    b"typeid": "the operator 'typeid' is not allowed in device code",
    b"dynamic_cast": "the operator 'dynamic_cast' is not allowed in device code",
    b"thread_local": "cannot use thread_local specifier for variable declarations in device code",
}
BODIES = (b")", b"else", b"do", b"{", b"}", b";")  # before the { of statements
NEEDS_OPTION = (
    "__host__ or __device__ annotation on lambda requires --extended-lambda nvcc flag: give it "
    "here, too"
)
RELAXES = "The experimental flag '--expt-relaxed-constexpr' can be used to allow this"
COPY = "the host's memory is not the device's: declare it __constant__ or __device__, or pass it"
RUN_TIME_SIZE = (
    "expression must have a constant value: {} is known only when the kernel runs; use a constant "
    "(constexpr, #define, a template parameter)"
)


def refuse_as_nvcc(program: Program, compiler: Sequence[str]) -> None:
    """Raises Refusal for the first such place. compiler: with the macros of nvcc's options."""
    options = {flag.removeprefix("-D") for flag in compiler}
    for check in (_kernels, _forbidden, _sizes, _functions, _variables, _initial_values, _stores):
        check(program)
    if LAMBDA not in options:
        _lambdas(program)
    if RELAXED not in options:
        _constexpr_of_std(program)


# ---- what stands where


def _device_functions(program: Program) -> Iterator[Function]:
    """Those that run on the device alone and are compiled."""
    for function in program.functions:
        if function.is_device and is_compiled(program, function):
            yield function


def _inside(program: Program, function: Function) -> Iterator[int]:
    """Its tokens, without those that are evaluated by the compiler alone."""
    i = function.opened
    while i < function.closed:
        if program.text[i] in UNEVALUATED:
            i = program.past(i + 1)  # sizeof (a), and sizeof a
            continue
        if program.kind[i] == "word":
            yield i
        i += 1


def _calls(program: Program, i: int) -> bool:
    """Is the name at token i that of a function which is called?"""
    behind = i + 1
    if program.at(behind) == b"<" and program.at(behind + 1) != b"<":  # of no launch
        behind = (program.angle(behind) or i) + 1
    return program.at(behind) == b"(" and not _declares(program, i)


def _declares(program: Program, i: int) -> bool:
    first = program.first_of_name(i)
    return program.declares(first) and not (
        first != i and program.at(first - 1) in (b"return", b"else"))  # fmt: skip


# ---- functions


def _marks(program: Program) -> dict[bytes, list[frozenset[bytes]]]:
    """Of each name of a function, the marks of its declarations; {b"?"}: another meaning."""
    found: dict[bytes, list[frozenset[bytes]]] = {}
    for i in range(len(program)):
        if not program.is_name(i) or not _declares(program, i):
            continue
        first = program.statement(i)
        words = program.text[first:i]
        is_local = any(not program.is_scope(b) and not is_class(program, b)
                       for b in program.braces(i))  # fmt: skip
        is_function = program.at(i + 1) in (b"(", b"<") and not is_local
        is_function = is_function and program.at(first - 1) != b"(" and b"=" not in words
        odd = b"constexpr" in words or b"friend" in words or b"using" in words
        marks = frozenset(words).intersection(MARKS)
        found.setdefault(program.text[i], []).append(
            marks if is_function and not odd else frozenset([b"?"])
        )
    return found


def _functions(program: Program) -> None:
    marks = _marks(program)
    host = {n for n, all_ in marks.items() if not any(all_) and n != b"main"}
    device = {n for n, all_ in marks.items() if all(m == {b"__device__"} for m in all_)}
    host, device = _without_overloads(program, host), _without_overloads(program, device)
    for function in _device_functions(program):
        kind = "__global__" if b"__global__" in function.marks else "__device__"
        for i in _inside(program, function):
            if _is_hosts(program, i, host, marks):
                called = program.text[i].decode(errors="replace")
                raise program.refusal(i, f'calling a __host__ function("{called}") from a {kind} '
                                      "function is not allowed")  # fmt: skip
            is_value = program.at(i + 1) in (b",", b";", b")") and program.at(i - 1) in (
                b"=", b",", b"(", b"?", b":", b"return")  # fmt: skip
            if is_value and program.text[i] in host:
                called = program.text[i].decode(errors="replace")
                raise program.refusal(i, f'identifier "{called}" is undefined in device code: '
                                      "it is a function of the host")  # fmt: skip
    for opened, text in enumerate(program.text):
        if text == b"{" and program.match[opened] > opened and program.around(opened) is None:
            _refuse_device_calls(program, opened, device, marks)


def _without_overloads(program: Program, names: set[bytes]) -> set[bytes]:
    """The functions of which no header declares one of the same name."""
    if not names:
        return names
    headers = b"".join(text for _, text in program.expanded.foreign)
    declares = rb"(?<!return)[\w*&>]\s[*&]*(%s)\s?\(" % b"|".join(map(re.escape, names))
    return names.difference(re.findall(declares, headers))


def _refuse_device_calls(
    program: Program, opened: int, device: set[bytes], marks: dict[bytes, list[frozenset[bytes]]]
) -> None:
    """In the body of a function of the host alone."""
    name = name_of(program, opened)
    if name is None or opened in program.bodies or b"template" in (
        program.text[program.statement(name) : name]):  # fmt: skip
        return
    if not is_declared_outside(program, opened):
        return
    for i in _inside(program, Function(opened, opened, program.match[opened], frozenset())):
        text = program.text[i]
        is_device = text in device or (BUILT_IN.fullmatch(text) and text not in marks)
        if is_device and program.around(i) is None and _calls(program, i) and (
            program.at(i - 1) not in (b".", b"->")):  # fmt: skip
            called = text.decode(errors="replace")
            raise program.refusal(i, f'calling a __device__ function("{called}") from a __host__ '
                                  "function is not allowed")  # fmt: skip


def _is_hosts(
    program: Program, i: int, host: set[bytes], marks: dict[bytes, list[frozenset[bytes]]]
) -> bool:
    """Does token i call a function of the host, or use its library?"""
    text, before = program.text[i], program.at(i - 1)
    if before == b"::" and program.at(i - 2) == b"std":
        return bool(LIBRARY.fullmatch(text)) and program.at(i + 1) == b"("
    of_library = bool(LIBRARY.fullmatch(text)) or (
        text in functions() and not OF_RUNTIME.fullmatch(text)
    )
    if of_library and text not in marks:
        return before not in (b".", b"->", b"::", b"&") and _calls(program, i)
    return text in host and before not in (b"&",) and _calls(program, i)


# ---- kernels


def _kernels(program: Program) -> None:
    marks = _marks(program)
    kernels = {n for n, all_ in marks.items() if all(b"__global__" in m for m in all_)}
    for i in program.words(b"__global__"):
        brace = program.up[i]
        words = program.text[program.statement(i) : program.until(i, b"(", b";", b"{")]
        if b"__device__" in words or b"__host__" in words:
            raise program.refusal(i, "illegal combination of memory qualifiers: a kernel is "
                                  "__global__ alone")  # fmt: skip
        if is_class(program, brace) and b"friend" not in words:
            raise program.refusal(i, "a __global__ function or function template cannot be a "
                                  "member function")  # fmt: skip
        _refuse_declaration(program, i, words)
    for i in program.words(b"__managed__"):
        words = program.text[program.statement(i) : program.until(i, b";", b"=")]
        if b"__shared__" in words or b"__constant__" in words:
            raise program.refusal(i, "__managed__ variables cannot be marked __shared__ or "
                                  "__constant__")  # fmt: skip
    for i in program.words(b"__shared__"):
        if program.around(i) is None and not is_declared_outside(program, i):
            raise program.refusal(i, 'a static "__shared__" variable declaration is not allowed '
                                  "inside a host function body")  # fmt: skip
    for i in program.words(*kernels):
        is_used = not program.is_global(i) and program.at(i - 1) not in (b".", b"->", b"&")
        if is_used and _calls(program, i) and not _is_unevaluated(program, i):
            name = program.text[i].decode(errors="replace")
            raise program.refusal(i, "a __global__ function call must be configured: "
                                  f"{name}<<<grid, block>>>(...)")  # fmt: skip
    for opened, _ in program.launches:
        _refuse_launch(program, opened, marks)


def _refuse_declaration(program: Program, i: int, words: list[bytes]) -> None:
    """Of a kernel whose mark is token i. words: those before its parameters."""
    kernel = "a __global__ function or function template"
    if b"constexpr" in words:
        raise program.refusal(i, f"{kernel} cannot be marked constexpr")
    opened = program.until(i, b"(", b";", b"{")
    closed = program.match[opened] if program.at(opened) == b"(" else opened
    if b"auto" in words and program.at(closed + 1) == b"{":
        raise program.refusal(i, "a __global__ function must not have a deduced return type")
    for first, last in program.commas(opened + 1, closed):
        text = program.flat(first, last).replace(" ", "").partition("=")[0]
        if "&&" in text:
            raise program.refusal(first, f"{kernel} cannot have a parameter with rvalue reference "
                                  "type")  # fmt: skip
        if re.match(r"(?:const)?std::initializer_list<", text):
            raise program.refusal(first, f"{kernel} cannot have a parameter with type "
                                  "std::initializer_list")  # fmt: skip


def _lambdas(program: Program) -> None:
    for function in program.functions:
        if program.at(function.head - 1) == b"]":
            raise program.refusal(function.head, NEEDS_OPTION)


def _constexpr_of_std(program: Program) -> None:
    for function in _device_functions(program):
        for i in _inside(program, function):
            if program.text[i] not in OF_CONSTEXPR or program.text[i - 2 : i] != [b"std", b"::"]:
                continue
            last = (program.angle(i + 1) or i) if program.at(i + 1) == b"<" else i
            if program.at(last + 1) == b"::":
                last += 2
            if program.at(last + 1) == b"(":
                called = program.flat(i - 2, last + 1)
                kind = "__global__" if b"__global__" in function.marks else "__device__"
                why = f'calling a constexpr __host__ function("{called}") from a {kind} function'
                raise program.refusal(i, f"{why} is not allowed. {RELAXES}")


def _refuse_launch(
    program: Program, opened: int, marks: dict[bytes, list[frozenset[bytes]]]
) -> None:
    """Of what is certain to be no kernel."""
    i = opened - 1
    if program.at(i) == b">":
        i = (program.angle_back(i) or 1) - 1
    found = marks.get(program.at(i), [])
    name = program.at(i).decode(errors="replace")
    if found and all(m == {b"__device__"} for m in found):
        raise program.refusal(i, f'calling a __device__ function("{name}") from a __host__ '
                              "function is not allowed: a kernel is __global__")  # fmt: skip
    if found and not any(found):
        raise program.refusal(i, "a host function call cannot be configured: a kernel is "
                              f"__global__, and {name}() is not")  # fmt: skip


def _is_unevaluated(program: Program, i: int) -> bool:
    while (i := program.statement(i)) > 0 and program.at(i - 1) == b"(":
        if program.at(i - 2) in UNEVALUATED:
            return True
        i -= 1
    return False


# ---- words, and sizes of arrays


def _forbidden(program: Program) -> None:
    for i in (i for i in range(len(program)) if program.text[i] == b"&" and program.is_step(i)):
        function = program.around(i)
        if function and function.is_device and program.is_name(i + 2) and (
            program.at(i - 1) in (b"=", b"{", b",", b"return")):  # fmt: skip
            raise program.refusal(i, "address of label extension is not supported in "
                                  "__device__/__global__ functions")  # fmt: skip
    for i in program.words(*FORBIDDEN):
        function = program.around(i)
        if function and function.is_device and is_compiled(program, function):
            raise program.refusal(i, FORBIDDEN[program.text[i]])


def _sizes(program: Program) -> None:
    """Arrays of a size that is known only at run time."""
    for function in _device_functions(program):
        for i in range(function.opened, function.closed):
            is_array = program.at(i + 1) == b"[" and program.is_name(i) and program.is_name(i - 1)
            first = program.statement(i) if is_array else i
            if not is_array or program.at(first - 1) == b"(" or b"=" in program.text[first:i] or (
                any(word in program.text[first:i] for word in SPACES)):  # fmt: skip
                continue
            if (unknown := at_run_time(program, i + 1)) is not None:
                raise program.refusal(i, RUN_TIME_SIZE.format(unknown))


# ---- variables


def _stores(program: Program) -> None:
    """Of numbers in constant memory: they are const."""
    numbers = {}
    for i in program.words(b"__constant__"):
        name = program.until(i, b";", b"=", b"[", b"{", b"(", b",") - 1
        if program.at(name - 1) in NUMBERS and program.at(name + 1) != b"[":
            numbers[program.text[name]] = name
    for i in program.words(*numbers):
        is_own = i != numbers[program.text[i]] and _has_one_meaning(program, program.text[i])
        steps = program.at(i + 1) in (b"+", b"-") and program.is_step(i + 1)
        steps = steps or (program.at(i - 2) in (b"+", b"-") and program.is_step(i - 2))
        if is_own and (steps or program.assigns(i + 1)) and program.at(i - 1) not in (
            b".", b"->", b"::", b"*") and not program.declares(i):  # fmt: skip
            why = "a kernel reads __constant__ memory, and cudaMemcpyToSymbol() sets it"
            raise program.refusal(i, f"expression must be a modifiable lvalue: {why}")


def _variables(program: Program) -> None:
    hosts = {name for i in range(len(program)) if (name := _hosts(program, i)) is not None}
    hosts = {name for name in hosts if _has_one_meaning(program, name)}
    for at, loop, text in _constants(program):
        for word in WORD.findall(text):
            if word in hosts or is_unknown(program, loop, word):
                raise program.expanded.refusal(at, "expression must have a constant value: "
                                               f"{word.decode()} has none")  # fmt: skip
    for function in _device_functions(program):
        for i in _inside(program, function):
            text = program.text[i]
            words = program.text[program.statement(i) : i]
            before = program.first_of_name(i) - 1
            is_argument = program.at(before) == b"<" and program.angle(before) is not None
            if text not in hosts or program.at(before) in (b".", b"->") or (
                is_argument or b"constexpr" in words):  # fmt: skip
                continue
            used = text.decode(errors="replace")
            raise program.refusal(i, f'identifier "{used}" is undefined in device code: {COPY}')


def _constants(program: Program) -> Iterator[tuple[int, int, bytes]]:
    """Where constants stand that g++ does not look at, the token behind them, and their text."""
    found = [(bounds.start, bounds.start, bounds.threads) for bounds in program.bounds]
    found += [(u.start, u.loop, u.count) for u in Pragmas(program.source).unrolls]
    for start, behind, text in found:
        yield start, bisect.bisect_left(program.start, behind), text


def _hosts(program: Program, i: int) -> bytes | None:
    """The name at token i, if a variable of the host is declared there that nvcc does not give to
    the device: any but a constant number."""
    if not program.is_name(i) or program.at(i + 1) not in (b"[", b"=", b";", b"{", b","):
        return None
    if program.at(i - 1) == b"}" and is_class(program, program.match[i - 1]):
        i_class = program.match[i - 1]  # struct point { ... } here;
        head = program.text[program.statement(i_class) : i_class]
        return None if b"typedef" in head or not program.is_global(i) else program.text[i]
    first = program.statement(i)
    words = program.text[first:i]
    in_class = is_class(program, program.up[i])
    if not (program.is_global(i) or in_class) or not program.declares(i) or (
        program.at(first - 1) in (b"(", b"[") or any(word in words for word in (
            b"template", b"using", b"typedef", b"=", b"(", b"<", b"&", b"operator", b"enum",
            b"namespace", b"return", *SPACES))):  # fmt: skip
        return None
    is_constant = any(word in words for word in CONSTANT) and not _is_computed(program, i)
    if in_class:
        is_host = b"static" in words and is_constant and program.at(i + 1) == b"["
    elif is_constant and (b"*" not in words or program.at(i - 1) == b"const"):
        is_host = program.at(i + 1) == b"["
    else:
        is_host = b"constexpr" not in words
    return program.text[i] if is_host else None


def _has_one_meaning(program: Program, name: bytes) -> bool:
    """Is it declared once, but for extern?"""
    count = 0
    for i in program.words(name):
        first, before, after = program.statement(i), program.at(i - 1), program.at(i + 1)
        is_list = program.at(first - 1) == b"(" and program.at(first - 2) != b"for"
        is_value = before == b"{" and program.at(i - 2) not in BODIES
        if (before == b"," and not is_list) or is_value or (
            before == b"[" and not program.ends_operand(i - 2)):  # fmt: skip
            return False
        if after == b"(" or before in (b"...", b"struct", b"class", b"enum"):
            return False
        count += program.declares(i) and b"extern" not in program.text[first:i]
    return count <= 1


def _is_computed(program: Program, i: int) -> bool:
    """Does the variable at token i begin with a value that nvcc does not compute?"""
    end = program.until(i, b";", b",")
    return any(NOT_CONSTANT.fullmatch(program.text[k]) and program.at(k + 1) == b"("
               for k in range(i + 1, end))  # fmt: skip


def _initial_values(program: Program) -> None:
    """Values with which variables of the device cannot begin."""
    marks = _marks(program)
    for space in program.words(b"__constant__", b"__device__", b"__managed__"):
        i = program.until(space, b"=", b";", b"{", b"(")
        is_variable = program.at(i) == b"=" and b"operator" not in program.text[space:i]
        if not is_variable or not program.is_global(space):
            continue
        for k in range(i + 1, program.until(i, b";")):
            own = marks.get(program.text[k], [])
            is_function = bool(own) and all(b"?" not in m for m in own)
            if program.at(k + 1) == b"(" and (
                is_function or NOT_CONSTANT.fullmatch(program.text[k])
            ):
                raise program.refusal(k, "dynamic initialization is not supported for a "
                                      f"{program.text[space].decode()} variable")  # fmt: skip
