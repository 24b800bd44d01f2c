"""The calls that were timed on a GPU: which programs, which functions of them, which sizes.

A program is a lab's solution, a known submission that does not change it, or calls/general.cu.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader import paths
from grader.model import spec
from grader.tests.known_submissions import entries as known_submissions

HERE = Path(__file__).parent
TIMED = HERE / "timed"
COMMON = paths.ROOT / "labs" / "runtime"
SOLUTION = "solution"
GENERAL = "general"
CUDA_LABS = range(2, 9)
TIMED_ANCESTORS = (5, 6, 7)  # their solutions were timed as they were then

# Sizes by function: of the solution, and of each known submission. Lab 7: channels, side, masks.
_IMAGE = [(4096, 4096, 3, 0), (1024, 1024, 6, 0)]
_RANGE = [
    (256, 256, 6, 0),
    (512, 512, 2, 0),
    (1024, 1024, 8, 0),
    (1920, 1080, 6, 0),
    (2048, 2048, 4, 0),
    (4096, 4096, 6, 0),
    (8192, 8192, 1, 0),
]
_LINES = [(4096, 4096, 8, 0), (1024, 1024, 4, 0)]
_LINES_RANGE = [
    (256, 256, 8, 0),
    (1000, 600, 3, 0),
    (2048, 2048, 8, 0),
    (4096, 4096, 8, 0),
    (8192, 8192, 4, 0),
]
_DEPTHWISE = [(300, 224, 0, 0), (200, 448, 0, 0)]
_POINTWISE = [(300, 224, 900, 0), (64, 112, 100, 0)]
_CONVOLUTION = [(64, 112, 128, 0), (300, 56, 300, 0)]
_GREY = [(8192, 8192, 0, 0), (1024, 1024, 0, 0)]
_GREY_RANGE = [(256, 256, 0, 0), (1920, 1080, 0, 0), (4096, 4096, 0, 0), (12288, 8192, 0, 0)]

Size = tuple[int, int, int, int]
_FUNCTIONS: dict[int, dict[str, tuple[list[Size], list[Size]]]] = {
    2: {"correlate_device": (_RANGE, _IMAGE), "correlate_identical": (_IMAGE, _IMAGE[:1])},
    3: {
        "correlate_constant": (_RANGE, _IMAGE),
        "correlate_polyphase": (_RANGE[1::2], _IMAGE[:1]),
        "baseline_correlate": (_IMAGE, []),
        "baseline_polyphase": (_RANGE[1::2], []),
    },
    4: {
        "correlate_idle": (_IMAGE, []),
        "correlate_tile": (_RANGE, _IMAGE),
        "correlate_register": (_RANGE, _IMAGE),
        "correlate_dynamic": (_RANGE[1::2], _IMAGE[:1]),
        "baseline_correlate": (_RANGE[1::2], []),
    },
    5: {
        "correlate_rows": (_LINES_RANGE, _LINES[:1]),
        "correlate_columns": (_LINES_RANGE, _LINES[:1]),
        "correlate_separable": (_LINES, []),
        "correlate_fused": (_LINES_RANGE, _LINES),
        "baseline_correlate": (_LINES, []),
    },
    6: {
        "filter_coalesced": (_LINES_RANGE, _LINES),
        "filter_conflict_free": (_LINES_RANGE, _LINES),
        "filter_vectorised": (_LINES_RANGE, _LINES),
        "baseline_filter": (_LINES_RANGE, []),
    },
    7: {
        "depthwise_double": (_DEPTHWISE, _DEPTHWISE[:1]),
        "depthwise_float": (_DEPTHWISE, _DEPTHWISE),
        "pointwise_double": (_POINTWISE, []),
        "pointwise_float": (_POINTWISE, _POINTWISE[:1]),
        "convolution_double": (_CONVOLUTION, []),
        "convolution_float": (_CONVOLUTION, _CONVOLUTION[:1]),
        "baseline_depthwise_float": (_DEPTHWISE, []),
        "baseline_pointwise_double": (_POINTWISE[1:], []),
        "baseline_pointwise_float": (_POINTWISE, []),
        "baseline_convolution_double": (_CONVOLUTION[:1], []),
        "baseline_convolution_float": (_CONVOLUTION, []),
    },
    8: {"grey_device": (_GREY + _GREY_RANGE, _GREY)},
}
_GENERAL: dict[str, list[Size]] = {
    "copy": [(256, 256, 0, 0), (1024, 1024, 0, 0), (4096, 4096, 0, 0), (8192, 8192, 0, 0)],
    "copy4": [(2048, 2048, 0, 0), (8192, 8192, 0, 0)],
    "strided": [(4096, 4096, 3, 0), (4096, 4096, 33, 0)],
    "transpose_naive": [(1024, 1024, 0, 0), (4096, 4096, 0, 0)],
    "transpose_conflicts": [(1024, 1024, 0, 0), (4096, 4096, 0, 0)],
    "transpose_padded": [(1024, 1024, 0, 0), (4096, 4096, 0, 0)],
    "sum": [(1024, 1024, 0, 0), (8192, 8192, 0, 0)],
    "tree": [(1024, 1024, 0, 0), (4096, 4096, 0, 0)],
    "atomics": [(1024, 1024, 1, 0), (1024, 1024, 1000, 0), (4096, 4096, 1000000, 0)],
    "histogram": [(1024, 1024, 0, 0), (4096, 4096, 0, 0)],
    "matmul": [(512, 512, 0, 0), (2048, 2048, 0, 0)],
    "matmul_tile": [(512, 512, 0, 0), (2048, 2048, 0, 0)],
    "polynomial": [(2048, 2048, 16, 0), (4096, 4096, 200, 0)],
    "doubles": [(2048, 2048, 16, 0), (4096, 4096, 100, 0)],
    "special": [(2048, 2048, 4, 0), (4096, 4096, 32, 0)],
    "integers": [(2048, 2048, 16, 0), (4096, 4096, 100, 0)],
    "modulo": [(2048, 2048, 1000, 0)],
    "window_of": [(512, 512, 4, 0), (4096, 4096, 4, 0)],
    "one_block": [(256, 256, 4, 0), (1024, 1024, 2, 0)],
    "uncoalesced": [(512, 512, 4, 0), (4096, 4096, 4, 0)],
    "one_thread_blocks": [(512, 512, 2, 0), (2048, 2048, 2, 0)],
    "conflicts": [(1024, 1024, 64, 0), (4096, 4096, 64, 0)],
    "chain": [(4096, 4096, 200, 0)],
}


@dataclass(frozen=True)
class Call:
    """One call of a function of a program, and its sizes (calls/call.h)."""

    program: str  # "lab4-right-two-by-two", "lab4-solution" or "general"
    function: str
    size: Size

    @property
    def name(self) -> str:
        return f"{self.program} {self.function} {'x'.join(map(str, self.size))}"


# Written after the times were measured on a GPU.
NOT_TIMED = (
    "lab2-poor-grid-by-lanes",
    "lab2-poor-zero-stored-first",
    "lab2-right-staging-in-pieces",
    "lab3-cheat-mask-in-a-texture",
    "lab3-cheat-one-constant-read",
)


@cache
def programs() -> list[str]:
    names = [GENERAL]
    for lab in CUDA_LABS:
        names.append(f"lab{lab}-{SOLUTION}")
        entries = known_submissions.of_lab(f"lab{lab}", "right", "poor", "slow")
        names += [f"lab{lab}-{e.name}" for e in entries if _solution(lab).name in e.apart]
    return [name for name in names if name not in NOT_TIMED]


def calls() -> list[Call]:
    return [call for program in programs() for call in _calls(program)]


def sources(program: str) -> list[Path]:
    if program == GENERAL:
        return [HERE / "calls" / "general.cu"]
    name, _, entry = program.partition("-")
    lab = int(name.removeprefix("lab"))
    home = _folder(lab)
    own = [HERE / "calls" / f"lab{lab}.cu", _file(lab, entry)]
    return own + list(home.glob("baseline.cu"))


def folders(program: str) -> list[Path]:
    """Where the headers of a program are."""
    lab = [] if program == GENERAL else [_folder(int(program[3]))]
    return [HERE / "calls", COMMON, *lab]


def _calls(program: str) -> Iterator[Call]:
    if program == GENERAL:
        table = {name: (sizes, sizes) for name, sizes in _GENERAL.items()}
    else:
        table = _FUNCTIONS[int(program[3])]
    for function, (of_solution, of_entry) in table.items():
        for size in of_solution if program.endswith(SOLUTION) else of_entry:
            yield Call(program, function, size)


def _folder(lab: int) -> Path:
    return next((paths.ROOT / "labs").glob(f"lab{lab}_*"))


def _solution(lab: int) -> Path:
    """What a student hands in; expert.cu, in the same folder, was not timed here."""
    name = next(name for name in spec.load(f"lab{lab}").submit if name.endswith(".cu"))
    return paths.ROOT / "solutions" / _folder(lab).name / name


def _file(lab: int, entry: str) -> Path:
    """The .cu file of an entry. One that changes the solution has none: its kernels are mostly the
    solution's, which would then be in both halves of the calls. Where a file changed after it was
    timed, timed/ says what it was then, or it is its lab's ancestor."""
    solution = _solution(lab)
    if entry == SOLUTION:
        if lab in TIMED_ANCESTORS:
            return known_submissions.write(known_submissions.ancestor(f"lab{lab}")) / solution.name
        return solution
    now = known_submissions.write(known_submissions.find(f"lab{lab}/{entry}")) / solution.name
    change = TIMED / f"lab{lab}-{entry}.diff"
    if not change.exists():
        return now
    then = paths.BUILD / "timed" / change.stem / solution.name
    then.parent.mkdir(parents=True, exist_ok=True)
    then.write_text(known_submissions.changed(now.read_text(), change.read_text()))
    return then
