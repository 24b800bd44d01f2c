"""The errors of compilers about a student's file in the words of CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from grader.compile.compiler_messages import Diagnostic, own_names
from grader.compile.probable_causes import ended_heads
from grader.model.submission import Submission
from grader.source import code
from grader.source.code import Code

MOST, MOST_OF_A_LINE = 50, 2000  # errors that are read, and characters: what is shown is less
WRONG_SIGNS = ": here it has "
LAUNCH = "a launch is written kernel<<<grid, block>>>(arguments)"
# Of CUDA, which students misspell; functions first, then variables.
_FUNCTIONS = re.findall(
    r"\w+",
    """
    __syncthreads __syncwarp __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ldg
    __ballot_sync __any_sync __all_sync __threadfence __threadfence_block atomicAdd atomicMax
    atomicMin atomicCAS atomicExch __dp4a __dp2a_lo __byte_perm __fmaf_rn fmaf cudaMalloc cudaFree
    cudaMemcpy cudaMemcpyAsync cudaMemcpyToSymbol cudaMemcpyToSymbolAsync cudaMemset
    cudaGetLastError cudaPeekAtLastError cudaDeviceSynchronize cudaStreamCreate cudaStreamDestroy
    cudaStreamSynchronize cudaHostRegister cudaHostUnregister cudaGetErrorString
    cudaFuncSetAttribute make_float2 make_float4 make_uchar4 make_uint4
""",
)
_VARIABLES = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"]
_LOWER = {name.lower().strip("_"): name for name in (*_FUNCTIONS, *_VARIABLES)}
_UNKNOWN = re.compile(
    r"there are no arguments to ‘(?P<call>\w+)’ that depend on a template"
    r"|‘(?P<name>\w+)’ was not declared in this scope"
    r'|identifier "(?P<nvcc>\w+)" is undefined$'
)
_NOT_VOID = re.compile(
    r"call to ‘(?:sim_kernel|\w+_sim_kernel)\(|converting function ‘\w+’ to type ‘void"
    r"|forbids declaration of ‘\w+’ with no type|must have (?:a )?void return type"
    r"|deduction/substitution failed"
)
_SHIFTS = re.compile(
    r"operator(?:<<|>>|<|>)[’'(]|expected primary-expression before ‘[<>,)]|could not be understood"
    r"|forbids comparison|stray ‘|extended character|not valid in an identifier|operand types are"
    r"|expected ‘|expected an expression|unrecognized token|no operator \"<<|has no effect"
)
_SIGNS = (
    r"(?P<name>\b(?:{names})\b)(?:\s*<(?!\s*<)[^<>;(){{}}]*>)?\s*(?P<open>[<‹«＜](?:\s?[<‹«＜])*)"
)
_ATTRIBUTES = (  # by gcc's header with the function; what has a later one has all before it
    ("pmmintrin", "sse3"),
    ("tmmintrin", "ssse3"),
    ("smmintrin", "sse4.1"),
    ("avxintrin", "avx"),
    ("avx2intrin", "avx2"),
    ("fmaintrin", "avx2,fma"),
    ("avx512", "avx512bw"),
)
_TARGET = re.compile(
    r"^(?:.*/)?(?P<header>\w+)\.h:\d+:\d+: error: inlining failed in call to ‘always_inline’ "
    r"‘(?P<call>\w+)[^’]*’: target specific option mismatch"
)
_FROM = re.compile(r"^(?P<file>\S.*?):(?P<line>\d{1,9}):\d+: note: called from here")
_UNCONFIGURED = re.compile(r"a __global__ function call must be configured")
# Not of the C++ library, which no mark makes the device's.
_OTHER_SIDE = re.compile(
    r'calling a (?P<side>__\w+__) function\("(?!std::)(?:\w+::)*(?P<name>\w+)[^"]*"\) '
    r"from a (?P<caller>__\w+__)"
)
_SIDES = {"__host__": "host code", "__device__": "a device function", "__global__": "a kernel"}


def reworded(errors: list[Diagnostic], log: str, submission: Submission) -> list[Diagnostic]:
    """The errors about a submission's files in the words of CUDA, what causes others first. log:
    with the errors in gcc's own headers, which lines of the student cause."""
    texts = {submission.path(name): submission.text(name) for name in submission.contents}
    found = missing_targets(log, texts)
    for error in errors[:MOST]:
        read = code.read(texts.get(error.file, ""))
        of_cuda = _of_loop(error, read) or _of_kernel(error, read) or _of_launch(error, read)
        of_cuda = of_cuda or _of_side(error) or _of_name(error, read)
        if not (of_cuda and any((d.file, d.text) == (of_cuda.file, of_cuda.text) for d in found)):
            found.append(of_cuda or replace(error, text=own_names(error.text)))
    found += [replace(error, text=own_names(error.text)) for error in errors[MOST:]]
    said = list(dict.fromkeys(found))
    # g++ takes offence again at what follows a launch with wrong signs.
    wrong = {(d.file, d.line) for d in said if WRONG_SIGNS in d.text}
    return [d for d in said if (d.file, d.line) not in wrong or WRONG_SIGNS in d.text]


def _kernels(read: Code) -> dict[str, int]:
    """The lines of the kernels that the file declares, by their names."""
    found = (f for f in read.declared if "__global__" in read.result(f))
    return {f.name: read.line_of(f.first) for f in found}


def _of_kernel(error: Diagnostic, read: Code) -> Diagnostic | None:
    """A kernel that returns something, or nothing at all: g++ complains of its launch."""
    variable = re.match(r"‘(\w+)’ cannot be used as a function", error.text)
    if variable and re.search(rf"\b{variable[1]}\s*<<<", _line(read, error.line)):
        return replace(error, text=f"{variable[1]} is no kernel: {LAUNCH}")
    if not _NOT_VOID.search(error.text):
        return None
    for f in read.declared:
        words = re.findall(r"\w+", read.result(f))
        named = re.search(rf"\b{re.escape(f.name)}\b", _line(read, error.line) + error.text)
        if "__global__" in words and "void" not in words and named:
            text = f"a kernel returns void: write __global__ void {f.name}(...)"
            return replace(error, line=read.line_of(f.at), text=text)
    if "call to ‘sim_kernel(" in error.text:
        return replace(error, text=f"what is launched here is no kernel: {LAUNCH}")
    return None


def _of_launch(error: Diagnostic, read: Code) -> Diagnostic | None:
    """A launch with other signs than <<< and >>>."""
    kernels = _kernels(read)
    if _UNCONFIGURED.search(error.text):
        called = [name for name in kernels if re.search(rf"\b{name}\b", _line(read, error.line))]
        name = called[0] if called else "kernel"
        return replace(error, text=f"{name}() is a kernel: {LAUNCH.replace('kernel<', name + '<')}")
    if not kernels or not _SHIFTS.search(error.text):
        return None
    line = _line(read, error.line)
    pattern = _SIGNS.format(names="|".join(map(re.escape, kernels)))
    for launch in re.finditer(pattern, line):
        opened = launch["open"]
        closed = re.search(r"[>›»＞](?:\s?[>›»＞])*", line[launch.end() :])
        is_right = opened == "<<<" and closed is not None and closed[0] == ">>>"
        if not is_right and (opened != "<" or closed is not None):
            wrong = opened if opened != "<<<" else closed[0] if closed else "no `>>>`"
            text = f"{LAUNCH}{WRONG_SIGNS}{wrong if wrong.startswith('no') else f'`{wrong}`'}"
            return replace(error, text=text)
    return None


def _of_side(error: Diagnostic) -> Diagnostic | None:
    """A call of a host function by the device, or the reverse."""
    call = _OTHER_SIDE.search(error.text)
    if not call:
        return None
    can = "mark it __host__ __device__ if both may call it"
    text = (
        f"{_SIDES[call['caller']]} cannot call {call['name']}(), a {call['side']} function: {can}"
    )
    return replace(error, text=text)


def _of_name(error: Diagnostic, read: Code) -> Diagnostic | None:
    """A name that is not known, with the one that is meant."""
    unknown = _UNKNOWN.match(error.text)
    if not unknown:
        return None
    name = unknown["call"] or unknown["name"] or unknown["nvcc"]
    meant = _LOWER.get(name.lower().strip("_"), "")
    is_called = re.search(rf"\b{name}\s*\(", _line(read, error.line)) is not None
    if not meant and is_called and "did you mean" not in error.text:
        from difflib import get_close_matches  # for an error alone

        known = [*_FUNCTIONS, *_VARIABLES, *(f.name for f in read.declared)]
        meant = next(iter(get_close_matches(name, known, 1, 0.8)), "")
    if meant == name or not (meant or unknown["call"]):
        return None
    called = "()" if meant not in _VARIABLES else ""
    question = f": did you mean {meant}{called}?" if meant else ""
    return replace(error, text=f"{name}{'()' * bool(called)} is not declared{question}")


def _of_loop(error: Diagnostic, read: Code) -> Diagnostic | None:
    """The variable of a loop that a `;` has ended."""
    unknown = _UNKNOWN.match(error.text)
    name = (unknown["name"] or unknown["nvcc"]) if unknown else None
    heads = [h for h in ended_heads(read.text) if h[0] <= error.line] if name else []
    around = read.function_at(error.line)
    for line, word, inside in reversed(heads):
        if word == "for" and name in read.names(inside) and read.function_at(line) == around:
            text = f"the `;` after `for (...)` ends the loop: below it there is no `{name}`"
            return replace(error, line=line, text=text)
    return None


def _line(read: Code, number: int) -> str:
    lines = read.plain.splitlines()
    return lines[number - 1][:MOST_OF_A_LINE] if 0 < number <= len(lines) else ""


def missing_targets(log: str, texts: dict[str, str]) -> list[Diagnostic]:
    """The calls of vector functions in functions without the attribute that these need; of each
    function the first call, with all that its calls need."""
    found: dict[tuple[str, str], list[tuple[int, int, str]]] = {}
    failed = None
    for text in log.splitlines():
        if error := _TARGET.match(text):
            failed = error
        elif failed and (at := _FROM.match(text)) and at["file"] in texts:
            line = int(at["line"])
            around = code.read(texts[at["file"]]).function_at(line)
            rank = _rank(failed["header"])
            calls = found.setdefault((at["file"], around.name if around else ""), [])
            calls.append((line, rank, failed["call"]))
            failed = None
    return [_untargeted(file, function, calls) for (file, function), calls in found.items()]


def _rank(header: str) -> int:
    ranks = [n for n, (begin, _) in enumerate(_ATTRIBUTES) if header.startswith(begin)]
    return ranks[0] if ranks else -1


def _untargeted(file: str, function: str, calls: Iterable[tuple[int, int, str]]) -> Diagnostic:
    calls = sorted(calls)
    line, _, call = calls[0]
    rank = max(rank for _, rank, _ in calls)
    attribute = _ATTRIBUTES[rank][1] if rank >= 0 else "..."
    where = f"{function}()" if function else "the function"
    text = f'{call}() needs __attribute__((target("{attribute}"))) before {where}'
    return Diagnostic(file, line, "error", text)
