"""What does the function return when one of its calls fails?"""

import re
from random import Random

from grader.ask.draft import CannotTell, Draft
from grader.ask.program import Program
from grader.model.spec import Case

ABOUT = "a call that fails"
REBUILDS = True
ERRORS = {0: "cudaSuccess", 1: "cudaErrorInvalidValue", 2: "cudaErrorMemoryAllocation"}
CALLS = ("cudaMalloc", "cudaHostAlloc")


def ask(program: Program, draw: Random) -> Draft:
    cases = [
        c
        for c in program.lab.case
        if c.part == program.part and not c.hidden and c.inject and c.inject.split(":")[0] in CALLS
    ]
    if not cases:
        raise CannotTell("no call that can be made to fail")
    case = draw.choice(cases)
    name, _, number = (case.inject or "").partition(":")
    start, end = call_at(program, name, int(number))
    line = program.text.line_at(start)
    expression = program.text.text[start:end]
    answer = words(returned(program, case))

    def second() -> str:
        text = program.text.text
        edited = text[:start] + "cudaErrorMemoryAllocation" + text[end:]
        plain = Case(**{**{f: getattr(case, f) for f in case.__struct_fields__}, "inject": None})
        outcome = program.run(plain, binary=program.changed(edited.encode()))
        return words(outcome.status.returned if outcome.status else -1)

    others = {
        "cudaSuccess": "the calls that follow succeed, but the first error is what counts",
        "cudaErrorInvalidValue": "that is what a copy to NULL would return, which comes later",
        "cudaErrorMemoryAllocation": "that is the error of this call, but it is not returned",
        "cudaErrorUnknown": "each error has a code of its own",
    }
    return Draft(
        file=program.shown,
        line=line,
        text=f"Suppose {name}() at this line fails because the device has no memory left. What "
        f"does {program.name} return?",
        answer=answer,
        second=second,
        ways=("a run in which the call fails", "a run with the error in place of the call"),
        why=f"In a run where {expression.split('(')[0].strip()}() fails there, "
        f"{program.name} returns {answer}.",
        mistakes={text: why for text, why in others.items() if text != answer},
        typed=False,
    )


def returned(program: Program, case: Case) -> int:
    outcome = program.run(case, binary=program.binary)
    return outcome.status.returned if outcome.status else -1


def words(code: int) -> str:
    if code not in ERRORS:
        raise CannotTell(f"it returns error {code}")
    return ERRORS[code]


def call_at(program: Program, name: str, number: int) -> tuple[int, int]:
    """Where call number `number` of a function stands in the part's own function: from its name to
    its closing bracket. Raises CannotTell."""
    code = program.text.code
    functions = program.lab.part_of(program.base).calls
    begun = [m.start() for f in functions for m in re.finditer(rf"^\w.*\b{f}\s*\(", code, re.M)]
    if len(begun) != 1:
        raise CannotTell("which function is called")
    _, last = program.text.function(program.text.line_at(begun[0]) + 1)
    found = [
        m
        for m in re.compile(rf"\b{name}\s*\(").finditer(code, begun[0])
        if program.text.line_at(m.start()) <= last
    ]
    most = max(
        int(c.inject.partition(":")[2])
        for c in program.lab.case
        if c.part == program.part and c.inject and c.inject.partition(":")[0] == name
    )
    if len(found) != most:  # which one is made may depend on the case
        raise CannotTell("the calls are not made one after the other")
    start, depth = found[number - 1].start(), 0
    for at in range(start, len(code)):
        depth += (code[at] == "(") - (code[at] == ")")
        if code[at] == ")" and depth == 0:
            return start, at + 1
    raise CannotTell("brackets")
