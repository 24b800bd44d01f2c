"""Runs HeCBench's CUDA programs as their Makefiles do, here or on a GPU, and says how each ended.

    python -m labs.tests.programs.hecbench --from FOLDER [--only TEXT] [--jobs N] [--smallest]
                                           [--nvcc | --eight]

FOLDER is a clone of https://github.com/zjin-lcf/HeCBench: none of its code is part of this project.
Files, options and arguments are those that `make -n run` prints in each `src/*-cuda`; of several
runs, the first. A program that does not end in time runs again with smaller arguments, at last with
those that its `small` in hecbench.csv names: the options for a size that it has besides.
hecbench.csv keeps the outcomes, here and with --nvcc on this machine's GPU; a program that has one
there is skipped. With --eight, its outcome on a faster machine is kept besides (`taskset -c 0-7`
gives a program eight cores). Its column `cause` is written by hand: why a program is not right
here. `make hecbench FROM=FOLDER` writes the table of them, too (table.py).
"""

import csv
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Lock

from grader.commands.nvcc_options import LONG, WITH_VALUE
from labs.tests.programs.run import (
    HERE,
    RIGHT,
    ForeignProgram,
    Outcome,
    Runner,
    parser_of,
    runner_of,
    show,
    table,
)

OUTCOMES = HERE / "hecbench.csv"
COLUMNS = (
    "program",
    "files",
    "options",
    "arguments",
    "needs",
    "here",
    "reason",
    "gpu",
    "gpu_reason",
    "eight",
    "small",
    "cause",
)
# Their input is not in the repository, or is packed there; one asks ImageMagick to read it.
NO_DATA = "bmf cc cm heartwall lr mcpr multimaterial nn srad testSNAP word2vec"
NEEDS = {"bm3d": "ImageMagick"} | dict.fromkeys(NO_DATA.split(), "data")
REASONS = {"here": "reason", "gpu": "gpu_reason"}
COMPILERS = {"nvcc", "g++", "gcc", "mpicc", "mpicxx"}
SOURCE = re.compile(r"\.(cu|cpp|cxx|cc|c|C)$")
# The options of a run that decide its result; each may stand alone or with its value behind it.
KEPT = re.compile(r"-(I|D|l|-?x$|std|-?use_fast_math|Xcompiler|-expt|-extended)")
NUMBER = re.compile(r"(?:-[-\w]+=)?(\d+)")  # a size, alone or behind the name of its option
LIBRARIES = (
    (r"cublas|cusparse|cusolver|cufft|curand|cudnn|nccl|nvjpeg|cutlass|cusolver", "a CUDA library"),
    (r"mpi\.h|mpi(cc|cxx)|mpirun|-lmpi", "MPI"),
    (r"<(thrust|cub|cuda)/", "Thrust, CUB or libcu++"),
    (
        r"<(cooperative_groups/memcpy_async|mma|cuda_pipeline)",
        "asynchronous copies or matrix units",
    ),
    (r"\basm\b", "inline PTX"),
    (
        r"<(gsl|gdal|boost|opencv|omp-tools|zlib|lapacke|hdf5|torch|eigen)|-lgfortran",
        "a host library",
    ),
)


def from_makefile(repository: str, folder: Path) -> ForeignProgram | None:
    """The program that `make run` would build in this folder; None if it builds none so."""
    printed = subprocess.run(
        ["make", "-n", "-B", "run"], cwd=folder, capture_output=True, text=True, check=False
    ).stdout.replace("\\\n", " ")
    files: list[str] = []
    options: list[str] = []
    arguments: list[str] | None = None
    for line in printed.splitlines():
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        if words and Path(words[0]).name in COMPILERS:
            _read_compile(words[1:], files, options)
        elif words and words[0].startswith("./") and arguments is None:
            arguments = words[1:]
    if not files or arguments is None:
        return None
    include = [folder / word[2:] for word in options if word.startswith("-I")]
    known = NEEDS.get(folder.name.removesuffix("-cuda"))
    needs = known or _needs(folder, files, include, printed) or _data(folder, arguments)
    return ForeignProgram(repository, f"src/{folder.name}", files, options, arguments, needs=needs)


def smaller(arguments: list[str], small: str = "") -> Iterator[list[str]]:
    """These arguments, then fewer repeats (in HeCBench the last number), then ever smaller sizes,
    and then `small`."""
    yield arguments
    numbers = {
        place: found for place, word in enumerate(arguments) if (found := NUMBER.fullmatch(word))
    }
    once = arguments.copy()
    if arguments and len(arguments) - 1 in numbers:
        once[-1] = _with_number(numbers[len(arguments) - 1], 1)
    if once != arguments:
        yield once
    for divisor in (8, 64):
        less = once.copy()
        for place, found in numbers.items():
            size = int(found[1]) if less[place] == arguments[place] else 1
            less[place] = _with_number(found, size if size < 2 * divisor else size // divisor)
        if less != once:
            yield less
    if small:
        yield shlex.split(small)


def _with_number(found: re.Match[str], number: int) -> str:
    """The word with another number."""
    return found[0][: found.start(1)] + str(number)


def run_smaller(runner: Runner, program: ForeignProgram, sizes: list[list[str]]) -> Outcome:
    """How the program ended with the first of these arguments with which it ends in time: right, if
    it is with any of them, as it may not take each size."""
    ended: list[Outcome] = []
    for arguments in sizes:
        outcome = runner.run(replace(program, arguments=arguments))
        if outcome.kind in RIGHT or (outcome.kind != "stopped" and arguments == program.arguments):
            return outcome
        ended.append(outcome)
    return min(ended, key=lambda outcome: outcome.kind == "stopped")


def _read_compile(words: list[str], files: list[str], options: list[str]) -> None:
    """Adds what one command compiles, and with which options."""
    rest = iter(words)
    for word in rest:
        has_value = word in (*WITH_VALUE, *LONG, "-I", "-D", "-L", "-o", "--default-stream")
        values = [next(rest, "")] if has_value else []
        if SOURCE.search(word) and word not in files:
            files.append(word)
        elif (
            KEPT.match(word) and word not in options and [word, *values] != ["-Xcompiler", "-Wall"]
        ):
            options += [word, *values]


def _needs(folder: Path, files: list[str], include: list[Path], printed: str) -> str | None:
    """The library or feature that the simulator does not have, by the text of the sources."""
    paths = [path for name in files if (path := folder / name).is_file()]
    for kind in ("*.h", "*.cuh", "*.hpp"):
        paths += [*folder.rglob(kind), *(path for other in include for path in other.glob(kind))]
    text = printed + "".join(path.read_text(errors="replace") for path in paths)
    return next((name for pattern, name in LIBRARIES if re.search(pattern, text)), None)


def _data(folder: Path, arguments: list[str]) -> str | None:
    """HeCBench keeps large files elsewhere: a .dvc file stands for them."""
    absent = any(word.startswith("../") and not (folder / word).exists() for word in arguments)
    return "data" if absent or any(folder.rglob("*.dvc")) else None


def main() -> int:
    parser = parser_of(__doc__, 60, OUTCOMES)
    parser.add_argument("--smallest", action="store_true", help="only with the smallest arguments")
    parser.add_argument("--eight", action="store_true", help="keep what eight cores can do")
    options = parser.parse_args()
    column = "gpu" if options.nvcc else "eight" if options.eight else "here"
    home = options.home.resolve()
    runner = runner_of(options, home.parent)
    rows: dict[str, dict[str, str]] = {}
    if options.csv.exists():
        rows = {row["program"]: dict(row) for row in table(options.csv)}
    writing = Lock()

    def run_one(folder: Path) -> None:
        program = from_makefile(home.name, folder)
        if program is None:
            return
        small = rows.get(folder.name, {}).get("small", "")
        sizes = list(smaller(program.arguments, small))
        outcome = run_smaller(runner, program, sizes[-1:] if options.smallest else sizes)
        show(outcome)
        with writing:
            row = rows.setdefault(folder.name, dict.fromkeys(COLUMNS, ""))
            row |= {
                "program": folder.name,
                "files": " ".join(program.files),
                "options": shlex.join(program.options),
                "arguments": shlex.join(outcome.program.arguments),
                "needs": program.needs or "",
                column: outcome.kind,
            }
            if column in REASONS:
                row[REASONS[column]] = outcome.reason[:160]
            with options.csv.open("w", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(row for _, row in sorted(rows.items()))

    done = {name for name, row in rows.items() if row[column]}
    folders = sorted(
        f for f in (home / "src").glob("*-cuda") if options.only in f.name and f.name not in done
    )
    with ThreadPoolExecutor(options.jobs) as jobs:
        list(jobs.map(run_one, folders))
    return 0


if __name__ == "__main__":
    sys.exit(main())
