"""Functions of a program, also those without a mark, and which names are known only at run time."""

from __future__ import annotations

from labs.sim.translate.reader.program import ENDS, NUMBERS, Function, Program

AT_RUN_TIME = (b"threadIdx", b"blockIdx", b"blockDim", b"gridDim", b"warpSize")
UNEVALUATED = (b"sizeof", b"decltype", b"alignof", b"noexcept", b"static_assert", b"typeof")
BEHIND = (b"const", b"noexcept", b"override", b"final", b"&")  # the parameters


def parameters_end(program: Program, i: int) -> int:
    """The token after the ) of the parameters, where only qualifiers lie between it and token i."""
    while program.at(i - 1) in BEHIND:
        i -= 1
    return i


def closing_of(program: Program, opened: int) -> tuple[int, bool]:
    """The token after the parameters of the function whose body is at `opened`, and whether its
    type stands behind them; where it is no function, the first may be any token."""
    closing = end = parameters_end(program, opened)
    while program.at(closing - 1) not in (b"->", b")", *ENDS) and closing > 0:
        closing -= 1
    is_trailing = program.at(closing - 1) == b"->"
    return (parameters_end(program, closing - 1) if is_trailing else end), is_trailing


def name_of(program: Program, opened: int) -> int | None:
    """The last token of the name of the function whose body is at `opened`, or its `operator`;
    None: it is no function with a name and parameters, or a constructor's with initializers."""
    closing, _ = closing_of(program, opened)
    parameters = program.match[closing - 1] if program.at(closing - 1) == b")" else -1
    i = parameters - 1
    for k in range(i, max(i - 3, 0), -1):
        if program.text[k] == b"operator":
            return k
    if i > 0 and program.at(i) == b">":
        i = (program.angle_back(i) or 0) - 1
    return i if i >= 0 and program.is_name(i) else None


def at_run_time(program: Program, i: int) -> str | None:
    """What the expression that begins at token i, or the bounds [N][M] that begin there, needs
    that is certain to be known only when the kernel runs; None if all may be constant."""
    while program.at(i) not in (b";", b"=", b",", b"{", b""):
        if program.at(i) in (b"sizeof", b"alignof", b"decltype"):
            i = program.past(i + 1)
            continue
        is_name = program.is_name(i) and program.at(i + 1) not in (b"::", b"(")
        is_name = is_name and program.at(i) not in NUMBERS
        if (
            is_name
            and program.at(i - 1) not in (b".", b"->", b"::")
            and is_unknown(program, i, program.text[i])
        ):
            return program.text[i].decode(errors="replace")
        i += 1
    return None


def is_unknown(program: Program, i: int, name: bytes) -> bool:
    """Is a name, as at token i, a parameter or a variable of the function around it?"""
    function = program.around(i)
    if name in AT_RUN_TIME:
        return True
    if function is None:
        return False
    for k in range(i - 1, program.statement(function.head), -1):
        if program.text[k] != name or not program.declares(k):
            continue
        first = program.statement(k)
        if k > function.opened and program.at(first - 1) == b"(" and not program.is_name(k - 1):
            continue  # (a * b), most likely
        if k < function.opened:
            return program.at(first - 1) == b"("
        words = program.text[first:k]
        if any(word in words for word in (b"constexpr", b"enum", b"template", b"typedef")):
            return False
        return b"const" not in words or (
            program.at(k + 1) == b"=" and at_run_time(program, k + 2) is not None)  # fmt: skip
    return False


def is_compiled(program: Program, function: Function) -> bool:
    """Is it a kernel, or is it or its template used?"""
    name = name_of(program, function.opened)
    if name is None:
        return True  # a lambda
    words = program.text[program.statement(function.head) : name]
    is_kernel = b"__global__" in function.marks and b"template" not in words
    return is_kernel or len(program.words(program.text[name])) > 1


def is_class(program: Program, brace: int) -> bool:
    head = program.text[program.statement(brace) : brace] if brace >= 0 else []
    return any(word in head for word in (b"struct", b"class", b"union")) and b"(" not in head


def is_declared_outside(program: Program, i: int) -> bool:
    """Is token i at the scope of the file, a namespace or a class?"""
    return all(program.is_scope(b) or is_class(program, b) for b in program.braces(i))
