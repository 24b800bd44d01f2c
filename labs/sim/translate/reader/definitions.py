"""Functions of a program, also those without a mark, by their brackets."""

from __future__ import annotations

from labs.sim.translate.reader.program import ENDS, Program

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
