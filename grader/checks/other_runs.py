"""Why does a program give another result each time? Runs a wrong case again, in different ways.

What differs between two runs in which one thread does everything in the same order cannot depend on
the order of threads.
"""

import msgspec
import numpy as np

from grader.diagnose.mistake import Diagnosis
from grader.execute.case import Outcome, run_case
from grader.execute.modes import IN_ORDER, PLAIN, REVERSED, Mode
from grader.model.lab import Case
from grader.oracle import compare
from grader.oracle.cache import Prepared
from grader.session.programs import Binary
from grader.session.session import Session

ORDER = (
    "so the result depends on the order in which threads run: look for a variable that threads "
    "share, or a value that one thread writes and another uses"
)
ALONE = (
    "with one thread the result is right: look at what each of several threads computes, and from "
    "what"
)


def compared(
    session: Session, case: Case, binary: Binary, prepared: Prepared, outcome: Outcome
) -> Diagnosis | None:
    """What runs of the same case say about `outcome`, the first one; None when all agree."""

    def bits(mode: Mode, threads: str = "") -> bytes | None:
        settings = case.set | ({"threads": threads} if threads else {})
        again = msgspec.structs.replace(case, set=settings)
        lab, work = session.lab, session.work
        out = run_case(lab, again, binary.file, prepared.inputs, work, mode).output
        return None if out is None else out.tobytes()

    if outcome.output is None:
        return None
    if binary.backend == "gpu":
        return None if bits(PLAIN) == outcome.output.tobytes() else _unstable()
    one = "1" if "threads" in case.set else ""
    first, second = (bits(IN_ORDER, one) for _ in range(2))
    if first is None or second is None:
        return None
    if first != second:
        return Diagnosis(
            "differs-between-runs",
            "two runs in the same order give different results, so your code uses values that it "
            "has not stored: a variable or memory that it never wrote, or memory outside of its "
            "arrays",
        )
    kind, shape = outcome.output.dtype, outcome.output.shape
    alone = np.frombuffer(first, dtype=kind).reshape(shape)
    if first != outcome.output.tobytes() and compare.compare(alone, prepared.expected).right():
        return Diagnosis("order-dependent", ALONE)
    if session.lab.file_of(case).endswith(".c"):
        return None if bits(PLAIN) == outcome.output.tobytes() else _unstable()
    backwards = bits(REVERSED)
    if backwards is not None and backwards != first:
        return Diagnosis(
            "order-dependent",
            f"with threads and blocks in reverse order the result is different, {ORDER}",
        )
    return None if first == outcome.output.tobytes() else _unstable()


def _unstable() -> Diagnosis:
    """What was seen, and no more."""
    return Diagnosis(
        "differs-between-runs", "a second run with the same input gives a different result"
    )
