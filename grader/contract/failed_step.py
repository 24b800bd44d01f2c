"""Finds the first step of a played sequence that breaks the contract."""

from dataclasses import dataclass, replace

import numpy as np

from grader.contract.play import Played, Player, Result, StepStatus
from grader.contract.prepared import asked_of, expected_of
from grader.contract.step import Failing, Step
from grader.model.finding import Finding
from grader.model.lab import Contract
from grader.oracle import compare, disk_cache
from grader.oracle.compare import SIGNALLING, Comparison
from grader.oracle.operations import Array
from grader.sandbox.ending import ADVICE

OUT_OF_MEMORY = 2  # cudaErrorMemoryAllocation
OURS = "labs/"  # where a finding lies that no line of the student's made
UNSOLVED = 801  # cudaErrorNotSupported, which the functions of a starter return
# A function may ignore that one of these fails: there is nothing left to undo.
RELEASES = (
    "cudaFree", "cudaFreeAsync", "cudaFreeHost", "cudaFreeArray", "cudaFreeMipmappedArray",
    "cudaHostUnregister",
    "cudaStreamDestroy", "cudaEventDestroy", "cudaGraphDestroy", "cudaGraphExecDestroy",
    "cudaMemPoolDestroy", "cudaDestroyTextureObject", "cudaDestroySurfaceObject",
)  # fmt: skip
# Without the answer of one of these a function may go on, if its result is right.
QUERIES = (
    "cudaGetDevice", "cudaGetDeviceCount", "cudaDeviceGetAttribute", "cudaGetDeviceProperties",
    "cudaFuncGetAttributes", "cudaFuncSetAttribute", "cudaFuncSetCacheConfig",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaPointerGetAttributes", "cudaMemGetInfo",
    "cudaDeviceGetLimit", "cudaDeviceSetLimit", "cudaStreamQuery", "cudaEventQuery",
    "cudaOccupancyMaxPotentialBlockSize", "cudaDeviceGetStreamPriorityRange",
)  # fmt: skip


@dataclass(frozen=True)
class Failure:
    """A step that broke the contract. lines: for the student, the first says what happened.

    name: stable, the diagnosis of a check. comparison: of a wrong output.
    """

    index: int
    name: str
    lines: tuple[str, ...]
    comparison: Comparison | None = None
    findings: tuple[Finding, ...] = ()


def find_failure(player: Player, played: Played) -> Failure | None:
    """The first step that broke the contract, or None."""
    by_bits: dict[Step, tuple[int, Array]] = {}
    for index, result in enumerate(played.results):
        step = played.sequence[index]
        findings = [f for f in played.findings if f.step == index]
        failure = _judge_step(player, played, index, findings)
        failure = failure or _compare_bits(player, by_bits, index, step, result)
        if failure:
            return failure
    if len(played.results) < len(played.sequence) or played.end != "completed":
        return None if _reached_the_end_of_memory(player, played) else _judge_stop(played)
    at_end = [f for f in played.findings if f.step < 0 and f.severity == "error"]
    if at_end:
        lines = tuple(f.render() for f in at_end[:3])
        last = len(played.sequence) - 1
        return Failure(last, at_end[0].kind, lines, None, tuple(at_end))
    return None


def _reached_the_end_of_memory(player: Player, played: Played) -> bool:
    """Did the program end in a step called with more pixels than there are, since it went on to
    them, as a function which returns nothing must, or since the host had no memory for them?"""
    index = len(played.results)
    is_huge = index < len(played.sequence) and played.sequence[index].huge is not None
    ended = played.fault != "" or played.kind == "crashed"
    return is_huge and ended and (player.contract.returns == "void" or played.no_memory)


def explain_callers_finding(finding: Finding) -> str:
    """What a student reads in place of a finding in the grader's own files; "" for any other."""
    if not finding.file.startswith(OURS):
        return ""
    if finding.kind == "leak":
        return (
            "the device memory of your function's caller was lost: cudaDeviceReset() frees the "
            "memory of the whole program, not only yours"
        )
    return (
        "your function overwrote memory of the program that calls it: does it write past the end "
        "of an array of its own, such as a static one with an element for each thread?"
    )


def tell_failed_call(played: Played, index: int) -> str:
    """What to do about a call that was made to fail, before a step went wrong; "" for none."""
    step = played.sequence[index]
    if not step.failing or step.huge:
        return ""
    ended = index < len(played.results)
    call = _failed(step.failing, played.results[index].status if ended else StepStatus(index))
    return (
        f"{call} was made to fail with {step.failing.name()}: check what each call returns, and "
        "after an error make no further call but those that free"
    )


def _failed(failing: Failing, status: StepStatus) -> str:
    """The call that was made to fail, as far as it is known."""
    name = "a kernel launch" if status.failed_call == "launch" else f"{status.failed_call}()"
    where = f", {name}," if status.failed_call else ""
    where = f", {name} at line {status.failed_line}," if status.failed_line else where
    return f"the call number {failing.call} of the CUDA runtime in your code{where}"


OLD_ERROR = (
    "that is the error of a launch in the call before, which was made to fail: nothing is wrong in "
    "this one",
    "cudaGetLastError() forgets the error that it returns, cudaPeekAtLastError() does not",
)


REFUSED = ("invalid-launch", "invalid-copy")
LOST = ("misaligned", "use-after-free", "out-of-bounds")  # every later call returns an error then


def _judge_stop(played: Played) -> Failure:
    """The program ended in the step after the last one with a result."""
    index = min(len(played.results), len(played.sequence) - 1)
    findings = tuple(f for f in played.findings if f.severity == "error")
    lines = [f"your function {played.fault}" if played.fault else f"your program {played.reason}"]
    if failed := tell_failed_call(played, index):
        lines.insert(0, failed)
    if not played.fault or findings:
        lines += [f.render() for f in findings[:2]]
    if played.kind in ADVICE:
        lines.append(ADVICE[played.kind])
    name = "out-of-bounds" if played.fault else played.kind
    return Failure(index, name, tuple(lines), None, findings)


def _judge_step(
    player: Player, played: Played, index: int, all_findings: list[Finding]
) -> Failure | None:
    step, result = played.sequence[index], played.results[index]
    status = result.status
    findings = [f for f in all_findings if f.severity == "error"]
    # A note as long as the function reports the error: it says why.
    refused = tuple(f.render() for f in all_findings if f.kind in REFUSED)[:1]
    found = tuple(f.render() for f in findings[:2])

    def failed(name: str, *lines: str) -> Failure:
        return Failure(index, name, (*lines, *found), None, tuple(findings))

    if status.guards != "intact":
        where = status.guards.removeprefix("written ")
        return failed("wrote-outside", f"your function wrote to memory just {where} an array")
    if status.changed:
        return failed(
            "changed-input",
            f"your function changed `{status.changed}`, which is an input: its caller may still "
            "need it",
        )
    if step.huge:
        return _judge_huge_image(player.contract, index, step.huge, result)
    before = played.results[index - 1].status if index else None
    is_old = before and before.failed_call == "launch" and before.returned == status.returned
    if status.returned and is_old and not (step.failing and step.failing.error == status.returned):
        return failed("old-error", status.error, *OLD_ERROR)
    if step.failing and status.failed_call:
        if failure := _judge_failed_call(index, step, result):
            return failure
    elif status.returned == UNSOLVED:
        return failed("returned-error", status.error)
    elif status.returned and findings and findings[0].kind in LOST:
        return Failure(index, findings[0].kind, (*found, status.error), None, tuple(findings))
    elif status.returned:
        name = "returned-error" if status.returned > 0 else "rejected"
        return failed(name, status.error, *(refused if not findings else ()))
    if status.left:
        return failed("leak", f"your function left {status.left} behind when it returned")
    if findings and (words := explain_callers_finding(findings[0])):
        return Failure(index, "wrote-outside", (words,), None, tuple(findings))
    if findings:
        return Failure(index, findings[0].kind, found, None, tuple(findings))
    if status.returned:
        return None  # it reported the failure, as it must
    if _writes_nothing(player.contract, step):
        if not _untouched(result.output):
            return failed(
                "refused-but-wrote",
                "your function returned cudaErrorInvalidValue but wrote to its output: a refused "
                "call must change nothing",
            )
        return None
    may_cache, asked = disk_cache.may_use(player.gpu), asked_of(player.lab, player.contract, step)
    if may_cache and disk_cache.was_right(player.lab, asked, result.output):
        return None
    right = (
        played.prepared.expected(index)
        if played.prepared
        else expected_of(player.lab, player.contract, step)
    )
    comparison = compare.compare(result.output, right)
    if comparison.right():
        if may_cache:
            disk_cache.remember_right(player.lab, asked, result.output)
        return None
    return Failure(index, "wrong-output", found or refused, comparison, tuple(findings))


def _writes_nothing(contract: Contract, step: Step) -> bool:
    """Must the output keep what it held before the call?"""
    return step.inseparable or bool(step.refuse and contract.only_refused)


def _untouched(output: Array) -> bool:
    """Does an output hold what it held before the call?"""
    if output.dtype.kind == "f":
        return bool((compare.bits(output) == SIGNALLING[output.dtype.itemsize]).all())
    written = np.ascontiguousarray(output).reshape(-1).view(np.uint8)
    return bool((written == compare.bytes_before(output.nbytes)).all())


def _judge_huge_image(
    contract: Contract, index: int, size: tuple[int, int], result: Result
) -> Failure | None:
    """No memory is large enough: the function must say so, and leave nothing behind. One that
    returns nothing must have reached the end of the memory that there is."""
    status = result.status
    width, height = size
    if contract.returns == "void":
        lines = (
            f"your function returned from a call for {width} x {height} pixels without "
            f"processing them: width * height does not fit in an int",
            "compute the number of pixels in size_t: (size_t)width * height",
        )
        return Failure(index, "pixels-left-out", lines)
    if status.returned != OUT_OF_MEMORY:
        said = "cudaSuccess" if status.returned == 0 else status.error.rpartition(" ")[2]
        lines = (
            f"your function returned {said} for an image of {width} x {height} pixels, and must "
            "return cudaErrorMemoryAllocation: no memory is large enough for it",
            "width * height overflows an int, and the number of bytes an unsigned: begin the "
            "product with (size_t)width",
        )
        return Failure(index, "another-error", lines)
    if status.left:
        left = f"your function returned the error but left {status.left} behind"
        return Failure(index, "leak-on-error", (left,))
    return None


def _judge_failed_call(index: int, step: Step, result: Result) -> Failure | None:
    """A call was made to fail: the function must return its error, and leave nothing behind."""
    status = result.status
    assert step.failing
    what = (
        f"{_failed(step.failing, status)} was made to fail with {step.failing.name()}, as can "
        "happen on a full or broken GPU"
    )
    if status.returned == step.failing.error:
        if status.left:
            lines = (what, f"your function returned the error but left {status.left} behind")
            return Failure(index, "leak-on-error", lines)
        return None
    forgiving = status.failed_call in RELEASES or status.failed_call in QUERIES
    if status.returned == 0 and forgiving and status.left:
        advice = f"your function then left {status.left} behind; go on and free the others"
        return Failure(index, "leak-on-error", (what, advice))
    if status.returned == 0 and forgiving:
        return None  # its result is judged as if nothing had failed
    if status.returned == 0:
        lines = (
            what,
            "but your function still returned cudaSuccess; check the return value of every CUDA "
            "call",
        )
        return Failure(index, "error-not-checked", lines)
    if status.returned < 0 and forgiving and not status.left:
        return Failure(index, "rejected", (status.error,))  # as if nothing had failed
    if status.returned < 0:
        return Failure(index, "leak-on-error", (what, status.error))
    lines = (what, f"but {status.error}: return the error of the call that failed")
    return Failure(index, "another-error", lines)


def _compare_bits(
    player: Player,
    by_bits: dict[Step, tuple[int, Array]],
    index: int,
    step: Step,
    result: Result,
) -> Failure | None:
    """Calls that differ only in their threads must give the same bits."""
    if not step.threads or result.status.returned:
        return None
    same_but_for_threads = replace(
        step, threads=0, held=False, kept=False, at_end=True, out_at_end=True
    )
    earlier = by_bits.setdefault(same_but_for_threads, (step.threads, result.output))
    threads, output = earlier
    if output.tobytes() == result.output.tobytes():
        return None
    where = np.argwhere(compare.bits(output) != compare.bits(result.output))[0]
    at = player.operation(step).subscript(tuple(int(i) for i in where))
    lines = (
        f"with {step.threads} thread{'s' * (step.threads > 1)} out{at} has different "
        f"bits than with {threads}: the result must not depend on the number of threads",
    )
    return Failure(index, "depends-on-threads", lines)
