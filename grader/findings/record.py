"""The record of a finding: what the simulator, the runner and the checks of C write, a line each.

labs/sim/src/base/findings.h and labs/sim/src/evidence/finding.h write it; the readers of the
sanitizers make it. It has no sentence: catalogue.py has one for each kind and case.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from grader.findings.catalogue import TEMPLATES


def _one_of(*words: str) -> Meta:
    """For the schema alone: a reader drops no finding because of a word."""
    return Meta(extra_json_schema={"enum": list(words)})


SPACES = (
    *("device", "page-locked", "registered", "managed", "device-heap"),  # allocations
    *("heap", "shared", "dynamic", "constant", "global", "array", "host"),
)
CAUSES = (
    *("elements", "lock-without-fence", "same-value", "new-array", "overflow"),
    *("interrupt", "own-limit", "processor-time", "near-limit", "time-limit", "terminated"),
)

KINDS = sorted({kind for kind, _ in TEMPLATES})
CASES = sorted({case for _, case in TEMPLATES})
Verb = Annotated[str, _one_of("", "read", "write", "atomic")]
Awaited = Annotated[str, _one_of("", "block", "grid", "tile", "warp")]


class MemoryObject(msgspec.Struct, frozen=True):
    """Memory that a finding is about. file, line: where it was allocated or declared; gone_: where
    it was freed. element: bytes of an element, 0 if that is not known. rows, columns: the last two
    extents of an array of several dimensions, or 0."""

    space: Annotated[str, _one_of("", *SPACES)] = ""
    name: str = ""
    bytes: int = 0
    file: str = ""
    line: int = 0
    gone_file: str = ""
    gone_line: int = 0
    element: int = 0
    rows: int = 0
    columns: int = 0


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """One finding. What is zero or empty is left out. kind: what is wrong. case: which sentence of
    that kind. The members that several kinds use mean what their sentences say."""

    kind: Annotated[str, _one_of(*KINDS)]
    case: Annotated[str, _one_of(*CASES)] = ""
    severity: Annotated[str, _one_of("error", "note")] = "error"
    kernel: str = ""
    file: str = ""
    line: int = 0
    block: list[int] = []  # the indices, where they are known
    thread: list[int] = []
    block_size: list[int] = []  # threads of a block, across, down and deep
    pc: int = 0  # the address in the binary, for when the line is not known
    step: int = -1  # of a sequence, where the run was one: grader/contract/
    launch: int = -1  # where a recording of steps was asked for
    # The other side of a race or a barrier.
    other_file: str = ""
    other_line: int = 0
    other_pc: int = 0
    other_thread: list[int] = []  # of the same block
    other_kernel: str = ""
    other_call: str = ""
    # An access.
    verb: Verb = ""
    other_verb: Verb = ""
    bytes: int = 0
    object: MemoryObject | None = None
    offset: int = 0  # from the beginning of the object
    address: int = 0  # which no object has
    # A call of the runtime API, or of another function.
    call: str = ""
    side: Annotated[str, _one_of("", "source", "destination", "memory")] = ""
    error: str = ""  # its name
    unchecked: bool = False  # the program never asks for the error
    # Numbers, and words that are not ours.
    value: int = 0
    limit: int = 0
    number: int = 0
    mask: int = 0
    text: str = ""
    # From closed lists.
    cause: Annotated[str, _one_of("", *CAUSES)] = ""
    awaits: Awaited = ""  # whom a thread waits for
    other_awaits: Awaited = ""
    # Places and sizes.
    place_file: str = ""  # of another line that matters
    place_line: int = 0
    at: list[int] = []
    size: list[int] = []
    extent: list[int] = []
    grid: list[int] = []  # of a launch
    threads: list[int] = []
