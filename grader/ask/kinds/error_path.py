"""What does the function return when one of its calls fails?"""

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.model.lab import Case

REBUILDS = True
ERRORS = NONE, VALUE, MEMORY = "cudaSuccess", "cudaErrorInvalidValue", "cudaErrorMemoryAllocation"
CALLS = {"cudaMalloc": MEMORY, "cudaHostAlloc": MEMORY, "cudaMemcpy": VALUE}  # what they fail with
# Calls that do fail so, wherever they are: cudaGetLastError() returns the error afterwards.
FAILING = {
    MEMORY: "[] { void *p; return cudaMalloc(&p, ~(size_t)0 / 4); }()",
    VALUE: "cudaMemcpy(nullptr, nullptr, 1, cudaMemcpyHostToDevice)",
}
MOST = 8  # calls of one function that are tried
WHY = {MEMORY: "the device has no memory left", VALUE: "it finds an argument that it cannot use"}


def ask(program: AskedPart, draw: Random) -> Draft:
    # Of the part's functions, another may be the one that allocates.
    alike = [c.set for c in program.public if c.set.keys() == program.base.set.keys()]
    case = program.case(None, **draw.choice(alike or [program.base.set]))
    function = program.called_by(case)
    failing = [(name, *found) for name in CALLS for found in failures(program, case, name)]
    if not failing:
        raise CannotTell("no call that can be made to fail")
    name, line, code = draw.choice(failing)
    edited = program.text.with_call(name, line, FAILING[CALLS[name]])

    def second() -> str:
        status = program.run(case, binary=program.changed(edited)).status
        return words(status.returned if status else -1)

    answer = words(code)
    return Draft(
        line=line,
        text=f"Suppose {name}() at this line fails, because {WHY[CALLS[name]]}. What does "
        f"{function} return?",
        answer=answer,
        second=second,
        why=f"The call fails with {CALLS[name]}. In a run where it does, {function} returns "
        f"{answer}.",
        mistakes=[
            (NONE, "the calls that follow succeed, but the first error is what counts"),
            (VALUE, "that is what a later call with a null pointer would return"),
            (MEMORY, "that is the error of a call that allocates"),
            ("cudaErrorUnknown", "each error has a code of its own"),
        ],
    )


def failures(program: AskedPart, case: Case, name: str) -> list[tuple[int, int]]:
    """The lines whose first call of a function can be made to fail, and what is returned then."""
    found: dict[int, int] = {}
    for number in range(1, MOST + 1):
        outcome = program.run(case, binary=program.binary, inject=f"{name}:{number}")
        failed = [f for f in outcome.findings if f.kind == "injected" and f.call == name]
        if not failed or outcome.status is None:
            break
        if failed[0].file == program.shown:
            found.setdefault(failed[0].line, outcome.status.returned)
    return sorted(found.items())


def words(code: int) -> str:
    if not 0 <= code < len(ERRORS):
        raise CannotTell(f"it returns error {code}")
    return ERRORS[code]  # their numbers in CUDA
